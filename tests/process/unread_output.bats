# SPDX-License-Identifier: MIT
# Output that is not read: a command that writes much must not prevent its caller from ending it.

load ../lib/common

teardown()
{
	end_started
}

# A pipe on descriptor 4 that is not read.
unread()
{
	mkfifo "$T/unread"
	exec 4<>"$T/unread"
}

is_full()
{
	"$PYTHON" -c 'import select, sys
sys.exit(len(select.select([], [4], [], 0)[1]))'
}

ended()
{
	! kill -0 "$started" 2>/dev/null
}

# ends STATUS: on SIGTERM, whatever is left unread.
ends()
{
	kill -TERM "$started"
	until_true 60 ended || complain 'it does not end' || return 1
	status=0
	wait "$started" || status=$?
	started=''
	[ "$status" -eq "$1" ] || complain "status $1 was expected"
}

refusals='i=0; while [ $i -lt 900 ]; do echo x >kept/$i; i=$((i + 1)); done 2>/dev/null; echo x >done'

@test "a status descriptor that is not read does not delay the end" {
	unread
	mkdir kept
	"$CORDON" run -q --status-fd 4 --protect kept -- sh -c "$refusals; exec sleep 1000" 3>&- &
	started=$!
	until_true 60 test -s 'done'
	ends 143
}

@test "a status descriptor that is read late has the end event" {
	unread
	mkdir kept
	"$CORDON" run --status-fd 4 --protect kept -- sh -c "$refusals" 2>"$T/err" 3>&- &
	started=$!
	until_true 60 ended || complain 'it waits for a reader'
	wait "$started"
	started=''
	err=$(cat "$T/err")
	heard 'the status descriptor was full'
	dd if="$T/unread" iflag=nonblock bs=65536 2>/dev/null >"$T/status" || true
	grep -q '"event": "start"' "$T/status"
	grep -q '"event": "refused"' "$T/status"
	grep -q '"event": "end"' "$T/status"
}

@test "a pty whose output is not read does not delay the end" {
	unread
	"$CORDON" run --pty -- yes >&4 2>/dev/null </dev/null 3>&- &
	started=$!
	until_true 60 is_full
	ends 143
}

# The command shares the caller's terminal: what it leaves there keeps none of cordon's own lines back.
@test "a terminal that the command has stopped, or filled and made nonblocking, does not delay the end" {
	cat >"$T/terminal.py" <<-'END'
		import os, pty, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		time.sleep(float(os.environ["WAITS"]))
		try:
		    while piece := os.read(fd, 65536):
		        os.write(1, piece)
		except OSError:
		    pass
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	cat >quiet.py <<-'END'
		import os, sys, termios, time
		try:
		    open(os.environ["HOME"] + "/refused", "w")
		except OSError:
		    pass
		if sys.argv[1] == "full":
		    os.set_blocking(2, False)
		    # the kernel makes room a moment later, until both of its buffers are full
		    for _ in range(20):
		        try:
		            while True:
		                os.write(2, b"x" * 100)
		        except BlockingIOError:
		            time.sleep(0.02)
		else:
		    termios.tcflow(2, termios.TCOOFF)
		os._exit(5)
	END
	for how in full stopped; do
		status=0
		WAITS=3 timeout 60 "$PYTHON" "$T/terminal.py" "$CORDON" run -- "$PYTHON" quiet.py "$how" >"$T/out" || status=$?
		[ "$status" -eq 5 ] || complain "$how" || return 1
		grep -q 'cordon: refused: create' "$T/out" || complain "$how" || return 1
	done
}
