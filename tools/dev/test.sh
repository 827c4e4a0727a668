# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs the test suites. Read by ./dev.

cmd_test_quick()
{
	setup build fuzz lint test macos
	compile_strict gcc fuzz
	macos_cache
	copy_for_user
	quick_suites >build/suites
	tests/run build/test-logs <build/suites
}

cmd_test()
{
	case ${1:-} in
	quick)
		cmd_test_quick
		return
		;;
	'') ;;
	*) fail 'usage: ./dev test [quick]' ;;
	esac
	setup build fuzz lint test macos
	if has_kernels; then setup kernels; fi
	compile_strict gcc clang asan fuzz
	fetch_macos
	if has_kernels; then fetch_kernels; fi
	copy_for_user
	all_suites >build/suites
	tests/run build/test-logs <build/suites
}
