#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What sessions did and were refused is shown: cordon log, cordon why --last, and the lines after a command. A
# command cannot forge any of it.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

# lines NUMBER: standard error has so many lines of cordon.
lines()
{
	[ "$(grep -c '^cordon: ' "$T/err")" -eq "$1" ] || complain "expected $1 lines of cordon"
}

# --- log ---

@test "log: events of sessions, by session, time, project, refusals only, as text and JSON" {
	expect 0 log
	heard 'the log has no such event'
	expect 0 run -q -- true
	mkdir -p "$T/other/.git"
	expect 3 run -q -C "$T/other" -- sh -c 'echo x >"$HOME/x"; exit 3'
	expect 0 log
	said "start    true  in $P" 'exit status 0' "start    sh -c " "  in $T/other" "refused  create $HOME/x: is not granted" 'exit status 3' '1 refused'
	[ "$(wc -l <"$T/out")" -eq 5 ]
	expect 0 log --json
	cmp "$T/out" "$XDG_STATE_HOME"/cordon/audit/shell-*.log
	expect 0 log --last
	[ "$(wc -l <"$T/out")" -eq 3 ]
	id=$(awk '{print $3; exit}' "$T/out")
	expect 0 log --session "${id:0:7}" --refused
	[ "$(wc -l <"$T/out")" -eq 1 ]
	said "$id  refused"
	expect 0 log --project "$P"
	[ "$(wc -l <"$T/out")" -eq 2 ]
	expect 0 log --project "$T"
	[ "$(wc -l <"$T/out")" -eq 5 ]
	for since in 1h today "$(date -d '1 minute ago' '+%Y-%m-%d %H:%M')" "$(date -u -d '1 minute ago' '+%Y-%m-%dT%H:%M:%SZ')"; do
		expect 0 log --since "$since"
		[ "$(wc -l <"$T/out")" -eq 5 ] || complain "$since" || return 1
		expect 0 log --until "$since"
		[ ! -s "$T/out" ] || complain "until $since" || return 1
	done
	expect 0 log --since "$(date -d '1 hour' '+%Y-%m-%dT%H:%M:%S')"
	[ ! -s "$T/out" ]
}

@test "log: a wrong time, id or folder is refused by name" {
	refused log --since 5x
	heard '--since: "5x" is not a time such as'
	refused log --session zz
	heard '"zz" is not a session id'
	refused log --project ./absent
	refused log --last --session aa
	refused log --since ''
}

@test "log --follow: what happens from now on, also behind midnight and rotation" {
	expect 0 run -q -- true old
	"$CORDON" log --follow --refused >"$T/followed" &
	started=$!
	sleep 0.5
	expect 1 run -q -- touch "$HOME/one"
	until_true 10 grep -q "$HOME/one" "$T/followed"
	file=$(echo "$XDG_STATE_HOME"/cordon/audit/shell-*.log)
	mv "$file" "${file%.log}.1.log"
	expect 1 run -q -- touch "$HOME/two"
	until_true 10 grep -q "$HOME/two" "$T/followed"
	end_started
	[ "$(wc -l <"$T/followed")" -eq 2 ] || complain "$(cat "$T/followed")"
}

@test "log: files of mode 0600, out of reach of every sandbox" {
	expect 0 run -- true
	log=$(echo "$XDG_STATE_HOME"/cordon/audit/shell-*.log)
	[ "$(stat -c %a "$log")" = 600 ] && [ "$(stat -c %a "${log%/*}")" = 700 ]
	cp "$log" "$T/before"
	# shellcheck disable=SC2086,SC2089,SC2090 # options are words, and JSON without blanks
	for options in "--write $HOME" "--write $XDG_STATE_HOME --write $log" '--policy-json {"extends":["open-reads"]}'; do
		only_free 'cat "$XDG_STATE_HOME"/cordon/audit/*' $options --env XDG_STATE_HOME
		expect 1 run $options --env XDG_STATE_HOME -- sh -c 'rm -f "$1" || mv "$1" "$1.x" || echo x >>"$1" || ln "$1" x || : >"$1.new"' sh "$log" 2>/dev/null ||
		    [ "$status" -eq 2 ] || return 1
	done
	head -c "$(stat -c %s "$T/before")" "$log" | cmp - "$T/before"
	[ "$(ls "${log%/*}")" = "${log##*/}" ]
}

@test "log: a full disk that cut a line is said, and the rest is shown" {
	expect 0 run -- true
	printf '{"v": 1, "time": "2026-\n' >>"$(echo "$XDG_STATE_HOME"/cordon/audit/shell-*.log)"
	expect 0 run -- true
	expect 0 log
	[ "$(wc -l <"$T/out")" -eq 4 ]
	heard '1 line of the log is not an event'
}

# --- why ---

@test "why --last, why --session: what was refused, and what to type" {
	expect 125 why --last
	heard 'the log has no session'
	mkdir -p .git/hooks
	expect 3 run -q -- sh -c 'touch "$HOME/.npm"; echo x >.git/hooks/pre-commit; exit 3'
	expect 1 why --last
	said "start    sh -c " 'exit status 3' "refused: create $HOME/.npm is not granted; allow it with -p node" \
	    '  in a policy: "extends": ["agent", "node"]' "refused: create $P/.git/hooks/pre-commit is protected: git runs it"
	id=$(awk 'NR == 1 {print $3}' "$T/out")
	expect 0 run -q -- true
	expect 0 why --last
	said 'cordon refused nothing that would have succeeded without it'
	expect 1 why --session "${id:0:8}" --json
	"$PYTHON" - "$T/out" "$id" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		assert d["session"] == sys.argv[2] and d["refused"] == 2 and d["more"] == 0, d
		assert [x["allow"] for x in d["hints"]][0] == "-p node", d
	END
	refused why --session 0000000000000000
	heard 'the log has no session 0000000000000000'
	refused why --last read /
	refused why
}

# --- after the command ---

# R30 absent: the refusal prints the line of a policy that would allow it; files are edited by hand
@test "fifty refusals below one folder are one line, with the folder's option and policy" {
	mkdir -p "$HOME/data/out/a" "$HOME/data/out/b"
	expect 3 run -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do for d in . a b; do echo x >"$1/$d/f$i"; mkdir "$1/$d/d$i"; done; done 2>/dev/null; exit 3' \
	    sh "$HOME/data/out"
	lines 2
	heard "cordon: refused: create 60 names below $HOME/data/out is not granted; allow all with --write $HOME/data/out" \
	    "cordon: in a policy: \"files\": {\"write\": [\"$HOME/data/out\"]}"
	[ "$(wc -l <"$T/err")" -eq 2 ]
	expect 0 run --write "$HOME/data/out" -- sh -c 'for d in . a b; do mkdir "$1/$d/d1"; done' sh "$HOME/data/out"
	expect 3 run --policy-json "{\"extends\": [\"agent\"], \"files\": {\"write\": [\"$HOME/data/out\"]}}" -- sh -c 'mkdir "$1/d2"; exit 3' sh "$HOME/data/out"
	lines 0
}

@test "at most six lines, and the network among them" {
	# in folders that every user may change: what would fail without cordon as well does not count
	mkdir kept lasting
	expect 3 run --protect kept --protect lasting -- sh -c \
	    'mkdir /var/tmp/x.$$ kept/x lasting/x "$HOME/x" .vscode; bash -c ": >/dev/tcp/127.0.0.1/80"; exit 3'
	heard 'cordon: refused: network for bash' 'more: cordon why --last'
	[ "$(grep -c '^cordon: ' "$T/err")" -le 6 ] || complain 'too many lines'
}

@test "nothing refused: silent. refused and succeeded: one line. -q: silent" {
	expect 3 run -- sh -c 'exit 3'
	[ ! -s "$T/err" ]
	expect 0 run -- sh -c 'touch "$HOME/x" 2>/dev/null; true'
	[ "$err" = 'cordon: 1 refused; cordon why --last' ] || complain words
	expect 0 run -q -- sh -c 'touch "$HOME/x" 2>/dev/null; true'
	[ ! -s "$T/err" ]
	expect 3 run -q -- sh -c 'touch "$HOME/x" 2>/dev/null; exit 3'
	[ ! -s "$T/err" ]
}

# R134-R135 differs: events of the broker instead, so nothing is guessed
@test "what is missing, or forbidden by its mode, is not blamed on cordon" {
	mkdir kept
	echo x >kept/closed
	chmod 000 kept/closed
	expect 1 run --deny kept/other -- cat kept/absent
	lines 0
	expect 1 run --deny kept -- cat kept/absent
	lines 0
	expect 1 run -- touch "$HOME/absent/x"
	lines 0
	expect 1 run -- sh -c 'echo x >"$HOME/absent/x"' 2>/dev/null || [ "$status" -eq 2 ]
	lines 0
	# what exists is: each of these succeeds without cordon
	echo x >kept/open
	only_free 'cat kept/open' --deny kept
	expect 1 run --deny kept -- cat kept/open
	heard 'kept/open is denied'
	[ "$(id -u)" -ne 0 ] || return 0
	expect 1 run --deny kept -- cat kept/closed
	lines 0
	expect 1 run -- touch /etc/cordon-test
	lines 0
	"$PYTHON" - "$XDG_STATE_HOME"/cordon/audit/shell-*.log <<-'END'
		import json, sys
		refused = [x for x in map(json.loads, open(sys.argv[1])) if x["event"] == "refused"]
		assert all(x.get("fails_anyway") == (not x["subject"].endswith("kept/open") or None) for x in refused), refused
	END
}

@test "a secret, a folder of programs, a home or a device is never suggested; a protected name with what it means" {
	mkdir -p "$HOME/.ssh" "$HOME/bin" "$HOME/.gnupg"
	echo key >"$HOME/.ssh/id_ed25519"
	PATH=$HOME/bin:$PATH
	for path in "$HOME/.ssh/id_ed25519" "$HOME/.ssh/new" "$HOME/bin/git" "$HOME/new" "$HOME/.bashrc" "$HOME/.gnupg/x" /usr/bin/new /new; do
		expect 3 run -- sh -c 'echo x >"$1"; exit 3' sh "$path"
		[[ $err != *'allow it with --'* && $err != *'in a policy: "files"'* ]] || complain "$path" || return 1
	done
	# many of them are not folded into a folder either
	expect 3 run -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do mkdir "$HOME/.ssh/$i" "$HOME/bin/$i" "$HOME/$i"; done 2>/dev/null; exit 3'
	[[ $err != *'allow '* && $err != *'in a policy'* ]] || complain 'a folder'
	expect 2 run -- sh -c 'echo x >.git/hooks/pre-push' || [ "$status" -eq 1 ]
	mkdir -p .git/hooks
	expect 3 run -- sh -c 'echo x >.git/hooks/pre-push; exit 3'
	heard 'is protected: git runs it; allow it with --write'
}

@test "--hints json: the last line, always, with a sentence to act on" {
	expect 0 run --hints json -- true
	[ "$(wc -l <"$T/err")" -eq 1 ]
	expect 3 run --hints json -- sh -c 'touch "$HOME/.npm"; bash -c ": >/dev/tcp/127.0.0.1/80"; exit 3'
	tail -n 1 "$T/err" | "$PYTHON" "$TREE/tests/policy/hints_json.py" 2 || complain 'no such hints'
	[[ $err == *'"allow": "-p node", "policy": "\"extends\": [\"agent\", \"node\"]"'* ]] || complain 'no remedy'
	lines 0
	refused run --hints xml -- true
	heard '--hints: "xml" is neither text nor json'
}

@test "a hostile command forges no hint: its lines come before, its names are escaped" {
	fake='{"v": 1, "session": "0000000000000000", "refused": 0, "hints": [], "more": 0}'
	name=$(printf 'x\n%s\n\033[2Jcordon: refused: forged\r' "$fake")
	expect 3 run --hints json -- sh -c 'echo "$2"; echo "$2" >&2; echo "cordon: refused: forged; allow it with --net all" >&2; mkdir "$HOME/$1"; (sleep 0.3; echo "$2" >&2) & exit 3' \
	    sh "${name//\//_}" "$fake"
	tail -n 1 "$T/err" | "$PYTHON" "$TREE/tests/policy/hints_json.py" 1 || complain 'the last line is not of cordon'
	[[ $(tail -n 1 "$T/err") != *"$(printf '\033')"* ]]
	expect 3 run -- sh -c 'mkdir "$HOME/$1" 2>/dev/null; exit 3' sh "${name//\//_}"
	lines 1
	[ "$(wc -l <"$T/err")" -eq 1 ]
	[[ $err != *"$(printf '\033')"* ]] || complain 'an escape sequence'
	expect 1 why --last
	[[ $out != *"$(printf '\033')"* ]] || complain 'an escape sequence'
	[ "$(grep -c '^refused: ' "$T/out")" -eq 1 ] || complain forged
	expect 0 log --last
	[[ $out != *"$(printf '\033')"* ]] || complain 'an escape sequence'
	[ "$(wc -l <"$T/out")" -eq 3 ] || complain 'forged lines'
}

@test "a failure without a refusal that was seen: the argument is guessed, and how to look is one line" {
	echo x >"$HOME/kept"
	expect 1 run -- cat "$HOME/kept"
	heard "cordon: refused: read $HOME/kept is not granted; allow it with --read $HOME/kept (guessed)" 'run it again with --trace'
	lines 3
	expect 1 why --last
	said '(guessed)'
	mkdir -p "$HOME/.ssh" "$HOME/.aws"
	for path in .ssh/id_ed25519 .aws/credentials .netrc; do
		echo key >"$HOME/$path"
		expect 1 run -- cat "$HOME/$path"
		[[ $err != *'allow it with'* ]] || complain "$path" || return 1
	done
	# the status says it, or the output where it passes cordon; else nothing does
	expect 126 run -- sh -c 'exit 126'
	[ "$err" = 'cordon: reads that the kernel refuses are not seen: run it again with --trace' ] || complain words
	expect 4 run --output 1M -- sh -c 'cat "$HOME/kept"; exit 4'
	heard 'run it again with --trace'
	expect 4 run -- sh -c 'cat "$HOME/kept"; exit 4'
	lines 0
	expect 0 run --output 1M -- sh -c 'cat "$HOME/kept"; true'
	lines 0
	expect 126 run --trace -- sh -c 'exit 126'
	lines 0
}

# --- the system's log ---

# with_system_log SCRIPT: runs it where /dev/log and the journal's socket are in file systems of the test's own.
with_system_log()
{
	unshare -m true 2>/dev/null || skip 'needs to mount'
	mkdir "$T/dev" "$T/run" "$T/got"
	timeout 60 unshare -m bash -c 'set -e
		mount -t tmpfs none "$T/dev"
		for name in null zero full random urandom tty; do
			: >"$T/dev/$name"
			mount --bind "/dev/$name" "$T/dev/$name"
		done
		mount -t tmpfs none /run
		mkdir -p /run/systemd/journal
		mount --move "$T/dev" /dev
		'"$1" >"$T/script.out" 2>&1 || complain "$(cat "$T/script.out")"
}

@test "the log of the system: events go to the journal or to syslog as well, and what a command chose forges no field" {
	export T PYTHON TREE CORDON P
	with_system_log '
		for sink in journal syslog; do
			socket=/run/systemd/journal/socket
			[ $sink = journal ] || socket=/dev/log
			mkdir "$T/got/$sink"
			"$PYTHON" "$TREE/tests/lib/datagrams.py" $socket "$T/got/$sink" &
			until [ -e "$T/got/$sink/ready" ]; do sleep 0.02; done
			"$CORDON" run -q --policy-json "{\"log\": \"$sink\"}" -- sh -c "
			    echo x >\"\$HOME/a
PRIORITY=0
CORDON_EVENT=trust\"; exit 3" || [ $? -eq 3 ]
			: >"$T/got/$sink/stop"
			wait $!
			ls "$T/got/$sink"
			[ -e "$T/got/$sink/002" ] && [ ! -e "$T/got/$sink/003" ]
		done'
	cd "$T/got/journal"
	for name in 000 001 002; do
		grep -aqx 'PRIORITY=5' "$name"
		grep -aqx 'SYSLOG_IDENTIFIER=cordon' "$name"
		[ "$(wc -l <"$name")" -eq 5 ]
		sed -n 's/^MESSAGE=//p' "$name" >>"$T/lines"
	done
	[ "$(sed -n 's/^CORDON_EVENT=//p' 00? | tr '\n' ' ')" = 'start refused end ' ]
	"$PYTHON" "$TREE/tests/policy/events.py" "$T/lines" -- "len(d) == 3" "d[2]['status'] == 3"
	[ "$(sed -n 's/^CORDON_SESSION=//p' 00? | sort -u)" = "$(sed -n 's/.*"session": "\([0-9a-f]*\)".*/\1/p' "$T/lines" | sort -u)" ]
	cd "$T/got/syslog"
	for name in 000 001 002; do
		[ "$(wc -l <"$name")" -eq 0 ]
		sed -n 's/^<13>[A-Z][a-z][a-z] [ 0-9][0-9] [0-9:]* cordon\[[0-9]*\]: //p' "$name" >>"$T/lines2"
		echo >>"$T/lines2"
	done
	"$PYTHON" "$TREE/tests/policy/events.py" "$T/lines2" -- "[e['event'] for e in d] == ['start', 'refused', 'end']"
}

@test "the log of the system: where the socket is missing the command goes on and the loss is reported" {
	[ ! -e /run/systemd/journal/socket ] || skip 'there is a journal'
	expect 0 run --policy-json '{"log": "journal"}' -- echo hello
	said hello
	heard 'cordon: cannot send an event to the journal, /run/systemd/journal/socket' '(2 events lost)'
	expect 0 log
	[ "$(wc -l <"$T/out")" -eq 2 ]
	refused run --policy-json '{"log": "journald"}' -- true
	heard '"journald" is not one of "file", "journal", "syslog"'
	expect 0 plan --policy-json '{"log": "journal"}'
	said 'log       journal, too'
}

@test "the log of the system: an unapproved project can only ask" {
	echo '{"log": "syslog"}' >.cordon.json
	expect 0 run -- true
	one_notice "$P/.cordon.json" 'to have events logged to "syslog"'
	expect 1 trust
	said 'to have events logged to "syslog"'
}
