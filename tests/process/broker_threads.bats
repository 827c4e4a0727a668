#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Threads that receive notifications: one as long as that is enough.

# shellcheck disable=SC2030,SC2031,SC2154 # T, P, CORDON and PYTHON are common's

load ../lib/common

@test "a slow call does not delay calls of others" {
	mkdir -p from/many to
	echo fine >file
	(cd from/many && seq 6000 | xargs touch)
	cp "$TREE/tests/process/held_up.py" .
	expect 0 run -q --deny '**/.env' -- "$PYTHON" held_up.py
}

@test "callers keep their CPU affinity" {
	echo fine >file
	cp "$TREE/tests/process/places.py" .
	read -ra all < <("$PYTHON" -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
	expect 0 run -q --deny '**/.env' -- "$PYTHON" places.py "${all[@]}"
	# and where all of us got only one
	timeout 60 taskset -c "${all[0]}" "$CORDON" run -q --deny '**/.env' -- \
		"$PYTHON" places.py "${all[0]}"
}

# How many threads of a process may not be on every processor that we may be on.
kept_threads()
{
	grep -h '^Cpus_allowed_list' /proc/"$1"/task/*/status | grep -vcxF -- "$(grep '^Cpus_allowed_list' /proc/self/status)"
}

is_free()
{
	[ "$(kept_threads "$1")" -eq 0 ]
}

@test "without calls no thread stays pinned to one CPU" {
	# the last to call is the one that called all the time
	cat >calls <<-'END'
		i=0
		while [ $i -lt 300 ]; do read -r line <file; i=$((i + 1)); done
		echo up
		read -r line
	END
	echo fine >file
	mkfifo in
	"$CORDON" run -q --deny '**/.env' -- sh calls <in >out 3>&- &
	started=$!
	exec 9>in
	until_true 60 test -s out
	guard=$(cat "/proc/$started/task/$started/children")
	until_true 60 is_free "${guard%% *}"
	echo >&9
	exec 9>&-
	wait "$started"
}
