# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Builds the packages in build-packages/, from the files of packages/ and those that git lists. Read by ./dev.

PACKAGES=build-packages
# The processors for which the npm package and the wheels carry a static program.
PACKAGE_ARCHS=${PACKAGE_ARCHS:-x86_64 aarch64}

# The date of the last commit: the same commit makes the same tarball.
package_date()
{
	git log -1 --format=%ct 2>/dev/null || stat -c %Y NEWS.md
}

# The tarball of the source, as it is in the working tree.
package_source()
{
	source=$PACKAGES/cordon-$version.tar.gz
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard
	else
		find . -path './build*' -prune -o -type f -print
	fi | LC_ALL=C sort >"$PACKAGES/files"
	tar -cf "$PACKAGES/cordon.tar" --no-recursion --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
	    --mtime="@$(package_date)" --transform="s|^|cordon-$version/|" --files-from="$PACKAGES/files" ||
	    fail 'the source could not be packed'
	gzip -n9 <"$PACKAGES/cordon.tar" >"$source"
	rm "$PACKAGES/cordon.tar" "$PACKAGES/files"
}

# fill TEMPLATE FILE
package_fill()
{
	sed -e "s|@VERSION@|$version|g" -e "s|@NPM_NAME@|$NPM_NAME|g" -e "s|@HOMEPAGE@|$HOMEPAGE|g" \
	    -e "s|@DOWNLOADS@|$DOWNLOADS|g" -e "s|@SHA256@|${checksum:-}|g" -e "s|@NPM_CPU@|${cpus:-}|g" "$1" >"$2"
	! grep -n '@[A-Z][A-Z0-9_]*@' "$2" || fail "$1: a name that ./dev package does not know"
}

package_static()
{
	release_prepare
	# shellcheck disable=SC2086 # a list
	release_all build-release $PACKAGE_ARCHS
	for arch in x86_64 aarch64; do
		case " $PACKAGE_ARCHS " in
		*" $arch "*) cp "build-release/cordon-$version-linux-$arch" "$PACKAGES/" ;;
		*) say "without $arch: the npm package and the wheels will not run there" ;;
		esac
	done
}

package_deb()
{
	setup package
	[ "$(sed -n '1s/.*(\([^)]*\)-[^-]*).*/\1/p' packages/debian/changelog)" = "$version" ] ||
	    fail "the version in packages/debian/changelog is not $version"
	place=$PACKAGES/deb
	rm -rf "$place"
	mkdir -p "$place"
	cp "$PACKAGES/cordon-$version.tar.gz" "$place/cordon_$version.orig.tar.gz"
	tar -xzf "$place/cordon_$version.orig.tar.gz" -C "$place"
	cp -R packages/debian "$place/cordon-$version/debian"
	say "building the Debian packages and running their tests; the log is $place/log"
	(cd "$place/cordon-$version" && dpkg-buildpackage -us -uc) >"$place/log" 2>&1 ||
	    { tail -n 60 "$place/log" >&2 && fail 'the Debian packages could not be built'; }
	rm -rf "${place:?}/cordon-$version"
	lintian --fail-on warning,error --pedantic "$place"/*.changes || fail 'lintian found something'
	cp "$place"/*.deb "$PACKAGES/"
}

package_npm()
{
	place=$PACKAGES/npm cpus='' separator='['
	rm -rf "$place"
	cp -R packages/npm "$place"
	for arch in $PACKAGE_ARCHS; do
		install -D -m 755 "$PACKAGES/cordon-$version-linux-$arch" "$place/bin/Linux-$arch/cordon"
		cpus="$cpus$separator\"$([ "$arch" = x86_64 ] && echo x64 || echo arm64)\"" separator=', '
	done
	cpus="$cpus]"
	package_fill packages/npm/package.json "$place/package.json"
	package_fill packages/npm/README.md "$place/README.md"
	cp LICENSE "$place/"
	# npm takes the modes as they are
	find "$place" -type f -perm -u+x -exec chmod 755 {} + -o -type f -exec chmod 644 {} +
	(cd "$PACKAGES" && npm pack --silent ./npm) || fail 'npm could not pack'
}

package_wheel()
{
	for arch in $PACKAGE_ARCHS; do
		/usr/bin/python3 -B packages/python/wheel.py "$WHEEL_NAME" "$version" "$arch" \
		    "$PACKAGES/cordon-$version-linux-$arch" "$PACKAGES" || fail 'the wheel could not be made'
	done
}

# The formula and the recipe name the tarball and its checksum.
package_texts()
{
	checksum=$(sha256sum "$PACKAGES/cordon-$version.tar.gz" | cut -d' ' -f1)
	package_fill packages/homebrew/cordon.rb "$PACKAGES/cordon.rb"
	package_fill packages/aur/PKGBUILD "$PACKAGES/PKGBUILD"
	bash -n "$PACKAGES/PKGBUILD" || fail 'PKGBUILD is no bash'
	if command -v ruby >/dev/null; then
		ruby -c "$PACKAGES/cordon.rb" >/dev/null || fail 'cordon.rb is no Ruby'
	else
		say 'there is no ruby: the syntax of cordon.rb was not checked'
	fi
	say "filled $PACKAGES/cordon.rb and $PACKAGES/PKGBUILD (syntax only: brew and makepkg are not run)"
}

# package_test [SUITE...]: in roots of these releases of Debian, which are removed afterwards.
package_test()
{
	[ "$(id -u)" -eq 0 ] || fail 'roots are made as root'
	setup containers package
	[ $# -gt 0 ] || set -- bookworm
	for suite in "$@"; do
		suite "packages/$suite" self tap \
		    "exec \"\$ROOT/tests/packages/roots\" $suite \"\$ROOT/$PACKAGES\" $version $NPM_NAME $WHEEL_NAME"
	done | TEST_TIMEOUT=3000 tests/run "$PACKAGES/test-logs"
}

cmd_package()
{
	[ "$(uname -s)" = Linux ] || fail 'packages are built on Linux'
	version=$(sed -n "s/^  version: '\([^']*\)'.*/\1/p" meson.build)
	# shellcheck source=packages/names
	. packages/names
	mkdir -p "$PACKAGES"
	kind=${1:-all}
	[ $# -eq 0 ] || shift
	case $kind in
	test) package_test "$@" && return ;;
	deb | npm | wheel | texts | all) [ $# -eq 0 ] || kind=unknown ;;
	esac
	case $kind in
	deb | texts | all) package_source ;;
	esac
	case $kind in
	npm | wheel | all) package_static ;;
	esac
	case $kind in
	deb | npm | wheel | texts) "package_$kind" ;;
	all) package_deb && package_npm && package_wheel && package_texts ;;
	*) fail 'usage: ./dev package [deb | npm | wheel | texts | test [RELEASE...]]' ;;
	esac
	sums=$(cd "$PACKAGES" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort |
	    xargs sha256sum) && say "$sums" | tee "$PACKAGES/SHA256SUMS"
}
