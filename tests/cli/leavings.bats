#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a command could leave behind in what it shares with the caller, after everything it started has
# ended.

# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; out is common's

load common

@test "the terminal is not closed to others, also with high bits set" {
	cat >close.py <<-'END'
		import ctypes, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
		libc.ioctl(0, int(sys.argv[1], 0), None)
	END
	cat >look.py <<-'END'
		import fcntl
		print("closed:", fcntl.ioctl(0, 0x80045440, bytes(4))[0])
	END
	export CORDON PYTHON
	for number in 0x540c 0x10000540c; do
		in_terminal "\$PYTHON close.py $number; \$PYTHON look.py"
		said 'closed: 1'
		for how in run 'run --pty'; do
			in_terminal "\$CORDON $how -- \$PYTHON close.py $number; \$PYTHON look.py"
			said 'closed: 0'
		done
	done
}
