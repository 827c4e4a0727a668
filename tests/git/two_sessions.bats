#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Two sessions at a time: what one checks the other does not change before it is done, by whatever path it gets
# there; and none waits long for the other. What counts is how often one went on, not how long it took.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# Moves a large folder until it is told to end, and counts.
mover='
import os
n = 0
while not os.path.exists("stop"):
    os.rename("a/big", "b/big") if n % 2 == 0 else os.rename("b/big", "a/big")
    n += 1
    with open("moves", "w") as file:
        file.write(str(n))
'
# Makes files; each of them is another call.
maker='
import os, sys
for i in range(int(sys.argv[1])):
    os.close(os.open("f%d" % i, os.O_CREAT | os.O_WRONLY, 0o600))
'

moves()
{
	cat "$T/first/moves" 2>/dev/null || echo 0
}

has_moved()
{
	[ "$(moves)" -gt "$1" ]
}

# moves_during FOLDER COUNT: how often the large folder is moved while COUNT files are made there.
moves_during()
{
	local before

	until_true 30 has_moved "$(moves)" || return 1
	before=$(moves)
	(cd "$1" && expect 0 run -q -- "$PYTHON" -c "$maker" "$2") || return 1
	echo $(($(moves) - before))
}

@test "a session that moves a large folder again and again does not hold up others" {
	local other same

	begin
	mkdir -p "$T/first/.git" "$T/first/a/big" "$T/first/b" "$T/second/.git"
	(cd "$T/first/a/big" && seq -f 'f%.0f' 5000 | xargs touch)
	(cd "$T/first" && exec timeout 120 "$CORDON" run -q -- "$PYTHON" -c "$mover") >"$T/mover" 2>&1 &
	until_true 30 has_moved 0
	other=$(moves_during "$T/second" 300) && same=$(moves_during "$T/first" 300)
	: >"$T/first/stop"
	wait
	[ ! -s "$T/mover" ] || complain "$(cat "$T/mover")"
	# one that waits for each move makes no more files than there are moves
	[ "$other" -lt 100 ] || complain "another project: $other moves during 300 files"
	[ "$same" -lt 150 ] || complain "the same project: $same moves during 300 files"
	[ "$(find "$T/first/a" "$T/first/b" -name 'f*' | wc -l)" -eq 5000 ]
}

# plant WAY OTHER: one session turns r into a repository, again and again, while another, in the folder OTHER, writes
# what git would start.
plant()
{
	mkdir -p r/objects r/refs r/hooks
	(cd "$2" && exec timeout 60 "$CORDON" run -q --time 4 -- sh -c '
		while :; do { echo "[core] fsmonitor = evil" >"r/$1"; } 2>/dev/null; done' sh "$1") >"$T/other" 2>&1 &
	expect 124 run -q --time 4 -- sh -c '
		while :; do
			rm -f r/HEAD "r/$1"
			{ echo "ref: refs/heads/x" >r/HEAD; } 2>/dev/null || continue
			if grep -q evil "r/$1" 2>/dev/null && [ -e r/HEAD ]; then echo passed; exit 9; fi
		done' sh "$1"
	wait
	rm -rf r
}

@test "sessions in a project and in a folder of it exclude each other" {
	begin
	mkdir -p in/.git
	cd in
	plant config .
	# one has all of the parent folder, the other only this one
	(cd .. && exec timeout 60 "$CORDON" run -q --time 4 -- sh -c '
		while :; do { echo "[core] fsmonitor = evil" >in/r/config; } 2>/dev/null; done') >"$T/other" 2>&1 &
	mkdir -p r/objects r/refs r/hooks
	expect 124 run -q --time 4 -- sh -c '
		while :; do
			rm -f r/HEAD r/config
			{ echo "ref: refs/heads/x" >r/HEAD; } 2>/dev/null || continue
			if grep -q evil r/config 2>/dev/null && [ -e r/HEAD ]; then echo passed; exit 9; fi
		done'
	wait
}

@test "sessions in a project that is mounted twice exclude each other" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root to mount'
	unshare -m true 2>/dev/null || skip 'no mount can be made here'
	begin
	mkdir "$T/twin"
	export -f plant expect complain
	export P T
	unshare -m --propagation private bash -c 'mount --bind "$P" "$T/twin" && plant config "$T/twin"'
}

# A folder is moved to where its files would be hooks, while another session makes them.
@test "a folder moved by one session takes no new hook of another along" {
	begin
	git init --bare -q r.git && rm -rf r.git/hooks && mkdir x
	timeout 60 "$CORDON" run -q --time 5 -- sh -c '
		while :; do { echo evil >x/post-checkout; } 2>/dev/null; rm -f x/post-checkout; done' >"$T/other" 2>&1 &
	expect 124 run -q --time 5 -- sh -c '
		while :; do
			mv x r.git/hooks 2>/dev/null || continue
			if [ -e r.git/hooks/post-checkout ]; then echo passed; exit 9; fi
			mv r.git/hooks x
		done'
	wait
}
