#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A process makes its parent its tracer by PTRACE_TRACEME. The parent inside is the guard or the spawner:
# neither treats a ptrace stop as a stopped job, and the launcher raises only signals that stop a job.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
bats_require_minimum_version 1.5.0

eval "common_$(declare -f setup)"

setup()
{
	common_setup || return 1
	cat >"$P/traced.py" <<'END'
import ctypes, os, signal, sys, threading, time
libc = ctypes.CDLL(None)
def trace(number):
    libc.ptrace(0, 0, 0, 0)
    if number:
        signal.pthread_kill(threading.get_ident(), number)
way, number = sys.argv[1], int(sys.argv[2])
if way == "itself":
    trace(number)
elif way == "thread":
    threading.Thread(target=lambda: (trace(number), time.sleep(100)), daemon=True).start()
    time.sleep(float(sys.argv[3]))
    os._exit(7)
elif way == "orphan":
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.3)
            trace(number)
            open("after", "w")
            os._exit(0)
        os._exit(0)
    os.wait()
    time.sleep(1)
elif way == "handled":
    signal.signal(number, lambda *a: print("handled"))
    trace(number)
    time.sleep(0.05)
    sys.exit(5)
END
	traced="$PYTHON $P/traced.py"
}

# The launcher lives to say how it ended: the event is written, and no core is left.
@test "a traced command ends by its signal, and the launcher does not" {
	local number

	ulimit -c unlimited || skip 'there are no core files here'
	for number in 3 4 5 6 8 10 11 15 24 31 34 64; do
		status=0
		# shellcheck disable=SC2086
		SECRET=withheld "$CORDON" run --status-fd 3 -- $traced itself "$number" 3>"$T/events" >"$T/out" 2>"$T/err" </dev/null || status=$?
		[ "$status" -eq $((128 + number)) ] || complain "signal $number" || return 1
		grep -q "\"event\": \"end\".*\"signal\": $number," "$T/events" || complain "no end event for $number" || return 1
	done
	[ -z "$(find "$P" "$T" -name 'core*' -type f)" ]
}

@test "a traced command ends by its signal in every kind of session" {
	local kind

	for kind in --track-only --pty --leave '--session traced' '--net=domains --domain=example.com'; do
		# shellcheck disable=SC2086
		expect 139 run $kind -- $traced itself 11
		# shellcheck disable=SC2086
		expect 5 run $kind -- $traced handled 10
		[[ $out = *handled* ]] || complain "$kind" || return 1
	done
}

@test "an adopted process of the guard is not left in a traced stop" {
	# shellcheck disable=SC2086
	expect 0 run -- $traced orphan 28
	[ -e after ]
}

@test "a traced thread does not delay the end of the session" {
	local kind begun

	for kind in --track-only '--session thread' --pty --grace=0s; do
		begun=$SECONDS
		# shellcheck disable=SC2086
		expect 7 run $kind -- $traced thread 0 0.3
		# shellcheck disable=SC2086
		[ "$kind" = '--session thread' ] || expect 124 run $kind --time 1s -- $traced thread 0 100
		[[ $err != *'did not end'* ]] || complain "$kind" || return 1
		[ $((SECONDS - begun)) -lt 8 ] || complain "$kind took $((SECONDS - begun)) s" || return 1
	done
}

@test "launcher and guard cannot be read by the user's other processes, and leave no core" {
	local command guard launcher

	ulimit -c unlimited || skip 'there are no core files here'
	"$CORDON" run -- sh -c 'echo $$ >pid; mv pid is; exec sleep 100' &
	launcher=$!
	until_true 20 test -s "$P/is"
	command=$(cat "$P/is")
	guard=$(cut -d' ' -f4 "/proc/$command/stat")
	[ "$guard" -ne "$launcher" ]
	cat "/proc/$command/environ" >"$T/environ"
	# root reads every process
	if [ "$(id -u)" -ne 0 ]; then
		run ! cat "/proc/$launcher/environ"
		run ! cat "/proc/$guard/environ"
	fi
	kill -SEGV "$launcher"
	wait "$launcher" || true
	[ -z "$(find "$P" "$T" -name 'core*' -type f)" ]
}

@test "a tracked command keeps its own limit for core files" {
	ulimit -c unlimited || skip 'there are no core files here'
	expect 0 run --track-only -- sh -c 'ulimit -c'
	[ "$out" = unlimited ]
}
