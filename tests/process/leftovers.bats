#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# State shared with the caller that a command could leave changed after all its processes have
# ended.

# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; out is common's

load ../lib/common

@test "TIOCEXCL is refused, also with high bits set" {
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

# As if on a console: what is no console says ENOTTY (25) when it is asked at all.
@test "ioctls that change a console's keyboard, mode or font are refused" {
	cat >console.py <<-'END'
		import ctypes, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
		for number in sys.argv[1:]:
		    libc.ioctl(0, int(number, 0), None)
		    print(ctypes.get_errno())
	END
	local changing='0x4b45 0x100004b45 0x4b3a 0x4b61 0x4b72 0x4b67 0x5602 0x5606'

	# shellcheck disable=SC2086 # several words
	[ "$("$PYTHON" console.py $changing </dev/null | sort -u)" = 25 ]
	# shellcheck disable=SC2086
	expect 0 run -- "$PYTHON" console.py $changing
	[ "$(sort -u "$T/out")" = 1 ]
	expect 0 run -- "$PYTHON" console.py 0x4b33 0x4b44 0x5603 0xc0cc5604
	[ "$(sort -u "$T/out")" = 25 ]
}
