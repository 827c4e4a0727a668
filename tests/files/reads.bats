#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Denied reading inside a readable folder: by path, by pattern, for files made later. Allowed files
# must be read as without cordon; denied files by no path.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

begin()
{
	rm -rf .git
	mkdir kept sub free
	for file in kept/file kept/.env .env sub/.env; do
		echo secret >"$file"
	done
	printf fine >free/f
	printf fine >sub/a
	cp "$TREE/tests/files/ops.py" "$TREE/tests/attack/attack_reads.py" .
}

teardown()
{
	if [ -n "${launcher:-}" ]; then
		kill -KILL "$launcher" 2>/dev/null || true
		wait "$launcher" 2>/dev/null || true
	fi
}

# attack KIND NUMBER: none of it gets through, and all of it was tried.
attack()
{
	expect 0 run --deny kept --deny '**/.env' -- "$PYTHON" attack_reads.py "$@"
	unsaid secret
}

# nothing_read SCRIPT...: each fails, and says nothing that is denied.
nothing_read()
{
	local script

	for script in "$@"; do
		bash -c "$script" >/dev/null 2>&1 || complain "fails outside as well: $script" || return 1
		expect 9 run --deny kept --deny '**/.env' -- sh -c "( $script ) 2>/dev/null || exit 9" || return 1
		unsaid secret || return 1
	done
}

@test "plan says which calls are supervised, why, and what they cost" {
	begin
	expect 0 plan --deny '**/.env'
	said 'calls     every open' 'us each' 'for: deny **/.env' 'files.pattern      broker over Landlock'
	expect 0 plan --deny kept
	said "for: deny $P/kept" 'files.carveout     broker over Landlock'
	expect 0 plan --protect kept
	said 'calls     opens that may write' "for: deny $P/kept"
	expect 0 plan -v --accept files.future --accept files.metadata
	said 'none is supervised'
	expect 0 plan --json --deny kept
	json "d['routing'] == 'reads'"
	"$CORDON" doctor --deny kept >"$T/out" 2>"$T/err" || true
	out=$(cat "$T/out")
	said 'calls: every open'
}

@test "allowed reads have the results of a bare run: values, errors, flags" {
	begin
	mkdir bare boxed
	bare=''
	if [ "$(id -u)" -eq 0 ]; then
		# root's powers are gone inside; without them it is a fair comparison
		bare='setpriv --bounding-set=-all --inh-caps=-all'
	fi
	$bare "$PYTHON" ops.py bare names >"$T/bare" 2>"$T/bare.err" || complain "$(cat "$T/bare.err")"
	[ "$(wc -l <"$T/bare")" -gt 1100 ]
	if grep died "$T/bare"; then complain "cases that end badly outside"; fi
	CORDON_TIMEOUT=300 expect 0 run --deny kept --deny '**/.env' -- "$PYTHON" ops.py boxed names
	chmod -R u+rwX bare boxed
	diff "$T/bare" "$T/out" >"$T/diff" || complain "$(head -20 "$T/diff")"
}

@test "no system call reads a denied file" {
	begin
	mkdir "$T/free"
	cp -r . "$T/free"
	# free, nearly all of them work
	if (cd "$T/free" && TMPDIR=$T "$PYTHON" attack_reads.py every_route 0 >"$T/free.out"); then
		complain 'nothing passes outside either'
	fi
	grep -Eq 'passed: 1[3-9][0-9]' "$T/free.out" || complain "$(cat "$T/free.out")"
	attack every_route 0
	said 'passed: 0'
}

@test "names of denied files are visible, a denied folder cannot be listed" {
	begin
	attack listing 0
}

@test "a path that a thread changes during the call reads no denied file" {
	begin
	attack flip 9000
}

@test "names exchanged during rename and link disclose no denied file" {
	begin
	attack flip_names 3000
}

@test "links and folders exchanged during the call disclose no denied file" {
	begin
	attack swap 1000
}

# R68-R69 differs: `/proc` is read as a whole, because a rule for `/proc/self` is one for the launcher
@test "memory, fds and environment of the guard cannot be read" {
	begin
	export HIDDEN_SECRET=seen-by-the-launcher
	attack deputy 0
	said 'opened: []'
	expect 0 run --deny kept -- sh -c 'cat /proc/self/environ /proc/$$/environ /proc/thread-self/environ'
	unsaid seen-by-the-launcher
	expect 0 run --deny kept -- cat /proc/self/comm
	[ "$out" = cat ] || complain 'another process was seen'
}

@test "64 callers at once, some killed during their calls" {
	begin
	attack crowd 2
}

@test "patterns apply to files created later, also under another name" {
	begin
	deny=(--deny '**/.env' --deny '**/*.pem')
	for script in 'echo x >new/.env' 'cp free/f new/a.pem' 'mv free/f new/.env' 'ln free/f new/x.pem' \
	    'mkdir new/.env'; do
		expect 9 run "${deny[@]}" -- sh -c "mkdir -p new; ( $script ) 2>/dev/null || exit 9"
	done
	expect 0 run "${deny[@]}" -- sh -c 'echo x >new/.environment && cat new/.environment'
	said x
	# made outside while the command runs
	mkfifo ready go
	"$CORDON" run "${deny[@]}" -- sh -c 'echo >ready; read l <go; cat late.pem || exit 9' \
	    >"$T/out" 2>"$T/err" &
	launcher=$!
	timeout 60 cat ready >/dev/null
	echo secret >late.pem
	timeout 60 sh -c 'echo >go'
	status=0
	wait "$launcher" || status=$?
	launcher=''
	[ "$status" -eq 9 ] && [ ! -s "$T/out" ]
}

@test "regular expressions, allows below a deny, a single file" {
	begin
	echo fine >kept/public
	expect 0 run --policy-json '{"files": {"rules": [{"effect": "deny", "rights": "rwcdx",
	    "path": ".*/[a-z]+[.]key", "match": "regex"}]}}' -- sh -c 'echo x >a.txt; cat a.txt
	    (echo x >b.key) 2>/dev/null || echo no'
	[ "$out" = "$(printf 'x\nno')" ] || complain 'regex'
	expect 0 run --deny kept --read kept/public -- sh -c 'cat kept/public; cat kept/file 2>/dev/null || echo no'
	[ "$out" = "$(printf 'fine\nno')" ] || complain 'exception'
	expect 0 run --deny free/f -- sh -c 'cat sub/a; cat free/f 2>/dev/null || echo no'
	[ "$out" = fineno ] || complain 'file'
}

# Where a folder folds names they are one: tests/kernels/guest has one that does.
@test "another spelling is another file on a case-sensitive file system" {
	begin
	mkdir Odd
	echo secret >Odd/file
	expect 0 run --deny '**/.env' --deny Odd -- sh -c 'echo fine >.ENV && cat .ENV && mv .ENV .Env && ln .Env .eNV &&
		mkdir odd && echo fine >odd/FILE && cat odd/FILE && mv odd oDD && cat oDD/FILE && mkdir .vſcode &&
		! cat Odd/file 2>/dev/null && ! mv Odd x 2>/dev/null && ! cat .env 2>/dev/null'
	[ "$out" = "$(printf 'fine\nfine\nfine')" ] || complain 'not all of it'
	# two hard links whose names differ in case alone show nothing about the directory
	mkdir pair && echo fine >pair/ab && ln pair/ab pair/AB
	expect 0 run --deny pair/Odd -- sh -c 'mkdir pair/odd && ! mkdir pair/Odd 2>/dev/null'
}

@test "common programs cannot read a denied file" {
	begin
	nothing_read 'grep -r secret kept sub' 'tar cf - kept | grep secret' 'cp -r kept copy' \
	    'ln -s kept/file l && cat l' 'cat <kept/file' 'head -c 9 sub/.env' 'bash -c ". ./.env || true; cat .env"' \
	    'sort kept/file' 'install kept/file copied' 'mv kept moved && cat moved/file && mv moved kept'
}

@test "an unreadable script does not run" {
	begin
	printf '#!/bin/sh\necho secret\n' >kept/script
	chmod +x kept/script
	[ "$(kept/script)" = secret ]
	nothing_read 'kept/script' 'sh kept/script' '. ./kept/script'
	# a deny of running alone cannot be kept where programs are made, and is refused by name
	expect 125 run --policy-json '{"files": {"rules": [{"effect": "deny", "rights": "x",
	    "path": "$PROJECT/kept"}]}}' -- touch ran
	heard 'cannot enforce files.execute'
	[ ! -e ran ]
}

@test "shell, compiler and tar work where reads are supervised" {
	begin
	printf '#include <stdio.h>\nint main(void) { return puts("built") < 0; }\n' >main.c
	expect 0 run --deny kept --deny '**/.env' -- bash -ec 'cc -o hello main.c; ./hello; ps >/dev/null
	    find free sub; tar cf t.tar free sub/a; tar tf t.tar; echo in | sed s/in/out/ | cat /dev/stdin -
	    diff <(echo a) <(echo a); cat /dev/fd/3 3<free/f; cat /proc/uptime /proc/self/mounts >/dev/null'
	said built free/f sub/a out fine
	silent
}

@test "/dev/tty is the caller's own terminal" {
	begin
	in_terminal "$CORDON run --deny kept -- sh -c 'echo to-the-terminal >/dev/tty; [ -t 0 ] && tty </dev/tty'"
	[[ $out == *to-the-terminal* && $out == */dev/* ]] || complain "$out"
	expect 9 run --deny kept -- setsid -w sh -c '(echo x >/dev/tty) 2>/dev/null || exit 9'
}

