#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Job control: a command joins no process group of outside processes and takes no terminal from them, which
# would make the kernel stop or end them. Each attempt works without cordon. Shells work as without cordon.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

eval "common_$(declare -f setup)"

setup()
{
	common_setup || return 1
	cat >"$P/attempt.py" <<'END'
import os, signal, sys, time
way, outsider = sys.argv[1], int(os.environ.get("OUTSIDER", "0"))
def attempt(fn, *arguments):
    try:
        fn(*arguments)
        print("DONE", flush=True)
    except OSError as error:
        print("REFUSED", error.errno, flush=True)
def read_terminal():
    signal.signal(signal.SIGTTIN, signal.SIG_DFL)
    try:
        os.read(os.open("/dev/tty", os.O_RDWR), 1)
    except OSError:
        pass
if way == "join" or way == "child":
    # a member of the group that reads from the terminal has all of it stopped
    pid = os.fork()
    if pid == 0:
        if way == "join":
            attempt(os.setpgid, 0, outsider)
        time.sleep(0.3)
        if os.getpgrp() == outsider:
            read_terminal()
        os._exit(0)
    if way == "child":
        attempt(os.setpgid, pid, outsider)
    time.sleep(0.6)
    os.kill(pid, signal.SIGKILL)
elif way == "give":
    attempt(os.tcsetpgrp, 0, outsider)
elif way == "take":
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    attempt(os.tcsetpgrp, 0, os.getpgrp())
elif way == "take-new":
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.setpgid(0, 0)
    attempt(os.tcsetpgrp, 0, os.getpgrp())
elif way == "own":
    # every move among groups of one's own, and back to the first
    first = os.getpgrp()
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    read, write = os.pipe()
    one = os.fork()
    if one == 0:
        os.close(write)
        os.read(read, 1)
        os._exit(0)
    os.setpgid(one, one)
    two = os.fork()
    if two == 0:
        os.setpgid(0, one)
        os.tcsetpgrp(0, one)
        os.tcsetpgrp(0, first)
        os._exit(0)
    two = os.waitpid(two, 0)[1]
    os.setpgid(0, 0)
    os.setpgid(0, one)
    os.tcsetpgrp(0, one)
    os.close(write)
    os.waitpid(one, 0)
    # the leader is gone, we are still in its group
    three = os.fork()
    if three == 0:
        os.setpgid(0, 0)
        os.setpgid(0, one)
        os._exit(0)
    three = os.waitpid(three, 0)[1]
    os.setpgid(0, first)
    os.tcsetpgrp(0, first)
    print("DONE" if two == three == 0 else "FAILED", flush=True)
END
	jobs="$PYTHON $BATS_TEST_DIRNAME/jobs.py"
	attempt="$PYTHON $P/attempt.py"
}

# attempt WHERE WAY FREE CONFINED: what both print last of all.
attempted()
{
	# shellcheck disable=SC2086
	out=$(timeout 40 $jobs "$1" $attempt "$2")
	# shellcheck disable=SC2053
	[[ $out = $3 ]] || complain "$2, free" || return 1
	# shellcheck disable=SC2086
	out=$(timeout 40 $jobs "$1" "$CORDON" run $options --env OUTSIDER -- $attempt "$2")
	# shellcheck disable=SC2053
	[[ $out = $4 ]] || complain "$2, confined $options"
}

@test "a command cannot move itself or its children to a process group outside" {
	local options=''

	attempted foreground join 'DONE*OUTSIDER T other' 'REFUSED 1*OUTSIDER S other'
	attempted foreground child 'DONE*OUTSIDER T other' 'REFUSED 1*OUTSIDER S other'
	options='-p strict'
	attempted foreground join 'DONE*OUTSIDER T other' 'REFUSED 1*OUTSIDER S other'
}

@test "a command cannot make a process group outside the terminal's foreground group" {
	local options=''

	attempted foreground give 'DONE*OUTSIDER ? outsider' 'REFUSED 1*OUTSIDER S other'
}

@test "a background command cannot take the terminal from a process group outside" {
	local options=''

	attempted background take 'DONE*OUTSIDER ? other' 'REFUSED 1*OUTSIDER S outsider'
	attempted background take-new 'DONE*OUTSIDER ? other' 'REFUSED 1*OUTSIDER S outsider'
}

@test "process groups in the session are created, joined and given the terminal as in a bare run" {
	local options

	for options in '' '-p strict' --pty '--net localhost'; do
		attempted foreground own 'DONE*' 'DONE*'
	done
}

@test "a nested command cannot do it to processes of the outer session either" {
	local script='sleep 60 & exec "$0" run --env OUTSIDER=$! -- "$@"'

	# shellcheck disable=SC2086
	out=$(timeout 40 $jobs foreground "$CORDON" run --execute "$CORDON" -- "$CORDON" run -- $attempt own)
	[[ $out = DONE* ]] || complain 'own groups' || return 1
	# the job is in a group of its own, and of the sandbox around
	# shellcheck disable=SC2086
	out=$(timeout 40 $jobs foreground "$CORDON" run --execute "$CORDON" -- bash -c "set -m; $script" "$CORDON" $attempt join)
	[[ $out = *'REFUSED 1'* ]] || complain 'a group outside'
}

# A group without a parent outside it, as in cron and CI, which a child left in it makes orphaned anew.
@test "a command cannot make the kernel hang up the process group that started it" {
	cat >orphan.py <<-'E'
		import os, signal, sys, threading, time
		signal.signal(signal.SIGHUP, signal.SIG_IGN)
		start, (ready, go) = os.getpgrp(), os.pipe()
		if sys.argv[1] == "thread":
		    threading.Thread(target=lambda: time.sleep(60), daemon=True).start()
		child = os.fork()
		if child == 0:
		    os.read(ready, 1)
		    if sys.argv[1] == "back":
		        try:
		            os.setpgid(0, start)
		        except OSError:
		            pass
		    stopped = os.fork()
		    if stopped == 0:
		        os.kill(os.getpid(), signal.SIGSTOP)
		        os._exit(0)
		    os.waitpid(stopped, os.WUNTRACED)
		    os._exit(0)
		try:
		    if sys.argv[1] == "back":
		        os.setpgid(child, child)
		    os.setpgid(0, 0)
		except OSError as why:
		    print("setpgid:", why.strerror)
		os.write(go, b"x")
		os.waitpid(child, 0)
		time.sleep(0.2)
	E
	cat >script <<-'E'
		sleep 60 & bystander=$!
		"$@" >"$T/said"
		if kill -0 "$bystander"; then kill "$bystander"; echo alive; fi
	E
	export T
	for way in plain thread back; do
		status=0
		setsid -w bash script "$PYTHON" orphan.py "$way" >"$T/free" </dev/null 3>&- || status=$?
		[ "$status" -eq 129 ] && [ ! -s "$T/free" ] || complain "free, $way: the group is not hung up"
		setsid -w bash script "$CORDON" run -q -- "$PYTHON" orphan.py "$way" >"$T/out" </dev/null 3>&-
		[ "$(cat "$T/out")" = alive ] || complain "$way: $(cat "$T/out" "$T/said")"
		[ "$way" = back ] || grep -q 'Operation not permitted' "$T/said" || complain "$way"
	done
}

@test "--leave: a stopped command that is killed ends the run" {
	cat >stopped.py <<-'E'
		import os, signal, subprocess, sys, time
		script = "sleep 2 & echo $$; exec 1>&-; kill -STOP $$; exit 3"
		run = subprocess.Popen(sys.argv[1:] + ["sh", "-c", script], stdout=subprocess.PIPE, text=True,
		                       process_group=0)
		command = int(run.stdout.readline())
		os.waitpid(run.pid, os.WUNTRACED)
		os.kill(command, signal.SIGKILL)
		for _ in range(100):
		    pid, status = os.waitpid(run.pid, os.WNOHANG)
		    if pid:
		        code = os.waitstatus_to_exitcode(status)
		        sys.exit(code if code >= 0 else 128 - code)
		    time.sleep(0.1)
		os.killpg(run.pid, signal.SIGKILL)
		sys.exit("stays stopped")
	E
	for how in '' "$CORDON run -q --leave --" "$CORDON run -q --leave --track-only --"; do
		status=0
		# shellcheck disable=SC2086
		"$PYTHON" stopped.py $how >out 2>&1 3>&- || status=$?
		[ "$status" -eq 137 ] || complain "$how: $status, $(cat out)" || return 1
	done
}
