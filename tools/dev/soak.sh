# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Long runs: fault injection into every call, thousands of killed sessions, suites of other projects. Read by ./dev.

cmd_faults()
{
	[ "$(uname -s)" = Linux ] || fail 'the faults are for Linux'
	setup build test
	compile_default
	copy_for_user
	open_folder faults
	held=0
	in_the_open "$(id -un)" "$ROOT" tests/faults/run --all "$@" || held=1
	[ "$COPY" = "$ROOT" ] || in_the_open nobody "$COPY" tests/faults/run --all "$@" || held=1
	[ "$held" -eq 0 ] || fail 'something did not hold'
	say 'all of it held'
}

# Suites of other projects. The ordinary user runs a copy of the program.
cmd_foreign()
{
	[ "$(uname -s)" = Linux ] || fail 'the suites are for Linux'
	setup build foreign
	compile_default
	copy_for_user
	CORDON=$COPY/build/cordon FOREIGN_LOGS=${FOREIGN_LOGS:-$ROOT/build/foreign-logs} \
	    /usr/bin/python3 -B tests/foreign/run "$@"
}

# soak_as WHO TREE: runs them one after the other.
soak_as()
{
	for name in process/compare process/stress attack/soak attack/starts; do
		in_the_open "$1" "$2" "tests/$name.py" || soaked=1
	done
}

# The broker, which has threads, under thread sanitizer with 64 busy processes.
soak_sanitized()
{
	for kind in address,undefined thread; do
		sanitized_build "$kind"
		in_the_open "$(id -un)" "$ROOT" tests/attack/soak.py 30000 60 || soaked=1
		[ "$COPY" = "$ROOT" ] || in_the_open nobody "$COPY" tests/attack/soak.py 30000 60 || soaked=1
		sanitized=''
	done
}

soak_all()
{
	soak_as "$(id -un)" "$ROOT"
	[ "$COPY" = "$ROOT" ] || soak_as nobody "$COPY"
	soak_sanitized
	say '# the proxy'
	NET_FULL=1 TMPDIR=$open python3 tests/net/cases.py build/tests/net/role all || soaked=1
	NET_FULL=1 TMPDIR=$open python3 tests/net/streams.py build/tests/net/role || soaked=1
}

# cmd_soak [sanitized]
cmd_soak()
{
	[ "$(uname -s)" = Linux ] || fail 'soak is for Linux'
	setup build test
	compile_default
	copy_for_user
	soaked=0
	open_folder soak
	case ${1:-all} in
	sanitized) soak_sanitized ;;
	all) soak_all ;;
	*) fail "no such soak: $1" ;;
	esac
	[ "$soaked" -eq 0 ] || fail 'something did not hold'
	say 'all of it held'
}
