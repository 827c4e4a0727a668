#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of the project that git uses because of its surroundings: the repository in which the
# project is, or of which it is a worktree, the user's environment, and every key of the user's
# settings that names a program. The real git runs planted files, outside.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git
load ../lib/hooks

@test "hooks of repositories around the project are protected" {
	start
	git init -q --bare "$T/far.git"
	git push -q "$T/far.git" main
	# a folder of another repository, by its own policy
	git init -q "$T"
	git -C "$T" config core.hooksPath project/tools/hooks
	rm -r .git
	echo '{}' >.cordon.json
	plants 'git -C .. commit -q --allow-empty -m x' 'mkdir -p tools/hooks; cp evil tools/hooks/pre-commit' \
	    'mkdir -p x/hooks; cp evil x/hooks/pre-commit; mv x tools'
	expect 1 why write tools/hooks/pre-commit
	said 'core.hooksPath'
	git -C "$T" config core.hooksPath project
	plants 'git -C .. commit -q --allow-empty -m x' 'cp evil pre-commit'
	expect 0 run -- sh -c 'echo x >free; mkdir tools'
	git -C "$T" config --unset core.hooksPath
	git -C "$T" config include.path "$P/settings"
	plants 'git -C .. status' 'printf "[core]\n\tfsmonitor = %s/evil\n" "$PWD" >settings'
	git -C "$T" config --unset include.path
	git -C "$T" config core.hooksPath project/tools
	# the owner decides: git ignores a repository of another user
	if [ "$(id -u)" -eq 0 ]; then
		chown -R 4711 "$T/.git"
		expect 0 run -- sh -c 'mkdir -p tools; echo x >tools/pre-commit'
	fi
	rm -r "$T/.git"
	# a worktree
	rm .cordon.json
	cd "$T"
	rm -r project
	git clone -q far.git other/main
	git -C other/main worktree add -q "$P" 2>/dev/null
	cd "$P"
	hook
	git -C "$T/other/main" config core.hooksPath ../../project/tools
	plants "git -C $T/other/main commit -q --allow-empty -m x" 'mkdir tools; cp evil tools/pre-commit'
	cd "$T"
	rm -r project other
	# a submodule, and another one beside it
	git init -q .
	git submodule --quiet add "$T/far.git" project
	git submodule --quiet add "$T/far.git" beside
	cd "$P"
	hook
	git -C ../beside config core.hooksPath ../project/tools
	plants 'git -C ../beside commit -q --allow-empty -m x' 'mkdir tools; cp evil tools/pre-commit'
}

# by_environment USE SCRIPT NAME=VALUE...: as plants, with these for the user's git and for the start
by_environment()
{
	local use=$1 script=$2 name

	shift 2
	for name; do export "${name?}"; done
	plants "$use" "$script" || return 1
	for name; do unset "${name%%=*}"; done
	export XDG_CONFIG_HOME=$T/home/.config
}

@test "paths in GIT_ variables of the environment are protected" {
	start
	commit='git commit -q --allow-empty -m x'
	planted='mkdir -p tools; cp evil tools/pre-commit'
	by_environment "$commit" "$planted" GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=color.ui GIT_CONFIG_VALUE_0=never \
	    GIT_CONFIG_KEY_1=Core.hooksPath GIT_CONFIG_VALUE_1=tools
	by_environment "$commit" "$planted" "GIT_CONFIG_PARAMETERS='a.b'='it'\\''s' 'core.hookspath'='tools'"
	by_environment "$commit" "$planted" "GIT_CONFIG_PARAMETERS='core.hookspath=tools'"
	git config -f "$T/settings" core.hooksPath tools
	git config -f "$T/settings" user.name A
	git config -f "$T/settings" user.email a@example.com
	by_environment "$commit" "$planted" "GIT_CONFIG_GLOBAL=$T/settings"
	by_environment "$commit" "$planted" "GIT_CONFIG_SYSTEM=$T/settings"
	setting='printf "[core]\n\tfsmonitor = %s/evil\n" "$PWD"'
	by_environment 'git status' "$setting >settings" GIT_CONFIG_GLOBAL=settings
	by_environment 'git status' "$setting >settings" "GIT_CONFIG_SYSTEM=$P/settings"
	by_environment 'git status' "mkdir git; $setting >git/config" "XDG_CONFIG_HOME=$P"
	# dotfiles are a project, too
	mkdir -p dots/git
	printf '[color]\n\tui = never\n' >dots/git/config
	rm -rf "$XDG_CONFIG_HOME/git"
	ln -s "$P/dots/git" "$XDG_CONFIG_HOME/git"
	plants 'git status' "$setting >>dots/git/config" "rm -r dots/git; mkdir dots/git; $setting >dots/git/config"
	rm "$XDG_CONFIG_HOME/git"
	git init -q nested
	by_environment 'git -C nested commit -q --allow-empty -m x' 'mkdir nested/tools; cp evil nested/tools/pre-commit' \
	    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=tools
	cp -r .git "$T/elsewhere"
	git config -f "$T/elsewhere/config" core.hooksPath tools
	by_environment "$commit" "$planted" "GIT_DIR=$T/elsewhere" "GIT_WORK_TREE=$P"
	mkdir -p template/hooks
	by_environment 'git init -q new; git -C new commit -q --allow-empty -m x' 'cp evil template/hooks/pre-commit' \
	    "GIT_TEMPLATE_DIR=$P/template"
	by_environment 'git commit --allow-empty' 'cp evil edit' GIT_EDITOR=./edit
	by_environment 'git commit --allow-empty' 'cp evil edit' "EDITOR=$P/edit"
	mkdir core
	by_environment 'git other' 'cp evil core/git-other' "GIT_EXEC_PATH=$P/core"
	by_environment 'git ls-remote ssh://a.invalid/b' 'cp evil ssh' GIT_SSH_COMMAND=./ssh
	by_environment 'echo b >a; git --no-pager diff' 'cp evil diff' "GIT_EXTERNAL_DIFF=$P/diff"
	unset GIT_DIR
	expect 0 run -- sh -c "$planted"
}

@test "every key that names a program is followed" {
	start
	while read -r key value; do
		git config "$key" "$value"
		expect 1 why write tool || complain "$key"
		expect 1 run -q -- cp evil tool || complain "$key"
		git config --unset "$key"
	done <<-'END'
		alias.x !./tool --flag
		alias.x !TOOL=1 ./tool
		browser.b.cmd ./tool
		browser.b.path ./tool
		core.gitProxy ./tool for example.com
		core.sshCommand ./tool -v
		core.alternateRefsCommand ./tool
		credential.https://example.com.helper !./tool
		difftool.t.cmd ./tool $LOCAL
		gc.recentObjectsHook ./tool
		gpg.program ./tool
		gpg.ssh.defaultKeyCommand ./tool
		guitool.g.cmd ./tool
		hook.h.command ./tool
		imap.tunnel ./tool
		instaweb.httpd ./tool
		interactive.diffFilter ./tool
		lfs.customtransfer.c.path ./tool
		man.m.cmd ./tool
		mergetool.t.path ./tool
		pager.log ./tool | cat
		remote.o.receivepack ./tool
		remote.o.uploadpack ./tool
		sendemail.smtpServer ./tool
		sendemail.toCmd ./tool
		submodule.s.update !./tool
		tar.x.command ./tool -c
		trailer.t.cmd ./tool
		uploadpack.packObjectsHook ./tool
	END
	expect 0 run -- cp evil tool
	printf '#!/bin/sh\n' >tool
	git config alias.x '!f() { sh -c ./tool; }; f'
	plants 'git x' 'cp evil tool' 'mv evil tool'
	git config alias.x '!cd sub && sh "$HOME/../project/tool"'
	mkdir sub
	plants 'git x' 'cat evil >tool'
	git config alias.x 'log tool'
	expect 0 run -- cp evil tool
	rm tool
	expect 0 why write tool
}
