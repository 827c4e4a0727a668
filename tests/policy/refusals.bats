#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Refusals are reported: as a line on --status-fd and in the log, and as text when a run failed.
# shellcheck disable=SC2016,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

begin()
{
	mkdir -p .git/hooks
}

# R128 differs: what the broker and the proxy refuse; on macOS from the system's log
@test "a failed run says what was refused, why, and the option that would allow it" {
	begin
	expect 9 run -- sh -c 'echo x >.git/hooks/pre-commit || exit 9'
	heard 'cordon: refused: create' 'pre-commit is protected: git runs it' "allow it with --write $P/.git/hooks/pre-commit"
	mkdir kept
	echo secret >kept/key
	expect 9 run --deny kept -- sh -c 'cat kept/key || exit 9'
	heard "cordon: refused: read $P/kept/key is denied by --deny; allow it with --read $P/kept/key"
	expect 0 run --deny kept --read "$P/kept/key" -- cat kept/key
	said secret
	# and the option does
	expect 0 run --write .git/hooks/pre-commit -- sh -c 'echo x >.git/hooks/pre-commit'
	[ -s .git/hooks/pre-commit ]
}

# Each of the three is another process: a build has hundreds that ask for the same.
@test "a refused write to /tmp names TMPDIR" {
	for folder in /tmp /var/tmp; do
		name=$folder/cordon-refused-$$
		touch "$name"
		rm "$name"
		expect 1 run -- touch "$name"
		heard "cordon: refused: create $name is not granted; TMPDIR names a folder that is"
	done
	[[ $err != *shared* ]] || complain 'it does not grant /var/tmp'
	name=/tmp/cordon-refused-$$
	expect 1 run -- touch "$name"
	heard 'in the shared one files of other programs are reachable; allow it with --tmp shared'
	expect 0 run --tmp shared -- touch "$name"
	rm "$name"
	expect 0 run -- sh -c 'touch "$TMPDIR/x"'
	# deeper folders belong to users, and may be homes
	expect 1 run -- touch /var/lib/x "$T/x"
	[[ $err != *TMPDIR* ]] || complain "$err"
}

@test "a repeated refusal is reported once, and without a profile where several apply" {
	[ ! -e "$HOME/.cache" ]
	expect 9 run -- sh -c 'for i in 1 2 3; do sh -c "mkdir ~/.cache"; done; exit 9'
	[ "$(grep -c 'refused: create' <<<"$err")" -eq 1 ]
	[[ $err != *'allow it with -p'* ]]
}

# What an option cannot lift is not advised: patterns, a project's own path, files that are trusted more.
@test "no option is named where none would allow it" {
	begin
	echo secret >.env
	mkdir src
	echo text >src/main.c
	expect 9 run --deny '**/.env' -- sh -c 'cat .env || exit 9'
	heard "cordon: refused: read $P/.env is denied by --deny"
	[[ $err != *'allow it with'* ]] || complain 'a pattern is not lifted by a path'
	policy <<<'{"files": {"deny": ["$PROJECT/.env"]}}'
	expect 9 run -- sh -c 'cat .env || exit 9'
	heard "cordon: refused: read $P/.env is denied by $P/.cordon.json:1"
	[[ $err != *'allow it with'* ]] || complain 'a project speaks last at its own path'
	rm .cordon.json
	user_policy <<<'{"files": {"deny": ["$PROJECT/src"]}}'
	expect 9 run -- sh -c 'cat src/main.c || exit 9'
	heard "cordon: refused: read $P/src/main.c is denied by $XDG_CONFIG_HOME/cordon/config.json:1"
	[[ $err != *'allow it with'* ]] || complain 'a file that is trusted more is final'
	denied read src/main.c
	unsaid 'to allow it'
	# each of these would have been in vain
	expect 9 run --read src/main.c -- sh -c 'cat src/main.c || exit 9'
}

@test "the profile for a tool's folder is named, and grants it" {
	begin
	expect 9 run -- sh -c 'mkdir ~/.npm || exit 9'
	heard "cordon: refused: create $HOME/.npm is not granted; allow it with -p node"
	expect 0 run -p node -- sh -c 'echo x >~/.npm/_cacache/x'
	# what no profile has, and what a profile has in use already, gets none
	expect 9 run -- sh -c 'mkdir ~/notes || exit 9'
	heard "cordon: refused: create $HOME/notes is not granted"
	expect 9 run -p node -- sh -c 'mkdir ~/.npm/other || exit 9'
	heard "cordon: refused: create $HOME/.npm/other is not granted"
	[[ $err != *'allow it with'* ]] || complain 'it is in use, and npx runs what lies in that folder'
	"$CORDON" run --status-fd 3 -- sh -c 'echo x >~/.npm/_logs/x' 3>"$T/status" 2>"$T/err" || true
	grep -q '"event": "refused".*"allow": "-p node"' "$T/status" || complain "$(cat "$T/status")"
}

@test "a program in a tool's folder: the profile that grants execution is named" {
	begin
	mkdir -p "$HOME/.cargo/bin"
	printf '#!/bin/sh\necho runs\n' >"$HOME/.cargo/bin/tool"
	chmod 755 "$HOME/.cargo/bin/tool"
	expect 126 run "$HOME/.cargo/bin/tool"
	one_notice "$HOME/.cargo/bin/tool: the policy does not let it be run; -p rust would"
	expect 0 run -p rust "$HOME/.cargo/bin/tool"
	said runs
	denied execute "$HOME/.cargo/bin/tool"
	said "to allow it: --execute $HOME/.cargo/bin/tool" 'or with a profile: -p rust'
	expect 1 why --json execute "$HOME/.cargo/bin/tool"
	json 'd["profile"] == "rust" and d["remedy"].startswith("--execute /")'
}

@test "a refusal for git's files is a sentence, and its option works" {
	git init -q .
	expect 4 run -- sh -c 'git config core.editor other || exit 4'
	heard "cordon: refused: change $P/.git/config: core.editor is not known to be harmless; allow it with --write $P/.git/config"
	expect 0 run --write "$P/.git/config" -- git config core.editor other
}

# What is told is pasted, by people and by programs.
@test "a name that the command chose cannot inject options into the advice" {
	begin
	name="a b;\$(touch taken)'\`touch taken\`"
	expect 9 run -- sh -c 'echo x >".git/hooks/$1" || exit 9' sh "$name"
	advice=$(sed -n 's/.*allow it with //p' "$T/err")
	eval "set -- $advice"
	[ $# -eq 2 ] && [ "$1" = --write ] && [ "$2" = "$P/.git/hooks/$name" ] && [ ! -e taken ]
	expect 0 run "$@" -- sh -c 'echo x >".git/hooks/$1"' sh "$name"
	expect 1 why write "$P/.git/hooks/$name'"
	eval "set -- $(sed -n 's/.*to allow it: //p' "$T/out")"
	[ $# -eq 2 ] && [ "$2" = "$P/.git/hooks/$name'" ] && [ ! -e taken ]
}

@test "a name that the command chose is no pattern in the advice" {
	begin
	touch '.git/hooks/*' .git/hooks/other
	expect 9 run -- sh -c 'echo x >".git/hooks/*" || exit 9'
	eval "set -- $(sed -n 's/.*allow it with //p' "$T/err")"
	[ $# -eq 2 ] && [ "$1" = --write ]
	expect 0 run "$@" -- sh -c 'echo x >".git/hooks/*"'
	expect 9 run "$@" -- sh -c 'echo x >.git/hooks/other || exit 9'
}

@test "at most three refusals, each once; one line when the run succeeded, none with -q" {
	begin
	mkdir kept
	tries='for i in 1 2 3 4 5; do echo x >kept/$i; echo x >kept/1; done 2>/dev/null; exit'
	expect 7 run --protect kept -- sh -c "echo x >kept/1; echo x >kept/2; echo x >kept/1; exit 7"
	[ "$(grep -c '^cordon: refused' "$T/err")" -eq 2 ] || complain "$(cat "$T/err")"
	[ "$(grep -c 'kept/1 ' "$T/err")" -eq 1 ]
	# a deny is lifted path by path, so the folder is not suggested
	expect 7 run --protect kept -- sh -c "$tries 7"
	[ "$err" = "cordon: refused: create 5 names below $P/kept is denied by --protect" ] || complain "$(cat "$T/err")"
	expect 0 run --protect kept -- sh -c "$tries 0"
	[ "$err" = 'cordon: 5 refused; cordon why --last' ] || complain "$(cat "$T/err")"
	expect 7 run -q --protect kept -- sh -c "$tries 7"
	[ ! -s "$T/err" ] || complain "$(cat "$T/err")"
}

# R130-R131 differs: no second run: events while it runs; on macOS by the session's tag
@test "each refusal is a JSON line on the status descriptor and in the log" {
	begin
	mkdir kept
	"$CORDON" run --status-fd 3 --protect kept -- sh -c 'rm -r kept; mv kept gone; ln -s x kept/l; chmod 700 kept; :' \
	    3>"$T/status" 2>"$T/err"
	python3 - "$T/status" <<'PY'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
refused = [line for line in lines if line["event"] == "refused"]
assert [line["event"] for line in lines][0] == "start" and lines[-1]["event"] == "end", lines
assert {line["what"] for line in refused} >= {"delete", "create", "write"}, refused
assert all(line["allow"].startswith("--write /") and line["reason"] for line in refused), refused
PY
	grep -rq '"event": "refused"' "$XDG_STATE_HOME/cordon/audit" || complain "$(ls -R "$XDG_STATE_HOME")"
}

@test "a refusal does not wait for its reader" {
	begin
	mkdir kept
	# the descriptor is not read, and there are more messages than fit into the pipe
	mkfifo "$T/full"
	exec 4<>"$T/full"
	"$CORDON" run -q --status-fd 4 --protect kept -- \
	    sh -c 'i=0; while [ $i -lt 600 ]; do echo x >kept/$i; i=$((i + 1)); done 2>/dev/null; echo x >ended' 3>&- &
	launcher=$!
	until_true 60 test -s ended
	cat <&4 >"$T/status" 3>&- &
	reader=$!
	wait "$launcher"
	until_true 60 grep -q '"event": "end"' "$T/status"
	kill "$reader"
	grep -q '"event": "refused"' "$T/status"
}

@test "a hard link that would give more rights is reported as such" {
	echo x >"$HOME/.bashrc"
	expect 1 run --read "$HOME/.bashrc" -- ln "$HOME/.bashrc" zz
	heard "refused: link $HOME/.bashrc: the second name would give it other rights"
	! grep -q 'sandbox inside' "$T/err" || complain 'no sandbox is inside' || return 1
	expect 1 run -- ln "$HOME/.bashrc" zz
	! grep -q 'sandbox inside' "$T/err" || complain 'no sandbox is inside' || return 1
	[ ! -e zz ]
}

@test "the history that a pager wants to keep is refused, logged and not counted" {
	expect 0 run -- sh -c 'touch ~/.lesshst || true'
	[ "$err" = "touch: cannot touch '$HOME/.lesshst': Permission denied" ] || complain 'it was counted'
	[ ! -e "$HOME/.lesshst" ]
	expect 1 why --last
	said "create $HOME/.lesshst is not granted"
	# with others it is not, and in a failure it is named
	expect 0 run -- sh -c 'touch ~/.lesshst ~/other 2>/dev/null || true'
	only_counted 1
	expect 1 run -- touch "$HOME/.lesshst"
	heard "create $HOME/.lesshst is not granted"
}

@test "where the broker sends signals, one to a process outside is reported, once for each program" {
	older=$(dirname "$CORDON")/tests/attack/older.so
	[ -f "$older" ] || skip 'no build with the tests'
	exec 4> >(exec sleep 60 3>&-)
	outside=$!
	other=$(sh -c 'echo $$')
	OLDER_ABI=5 LD_PRELOAD=$older expect 3 run --status-fd 5 -- sh -c \
	    'kill -0 "$0"; kill "$0"; kill "$0"; kill "$1"; sleep 60 & kill $!; exit 3' "$outside" "$other" 5>"$T/status"
	exec 4>&-
	kill "$outside"
	heard 'cordon: refused: signal for sh: signals reach only processes of this session'
	[ "$(grep -c '"what": "signal"' "$T/status")" -eq 1 ] || complain "$(cat "$T/status")"
	# signal 0 only asks, and a process that is gone is no refusal
	OLDER_ABI=5 LD_PRELOAD=$older expect 3 run -- sh -c 'kill -0 "$1"; kill -9 "$0"; exit 3' "$other" "$$"
	! grep -q 'refused' "$T/err" || complain refused
}
