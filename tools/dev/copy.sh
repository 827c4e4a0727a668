# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs programs as an ordinary user, or in a temporary directory for any user. Read by ./dev.

# make_copy BUILD: copies it where an ordinary user can read and not change it.
make_copy()
{
	COPY=$(mktemp -d /tmp/cordon-copy.XXXXXX)
	trap 'rm -rf "$COPY"' EXIT
	trap 'exit 130' INT TERM HUP
	tar -cf - --exclude='./build*' --exclude=./.git . | tar -xf - --no-same-owner -C "$COPY"
	mkdir -p "$COPY/$1/tests/unit" "$COPY/$1/bench"
	find "$1" -maxdepth 1 \( -name cordon -o -name 'libcordon.so*' \) \
	    -exec cp -P {} "$COPY/$1/" \;
	[ ! -f "$1/tests/unit/foreign" ] || cp "$1/tests/unit/foreign" "$COPY/$1/tests/unit/"
	find "$1/bench" -maxdepth 1 -type f -perm -u+x -exec cp {} "$COPY/$1/bench/" \;
	# an installed tree, for tests/agents/recipes.bats
	[ ! -f "$1/meson-info/intro-installed.json" ] || [ "$1" != build ] ||
	    DESTDIR=$COPY/build/tree meson install -C "$1" --no-rebuild --quiet >/dev/null
	mkdir -p "$COPY/$1/tests/faults"
	[ ! -d "$1/tests/faults" ] ||
	    find "$1/tests/faults" -maxdepth 1 -type f -exec cp {} "$COPY/$1/tests/faults/" \;
	mkdir -p "$COPY/$1/tests/net"
	for name in role role_portable; do
		[ ! -f "$1/tests/net/$name" ] || cp "$1/tests/net/$name" "$COPY/$1/tests/net/"
	done
	mkdir -p "$COPY/$1/tests/process"
	[ ! -d "$1/tests/process" ] ||
	    find "$1/tests/process" -maxdepth 1 -type f -exec cp {} "$COPY/$1/tests/process/" \;
	mkdir -p "$COPY/$1/tests/attack"
	for name in older.so oddcalls; do
		[ ! -f "$1/tests/attack/$name" ] || cp "$1/tests/attack/$name" "$COPY/$1/tests/attack/"
	done
	# 900 MB: linked where that is possible
	if [ -d build/npm/node_modules ]; then
		mkdir -p "$COPY/build/npm"
		cp -al build/npm/node_modules "$COPY/build/npm/" 2>/dev/null ||
		    cp -a build/npm/node_modules "$COPY/build/npm/"
	fi
	chmod -R go=u-w "$COPY"
}

# Root switches to an ordinary user; others are one.
copy_for_user()
{
	COPY=$ROOT
	if [ "$(id -u)" -eq 0 ] && [ "$(uname -s)" = Linux ]; then
		make_copy build
	fi
	export COPY
}

# open_folder NAME: makes a temporary directory for in_the_open.
open_folder()
{
	open=$(mktemp -d "/tmp/cordon-$1.XXXXXX")
	trap 'rm -rf "$open"; [ "$COPY" = "$ROOT" ] || rm -rf "$COPY"' EXIT
	trap 'exit 130' INT TERM HUP
	chmod 1777 "$open"
	sanitized=''
}

# in_the_open WHO TREE PROGRAM [ARGUMENT...]: runs a long Python program with its output on the terminal.
in_the_open()
{
	who=$1 program=$2/$3
	say "# $3 as $1"
	shift 3
	set -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TREE_FULL=1 \
	    ${FAULTS_MANY:+FAULTS_MANY="$FAULTS_MANY"} ${sanitized:+CORDON="$sanitized"} TMPDIR="$open" /usr/bin/python3 -B "$program" "$@"
	if [ "$who" = nobody ]; then
		set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
	(cd / && exec "$@" </dev/null)
}
