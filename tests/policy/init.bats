#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon init`: a commented starter policy from the files of the project.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

@test "writes .cordon.json once, with comments, and says so" {
	expect 0 init
	said "$P/.cordon.json"
	grep -q '//' .cordon.json
	[ "$(stat -c %a .cordon.json)" = 644 ]
	expect 0 check -q
}

@test "never replaces an existing policy without --force" {
	policy <<<'{"tmp": "private"}'
	refused init
	heard "$P/.cordon.json" --force
	[ "$(cat .cordon.json)" = '{"tmp": "private"}' ]
	expect 0 init --force
	grep -q '//' .cordon.json
}

@test "--print writes nothing" {
	expect 0 init --print
	said '{' '//'
	[ ! -e .cordon.json ]
	cp "$T/out" "$T/printed"
	expect 0 init
	cmp "$T/printed" .cordon.json
}

@test "-q says nothing" {
	expect 0 init -q
	[ ! -s "$T/out" ]
	[ -s .cordon.json ]
}

@test "does not write through a link" {
	ln -s "$T/elsewhere" .cordon.json
	status=0
	"$CORDON" init >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -eq 125 ]
	[ ! -e "$T/elsewhere" ]
	expect 0 init --force
	[ ! -e "$T/elsewhere" ]
	[ -f .cordon.json ] && [ ! -L .cordon.json ]
}

# starter FILE PROFILE: what FILE in the project makes of the policy.
starter()
{
	rm -rf "$T/fresh"
	mkdir -p "$T/fresh/.git"
	[ "$1" = - ] || printf '{}\n' >"$T/fresh/$1"
	expect 0 init --print -C "$T/fresh" || return 1
	cp "$T/out" "$T/starter.json"
	expect 0 check -q --print "$T/starter.json" || return 1
	json "'$2' in d['extends']"
}

@test "lock files and languages choose the profiles" {
	starter package.json node
	starter package-lock.json node
	starter Cargo.toml rust
	starter go.mod go
	starter pyproject.toml python
	starter requirements.txt python
	starter CMakeLists.txt c
	starter pom.xml java
	starter - git
}

# An empty list of profiles would start from nothing instead of from the default.
@test "a plain folder starts from the default" {
	rm -rf .git
	policy <<<'{}'
	expect 0 init --print
	cp "$T/out" starter.json
	expect 0 check -q --print starter.json
	json 'd.get("extends", ["default"]) != []'
	rm .cordon.json
	allowed -p ./starter.json write x
	allowed -p ./starter.json read /usr/share
}

@test "the written policy has no warning, and requests no more than its profiles" {
	printf '{}\n' >package.json
	expect 0 init
	status=0
	"$CORDON" trust --json >"$T/out" 2>"$T/err" || status=$?
	json 'all(r["text"].startswith(("the profile ", "network to ")) for r in d["requests"])'
	expect 0 trust --yes
	expect 0 check
}

@test "a home, / and an unwritable folder: 125, no file is left" {
	cd "$HOME"
	refused init
	[ ! -e .cordon.json ]
	mkdir "$T/closed"
	if [ "$(id -u)" -eq 0 ]; then
		refused init -C /proc/self
	else
		chmod 555 "$T/closed"
		refused init -C "$T/closed"
		[ ! -e "$T/closed/.cordon.json" ]
	fi
}
