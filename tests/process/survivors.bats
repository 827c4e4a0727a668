#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# No process survives. Each kind of process is first left behind without cordon, and found; then
# with cordon, and must have ended. A lock shows which, because every process left behind holds it.
# Nothing is left when a run ends; only if the launcher itself was killed the tests wait.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

eval "common_$(declare -f setup)"

setup()
{
	common_setup || return 1
	cp "$(dirname "$CORDON")/tests/process/leaver" "$P/leaver" || return 1
	mkdir "$T/tmp"
	export TMPDIR=$T/tmp
	started='' places=''
}

teardown()
{
	touch "$P/stop"
	end_started
	[ ! -e "$P/lock" ] || until_true 30 free
	[ -z "$places" ] || rm -rf "$places"
}

# A zombie has ended, whichever process reaps it.
ended()
{
	! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

free()
{
	flock -n -x "$P/lock" true
}

held()
{
	[ -e "$P/lock" ] && ! free
}

tmp_is_empty()
{
	[ -z "$(ls -A "$T/tmp")" ]
}

# Nothing left: no process, no private folder.
clean()
{
	free || complain 'something was left running' || return 1
	tmp_is_empty || complain "left in the temporary folder: $(ls -A "$T/tmp")"
}

# start ARGUMENT...: in the background; leaves its process id in pid. A shell lets those ignore SIGINT.
start()
{
	"$PYTHON" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$CORDON" "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- &
	pid=$!
	started="$started $pid"
}

# end_of PID: leaves its status.
end_of()
{
	status=0
	wait "$1" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
}

# bare COMMAND...: leaves something behind, which then goes when it is told to.
bare()
{
	rm -f lock stop
	timeout 60 "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- || complain "failed: $*" || return 1
	held || complain "left nothing behind even without cordon: $*" || return 1
	touch stop
	until_true 60 free || complain "does not go: $*" || return 1
	rm -f lock stop
}

# gone KIND: left without cordon, not left with it.
gone()
{
	local how

	bare ./leaver "$1" || return 1
	for how in --net=none --track-only; do
		rm -f lock
		expect 0 run "$how" -- ./leaver "$1" 3>&- || return 1
		[ -e lock ] && clean || complain "after run $how" || return 1
	done
}

# ---- ways to leave ----

@test "left behind: in its own session" {
	gone setsid
}

@test "left behind: a double fork" {
	gone twice
}

@test "left behind: a triple fork with closed fds" {
	gone closed
}

@test "left behind: ignoring SIGHUP" {
	gone nohup
}

@test "left behind: ignoring every signal" {
	gone deaf
}

@test "left behind: in another process group, with the output open" {
	gone pipe
}

@test "left behind: stopped" {
	gone stopped
}

@test "left behind: stopped by a tracer" {
	gone traced
}

@test "left behind: cloned without an exit signal" {
	gone unsignalled
}

@test "left behind: a sibling of the command" {
	gone sibling
	gone own-sibling
}

@test "left behind: waiting in vfork" {
	gone vfork
}

@test "left behind: zombies, and a parent that does not reap them" {
	gone zombies
}

@test "left behind: by a subreaper that ended" {
	gone heir
}

@test "left behind: with a subreaper" {
	gone living-heir
}

@test "left behind: not dumpable" {
	gone undumpable
}

@test "left behind: with misleading names" {
	gone renamed
}

@test "left behind: without a parent-death signal" {
	gone unfollowed
}

@test "left behind: with SCHED_IDLE" {
	gone idle
}

@test "left behind: 500, each in its own session" {
	gone many
}

@test "left behind: a chain of 50" {
	gone chain
}

@test "left behind: by a thread that lives on" {
	gone thread
}

@test "left behind: by a thread that ended" {
	gone ended-thread
}

@test "left behind: without its first thread" {
	gone headless
}

@test "left behind: replaced by its second thread" {
	gone exec
}

@test "left behind: a process that forks and exits without end" {
	gone hopper
}

@test "left behind: eight processes that fork and exit without end" {
	gone hoppers
}

@test "left behind: siblings that stop and continue each other" {
	gone quarrel
}

@test "left behind: a process that forks on SIGTERM" {
	gone phoenix
	rm -f lock
	expect 0 run --grace 300ms -- ./leaver phoenix 3>&-
	clean
}

@test "left behind: in its own pid namespace" {
	gone namespace
}

# The shell itself leaves it; the descriptor is the lock's.
@test "left behind: setsid, nohup, disown" {
	local line

	for line in 'setsid sleep 60 &' 'nohup sleep 60 >/dev/null 2>&1 &' 'sleep 60 & disown;'; do
		rm -f lock
		bash -c "exec 9>lock && flock -s 9; $line echo \$! >id" </dev/null >/dev/null 2>&1 3>&-
		held || complain "left nothing behind even without cordon: $line"
		kill "$(cat id)"
		until_true 60 free
		for how in --net=none --track-only; do
			rm -f lock
			expect 0 run "$how" -- bash -c "exec 9>lock && flock -s 9; $line true" 3>&-
			clean
		done
	done
}

@test "a reader of the output does not wait for leftover processes" {
	out=$(timeout 60 "$CORDON" run -- ./leaver pipe 3>&-; echo "$?") 2>"$T/err"
	[ "$out" = 0 ] || complain 'the run failed'
	clean
	out=$(timeout 60 "$CORDON" run --track-only -- ./leaver pipe 3>&- 2>&1; echo "$?")
	[ "$out" = 0 ] || complain 'the run failed'
	clean
}

# ---- what the caller asks for ----

@test "--leave: leftover processes live until they exit" {
	for how in --net=none --track-only; do
		rm -f lock stop
		expect 0 run "$how" --leave --status-fd 7 -- ./leaver setsid 7>status 3>&-
		held || complain 'nothing stayed'
		grep -q '"lives_on": true' status
		touch stop
		until_true 60 free
		until_true 60 tmp_is_empty
	done
	rm -f lock stop
	expect 0 run --leave --status-fd 7 -- true 7>status 3>&-
	[ "$(grep -c lives_on status)" -eq 0 ]
	clean
}

# queue SIGNAL PID: as cordon itself does it, with a value.
queue()
{
	"$PYTHON" -c 'import ctypes, sys
sys.exit(ctypes.CDLL(None).sigqueue(int(sys.argv[2]), int(sys.argv[1]), None) != 0)' "$1" "$2"
}

@test "--leave: a queued SIGTERM to the guard ends leftover processes, a plain one does not" {
	for how in --net=none --track-only; do
		rm -f lock stop
		expect 0 run "$how" --leave -- sh -c 'echo $PPID >guard; exec ./leaver setsid' 3>&-
		held
		kill -TERM "$(cat guard)"
		sleep 0.2
		held || complain 'a plain signal ended it'
		queue 15 "$(cat guard)"
		until_true 60 free
		until_true 60 ended "$(cat guard)"
		clean
	done
}

# Waits for SIGTERM, or two minutes.
listener='trap "echo heard >>heard; exit 0" TERM; exec 9>lock; flock -s 9; touch up
	i=0; while [ $i -lt 1200 ]; do sleep 0.1; i=$((i + 1)); done'

@test "--grace: SIGTERM first, once, and no SIGKILL for a process that exits" {
	for how in --net=none --track-only; do
		rm -f lock heard up
		expect 3 run "$how" --grace 60s -- sh -c "setsid sh -c '$listener' &
			while [ ! -e up ]; do sleep 0.05; done; exit 3" 3>&-
		[ "$(cat heard)" = heard ] || complain "heard: $(cat heard)"
		clean
		# a machine may be too slow to be ready before the first of these
		for limit in 1s 4s 16s 64s; do
			rm -f lock heard up
			expect 124 run "$how" --grace 60s --time "$limit" -- sh -c "$listener" 3>&-
			[ ! -e up ] || break
		done
		[ "$(cat heard)" = heard ] || complain "heard: $(cat heard)"
		clean
	done
}

@test "--grace: SIGKILL for a process that does not exit" {
	for how in --net=none --track-only; do
		rm -f lock
		expect 0 run "$how" --grace 200ms -- ./leaver deaf 3>&-
		clean
		expect 0 run "$how" --grace 200ms -- ./leaver stopped 3>&-
		clean
		expect 124 run "$how" --grace 200ms --time 1s -- sh -c 'trap "" TERM; ./leaver setsid
			while :; do sleep 0.1; done' 3>&-
		clean
	done
}

@test "--time: status 124, and no process is left" {
	for how in --net=none --track-only; do
		rm -f lock
		expect 124 run "$how" --time 1s --status-fd 7 -- sh -c './leaver many; sleep 60' 7>status 3>&-
		heard 'the time limit ended it'
		grep -q '"cause": "time"' status
		clean
		# the command itself waits in vfork, with a child that does not end
		rm -f lock
		expect 124 run "$how" --time 1s -- sh -c './leaver vfork && sleep 60' 3>&-
		clean
		# the longest there is
		expect 0 run "$how" --time 4503599627370495 -- sleep 0.1
	done
}

@test "--output: exactly that many bytes, status 141, and no process waits" {
	for how in --net=none --track-only; do
		status=0
		timeout 60 "$CORDON" run "$how" --output 1000 --status-fd 7 -- \
		    sh -c './leaver pipe; exec yes' 7>status >"$T/out" 2>"$T/err" 3>&- </dev/null || status=$?
		[ "$status" -eq 141 ] || complain '141 was expected'
		[ "$(wc -c <"$T/out")" -eq 1000 ] || complain "$(wc -c <"$T/out") bytes"
		grep -q '"cause": "output"' status
		clean
		rm lock
		# both together
		out=$(timeout 60 "$CORDON" run "$how" --output 1000 -- \
		    sh -c './leaver pipe; yes & yes >&2' 2>&1 3>&- </dev/null | wc -c)
		# what cordon itself says comes after
		[ "$out" -ge 1000 ] && [ "$out" -lt 1100 ] || complain "$out bytes"
		clean
		# up to the limit nothing happens
		expect 0 run "$how" --output 1000 -- sh -c 'head -c 1000 /dev/zero' 3>&-
		[ "$(wc -c <"$T/out")" -eq 1000 ]
	done
}

# The pipe is full and not read, and then the session is killed.
@test "--output: a reader that does not read does not delay the end" {
	cat >"$T/full.py" <<-'END'
		import fcntl, os, subprocess, sys, termios, time
		session = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
		size, waiting = fcntl.fcntl(session.stdout, 1032), bytes(4)
		while int.from_bytes(waiting, sys.byteorder) < size - 4096:
		    time.sleep(0.01)
		    waiting = fcntl.ioctl(session.stdout, termios.FIONREAD, waiting)
		session.terminate()
		sys.exit(session.wait(60))
	END
	for how in --net=none --track-only; do
		status=0
		timeout 120 "$PYTHON" "$T/full.py" "$CORDON" run "$how" --output 10M -- \
		    sh -c './leaver setsid; exec yes' </dev/null 3>&- || status=$?
		[ "$status" -eq 143 ] || complain '143 was expected'
		clean
	done
}

# ---- ends from outside ----

# session HOW: in the background, with something left behind already; leaves launcher and guard.
session()
{
	rm -f lock up guard
	start run "$@" -- sh -c 'echo $PPID >guard; ./leaver setsid; ./leaver twice; touch up; exec sleep 120'
	until_true 60 test -e up || complain 'did not start' || return 1
	launcher=$pid guard=$(cat guard)
}

@test "SIGTERM, SIGHUP and SIGINT to the launcher end the command by that signal, and its processes" {
	local signal

	for how in --net=none --track-only; do
		for signal in TERM:143 HUP:129 INT:130; do
			session "$how"
			kill "-${signal%:*}" "$launcher"
			end_of "$launcher"
			[ "$status" -eq "${signal#*:}" ] || complain "after $signal"
			clean
		done
	done
}

@test "SIGTERM to the launcher: a command that does not exit is killed after the grace" {
	start run --grace 200ms --status-fd 7 -- sh -c 'trap "" TERM; ./leaver deaf; touch up
		while :; do sleep 0.1; done' 7>status
	until_true 60 test -e up
	kill -TERM "$pid"
	end_of "$pid"
	[ "$status" -eq 137 ] || complain '137 was expected'
	grep -q '"cause": "signal"' status
	clean
}

# They go when their pipe does, with the launcher.
@test "a launcher with more children of its own than it can record is refused" {
	status=0
	timeout 60 "$PYTHON" -c 'import os, sys
r, w = os.pipe()
for i in range(65):
    if os.fork() == 0:
        os.close(w)
        os.read(r, 1)
        os._exit(0)
os.set_inheritable(w, True)
os.execv(sys.argv[1], sys.argv[1:])' "$CORDON" run -- touch ran 2>"$T/err" </dev/null 3>&- || status=$?
	[ "$status" -eq 125 ] && [ ! -e ran ]
	grep -q 'process.tree.*more than 64 children' "$T/err"
}

told_to_go()
{
	kill -TERM "$pid" 2>/dev/null
	ended "$pid"
}

@test "repeated SIGTERM to the launcher gives no more time" {
	start run --grace 1s -- sh -c 'trap "" TERM; touch up; while :; do sleep 0.1; done'
	until_true 60 test -e up
	until_true 60 told_to_go || complain 'does not end'
	end_of "$pid"
	# the last one may come when all is over and the launcher has let go of its signals
	[ "$status" -eq 137 ] || [ "$status" -eq 143 ] || complain '137 was expected'
	clean
}

@test "SIGKILL of the launcher ends everything" {
	for how in --net=none --track-only; do
		session "$how"
		kill -KILL "$launcher"
		until_true 60 free
		until_true 60 ended "$guard"
		clean
	done
}

# As one is that was stopped with the command's group before it had left it.
@test "SIGKILL of the launcher ends everything, also when the guard is stopped" {
	for how in --net=none --track-only; do
		session "$how"
		kill -STOP "$guard"
		kill -KILL "$launcher"
		until_true 60 free
		until_true 60 ended "$guard"
		clean
	done
}

@test "SIGKILL of the guard ends everything" {
	for how in --net=none --track-only; do
		session "$how"
		kill -KILL "$guard"
		end_of "$launcher"
		[ "$status" -eq 137 ] || complain '137 was expected'
		clean
	done
}

@test "SIGKILL of the whole process group ends everything" {
	for how in --net=none --track-only; do
		rm -f lock up
		setsid "$CORDON" run "$how" -- sh -c './leaver setsid; echo $PPID >guard; touch up; sleep 60' \
		    </dev/null >/dev/null 2>&1 3>&- &
		pid=$!
		started="$started $pid"
		until_true 60 test -e up
		kill -KILL -- "-$pid"
		until_true 60 free
		until_true 60 ended "$(cat guard)"
		clean
	done
}

# calls ARGUMENT...: a caller of its own in the background, in caller; it waits for its launcher.
calls()
{
	rm -f lock up go went
	sh -c '"$@"; echo over >over' sh "$@" </dev/null >"$T/out" 2>"$T/err" 3>&- &
	caller=$!
	started="$started $caller"
	until_true 60 test -e up || complain 'did not start'
}

waits='./leaver setsid; touch up; i=0
	while [ ! -e go ] && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done; touch went'

@test "the invoker's death ends everything" {
	for how in --net=none --track-only; do
		calls "$CORDON" run "$how" -- sh -c "$waits"
		kill -KILL "$caller"
		until_true 60 free
		until_true 60 tmp_is_empty
		[ ! -e went ]
	done
}

@test "the invoker's death ends stopped processes" {
	for how in --net=none --track-only; do
		calls "$CORDON" run "$how" -- sh -c './leaver setsid; touch up; kill -STOP $$; sleep 60'
		kill -KILL "$caller"
		until_true 60 free
		until_true 60 tmp_is_empty
		# and a stopped launcher
		rm -f launcher
		calls sh -c 'echo $$ >launcher; exec "$@"' sh "$CORDON" run "$how" -- sh -c "$waits"
		kill -STOP "$(cat launcher)"
		kill -KILL "$caller"
		until_true 60 free
		until_true 60 tmp_is_empty
	done
}

@test "under nohup the invoker's death ends nothing" {
	for how in --net=none --track-only; do
		calls nohup "$CORDON" run "$how" -- sh -c "$waits"
		kill -KILL "$caller"
		wait "$caller" 2>/dev/null || true
		sleep 0.2
		touch go
		until_true 60 test -e went
		until_true 60 free
		until_true 60 tmp_is_empty
	done
}

@test "with --leave the invoker's death ends nothing" {
	calls "$CORDON" run --leave -- sh -c "$waits"
	kill -KILL "$caller"
	wait "$caller" 2>/dev/null || true
	sleep 0.2
	touch go
	until_true 60 test -e went
	held
	touch stop
	until_true 60 free
	until_true 60 tmp_is_empty
}

# ---- stopping ----

@test "a command that stops itself, or the launcher, still has a time limit" {
	for how in --net=none --track-only; do
		rm -f lock
		expect 124 run "$how" --time 1s -- sh -c './leaver setsid; kill -STOP $$; sleep 60' 3>&-
		clean
	done
	rm -f lock
	expect 124 run --track-only --time 1s -- sh -c './leaver setsid
		kill -STOP "$(cut -d " " -f 4 /proc/$PPID/stat)"; sleep 60' 3>&-
	clean
}

@test "a command that is stopped and continued without end still has a time limit" {
	for how in --net=none --track-only; do
		rm -f lock
		expect 124 run "$how" --time 1s -- sh -c './leaver setsid
			(while kill -STOP $$ && kill -CONT $$; do :; done) & wait' 3>&-
		clean
	done
}

@test "a tracked command that stops the guard, and the launcher too, still has a time limit" {
	for how in '$PPID' '$PPID "$(cut -d " " -f 4 /proc/$PPID/stat)"'; do
		for again in '' 'while :; do stop; done;'; do
			rm -f lock
			begun=$SECONDS
			expect 124 run --track-only --time 1s -- sh -c "./leaver setsid; stop() { kill -STOP $how; }
				stop; $again sleep 60" 3>&-
			[ $((SECONDS - begun)) -lt 10 ] || complain "took $((SECONDS - begun)) s" || return 1
			clean
		done
	done
}

@test "a tracked command that stops the guard, and the launcher too, is ended by cordon kill" {
	for how in '$PPID' '$PPID "$(cut -d " " -f 4 /proc/$PPID/stat)"'; do
		rm -f lock up
		start run --track-only -- sh -c "./leaver setsid; kill -STOP $how; touch up; sleep 60"
		until_true 60 test -e up
		CORDON_TIMEOUT=20 expect 0 kill "$("$CORDON" ps --json | sed -n 's/.*"id": "\([0-9a-f]*\)".*/\1/p')"
		end_of "$pid"
		[ "$status" -eq 137 ] || complain '137 was expected' || return 1
		clean
	done
}

@test "a stopped guard is continued, and forwards the launcher's signals" {
	for how in --net=none --track-only; do
		session "$how"
		kill -STOP "$guard"
		kill -TERM "$launcher"
		CORDON_TIMEOUT=20 end_of "$launcher"
		[ "$status" -eq 143 ] || complain '143 was expected' || return 1
		clean
	done
}

@test "a sandboxed command can stop neither guard nor launcher" {
	expect 0 run -- sh -c 'kill -STOP $PPID 2>/dev/null || kill -STOP "$(cut -d " " -f 4 /proc/$PPID/stat)" 2>/dev/null || echo refused'
	[ "$out" = refused ]
}

@test "a command of a shared session that stops the spawner still has a time limit" {
	expect 0 run --session stopped --time 1s -- true
	begun=$SECONDS
	# the first session may not have ended yet: its options are the same
	expect 124 run --session stopped --time 1s -- sh -c 'kill -STOP $PPID; sleep 60'
	[ $((SECONDS - begun)) -lt 10 ] || complain "took $((SECONDS - begun)) s"
}

# ---- in a program that runs commands by the library ----

@test "a second run at once in one process is refused by name, and one after it is not" {
	out=$(timeout 60 "$(dirname "$CORDON")/tests/process/host" at-once)
	[ "$(grep -c 'another run is under way in this process' <<<"$out")" -eq 2 ] || complain 'not refused' || return 1
	[[ $out = *'first 0 second 1 confined 1 third 0' ]] || complain 'the others fail'
}

# Of a command that is only tracked it cannot be told which children of such a program are its own.
@test "when the guard dies, children that other threads of the program started live on" {
	local threads

	for threads in 'first other' 'other first' 'other other'; do
		rm -f up guard left
		# shellcheck disable=SC2086
		out=$(timeout 60 "$(dirname "$CORDON")/tests/process/host" guard-dies run $threads)
		[ "$out" = $'bystander lives\nleft died' ] || complain "run $threads" || return 1
		rm -f up guard left
		# shellcheck disable=SC2086
		out=$(timeout 60 "$(dirname "$CORDON")/tests/process/host" guard-dies track $threads)
		[[ $out = $'bystander lives\nleft died' || $out = $'bystander lives\nleft lives, told' ]] || complain "track $threads" || return 1
	done
}

# ---- what is told ----

@test "doctor tests it" {
	"$CORDON" doctor --json >"$T/out" 2>"$T/err" || true
	json '[g["state"] for g in d["guarantees"] if g["name"] == "process.tree"] == ["proved"]'
}

@test "--status-fd: what ended the session, and how many processes were killed" {
	for how in --net=none --track-only; do
		expect 5 run "$how" --status-fd 7 -- sh -c './leaver renamed; exit 5' 7>"$T/out" 3>&-
		tail -n 1 "$T/out" >"$T/last" && mv "$T/last" "$T/out"
		json 'd["event"] == "end" and d["cause"] == "exit" and d["status"] == 5'
		json 'd["ended"] == 7 and "survivors" not in d and "lives_on" not in d'
	done
}

# ---- other users ----

# A setuid program of root's, run by another user: only root can make one.
@test "a process that became root is ended where the kernel allows it, and reported otherwise" {
	[ "$(id -u)" -eq 0 ] || return 0
	places=$(mktemp -d /tmp/cordon-test.XXXXXX)
	mkdir "$places/p"
	cp "$P/leaver" "$CORDON" "$places/"
	chmod 4755 "$places/leaver"
	chmod 755 "$places" && chmod 777 "$places/p"
	cd "$places/p"
	as='setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent'
	# where the bit does nothing there is nothing to see
	$as "$places/leaver" rooted >/dev/null 2>&1 3>&- </dev/null || return 0
	P=$places/p
	held
	touch stop
	until_true 60 free
	rm -f lock stop
	status=0
	$as timeout 60 "$places/cordon" run --track-only -- "$places/leaver" setsid \
	    >"$T/out" 2>"$T/err" 3>&- </dev/null || status=$?
	[ "$status" -eq 0 ] && clean || complain 'root only in effect'
	status=0
	$as timeout 60 "$places/cordon" run --track-only --status-fd 7 -- "$places/leaver" rooted \
	    7>"$T/status" >"$T/out" 2>"$T/err" 3>&- </dev/null || status=$?
	err=$(cat "$T/err")
	[ "$status" -eq 0 ] || complain 'it is not the command that failed'
	heard 'cordon: 1 process did not end: ' '(leaver)'
	held
	tail -n 1 "$T/status" >"$T/out"
	json 'd["ended"] == 0 and [s["name"] for s in d["survivors"]] == ["leaver"]'
	touch stop
	until_true 60 free
	rm -f lock stop
}

# ---- in one step ----

@test "leftover processes get one signal, which reaches no other process" {
	[ "$("$CORDON" doctor --json | sed -n 's/.*"landlock_abi": *\([0-9]*\).*/\1/p')" -ge 6 ] ||
		skip 'Landlock here keeps no signals in'
	sleep 300 3>&- &
	started=$!
	timeout 60 strace -f -qq -o "$T/trace" -e trace=kill "$CORDON" run -- \
		sh -c './leaver setsid; ./leaver twice' >"$T/out" 2>"$T/err" </dev/null 3>&-
	[ -e lock ] || complain 'nothing was left'
	grep -q 'kill(-1, SIGKILL) *= 0' "$T/trace" || complain "no such signal: $(cat "$T/trace")"
	kill -0 "$started" || complain 'a bystander was hit'
	clean
}
