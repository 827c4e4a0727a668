# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Fuzzes the parsers, policies, and system calls inside a session. Read by ./dev.

replay()
{
	set -- "$1" "fuzz/corpus/$1"
	[ -x "build-fuzz/fuzz/fuzz_$1" ] || fail "fuzz_$1 was not built"
	[ -n "$(find "$2" -type f 2>/dev/null | head -n 1)" ] || fail "$2 is missing or empty"
	exec "build-fuzz/fuzz/fuzz_$1" -runs=0 -timeout=20 -artifact_prefix="${LOGS:-.}/$1-" "$2"
}

# Runs one target in its own process.
fuzz_one()
{
	name=$1 seconds=$2 kept=build-fuzz/kept/$1
	mkdir -p "$kept" build-fuzz/findings
	[ ! -t 1 ] || say "$name: $seconds s"
	if "build-fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 \
	    -print_final_stats=1 -artifact_prefix="build-fuzz/findings/$name-" \
	    "$kept" "fuzz/corpus/$name" >"$kept.log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$kept.log")
		say "ok $name: $runs inputs tried, $(find "$kept" -type f | wc -l) kept"
		return
	fi
	say "FAILED $name"
	tail -n 60 "$kept.log" | sed 's/^/    /'
	find build-fuzz/findings -name "$name-*" | sed 's/^/    input: /'
	return 1
}

# Random policies on the real kernel, with new seeds every second.
fuzz_files()
{
	[ "$(uname -s)" = Linux ] || fail 'files is for Linux'
	setup build test
	compile_default
	/usr/bin/python3 -B tests/differential/differential.py "$1s" "$(date +%s)000" || fail 'there are findings'
}

# Nor is this: lookups of random paths, held against the kernel's own.
fuzz_lookup()
{
	[ "$(uname -s)" = Linux ] || fail 'lookup is for Linux'
	setup build test
	compile_default
	LOOKUP_SECONDS=$1 "$BUILD/tests/unit/test_lookup" || fail 'there are findings'
}

# fuzz_calls_as WHO TREE SECONDS
fuzz_calls_as()
{
	in_the_open "$1" "$2" tests/attack/fuzz_calls.py "$3" "$(date +%s)00" || found=1
}

# Random system calls inside a session, with every build.
fuzz_calls()
{
	[ "$(uname -s)" = Linux ] || fail 'calls is for Linux'
	setup build test
	compile_default
	copy_for_user
	open_folder fuzz
	found=0
	for kind in '' address,undefined thread; do
		[ -z "$kind" ] || sanitized_build "$kind"
		fuzz_calls_as "$(id -un)" "$ROOT" "$1"
		[ "$COPY" = "$ROOT" ] || fuzz_calls_as nobody "$COPY" "$1"
	done
	[ "$found" -eq 0 ] || fail 'there are findings'
}

cmd_fuzz()
{
	case ${1:-} in
	'' | *[!0-9]*) fail 'usage: ./dev fuzz SECONDS [TARGET]' ;;
	esac
	case ${2:-} in
	files | calls | lookup)
		"fuzz_$2" "$1"
		return
		;;
	esac
	setup build fuzz
	compile_fuzz || fail 'the build failed'
	names=$(fuzz_names)
	if [ -n "${2:-}" ]; then
		names=${2#fuzz_}
		[ -x "build-fuzz/fuzz/fuzz_$names" ] || fail "no fuzz target $names"
	fi
	[ -n "$names" ] || fail 'no fuzz targets'
	say "$names" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" ./dev fuzz-one "$1" ||
	    fail 'there are findings'
}
