#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the README shows is what happens.

bats_require_minimum_version 1.5.0
load common

@test "every command of the README says what is written there" {
	mkdir -p "$HOME/.ssh" "$HOME/shop/.git/hooks" "$HOME/shop/src" "$HOME/shop/deploy" "$T/bin"
	ln -s "$CORDON" "$T/bin/cordon"
	export PATH=$T/bin:$PATH
	echo 'not a real key' >"$HOME/.ssh/id_ed25519"
	cd "$HOME/shop"
	echo 'int main(void) { return 0; }' >src/main.c
	printf 'shop: src/main.c\n\tcc -o shop src/main.c\n' >Makefile
	"$PYTHON" "$TREE/tests/readme.py" "$TREE/README.md" "$HOME"
}
