# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Lists the test suites for tests/run and meson. Read by ./dev.

# The tested build directory; meson sets another one.
BUILD=${BUILD:-build}

# suite NAME WHO FORM COMMAND
suite()
{
	printf '%s\t%s\t%s\t%s\n' "$@"
}

# Listed by source file, so that a test that is not built fails.
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

# bats_suites NAME WHO TOP BUILD [DIRECTORY...]: TOP is the name of the variable with the path of the tree.
# With sanitizers: --pty without tmux, which runs the same code in less time.
bats_suites()
{
	variant=$1 who=$2 top=$3 build=$4
	shift 4
	[ $# -gt 0 ] || set -- files git net process tty policy nest attack macos bench agents packages
	for folder in "$@"; do
		for file in "tests/$folder"/*.bats; do
			[ -f "$file" ] || continue
			base=${file##*/}
			case $variant/$folder/$base in
			*/policy/audit_log.bats) continue ;;
			asan/tty/full_screen.bats | asan/tty/job_keys.bats) continue ;;
			esac
			suite "$folder/$variant/${base%.bats}" "$who" tap \
			    "cd \"\$$top\" && CORDON=\"\$$top/$build/cordon\" exec bats --tap $file"
		done
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
	suite lint/pure self tap "exec \"\$ROOT/tests/lint/pure\""
	suite lint/names self tap "exec \"\$ROOT/tests/lint/names\""
	suite lint/proofs self tap "exec \"\$ROOT/tests/lint/proofs\""
	suite lint/requirements self tap "exec \"\$ROOT/tests/lint/requirements\""
	# only gcc writes the call graph
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
	suite policy/schema self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/$BUILD/cordon\" exec /usr/bin/python3 tests/policy/schema.py"
}

# sbpl_suite NAME SCRIPT [ARGUMENT...]
sbpl_suite()
{
	name=$1
	shift
	suite "macos/sbpl/$name" self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/$BUILD/cordon\" exec /usr/bin/python3 -B tests/macos/$*"
}

# Seatbelt profiles, evaluated by a Scheme interpreter and compared with `cordon why`.
sbpl_suites()
{
	sbpl_suite controls controls.py
	sbpl_suite tables tables.py
}

# random_suites POLICIES SEED: four parts that run in parallel.
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
	    "CORDON=\"\$ROOT/$BUILD/cordon\" exec \"\$ROOT/tests/macos/session\""
	for name in denial_log os_macos sbpl_rules macos macos_compile macos_selftest macos_shared macos_proxy; do
		suite "macos/test_$name" self tap "cd \"\$ROOT\" && exec $BUILD/tests/unit/test_$name"
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

# The end of all processes: compared with bare runs, and under stress.
tree_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	for name in compare stress; do
		suite "process/here/$name" self tap "cd \"\$ROOT\" && exec /usr/bin/python3 tests/process/$name.py"
		[ "$COPY" = "$ROOT" ] || suite "process/user/$name" nobody tap \
		    "cd \"\$COPY\" && exec /usr/bin/python3 tests/process/$name.py"
	done
}

# Random policies, compared with the kernel and with `cordon why`.
broker_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	suite differential/here/differential self tap \
	    "cd \"\$ROOT\" && exec /usr/bin/python3 -B tests/differential/differential.py 48"
	[ "$COPY" = "$ROOT" ] || suite differential/user/differential nobody tap \
	    "cd \"\$COPY\" && exec /usr/bin/python3 -B tests/differential/differential.py 48 100"
	# random system calls inside: guard and launcher survive, and no process is left
	suite attack/here/fuzz_calls self tap \
	    "cd \"\$ROOT\" && exec /usr/bin/python3 -B tests/attack/fuzz_calls.py 20 1"
	[ "$COPY" = "$ROOT" ] || suite attack/user/fuzz_calls nobody tap \
	    "cd \"\$COPY\" && exec /usr/bin/python3 -B tests/attack/fuzz_calls.py 20 100"
}

# The ordinary user's suites; without root all of them.
own_suites()
{
	if [ "$COPY" = "$ROOT" ]; then
		bats_suites here self ROOT "$BUILD" "$@"
	else
		bats_suites user nobody COPY "$BUILD" "$@"
	fi
}

# refused_suites WHO TOP: where the calls are refused that container runtimes refuse, also to the tests.
refused_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	refuse="$BUILD/tests/unit/foreign EPERM pidfd_getfd,kcmp,process_madvise,unshare"
	refuse="$refuse $BUILD/tests/unit/foreign ENOSYS clone3"
	for name in files/rights files/protected net/unix_sockets git/git nest/nest process/run tty/pty_access; do
		suite "${name%/*}/refused-$1/${name#*/}" "$1" tap \
		    "cd \"\$$2\" && CORDON=\"\$$2/$BUILD/cordon\" exec $refuse bats --tap tests/$name.bats"
	done
}

# For the first look: what is quick, and the central promise of each area. cppcheck takes longer than all others.
quick_suites()
{
	lint_suites | grep -v '^lint/cppcheck'
	unit_suites gcc "$BUILD"
	schema_suites
	own_suites | awk -F '\t' -v wanted=" files/rights files/own_policy_files git/git_modes git/hooks \
net/domains_localhost net/network nest/nest process/run process/survivors tty/pty_option \
policy/check policy/why policy/plan policy/trust policy/refusals " '
	{
		split($1, part, "/")
		if (index(wanted, " " part[1] "/" part[3] " ")) print
	}'
}

# First level: one compiler, as an ordinary user.
first_suites()
{
	own_suites
	lint_suites
	unit_suites gcc "$BUILD"
	schema_suites
	suite install self tap "exec \"\$ROOT/tests/install\" \"\$ROOT/$BUILD\" \"\$TMPDIR/tree\""
	[ "$(uname -s)" != Linux ] || sbpl_suites
}

# Second level: longer suites, and those of root.
# Turns auditing on for the whole machine: run after the others.
alone_suites()
{
	[ "$(id -u)" -ne 0 ] || suite policy/alone/audit_log self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/$BUILD/cordon\" exec bats --tap tests/policy/audit_log.bats"
}

more_suites()
{
	fault_suites
	tree_suites
	broker_suites
	[ "$COPY" = "$ROOT" ] || bats_suites here self ROOT "$BUILD"
	refused_suites self ROOT
	[ "$COPY" = "$ROOT" ] || refused_suites nobody COPY
	fuzz_suites
	if [ "$(uname -s)" = Linux ]; then
		sbpl_suite random_policies random_policies.py 24
		macos_suites | head -n 2
		alone_suites
	fi
}

# Other compilers and sanitizers: unit tests and suites of the broker.
build_suites()
{
	unit_suites clang build-clang
	unit_suites asan build-asan
	bats_suites asan self ROOT build-asan files git attack
	tsan_suites
}

# release_suites PROGRAM: the areas in which a C library makes a difference.
release_suites()
{
	suite release/program self tap "exec \"\$ROOT/tests/release/static\" \"$1\""
	for name in files/protected net/proxy net/datagrams net/unix_sockets process/survivors nest/nest tty/pty_option \
	    process/run git/hooks; do
		file=tests/$name.bats
		[ -f "$file" ] || continue
		suite "${name%/*}/static/${name#*/}" self tap \
		    "cd \"\$ROOT\" && CORDON=\"\$ROOT/build-release/tested/cordon\" exec bats --tap $file"
		[ "$COPY" = "$ROOT" ] || suite "${name%/*}/static-user/${name#*/}" nobody tap \
		    "cd \"\$COPY\" && CORDON=\"\$COPY/build/cordon\" exec bats --tap $file"
	done
}

# The broker's threads: random system calls, and many processes at once.
tsan_suites()
{
	[ "$(uname -s)" = Linux ] || return 0
	suite attack/tsan/fuzz_calls self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/build-tsan/cordon\" exec /usr/bin/python3 -B tests/attack/fuzz_calls.py 20 200"
	suite files/tsan/protected self tap \
	    "cd \"\$ROOT\" && CORDON=\"\$ROOT/build-tsan/cordon\" exec bats --tap tests/files/protected.bats"
}

all_suites()
{
	more_suites
	first_suites
	build_suites
	bats_suites asan self ROOT build-asan net process tty policy nest
	if has_kernels; then kernel_suites; fi
}

# cmd_suites [--commands]: for meson, the suites that need no other build, for the calling user.
cmd_suites()
{
	COPY=$ROOT
	if [ "${1:-}" = --commands ]; then
		meson_suites
	else
		meson_suites | tag_suites
	fi
}

meson_suites()
{
	first_suites
	more_suites
	if has_kernels; then kernel_suites; fi
}

tag_suites()
{
	awk -F '\t' '
	$1 ~ /^(unit|fuzz)\// { next }
	{
		tag = "slow"
		if ($1 ~ /^(lint|policy|install|macos)/) tag = "quick"
		if ($1 ~ /^kernel\//) tag = "kernels"
		if ($1 ~ /(root_etc|odd_hosts|cgroups|casefold)$/) tag = "root"
		print $1 "\t" tag "\t" $3
	}'
}
