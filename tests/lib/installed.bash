# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # variables of common
# cordon as it is installed.

# installed: puts an installed cordon first on the PATH, and into CORDON. An ordinary user's copy of the tree has one in
# build/tree; else it is installed from the build.
installed()
{
	local place=$TREE/build/tree

	if [ ! -d "$place" ]; then
		place=$T/tree
		DESTDIR=$place meson install -C "$TREE/build" --no-rebuild --quiet >/dev/null || return 1
	fi
	CORDON=$(echo "$place"/*/bin/cordon "$place"/*/*/bin/cordon | tr ' ' '\n' | grep -v '\*' | head -n 1)
	[ -x "$CORDON" ] || return 1
	export PATH=${CORDON%/*}:$PATH
	[ "$(command -v cordon)" = "$CORDON" ]
}
