#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon ps`, `cordon kill`, their records, and `cordon run --session`. The tests poll for every
# condition; no result depends on how long a step took.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

eval "$(declare -f setup | sed '1s/setup/common_setup/')"

setup()
{
	common_setup || return 1
	export XDG_RUNTIME_DIR=$T/run
	mkdir -m 700 "$XDG_RUNTIME_DIR"
	SESSIONS=$XDG_RUNTIME_DIR/cordon/sessions
	started=''
}

teardown()
{
	end_started
	timeout 60 "$CORDON" kill --all >/dev/null 2>&1 || true
}

# poll COMMAND...: until it holds.
poll()
{
	until_true 60 "$@" || complain "never came true: $*"
}

# The record of the only session has the pid of its guard.
guard_is_known()
{
	grep -q '"guard": {"pid": *[1-9]' "$SESSIONS"/????????????????
}

# begin NAME ARGUMENT...: cordon in the background; its output in $T/NAME.out and .err; pid in $begun.
begin()
{
	local name=$1

	shift
	"$CORDON" "$@" >"$T/$name.out" 2>"$T/$name.err" </dev/null 3>&- &
	begun=$!
	started="$started $begun"
}

# ends STATUS PID: what was begun ends with that status.
ends()
{
	status=0
	wait "$2" || status=$?
	[ "$status" -eq "$1" ] || complain "ended with $status instead of $1" "$(cat "$T"/*.err)"
}

# record EXPRESSION: of the only record there is (d).
record()
{
	"$PYTHON" - "$SESSIONS" "$1" <<-'END'
		import json, os, re, sys
		names = [n for n in os.listdir(sys.argv[1]) if re.fullmatch("[0-9a-f]{16}", n)]
		d = json.load(open(os.path.join(sys.argv[1], names[0])))
		print(eval(sys.argv[2]))
	END
}

# The records there are, one a line.
records()
{
	[ ! -d "$SESSIONS" ] || find "$SESSIONS" -name '[0-9a-f]*' ! -name '*.*' -printf '%f\n'
}

no_records()
{
	[ -z "$(records)" ]
}

# Ended, or a zombie that its new parent has not reaped yet.
is_gone()
{
	case $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) in
	'' | Z | X) ;;
	*) return 1 ;;
	esac
}

# listed N: that many sessions are alive.
listed()
{
	expect 0 ps --json && json "len(d) == $1"
}

quietly_listed()
{
	listed "$1" 2>/dev/null
}

# The process that wrote its number into the file, once it has.
pid_in()
{
	poll test -s "$1" && cat "$1"
}

own_folder()
{
	mkdir -p "$SESSIONS"
	chmod 700 "$XDG_RUNTIME_DIR/cordon" "$SESSIONS"
}

# hold ID TEXT: a record that someone holds, until $holder gets a line; then it goes as it came.
hold()
{
	own_folder
	rm -f "$T/release" "$T/held"
	mkfifo "$T/release"
	"$PYTHON" - "$SESSIONS/$1" "$2" "$T/release" "$T/held" 3>&- <<-'END' &
		import fcntl, os, sys
		fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
		fcntl.flock(fd, fcntl.LOCK_EX)
		os.write(fd, sys.argv[2].encode())
		open(sys.argv[4], "w").close()
		open(sys.argv[3]).read()
		os.unlink(sys.argv[1])
	END
	holder=$!
	started="$started $holder"
	poll test -e "$T/held"
}

# record_text ID GUARD STARTED TMP: as cordon would write it.
record_text()
{
	printf '{"id": "%s", "name": null, "since": 1, "supervisor": {"pid": 0, "started": 0},
	"guard": {"pid": %s, "started": %s}, "command": ["x"], "project": "/", "gaps": [],
	"cgroup": null, "tmp": %s, "policy": null, "token": null, "proxy": null}' "$1" "$2" "$3" "${4:-null}"
}

# ---- ps ----

@test "without a session ps lists nothing" {
	expect 0 ps
	[ -z "$out" ]
	heard 'no session'
	expect 0 ps -q && silent
	listed 0
	[ ! -e "$SESSIONS" ]
}

@test "a session is listed while it lives" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	expect 0 ps
	said ID NAME AGE PROCESSES MEMORY PROJECT COMMAND "$P" 'sleep 300'
	# the columns stand below their heads
	awk -v project="$P" 'NR == 1 { at = index($0, "PROJECT"); command = index($0, "COMMAND") }
	NR > 1 && (index($0, project) != at || substr($0, command, 1) ~ / / || substr($0, command - 1, 1) != " ") {
		exit 1 }' "$T/out" || complain 'crooked columns'
	[ "$(wc -l <"$T/out")" -eq 2 ]
	listed 1
	json 'd[0]["processes"] == 1 and d[0]["memory"] > 0 and d[0]["name"] is None'
	json "d[0]['project'] == '$P' and d[0]['command'][0] == 'sh' and 'process.listing' in d[0]['gaps']"
	json "d[0]['supervisor'] == $begun and d[0]['age'] >= 0 and 'token' not in d[0]"
	json "[d[0]['id']] == '$(records)'.split()"
	expect 0 kill --all
	ends 137 "$begun"
	listed 0
	no_records
}

@test "processes in other sessions and process groups are counted" {
	begin one run -- sh -c 'for i in 1 2 3; do setsid sh -c "echo x >>up; exec sleep 300" & done; wait'
	poll sh -c 'test "$(cat up 2>/dev/null | wc -l)" -eq 3'
	listed 1
	json 'd[0]["processes"] == 4'
}

@test "sessions of --track-only and of cordon shell are listed" {
	begin one run --track-only -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	listed 1
	json 'd[0]["project"] is None and d[0]["gaps"] == [] and d[0]["policy"] is None'
	SHELL=/bin/sh begin two shell
	ends 0 "$begun"
	expect 0 kill --all
	no_records
}

@test "the age is shown, and the command is printed escaped" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300' "${escape}[31mred"
	pid_in pid >/dev/null
	expect 0 ps
	said '\x1b[31mred'
	unsaid "$escape"
}

# ---- records ----

@test "a record has mode 600 and is removed with its session" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	[ "$(stat -c %a "$XDG_RUNTIME_DIR/cordon" "$SESSIONS" | sort -u)" = 700 ]
	[ "$(stat -c %a "$SESSIONS/$(records)")" = 600 ]
	tmp=$(record 'd["tmp"]')
	[ -d "$tmp" ]
	expect 0 kill "$(records)"
	[ ! -e "$tmp" ]
	no_records
	for command in true false 'exit 7' 'kill -KILL $$'; do
		"$CORDON" run -- sh -c "$command" || true
		no_records || complain "a record is left by: $command"
	done
	refused run --accept nothing -- true
	no_records
	expect 127 run -- no-such-command
	no_records
}

@test "records cannot be accessed from a session" {
	begin one run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	file=$SESSIONS/$(records)
	cat "$file" >/dev/null
	for script in "cat '$file'" "ls '$SESSIONS'" "echo >>'$file'" "touch '$SESSIONS/0123456789abcdef'" \
	    "rm '$file'" "mv '$XDG_RUNTIME_DIR/cordon' '$XDG_RUNTIME_DIR/other'"; do
		expect 9 run -- sh -c "$script 2>/dev/null || exit 9"
		expect 9 run --session web -- sh -c "$script 2>/dev/null || exit 9"
	done
	[ -s "$file" ]
	denied read "$file" --read "$XDG_RUNTIME_DIR"
	said 'cordon'\''s live sessions'
	denied write "$file" --write "$T"
	denied read "$file" --read "$file"
	# a grant around it is refused, or kept without this
	status=0
	"$CORDON" run --read "$XDG_RUNTIME_DIR" -- cat "$file" >"$T/out" 2>"$T/err" </dev/null || status=$?
	[ "$status" -ne 0 ]
	[ ! -s "$T/out" ]
}

@test "without an own runtime folder the records are in the state folder" {
	unset XDG_RUNTIME_DIR
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	SESSIONS=$XDG_STATE_HOME/cordon/sessions
	[ -s "$SESSIONS/$(records)" ]
	listed 1
	file=$SESSIONS/$(records)
	expect 9 run -- sh -c "cat '$file' 2>/dev/null || exit 9"
	# someone else's is not used, neither by name nor through what others can write
	export XDG_RUNTIME_DIR=/
	if [ "$(id -u)" -eq 0 ]; then
		XDG_RUNTIME_DIR=$T/theirs
		mkdir "$XDG_RUNTIME_DIR"
		chown 65534 "$XDG_RUNTIME_DIR"
	fi
	listed 1
	export XDG_RUNTIME_DIR=$T/open
	mkdir -m 777 "$XDG_RUNTIME_DIR"
	chmod 777 "$XDG_RUNTIME_DIR"
	listed 1
	[ ! -e "$XDG_RUNTIME_DIR/cordon" ]
	expect 0 kill --all
	no_records
}

@test "another user can neither list nor end a session" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	id=$(records)
	if [ "$(id -u)" -eq 0 ]; then
		open=$(mktemp -d)
		mkdir -m 755 "$open/run"
		cp "$CORDON" "$open/cordon"
		cp -a "$XDG_RUNTIME_DIR/cordon" "$open/run/"
		chmod -R 755 "$open"
		# whatever is open to everybody: what is root's is not believed, and not touched
		for runtime in "$XDG_RUNTIME_DIR" "$open/run"; do
			other=(setpriv --reuid=65533 --regid=65533 --clear-groups env
			    "XDG_RUNTIME_DIR=$runtime" "XDG_STATE_HOME=$open/none" HOME=/ "$open/cordon")
			[ "$(cd / && "${other[@]}" ps --json)" = '[]' ]
			for what in "$id" --all; do
				status=0
				(cd / && "${other[@]}" kill "$what" >/dev/null 2>&1) || status=$?
				[ "$status" -le 1 ]
			done
		done
		[ -e "$open/run/cordon/sessions/$id" ]
		rm -rf "$open"
	fi
	kill -0 "$pid"
	listed 1
}

@test "the leftovers of a killed session are cleaned up by ps, by kill, and by the next start" {
	for burier in 'ps' 'kill --all' 'run -- true'; do
		rm -f pid left
		begin one run -- sh -c '(setsid sh -c "echo \$\$ >left; exec sleep 300" &); echo $$ >pid; exec sleep 300'
		pid=$(pid_in pid)
		left=$(pid_in left)
		supervisor=$begun
		group=$(record 'd["cgroup"]')
		guard=$(record 'd["guard"]["pid"]')
		tmp=$(record 'd["tmp"]')
		[ -d "$tmp" ]
		# stopped first, and the guard killed first, which the end of the other would wake
		kill -STOP "$supervisor" "$guard"
		kill -KILL "$guard" "$supervisor"
		wait "$supervisor" || true
		poll is_gone "$guard"
		poll is_gone "$pid"
		[ -n "$(records)" ]
		[ -d "$tmp" ]
		# shellcheck disable=SC2086 # words
		expect 0 $burier
		no_records || complain "not buried by $burier"
		[ ! -e "$tmp" ] || complain "$tmp is left by $burier"
		# only a cgroup knows what lost its way to both
		if [ "$group" = None ]; then
			kill -KILL "$left"
		else
			[ ! -e "$group" ] || complain "$group is left by $burier"
		fi
		poll is_gone "$left"
	done
}

@test "a start does not touch live sessions" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	tmp=$(record 'd["tmp"]')
	for _ in 1 2 3; do
		expect 0 run -- true
	done
	[ -d "$tmp" ]
	kill -0 "$pid"
	listed 1
}

@test "hostile records are not listed, not trusted, and removed without their targets" {
	own_folder
	mkdir "$T/cordon-aaaaaa" "$T/precious"
	ln -s precious "$T/cordon-bbbbbb"
	touch "$T/precious/file" "$T/cordon-cccccc"
	umask 077
	n=0
	for tmp in "$T/precious" "$T/cordon-bbbbbb" "$T/cordon-cccccc" "$T/cordon-aaaaaa/../precious" / "$HOME"; do
		n=$((n + 1))
		record_text "000000000000000$n" 1 1 "\"$tmp\"" >"$SESSIONS/000000000000000$n"
	done
	: >"$SESSIONS/1000000000000000"
	head -c 300000 /dev/zero >"$SESSIONS/1000000000000001"
	echo '{"id": 1}' >"$SESSIONS/1000000000000002"
	yes '[' | head -n 5000 >"$SESSIONS/1000000000000003"
	mkfifo "$SESSIONS/1000000000000004"
	mkdir "$SESSIONS/1000000000000005"
	ln -s "$T/precious/file" "$SESSIONS/1000000000000006"
	: >"$SESSIONS/some-other-file"
	umask 022
	listed 0
	[ -e "$T/precious/file" ]
	[ -f "$T/cordon-cccccc" ]
	[ -d "$HOME" ]
	[ -e "$SESSIONS/some-other-file" ]
	[ "$(records)" = "$(printf '%s\n' 1000000000000004 1000000000000005 1000000000000006)" ] ||
	    [ "$(records | sort | tr '\n' ' ')" = '1000000000000004 1000000000000005 1000000000000006 ' ]
	expect 0 run -- true
	silent
}

@test "a locked record that cannot be parsed is skipped" {
	hold 00000000000000aa 'half a rec'
	listed 0
	expect 1 kill 00000000000000aa
	expect 0 run -- true
	silent
	[ -e "$SESSIONS/00000000000000aa" ]
}

# ---- kill ----

@test "kill by id, by a prefix of an id, and of an unknown id" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	id=$(records)
	expect 1 kill zzzz
	[ "$(wc -l <"$T/err")" -eq 1 ]
	heard 'no session zzzz' 'cordon ps'
	expect 1 kill "${id}0"
	refused kill
	refused kill --all "$id"
	refused kill --grace soon "$id"
	refused kill --grace +1s "$id"
	# more than a day; in milliseconds more than an int holds
	refused kill --grace 40000m "$id"
	kill -0 "$pid"
	expect 0 kill "${id:0:6}"
	said "ended $id: sh"
	is_gone "$pid"
	ends 137 "$begun"
	grep -q 'ended from outside' "$T/one.err"
	expect 1 kill "$id"
}

@test "kill of several ids, one of them unknown" {
	begin one run -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	expect 1 kill nobody "$(records)"
	said ended
	is_gone "$pid"
	expect 0 kill --all -q
	[ -z "$out" ]
}

@test "a prefix of two ids is refused" {
	hold 00000000000000aa "$(record_text 00000000000000aa 0 0)"
	one=$holder
	mv "$T/release" "$T/release.one"
	hold 00000000000000ab "$(record_text 00000000000000ab 0 0)"
	listed 2
	refused kill 00000000000000a
	heard 'more than one'
}

@test "the end event says that the session was killed" {
	"$CORDON" run --status-fd 9 -- sh -c 'echo $$ >pid; exec sleep 300' 9>"$T/status" 3>&- &
	begun=$!
	started=$begun
	pid_in pid >/dev/null
	expect 0 kill --all
	ends 137 "$begun"
	grep -q '"event": "end".*"cause": "killed", "signal": 9' "$T/status"
}

# A signal that is sent to it is blocked; so it is made to jump to where nothing is.
@test "a crashed guard is not reported as killed from outside" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root: it traces a process that is not dumpable'
	begin one run --status-fd 9 -- sh -c 'echo $$ >pid; exec sleep 300' 9>"$T/status"
	pid=$(pid_in pid)
	timeout 60 gdb -q -nx -batch -p "$(ps -o ppid= -p "$pid" | tr -d ' ')" -ex 'set $pc = 0' -ex detach \
	    >"$T/gdb" 2>&1 </dev/null 3>&-
	ends 137 "$begun"
	is_gone "$pid"
	[ "$(cat "$T/one.err")" = 'cordon: its guard crashed, and it was ended; this is a fault of cordon, please report it' ]
	grep -q '"event": "end".*"cause": "crashed", "signal": 9' "$T/status"
}

@test "with --grace the command gets SIGTERM first" {
	begin one run -- sh -c 'trap "echo asked >asked; exit 5" TERM; echo $$ >pid; while :; do sleep 0.1; done'
	pid_in pid >/dev/null
	expect 0 kill --grace 60s --all
	ends 5 "$begun"
	[ -s asked ]
	rm pid
	begin two run -- sh -c 'trap "" TERM; echo $$ >pid; while :; do sleep 0.1; done'
	pid=$(pid_in pid)
	expect 0 kill --grace 50ms --all
	ends 137 "$begun"
	is_gone "$pid"
}

@test "a grace is read from a file beside the record if the signal carries none" {
	begin one run -- sh -c 'trap "echo asked >asked; exit 5" TERM; echo $$ >pid; while :; do sleep 0.1; done'
	pid_in pid >/dev/null
	poll guard_is_known
	id=$(basename "$(echo "$SESSIONS"/????????????????)")
	echo 60000 >"$SESSIONS/$id.end"
	"$PYTHON" -c 'import ctypes, json, sys
record = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(ctypes.CDLL(None).sigqueue(record["guard"]["pid"], 15, 0))' "$SESSIONS/$id"
	ends 5 "$begun"
	[ -s asked ]
	no_records
	[ ! -e "$SESSIONS/$id.end" ]
	# one that is left over is not taken for what is ordered now
	rm pid
	begin two run -- sh -c 'trap "" TERM; echo $$ >pid; while :; do sleep 0.1; done'
	pid_in pid >/dev/null
	poll guard_is_known
	id=$(basename "$(echo "$SESSIONS"/????????????????)")
	echo 600000 >"$SESSIONS/$id.end"
	expect 0 kill --all
	ends 137 "$begun"
	[ ! -e "$SESSIONS/$id.end" ]
}

@test "kill --all ends all sessions" {
	pids=''
	for i in 1 2 3 4 5; do
		begin "n$i" run -- sh -c "echo \$\$ >pid.$i; exec sleep 300"
		pids="$pids $begun"
	done
	for i in 1 2 3 4 5; do
		pid_in "pid.$i" >/dev/null
	done
	listed 5
	expect 0 kill --all
	[ "$(grep -c '^ended ' "$T/out")" -eq 5 ]
	for pid in $pids; do
		ends 137 "$pid"
	done
	for i in 1 2 3 4 5; do
		is_gone "$(cat "pid.$i")"
	done
	no_records
}

@test "processes left with --leave live until they are killed" {
	expect 3 run --leave -- sh -c 'setsid sh -c "echo \$\$ >pid; exec sleep 300" >/dev/null 2>&1 </dev/null & exit 3'
	pid=$(pid_in pid)
	listed 1
	json 'd[0]["processes"] == 1'
	kill -0 "$pid"
	expect 0 kill "$(records)"
	is_gone "$pid"
	no_records
	# and ends by itself when nothing is left of it
	mkfifo go
	expect 0 run --leave -- sh -c 'setsid sh -c "read -r line <go" >/dev/null 2>&1 </dev/null & exit 0'
	listed 1
	echo >go
	poll no_records
}

@test "a reused pid is not signalled" {
	sleep 300 3>&- &
	canary=$!
	started=$canary
	hold 00000000000000aa "$(record_text 00000000000000aa "$canary" 1)"
	begin one kill --grace 1ms 00000000000000aa
	# it tries on and on; then the record goes
	sleep 1
	kill -0 "$begun"
	echo >"$T/release"
	ends 0 "$begun"
	kill -0 "$canary"
}

# ---- named sessions ----

@test "commands with the same session name share one sandbox" {
	expect 3 run --session web -- sh -c 'echo "$TMPDIR"; echo kept >"$TMPDIR/file"
		setsid sh -c "echo \$\$ >pid; exec sleep 300" >/dev/null 2>&1 </dev/null & exit 3'
	first=$out
	[ -n "$first" ]
	pid=$(pid_in pid)
	listed 1
	json 'd[0]["name"] == "web" and d[0]["processes"] == 1'
	expect 0 ps
	said web
	# the same folder, and a signal gets through; from another sandbox neither
	expect 4 run --session web -- sh -c 'cat "$TMPDIR/file"; echo "$TMPDIR"; kill -0 "$(cat pid)" && exit 4'
	[ "$out" = "kept
$first" ]
	expect 9 run -- sh -c "kill -0 '$pid' 2>/dev/null || cat '$first/file' 2>/dev/null || exit 9"
	expect 0 kill web
	said "ended $(printf '%s' "${out#ended }" | cut -c1-16) web"
	is_gone "$pid"
	[ ! -e "$first" ]
	no_records
}

@test "a session ends by itself when nothing runs in it" {
	expect 0 run --session web -- true
	poll no_records
	[ -z "$(find "$SESSIONS" -name '*.sock')" ]
	expect 5 run --session web -- sh -c 'exit 5'
	poll no_records
	for i in 1 2 3 4 5 6 7 8; do
		expect "$i" run --session web -- sh -c "exit $i"
	done
	poll no_records
}

@test "a command gets the environment, folder and descriptors of its invoker" {
	begin keep run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	mkdir sub
	cd sub
	umask 027
	printf 'in\n' >"$T/in"
	status=0
	LANG=C.UTF-8 TERM=xterm "$CORDON" run --session web -- sh -c \
	    'pwd; umask; cat; echo "$TERM $#" "$@"; echo wrong >&2; ls /proc/self/fd | tr "\n" " "; exit 12' \
	    name 'a b' '' "$(head -c 100000 /dev/zero | tr '\0' x)" <"$T/in" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -eq 12 ]
	[ "$(sed -n 1p "$T/out")" = "$P/sub" ]
	[ "$(sed -n 2p "$T/out")" = 0027 ]
	[ "$(sed -n 3p "$T/out")" = in ]
	[ "$(sed -n 4p "$T/out" | cut -c1-15)" = 'xterm 3 a b  xx' ]
	[ "$(sed -n 4p "$T/out" | wc -c)" -eq 100014 ]
	[ "$(sed -n 5p "$T/out")" = '0 1 2 3 ' ]
	[ "$(cat "$T/err")" = wrong ]
	umask 022
	expect 127 run --session web -- no-such-command
	echo x >plain
	expect 126 run --session web -- ./plain
	status=0
	"$CORDON" run --session web -- cat <"$T" >"$T/out" 2>"$T/err" || status=$?
	err=$(cat "$T/err")
	[ "$status" -eq 125 ]
	heard 'descriptor 0 is a folder'
	expect 137 run --session web -- sh -c 'kill -KILL $$'
	expect 143 run --session web -- sh -c 'kill -TERM $$'
	expect 9 run --session web -- sh -c "cat '$HOME/../outside' 2>/dev/null || exit 9"
	listed 1
}

@test "a shared session keeps the policy of its start" {
	echo secret >"$HOME/secret"
	cat "$HOME/secret" >/dev/null
	expect 9 run --session web -- sh -c 'cat ~/secret 2>/dev/null || exit 9'
	begin keep run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	for script in 'cat ~/secret' 'touch ~/new' 'bash -c ": >/dev/tcp/127.0.0.1/9"'; do
		expect 9 run --session web -- sh -c "$script 2>/dev/null || exit 9"
	done
	expect 0 run --session web -- touch new
	[ -e new ]
}

@test "system calls of every command of a shared session are supervised" {
	mkdir deploy
	touch deploy/old
	begin keep run --session web --protect "$P/deploy" -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	for script in 'touch deploy/new' 'rm deploy/old' 'mv deploy elsewhere' 'echo x >deploy/old'; do
		expect 9 run --session web --protect "$P/deploy" -- sh -c "( $script ) 2>/dev/null || exit 9"
	done
	expect 0 run --session web --protect "$P/deploy" -- sh -c 'echo x >plain && mv plain moved && mkdir sub'
	[ -e moved ]
	[ -e deploy/old ]
	[ ! -e deploy/new ]
	listed 1
}

@test "another policy is refused in a shared session, the same one is accepted" {
	mkdir "$T/more"
	begin keep run --session web --read "$T/more" -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	expect 0 run --session web --read "$T/more" -- true
	mkdir -p "$T/else/.git"
	for options in '' "--read $T/more --net all" "--read $T/more --write $T/more" "--read $T/more --env HOME" \
	    "--read $T/more --file-size 1G" "-p git --read $T/more" "--read $T/more -C $T/else"; do
		# shellcheck disable=SC2086 # words
		refused run --session web $options -- sh -c 'touch ran'
		heard 'session web' 'cordon ps' 'cordon kill web'
	done
	[ ! -e ran ]
	kill -0 "$pid"
	# and what is not a name, or has nothing to share
	for name in '' a/b .. -x 'a b' 0123456789abcdef; do
		refused run --session "$name" -- true
	done
	refused run --session web --track-only -- true
}

# A client of the spawner that is not cordon: prints welcome, or refused. TOKEN may be anything.
spawner_client()
{
	cat >"$P/client.py" <<-'END'
		import os, socket, struct, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		os.chdir(os.path.dirname(sys.argv[1]))
		try:
		    s.connect(os.path.basename(sys.argv[1]))
		    s.send(struct.pack("I64s", 0x706f7274, sys.argv[2].encode()))
		    print("welcome" if len(s.recv(100)) == 4 else "refused")
		except OSError as e:
		    print("refused", e)
	END
}

@test "a client without the token is refused" {
	begin keep run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	spawner_client
	socket=$SESSIONS/$(records).sock
	token=$(record 'd["token"]')
	wrong=$(printf '%s' "$token" | tr 0-9a-f 1-9a-f0)
	[ "$("$PYTHON" client.py "$socket" "$token")" = welcome ]
	for guess in "$wrong" '' "${token:0:63}" x; do
		case $("$PYTHON" client.py "$socket" "$guess") in
		refused*) ;;
		*) complain "let in with: $guess" ;;
		esac
	done
	# from another sandbox, and from the session's own: without the token it is the same
	for options in '' '--session web'; do
		# shellcheck disable=SC2086 # words
		expect 0 run $options -- "$PYTHON" client.py "$socket" "$wrong"
		said refused
	done
	listed 1
	expect 0 run --session web -- true
}

@test "clients without the token do not lock out others" {
	begin keep run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	cat >"$T/strangers.py" <<-'END'
		import os, socket, sys
		os.chdir(sys.argv[1])
		held = []
		for i in range(100):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		    s.settimeout(30)
		    s.connect(sys.argv[2])
		    if i % 3 == 1:
		        s.send(b"nonsense" * 100)
		    held.append(s)
		open(sys.argv[3], "w").close()
		sys.stdin.read()
	END
	mkfifo "$T/release"
	"$PYTHON" "$T/strangers.py" "$SESSIONS" "$(records).sock" "$T/held" <"$T/release" 3>&- &
	started="$started $!"
	exec 8>"$T/release"
	poll test -e "$T/held"
	for i in 1 2 3; do
		expect "$i" run --session web -- sh -c "exit $i"
	done
	exec 8>&-
}

@test "the spawner leaks no fd, token or memory to its commands" {
	export CORDON_TEST_SECRET=hunter2
	expect 0 run --session web -- sh -c '
		echo "$PPID"; cat /proc/self/environ >/dev/null && ls /proc/self/fd >/dev/null || exit 1
		cat "/proc/$PPID/environ" && exit 2; readlink "/proc/$PPID/fd/3" && exit 3
		cat "/proc/$PPID/maps" && exit 4; head -c 1 "/proc/$PPID/mem" && exit 5; exit 0'
	poll no_records
}

@test "ten starts at once make one session, and each gets its own status" {
	pids=''
	for i in 0 1 2 3 4 5 6 7 8 9; do
		mkfifo "go.$i"
		begin "n$i" run --session web -- sh -c "echo \$TMPDIR; echo x >up.$i; read -r line <go.$i; exit 2$i"
		pids="$pids $begun"
	done
	for i in 0 1 2 3 4 5 6 7 8 9; do
		poll test -s "up.$i"
	done
	[ "$(cat "$T"/n?.out | sort -u | wc -l)" -eq 1 ]
	listed 1
	json 'd[0]["processes"] == 10'
	i=0
	for pid in $pids; do
		echo >"go.$i"
		ends "2$i" "$pid"
		i=$((i + 1))
	done
	poll no_records
}

@test "more commands than slots can join one after the other" {
	begin keep run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	for ((i = 0; i < 70; i++)); do
		"$CORDON" run --session web -- true </dev/null >"$T/out" 2>"$T/err" ||
		    complain "join $i failed" "$(cat "$T/err")" || return 1
	done
	listed 1
	json 'd[0]["processes"] == 1'
}

@test "the end of the session is the end of every command in it" {
	begin one run --session web -- sh -c 'echo $$ >pid.1; exec sleep 300'
	one=$begun
	pid_in pid.1 >/dev/null
	begin two run --session web -- sh -c 'setsid sleep 300 & echo $$ >pid.2; wait'
	two=$begun
	pid_in pid.2 >/dev/null
	expect 0 kill web
	ends 137 "$one"
	ends 137 "$two"
	is_gone "$(cat pid.1)"
	is_gone "$(cat pid.2)"
	grep -q 'ended from outside' "$T/two.err"
	no_records
	# asked first, they may answer
	begin three run --session web -- sh -c 'trap "exit 6" TERM; echo $$ >pid.3; while :; do sleep 0.1; done'
	pid_in pid.3 >/dev/null
	expect 0 kill --grace 60s web
	ends 6 "$begun"
	no_records
}

@test "the death of a client ends its command and no other" {
	begin one run --session web -- sh -c 'echo $$ >pid.1; exec sleep 300'
	one=$(pid_in pid.1)
	begin two run --session web -- sh -c 'echo $$ >pid.2; exec sleep 300'
	two=$(pid_in pid.2)
	kill -KILL "$begun"
	poll is_gone "$two"
	kill -0 "$one"
	# one that does not hear the hang-up is killed
	begin three run --session web -- sh -c 'trap "" HUP TERM; echo $$ >pid.3; while :; do sleep 0.1; done'
	three=$(pid_in pid.3)
	kill -KILL "$begun"
	poll is_gone "$three"
	kill -0 "$one"
	listed 1
	# the one that started the session is no different
	for pid in $started; do
		kill -KILL "$pid" 2>/dev/null || true
	done
	poll is_gone "$one"
	poll no_records
}

@test "signals to a client reach its command" {
	for name in TERM HUP USR1 USR2 ALRM; do
		rm -f pid
		begin one run --session web -- sh -c "trap 'exit 11' $name; echo \$\$ >pid; while :; do sleep 0.1; done"
		pid_in pid >/dev/null
		kill -s "$name" "$begun"
		ends 11 "$begun"
	done
	rm -f pid
	begin one run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	kill -TERM "$begun"
	ends 143 "$begun"
	is_gone "$pid"
}

# The letter of a process's state.
state_is()
{
	[ "$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null)" = "$2" ]
}

@test "a joined command stops and continues with its client" {
	begin one run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	kill -TSTP "$begun"
	poll state_is "$pid" T
	poll state_is "$begun" T
	kill -CONT "$begun"
	poll state_is "$pid" S
	poll state_is "$begun" S
	kill -TERM "$begun"
	ends 143 "$begun"
}

@test "limits apply to each command" {
	begin keep run --session web --time 1h -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	expect 124 run --session quick --time 1s -- sleep 300
	heard 'time limit'
	poll sh -c "! '$CORDON' ps | grep -q quick"
	# the spawner's group is not the session's own
	expect 124 run --session quick --time 1s -- "$PYTHON" -c 'import os, time
try:
    os.setpgid(0, os.getppid())
    os._exit(9)
except PermissionError:
    pass
time.sleep(300)'
	heard 'time limit'
	expect 141 run --session loud --output 1K -- sh -c 'yes | head -c 100000; sleep 300'
	heard 'output limit'
	[ "$(wc -c <"$T/out")" -le 1024 ]
	poll sh -c "! '$CORDON' ps | grep -q loud"
	listed 1
}

@test "a joined command may have its own terminal" {
	begin keep run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid_in pid >/dev/null
	expect 8 run --session web --pty -- sh -c 'test -t 0 && test -t 1 && test -t 2 && : </dev/tty && exit 8'
	expect 9 run --session web -- sh -c 'test -t 0 || exit 9'
}

@test "killing the spawner from inside gains nothing, and the name can be used again" {
	expect 137 run --session web -- sh -c 'kill -KILL $PPID; exec sleep 300'
	poll no_records
	expect 5 run --session web -- sh -c 'exit 5'
	poll no_records
	begin one run --session web -- sh -c 'setsid sh -c "echo \$\$ >pid; exec sleep 300" >/dev/null 2>&1 </dev/null &
		while ! test -s pid; do sleep 0.1; done; kill -KILL $PPID'
	pid=$(pid_in pid)
	ends 137 "$begun"
	listed 1
	refused run --session web -- true
	heard 'cordon kill web'
	expect 0 kill web
	is_gone "$pid"
	expect 5 run --session web -- sh -c 'exit 5'
}

@test "a spawner stopped from inside is continued, and the time limit applies" {
	expect 124 run --session web --time 1s -- sh -c 'kill -STOP $PPID; exec sleep 300'
	expect 124 run --session web --time 1s -- sh -c 'kill -TSTP $PPID; kill -TTIN $PPID; kill -TTOU $PPID; exec sleep 300'
	expect 124 run --session web --time 1s -- sh -c 'while :; do kill -STOP $PPID; done'
	expect 5 run --session web -- sh -c 'kill -STOP $PPID; exit 5'
	poll no_records
}

@test "a shared session whose guard was killed ends with all its processes" {
	expect 0 run --session web -- sh -c 'setsid sh -c "setsid sh -c \"echo \\\$\\\$ >left; exec sleep 300\" & exit" >/dev/null 2>&1 </dev/null
		while ! test -s left; do sleep 0.1; done'
	begin one run --session web -- sh -c 'echo $$ >pid; exec sleep 300'
	pid=$(pid_in pid)
	left=$(pid_in left)
	kill -0 "$left"
	guard=$(record 'd["guard"]["pid"]')
	kill -KILL "$guard"
	ends 137 "$begun"
	poll is_gone "$pid"
	poll is_gone "$left"
	listed 0
	expect 5 run --session web -- sh -c 'exit 5'
}

@test "a server in one command, its client in the next" {
	cat >server.py <<-'END'
		import http.server, os
		s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
		open("port.new", "w").write(str(s.server_port))
		os.rename("port.new", "port")
		s.serve_forever()
	END
	cat >client.py <<-'END'
		import sys, urllib.request
		print(urllib.request.urlopen("http://127.0.0.1:%s/hello" % open("port").read(), timeout=60).read().decode())
	END
	echo 'served from inside' >hello
	expect 0 run --session dev --net all -- sh -c "'$PYTHON' server.py >log 2>&1 </dev/null &"
	poll test -s port
	expect 0 run --session dev --net all -- "$PYTHON" client.py
	said 'served from inside'
	listed 1
	json 'd[0]["name"] == "dev"'
	expect 0 kill dev
	status=0
	"$PYTHON" client.py >/dev/null 2>&1 || status=$?
	[ "$status" -ne 0 ]
	no_records
}
