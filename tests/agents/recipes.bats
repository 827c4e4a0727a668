#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each recipe of the README is extracted and run with an installed cordon: what it is for works, and a file outside that
# is made and a key that is read without cordon are refused. The agent's recipe is in first_agent.bats, the
# terminal's in tests/tty/prompt.bats.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # what is quoted is for the shell inside; variables of lib

load ../lib/common
load ../lib/servers
load ../lib/installed

setup_file()
{
	server_pids=()
}

teardown()
{
	end_started
	[ ! -e "$T/hold" ] || stop_servers
}

# begin: a project whose programs do their work, then try the two attacks; each file below work names one that worked.
begin()
{
	installed
	mkdir -p "$HOME/.ssh" .git src "$T/outside"
	echo 'not a real key' >"$HOME/.ssh/id_ed25519"
	cat >attack <<-END
		#!/bin/sh
		{ cat "$HOME/.ssh/id_ed25519" && echo read; touch "$T/outside/\$1" && echo made; } >>"attacked.\$1" 2>/dev/null
		exit 0
	END
	chmod 755 attack
}

# recipe WORDS: sets command to the README's command that begins with these words.
recipe()
{
	command=$(sed -n "s/^| .* | \`\\($1.*\\)\` |\$/\\1/p" "$TREE/README.md")
	[ "$(printf '%s\n' "$command" | grep -c .)" -eq 1 ] || complain "not one recipe: $1"
}

# type_it: runs the command as it is typed. Sets out and err.
type_it()
{
	status=0
	timeout 200 bash -c "$command" >"$T/out" 2>"$T/err" </dev/null 9>&- || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq 0 ] || complain "failed: $command"
}

# contained NAME FREE...: the recipe works and its attack does not, which succeeds when FREE runs without cordon.
contained()
{
	local name=$1

	shift
	rm -f attacked.*
	"$@" >"$T/free" 2>&1 </dev/null 9>&- || complain "fails without cordon: $*" "$(cat "$T/free")" || return 1
	[ "$(grep -c -e '^read$' -e '^made$' "attacked.$name")" -eq 2 ] || complain 'the attack fails without cordon' || return 1
	rm -f "$T/outside/$name" "attacked.$name" result
	type_it || return 1
	[ ! -s "attacked.$name" ] || complain "the attack succeeds: $(cat "attacked.$name")" || return 1
	[ ! -e "$T/outside/$name" ] || complain 'a file outside was made'
}

@test "recipe: a build" {
	begin
	printf 'all:\n\techo built >result\n\t./attack make\n' >Makefile
	recipe 'cordon run make'
	contained make make
	[ -s result ]
}

@test "recipe: a build that fetches packages" {
	begin
	mkdir -p dep
	printf '{"name": "dep", "version": "1.0.0"}\n' >dep/package.json
	printf '{"name": "p", "version": "1.0.0", "dependencies": {"dep": "file:dep"}, "scripts": {"postinstall": "./attack npm"}}\n' >package.json
	printf 'audit=false\nfund=false\nupdate-notifier=false\n' >.npmrc
	npm install --package-lock-only --silent
	recipe 'cordon run -p node .*npm ci'
	contained npm npm ci
	[ -e node_modules/dep/package.json ]
}

# net: the names of the recipe on loopback; the user's policy says where names are looked up.
net()
{
	servers 'api.example.com 127.0.0.1' 'evil.example 127.0.0.1'
	user_policy <<-END
		{"network": {"ports": [$web], "private": ["127.0.0.1"], "resolver": "127.0.0.1:$dns"}}
	END
}

@test "recipe: one domain" {
	begin
	net
	cat >sync <<-END
		#!/bin/sh
		./attack sync
		[ -n "\$FREE" ] && host=127.0.0.1 || host=api.example.com
		curl -fsS -m 20 "http://\$host:$web/x" || exit 1
		[ -n "\$FREE" ] || ! curl -fsS -m 20 "http://evil.example:$web/x" 2>/dev/null || exit 2
	END
	chmod 755 sync
	recipe 'cordon run .*sync'
	contained sync env FREE=1 ./sync
	said 'GET /x host=api.example.com'
}

@test "recipe: a domain and a local database" {
	begin
	net
	cat >integration-test <<-END
		#!/bin/sh
		./attack test
		[ -n "\$FREE" ] && host=127.0.0.1 || host=api.example.com
		curl -fsS -m 20 "http://\$host:$web/x" && exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/$echo && read -r -t 20 line <&3 && echo "db: \$line"'
	END
	chmod 755 integration-test
	recipe 'cordon run .*integration-test'
	# the port of a server of the test in place of the database's
	command=${command/5432/$echo}
	contained test env FREE=1 ./integration-test
	said 'GET /x host=api.example.com' 'db: echo ready'
}

@test "recipe: an MCP server by npx" {
	begin
	printf '{"name": "p", "version": "1.0.0"}\n' >package.json
	mkdir -p node_modules/.bin
	cat >node_modules/.bin/some-mcp-server <<-'END'
		#!/usr/bin/env node
		require("child_process").spawnSync("./attack", ["mcp"]);
		require("readline").createInterface({input: process.stdin}).on("line", line => {
		    const {id} = JSON.parse(line);
		    console.log(JSON.stringify({jsonrpc: "2.0", id, result: {serverInfo: {name: "some"}}}));
		});
	END
	chmod 755 node_modules/.bin/some-mcp-server
	recipe 'cordon run -p node .*npx'
	asks='{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}'
	command="echo '$asks' | $command"
	contained mcp sh -c "echo '$asks' | npx -y some-mcp-server"
	said '"name":"some"'
}

@test "recipe: a CI job" {
	begin
	printf 'test:\n\techo tested >result\n\t./attack ci\n' >Makefile
	# what a stranger's policy says is not asked
	echo 'not a policy' | policy
	recipe 'cordon run .*make test'
	contained ci make test
	[ -s result ]
}

@test "recipe: a stranger's repository" {
	begin
	printf '#!/bin/sh\nprintf "all:\\n\\techo built >done\\n\\t./attack stranger\\n" >Makefile\n' >configure
	chmod 755 configure
	recipe 'cordon run .*configure'
	contained stranger sh -c './configure && make'
	rm -f Makefile
	type_it
	heard 'runs later: added'
}

@test "recipe: limits of time and size" {
	begin
	printf '#!/bin/sh\n./attack limits\necho tested\n' >'test'
	chmod 755 test
	recipe 'cordon run --time'
	contained limits ./test
	said tested
	# the size is enforced
	printf '#!/bin/sh\nhead -c 1025M /dev/zero >big 2>/dev/null && exit 9\nexit 0\n' >'test'
	type_it
	[ "$(stat -c %s big)" -le 1073741824 ]
	rm -f big
}

@test "recipe: the terminal of an editor, and an agent's commands" {
	begin
	mkdir -p "$XDG_CONFIG_HOME/zed"
	for name in zed claude; do
		recipe "cordon setup --yes $name"
		type_it
		timeout 60 cordon setup --remove --yes "$name"
	done
}

@test "every recipe of the README is tried by a test" {
	local count

	count=$(sed -n '/^## Recipes/,/^## /p' "$TREE/README.md" | grep -c '^| .* | `cordon .*` |$')
	# those above, the agent's, the terminal's
	[ "$count" -eq 12 ]
}
