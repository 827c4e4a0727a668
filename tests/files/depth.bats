#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Nested folders, as deep as a path can name. Calls that work without cordon work with it, and take
# about as long at the bottom as at the top.

# shellcheck disable=SC2016 # $ is for the shell inside

load ../lib/common

# deep LEVELS TOP: what makes a path of that many folders below TOP.
deep='deep() { p=$2; for _ in $(seq "$1"); do p=$p/a; done; mkdir -p "$p"; }'

@test "a tree of hundreds of levels is created, moved and removed" {
	for free in sh "$CORDON run -- sh"; do
		# shellcheck disable=SC2086 # a command and its words
		timeout 100 $free -c "$deep"'; deep 1500 x && mv x y && [ ! -e x ] && [ -d y/a/a/a ] && rm -rf y && [ ! -e y ]' ||
		    complain "with $free"
	done
}

@test "a deep tree is exchanged, moved over an empty folder, and moved deeper" {
	expect 0 run -- sh -c "$deep"'; deep 400 x; deep 300 y; mkdir z w
		'"$PYTHON"' -c "import ctypes; exit(ctypes.CDLL(None).renameat2(-100, b\"x\", -100, b\"y\", 2))" || exit 1
		mv -T x z && mv y w/ && [ -d z/a ] && [ -d w/y/a ]'
}

@test "a folder with deep subfolders can become a repository" {
	for free in sh "$CORDON run -- sh"; do
		# shellcheck disable=SC2086 # a command and its words
		timeout 100 $free -c "$deep"'; deep 1000 rr/objects && touch rr/HEAD && [ -e rr/HEAD ]' || complain "with $free"
		rm -rf rr
	done
	expect 1 run -- sh -c "$deep"'; deep 200 rr/objects && ln -s /etc "$p/link" && touch rr/HEAD'
	[ ! -e rr/HEAD ]
}

@test "below a path longer than PATH_MAX calls have the results of a bare run" {
	mkdir bare boxed
	cp "$TREE/tests/files/deep.py" .
	(cd bare && "$PYTHON" -B ../deep.py) >"$T/bare"
	grep -q '^exchange done' "$T/bare"
	for deny in 'kept/x' '**/.env'; do
		rm -rf bare boxed
		mkdir boxed
		expect 0 run --deny "$deny" -- sh -c 'cd boxed && exec "$1" -B ../deep.py' sh "$PYTHON"
		sed '/^denied /d' "$T/bare" >"$T/expected"
		sed '/^denied /d' "$T/out" | diff "$T/expected" - >"$T/diff" || complain "$deny: $(cat "$T/diff")"
	done
	# the last of them
	grep '^denied ' "$T/bare" | grep -vq EACCES
	if grep '^denied ' "$T/out" | grep -v EACCES; then
		complain 'it was not denied'
	fi
	[ "$(grep -c '^denied ' "$T/out")" -eq 6 ]
	expect 0 run -- rm -rf boxed
	[ ! -e boxed ]
}

@test "below such a path git settings and hooks are neither created nor changed" {
	cp "$TREE/tests/files/deep.py" .
	expect 0 run -- "$PYTHON" -B deep.py git
	[ "$(sed 's/.* //' "$T/out" | sort -u)" = EACCES ] || complain 'it was made'
}

@test "a path longer than the broker supports gives ENAMETOOLONG" {
	expect 0 run -- "$PYTHON" -c 'import errno, os
try:
	for i in range(300):
		os.mkdir("d" * 250)
		os.chdir("d" * 250)
except OSError as e:
	assert e.errno == errno.ENAMETOOLONG, e
else:
	raise SystemExit(1)'
	expect 0 run -- sh -c 'rm -rf d* && echo served >after'
	[ "$(cat after)" = served ]
}

@test "a deep tree can be moved to where its paths exceed PATH_MAX" {
	# few names, each of them long
	long='long() { p=$2; for _ in $(seq "$1"); do p=$p/$(printf %0200d 0); done; mkdir -p "$p"; }'
	for free in sh "$CORDON run -- sh"; do
		# shellcheck disable=SC2086 # a command and its words
		timeout 100 $free -c "$long"'; long 15 x; long 12 y
			mv -T x "$p/x" && [ ! -e x ] && [ "$(find y -type d | wc -l)" -eq 29 ]' || complain "with $free"
		# shellcheck disable=SC2086 # a command and its words
		timeout 100 $free -c 'rm -rf y' && [ ! -e y ] || complain "with $free"
	done
}

@test "a call 400 levels deep takes about as long as one 10 levels deep" {
	cat >time.py <<-'EOF'
		import os, time
		def level():
		    best = 1
		    for i in range(40):
		        start = time.perf_counter()
		        os.mkdir("x")
		        best = min(best, time.perf_counter() - start)
		        os.rmdir("x")
		    return best
		def down(levels):
		    for i in range(levels):
		        os.mkdir("d")
		        os.chdir("d")
		down(10)
		top = level()
		down(390)
		bottom = level()
		print(top, bottom)
		assert bottom < 10 * top + 0.001, (top, bottom)
	EOF
	expect 0 run -- "$PYTHON" time.py
}
