#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Grants of missing paths: a folder written with a slash at its end is created at the start, for the
# user only; any other is refused by name or, if a profile grants it, skipped.

# shellcheck disable=SC2034,SC2154 # out and err are common's

load ../lib/common

@test "a folder written with a trailing slash is created, and existing files stay" {
	[ ! -e "$HOME/new" ]
	expect 0 run --write "$HOME/new/deep/" -- sh -c 'cd && echo x >new/deep/f && cat new/deep/f'
	said x
	silent
	[ "$(cat "$HOME/new/deep/f")" = x ]
	[ "$(stat -c '%a %u' "$HOME/new" "$HOME/new/deep")" = "700 $(id -u)
700 $(id -u)" ]
	# and nothing around it is open
	expect 1 run --write "$HOME/new/deep/" -- sh -c 'cd && echo x >new/f || exit 1'
	expect 0 run --write "$HOME/new/deep/" -- sh -c 'cd && cat new/deep/f'
	said x
}

@test "a missing folder without the slash is refused by name, whatever else is granted" {
	for options in '' "--read $HOME/new"; do
		# shellcheck disable=SC2086 # two words or none
		refused run $options --write "$HOME/new" -- true
		heard "cannot grant $HOME/new: it does not exist; create it, end it with a / or drop the rule"
	done
	refused run --read "$HOME/new/" -- true
	heard 'does not exist; create it or drop the rule'
	[ ! -e "$HOME/new" ]
	# in the project it can be made by the command itself
	expect 0 run --write later -- mkdir later
	[ -d later ]
	expect 0 run --write slash/ -- mkdir slash
}

@test "plan, why and check create no folder" {
	expect 0 why --write "$HOME/new/" write "$HOME/new/x"
	"$CORDON" plan --write "$HOME/new/" >"$T/out" || [ $? -eq 1 ]
	grep -q "$HOME/new \[made at the start\]" "$T/out"
	expect 0 check -p node
	[ ! -e "$HOME/new" ] && [ ! -e "$HOME/.npm" ]
}

@test "a refused run creates no folder" {
	refused run --write "$HOME/new/" --read "$HOME/none" -- true
	refused run --write "$HOME/new/" --leave --pty -- true
	expect 127 run --write "$HOME/new/" -- no-such-program
	expect 126 run --write "$HOME/new/" -- "$HOME"
	refused run --session a --write "$HOME/new/deep/" --read "$HOME/none" -- true
	[ ! -e "$HOME/new" ]
	# what was there stays, and what the command is started for
	mkdir "$HOME/new"
	refused run --write "$HOME/new/deep/" --read "$HOME/none" -- true
	[ -d "$HOME/new" ] && [ ! -e "$HOME/new/deep" ]
	expect 1 run --write "$HOME/new/deep/" -- false
	[ -d "$HOME/new/deep" ]
	expect 127 run --session b --write "$HOME/more/" -- no-such-program
	[ -d "$HOME/more" ]
}

@test "caches of profiles are created in an empty home, and not where they are denied" {
	user_policy <<<'{"files": {"deny": ["~/.npm/_cacache", "~/.cache/pip"]}}'
	expect 0 run -p node -p python -- true
	[ ! -e "$HOME/.npm/_cacache" ] && [ -d "$HOME/.npm/_logs" ]
	[ ! -e "$HOME/.cache/pip" ] && [ -d "$HOME/.cache/uv" ]
	rm "$XDG_CONFIG_HOME/cordon/config.json"
	expect 0 run -p node -p python -p rust -p go -p c -p java -p browser -- sh -c '
		cd && echo x | tee .npm/_cacache/x .cache/pip/x .cargo/registry/x .cargo/git/x go/pkg/x \
		    .cache/go-build/x .cache/ccache/x .m2/repository/x .gradle/caches/x .cache/fontconfig/x'
	silent
	[ -f "$HOME/.cargo/registry/x" ]
	[ ! -e "$HOME/.npm/_npx" ]
}

@test "why says that a rule is skipped because its path is missing" {
	denied -p node write "$HOME/.cache/yarn/x"
	said "but applies only once this exists: $HOME/.cache/yarn"
	expect 1 run -p node -- sh -c 'mkdir -p ~/.cache/yarn || exit 1'
	mkdir -p "$HOME/.cache/yarn"
	allowed -p node write "$HOME/.cache/yarn/x"
	unsaid 'left out'
	expect 0 run -p node -- touch "$HOME/.cache/yarn/x"
	allowed -p node write "$HOME/.npm/_cacache/x"
	unsaid 'left out'
	allowed write "$P/new/file"
	unsaid 'left out'
}

@test "a home, a project's request, and a path in another user's folder are never created" {
	export HOME=$T/none/home
	expect 0 run -p node -- true
	[ ! -e "$T/none" ]
	export HOME=$T/home
	policy <<<'{"files": {"write": ["~/asked/"]}}'
	"$CORDON" run -- true >"$T/out" 2>"$T/err" || :
	[ ! -e "$HOME/asked" ]
	expect 0 trust --yes
	expect 0 run -- true
	one_notice "not granted: $HOME/asked does not exist"
	[ ! -e "$HOME/asked" ]
	rm .cordon.json
	if [ "$(id -u)" -eq 0 ]; then
		mkdir "$T/theirs"
		chown 65534 "$T/theirs"
		refused run --write "$T/theirs/new/" -- true
		[ ! -e "$T/theirs/new" ]
	else
		refused run --write /usr/new/ -- true
	fi
}

@test "a folder is not created through a link in a writable folder" {
	mkdir "$T/outside"
	expect 0 run -- ln -s "$T/outside" link
	refused run --write link/new/ -- true
	[ -z "$(ls -A "$T/outside")" ]
}

@test "a file that is granted alone can be written, not created or removed, and why agrees" {
	echo one >"$HOME/f"
	mkdir "$HOME/d"
	for right in create delete; do
		denied --write "$HOME/f" "$right" "$HOME/f" || return 1
		said 'takes rights to its folder, which are not granted' || return 1
		unsaid 'to allow it' || return 1
	done
	denied --write "$HOME/d" delete "$HOME/d"
	allowed --write "$HOME/d" create "$HOME/d"
	allowed --write "$HOME/d" delete "$HOME/d/x"
	allowed --write "$HOME/f" write "$HOME/f"
	expect 0 run --write "$HOME/f" --write "$HOME/d" -- sh -c 'echo two >>~/f && echo x >~/d/x && rm ~/d/x'
	[ "$(cat "$HOME/f")" = "$(printf 'one\ntwo')" ]
	expect 1 run --write "$HOME/f" -- rm "$HOME/f"
	heard "refused: delete $HOME/f is not granted"
	expect 1 run --write "$HOME/d" -- rmdir "$HOME/d"
	expect 1 run --write "$HOME/f" -- mv "$HOME/f" moved
	expect 1 run --write "$HOME/f" -- sh -c 'echo new >n && mv n ~/f || exit 1'
	# where the folder can be changed the name can be, too
	allowed --write "$HOME" --protect "$HOME/d" --write "$HOME/d/x" write "$HOME/d/x"
	expect 0 run --write "$HOME/d" -- sh -c 'echo x >~/d/x && mv ~/d/x ~/d/y && rm ~/d/y'
}
