#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The broker: what is protected inside a folder that may be changed. What is allowed must be as
# without cordon, call by call; what is not must be refused on every way to it.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load common

begin()
{
	rm -rf .git
	mkdir kept
	echo kept >kept/file
	cp "$TREE/tests/broker/ops.py" "$TREE/tests/broker/attack.py" .
	before=$(state)
}

# Everything about the protected folder that can be seen from outside.
state()
{
	find kept -printf '%p %y %m %u %T@ %n\n' | sort
	cat kept/file
}

untouched()
{
	[ "$(state)" = "$before" ] || complain "was: $before" "is: $(state)"
}

teardown()
{
	if [ -n "${launcher:-}" ]; then
		kill -KILL "$launcher" 2>/dev/null || true
		wait "$launcher" 2>/dev/null || true
	fi
}

# until_true SECONDS COMMAND...: polls.
until_true()
{
	local left=$(($1 * 20))

	shift
	while ! "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 0.05
	done
}

# attack KIND SECONDS: outside it gets through, inside it does not.
attack()
{
	expect 0 run --protect kept -- "$PYTHON" attack.py "$1" "$2"
	untouched
}

@test "carve-outs and metadata are kept by the broker, and plan says so" {
	begin
	expect 0 run -v --protect kept -- true
	heard 'files.carveout' 'broker over Landlock' 'files.metadata'
	# without need nothing is routed
	expect 0 run -v --accept files.future --accept files.metadata -- true
	heard 'accepted   files.future' 'accepted   files.metadata'
}

@test "allowed calls end as without cordon: results, errors, modes, names" {
	begin
	mkdir bare boxed
	bare=''
	if [ "$(id -u)" -eq 0 ]; then
		# root's powers are gone inside; without them it is a fair comparison
		bare='setpriv --bounding-set=-all --inh-caps=-all'
	fi
	$bare "$PYTHON" ops.py bare reads >"$T/bare" 2>"$T/bare.err" || complain "$(cat "$T/bare.err")"
	[ "$(wc -l <"$T/bare")" -gt 1000 ]
	CORDON_TIMEOUT=240 expect 0 run --protect kept -- "$PYTHON" ops.py boxed reads
	# some folders cannot be entered any more, and whoever cleans up must
	chmod -R u+rwX bare boxed
	diff "$T/bare" "$T/out" >"$T/diff" || complain "$(head -20 "$T/diff")"
}

@test "every call that could change the protected folder is refused" {
	begin
	# free, nearly all of them work
	mkdir "$T/free"
	cp -r kept attack.py "$T/free"
	if (cd "$T/free" && "$PYTHON" attack.py every_route 0 >"$T/free.out"); then
		complain 'nothing passes outside either'
	fi
	grep -q "'write', 'append', 'write through a link'" "$T/free.out"
	attack every_route 0
	said 'passed: []'
}

@test "a path that changes while it is judged changes nothing" {
	begin
	attack race 2
	said 'tries: '
	[ ! -e kept/f ]
}

# The outer layer lets the broker read what is made, and look into /proc.
@test "what may only be changed is not read, and /proc stays closed where it was not granted" {
	begin
	mkdir "$T/drop"
	echo secret >"$T/drop/file"
	policy='{"extends": ["agent"], "files": {"rules": [
	    {"effect": "allow", "rights": "wcd", "path": "'$T'/drop", "match": "subpath"}]}}'
	expect 0 run --policy-json "$policy" -- sh -c '
		! cat "$1/file" && ! ls "$1" && echo new >"$1/new"' sh "$T/drop"
	[ "$(cat "$T/drop/new")" = new ]
	unsaid secret
	expect 0 run -p strict -- sh -c '! ls /proc && ! cat /proc/self/status'
}

@test "nothing is cut by a path or flags that change while they are judged" {
	begin
	attack cutting 3
	said 'tries: '
	[ "$(cat kept/file)" = kept ]
}

# As a program that restricts itself: everything is then left to the layers.
@test "nothing is cut by who is acted for no more" {
	begin
	attack layered 0
	[ "$(cat kept/file)" = kept ]
}

@test "the private tmp stays where it is, also inside the project" {
	begin
	mkdir tmp
	TMPDIR=$P/tmp expect 0 run -- sh -c '! mv tmp tmp2 && ! mv "$TMPDIR" other && mkdir free &&
		! mv --exchange tmp free 2>/dev/null && mv free freer && echo x >"$TMPDIR/f"'
	[ ! -e tmp2 ]
	[ -z "$(ls tmp)" ]
}

@test "folders that are exchanged meanwhile change nothing" {
	begin
	attack moving 2
	[ ! -e kept/f ]
}

@test "links into /proc show the caller and nobody else" {
	begin
	export HIDDEN_SECRET=seen-by-the-launcher
	attack deputy 0
	unsaid seen-by-the-launcher
	said "comm: ${PYTHON##*/}"
}

@test "signals neither repeat nor fail a call" {
	begin
	attack storm 2
	said 'false: []'
}

@test "many at once, killed in the middle, leave the others served" {
	begin
	attack crowd 1
}

@test "a guard that is killed takes everything along" {
	begin
	"$CORDON" run --protect kept -- sh -c 'echo up >up; while :; do echo x >f; done' &
	launcher=$!
	until_true 60 test -s up
	guard=$(cat "/proc/$launcher/task/$launcher/children")
	kill -KILL "${guard%% *}"
	status=0
	wait "$launcher" || status=$?
	[ "$status" -eq 137 ] || complain "status $status"
	untouched
}

@test "what is not granted is as closed as without the broker" {
	begin
	echo outside >"$T/outside"
	for script in 'echo x >../outside' 'chmod 777 ../outside' 'touch ../new' 'mv ../outside here' \
	    'ln ../outside here' 'mv attack.py ../moved' 'touch -d 2001-01-01 ../outside' \
	    'setfattr -n user.a ../outside || exit 1'; do
		expect 9 run --protect kept -- sh -c "( $script ) 2>/dev/null || exit 9"
	done
	[ "$(cat "$T/outside")" = outside ]
	[ ! -e "$T/new" ] && [ ! -e "$T/moved" ] && [ ! -e here ]
}


# To the mode it has, so that nobody else notices when it works.
@test "a device of the machine keeps its mode, owner and times" {
	local act

	for act in 'chmod 666 /dev/null' 'chown 0:0 /dev/null' 'touch -r /dev/full /dev/full' \
	    "$PYTHON -c 'import os; os.fchmod(os.open(\"/dev/null\", os.O_RDWR), 0o666)'"; do
		[ "$(id -u)" -ne 0 ] || sh -c "$act" || complain "cannot be done here: $act"
		expect 1 run -- sh -c "$act"
	done
	expect 0 run -- sh -c 'touch /dev/null; echo gone >/dev/null'
	[ "$(stat -c %a /dev/null)" = 666 ]
}
