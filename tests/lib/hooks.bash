# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # T, P and CORDON are common's
# Attempts to plant code that git runs later, without cordon, where git then runs it, and under cordon.

hook()
{
	printf '#!/bin/sh\ntouch %s/started\n' "$T" >evil
	chmod +x evil
}

# start: a project with a file to commit and a hook to plant
start()
{
	begin
	git init -q .
	echo a >a
	git add a
	git commit -q -m a
	hook
}

# plants USE SCRIPT...: without cordon, USE runs what each script planted. Under cordon each script is refused,
# and USE, run by the user, starts nothing. Every script begins with the same project.
plants()
{
	local use=$1 script

	shift
	rm -rf "$T/kept"
	cp -a "$P" "$T/kept"
	for script in "$@"; do
		rm -f "$T/started"
		(sh -c "$script"; sh -c "$use") >/dev/null 2>&1 </dev/null || :
		[ -e "$T/started" ] || complain "starts nothing without cordon either: $script" || return 1
		cd "$T" && rm -rf "$P" "$T/started" && cp -a "$T/kept" "$P" && cd "$P" || return 1
		"$CORDON" run -q -- sh -c "$script" >"$T/boxed" 2>&1 </dev/null || :
		sh -c "$use" >/dev/null 2>&1 </dev/null || :
		[ ! -e "$T/started" ] || complain "started: $script" || return 1
		cd "$T" && rm -rf "$P" && cp -a "$T/kept" "$P" && cd "$P" || return 1
	done
}
