#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon confine`: the target of a path inside a root, or the refusal of a path that leaves it.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

inside()
{
	expect 0 confine "$1" "$2" || return 1
	silent || return 1
	[ "$out" = "$3" ] || complain "expected: $3"
}

# Leads out: 1, one line that names both.
escapes()
{
	expect 1 confine "$1" "$2" || return 1
	[ ! -s "$T/out" ] || complain 'nothing was expected on standard output' || return 1
	one_notice "leads out of $T/root"
}

setup_root()
{
	mkdir -p "$T/root/sub/dir" "$T/outside"
	printf x >"$T/root/sub/file"
	printf x >"$T/outside/file"
}

@test "files and folders inside the root, also missing ones" {
	setup_root
	inside "$T/root" sub/file "$T/root/sub/file"
	inside "$T/root" sub/../sub/./dir "$T/root/sub/dir"
	inside "$T/root/" sub//file "$T/root/sub/file"
	inside "$T/root" new/deep/file "$T/root/new/deep/file"
	inside "$T/root" "$T/root/sub/file" "$T/root/sub/file"
	cd "$T"
	inside root sub/file "$T/root/sub/file"
}

@test "a missing folder followed by .. cancels out" {
	setup_root
	inside "$T/root" nodir/../x "$T/root/x"
	inside "$T/root" sub/nodir/deep/../../file "$T/root/sub/file"
	inside "$T/root" nodir/../sub/../new "$T/root/new"
	escapes "$T/root" nodir/../../root/sub/file
	ln -s ../outside "$T/root/out"
	escapes "$T/root" nodir/../out/file
	refused confine "$T/root" sub/file/../x
}

@test "paths outside by .., by an absolute path, and by a sibling with the same prefix are refused" {
	setup_root
	mkdir "$T/root-other"
	escapes "$T/root" ../outside/file
	escapes "$T/root" sub/../../outside/file
	escapes "$T/root" /etc/passwd
	escapes "$T/root" "$T/root-other/x"
	escapes "$T/root" new/../../outside
}

@test "links are followed inside the root and refused outside" {
	setup_root
	ln -s sub/dir "$T/root/in"
	ln -s "$T/root/sub" "$T/root/absolute"
	ln -s "$T/outside" "$T/root/out"
	ln -s ../../outside "$T/root/sub/up"
	ln -s "$T/root" "$T/alias"
	inside "$T/root" in/x "$T/root/sub/dir/x"
	inside "$T/root" absolute/file "$T/root/sub/file"
	inside "$T/alias" sub/file "$T/root/sub/file"
	escapes "$T/root" out
	escapes "$T/root" out/file
	escapes "$T/root" out/new
	escapes "$T/root" sub/up/file
	escapes "$T/root" out/../sub/file
}

@test "the root itself is accepted only with --root" {
	setup_root
	status=0
	"$CORDON" confine "$T/root" . >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -ne 0 ]
	expect 0 confine --root "$T/root" .
	[ "$out" = "$T/root" ]
	expect 0 confine --root "$T/root" sub/..
	[ "$out" = "$T/root" ]
}

@test "--json reports inside, missing and outside" {
	setup_root
	expect 0 confine --json "$T/root" sub/file
	json "d == {'inside': True, 'path': '$T/root/sub/file', 'exists': True}"
	expect 0 confine --json "$T/root" 'new "quoted"'
	json "d['exists'] is False and d['path'].endswith('/new \"quoted\"')"
	expect 1 confine --json "$T/root" ../x
	json 'd["inside"] is False and "leads out" in d["reason"]'
	silent
}

@test "bad input is refused: no root, a file as root, an empty path, a newline, a link loop, a file as folder" {
	setup_root
	refused confine "$T/nowhere" x
	heard "$T/nowhere"
	refused confine "$T/root/sub/file" x
	refused confine "$T/root" ''
	refused confine '' x
	refused confine "$T/root" $'a\nb'
	ln -s loop "$T/root/loop"
	refused confine "$T/root" loop/x
	refused confine "$T/root" sub/file/x
}

@test "a path over the kernel's limit is an error and resolves to no other file" {
	local path

	setup_root
	for path in "$(printf 'a/%.0s' {1..3000})" "$(printf 'a%.0s' {1..300})" \
	    "$(printf '../%.0s' {1..3000})etc"; do
		status=0
		"$CORDON" confine "$T/root" "$path" >"$T/out" 2>"$T/err" || status=$?
		out=$(cat "$T/out")
		case $status in
		0) [[ $out == "$T/root/a"* ]] || complain 'somewhere else' || return 1 ;;
		1 | 125) [ ! -s "$T/out" ] || complain 'an answer and an error' || return 1 ;;
		*) complain 'an unknown status' || return 1 ;;
		esac
	done
}

@test "nothing is created, and the working folder does not matter" {
	setup_root
	mkdir "$T/gone"
	cd "$T/gone"
	rmdir "$T/gone"
	inside "$T/root" sub/new "$T/root/sub/new"
	[ ! -e "$T/root/sub/new" ]
}
