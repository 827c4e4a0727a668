#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The handshake of nests, used too often: the session's other processes and nests continue in every
# case.

# shellcheck disable=SC2154 # own is set by begin

load ../lib/common
load ../lib/nest

setup_door()
{
	begin
	cp "$TREE/tests/nest/handshake.py" .
}

@test "processes that keep handshake sockets open do not use up the broker's descriptors" {
	setup_door
	ulimit -n 1024
	expect 0 run -- "$PYTHON" handshake.py hold 970
	said "lines: 256"
	said "make: worked"
	said "afterwards: worked"
}

@test "a nest that keeps handshake sockets open leaves some for others" {
	setup_door
	ulimit -n 1024
	cat >both <<-END
		#!/bin/sh
		"\$CORDON" run --execute "\$CORDON" -- $PYTHON handshake.py hold 400 >inner &
		while ! grep -q lines inner 2>/dev/null; do sleep 0.05; kill -0 \$! 2>/dev/null || break; done
		"\$CORDON" run -- sh -c 'echo beside >beside' && echo "beside: worked"
		wait
		cat inner
	END
	chmod +x both
	CORDON_TIMEOUT=100 expect 0 run "${own[@]}" -- ./both
	said "beside: worked"
	said "lines: 127"
}

@test "nest ids are reused, and none belongs to two nests" {
	setup_door
	CORDON_TIMEOUT=150 expect 0 run -- "$PYTHON" handshake.py stay 70000
	said "failed: 0"
	said "make: worked"
	said "planted: refused"
	[ ! -e planted ]
}

@test "processes that restrict themselves in a nest use up no id" {
	setup_door
	# the broker keeps 4096 at once (PLACES in src/linux/nest_table.h)
	CORDON_TIMEOUT=100 expect 0 run -- "$PYTHON" handshake.py restrict 5000
	said "failed: 0"
}
