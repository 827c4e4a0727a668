#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon why`: allowed and denied access, and the rule that decides.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

# --- which rule wins ---

@test "a specific allow wins over a broad deny, whatever the order in the file" {
	mkdir -p data/public data/other
	policy first.json <<-'END'
		{"files": {"rules": [
		  {"effect": "allow", "rights": "r", "path": "$PROJECT/data/public"},
		  {"effect": "deny", "rights": "rwcdx", "path": "$PROJECT/data"}
		]}}
	END
	policy second.json <<-'END'
		{"files": {"rules": [
		  {"effect": "deny", "rights": "rwcdx", "path": "$PROJECT/data"},
		  {"effect": "allow", "rights": "r", "path": "$PROJECT/data/public"}
		]}}
	END
	for file in first.json second.json; do
		allowed -p "$file" read data/public/x
		denied -p "$file" write data/public/x
		denied -p "$file" read data/other/x
		denied -p "$file" read data
	done
}

@test "three levels: deny, allow below, deny below that" {
	policy levels.json <<-'END'
		{"files": {
		  "deny": ["$PROJECT/a", "$PROJECT/a/b/c"],
		  "write": ["$PROJECT/a/b"]
		}}
	END
	denied -p levels.json write a/x
	said 'levels.json:2:12: deny'
	allowed -p levels.json write a/b/x
	said 'levels.json:3:13: allow'
	denied -p levels.json read a/b/c/x
	said 'levels.json:2:26: deny'
	allowed -p levels.json write elsewhere
}

# R22-R23 differs: a deny of a more trusted source is final
@test "clash rules: the same three levels, in any order" {
	mkdir -p a/b/c
	policy levels.json <<-'END'
		{"default": ["read"], "rules": [
		  {"effect": "deny", "caps": ["write"], "path": "$PWD/a/b/c", "path_match": "subpath"},
		  {"effect": "allow", "caps": ["full"], "path": "$PWD/a/b", "path_match": "subpath"},
		  {"effect": "deny", "caps": ["full"], "path": "$PWD/a", "path_match": "subpath"}
		]}
	END
	denied -p clash:levels.json read a/x
	allowed -p clash:levels.json write a/b/x
	denied -p clash:levels.json write a/b/c/x
	denied -p clash:levels.json delete a/b/c/x
	allowed -p clash:levels.json read /srv
	denied -p clash:levels.json execute /srv
}

@test "at the same path in one layer the allow wins, in any order" {
	policy lists.json <<<'{"files": {"deny": ["/srv/x"], "read": ["/srv/x"]}}'
	allowed -p lists.json read /srv/x/y
	denied -p lists.json write /srv/x/y
	policy rules.json <<-'END'
		{"files": {"rules": [
		  {"effect": "allow", "rights": "r", "path": "/srv/x"},
		  {"effect": "deny", "rights": "rwcdx", "path": "/srv/x"}
		]}}
	END
	allowed -p rules.json read /srv/x/y
}

@test "a deny of the user applies to a project, approved or not" {
	mkdir -p "$HOME/shared" "$HOME/other"
	user_policy <<<'{"files": {"deny": ["~/shared"]}}'
	policy <<<'{"files": {"read": ["~/shared", "~/shared/deeper", "~/other"]}}'
	denied read '~/shared/deeper/x'
	expect 0 trust --yes
	allowed read '~/other/x'
	denied read '~/shared/deeper/x'
	said "$XDG_CONFIG_HOME/cordon/config.json:1:21: deny" 'final'
	denied read '~/shared/x'
}

@test "the user's own file may allow below the user's own deny" {
	user_policy <<<'{"files": {"deny": ["~/a"], "read": ["~/a/b"]}}'
	denied read '~/a/x'
	allowed read '~/a/b/x'
}

@test "patterns come after paths, in file order" {
	policy patterns.json <<-'END'
		{"files": {"write": ["$PROJECT/keep"], "deny": ["**/.env", "**/*.pem"],
		  "rules": [{"effect": "allow", "rights": "r", "path": "**/test.pem", "match": "glob"}]}}
	END
	denied -p patterns.json read keep/.env
	said 'patterns.json:1:'
	denied -p patterns.json read deep/er/x.pem
	allowed -p patterns.json read deep/er/test.pem
	allowed -p patterns.json read keep/env
}

@test "literal, child and subpath" {
	policy match.json <<-'END'
		{"files": {"rules": [
		  {"effect": "allow", "rights": "r", "path": "/srv/l", "match": "literal"},
		  {"effect": "allow", "rights": "r", "path": "/srv/c", "match": "child"},
		  {"effect": "allow", "rights": "r", "path": "/srv/s", "match": "subpath"},
		  {"effect": "allow", "rights": "r", "path": "/srv/r[0-9]+", "match": "regex"}
		]}}
	END
	allowed -p match.json read /srv/l
	denied -p match.json read /srv/l/x
	denied -p match.json read /srv/c
	allowed -p match.json read /srv/c/x
	denied -p match.json read /srv/c/x/y
	allowed -p match.json read /srv/s
	allowed -p match.json read /srv/s/x/y
	denied -p match.json read /srv/sx
	allowed -p match.json read /srv/r12
	denied -p match.json read /srv/r12x
	denied -p match.json read /x/srv/r12
}

@test "options are one more source, and the narrowest remedy is named" {
	mkdir "$T/data"
	denied read "$T/data"
	said "to allow it: --read $T/data"
	denied write "$T/data"
	said "to allow it: --write $T/data"
	# what does not exist cannot be granted: it has to be made first
	denied create "$T/missing"
	said "to allow it: make it, then --write $T/missing"
	expect 1 why --json create "$T/missing"
	json 'd["remedy"] is None and not d["exists"] and d["profile"] is None'
	allowed --write /srv/data delete /srv/data/x
	said '--write'
	denied --deny src read src/x
	allowed --protect src read src/x
	denied --protect src create src/x
}

@test "what the remedy names does allow it" {
	local line

	mkdir "$T/a"
	(cd "$T" && "$PYTHON" -c 'import socket; socket.socket(socket.AF_UNIX).bind("demo.sock")')
	for line in "read $T/a" "create $T/a" "execute $T/a" 'create .git/hooks/x' 'connect example.org:443' \
	    'connect 127.0.0.1:8080' "socket $T/demo.sock" 'env MY_VARIABLE'; do
		# shellcheck disable=SC2086 # two words each
		denied $line || return 1
		remedy=$(sed -n 's/.*to allow it: //p' "$T/out")
		[ -n "$remedy" ] || complain "no remedy: $line" || return 1
		# shellcheck disable=SC2086 # words
		allowed $remedy $line || return 1
	done
}

# remedied OPTIONS QUESTION REMEDY: it is what is named, and given after the options it helps.
remedied()
{
	# shellcheck disable=SC2086 # words
	denied $1 connect "$2" || return 1
	[ "$(sed -n 's/.*to allow it: //p' "$T/out")" = "$3" ] || complain "expected: $3" || return 1
	# shellcheck disable=SC2086 # words
	allowed $1 $3 connect "$2"
}

@test "the remedy for a connection depends on the policy" {
	remedied '' example.org:443 '--domain example.org'
	remedied '' example.org:22 '--domain example.org --port 22'
	remedied '' 192.0.2.7:443 '--net all'
	remedied '' '[2001:db8::1]:80' '--net all'
	remedied '' '[::1]:8080' '--net localhost:8080'
	remedied '--domain example.org' example.org:22 '--port 22'
	remedied '--domain example.org' example.net:8443 '--domain example.net --port 8443'
	remedied '--domain example.org' 192.0.2.7:443 '--net all'
	remedied '--net localhost' example.org:443 '--net domains --domain example.org'
	remedied '--net localhost:80,90' localhost:91 '--net localhost:80,90,91'
	remedied '--net none' example.org:443 '--net domains --domain example.org'
}

# --- the default, and what is protected ---

@test "a relative path is resolved in the working folder, whatever its name" {
	mkdir -p "$T/a*b/out" "$T/aXb/out" "$T/~/out"
	cd "$T/a*b"
	allowed -C "$P" --write out write "$T/a*b/out/f"
	denied -C "$P" --write out write "$T/aXb/out/f"
	said "--write $T/aXb/out/f"
	allowed -C "$P" --write 'o*' write "$T/a*b/out/f"
	denied -C "$P" --write 'o*' write "$T/aXb/out/f"
	# and what is said to allow it allows nothing else
	denied -C "$P" write "$T/a*b/out/f"
	said "--write '$T/a\\*b/out/f'"
	allowed -C "$P" --write "$T/a\\*b/out/f" write "$T/a*b/out/f"
	denied -C "$P" --write "$T/a\\*b/out/f" write "$T/aXb/out/f"
	cd "$T/~"
	refused why -C "$P" --write out write out/f
	heard --write 'has the name of a token'
}

@test "the default: the project and the system, no home, no network, no sockets" {
	allowed rwcdx new/file
	allowed read /usr/share
	allowed execute /usr/bin
	denied write /usr/bin/x
	denied read '~/.ssh/id_ed25519'
	said 'looks like a secret'
	denied read "$HOME"
	denied connect example.org:443
	denied connect 127.0.0.1:80
	denied socket /run/docker.sock
	denied env SECRET_TOKEN
	allowed env PATH
}

@test "protected names: read, never changed; a wider grant does not lift it, the name itself does" {
	local name

	for name in .git/hooks/pre-commit .envrc .vscode/tasks.json .idea/x .zed/settings.json \
	    .claude/settings.json .mcp.json .cordon.json deep/er/.git/hooks/x .gemini/settings.json opencode.json \
	    .opencode/plugin/a.ts .kiro/hooks/a .github/hooks/a.json deep/.factory/hooks.json .aider.conf.yml; do
		allowed read "$name" || return 1
		denied --write . create "$name" || return 1
		said 'it is protected: ' || return 1
	done
	allowed write .git/hooks/pre-commit.sample
	allowed --write .envrc create .envrc
	denied --write .envrc create deep/.envrc
}

@test "paths that git writes are vetted, not denied" {
	allowed write .git/config
	said 'vetted'
	allowed create .git/refs/heads/x
	expect 0 why --json write .git/config
	json 'd["vetted"] is True'
}

@test "policy files and the trust store are never writable from inside" {
	denied --write "$HOME" write "$XDG_CONFIG_HOME/cordon/config.json"
	denied --write "$HOME" create "$XDG_STATE_HOME/cordon/trust/x.json"
	denied --read "$HOME" read "$XDG_STATE_HOME/cordon/trust/x.json"
	policy mine.json <<<'{"files": {"write": ["$PROJECT"]}}'
	denied -p mine.json write mine.json
}

@test "extends [] starts from nothing" {
	policy none.json <<<'{"extends": []}'
	denied -p none.json read /usr/bin
	denied -p none.json read x
	policy some.json <<<'{}'
	allowed -p some.json read /usr/bin
}

# --- paths ---

@test "a path is resolved first: links, .., slashes, what does not exist" {
	mkdir -p real inner
	ln -s "$P/real" inner/link
	ln -s /srv inner/out
	expect 1 why --json read inner/out/x
	json 'd["path"] == "/srv/x"'
	expect 0 why --json read inner/link/../y
	json "d['path'] == '$P/y'"
	expect 0 why --json read ./inner//link/z/
	json "d['path'] == '$P/real/z' and d['exists'] is False"
	expect 0 why --json read inner
	json "d['exists'] is True"
	denied read ../x
}

@test "a grant through a link covers where it leads" {
	mkdir -p "$T/data"
	ln -s "$T/data" "$T/name"
	allowed --read "$T/name" read "$T/data/x"
	allowed --read "$T/name" read "$T/name/x"
	denied --read "$T/name" read "$T/other"
}

@test "tokens in the path" {
	denied read '~/x'
	said "$HOME/x"
	allowed read '$PROJECT/x'
	said "$P/x"
	refused why read '$NOSUCH/x'
}

@test "a newline in a path is shown, not printed" {
	expect 1 why read $'/srv/a\nb\033[31m'
	[ "$(wc -l <"$T/out")" -eq "$(grep -c . "$T/out")" ]
	said '\x0a' '\x1b'
	unsaid "$escape"
	expect 1 why --json read $'/srv/a\nb"c'
	json 'd["path"] == "/srv/a\nb\"c"'
}

@test "40 links are followed, a loop is an error" {
	local n

	mkdir end
	ln -s end l0
	for ((n = 1; n < 40; n++)); do
		ln -s "l$((n - 1))" "l$n"
	done
	allowed read l39/x
	said "$P/end/x"
	ln -s loop loop
	refused why read loop/x
	heard "$P/loop"
}

# --- network, sockets, environment ---

@test "domains, ports and addresses" {
	policy net.json <<<'{"network": {"domains": ["api.example.com", "*.example.org"]}}'
	allowed -p net.json connect api.example.com:443
	said 'net.json:1:'
	allowed -p net.json connect API.Example.com:80
	allowed -p net.json connect a.b.example.org:443
	denied -p net.json connect example.org:443
	denied -p net.json connect evil-api.example.com:443
	denied -p net.json connect api.example.com.evil.net:443
	denied -p net.json connect api.example.com:22
	said '--port 22'
	denied -p net.json connect 93.184.216.34:443
	denied -p net.json connect localhost:443
	allowed -p net.json -p git connect api.example.com:22
	said 'for TLS, HTTP and SSH'
	allowed -p net.json connect api.example.com:443
	said 'for TLS and HTTP'
	allowed -p net.json --opaque-port 5432 connect api.example.com:5432
	said 'for any protocol'
	denied --opaque-port 5432 connect api.example.com:5432
	# the key opens no port by itself
	denied -p net.json --policy-json '{"network": {"opaque": [5432]}}' connect api.example.com:5432
}

@test "network modes" {
	denied --net none connect example.org:443
	allowed --net localhost connect localhost:5432
	allowed --net localhost connect '[::1]:5432'
	# to connect(2) no address is this machine, in each of its forms
	for host in 0.0.0.0 '[::]' '[::ffff:0.0.0.0]' '[::ffff:127.0.0.1]' 0 127.1; do
		allowed --net localhost connect "$host:5432"
		denied --net localhost:5432 connect "$host:5433"
		said '--net localhost:5432,5433'
		denied --net domains --domain a.test connect "$host:5432"
	done
	denied --net localhost connect 0.0.0.1:5432
	denied --net localhost connect '[::127.0.0.1]:5432'
	denied --net localhost connect example.org:443
	allowed --net localhost:5432 connect 127.0.0.1:5432
	denied --net localhost:5432 connect 127.0.0.1:5433
	allowed --net all connect example.org:12345
}

@test "bad targets" {
	refused why connect example.org
	refused why connect example.org:0
	refused why connect example.org:65536
	refused why connect :443
	refused why frob /x
	heard '"frob"'
	refused why '' /x
	refused why rr /x
	refused why read ''
}

@test "sockets" {
	denied socket /run/demo.sock
	allowed --socket /run/demo.sock socket /run/demo.sock
	SSH_AUTH_SOCK=/run/agent.1 allowed --socket ssh-agent socket /run/agent.1
	SSH_AUTH_SOCK=/run/agent.1 denied --socket ssh-agent socket /run/agent.2
	allowed socket own.sock
}

@test "environment: loader and interpreter variables only by their own name" {
	local name

	for name in LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV NODE_OPTIONS \
	    PYTHONSTARTUP GIT_SSH_COMMAND; do
		denied env "$name" || return 1
		denied --policy-json '{"env": {"mode": "inherit"}}' env "$name" || return 1
		allowed --env "$name" env "$name" || return 1
	done
	denied --policy-json '{"env": {"allow": ["LD_*"]}}' env LD_PRELOAD
	allowed --policy-json '{"env": {"allow": ["MY_*"]}}' env MY_VARIABLE
	denied --policy-json '{"env": {"mode": "explicit", "allow": ["A"]}}' env USER
	allowed --policy-json '{"env": {"set": {"CI": "1"}}}' env CI
}

# --- the answer as data ---

@test "--json: one object, allowed or denied, of any kind" {
	expect 0 why --json read /usr/share
	json 'd["allowed"] is True and d["asked"] == "r" and d["rule"]["layer"] == "profile"'
	json 'd["remedy"] is None and d["protection"] is None'
	expect 1 why --json wx .envrc
	json 'd["allowed"] is False and d["protection"] is not None'
	expect 1 why --json read /srv
	json 'd["rule"] is None and d["remedy"] == "--read /srv" and d["rights"] == ""'
	expect 1 why --json connect example.org:443
	json 'd["allowed"] is False and d["remedy"] == "--domain example.org"'
	expect 1 why --json socket /run/x.sock
	json 'd["allowed"] is False'
	expect 0 why --json env PATH
	json 'd["allowed"] is True and d["reason"]'
	expect 1 why --json read '/srv/"quoted"\back'
	json 'd["path"] == "/srv/\"quoted\"\\back"'
}

@test "--policy-json is named as the source" {
	allowed --policy-json '{"files": {"read": ["/srv"]}}' read /srv/x
	said '--policy-json:1:21'
}

@test "-C chooses the project" {
	mkdir -p "$T/other"
	denied write "$T/other/x"
	allowed -C "$T/other" write "$T/other/x"
	denied -C "$T/other" write "$P/x"
}

# R11 differs: found upwards by `.git` or a policy; homes and `/` only where named, and that is reported
@test "the nearest folder with a marker is the project; a folder that all can write to is none" {
	mkdir -p deep/er
	cd deep/er
	allowed write "$P/x"
	mkdir "$P/deep/.git"
	denied write "$P/x"
	allowed write "$P/deep/x"
	# opened by a command that ran there, perhaps: nothing wider takes its place
	chmod 777 "$P/deep"
	denied write "$P/x"
	denied write "$P/deep/x"
	allowed write "$P/deep/er/x"
	rm -r "$P/deep/.git"
	allowed write "$P/x"
}

@test "a policy is not lost by opening its folder to everyone" {
	mkdir -p deep/er
	touch deep/er/.env
	echo '{"files": {"deny": ["**/.env"]}}' >.cordon.json
	cd deep/er
	denied read .env
	expect 0 run -- chmod 777 "$P"
	refused why read .env
	heard "$P/.cordon.json lies in a folder that is writable by everyone"
	refused run -- cat .env
	chmod 1777 "$P"
	refused run -- cat .env
	chmod 755 "$P"
	denied read .env
}

@test "a home, its parents and / are no project unless named" {
	cd "$HOME"
	refused why read x
	heard "$HOME" -C
	allowed -C "$HOME" write x
	cd "$T"
	refused why read x
	cd /
	refused why read x
	expect 0 why -q -C / write /srv/x
	cd "$HOME"
	mkdir .git
	refused why read x
	mkdir sub
	cd sub
	allowed write "$HOME/sub/x"
	denied write "$HOME/x"
}

# --- worktrees and submodules, with the real git ---

git_quiet()
{
	env GIT_CONFIG_NOSYSTEM=1 git -c init.defaultBranch=main -c user.name=t -c user.email=t@example.org \
	    -c protocol.file.allow=always "$@" >/dev/null 2>&1
}

make_worktree()
{
	mkdir "$T/repo"
	git_quiet -C "$T/repo" init
	git_quiet -C "$T/repo" commit --allow-empty -m one
	git_quiet -C "$T/repo" worktree add "$T/tree"
	[ -f "$T/tree/.git" ]
}

@test "a linked worktree: its git folder and the common one are granted" {
	make_worktree
	cd "$T/tree"
	allowed create "$T/repo/.git/worktrees/tree/index.lock"
	silent
	allowed create "$T/repo/.git/objects/ab/cd"
	allowed create "$T/repo/.git/refs/heads/x"
	denied create "$T/repo/.git/hooks/post-commit"
	denied write "$T/repo/file"
}

@test "a rewritten .git pointer grants nothing, and one line says so" {
	make_worktree
	mkdir "$T/victim"
	git_quiet -C "$T/victim" init
	cd "$T/tree"
	printf 'gitdir: %s/victim/.git\n' "$T" >.git
	denied create "$T/victim/.git/objects/x"
	one_notice .git 'is ignored'
	denied create "$T/repo/.git/objects/x"
	printf 'gitdir: %s\n' "$HOME" >.git
	denied create "$HOME/x"
	one_notice .git
}

@test "a pointer to another worktree of the same repository grants nothing" {
	make_worktree
	git_quiet -C "$T/repo" worktree add "$T/second"
	cd "$T/tree"
	cp "$T/second/.git" .git
	denied create "$T/repo/.git/worktrees/second/index.lock"
	one_notice .git
}

@test "a forged git folder inside the project does not lead out of it" {
	make_worktree
	cd "$T/tree"
	mkdir -p fake/objects fake/refs
	printf 'ref: refs/heads/main\n' >fake/HEAD
	printf '%s/.git\n' "$PWD" >fake/gitdir
	printf '%s\n' "$HOME" >fake/commondir
	printf 'gitdir: %s/fake\n' "$PWD" >.git
	denied create "$HOME/x"
}

@test "a submodule: its git folder is granted, a rewritten one is not" {
	make_worktree
	mkdir "$T/super"
	git_quiet -C "$T/super" init
	git_quiet -C "$T/super" submodule add "$T/repo" sub
	[ -f "$T/super/sub/.git" ]
	cd "$T/super/sub"
	allowed create "$T/super/.git/modules/sub/objects/x"
	silent
	denied create "$T/super/.git/objects/x"
	printf 'gitdir: ../.git\n' >.git
	denied create "$T/super/.git/objects/x"
	one_notice .git
}

@test "a shared tmp is granted, a private one grants nothing of the shared" {
	user_policy <<<'{"tmp": "shared"}'
	allowed write /tmp/cordon-nothing/x
	mkdir "$T/tmpdir"
	TMPDIR=$T/tmpdir allowed write "$T/tmpdir/x"
	denied write /var/tmp/x
	allowed env TERM
	policy <<<'{"tmp": "private"}'
	denied write /tmp/cordon-nothing/x
	rm "$XDG_CONFIG_HOME/cordon/config.json"
	denied write /tmp/cordon-nothing/x
	policy <<<'{"tmp": "shared"}'
	denied write /tmp/cordon-nothing/x
	expect 0 trust --yes
	allowed write /tmp/cordon-nothing/x
}

@test "every answer in JSON has the one shape of the schema" {
	local question

	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip 'python3-jsonschema is not installed'
	for question in 'read /etc' 'rwx .' 'write /x' 'delete .git/hooks/x' 'execute /bin/sh' 'connect a.example:443' 'connect localhost:1' \
	    'connect 10.0.0.1:53/udp' 'socket /run/x' 'socket docker' 'env HOME' 'env SECRET' "write $HOME/.npm"; do
		# shellcheck disable=SC2086 # two words
		"$CORDON" why --json $question >"$T/out" || [ $? -eq 1 ]
		/usr/bin/python3 - "$TREE/schema/cordon.why.schema.json" "$T/out" <<-'END' || complain "$question" || return 1
			import json, jsonschema, sys
			schema = json.load(open(sys.argv[1]))
			jsonschema.Draft7Validator.check_schema(schema)
			jsonschema.Draft7Validator(schema).validate(json.load(open(sys.argv[2])))
		END
	done
}
