#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files of the project that git uses because of settings elsewhere: repositories inside the project
# that refer to paths outside their own folder, repositories above the project, and the user's
# environment. The real git runs planted files, outside; and `why` reports them before.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # $ and ~ are for the shell inside; out and err are common's

load ../lib/common
load ../lib/git
load ../lib/hooks

commit='git -C deep/sub commit -q --allow-empty -m x'
setting="printf '[core]\n\tfsmonitor = %s/evil\n' \"\$PWD\""

# nested [FOLDER]: one more repository, two folders down, with a file in it
nested()
{
	local at=${1:-deep/sub}

	start
	mkdir -p "$(dirname "$at")"
	git init -q "$at"
	echo s >"$at/s"
	git -C "$at" add s
}

@test "hooks that a repository takes from another folder of the project cannot be planted" {
	nested
	git -C deep/sub config core.hooksPath ../../tools/hooks
	mkdir -p tools/hooks other
	plants "$commit" 'cp evil tools/hooks/pre-commit' 'mv evil tools/hooks/pre-commit' 'ln evil tools/hooks/pre-commit' \
	    'ln -s ../../evil tools/hooks/pre-commit' 'rmdir tools/hooks; cp evil other/pre-commit; mv other tools/hooks' \
	    'rm -r tools; mkdir -p x/hooks; cp evil x/hooks/pre-commit; ln -s x tools' \
	    'mv tools x; mkdir -p tools/hooks; cp evil tools/hooks/pre-commit'
	expect 1 why write tools/hooks/pre-commit
	said 'core.hooksPath' 'git runs what lies in it'
	expect 0 why write tools/free
	expect 2 run -- sh -c 'echo x >tools/free && echo x >tools/hooks/pre-commit'
	heard 'refused: create' 'git runs what lies in it (core.hooksPath)'
	[ -e tools/free ]
	# the repository moves, and its hooks are elsewhere
	plants 'git -C c/b/sub commit -q --allow-empty -m x' \
	    'mkdir -p c/b; mv deep/sub c/b; mkdir -p c/tools/hooks; cp evil c/tools/hooks/pre-commit' \
	    'mkdir -p c/tools/hooks c/b; mv deep/sub x; mv x c/b/sub; cp evil c/tools/hooks/pre-commit' \
	    'mkdir -p c/b; mv deep/sub c/b/sub; mv c z; mkdir z/tools; mv z c; mkdir c/tools/hooks; cp evil c/tools/hooks/pre-commit'
}

@test "hooks in another folder of the project are protected wherever the settings are" {
	nested
	mkdir -p tools/hooks more
	git config -f more/settings core.hooksPath ../../tools/hooks
	for key in include.path includeIf.onbranch:main.path "includeIf.gitdir:$P/deep/.path" includeIf.hasconfig:remote.*.url:far/**.path; do
		cp deep/sub/.git/config "$T/config"
		git -C deep/sub config remote.far.url far/x
		git -C deep/sub config "$key" ../../../more/settings
		[ "$(git -C deep/sub config core.hooksPath)" = ../../tools/hooks ] || continue
		plants "$commit" 'cp evil tools/hooks/pre-commit'
		cp "$T/config" deep/sub/.git/config
	done
	for value in "$P/tools/hooks" '~/../project/tools/hooks' ../led ../../led/hooks; do
		rm -f deep/led led
		ln -s ../tools/hooks deep/led
		ln -s tools led
		git -C deep/sub config core.hooksPath "$value"
		plants "$commit" 'cp evil tools/hooks/pre-commit' \
		    'mkdir -p x/hooks; cp evil x/hooks/pre-commit; rm -r tools deep/led led; mv x tools; ln -s ../tools/hooks deep/led; ln -s tools led'
	done
	rm deep/led led
	git -C deep/sub config --unset core.hooksPath
	git -C deep/sub config extensions.worktreeConfig true
	git -C deep/sub config --worktree core.hooksPath ../../tools/hooks
	plants "$commit" 'cp evil tools/hooks/pre-commit'
	rm deep/sub/.git/config.worktree
	# what is in it leads out: hooks, the settings themselves, a program
	rm -r deep/sub/.git/hooks
	ln -s ../../../tools/hooks deep/sub/.git/hooks
	plants "$commit" 'cp evil tools/hooks/pre-commit'
}

# Any name can be that of a program or of settings, so these are known of the folders in the project itself.
@test "settings and programs that a neighbouring repository takes from another folder are protected" {
	nested sub
	mkdir tools more
	git config -f more/settings core.abbrev 9
	for key in include.path includeIf.onbranch:main.path "includeIf.gitdir:$P/sub/.path" includeIf.hasconfig:remote.*.url:far/**.path; do
		cp sub/.git/config "$T/config"
		git -C sub config remote.far.url far/x
		git -C sub config "$key" ../../more/settings
		[ "$(git -C sub config core.abbrev)" = 9 ] || continue
		plants 'git -C sub status' "$setting >more/settings" "mv more x; mkdir more; $setting >more/settings"
		cp "$T/config" sub/.git/config
	done
	git -C sub config core.fsmonitor ../tools/watch
	plants 'git -C sub status' 'cp evil tools/watch' 'cp evil x; ln -s ../x tools/watch'
	git -C sub config --unset core.fsmonitor
	mv sub/.git/config more/config
	ln -s ../../more/config sub/.git/config
	plants 'git -C sub status' "$setting >>more/config"
}

@test "they are protected beside any number of folders" {
	start
	mkdir tools
	for name in one two three; do
		git init -q "$name"
		git -C "$name" config core.fsmonitor "../tools/$name"
	done
	expect 0 run -- "$PYTHON" -c 'import os
for i in range(8000): os.mkdir("d%d" % i)'
	for name in one two three; do
		expect 1 why write "tools/$name"
		said 'git runs it'
	done
	expect 0 why write tools/free
}

@test "hooks of bare repositories, foreign submodules and new repositories are protected" {
	nested
	mkdir -p tools/hooks
	git init -q --bare deep/odd
	git -C deep/odd config core.hooksPath "$P/tools/hooks"
	plants 'git push -q ./deep/odd HEAD:x' 'cp evil tools/hooks/update'
	rm -r deep/odd
	git init -q --bare "$T/far.git"
	git push -q "$T/far.git" main
	git -C deep/sub submodule --quiet add "$T/far.git" inner
	git -C deep/sub/inner config core.hooksPath ../../../tools/hooks
	plants 'git -C deep/sub/inner commit -q --allow-empty -m x' 'cp evil tools/hooks/pre-commit'
	git -C deep/sub commit -q -m s
	git -C deep/sub worktree add -q ../tree
	git -C deep/sub config core.hooksPath ../near
	plants 'git -C deep/tree commit -q --allow-empty -m x' 'mkdir deep/near; cp evil deep/near/pre-commit'
	git config core.hooksPath ../near
	plants 'git -C d/w commit -q --allow-empty -m x' \
	    'mkdir -p d/w; echo "gitdir: ../../.git" >p; mv p d/w/.git; mkdir d/near; cp evil d/near/pre-commit'
	git config --unset core.hooksPath
	# the user's own, of what the command makes itself
	git config --global core.hooksPath ../.shared
	plants 'git -C new commit -q --allow-empty -m x' 'git init -q new; mkdir .shared; cp evil .shared/pre-commit' \
	    'mkdir .shared; git init -q new; cp evil .shared/pre-commit' 'git clone -q . new; mkdir .shared; cp evil .shared/pre-commit' \
	    'git init -q c; mkdir .shared; mv c new; cp evil .shared/pre-commit' 'mkdir .shared; cp evil .shared/pre-commit; git init -q new'
	git config --global --unset core.hooksPath
	git config --global core.fsmonitor ./watch
	plants 'git -C deep/sub status' 'cp evil deep/sub/watch'
}

# lease.py FILE COMMAND...: runs it while no other process can open the file without waiting
lease()
{
	cat >"$T/lease.py" <<-'END'
		import fcntl, os, signal, subprocess, sys
		signal.signal(signal.SIGIO, signal.SIG_IGN)
		fcntl.fcntl(os.open(sys.argv[1], os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK)
		sys.exit(subprocess.run(["sh", "-c", sys.argv[2]]).returncode)
	END
}

@test "settings cannot be made unreadable to plant a hook" {
	nested
	lease
	mkdir -p tools/hooks more
	git config -f more/settings core.hooksPath ../../tools/hooks
	git -C deep/sub config include.path "$P/more/settings"
	script='cp evil tools/hooks/pre-commit'
	for file in deep/sub/.git/config more/settings; do
		expect 1 run -q --read "$T/lease.py" -- "$PYTHON" "$T/lease.py" "$file" "$script"
	done
	plants "$commit" "mv deep/sub x; $script; mv x deep/sub" "mv deep x; $script; mkdir deep; mv x/sub deep" \
	    "mv deep/sub/.git x; $script; mv x deep/sub/.git"
	for folder in deep/sub/.git/config deep/sub/.git deep/sub deep more; do
		plants "$commit" "chmod 0 $folder; $script; chmod 700 $folder" "chmod 300 $folder; $script; chmod 700 $folder"
	done
	# out of the project, and back
	plants "$commit" "d=\$(mktemp -d); mv -T deep/sub \$d/x; $script; mv -T \$d/x deep/sub" \
	    'd=$(mktemp -d); cp evil $d/pre-commit; rmdir tools/hooks; mv -T $d tools/hooks; chmod 755 tools/hooks'
	# planted first, where it leads from another place
	plants 'git -C c/b/sub commit -q --allow-empty -m x' \
	    'mkdir -p c/b c/tools/hooks; cp evil c/tools/hooks/pre-commit; mv deep/sub c/b' \
	    'mkdir -p c/tools/hooks; cp evil c/tools/hooks/pre-commit; mv deep c/b'
}

@test "settings of a neighbouring repository cannot be made unreadable either" {
	nested sub
	lease
	mkdir -p tools more
	git config -f more/settings core.fsmonitor ../tools/watch
	git -C sub config include.path "$P/more/settings"
	script='cp evil tools/watch'
	for file in sub/.git/config more/settings; do
		expect 1 run -q --read "$T/lease.py" -- "$PYTHON" "$T/lease.py" "$file" "$script"
	done
	plants 'git -C sub status' "mv sub x; $script; mv x sub" "mv sub/.git x; $script; mv x sub/.git"
	for folder in sub/.git/config sub/.git sub more; do
		plants 'git -C sub status' "chmod 0 $folder; $script; chmod 700 $folder" "chmod 300 $folder; $script; chmod 700 $folder"
	done
	expect 0 run -- sh -c 'mkdir free && chmod 0 free && chmod 700 free && chmod 700 sub && chmod 400 a'
	expect 1 run -- chmod 0 sub
	heard "git's settings are there, or below it"
}
