#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The cgroup of a session: made, used, ended, removed; as root in a cgroup of root, and as an
# ordinary user in a delegated one. Each test has its own cgroup in the hierarchy, and any cgroup
# left there is a failure.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

USER_ID=65534

# The folder of our own cgroup in the unified hierarchy, or nothing.
own_cgroup()
{
	local mount name

	mount=$(awk '/ - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
	name=$(sed -n 's/^0:://p' /proc/self/cgroup)
	[ -z "$mount" ] || [ -z "$name" ] || printf '%s\n' "$mount${name%/}"
}

# Only root can give a cgroup away, and not where another user owns the hierarchy.
needs_cgroup()
{
	[ "$(id -u)" -eq 0 ] || skip 'needs root, which can give a cgroup away'
	TOP=$(own_cgroup)
	if [ -z "$TOP" ] || ! mkdir "$TOP/cordon-bats-$$" 2>/dev/null; then
		skip 'no cgroup of the unified hierarchy can be made and given away here'
	fi
	rmdir "$TOP/cordon-bats-$$"
}

# make_place NAME USER: a cgroup in $PLACE, and a copy of the program that the user can run
make_place()
{
	PLACE=$TOP/cordon-bats-$$-$BATS_TEST_NUMBER-$1 WHO=$2
	mkdir "$PLACE"
	places="$places $PLACE"
	OPEN=$(mktemp -d /tmp/cordon-groups.XXXXXX)
	places_open="$places_open $OPEN"
	mkdir -p "$OPEN/home" "$OPEN/project/.git" "$OPEN/tmp"
	cp "$CORDON" "$OPEN/cordon"
	chmod 755 "$OPEN"
	if [ "$WHO" -ne 0 ]; then
		chown -R "$WHO:$WHO" "$OPEN"
		chown "$WHO:$WHO" "$PLACE" "$PLACE/cgroup.procs" "$PLACE/cgroup.subtree_control" \
		    "$PLACE/cgroup.threads"
	fi
}

# in_place COMMAND...: in the place, as its user, in a project
in_place()
{
	(
		echo 0 >"$PLACE/cgroup.procs"
		cd "$OPEN/project" || exit 1
		set -- env HOME="$OPEN/home" TMPDIR="$OPEN/tmp" XDG_CONFIG_HOME="$OPEN/home/.config" \
		    XDG_STATE_HOME="$OPEN/home/.local/state" "$@"
		[ "$WHO" -eq 0 ] ||
		    set -- setpriv --reuid="$WHO" --regid="$WHO" --clear-groups "$@"
		exec "$@"
	) 3>&-
}

# runs STATUS ARGUMENT...: cordon in the place; leaves out and err
runs()
{
	local want=$1

	shift
	status=0
	in_place timeout 100 "$OPEN/cordon" "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq "$want" ] || complain "status $want was expected of: cordon $*"
}

cgroups_below()
{
	find "$PLACE" -mindepth 1 -type d 2>/dev/null
}

is_empty()
{
	grep -q '^populated 0' "$PLACE/cgroup.events" && [ -z "$(cgroups_below)" ]
}

# Nobody lives there and nothing was left. In newer kernels it takes a moment until the last process
# that was waited for is out of it.
nothing_left()
{
	until_true 60 is_empty ||
	    complain 'left behind:' "$(cgroups_below)" "$(cat "$PLACE/cgroup.procs")"
}

# as_each FUNCTION: as root and as the ordinary user, in a place of its own each
as_each()
{
	make_place root 0
	"$1" || complain 'as root' || return 1
	nothing_left || return 1
	make_place user "$USER_ID"
	"$1" || complain "as $USER_ID" || return 1
	nothing_left
}

places='' places_open=''

teardown()
{
	local place

	for place in $places; do
		[ ! -e "$place/cgroup.kill" ] || echo 1 >"$place/cgroup.kill"
		until_true 60 grep -q '^populated 0' "$place/cgroup.events" || true
		find "$place" -depth -type d -exec rmdir {} + 2>/dev/null || true
	done
	for place in $places_open; do
		rm -rf "$place"
	done
}

# ---- the cgroup ----

own_and_gone()
{
	runs 0 run -- sh -c 'grep ^0:: /proc/self/cgroup' || return 1
	[[ $out =~ ^0::.*/${PLACE##*/}/cordon-[0-9a-f]{16}$ ]] || complain 'not in a cgroup of its own'
}

# R104-R105 differs: a failed join ends the start instead of going on untracked
@test "a session has its own cgroup, removed at its end" {
	needs_cgroup
	as_each own_and_gone
}

left_alone()
{
	runs 3 run -- sh -c '
		setsid sleep 1000 >/dev/null 2>&1 &
		(setsid sh -c "trap : HUP INT TERM; while :; do sleep 1000; done" &) >/dev/null 2>&1
		sh -c "kill -STOP \$\$; sleep 1000" >/dev/null 2>&1 &
		storm() { (storm &) ; sleep 0.05; }
		storm >/dev/null 2>&1 &
		exit 3'
}

@test "processes that a command left end with its cgroup" {
	needs_cgroup
	as_each left_alone
}

has_started()
{
	[ -s "$OPEN/project/started" ]
}

# start_long [OPTION]: a session that stays; leaves $job, $launcher and $guard
start_long()
{
	rm -f "$OPEN/project/started"
	in_place sh -c 'echo $$ >launcher && exec "$@"' sh \
	    "$OPEN/cordon" run "$@" -- sh -c 'echo $PPID >started; setsid sleep 1000 & sleep 1000' \
	    >"$T/out" 2>"$T/err" </dev/null &
	job=$!
	until_true 60 has_started || complain 'did not start' || return 1
	launcher=$(cat "$OPEN/project/launcher") guard=$(cat "$OPEN/project/started")
}

killed()
{
	start_long || return 1
	kill -KILL "$launcher"
	wait "$job" || true
	nothing_left || return 1
	start_long || return 1
	kill -KILL "$guard"
	status=0
	wait "$job" || status=$?
	[ "$status" -eq 137 ] || complain 'its guard was killed'
}

@test "a launcher or a guard that is killed leaves no cgroup" {
	needs_cgroup
	as_each killed
}

# Free, the user may take every process of the place out of the cgroup it is in.
no_way_out()
{
	local try='mkdir "$0/way-out" && echo $$ >"$0/way-out/cgroup.procs" && echo $$ >"$0/cgroup.procs" &&
		rmdir "$0/way-out"'

	in_place sh -c "$try" "$PLACE" || complain 'fails free' || return 1
	runs 9 run -- sh -c "( $try ) 2>/dev/null || exit 9" "$PLACE" || return 1
	runs 9 run -- sh -c 'for group in "$0"/cordon-*; do
		echo $$ >"$0/cgroup.procs" || echo 0 >"$group/cgroup.freeze" || rmdir "$group" || exit 9
		done 2>/dev/null' "$PLACE"
}

@test "a sandboxed command cannot leave its cgroup or change it" {
	needs_cgroup
	as_each no_way_out
}

# A child born into another cgroup is killed by kernels from 6.14 on when its parent's was ever ended.
ended_before()
{
	[ ! -e "$PLACE/cgroup.kill" ] || echo 1 >"$PLACE/cgroup.kill"
	runs 0 run -- sh -c 'echo ran; grep ^0:: /proc/self/cgroup' || return 1
	said ran /cordon-
}

@test "sessions start from a cgroup that was killed before" {
	needs_cgroup
	as_each ended_before
}

ten_at_once()
{
	local pids='' pid

	for _ in 1 2 3 4 5 6 7 8 9 10; do
		in_place "$OPEN/cordon" run -- sh -c 'setsid sleep 1000 & exit 3' >/dev/null 2>&1 </dev/null &
		pids="$pids $!"
	done
	for pid in $pids; do
		status=0
		wait "$pid" || status=$?
		[ "$status" -eq 3 ] || complain 'of ten at once' || return 1
	done
}

@test "parallel sessions leave no cgroup" {
	needs_cgroup
	as_each ten_at_once
}

# ---- --track-only ----

tracked_and_gone()
{
	runs 3 run --track-only -- sh -c 'grep ^0:: /proc/self/cgroup
		(setsid sh -c "trap : HUP INT TERM; while :; do sleep 1000; done" &) >/dev/null 2>&1
		exit 3' || return 1
	[[ $out =~ ^0::.*/${PLACE##*/}/cordon-[0-9a-f]{16}$ ]] || complain 'not in a cgroup of its own'
}

@test "a tracked session has its own cgroup, removed at its end" {
	needs_cgroup
	as_each tracked_and_gone
}

# Without a cgroup the sleep would live on: neither launcher nor guard is left to find it.
both_killed()
{
	start_long --track-only || return 1
	kill -STOP "$launcher"
	kill -KILL "$guard" "$launcher"
	wait "$job" || true
	is_empty && complain 'nothing was left to be ended'
	runs 0 ps || return 1
	nothing_left
}

@test "launcher and guard of a tracked session are killed: the next cordon ps ends its processes" {
	needs_cgroup
	as_each both_killed
}

# ---- limits ----

# Four processes that take 40 MB and keep them until all have: less than the limit each, more together.
HOGS='for i in 1 2 3 4; do
		{ head -c 40m /dev/zero; echo >full.$i; } | tail -c 40m |
			{ until [ -e go ]; do sleep 0.1; done; wc -c; } &
	done
	until [ -e full.1 ] && [ -e full.2 ] && [ -e full.3 ] && [ -e full.4 ]; do sleep 0.1; done
	echo >go
	wait'
CROWD='for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1000 & done; sleep 1000'

# A record that only tracks, and one that restricts; both name the cgroup of the editor.
editor_record()
{
	if [ "$1" = tracks ]; then
		printf '{"tracking_only": true, "cgroup_path": "%s"}' "$PLACE/zed-terminal-1.scope"
		return
	fi
	printf '{"project_dir": "%s", "executable_paths": ["/usr", "/bin", "/lib", "/lib64"], "read_only_paths": ["/etc", "/proc"],
		"read_write_paths": ["/dev/null"], "additional_executable_paths": [], "additional_read_only_paths": [],
		"additional_read_write_paths": [], "allow_network": false, "allowed_env_vars": ["PATH"],
		"cgroup_path": "%s"}' "$OPEN/project" "$PLACE/zed-terminal-1.scope"
}

# ended_by_editor KIND: as the editor does, by writing to its cgroup; leaves no process, and the cgroup is empty
ended_by_editor()
{
	rm -f "$OPEN/project/started"
	in_place "$OPEN/cordon" --sandbox-exec "$(editor_record "$1")" -- \
	    sh -c 'setsid sleep 1000 & echo $! >started; sleep 1000' >"$T/out" 2>"$T/err" </dev/null &
	job=$!
	until_true 60 has_started || complain 'did not start' || return 1
	grep -qx "$(cat "$OPEN/project/started")" "$PLACE/zed-terminal-1.scope/cgroup.procs" ||
	    complain 'not in the cgroup of the record' || return 1
	echo 1 >"$PLACE/zed-terminal-1.scope/cgroup.kill"
	status=0
	wait "$job" || status=$?
	[ "$status" -eq 137 ] || complain 'was not ended'
}

joins_record_cgroup()
{
	local kind

	in_place mkdir "$PLACE/zed-terminal-1.scope"
	for kind in tracks restricts; do
		runs 0 --sandbox-exec "$(editor_record "$kind")" -- grep ^0:: /proc/self/cgroup || return 1
		said "/${PLACE##*/}/zed-terminal-1.scope" || return 1
		ended_by_editor "$kind" || return 1
		# it is the editor's to remove
		[ -d "$PLACE/zed-terminal-1.scope" ] || return 1
		runs 125 --sandbox-exec "$(editor_record "$kind")" --file-size 1G --policy-json '{}' --memory 1G -- touch ran ||
		    return 1
	done
	until_true 60 grep -q '^populated 0' "$PLACE/zed-terminal-1.scope/cgroup.events" || return 1
	rmdir "$PLACE/zed-terminal-1.scope"
	runs 125 --sandbox-exec "$(editor_record tracks)" -- touch ran || return 1
	heard '"cgroup_path"' 'No such file' || return 1
	[ ! -e "$OPEN/project/ran" ]
}

@test "--sandbox-exec: the record's cgroup is joined, its owner ends the session by it, and cordon leaves it alone" {
	needs_cgroup
	as_each joins_record_cgroup
}

can_limit()
{
	"$CORDON" doctor --json >"$T/out" 2>"$T/err" || true
	json "d['facts']['cgroup_$1'] or d['facts']['scope']" 2>/dev/null
}

@test "memory is limited over all processes, or the limit is refused by name" {
	if can_limit memory; then
		expect 0 run -- sh -c "$HOGS"
		rm go full.*
		expect 137 run --policy-json '{"limits": {"memory": "100M"}}' -- sh -c "$HOGS"
		heard 'the memory limit ended it'
	else
		refused run --policy-json '{"limits": {"memory": "100M"}}' -- touch ran
		heard limits.memory 'no delegated cgroup can limit it' '--accept limits.memory'
		[ ! -e ran ]
	fi
}

@test "the number of processes is limited in total, or the limit is refused by name" {
	if can_limit pids; then
		expect 0 run --policy-json '{"limits": {"processes": 8}}' -- \
		    sh -c '( '"$CROWD"' ) 2>/dev/null || echo refused'
		said refused
	else
		refused run --policy-json '{"limits": {"processes": 8}}' -- touch ran
		heard limits.processes '--accept limits.processes'
		[ ! -e ran ]
	fi
}

@test "with the gap accepted each process has the memory limit" {
	can_limit memory && skip 'there is no gap here'
	free='head -c 300m /dev/zero | tail -c 300m | wc -c'
	expect 0 run -- sh -c "$free"
	said 314572800
	expect 0 run --policy-json '{"limits": {"memory": "100M"}}' --accept limits.memory -- \
	    sh -c "( $free ) 2>/dev/null"
	unsaid 314572800
}
