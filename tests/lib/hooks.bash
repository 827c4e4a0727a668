# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # T, P and CORDON are common's
# Planting what git runs later: the same commands outside, where git then runs it, and inside.

hook()
{
	printf '#!/bin/sh\ntouch %s/started\n' "$T" >evil
	chmod +x evil
}

# start: an honest project with a file to commit and a hook to plant
start()
{
	begin
	git init -q .
	echo a >a
	git add a
	git commit -q -m a
	hook
}

# plants USE SCRIPT...: outside, what the script left is run by USE; inside each is refused, and what
# the user does then starts nothing. Each begins with the same project.
plants()
{
	local use=$1 script

	shift
	rm -rf "$T/kept"
	cp -a "$P" "$T/kept"
	for script in "$@"; do
		rm -f "$T/started"
		(sh -c "$script"; sh -c "$use") >/dev/null 2>&1 </dev/null || :
		[ -e "$T/started" ] || complain "starts nothing outside either: $script" || return 1
		cd "$T" && rm -rf "$P" "$T/started" && cp -a "$T/kept" "$P" && cd "$P" || return 1
		"$CORDON" run -q -- sh -c "$script" >"$T/boxed" 2>&1 </dev/null || :
		sh -c "$use" >/dev/null 2>&1 </dev/null || :
		[ ! -e "$T/started" ] || complain "started: $script" || return 1
		cd "$T" && rm -rf "$P" && cp -a "$T/kept" "$P" && cd "$P" || return 1
	done
}
