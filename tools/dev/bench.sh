# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs the benchmarks. Read by ./dev.

# bench_run NAME [PREFIX...]: PREFIX is a command that runs it as another user.
bench_run()
{
	program=$COPY/build-bench/bench/bench_$1
	[ -x "$program" ] || fail "there is no bench $1"
	printf '\n# %s\n\n' "$1"
	shift
	"$@" "$program" || fail "${program##*/} failed"
}

# Measures as an ordinary user also when run by root; the start, which differs, as both.
bench_as_user()
{
	make_copy build-bench
	# a runtime directory on tmpfs, as in a login session
	runtime=$(mktemp -d /run/cordon-bench.XXXXXX) && chown 65534:65534 "$runtime"
	trap 'rm -rf "$COPY" "$runtime"' EXIT
	for name in "$@"; do
		bench_run "$name" env XDG_RUNTIME_DIR="$runtime" \
		    setpriv --reuid=65534 --regid=65534 --clear-groups
		case $name in
		start | session) bench_run "$name" ;;
		esac
	done
}

cmd_bench()
{
	setup build
	# peers that cannot be installed are left out
	[ "$(uname -s)" != Linux ] || (setup bench) || say 'some to compare with are not here'
	compile build-bench "$(default_compiler)" || fail 'the build failed'
	[ $# -gt 0 ] || set -- start work files scale session policy net
	[ "$(uname -s)" = Linux ] || set -- policy
	COPY=$ROOT
	if [ "$(id -u)" -eq 0 ] && [ "$(uname -s)" = Linux ]; then
		bench_as_user "$@"
		return
	fi
	for name in "$@"; do
		bench_run "$name"
	done
}
