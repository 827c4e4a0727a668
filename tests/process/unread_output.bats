# SPDX-License-Identifier: MIT
# Nobody reads what is said: a command that says much must not keep its caller from ending it.

load ../lib/common

teardown()
{
	end_started
}

# A pipe on descriptor 4 that nobody reads.
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

@test "the status descriptor: it is ended all the same" {
	unread
	mkdir kept
	"$CORDON" run -q --status-fd 4 --protect kept -- sh -c "$refusals; exec sleep 1000" 3>&- &
	started=$!
	until_true 60 test -s 'done'
	ends 143
}

@test "the status descriptor: who reads only afterwards hears of the end" {
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

@test "a terminal of its own whose output nobody takes" {
	unread
	"$CORDON" run --pty -- yes >&4 2>/dev/null </dev/null 3>&- &
	started=$!
	until_true 60 is_full
	ends 143
}
