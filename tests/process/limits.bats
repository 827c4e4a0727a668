#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Limits where cordon itself is between the command and the kernel: calls that the broker makes obey
# the caller's limits, and an output limit counts bytes written to a terminal.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is the shell's inside; out and err are common's

load ../lib/common

# What calls that make a file larger do under a limit of 1024 bytes, and how often SIGXFSZ comes.
write_sizes()
{
	cat >"$T/sizes.py" <<-'END'
		import errno, os, resource, signal, sys, threading
		came = []
		def tell(name, call):
		    try:
		        call()
		        word = "done"
		    except OSError as e:
		        word = errno.errorcode[e.errno]
		    # a handler runs between two steps of the interpreter
		    for _ in range(100):
		        pass
		    print(name, word, len(came), os.path.getsize("file"), flush=True)
		signal.signal(signal.SIGXFSZ, lambda *a: came.append(1))
		open("file", "w").close()
		tell("larger", lambda: os.truncate("file", 5000))
		tell("one more", lambda: os.truncate("file", 1025))
		tell("just so", lambda: os.truncate("file", 1024))
		tell("the same", lambda: os.truncate("file", 1024))
		tell("smaller", lambda: os.truncate("file", 10))
		descriptor = os.open("file", os.O_WRONLY)
		tell("ftruncate", lambda: os.ftruncate(descriptor, 5000))
		tell("fallocate", lambda: os.posix_fallocate(descriptor, 0, 5000))
		tell("pwrite", lambda: os.pwrite(descriptor, b"x", 5000))
		signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
		tell("ignored", lambda: os.truncate("file", 5000))
		resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
		tell("a limit of its own", lambda: os.truncate("file", 101))
		signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
		if os.fork() == 0:
		    os.truncate("file", 500)
		    os._exit(0)
		print("ended by", os.WTERMSIG(os.wait()[1]), flush=True)
		resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))
		made = 0
		try:
		    while made < 50:
		        os.open("file%d" % made, os.O_CREAT | os.O_WRONLY)
		        made += 1
		except OSError as e:
		    print("descriptors", made, errno.errorcode[e.errno], flush=True)
	END
}

@test "--file-size: every call that enlarges a file has the results of a bare run" {
	write_sizes
	(ulimit -f 1 && exec "$PYTHON" "$T/sizes.py" 3>&- 4>&- 5>&-) 2>&1 | cat >"$T/bare"
	grep -q '^larger EFBIG 1 0$' "$T/bare"
	rm -f file*
	"$CORDON" run --file-size 1K --read "$T" -- "$PYTHON" "$T/sizes.py" 2>&1 | cat >"$T/confined"
	diff "$T/bare" "$T/confined"
	rm -f file*
	"$CORDON" run --session sized --file-size 1K --read "$T" -- "$PYTHON" "$T/sizes.py" 2>&1 | cat >"$T/confined"
	"$CORDON" kill sized 2>/dev/null || true
	diff "$T/bare" "$T/confined"
}

# on_terminal WHICH ARGUMENT...: the program on a terminal of its own, of which it has WHICH of 0-2 ("" for
# none); leaves its status and the number of x that the terminal showed in out.
on_terminal()
{
	cat >"$T/on_terminal.py" <<-'END'
		import os, pty, sys
		pid, master = pty.fork()
		if pid == 0:
		    kept = os.open("/dev/tty", os.O_RDWR)
		    os.set_inheritable(kept, True)
		    none = os.open("/dev/null", os.O_RDWR)
		    for number in range(3):
		        if str(number) not in sys.argv[1]:
		            os.dup2(none, number)
		    os.execv(sys.argv[2], sys.argv[2:])
		shown = b""
		while True:
		    try:
		        piece = os.read(master, 65536)
		    except OSError:
		        break
		    shown += piece
		print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.count(b"x"))
	END
	local which=$1
	shift
	out=$(timeout 30 "$PYTHON" "$T/on_terminal.py" "$which" "$CORDON" "$@")
}

# 20,000 bytes to the file or descriptor that is named.
FLOOD='exec 9>$1; i=0; while [ $i -lt 200 ]; do printf %0100d 0 | tr 0 x >&9; i=$((i + 1)); done'

@test "--output counts bytes to the terminal, with --pty and without, by any name" {
	local which to how
	for which in 012 0 12 ''; do
		for how in '' --pty '--session loud'; do
			for to in /dev/tty /dev/stdin /dev/stdout /dev/stderr '&0'; do
				case $which/$to in
				*0*/'&0') to=/proc/self/fd/0 ;;
				*0*/*) ;;
				*/dev/stdin | */'&0') continue ;;
				esac
				# a named session has no terminal but what it gets as 0 to 2
				[ "$how/$to" = '--session loud//dev/tty' ] && [ "$which" != 012 ] && continue
				# shellcheck disable=SC2086 # $how is words
				on_terminal "$which" run $how --output 1000 -- sh -c "$FLOOD" sh "$to"
				case $out in
				'141 1000' | '141 0') ;;
				*) complain "$which $how $to: $out" ;;
				esac
			done
		done
	done
	"$CORDON" kill loud || true
}

@test "--output on a terminal: output below the limit is shown, and the command has a terminal" {
	on_terminal 012 run --output 1000 -- sh -c 'test -t 0 && test -t 1 && test -t 2 && printf xxxxx >/dev/tty && printf xxx'
	[ "$out" = '0 8' ] || complain "$out"
	on_terminal 012 run --pty --output 1000 -- sh -c 'test -t 0 && test -t 1 && printf xxxxx'
	[ "$out" = '0 5' ] || complain "$out"
	on_terminal '' run --output 1000 -- sh -c 'test ! -t 0 && test ! -t 1 && printf xxxxx >/dev/tty'
	[ "$out" = '0 5' ] || complain "$out"
}

@test "--output: descriptors and terminal are counted together" {
	on_terminal 02 run --output 1000 -- sh -c 'head -c 900 /dev/zero; printf %0900d 0 | tr 0 x >/dev/tty; exit 3'
	# either of the two may be read first
	case $out in
	'141 100' | '141 900') ;;
	*) complain "$out" ;;
	esac
}

@test "--file-size: FALLOC_FL_INSERT_RANGE, which ignores the limit, is refused" {
	cat >"$T/insert.py" <<-'END'
		import ctypes, errno, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		file = os.open("grown", os.O_RDWR | os.O_CREAT)
		os.pwrite(file, b"x" * 65536, 0)
		def allocate(mode):
		    done = libc.fallocate(file, mode, ctypes.c_long(0), ctypes.c_long(65536))
		    return "done" if done == 0 else errno.errorcode[ctypes.get_errno()]
		# FALLOC_FL_INSERT_RANGE; then as other calls see it, and plainly
		print(allocate(0x20), allocate(0x21), os.fstat(file).st_size, allocate(0))
	END
	# bare and below a limit of 64 kB it grows, where the file system has it at all
	free=$( (ulimit -f 64 && exec "$PYTHON" "$T/insert.py") )
	case $free in
	'done '*' 131072 '* | 'ENOTSUP '*' 65536 done') ;;
	*) complain "bare: $free" ;;
	esac
	rm grown
	expect 0 run --file-size 64K --read "$T" -- "$PYTHON" "$T/insert.py"
	[ "$out" = 'ENOTSUP ENOTSUP 65536 done' ] || complain 'it grows'
}
