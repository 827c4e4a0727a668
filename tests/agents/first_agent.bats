#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The way of a new user, by commands of the README: install, doctor, the recipe of an agent with the real Claude Code,
# a secret that it is refused, the domain that it is allowed, and the report of both. The model is on loopback, under
# the name of the real one.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; variables of lib

load ../lib/common
load ../lib/servers
load ../lib/agents
load ../lib/installed

teardown()
{
	end_started
	stop_servers
}

# install_claude: as npm install -g puts it into the home.
install_claude()
{
	local from=$TREE/build/npm/node_modules/@anthropic-ai

	[ -e "$from" ] || skip 'claude cannot be fetched from npm here'
	mkdir -p "$HOME/.npm-global/bin" "$HOME/.npm-global/lib/node_modules"
	cp -aL --link "$from" "$HOME/.npm-global/lib/node_modules/" 2>/dev/null ||
	    cp -aL "$from" "$HOME/.npm-global/lib/node_modules/"
	ln -s "../lib/node_modules/@anthropic-ai/claude-code/$(node -p "Object.values(require('$from/claude-code/package.json').bin)[0]")" \
	    "$HOME/.npm-global/bin/claude"
	PATH=$HOME/.npm-global/bin:$PATH
}

# readme WORDS: the command of the README's recipes that has them.
readme()
{
	sed -n "s/^| .* | \`\\(cordon $1.*\\)\` |\$/\\1/p" "$TREE/README.md"
}

@test "README: a confined claude -p, a refused secret, an allowed domain, and the report of both" {
	installed
	install_claude
	servers 'api.anthropic.com 127.0.0.1' 'evil.example 127.0.0.1'
	model 'cat ~/.ssh/id_ed25519; curl -sS -m 20 http://evil.example/; printf "in-%d\n" 42 >made; cat made'
	ANTHROPIC_BASE_URL=http://api.anthropic.com:$port
	user_policy <<-END
		{"network": {"ports": [$port, 80], "private": ["127.0.0.1"], "resolver": "127.0.0.1:$dns"}}
	END
	mkdir -p "$HOME/.ssh"
	echo 'not a real key' >"$HOME/.ssh/id_ed25519"
	# without cordon the key is read, and a command writes
	[ "$(ANTHROPIC_BASE_URL=http://127.0.0.1:$port timeout 200 claude -p hi --allowedTools Bash 9>&- </dev/null)" = 'mock: done' ]
	result 'not a real key' in-42
	rm -f made "$T/api"
	timeout 100 cordon doctor -q 9>&-
	command=$(readme 'run -p claude')
	[ -n "$command" ]
	# the recipe, with the step that "Denied?" names for reads, and the tool that the mock calls
	command=${command/run /run --trace }
	status=0
	timeout 280 bash -c "$command --allowedTools Bash" >"$T/out" 2>"$T/err" 9>&- </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq 0 ] && said 'mock: done' || complain 'claude failed' || return 1
	heard 'refused; cordon why --last'
	result 'Permission denied' in-42 || return 1
	! grep -q 'not a real key' "$T/api" || complain 'the key went out'
	grep -q '"path": "/v1/messages' "$T/api" || complain 'the model was not asked'
	out=$(timeout 60 cordon why --last 9>&-) || true
	said "refused: read $HOME/.ssh/id_ed25519 is not granted" 'refused: connect evil.example:80 is not among the allowed domains'
	timeout 60 cordon report -o report.html 9>&-
	out=$(cat report.html)
	said id_ed25519 evil.example api.anthropic.com
	timeout 60 cordon plan -p claude 9>&- >"$T/plan"
	grep -q api.anthropic.com "$T/plan"
}
