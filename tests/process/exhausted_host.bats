#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A machine that has exhausted a resource: the kernel refuses, nothing is simulated (as in
# tests/faults). In each case either nothing runs and cordon reports why, or the command runs fully
# confined.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# The command leaves "ran" when it ran and "leak" when it could read the secret. Its status is 7.
prepare()
{
	printf 'secret\n' >"$HOME/secret"
	by_tools="touch '$P/ran'; cp '$HOME/secret' '$P/leak' 2>/dev/null; exit 7"
	by_shell=": >'$P/ran'; read -r x <'$HOME/secret' && echo \"\$x\" >'$P/leak'; exit 7"
	sh -c "$by_tools" || [ $? -eq 7 ]
	[ -e ran ] && [ -s leak ] || complain 'free, the command does not do it all' || return 1
	rm ran leak
	sh -c "$by_shell" || [ $? -eq 7 ]
	[ -e ran ] && [ -s leak ] || complain 'free, the shell does not do it all' || return 1
	rm ran leak
	mkdir "$T/tmp"
	export TMPDIR=$T/tmp
}

is_sanitized()
{
	grep -q __asan_init "$CORDON"
}

# limited LIMIT VALUE ARGUMENT...: cordon under a limit of the shell. Leaves out, err and status.
limited()
{
	local limit=$1 value=$2

	shift 2
	rm -f ran leak
	status=0
	timeout 60 bash -c 'ulimit -S "$1" "$2" || exit 90; shift 2; exec "$@"' bash "$limit" "$value" \
	    "$CORDON" "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
}

# Nothing ran unconfined, nothing was left, and it did not look like success.
harmless()
{
	[ ! -e leak ] || complain "the secret was read: $1" || return 1
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ] && [ "$status" -ne 90 ] ||
	    complain "status $status: $1" || return 1
	rmdir "$T/tmp" && mkdir "$T/tmp" || complain "left behind: $1 $(ls "$T/tmp")" || return 1
}

# ... and more: it ran as ever, or was refused with 125 and a reason.
ran_or_refused()
{
	harmless "$1" || return 1
	if [ "$status" -eq 7 ]; then
		[ -e ran ] || complain "it says that it ran, and did not: $1" || return 1
		ran_once=1
		return 0
	fi
	[ ! -e ran ] || complain "it ran, and was not as ever: $1" || return 1
	refused_once=1
	# before the first line of ours the loader may fail, and a sanitizer's start
	case $err in
	*'while loading shared libraries'* | *Sanitizer*) ;;
	*'cordon: '*) [ "$status" -eq 125 ] || complain "not 125: $1" ;;
	*) complain "no reason is given: $1" ;;
	esac
}

@test "descriptor limits from 3 to 40 run or refuse cleanly" {
	local n ran_once='' refused_once=''

	prepare
	for n in $(seq 3 40); do
		limited -n "$n" run -- sh -c "$by_tools"
		ran_or_refused "at most $n descriptors"
	done
	[ -n "$ran_once" ] && [ -n "$refused_once" ] || complain 'all the same'
}

# As root the limit does not bind, and everything works. Others may start and end processes at any
# time, so what each number leads to is not known; that it is one of two things is.
@test "a limit on processes runs or refuses cleanly" {
	local n now ran_once='' refused_once=''

	prepare
	now=$(find /proc -maxdepth 2 -path '/proc/[0-9]*/task' -user "$(id -u)" 2>/dev/null | wc -l)
	for n in 1 2 $(seq "$now" $((now + 12))); do
		limited -u "$n" run -- sh -c "$by_shell"
		ran_or_refused "at most $n processes"
	done
	if [ "$(id -u)" -eq 0 ]; then
		[ -z "$refused_once" ] || complain 'refused to root'
	else
		[ -n "$refused_once" ] || complain 'never refused'
	fi
}

# Out of memory the loader, the C library's user database and the command itself may fail or die in
# their own ways; what counts is that nothing runs unconfined and that it is no success.
@test "memory limits from 1 to 40 MiB run or refuse cleanly" {
	local n ran_once=''

	prepare
	for n in $(seq 1 40); do
		limited -v $((n * 1024)) run -- sh -c "$by_shell"
		harmless "at most $n MiB"
		[ "$status" -ne 7 ] || [ -e ran ] || complain "it says that it ran, and did not: $n MiB"
		[ "$status" -ne 7 ] || ran_once=1
	done
	[ -n "$ran_once" ] || is_sanitized || complain 'never ran'
}

@test "with a file size limit of 0 the command runs without a log" {
	prepare
	timeout 60 bash -c 'ulimit -f 0 && exec "$@"' bash "$CORDON" run -- sh -c "$by_tools" \
	    2>&1 >/dev/null </dev/null | cat >"$T/err"
	[ "${PIPESTATUS[0]}" -eq 7 ] || complain 'it did not run as ever'
	err=$(cat "$T/err")
	heard 'cannot write the audit log'
	[ -e ran ] && [ ! -e leak ]
}

@test "full or closed output descriptors do not end the session" {
	prepare
	status=0
	timeout 60 "$CORDON" run --status-fd 5 -- sh -c "$by_tools" 5>/dev/full 2>"$T/err" </dev/null || status=$?
	[ "$status" -eq 7 ] && [ -e ran ] && [ ! -e leak ] || complain 'the status descriptor'
	err=$(cat "$T/err")
	heard 'status descriptor'
	rm ran
	# a pipe that is not read
	exec 5> >(:)
	wait $!
	status=0
	timeout 60 "$CORDON" run --status-fd 5 -- sh -c "$by_tools" 2>"$T/err" </dev/null || status=$?
	exec 5>&-
	[ "$status" -eq 7 ] && [ -e ran ] && [ ! -e leak ] || complain 'a broken pipe'
	# a refusal stands even if it cannot be reported
	status=0
	timeout 60 "$CORDON" run --read /missing -- sh -c "$by_tools" 2>/dev/full </dev/null || status=$?
	[ "$status" -eq 125 ] || complain 'no standard error'
}

# ---- missing places, made so by another cordon around it: that needs no privileges ----

# inside WRITABLE SCRIPT: a shell that may read and run the system, and write what is named. The
# command of the inner cordon is $1. Nothing of it needs a broker: inside one there is no other.
inside()
{
	local writable=$1 script=$2 system

	system='"/usr", "/bin", "/lib", "/lib64", "'$(dirname "$CORDON")'", "'$P'"'
	rm -f ran leak
	status=0
	TMPDIR=$T/tmp timeout 120 "$CORDON" run --no-project-policy --policy-json '{"extends": [],
		"files": {"read": ["/etc", "/proc", "/sys", "/dev", "'"$XDG_CONFIG_HOME"'", "'"$HOME/secret"'"],
			"execute": ['"$system"'], "write": ['"$writable"']}, "env": {"mode": "inherit"},
		"accept": ["sockets.path", "process.listing", "process.tree", "files.metadata",
			"files.future"]}' -- \
	    sh -c "echo outer; $script" sh "$CORDON" "$by_tools" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	said outer
}

@test "in a session with few grants: a nested run works" {
	prepare
	inside "\"$P\", \"$T/tmp\", \"/dev/null\"" 'exec "$1" run -- sh -c "$2"'
	[ "$status" -eq 7 ] && [ -e ran ] && [ ! -e leak ] || complain 'not as ever'
}

@test "in a session with few grants: without a temporary folder" {
	prepare
	inside "\"$P\", \"/dev/null\"" 'unset TMPDIR; exec "$1" run -- sh -c "$2"'
	[ "$status" -eq 125 ] && [ ! -e ran ] || complain 'not refused'
	heard 'private folder /tmp/'
}

@test "in a session with few grants: without a writable folder" {
	prepare
	inside '' 'unset TMPDIR; exec "$1" run -- sh -c "$2"'
	[ "$status" -eq 125 ] && [ ! -e ran ] || complain 'not refused'
	heard 'cordon: '
}

@test "in a session with few grants: closed standard descriptors and no /dev/null" {
	prepare
	inside "\"$P\", \"$T/tmp\"" 'exec "$1" run -- sh -c "$2" >&-'
	[ "$status" -eq 125 ] && [ ! -e ran ] || complain 'not refused'
	heard 'cannot open /dev/null'
}

# ---- the same with mounts of its own, where that is allowed: as root, or as root of a namespace ----

# apart SCRIPT: runs it as root of mounts of its own; $1 is cordon, $2 the command. 77: not to be had.
apart()
{
	local how=-m

	rm -f ran leak
	[ "$(id -u)" -eq 0 ] || how=-Urm
	unshare "$how" true 2>/dev/null || return 77
	status=0
	timeout 120 unshare "$how" sh -c "set -e; mount --make-rprivate /; $1" sh "$CORDON" "$by_tools" \
	    >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
}

# Where namespaces are forbidden the cases above, inside another cordon, stand for these.
@test "in a mount namespace without /proc" {
	prepare
	apart 'mount -t tmpfs none /proc; echo apart; exec "$1" run -- sh -c "$2"' || return 0
	said apart
	harmless 'without /proc'
	# a sanitizer needs /proc itself, to read its options and to end in peace
	! is_sanitized || { [ ! -e ran ] && return 0; }
	[ ! -e ran ] && [ "$status" -eq 125 ] || [ "$status" -eq 7 ] || complain 'neither ran nor refused'
}

@test "in a mount namespace without /dev/null, with closed standard descriptors" {
	prepare
	apart 'mount -t tmpfs none /dev; echo apart; exec "$1" run -- sh -c "$2" <&-' || return 0
	said apart
	[ "$status" -eq 125 ] && [ ! -e ran ] || complain 'not refused'
	heard 'cannot open /dev/null'
}

@test "in a mount namespace where everything is read-only" {
	prepare
	apart 'for place in / /tmp "$PWD"; do
			mount -o remount,bind,ro "$(stat -c %m "$place")" || exit 77
		done
		echo apart; exec "$1" run -- sh -c "$2"' || return 0
	# what others have locked an ordinary user cannot mount again
	[ "$(id -u)" -eq 0 ] || [ "$status" -ne 77 ] || return 0
	said apart
	[ "$status" -eq 125 ] && [ ! -e ran ] || complain 'not refused'
	heard 'cordon: '
}

@test "in a mount namespace where the disk is full" {
	prepare
	apart 'mount -t tmpfs -o size=4k,nr_inodes=2 none "$TMPDIR"; : >"$TMPDIR/fill"; echo apart
		exec "$1" run -- sh -c "$2"' || return 0
	said apart
	[ "$status" -eq 125 ] && [ ! -e ran ] || complain 'not refused'
	heard 'No space left on device'
}
