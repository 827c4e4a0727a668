#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A command that needs the network and has none: its calls are refused and reported. The broker
# refuses and can do nothing else: stopped, killed or replaced, it never leads to a socket.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; the others are common's

load ../lib/common

launcher='' orphan='' started=''

teardown()
{
	[ -z "$launcher" ] || kill -CONT "$launcher" 2>/dev/null || true
	started="$launcher $orphan"
	end_started
}

# Where no guarantee needs a broker there is none, on any kernel.
alone=(--accept files.future --accept files.metadata --accept sockets.path --accept sockets.abstract
	--accept process.signal)
advice='allow a host with --domain NAME, this machine with --net localhost, everything with --net all'

# ask.py [COUNT [NAME]]: asks for each kind of socket, by that name; says what came of it.
ask()
{
	cat >ask.py <<-'END'
		import ctypes, errno, os, socket, sys
		results = set()
		if len(sys.argv) > 2:
		    ctypes.CDLL(None).prctl(15, os.fsencode(sys.argv[2]), 0, 0, 0)
		for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
		    for family in (socket.AF_INET, socket.AF_INET6):
		        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
		            try:
		                socket.socket(family, kind).close()
		                results.add("made")
		            except OSError as e:
		                results.add(errno.errorcode[e.errno])
		print(*sorted(results))
		sys.exit(9)
	END
}

# events: those about the network in $T/status, as "SUBJECT"
events()
{
	"$PYTHON" - "$T/status" <<-'END'
		import json, sys
		for line in map(json.loads, open(sys.argv[1], encoding="utf-8")):
		    if line["event"] == "refused" and line["what"] == "network":
		        assert "allow" not in line and line["reason"].startswith("no network access is granted; "), line
		        print(line["subject"])
	END
}

@test "a failed run that tried the network reports it once, with the options" {
	ask
	expect 9 run --status-fd 5 -- "$PYTHON" ask.py 5>"$T/status"
	said EACCES
	[ "$out" = EACCES ] || complain 'nothing else was expected'
	one_notice 'cordon: refused: network for python3' "no network access is granted; $advice"
	[ "$(events | wc -l)" -eq 1 ] || complain "$(cat "$T/status")"
	grep -rq '"what": "network"' "$XDG_STATE_HOME/cordon/audit" || complain 'not in the log'
	# a shell uses no network; a command that succeeds gets one line, and with -q none is printed
	expect 9 run -- sh -c 'exit 9'
	silent
	expect 0 run -- sh -c "$PYTHON ask.py || :"
	only_counted 1
	expect 9 run -q -- "$PYTHON" ask.py
	silent
}

@test "refused network attempts are reported with the program's name" {
	expect 6 run -- curl -sS http://example.com/
	heard "cordon: refused: network for curl: no network access is granted; $advice"
	expect 1 run -- sh -c 'git ls-remote http://example.com/x || exit 1'
	heard 'cordon: refused: network for git-remote-http: no network access'
	expect 1 run -- node -e 'require("http").get("http://127.0.0.1:9/").on("error", () => process.exit(1))'
	heard 'cordon: refused: network for node'
}

# The options are tried as they stand; a mode that was typed stays, so another has to be.
@test "the advised options work" {
	ask
	expect 9 run --net none -- "$PYTHON" ask.py
	heard 'allow a host with --net domains --domain NAME, this machine'
	for options in '--net localhost' '--net all' '--domain example.com' \
	    '--net none --net domains --domain example.com'; do
		# shellcheck disable=SC2086 # options are words
		expect 0 run $options -- "$PYTHON" -c 'import socket; socket.socket().close()'
		silent
	done
	# what these refuse is another matter, and told otherwise
	expect 9 run --net localhost -- "$PYTHON" ask.py
	[[ $err != *'access is granted'* ]] || complain 'there is one'
}

@test "refusals below one folder are one line, and the network has one for each program" {
	ask
	mkdir kept
	tries='for i in 1 2 3 4; do echo x >kept/$i; done; "$0" ask.py 1 one; "$0" ask.py 1 two; echo x >kept/5; exit 7'
	expect 7 run --status-fd 5 --protect kept -- sh -c "($tries) 2>/dev/null" "$PYTHON" 5>"$T/status"
	[ "$(grep -c '^cordon: refused' "$T/err")" -eq 3 ] || complain 'three lines were expected'
	[ "$(grep -c '^cordon: refused: create 5 names below ' "$T/err")" -eq 1 ] || complain 'not folded'
	[ "$(grep -c '^cordon: refused: network for one: ' "$T/err")" -eq 1 ] || complain 'one is missing'
	[ "$(grep -c '^cordon: refused: network for two: ' "$T/err")" -eq 1 ] || complain 'two is missing'
	[ "$(events)" = "$(printf '%s\n' one two)" ] || complain "$(events)"
}

@test "a flood of attempts is one event, and a program's name is printed escaped" {
	ask
	expect 9 run --status-fd 5 -- "$PYTHON" ask.py 2000 5>"$T/status"
	[ "$out" = EACCES ] && [ "$(events | wc -l)" -eq 1 ] || complain "$(cat "$T/status")"
	expect 9 run --status-fd 5 -- "$PYTHON" ask.py 1 $'a\033[2Jb\nc\xff' 5>"$T/status"
	heard 'cordon: refused: network for a\x1b[2Jb\x0ac'
	[ "$(grep '^cordon' "$T/err" | grep -c "$escape")" -eq 0 ]
	events >/dev/null
}

@test "without a broker the network is refused and not reported" {
	ask
	expect 9 run --status-fd 5 "${alone[@]}" -- "$PYTHON" ask.py 5>"$T/status"
	[ "$out" = EACCES ] || complain 'another errno was expected'
	silent
	[ "$(events | wc -l)" -eq 0 ]
	# one for the names of sockets is enough to be told, where it takes one; and so is one for reading
	expect 9 run --deny '**/.env' -- "$PYTHON" ask.py
	[ "$out" = EACCES ] || complain 'another errno was expected'
	one_notice 'network for python3'
	expect 9 run -p strict --read /usr --execute /usr -- "$PYTHON" ask.py
	[ "$out" = EACCES ] || complain 'another errno was expected'
	one_notice 'network for '
}

@test "System V memory, semaphores and queues return ENOSYS, and the attempt is reported" {
	cat >sysv.py <<-'END'
		import ctypes, errno, sys
		libc = ctypes.CDLL(None, use_errno=True)
		for make, remove in ((lambda: libc.shmget(0, 4096, 0o600), lambda i: libc.shmctl(i, 0, None)),
		                     (lambda: libc.semget(0, 1, 0o600), lambda i: libc.semctl(i, 0, 0)),
		                     (lambda: libc.msgget(0, 0o600), lambda i: libc.msgctl(i, 0, None))):
		    made = make()
		    print("made" if made >= 0 else errno.errorcode[ctypes.get_errno()])
		    if made >= 0:
		        remove(made)
		sys.exit(9)
	END
	[ "$("$PYTHON" sysv.py)" = "$(printf 'made\nmade\nmade')" ]
	expect 9 run -- "$PYTHON" sysv.py
	# PostgreSQL takes EACCES for the key of another user, and tries others for ever
	[ "$out" = "$(printf 'ENOSYS\nENOSYS\nENOSYS')" ]
	[ "$err" = 'cordon: refused: ipc.sysv for python3: System V shared memory, semaphores and message queues are not granted; allow them with --ipc sysv' ] ||
		complain "$err"
	expect 9 run "${alone[@]}" -- "$PYTHON" sysv.py
	[ "$out" = "$(printf 'ENOSYS\nENOSYS\nENOSYS')" ]
	[ -z "$err" ]
	# granted, they are there, with and without a broker; plan says what that opens
	expect 9 run --ipc sysv -- "$PYTHON" sysv.py
	[ "$out" = "$(printf 'made\nmade\nmade')" ] && [ -z "$err" ] || complain "$out"
	expect 9 run --policy-json '{"ipc": "sysv"}' "${alone[@]}" -- "$PYTHON" sysv.py
	[ "$out" = "$(printf 'made\nmade\nmade')" ] || complain "$out"
	expect 0 plan --ipc sysv
	said 'System V: queues, semaphores and memory of every process of the user'
	expect 125 run --ipc posix -- true
	heard '--ipc' 'is none of none, sysv'
	# a project gets them only when they were approved
	echo '{"ipc": "sysv"}' >.cordon.json
	expect 9 run -- "$PYTHON" sysv.py
	[ "$out" = "$(printf 'ENOSYS\nENOSYS\nENOSYS')" ] || complain "$out"
	expect 9 run --ipc none --no-project-policy -- "$PYTHON" sysv.py
	[ "$out" = "$(printf 'ENOSYS\nENOSYS\nENOSYS')" ]
}

@test "the outer session reports its refusal of what the nest allows" {
	ask
	inside=(--read "${CORDON%/*}" --execute "${CORDON%/*}")
	expect 9 run --status-fd 5 "${inside[@]}" -- "$CORDON" run -q --net all -- "$PYTHON" ask.py 5>"$T/status"
	[ "$out" = EACCES ] || complain 'another errno was expected'
	heard 'network for python3'
	[ "$(events | wc -l)" -eq 1 ] || complain "$(cat "$T/status")"
	# the filter of the inner one comes before the broker of the outer one
	expect 9 run "${inside[@]}" -- "$CORDON" run -q -- "$PYTHON" ask.py
	[ "$out" = EACCES ] || complain 'another errno was expected'
}

@test "in a shared session a refusal is reported only to the invoker of the command" {
	ask
	"$CORDON" run --session told -- sh -c 'touch up; while [ ! -e go ]; do sleep 0.05; done; exit 9' \
	    2>"$T/keeper" </dev/null 3>&- &
	launcher=$!
	until_true 60 test -e up
	expect 9 run --session told -- "$PYTHON" ask.py
	[ "$out" = EACCES ] || complain 'another errno was expected'
	one_notice 'network for python3'
	touch go
	status=0
	wait "$launcher" || status=$?
	launcher=''
	[ "$status" -eq 9 ] && [ ! -s "$T/keeper" ] || complain "$(cat "$T/keeper")"
}

@test "a command over its cpu time is reported, and killed if it ignores SIGXCPU" {
	expect 152 run --cpu-time 1s -- sh -c 'while :; do :; done'
	one_notice 'cordon: the limit of CPU time ended it'
	expect 137 run --cpu-time 1s -- sh -c 'trap "" XCPU; while :; do :; done'
	silent
	# a signal that anybody can send says nothing about time
	expect 152 run --cpu-time 20s -- sh -c 'kill -XCPU $$'
	silent
	expect 152 run -- sh -c 'kill -XCPU $$'
	silent
	# whoever set it
	(ulimit -S -t 1 && expect 152 run -- sh -c 'while :; do :; done' && one_notice 'cordon: the limit of CPU time ended it')
	expect 0 run --cpu-time 1s -- sh -c 'ulimit -S -t; ulimit -H -t'
	[ "$out" = $'1\n2' ] || complain 'other limits were expected'
	# what we were given is never exceeded
	(ulimit -t 20 && expect 0 run --cpu-time 20s -- sh -c 'ulimit -S -t; ulimit -H -t' && [ "$out" = $'20\n20' ])
}

@test "run accepts the option that is advised for a socket" {
	mkdir "$T/folder"
	denied socket "$T/later.sock"
	said "to allow it: make it, then --socket $T/later.sock"
	expect 1 why --json socket "$T/later.sock"
	json 'd["remedy"] is None'
	refused run --socket "$T/later.sock" -- true
	denied socket "$T/folder"
	unsaid 'to allow it'
	refused run --socket "$T/folder" -- true
	"$PYTHON" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/later.sock"
	denied socket "$T/later.sock"
	said "to allow it: --socket $T/later.sock"
	expect 0 run --socket "$T/later.sock" -- true
}

# By its name as a user the home may be missing, whatever HOME says: that nothing is logged there is said.
@test "a log that cannot be written is reported" {
	echo x >"$T/file"
	XDG_STATE_HOME=$T/file/state expect 0 run -- true
	one_notice "cordon: cannot write the audit log $T/file/state/cordon/audit/shell-"
}

# orphan.py: asks when "first" and "second" appear; then, with a listener of its own, says yes to itself.
orphan()
{
	cat >orphan.py <<-'END'
		import ctypes, errno, fcntl, os, platform, socket, struct, threading, time
		libc = ctypes.CDLL(None, use_errno=True)
		number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
		call = {"x86_64": 41, "aarch64": 198}[platform.machine()]

		def ask(what):
		    while not os.path.exists(what):
		        time.sleep(0.02)
		    print(what, "asks", flush=True)
		    try:
		        socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		        print(what, "made", flush=True)
		    except OSError as e:
		        print(what, errno.errorcode[e.errno], flush=True)

		def listen():
		    # if the call is that one: to the listener; else: allowed
		    code = struct.pack("<" + "HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, call, 6, 0, 0, 0x7fc00000, 6, 0, 0, 0x7fff0000)
		    keep = ctypes.create_string_buffer(code)
		    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", 4, ctypes.addressof(keep)))
		    libc.prctl(38, 1, 0, 0, 0)
		    return libc.syscall(number, 1, 8, program)

		def answer():
		    while True:
		        asked = bytearray(80)
		        fcntl.ioctl(listener[0], 0xc0502100, asked)
		        fcntl.ioctl(listener[0], 0xc0182101, struct.pack("<QqiI", struct.unpack_from("<Q", asked)[0], 0, 0, 1))

		listener, ready = [], threading.Event()
		threading.Thread(target=lambda: (ready.wait(), answer()), daemon=True).start()
		open("up", "w").write(str(os.getpid()))
		ask("first")
		ask("second")
		got = listen()
		if got >= 0:
		    listener.append(got)
		    ready.set()
		print("listener", "made" if got >= 0 else errno.errorcode[ctypes.get_errno()], flush=True)
		ask("second")
		print("finished", flush=True)
	END
}

# answered LINE: it stands in what the orphan said.
answered()
{
	grep -qx "$1" "$T/said"
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null
}

@test "free, an own seccomp listener allows the call" {
	orphan
	touch first second
	timeout 60 "$PYTHON" orphan.py >"$T/said" 3>&-
	answered 'first made' && answered 'listener made' && answered 'finished' || complain "$(cat "$T/said")"
	[ "$(grep -c '^second made$' "$T/said")" -eq 2 ] || complain "$(cat "$T/said")"
}

# The orphan lives as long as no process can end it: its launcher is stopped, and the guard is gone.
@test "no socket can be created while the broker is stopped, killed or replaced" {
	orphan
	"$CORDON" run -- sh -c 'setsid "$1" orphan.py & wait' sh "$PYTHON" >"$T/said" 2>/dev/null 3>&- &
	launcher=$!
	until_true 60 test -s up
	orphan=$(cat up)
	guard=$(cat "/proc/$launcher/task/$launcher/children")
	guard=${guard%% *}
	kill -STOP "$launcher" "$guard"
	until_true 60 grep -q '^State:.T' "/proc/$guard/status"
	touch first
	until_true 60 answered 'first asks'
	[ "$(cat "$T/said")" = 'first asks' ] || complain "$(cat "$T/said")"
	# it goes on: refused
	kill -CONT "$guard"
	until_true 60 answered 'first EACCES'
	kill -STOP "$guard"
	until_true 60 grep -q '^State:.T' "/proc/$guard/status"
	touch second
	until_true 60 answered 'second asks'
	kill -KILL "$guard"
	until_true 60 answered 'finished'
	[ "$(grep -c '^second ENOSYS$' "$T/said")" -eq 2 ] || complain "$(cat "$T/said")"
	answered 'listener EBUSY' || complain "$(cat "$T/said")"
	[ "$(grep -c made "$T/said")" -eq 0 ] || complain "$(cat "$T/said")"
	kill -CONT "$launcher"
	wait "$launcher" || true
	launcher=''
	until_true 60 is_gone "$orphan"
	orphan=''
}
