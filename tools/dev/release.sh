# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Builds the static program that runs on every Linux. Read by ./dev.

# release_toolchain ARCH FOLDER: makes it again if its description or the compiler changed.
release_toolchain()
{
	wanted="$(sha256sum tools/release/* | cut -d' ' -f1 | tr '\n' ' ')$("$1-linux-gnu-gcc" --version | head -n 1)"
	[ "$(cat "$2/made" 2>/dev/null)" != "$wanted" ] || return 0
	say "building musl and libraries for $1"
	rm -rf "$2"
	mkdir -p "$2"
	quietly "$2/dev.log" tools/release/toolchain "$sources" "$1" "$2" || return 1
	say "$wanted" >"$2/made"
}

# release_build ARCH FOLDER: leaves the program in FOLDER.
release_build()
{
	release_toolchain "$1" "$2/$1" || return 1
	if [ ! -e "$2/$1/build/build.ninja" ]; then
		quietly "$2/dev.log" meson setup "$2/$1/build" --cross-file "$2/$1/cross" -Dsystemd=disabled \
		    -Dwerror=true || return 1
	fi
	quietly "$2/dev.log" ninja -C "$2/$1/build" cordon || return 1
	name=cordon-$version-linux-$1
	"$1-linux-gnu-strip" -o "$2/$name" "$2/$1/build/cordon"
}

# release_all FOLDER ARCH...
release_all()
{
	folder=$ROOT/$1
	shift
	mkdir -p "$folder"
	for arch in "$@"; do
		release_build "$arch" "$folder" || fail "the build for $arch failed"
	done
	(cd "$folder" && sha256sum "cordon-$version"-linux-* >SHA256SUMS && cat SHA256SUMS)
}

# Builds everything a second time in another folder: the same bytes, or a failure.
release_again()
{
	rm -rf build-release-again
	release_all build-release-again "$@"
	cmp build-release/SHA256SUMS build-release-again/SHA256SUMS || fail 'the second build differs'
	say 'the second build has the same hashes'
}

# Its form, sessions in a root without a C library, and suites that run cordon, with the static program.
release_test()
{
	program=$ROOT/build-release/cordon-$version-linux-$(uname -m)
	copy_for_user
	# the suites look for their helpers beside the program
	rm -rf build-release/tested
	mkdir build-release/tested
	ln -s ../../build/tests build-release/tested/tests
	cp "$program" build-release/tested/cordon
	[ "$COPY" = "$ROOT" ] || cp "$program" "$COPY/build/cordon"
	release_suites "$program" | tests/run build/test-logs
}

release_prepare()
{
	setup build release
	sources=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-release
	version=$(sed -n "s/^  version: '\([^']*\)'.*/\1/p" meson.build)
	tools/release/fetch "$sources"
}

cmd_release()
{
	[ "$(uname -s)" = Linux ] || fail 'the static program is built on Linux'
	release_prepare
	case ${1:-} in
	'') release_all build-release x86_64 aarch64 ;;
	x86_64 | aarch64) release_all build-release "$@" ;;
	again) release_again x86_64 aarch64 ;;
	test)
		setup test
		compile_default
		release_test
		;;
	*) fail 'usage: ./dev release [ARCH... | again | test]' ;;
	esac
}
