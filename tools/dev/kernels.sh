# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Boots other kernels in an emulator. Read by ./dev.

has_kernels()
{
	[ "$(uname -sm)" = 'Linux x86_64' ]
}

# Fetches the packages before the suites, which run without the caller's cache and mirror.
fetch_kernels()
{
	cache=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-kernels
	mkdir -p "$cache"
	ln -sfn "$cache" build/kernels
	others=''
	for name in "$@"; do
		case $name in
		systemd) KERNELS=$cache tests/systemd/run --fetch ;;
		*) others="$others $name" ;;
		esac
	done
	if [ $# -eq 0 ] || [ -n "$others" ]; then
		# shellcheck disable=SC2086 # a list of names
		KERNELS=$cache tests/kernels/run --fetch $others
	fi
}

# The static program for aarch64 with its unit tests.
build_arm64()
{
	cmd_release aarch64
	quietly build-release/dev.log ninja -C build-release/aarch64/build
}

cmd_kernels()
{
	has_kernels || fail 'the kernels are for x86_64 Linux'
	setup build kernels
	case " $* " in
	*' systemd '*) setup systemd ;;
	esac
	case " $* " in
	*' arm64 '*) setup release kernels-arm64 && build_arm64 ;;
	esac
	compile_default
	fetch_kernels "$@"
	kernel_suites "$@" | JOBS=1 tests/run build/test-logs
}
