# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs the test suites. Read by ./dev.

# test_level NAME: installs packages, builds, and writes the suites to build/suites.
test_level()
{
	setup build lint test macos
	case $1 in
	quick | first) compile_strict gcc ;;
	ci)
		setup fuzz ci
		compile_strict gcc clang asan tsan fuzz
		fetch_npm
		;;
	all)
		setup fuzz ci
		compile_strict gcc clang asan tsan fuzz
		fetch_npm
		fetch_macos
		if has_kernels; then setup kernels && fetch_kernels; fi
		;;
	esac
	macos_cache
	npm_cache
	copy_for_user
	"${1}_suites" >build/suites
}

ci_suites()
{
	more_suites
	first_suites
	build_suites
}

cmd_test()
{
	case ${1:-first} in
	quick | first | ci | all) test_level "${1:-first}" ;;
	*) fail 'usage: ./dev test [quick | ci | all]' ;;
	esac
	tests/run build/test-logs <build/suites
}
