#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hooks in the project because of git's settings (core.hooksPath) are as protected as .git/hooks,
# for every call and every file of settings. The real git runs planted files, outside.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# as_hooks FOLDER: an honest repository with hooks there
as_hooks()
{
	begin
	git init -q .
	git config core.hooksPath "$1"
	mkdir -p "$1" other
	echo a >a
	git add a
}

# plants SCRIPT...: outside git then runs it; inside each fails, and git goes on without
plants()
{
	local script

	for script in "$@"; do
		rm -rf "$T/free" "$T/started"
		cp -a "$P" "$T/free"
		(cd "$T/free" && sh -c "$script" && git commit -q --allow-empty -m x) >/dev/null 2>&1 || :
		[ -e "$T/started" ] || complain "starts nothing outside either: $script" || return 1
		rm "$T/started"
		"$CORDON" run -q -- sh -c "$script" >/dev/null 2>&1 </dev/null || :
		git commit -q --allow-empty -m x
		[ ! -e "$T/started" ] || complain "started: $script" || return 1
	done
}

hook()
{
	printf '#!/bin/sh\ntouch %s/started\n' "$T" >evil
	chmod +x evil
}

@test "hooks in a folder named by core.hooksPath cannot be planted by any call" {
	as_hooks .githooks
	hook
	plants 'cp evil .githooks/pre-commit' 'mv evil .githooks/pre-commit' 'ln evil .githooks/pre-commit' \
	    'ln -s ../evil .githooks/pre-commit' 'rmdir .githooks; cp evil other/pre-commit; mv other .githooks' \
	    'rmdir .githooks; cp evil other/pre-commit; ln -s other .githooks' \
	    'cp evil other/pre-commit; mv .githooks x; mv other .githooks' 'cp evil .GITHOOKS/pre-commit; cp evil .githooks/commit-msg'
	expect 1 why write .githooks/pre-commit
	said 'core.hooksPath'
	expect 2 run -- sh -c 'echo x >.githooks/pre-commit'
	heard 'refused: create' 'git runs what lies in it (core.hooksPath)' '--write'
	# a rule that names the folder itself grants it
	expect 0 run --write .githooks -- cp evil .githooks/pre-commit
	[ -x .githooks/pre-commit ]
	# and from then on it cannot be changed
	expect 2 run -- sh -c 'echo x >>.githooks/pre-commit'
	expect 1 run -- chmod 700 .githooks/pre-commit
	expect 0 run -- sh -c 'cat .githooks/pre-commit && git log -1 >/dev/null && echo b >b && git add b'
}

@test "core.hooksPath is followed from any settings file, also to a missing folder" {
	as_hooks deep/er/hooks
	hook
	plants 'cp evil deep/er/hooks/pre-commit' 'mv deep x; mkdir -p deep/er/hooks; cp evil deep/er/hooks/pre-commit' \
	    'cp evil other/pre-commit; mkdir -p x/er; mv other x/er/hooks; rm -r deep; mv x deep'
	rm -r deep
	plants 'mkdir -p deep/er/hooks; cp evil deep/er/hooks/pre-commit' \
	    'mkdir -p x/er/hooks; cp evil x/er/hooks/pre-commit; mv x deep' \
	    'mkdir -p x/er/hooks; cp evil x/er/hooks/pre-commit; ln -s x deep'
	git config --unset core.hooksPath
	for scope in --global --worktree; do
		[ "$scope" = --global ] || git config extensions.worktreeConfig true
		git config "$scope" core.hooksPath ./more//hooks
		mkdir -p more/hooks
		plants 'cp evil more/hooks/pre-commit'
		git config "$scope" --unset core.hooksPath
	done
	git config core.hooksPath "$P/more/hooks"
	expect 2 run -- sh -c 'echo x >more/hooks/pre-commit'
	git config core.hooksPath led
	ln -s more/hooks led
	plants 'cp evil more/hooks/pre-commit; cp evil led/pre-commit' 'rm led; mkdir -p other; cp evil other/pre-commit; ln -s other led'
	expect 0 run -- sh -c 'echo x >more/free'
}

@test "core.hooksPath naming the project or husky's folder stays writable, with a notice" {
	as_hooks .husky/_
	expect 0 run --summary -- sh -c 'git config core.hooksPath .husky/_ && echo x >.husky/_/pre-commit && echo x >.husky/pre-commit'
	heard 'runs later: added' '.husky/_/pre-commit: it runs when git commits' '.husky/pre-commit'
	git config core.hooksPath .
	expect 0 run -- sh -c 'echo x >free'
	git config core.hooksPath /
	expect 0 run -- sh -c 'echo x >free'
	# what git would not read gives no hooks
	printf '[core\n\thooksPath = other\n' >.git/config
	expect 0 run -- sh -c 'echo x >other/free'
}

# hidden: by permissions. In a home that is not ours settings count as little here as for git
hidden()
{
	local script

	HOME=/root expect 0 run -- sh -c 'echo x >update'
	chmod 0 "$HOME/.gitconfig"
	expect 2 run -- sh -c 'echo x >pre-commit'
	chmod 600 "$HOME/.gitconfig"
	expect 0 run -- sh -c 'echo x >pre-commit'
	# hooks that cannot be inspected count as hooks
	git config core.hooksPath more/hooks
	mkdir -p more/hooks
	for script in 'chmod 700 more; cp evil more/hooks/pre-commit' \
	    'chmod 700 more; mv more x; mkdir -p more/hooks; cp evil more/hooks/pre-commit'; do
		chmod 0 more
		"$CORDON" run -q -- sh -c "$script" >/dev/null 2>&1 || :
		chmod 700 more
		[ ! -e more/hooks/pre-commit ] || complain "planted: $script"
		sh -c "$script"
		[ -x more/hooks/pre-commit ]
		rm -rf x more/hooks/pre-commit
	done
}

@test "unreadable settings and folders close all paths that may be hooks" {
	as_hooks .git/hooks
	git config --unset core.hooksPath
	hook
	# larger than is read here, though not for git
	cp "$HOME/.gitconfig" "$T/own"
	printf '[core]\n\thooksPath = tools/x\n' >>"$HOME/.gitconfig"
	head -c 1100000 /dev/zero | tr '\0' '#' >>"$HOME/.gitconfig"
	plants 'mkdir -p tools/x; cp evil tools/x/pre-commit' 'rm -rf tools; mkdir -p other/y tools; cp evil other/y/commit-msg; mv other/y tools/x'
	expect 1 why write tools/x/pre-commit
	said 'it may be a hook'
	expect 0 run -- sh -c 'mkdir -p tools/x; echo x >tools/x/other'
	rm -r tools
	cp "$T/own" "$HOME/.gitconfig"
	expect 0 run -- sh -c 'mkdir -p tools/x; echo x >tools/x/pre-commit'
	rm -r tools
	# there are none, and nothing is hidden
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	expect 0 run -- sh -c 'mkdir -p tools/x; echo x >tools/x/pre-commit'
	rm -r tools
	unset GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
	# what leads nowhere now can lead somewhere later
	git config core.hooksPath ./led/x
	ln -s led led
	plants 'rm led; mkdir -p led/x; cp evil led/x/pre-commit' 'rm led; mkdir -p other/x; cp evil other/x/pre-commit; ln -s other led'
	rm led
	git config core.hooksPath pipe
	mkfifo pipe
	plants 'rm pipe; mkdir pipe; cp evil pipe/pre-commit'
	rm pipe
	git config --unset core.hooksPath
	# root reads everything
	[ "$(id -u)" -eq 0 ] || hidden
}
