#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Who answers routed calls: one thread as long as that is enough.

# shellcheck disable=SC2030,SC2031,SC2154 # T, P, CORDON and PYTHON are common's

load common

@test "a call that takes long holds nobody else up" {
	mkdir -p from/many to
	echo fine >file
	(cd from/many && seq 6000 | xargs touch)
	cp "$TREE/tests/broker/held_up.py" .
	expect 0 run -q --deny '**/.env' -- "$PYTHON" held_up.py
}

@test "callers keep their processors" {
	echo fine >file
	cp "$TREE/tests/broker/places.py" .
	read -ra all < <("$PYTHON" -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
	expect 0 run -q --deny '**/.env' -- "$PYTHON" places.py "${all[@]}"
	# and where all of us got only one
	timeout 60 taskset -c "${all[0]}" "$CORDON" run -q --deny '**/.env' -- \
		"$PYTHON" places.py "${all[0]}"
}
