# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Lists the test suites for tests/run and meson. Read by ./dev.

# suite NAME WHO FORM COMMAND
suite()
{
	printf '%s\t%s\t%s\t%s\n' "$@"
}

# By source file as well as by program: a test that is not built is a test that fails.
unit_names()
{
	for file in tests/unit/test_*.c "$1"/tests/unit/test_*; do
		[ -f "$file" ] || continue
		name=${file##*/}
		case $name in
		*.*) [ "$name" != "${name%.c}" ] || continue ;;
		esac
		say "${name%.c}"
	done | sort -u
}

unit_suites()
{
	for name in $(unit_names "$2"); do
		suite "unit/$1/$name" self tap "cd \"\$ROOT\" && exec $2/tests/unit/$name"
	done
}

# cli_suites NAME WHO TOP BUILD: TOP is the name of the variable that holds the tree.
# With the sanitizers: --pty without tmux, which reaches the same code in less time.
cli_suites()
{
	for file in tests/*/*.bats; do
		[ -f "$file" ] || continue
		case $1/$file in
		asan/*/terminal.bats | asan/*/terminal-jobs.bats) continue ;;
		esac
		base=${file##*/}
		suite "cli/$1/${base%.bats}" "$2" tap \
		    "cd \"\$$3\" && CORDON=\"\$$3/$4/cordon\" exec bats --tap $file"
	done
}

fuzz_names()
{
	for file in fuzz/fuzz_*.c build-fuzz/fuzz/fuzz_* fuzz/corpus/*; do
		[ -e "$file" ] || continue
		name=${file##*/}
		name=${name#fuzz_}
		case $name in
		*.c) name=${name%.c} ;;
		*.*) continue ;;
		esac
		say "$name"
	done | sort -u
}

fuzz_suites()
{
	for name in $(fuzz_names); do
		suite "fuzz/$name" self status "exec \"\$ROOT/dev\" replay $name"
	done
}

lint_suites()
{
	suite lint/rooms self tap "exec \"\$ROOT/tests/lint/include-rule\""
	suite lint/proofs self tap "exec \"\$ROOT/tests/lint/proofs\""
	# only gcc says which function calls which
	[ "$(default_compiler)" != gcc ] ||
	    suite lint/stack self tap "exec /usr/bin/python3 -B \"\$ROOT/tests/lint/stack.py\""
	for check in shell man cppcheck; do
		suite "lint/$check" self status "exec \"\$ROOT/dev\" lint-$check"
	done
	suite lint/format self tap "exec \"\$ROOT/dev\" lint-format"
}

schema_suites()
{
	[ -f tests/policy/schema.py ] || return 0
	# Debian's own python, which has python3-jsonschema; another may come first in PATH.
	suite schema self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/build/cordon\" exec /usr/bin/python3 tests/policy/schema.py"
}

# sbpl_suite NAME SCRIPT [ARGUMENT...]
sbpl_suite()
{
	name=$1
	shift
	suite "sbpl/$name" self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/build/cordon\" exec /usr/bin/python3 -B tests/macos/$*"
}

# Seatbelt profiles, run by a Scheme and held against `cordon why`.
sbpl_suites()
{
	sbpl_suite controls controls.py
	sbpl_suite tables tables.py
}

# random_suites POLICIES SEED: in four parts, which run beside each other.
random_suites()
{
	part=$((($1 + 3) / 4))
	for number in 0 1 2 3; do
		sbpl_suite "random_policies/$number" random_policies.py "$part" "$(($2 + number * part))"
	done
}

macos_suites()
{
	suite macos/cross self tap \
	    "exec \"\$ROOT/tests/macos/cross\" \"\$ROOT/build/macos\" \"\$TMPDIR/cross\""
	suite macos/session self tap \
	    "CORDON=\"\$ROOT/build/cordon\" exec \"\$ROOT/tests/macos/session\""
	for name in denials kqueue lines macos macos_named macos_proxy; do
		suite "macos/test_$name" self tap "cd \"\$ROOT\" && exec build/tests/unit/test_$name"
	done
}

# kernel_suites [KERNEL...]
kernel_suites()
{
	names=$*
	for name in ${names:-$(tests/kernels/run --list) systemd}; do
		program="tests/kernels/run\" $name"
		[ "$name" != systemd ] || program='tests/systemd/run"'
		suite "kernel/$name" self tap \
		    "KERNELS=\"\$ROOT/build/kernels\" exec \"\$ROOT/$program"
	done
}

fault_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	suite faults/here self tap "cd \"\$ROOT\" && exec /usr/bin/python3 tests/faults/run"
	[ "$COPY" = "$ROOT" ] ||
	    suite faults/user nobody tap "cd \"\$COPY\" && exec /usr/bin/python3 tests/faults/run"
}

# The end of every process: compared with bare runs, and under stress.
tree_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	for name in compare stress; do
		suite "tree/here/$name" self tap "cd \"\$ROOT\" && exec /usr/bin/python3 tests/process/$name.py"
		[ "$COPY" = "$ROOT" ] || suite "tree/user/$name" nobody tap \
		    "cd \"\$COPY\" && exec /usr/bin/python3 tests/process/$name.py"
	done
}

# Random policies, each held against the kernel and `cordon why`.
broker_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	suite broker/here/differential self tap \
	    "cd \"\$ROOT\" && exec /usr/bin/python3 -B tests/differential/differential.py 48"
	[ "$COPY" = "$ROOT" ] || suite broker/user/differential nobody tap \
	    "cd \"\$COPY\" && exec /usr/bin/python3 -B tests/differential/differential.py 48 100"
	# random calls from inside: guard and launcher live, and nothing is left
	suite broker/here/fuzz_calls self tap \
	    "cd \"\$ROOT\" && exec /usr/bin/python3 -B tests/attack/fuzz_calls.py 20 1"
	[ "$COPY" = "$ROOT" ] || suite broker/user/fuzz_calls nobody tap \
	    "cd \"\$COPY\" && exec /usr/bin/python3 -B tests/attack/fuzz_calls.py 20 100"
}

# What every change runs: one compiler, root and an ordinary user.
quick_suites()
{
	fault_suites
	tree_suites
	broker_suites
	lint_suites
	[ "$COPY" = "$ROOT" ] || cli_suites user nobody COPY build
	cli_suites here self ROOT build
	unit_suites gcc build
	fuzz_suites
	schema_suites
	suite install self tap "exec \"\$ROOT/tests/install\" \"\$ROOT/build\" \"\$TMPDIR/tree\""
	if [ "$(uname -s)" = Linux ]; then
		sbpl_suites
		sbpl_suite random_policies random_policies.py 24
		macos_suites | head -n 2
	fi
}

all_suites()
{
	quick_suites
	cli_suites asan self ROOT build-asan
	unit_suites clang build-clang
	unit_suites asan build-asan
	if has_kernels; then kernel_suites; fi
}
