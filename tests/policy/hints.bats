#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Output after a tool was refused something: the profile or option that helps, tested to help, and
# those never suggested. Each tool that may be missing has its own test, which is skipped then.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# advice: what the last refusal says.
advice()
{
	sed -n 's/.*allow it with //p' "$T/err" | tail -n 1
}

# never COMMAND...: refused, and without advice.
never()
{
	status=0
	timeout 60 "$CORDON" run -- "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -ne 0 ] || complain "not refused: $*" || return 1
	[[ $err != *'allow it with'* ]] || complain "advised for: $*"
}

# helps COMMAND...: refused, and what is advised allows it as it stands.
helps()
{
	status=0
	timeout 60 "$CORDON" run -- "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -ne 0 ] || complain "not refused: $*" || return 1
	eval "set -- $(advice) -- \"\$@\""
	[ "$1" != -- ] || complain 'nothing is advised' || return 1
	expect 0 run "$@"
}

@test "devices, homes, secrets, start-up files and programs are never advised" {
	mkdir -p "$HOME/.ssh" "$HOME/.local/bin" "$HOME/.npm" "$HOME/.config"
	touch "$HOME/.bashrc" "$HOME/.bash_history"
	PATH=$PATH:$HOME/.local/bin
	for path in /dev/console /dev/tty0 /dev/mem "$HOME/notes" "$HOME/.bashrc" "$HOME/.ssh/authorized_keys" \
	    "$HOME/.local/bin/tool" "$HOME/.npm/file" "$HOME/.config/file" "$HOME/.bash_history" /usr/bin/tool /etc/passwd /x; do
		never sh -c 'echo x >>"$0"' "$path" || return 1
	done
	for path in "$HOME/.ssh/x" "$HOME/.local/bin/x" "$HOME/.config" "$HOME/.cache" /opt/x "$HOME/.local"; do
		never mkdir "$path" || return 1
	done
	never rm -rf "$HOME"
	# programs of a tool, which a profile lets the command execute
	mkdir -p "$HOME/.local/share/pnpm"
	expect 1 run -p node -- touch "$HOME/.local/share/pnpm/_tmp_1"
	[ -z "$(advice)" ]
	# nor for a user who names it
	for path in / /home /home/other "$HOME" /dev/console /dev/tty0; do
		denied write "$path"
		unsaid 'to allow it'
	done
	denied write "$HOME/.local/bin/tool"
	unsaid 'to allow it'
}

@test "for a path of no profile the folder is advised, also a missing one" {
	mkdir -p "$HOME/data"
	helps touch "$HOME/data/x"
	[ "$(advice)" = '' ] && [ -e "$HOME/data/x" ]
	helps sh -c 'mkdir -p ~/.tool && echo x >~/.tool/x'
	[ -s "$HOME/.tool/x" ]
	# a name that is another the next time
	mkdir -p "$HOME/.other/tmp"
	expect 1 run -- mkdir "$HOME/.other/tmp/run-1234"
	[ "$(advice)" = "--write $HOME/.other/tmp" ]
	helps mkdir "$HOME/.other/tmp/run-1234"
}

@test "a file in a tool's cache: the profile, not the file" {
	mkdir -p "$HOME/.cache/go-build/76"
	echo x >"$HOME/.cache/go-build/76/76bf-d"
	helps sh -c 'echo x >~/.cache/go-build/76/76bf-d'
	expect 2 run -- sh -c 'echo x >~/.cache/go-build/76/76bf-d'
	[ "$(advice)" = '-p go' ]
	expect 1 run -- mkdir -p "$HOME/.cache/pypoetry/cache"
	[[ $err != *network* ]] || complain
	mkdir -p "$HOME/.cache"
	expect 1 run -- mkdir "$HOME/.cache/pypoetry"
	[ "$(advice)" = '-p python' ]
	mkdir -p "$HOME/.local/share"
	expect 1 run -- mkdir "$HOME/.local/share/pnpm"
	[ "$(advice)" = '-p node' ]
}

@test "a folder of many tools that is missing: the profile that the project's files suggest" {
	expect 1 run -- mkdir "$HOME/.cache"
	[ -z "$(advice)" ]
	expect 1 run -- mkdir "$HOME/.local"
	[ -z "$(advice)" ]
	touch pyproject.toml
	helps mkdir -p "$HOME/.cache/pypoetry/cache/x"
	expect 1 run -- mkdir "$HOME/.local"
	[ -z "$(advice)" ]
	rm -rf "$HOME/.cache" pyproject.toml
	touch go.mod
	expect 1 run -- mkdir "$HOME/.cache"
	[ "$(advice)" = '-p go' ]
	# two of them
	touch package.json
	expect 1 run -- mkdir "$HOME/.cache"
	[ -z "$(advice)" ]
}

# A program of the project's own, so that nothing is fetched.
@test "npx: its cache holds programs that run outside; in the project it works" {
	mkdir -p tool
	echo '{"name": "shout", "version": "1.0.0", "bin": "shout.js"}' >tool/package.json
	printf '#!/usr/bin/env node\nconsole.log("LOUD");\n' >tool/shout.js
	chmod 755 tool/shout.js
	export npm_config_offline=true npm_config_update_notifier=false
	npx --yes --offline ./tool >"$T/bare" 2>&1 </dev/null || complain "$(cat "$T/bare")"
	grep -q LOUD "$T/bare"
	rm -rf "$HOME/.npm"
	status=0
	timeout 100 "$CORDON" run -p node -- npx --yes --offline ./tool >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -ne 0 ] || complain 'it planted a program'
	heard "$HOME/.npm/_npx is not granted: npx runs what lies there, also outside the sandbox"
	[ "$(advice)" = '--env npm_config_cache=node_modules/.npm' ]
	expect 0 run -p node --env npm_config_cache=node_modules/.npm -- npx --yes --offline ./tool
	said LOUD
	[ ! -e "$HOME/.npm/_npx" ]
}

# redis-server --daemonize and nginx do that: the caller ends with 0.
@test "a background server that got no socket is reported, though the command succeeded" {
	cat >server.py <<-'END'
		import os, socket, sys
		if os.fork():
		    sys.exit(0)
		os.setsid()
		try:
		    socket.create_server(("127.0.0.1", 0))
		except PermissionError:
		    pass
		open("tried", "w").close()
	END
	expect 0 run -- sh -c '"$0" server.py; while [ ! -e tried ]; do sleep 0.1; done' "$PYTHON"
	heard 'cordon: refused: network for python3' '--net localhost'
	rm tried
	expect 0 run --net localhost -- sh -c '"$0" server.py; while [ ! -e tried ]; do sleep 0.1; done' "$PYTHON"
	silent
	# in the foreground its own status tells
	expect 0 run -- "$PYTHON" -c 'import socket
try: socket.create_server(("127.0.0.1", 0))
except PermissionError: pass'
	[ "$err" = 'cordon: 1 refused; cordon why --last' ] || complain 'its own status tells'
}

@test "screen has its sockets in the private tmp" {
	[ "$(id -u)" -ne 0 ] || skip 'as root screen gives its terminal away, which is refused'
	script -qec "\"$CORDON\" run -- screen -DmS x sh -c 'echo inside >made'" /dev/null </dev/null >"$T/out" 2>&1
	[ "$(cat made)" = inside ] || complain "$(cat "$T/out")"
}

@test "commits are signed by ssh's agent with -p ssh" {
	mkdir -m 700 "$HOME/.ssh"
	ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/id_ed25519" </dev/null
	eval "$(ssh-agent -a "$T/agent" 3>&-)" >/dev/null
	ssh-add -q "$HOME/.ssh/id_ed25519"
	rm -rf .git
	git init -q .
	git config --global user.name a
	git config --global user.email a@b.test
	git config --global gpg.format ssh
	git config --global user.signingkey "$HOME/.ssh/id_ed25519.pub"
	status=0
	timeout 60 "$CORDON" run -p ssh -- git commit -q --allow-empty -S -m signed >"$T/out" 2>&1 </dev/null || status=$?
	kill "$SSH_AGENT_PID"
	[ "$status" -eq 0 ] || complain "$(cat "$T/out")"
	git cat-file commit HEAD | grep -q 'BEGIN SSH SIGNATURE'
}

@test "commits are signed with gpg outside, and the refusal says so" {
	# the lock that gpg makes
	mkdir -m 700 "$HOME/.gnupg"
	expect 1 run -- touch "$HOME/.gnupg/.#lk0x1"
	heard "is not granted: it holds keys; sign outside, or by ssh's agent with -p ssh"
	[ -z "$(advice)" ]
}

@test "fish: universal variables stay outside, and the refusal says why" {
	mkdir -p "$XDG_CONFIG_HOME/fish" "$HOME/.local/share/fish"
	expect 3 run -- fish -c 'set -U kept yes; echo $kept; exit 3'
	said yes
	heard 'fish runs what lies there, also outside the sandbox'
	[ -z "$(advice)" ]
}

@test "Go: after a bare build -p go is advised, and builds" {
	command -v go >/dev/null || skip 'no go'
	rm -rf .git
	printf 'module x\n\ngo 1.19\n' >go.mod
	printf 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("built") }\n' >main.go
	go build -o bare . 3>&-
	expect 1 run -- go build -o confined .
	[ "$(advice)" = '-p go' ]
	expect 0 run -p go -- go build -o confined .
	[ "$(./confined)" = built ]
}

@test "poetry: -p python, and an environment in the project" {
	command -v poetry >/dev/null || skip 'no poetry'
	poetry init -q -n 3>&-
	mkdir -p "$HOME/.cache"
	expect 1 run -- poetry install
	[ "$(advice)" = '-p python' ] || complain "$(advice)"
	expect 1 run -p python -- poetry install
	[ "$(advice)" = '--env POETRY_VIRTUALENVS_IN_PROJECT=true' ] || complain "$(advice)"
	expect 0 run -p python --env POETRY_VIRTUALENVS_IN_PROJECT=true -- poetry run python -c 'print("ran")'
	said ran
}

@test "ansible: the advised folder is enough" {
	command -v ansible >/dev/null || skip 'no ansible'
	# else it asks for the home of the user's entry
	export ANSIBLE_REMOTE_TMP=$HOME/.ansible/tmp
	expect 5 run -- ansible localhost -c local -m command -a 'echo done'
	[ "$(advice)" = '--write ~/.ansible/tmp/' ] || complain "$(advice)"
	expect 0 run --write "$HOME/.ansible/tmp/" --env ANSIBLE_REMOTE_TMP -- ansible localhost -c local -m command -a 'echo done'
	said 'done'
}

@test "IPython and Jupyter: their folders hold programs; in the project they work" {
	mkdir -p "$HOME/.local/share"
	for folder in .ipython .local/share/jupyter; do
		expect 1 run -p python -- mkdir "$HOME/$folder"
		heard 'runs what lies there, also outside the sandbox'
	done
	[ "$(advice)" = '--env JUPYTER_DATA_DIR=.jupyter' ]
	"$PYTHON" -c 'import IPython' || skip 'no IPython'
	status=0
	timeout 100 "$CORDON" run -- "$PYTHON" -m IPython -c 'raise SystemExit(5)' >"$T/out" 2>"$T/err" </dev/null || status=$?
	[ "$(advice)" = '--env IPYTHONDIR="$PWD/.ipython"' ] || complain "$(advice)"
	expect 0 run --env IPYTHONDIR="$PWD/.ipython" -- "$PYTHON" -m IPython -c 'print(6 * 7)'
	said 42
	[ -d .ipython/profile_default ] && [ ! -e "$HOME/.ipython" ]
}

@test "a link from the project into the private tmp: --tmp shared" {
	expect 1 run -- sh -c 'mkdir "$TMPDIR/made" && ln -s "$TMPDIR/made" link'
	heard 'a link into the private tmp, which ends with the run'
	[ "$(advice)" = '--tmp shared' ]
	expect 0 run --tmp shared -- sh -c 'made=$(mktemp -d) && ln -s "$made" link && rmdir "$made"'
}

@test "SCons and PHP use /tmp itself: --tmp shared" {
	command -v scons >/dev/null && command -v php >/dev/null || skip 'no SCons or PHP'
	echo 'int main(void) { return 0; }' >x.c
	echo 'Program("x.c")' >SConstruct
	expect 2 run -- scons
	[ "$(advice)" = '--tmp shared' ]
	expect 0 run --tmp shared -- scons
	./x
	expect 254 run --net localhost -- timeout 20 php -S 127.0.0.1:0
	[ "$(advice)" = '--tmp shared' ]
	expect 124 run --tmp shared --net localhost -- timeout 2 php -S 127.0.0.1:0
}

# never_read PATH: with reads supervised, reading it is refused, and no option is advised.
never_read()
{
	status=0
	timeout 60 "$CORDON" run --deny '**/supervised*' -- sh -c 'cat "$0" || ls "$0"; exit 1' "$1" >"$T/out" 2>"$T/err" </dev/null || status=$?
	err=$(cat "$T/err")
	[ "$status" -eq 1 ] || complain "$1" || return 1
	case $err in
	*'allow it with --'* | *'in a policy'*) complain "advised: $1" || return 1 ;;
	esac
}

@test "reads of everything, of logs, of tokens and of folders of many programs are never advised" {
	mkdir -p "$HOME/.config" "$HOME/.ssh" "$HOME/.codex" "$HOME/data"
	touch "$HOME/.ssh/id_ed25519" "$HOME/.claude.json" "$HOME/.codex/auth.json" "$HOME/data/x"
	for path in / /home /srv /mnt /var /var/lib /var/log /var/log/btmp "$HOME" "$HOME/.config" "$HOME/.ssh" "$HOME/.ssh/id_ed25519" \
	    "$HOME/.claude.json" "$HOME/.codex/auth.json"; do
		[ ! -e "$path" ] || never_read "$path" || return 1
	done
	# the check works
	expect 1 run --deny '**/supervised*' -- sh -c 'cat ~/data/x || exit 1'
	heard "allow it with --read $HOME/data/x"
	# a user who names it is warned
	denied read /var/log/btmp
	said 'more than a command should get: think twice'
	denied read "$HOME/.ssh/id_ed25519"
	said 'it looks like a secret: think twice'
}
