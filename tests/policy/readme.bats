#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The commands in the README have the output shown there.

bats_require_minimum_version 1.5.0
load ../lib/common

# shop: the project of the README, and cordon on the PATH.
shop()
{
	mkdir -p "$HOME/.ssh" "$HOME/shop/.git/hooks" "$HOME/shop/src" "$HOME/shop/deploy" "$HOME/shop/bin" "$T/bin"
	ln -s "$CORDON" "$T/bin/cordon"
	export PATH=$T/bin:$HOME/shop/bin:$PATH
	echo 'not a real key' >"$HOME/.ssh/id_ed25519"
	cd "$HOME/shop" || return 1
	echo 'int main(void) { return 0; }' >src/main.c
	printf 'shop: src/main.c\n\tcc -o shop src/main.c\n' >Makefile
	cp -r "$TREE/examples/left-pad" .
	# else npm's own attempts are listed, too
	echo update-notifier=false >.npmrc
	echo '//registry.example.com/:_authToken=not-a-real-token' >"$HOME/.npmrc"
	printf '{"name": "shop", "version": "1.0.0"}\n' >package.json
}

teardown()
{
	timeout 60 "$CORDON" kill --all >/dev/null 2>&1 || true
}

@test "every command of the README says what is written there" {
	shop
	"$PYTHON" "$TREE/tests/policy/readme.py" "$TREE/README.md" "$HOME" 13
}

@test "what the package of the README does succeeds without cordon" {
	shop
	mkdir -p "$T/bin"
	# in place of the network
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\ncat "${3#@}" >"%s/sent"\n' "$T" >"$T/bin/curl"
	chmod 755 "$T/bin/curl"
	(cd left-pad && INIT_CWD=$HOME/shop NPM_TOKEN=not-a-real-token sh steal.sh) 3>&-
	started=$(pgrep -n -x -f 'sleep 4711')
	end_started
	[ -n "$started" ]
	[ "$(cat .git/hooks/pre-commit)" = evil ]
	[ "$(head -n 1 "$T/sent")" = 'not a real key' ]
	grep -q not-a-real-token "$T/sent"
}

@test "every command of docs/AGENTS.md says what is written there" {
	shop
	"$PYTHON" "$TREE/tests/policy/readme.py" "$TREE/docs/AGENTS.md" "$HOME" 9
}

@test "every command of the manual can be given" {
	shop
	# what the examples speak of
	cp "$TREE/examples/zed-settings.json" settings.json
	cp "$TREE/examples/clash-presets.json" policies.json
	printf '#!/bin/sh\nexit 0\n' >bin/npm
	chmod 755 bin/npm
	"$PYTHON" "$TREE/tests/policy/readme.py" "$TREE/man/cordon.1" "$HOME" 12
}
