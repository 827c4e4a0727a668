#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Terminals: a command reaches those on which it was started, those it has and those it makes, and no others. Each
# attempt on another one works outside and fails inside; programs can use their own terminals as without cordon.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

export ASAN_OPTIONS=detect_leaks=0:exitcode=99

# A terminal of another process, in which something was typed: $name, opened by $owner as descriptor $number.
begin()
{
	cp "$TREE/tests/attack/attack_terminals.py" .
	cat >"$T/owner.py" <<-'END'
		import os, signal, sys, termios
		master, slave = os.openpty()
		mode = termios.tcgetattr(slave)
		mode[3] &= ~termios.ECHO
		termios.tcsetattr(slave, termios.TCSANOW, mode)
		os.write(master, b"typed\n")
		with open(sys.argv[1] + ".new", "w") as file:
		    print(os.ttyname(slave), os.getpid(), slave, file=file)
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		signal.pause()
	END
	"$PYTHON" "$T/owner.py" "$T/owner" 3>&- &
	owner=$!
	until_true 60 test -e "$T/owner"
	read -r name _ number <"$T/owner"
}

teardown()
{
	[ -z "${owner:-}" ] || end "$owner"
	[ -z "${first:-}" ] || end "$first"
}

end()
{
	kill -KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

attack()
{
	expect 0 run "$@" -- "$PYTHON" attack_terminals.py none "$name" "$owner" "$number" || return 1
	said 'tried 59'
}

# bare COMMAND...: outside, as `expect 0` runs it.
bare()
{
	status=0
	timeout 120 "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq 0 ] || complain "works bare: $*"
}

# on_terminal COMMAND: standard input, output and errors are a new terminal, as at a login.
on_terminal()
{
	status=0
	timeout 200 script -qec "$1" "$T/typescript" </dev/null >"$T/raw" 2>"$T/err" || status=$?
	out=$(tr -d '\r' <"$T/raw") err=$(cat "$T/err")
}

@test "other terminals: every way to open one works free and fails confined" {
	begin
	bare "$PYTHON" attack_terminals.py all "$name" "$owner" "$number"
	said 'tried 59'
	attack
	# where every open is done on behalf, and where nothing can be changed
	echo x >secret
	attack --deny secret
	attack -p strict --read /proc --accept process.listing
	attack --write /dev/shm --net localhost
}

@test "input typed in another terminal can be read free and not confined" {
	begin
	expect 9 run -- sh -c "(read -r x <$name && echo \"\$x\") || exit 9"
	unsaid typed
	expect 9 run --deny attack_terminals.py -- sh -c "(read -r x <>$name && echo \"\$x\") || exit 9"
	unsaid typed
	heard 'Permission denied'
	bare sh -c "read -r x <$name && echo \"\$x\""
	said typed
}

@test "a refused terminal is reported with the option that would allow it" {
	begin
	expect 9 run --deny attack_terminals.py -- sh -c "(exec 3<$name) || exit 9"
	heard "$name is a terminal of other processes" "--read $name"
	expect 9 run -- sh -c "(echo x >$name) || exit 9"
	heard "$name is a terminal of other processes" "--write $name"
}

@test "names and memory changed during the call lead to no other terminal" {
	begin
	CORDON_TIMEOUT=200 expect 0 run -- "$PYTHON" attack_terminals.py flip "$name"
	said 'flipping_link' 'flipping_memory' 'theirs 0'
	# the same with a terminal that the kernel lets be opened without asking
	on_terminal "$CORDON run -- $PYTHON attack_terminals.py flip $name \$(tty)"
	[ "$status" -eq 0 ] || complain 'nothing was to get through'
	said 'flipping_link' 'flipping_memory' 'theirs 0'
}

# The number is reused as soon as no process has the terminal open: then it belongs to another process.
@test "a pty number of the session is foreign once the kernel has reused it" {
	cat >"$T/taker.py" <<-'END'
		# waits for a number, takes terminals until it has that one, and says so
		import os, signal, sys, time
		end, held = time.monotonic() + 100, []
		while time.monotonic() < end:
		    try:
		        wanted = open("free").read().strip()
		    except OSError:
		        wanted = ""
		    if not wanted:
		        time.sleep(0.01)
		        continue
		    held = [os.openpty() for _ in range(20)]
		    got = wanted in (os.ttyname(slave) for _, slave in held)
		    os.unlink("free")
		    with open("taken.new", "w") as file:
		        print("yes" if got else "no", file=file)
		    os.rename("taken.new", "taken")
		    if got:
		        signal.pause()
		    for pair in held:
		        os.close(pair[0]), os.close(pair[1])
	END
	cat >maker.py <<-'END'
		import os, sys, time
		end = time.monotonic() + 100
		while time.monotonic() < end:
		    master, slave = os.openpty()
		    name = os.ttyname(slave)
		    os.close(os.open(name, os.O_RDWR | os.O_NOCTTY))
		    os.close(slave), os.close(master)
		    with open("free.new", "w") as file:
		        print(name, file=file)
		    os.rename("free.new", "free")
		    while not os.path.exists("taken") and time.monotonic() < end:
		        time.sleep(0.01)
		    taken = open("taken").read().strip()
		    os.unlink("taken")
		    # another process may have been quicker
		    if taken == "yes":
		        try:
		            os.open(name, os.O_RDWR | os.O_NOCTTY)
		            sys.exit("opened " + name)
		        except PermissionError:
		            print("refused")
		            sys.exit(0)
		sys.exit("never got it")
	END
	"$PYTHON" "$T/taker.py" >/dev/null 2>"$T/taker.err" 3>&- &
	owner=$!
	CORDON_TIMEOUT=150 expect 0 run -- "$PYTHON" maker.py
	said refused
}

@test "ptys made in the session can be opened by name, by TIOCGPTPEER, and as stty does" {
	cat >own.py <<-'END'
		import fcntl, os, pty, struct, sys
		master, slave = os.openpty()
		name = os.ttyname(slave)
		for flags in (os.O_RDWR, os.O_WRONLY, os.O_RDWR | os.O_NONBLOCK, os.O_WRONLY | os.O_CREAT | os.O_TRUNC):
		    fd = os.open(name, flags | os.O_NOCTTY)
		    assert os.ttyname(fd) == name
		    os.write(fd, b"out\n")
		    text = b""
		    while len(text) < len(b"out\r\n"):  # it may come in parts
		        text += os.read(master, 99)
		    assert text == b"out\r\n", text
		    os.close(fd)
		# O_RDONLY | O_NONBLOCK and nothing else, which python adds to
		import ctypes
		assert ctypes.CDLL(None).open(name.encode(), os.O_NONBLOCK) >= 0
		peer = fcntl.ioctl(master, 0x5441, os.O_RDWR | os.O_NOCTTY)
		assert os.ttyname(peer) == name
		os.write(master, b"in\n")
		assert os.read(peer, 99) == b"in\n"
		# many, one after the other and at once
		for _ in range(300):
		    a, b = os.openpty()
		    os.close(a), os.close(b)
		held = [os.openpty() for _ in range(100)]
		for _, b in held:
		    os.close(os.open(os.ttyname(b), os.O_RDWR | os.O_NOCTTY))
		# a child that leads a session, on a terminal that its parent made
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("sh", ["sh", "-c", "exec 3<>\"$(tty)\" 4<>/dev/tty; echo ready >&3; stty -F \"$(tty)\" >&4; "
		                     "read -r x </dev/tty; echo \"got $x\" >&4; exit 5"])
		os.write(fd, b"word\n")
		text = b""
		try:
		    while chunk := os.read(fd, 4096):
		        text += chunk
		except OSError:
		    pass
		assert b"ready" in text and b"speed" in text and b"got word" in text, text
		assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
		print("fine")
	END
	bare "$PYTHON" own.py
	said fine
	expect 0 run -- "$PYTHON" own.py
	said fine
	echo x >secret
	expect 0 run --deny secret -- "$PYTHON" own.py
	said fine
	expect 0 run -p strict -- "$PYTHON" own.py
	said fine
}

@test "after SIGTERM a command can still open its first pty" {
	cat >late.py <<-'END'
		import os, signal
		def last(*_):
		    master, slave = os.openpty()
		    os.close(os.open(os.ttyname(slave), os.O_RDWR | os.O_NOCTTY))
		    open("said", "w").close()
		    os._exit(0)
		signal.signal(signal.SIGTERM, last)
		open("ready", "w").close()
		while True:
		    signal.pause()
	END
	expect 3 run --grace 60s -- sh -c "'$PYTHON' late.py &
		until [ -e ready ]; do sleep 0.1; done; exit 3" 3>&-
	[ -e said ] || complain 'it was not opened'
}

@test "script and tmux create ptys, and their shells use them" {
	expect 0 run -- script -qec 'tty; echo by-name >"$(tty)"; stty -F "$(tty)" size; exit 0' "$P/typescript"
	said /dev/pts/ by-name
	cat >mux.sh <<-'END'
		# the user's own terminal may refuse all other processes
		export SHELL=/bin/sh
		m="tmux -S $TMPDIR/s -f /dev/null"
		i=0
		$m new-session -d -x 80 -y 24 'echo one >"$(tty)"; tty >first; sleep 600'
		$m split-window 'exec 3<>"$(tty)"; echo two >&3; tty >second; sleep 600'
		until [ -s first ] && [ -s second ]; do
			i=$((i + 1))
			[ $i -lt 1200 ] || exit 1
			sleep 0.05
		done
		$m kill-server
	END
	expect 0 run -- sh mux.sh
	[ -n "$(cat first)" ]
	[ "$(cat first)" != "$(cat second)" ]
}

@test "the terminal of the start can be opened by every name, also for reading only" {
	begin
	cat >here.sh <<-'END'
		set -e
		name=$(tty)
		for path in "$name" /dev/tty /dev/stdin /dev/fd/0 /proc/self/fd/1; do
			: <"$path"
			: <>"$path"
			: >"$path"
		done
		stty -F "$name" >/dev/null
		(exec </dev/null >/dev/null 2>&1; : <"$name"; echo by-name >"$name")
		# one that neither has it nor is on it any more
		setsid -w sh -c 'exec </dev/null >/dev/null 2>&1; : <"$1"; echo from-afar >"$1"' sh "$name"
		echo fine
		if (: <"$1") 2>/dev/null; then exit 9; fi
		if (: >"$1") 2>/dev/null; then exit 9; fi
		echo refused
	END
	on_terminal "$CORDON run -- sh here.sh $name"
	[ "$status" -eq 0 ] || complain 'all of it was to work'
	said by-name from-afar fine refused
	echo x >secret
	sed -i '/^setsid/d' here.sh
	on_terminal "$CORDON run --deny secret -- sh here.sh $name"
	[ "$status" -eq 0 ] || complain 'all of it was to work'
	said by-name fine refused
}

@test "a terminal that is only granted for writing cannot be read" {
	begin
	for path in "$name" /proc/self/fd/1; do
		for way in '<' '<>'; do
			script="echo named >$path && echo yes >did && (exec 3$way$path) || exit 9"
			sh -c "$script" >"$name"
			rm did
			for option in -v '--deny attack_terminals.py'; do
				status=0
				# shellcheck disable=SC2086 # an option and its value
				timeout 60 "$CORDON" run $option -- sh -c "$script" >"$name" 2>"$T/err" </dev/null || status=$?
				[ "$status" -eq 9 ] || complain "reading was to fail: $option $script"
				rm did
			done
		done
	done
}

@test "with --pty the command can open its own pty, and not the invoker's" {
	cat >pty.sh <<-'END'
		set -e
		name=$(tty)
		[ "$name" != "$1" ]
		: <"$name"
		: <>"$name"
		echo own >"$name"
		stty -F "$name" >/dev/null
		if (: <"$1") 2>/dev/null; then exit 9; fi
		if (: >"$1") 2>/dev/null; then exit 9; fi
		echo refused
	END
	on_terminal "$CORDON run --pty -- sh pty.sh \$(tty)"
	[ "$status" -eq 0 ] || complain 'all of it was to work'
	said own refused
}

@test "in a shared session each command has the terminal of its invoker" {
	begin
	cat >call.sh <<-'END'
		set -e
		exec 3<>"$(tty)"
		echo own >"$(tty)"
		if (: <>"$1") 2>/dev/null; then exit 9; fi
		echo refused
	END
	"$CORDON" run --session pts -- sh -c 'echo >started; exec sleep 600' >"$T/session" 2>&1 </dev/null 3>&- &
	first=$!
	until_true 60 test -e started
	for option in '' --pty; do
		on_terminal "$CORDON run $option --session pts -- sh call.sh $name"
		[ "$status" -eq 0 ] || complain 'all of it was to work'
		said own refused
	done
	expect 0 kill pts
	wait "$first" || true
}

@test "nested three deep, own ptys work, and those of outer sessions are closed" {
	export CORDON ASAN_OPTIONS
	begin
	own=(run --execute "$CORDON" --env "CORDON=$CORDON" --env ASAN_OPTIONS)
	cat >inner.py <<-'END'
		import os, sys
		master, slave = os.openpty()
		fd = os.open(os.ttyname(slave), os.O_RDWR | os.O_NOCTTY)
		os.write(fd, b"out\n")
		text = b""
		while len(text) < len(b"out\r\n"):  # it may come in parts
		    text += os.read(master, 99)
		assert text == b"out\r\n", text
		for name in sys.argv[1:]:
		    for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
		        try:
		            os.open(name, flags | os.O_NOCTTY)
		            sys.exit("opened " + name)
		        except PermissionError:
		            pass
		print("fine")
	END
	cat >outer.py <<-'END'
		# a terminal of the outer one, and in it the command of an inner one that does not hold it
		import os, subprocess, sys
		master, slave = os.openpty()
		name = os.ttyname(slave)
		os.close(os.open(name, os.O_RDWR | os.O_NOCTTY))
		sys.exit(subprocess.run(sys.argv[1:] + [name], stdin=subprocess.DEVNULL).returncode)
	END
	for deep in 1 2; do
		inner=("$CORDON" "${own[@]}" --)
		[ "$deep" -eq 1 ] || inner+=("$CORDON" "${own[@]}" --)
		expect 0 "${own[@]}" -- "$PYTHON" outer.py "${inner[@]}" "$PYTHON" inner.py "$name"
		said fine
	done
	# what it holds it can open: as a shell in a window of a multiplexer around it
	expect 0 "${own[@]}" -- script -qec "$CORDON ${own[*]} -- sh -c 'exec 3<>\$(tty); echo held >&3'" "$P/typescript"
	said held
	expect 0 "${own[@]}" -- "$CORDON" "${own[@]}" --pty -- sh -c 'exec 3<>"$(tty)"; echo held >&3; : </dev/tty'
	said held
}

@test "a rule can grant one terminal or all" {
	begin
	expect 0 run --read "$name" -- sh -c "read -r x <$name && echo \"\$x\""
	said typed
	expect 9 run --read "$name" -- sh -c "(echo x >$name) || exit 9"
	for option in "--write $name" '--write /dev/pts' '--write /dev'; do
		# shellcheck disable=SC2086 # an option and its value
		expect 0 run $option -- sh -c "exec 3<>$name && : >$name && script -qec 'echo x >\$(tty)' typescript"
	done
	allowed read "$name" --write /dev/pts
	unsaid 'only if'
}

@test "plan and why say which terminals are granted" {
	expect 0 plan
	said '/dev/pts [its own terminals]'
	allowed write /dev/pts/3
	said 'but only if it is a terminal that the command is started on, has or makes itself'
	expect 0 why --json read /dev/pts/3
	json "'only if it is a terminal' in d['reason']"
	allowed read /dev/pts
	unsaid 'only if'
	# opening them is not supervised
	expect 0 plan --accept files.metadata --accept files.future
	said '/dev/pts [of others, too]'
	allowed read /dev/pts/3 --accept files.metadata --accept files.future
	unsaid 'only if'
	begin
	expect 0 run --accept files.metadata --accept files.future -- sh -c "exec 3<>$name"
	expect 9 run --deny /dev/pts -- sh -c "(exec 3<>$name) || exit 9"
}

# Only to read: no broker is asked, the layers decide.
@test "a pty made in the session can be read by its name and as /dev/stdin" {
	cat >names.sh <<-'END'
		cat /dev/stdin </dev/null && test -t 0 && exec 4<"$(tty)" 5</dev/stdin 6</proc/self/fd/0 &&
		test -t 4 && test -t 5 && test -t 6 && stty -F "$(tty)" sane && echo read
	END
	for run in '' "$CORDON run --"; do
		# shellcheck disable=SC2086 # words
		bare $run script -qec 'sh names.sh' /dev/null
		said read
		# shellcheck disable=SC2086 # one inside another
		bare $run script -qec "script -qec 'sh names.sh' /dev/null" /dev/null
		said read
	done
	begin
	attack
}

@test "a pty made in the session can change its mode, the terminal of the start cannot" {
	for run in '' "$CORDON run --" "$CORDON run --deny secret --"; do
		# shellcheck disable=SC2086 # words
		bare $run script -qec 'mesg n; mesg; chmod 622 "$(tty)" && stat -c mode%a "$(tty)"' /dev/null
		said 'is n' mode622
	done
	on_terminal 'chmod 622 "$(tty)"'
	[ "$status" -eq 0 ] || complain 'free it works'
	on_terminal "$CORDON run -- sh -c 'chmod 622 \"\$(tty)\"'"
	[ "$status" -eq 1 ] || complain 'the terminal of the start was changed'
	said 'Permission denied'
	# nor does a file that is executed with its owner's rights come of it
	expect 1 run -- script -qec 'chmod 4600 "$(tty)"' /dev/null
}

@test "expect starts programs, and its stty reports no error" {
	for run in '' "$CORDON run --"; do
		# shellcheck disable=SC2086 # words
		bare $run expect -c 'spawn sh -c "read x; echo got \$x"; send "word\r"; expect "got word"; send_user " ok"'
		said 'got word' ' ok'
		[[ $out$err != *cannot* ]] || complain
	done
}
