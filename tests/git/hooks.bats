#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Hooks and settings that git takes from the project because of repositories inside it or the user's
# settings: found when a name is changed, without a search for repositories at the start. The real
# git runs planted files, outside.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # $ and ~ are for the shell inside; out and err are common's

load ../lib/common
load ../lib/git
load ../lib/hooks

commit='git -C sub commit -q --allow-empty -m x'

@test "hooks of a repository inside the project cannot be planted by any call" {
	start
	git init -q sub
	git -C sub config core.hooksPath tools/hooks
	mkdir -p sub/tools/hooks other
	plants "$commit" 'cp evil sub/tools/hooks/pre-commit' 'mv evil sub/tools/hooks/pre-commit' \
	    'ln evil sub/tools/hooks/pre-commit' 'ln -s ../../../evil sub/tools/hooks/pre-commit' \
	    'rmdir sub/tools/hooks; cp evil other/pre-commit; mv other sub/tools/hooks' \
	    'rm -r sub/tools; mkdir -p x/hooks; cp evil x/hooks/pre-commit; ln -s ../x sub/tools' \
	    'mv sub/tools x; mkdir -p sub/tools/hooks; cp evil sub/tools/hooks/pre-commit'
	rmdir sub/tools/hooks sub/tools
	plants "$commit" 'mkdir -p sub/tools/hooks; cp evil sub/tools/hooks/pre-commit' \
	    'mkdir -p x/hooks; cp evil x/hooks/pre-commit; mv x sub/tools' \
	    'mkdir -p x/hooks; cp evil x/hooks/pre-commit; ln -s ../x sub/tools'
	# moved with its repository, the folder is where git finds it
	plants 'git -C there commit -q --allow-empty -m x' \
	    'mv sub there; mkdir -p there/tools/hooks; cp evil there/tools/hooks/pre-commit' \
	    'touch x; mkdir d; mv d e; mv sub there; mkdir -p there/tools/hooks && cp evil there/tools/hooks/pre-commit'
	expect 2 run -- sh -c 'mkdir x; echo x >x/pre-commit; mkdir sub/tools 2>/dev/null; echo x >sub/tools'
	heard 'refused: create' 'core.hooksPath'
	expect 0 run -- sh -c 'echo x >sub/free; mkdir -p hooks tools/hooks; echo x >tools/hooks/pre-commit'
	# a rule that names the folder itself grants it
	expect 0 run --write sub/tools/hooks --write sub/tools -- sh -c 'mkdir -p sub/tools/hooks; cp evil sub/tools/hooks/pre-commit'
	[ -x sub/tools/hooks/pre-commit ]
}

@test "hooks of submodules and worktrees, existing and new, cannot be planted" {
	start
	git init -q --bare far.git
	git push -q "$P/far.git" main
	git submodule --quiet add "$P/far.git" sub
	git commit -q -m sub
	git -C sub config core.hooksPath ../shared
	plants "$commit" 'mkdir shared; cp evil shared/pre-commit' 'ln -s other shared; mkdir other; cp evil other/pre-commit' \
	    'mkdir x; cp evil x/pre-commit; mv x shared'
	git -C sub config core.hooksPath hooks
	plants "$commit" 'mkdir sub/hooks; cp evil sub/hooks/pre-commit'
	git -C sub config --unset core.hooksPath
	git submodule --quiet add "$P/far.git" .d/sub
	mkdir -p scripts .git/modules/.d/sub/hooks
	touch scripts/check
	chmod +x scripts/check
	ln -s "$P/scripts/check" .git/modules/.d/sub/hooks/pre-commit
	plants 'git -C .d/sub commit -q --allow-empty -m x' 'cat evil >scripts/check'
	git worktree add -q trees/one
	git config core.hooksPath ../near
	plants 'git -C trees/one commit -q --allow-empty -m x' 'mkdir trees/near; cp evil trees/near/pre-commit'
	git config core.hooksPath .githooks
	git worktree add -q tree
	plants 'git -C tree commit -q --allow-empty -m x' 'mkdir tree/.githooks; cp evil tree/.githooks/pre-commit'
	plants 'git -C new commit -q --allow-empty -m x' \
	    'git worktree add -q new; mkdir new/.githooks; cp evil new/.githooks/pre-commit'
	mkdir src
	plants 'cd src; git push -q ../far.git main:x' 'git config core.bare true; mkdir src/.githooks; cp evil src/.githooks/pre-push' \
	    'printf "[core]\n\trepositoryformatversion = 0\n\tbare\n\thooksPath = .githooks\n" >.git/config.lock; mv .git/config.lock .git/config
		mkdir src/.githooks; cp evil src/.githooks/pre-push'
	plants 'git commit -q --allow-empty -m x' \
	    'mkdir -p w/.githooks; cp evil w/.githooks/pre-commit; git config core.worktree "$PWD/w"'
}

@test "hooks named by the user's settings cannot be planted in any repository" {
	start
	git init -q sub
	git config --global core.hooksPath .githooks
	plants "$commit" 'mkdir sub/.githooks; cp evil sub/.githooks/pre-commit'
	plants 'git -C new commit -q --allow-empty -m x' \
	    'git init -q new; mkdir new/.githooks; cp evil new/.githooks/pre-commit' \
	    'mkdir -p new/.githooks; cp evil new/.githooks/pre-commit; git init -q new' \
	    'git clone -q . new; mkdir new/.githooks; cp evil new/.githooks/pre-commit'
	plants 'git push -q ./new.git main' 'git init -q --bare new.git; mkdir new.git/.githooks; cp evil new.git/.githooks/update'
	expect 0 run -- sh -c 'mkdir -p src/.githooks; echo x >src/.githooks/free'
	mkdir "$T/other"
	git config --global core.hooksPath "$T/other"
	expect 1 run --write "$T" -- cp evil "$T/other/pre-commit"
	heard 'core.hooksPath'
	git config --global core.hooksPath /dev/null
	expect 0 run -- sh -c 'echo x >/dev/null; echo x >free'
	git config --global core.hooksPath "~/../project/all"
	plants "$commit" 'mkdir all; cp evil all/pre-commit'
	git config --global --unset core.hooksPath
	git config --global init.templateDir "$P/template"
	mkdir -p template/hooks
	plants 'git init -q new; git -C new commit -q --allow-empty -m x' 'cp evil template/hooks/pre-commit'
}

@test "files that settings include are protected and inspected like the settings" {
	start
	git init -q sub
	setting="printf '[core]\n\tfsmonitor = %s/evil\n' \"\$PWD\""
	git config include.path ../settings
	plants 'git status' "$setting >settings" "$setting >x; mv x settings" "$setting >x; ln x settings" "$setting >x; ln -s x settings"
	git config include.path settings
	plants 'git status' "$setting >.git/settings"
	git config --unset include.path
	git -C sub config 'includeIf.onbranch:main.path' ../more/settings
	plants 'git -C sub status' "mkdir sub/more; $setting >sub/more/settings" "mkdir x; $setting >x/settings; ln -s ../x sub/more"
	git config --global include.path "$P/settings"
	plants 'git status' "$setting >settings"
	git config --global --unset include.path
	mv "$HOME/.gitconfig" dotfile
	ln -s "$P/dotfile" "$HOME/.gitconfig"
	plants 'git status' "$setting >>dotfile" "cp dotfile x; $setting >>x; mv x dotfile"
	rm "$HOME/.gitconfig"
	mv dotfile "$HOME/.gitconfig"
	# hooks that are named there
	printf '[core]\n\thooksPath = named\n' >"$HOME/more"
	for config in .git/config "$HOME/.gitconfig" sub/.git/config; do
		cp "$config" "$T/config"
		git config -f "$config" includeIf.gitdir:/.path "$HOME/more"
		plants 'git -C sub commit -q --allow-empty -m x; git commit -q --allow-empty -m x' \
		    'mkdir -p named sub/named; cp evil named/pre-commit; cp evil sub/named/pre-commit'
		cp "$T/config" "$config"
	done
	mkdir -p "$XDG_CONFIG_HOME/git"
	printf '[include]\n\tpath = %s\n' "$HOME/more" >"$XDG_CONFIG_HOME/git/config"
	plants 'git commit -q --allow-empty -m x' 'mkdir named; cp evil named/pre-commit'
}

@test "hooks and settings that are links" {
	start
	git init -q sub
	for repository in "$P" "$P/sub"; do
		cd "$repository"
		mkdir scripts
		printf '#!/bin/sh\n' >scripts/check
		chmod +x scripts/check
		ln -s ../../scripts/check .git/hooks/pre-commit
		cd "$P"
		plants "git -C $repository commit -q --allow-empty -m x" "cat evil >$repository/scripts/check" \
		    "cp evil $repository/scripts/x; mv $repository/scripts/x $repository/scripts/check" \
		    "mv $repository/scripts x; mkdir $repository/scripts; cp evil $repository/scripts/check"
	done
	rm -r sub/.git/hooks
	mkdir sub/mine
	ln -s ../mine sub/.git/hooks
	plants "$commit" 'cp evil sub/mine/pre-commit'
	mv sub/.git/config sub/conf
	ln -s ../conf sub/.git/config
	echo s >sub/s
	git -C sub add s
	plants 'git -C sub status' 'git config -f sub/conf core.fsmonitor "$PWD/evil"' \
	    'printf "[core]\n\tfsmonitor = %s/evil\n" "$PWD" >>sub/conf'
}

# A command may make examples, as many as it likes.
@test "a hook that is a link, among many regular hooks" {
	start
	mkdir scripts
	cp evil scripts/check
	ln -s ../../scripts/check .git/hooks/pre-commit
	expect 1 why write scripts/check
	expect 0 run -- "$PYTHON" -c 'for i in range(3000): open(".git/hooks/%d.sample" % i, "w")'
	expect 1 why write scripts/check
	expect 2 run -- sh -c 'echo x >>scripts/check'
	heard 'git runs it'
}

@test "a hook that is a link, in a submodule beside many folders" {
	start
	mkdir -p scripts deep .git/modules/deep
	git init -q --separate-git-dir="$P/.git/modules/deep/sub" deep/sub
	mkdir -p .git/modules/deep/sub/hooks
	cp evil scripts/check
	ln -s "$P/scripts/check" .git/modules/deep/sub/hooks/pre-commit
	expect 1 why write scripts/check
	expect 0 run -- "$PYTHON" -c 'import os
os.chdir(".git/modules")
for i in range(1500): os.mkdir("%d" % i)
os.makedirs("/".join("a" * 40))
os.mkdir("shut", 0)'
	expect 1 why write scripts/check
	expect 2 run -- sh -c 'echo x >>scripts/check'
	heard 'git runs it'
	chmod 700 .git/modules/shut
}

@test "programs that settings take from the project cannot be changed" {
	start
	git init -q sub
	echo '* filter=f' >.gitattributes
	mkdir tools
	printf '#!/bin/sh\nexec cat\n' >tools/clean
	chmod +x tools/clean
	git config filter.f.clean tools/clean
	plants 'echo b >a; git add a' 'cp evil tools/clean' 'cat evil >tools/clean' 'mv evil tools/clean' \
	    'mv tools x; mkdir tools; cp evil tools/clean' 'cp -r tools x; cp evil x/clean; rm -r tools; ln -s x tools'
	git config filter.f.clean "sh '$P/tools/clean' s/a/b/"
	plants 'echo b >a; git add a' 'cat evil >tools/clean'
	git config filter.f.clean 'exec=1 tools/none'
	expect 0 run -- sh -c 'mkdir -p s/a; echo x >s/a/b; echo x >tools/other'
	git config --unset filter.f.clean
	git -C sub config core.fsmonitor ./watch
	echo s >sub/s
	plants 'git -C sub add s; git -C sub status' 'cp evil sub/watch' 'ln -s ../evil sub/watch'
	expect 1 run -- sh -c 'cp evil sub/watch'
	heard 'git runs it, as its settings say'
}

# evil_repository FOLDER: one that came with the project's own files, as a fixture of its tests may
evil_repository()
{
	mkdir -p "$1/objects" "$1/refs" "$1/hooks"
	cp evil "$1/hooks/pre-commit"
	echo 'ref: refs/heads/main' >"$1/HEAD"
	printf '[core]\n\tfsmonitor = %s/evil\n\tbare = false\n' "$P" >"$1/config"
}

@test "a folder on git's path that is exchanged for a link" {
	start
	evil_repository fixtures/e
	evil_repository fixtures/b.git
	git init -q sub
	git -C sub config core.hooksPath tools/hooks
	mkdir -p sub/tools
	# a pointer that leads nowhere yet, or to an honest one, and later by a link to that
	plants 'git -C w commit -q --allow-empty -m x' 'mkdir w d; echo "gitdir: ../d" >p; mv p w/.git; rmdir d; ln -s fixtures/e d' \
	    'mkdir -p w d/e; echo "gitdir: ../d/e" >p; mv p w/.git; mv d b; ln -s fixtures d' \
	    'mkdir w d; git init -q --bare d/b.git; echo "gitdir: ../d/b.git" >p; mv p w/.git; mv d c; ln -s fixtures d' \
	    'mkdir -p w/d; echo "gitdir: d" >p; mv p w/.git; rmdir w/d; mv fixtures/e w/d'
	# remotes as files, an old form that git still reads
	cp evil fixtures/b.git/hooks/update
	plants 'git push -q origin main:x' 'mkdir -p .git/remotes; echo "URL: $PWD/fixtures/b.git" >.git/remotes/origin' \
	    'mkdir -p .git/branches; echo "$PWD/fixtures/b.git" >.git/branches/origin'
	plants 'git push -q far main:x' 'git remote add far d/b.git; ln -s fixtures d' 'git remote add far ./d; ln -s fixtures/b.git d' \
	    'mkdir d; git init -q --bare d/b.git; git remote add far "$PWD/d/b.git"; mv d e; ln -s fixtures d' \
	    'git config remote.far.pushurl ./d; ln -s fixtures/b.git l; mv l d' 'git remote add far ./d; ln -s fixtures/b.git l; ln -P l d'
	expect 0 run -- sh -c 'git remote add far ./d; git init -q --bare d; ln -s fixtures e; git push -q far main; rm -rf d; git remote remove far; rm e'
	# the folder that hooks will be in
	plants "$commit" 'mkdir -p x/hooks; cp evil x/hooks/pre-commit; rmdir sub/tools; ln -s ../x sub/tools' \
	    'mkdir -p x/hooks; cp evil x/hooks/pre-commit; rmdir sub/tools; mv x sub/tools' \
	    'mkdir -p s/tools/hooks; cp evil s/tools/hooks/pre-commit; mv sub/.git s; rm -r sub; mv s sub' \
	    'mkdir -p s/tools/hooks; cp evil s/tools/hooks/pre-commit; mv sub old; mv old/.git s; ln -s s sub'
	# the repository itself
	plants 'git commit -q --allow-empty -m x' 'mv .git x; ln -s fixtures/e .git' 'mv .git x; mkdir y; cp -r fixtures/e/. y; mv y .git'
	git init -q .
	mv .git .bare
	git --git-dir=.bare config core.bare false
	echo 'gitdir: ./.bare' >.git
	git status >/dev/null
	plants 'git commit -q --allow-empty -m x' 'mv .bare x; ln -s fixtures/e .bare' 'mv .bare x; mv fixtures/e .bare'
	expect 0 run -- sh -c 'git add fixtures && git commit -q -m f'
	git --git-dir=.bare config core.hooksPath hooked
	plants 'git commit -q --allow-empty -m x' 'mkdir hooked; cp evil hooked/pre-commit'
}
