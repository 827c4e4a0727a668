#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A command opens no repository to other users, and leaves nothing in a git directory of any name
# that makes git write elsewhere when an unfinished am or rebase continues.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# Everything that others can write in repositories below here; without objects a folder is none.
open_to_others()
{
	local head

	find . -name HEAD -not -path '*/logs/*' -not -path '*/refs/*' | while read -r head; do
		[ ! -e "${head%/*}/objects" ] || find "${head%/*}" ! -type l -perm "/$1" -print
	done
}

@test "no call makes a repository writable for other users" {
	begin
	umask 022
	{ git init . && git init --bare odd && git init --separate-git-dir="$P/apart" work; } >"$T/made" 2>&1
	cat >try <<-'END'
		for what in .git .git/hooks .git/config .git/objects .git/HEAD .git/info odd odd/hooks odd/config apart apart/config work/.git; do
			chmod 777 $what && echo "passed: chmod $what"
			chmod g+w $what && echo "passed: chmod g+w $what"
		done
		cp .git/config .git/config.lock; chmod 666 .git/config.lock && mv .git/config.lock .git/config && echo passed: config.lock
		rm -f .git/config.lock
		(umask 0; git init -q fresh; git init -q --bare bare; mkdir .git/new; : >.git/file; git config user.name x)
		mkdir -m 777 bare2; mkdir -m 777 bare2/hooks bare2/objects bare2/refs; cp .git/config bare2; cp .git/HEAD bare2/HEAD && echo passed: HEAD
		for value in -1 0666 666 0662 0x1b6 '" 0666"' 00666 1666 -0777 777; do
			printf '[core]\n\tsharedRepository = %s\n' "$value" >odd/config.lock; mv odd/config.lock odd/config && echo "passed: $value"
		done
		git init -q --shared=0666 shared; git init -q --shared=all shared2; git init -q --shared shared3; git init -q --bare --shared=group bare4
		git config core.sharedRepository group && echo passed: group
		echo tried
	END
	cp -a "$P" "$T/copy" && (cd "$T/copy" && sh try >"$T/free" 2>&1)
	[ "$(grep -c passed: "$T/free")" -ge 34 ] || complain "$(cat "$T/free")"
	expect 0 run -q -- sh try
	[ "$out" = tried ] || complain 'something passed'
	[ -z "$(open_to_others 022)" ] || complain "$(open_to_others 022)"
	[ -d fresh/.git/hooks ]
}

@test "the user's umask and existing modes are kept" {
	begin
	umask 002
	expect 0 run -q -- sh -ec 'git init -q .; git init -q --bare bare; git config user.name x; echo a >a; git add a; git commit -qm a
		git clone -q . copy; chmod g+w .git/config .git; git config core.sharedRepository group; git init -q --shared=group other'
	[ "$(stat -c %a .git .git/config bare bare/config copy/.git/config | tr '\n' ' ')" = '775 664 775 664 664 ' ]
	[ -z "$(open_to_others 002)" ] || complain "$(open_to_others 002)"
	umask 022
	expect 0 run -q -- sh -ec 'git config user.name y; git -C bare config user.name y; chmod 775 .git; chmod 644 .git/config; chmod 755 .git/hooks'
	[ "$(stat -c %a bare/config)" = 664 ]
}

# git am --skip hands apply-opt on to git apply, which can write anywhere.
@test "an unfinished git am in a git directory of any name writes nowhere else" {
	begin
	{
		git init --separate-git-dir="$P/apart" work && git -C work commit --allow-empty -m a && git -C work worktree add ../linked
		git init lib && git -C lib commit --allow-empty -m a && git init main && git -C main commit --allow-empty -m a
		git -C main submodule add "$P/lib" sub && git -C main/sub worktree add ../../sublinked
	} >"$T/made" 2>&1 || complain "$(cat "$T/made")"
	dirs="apart apart/worktrees/linked main/.git/modules/sub main/.git/modules/sub/worktrees/sublinked lib/.git"
	cat >try <<-'END'
		for dir in $1; do
			mkdir -p $dir/rebase-apply $dir/rebase-merge $dir/sequencer
			echo "'--build-fake-ancestor=/tmp/x'" >$dir/rebase-apply/apply-opt && echo "passed: $dir apply-opt"
			echo "'--build-fake-ancestor=/tmp/x'" >x; mv x $dir/rebase-apply/apply-opt && echo "passed: $dir moved"
			mkdir -p d; echo "'--directory=../..'" >d/apply-opt; rm -rf $dir/rebase-apply; mv d $dir/rebase-apply && echo "passed: $dir folder"
			rm -rf d; mkdir -p $dir/rebase-apply
			echo 'exec touch x' >$dir/rebase-merge/git-rebase-todo && echo "passed: $dir todo"
		done
		echo tried
	END
	cp -a "$P" "$T/copy" && (cd "$T/copy" && sh try "$dirs" >"$T/free" 2>&1)
	[ "$(grep -c passed: "$T/free")" -eq 20 ] || complain "$(cat "$T/free")"
	expect 0 run -q -- sh try "$dirs"
	[ "$out" = tried ] || complain 'something passed'
	[ -z "$(find . -name apply-opt -o -name git-rebase-todo)" ]
}

@test "a submodule's name cannot lead out of the modules directory" {
	begin
	git init -q .
	for name in ../../x a/../../x .. ../x a/.. /x 'a\\..\\b' a//b ./a; do
		expect 0 run -q -- sh -c 'git config "submodule.$1.url" ssh://h/x && exit 5
			git config -f .gitmodules "submodule.$1.url" ssh://h/x && exit 6
			printf "[submodule \"%s\"]\n\tpath = x\n" "$1" >m; mv m .gitmodules && exit 7; exit 0' sh "$name"
	done
	[ ! -e .gitmodules ]
	expect 0 run -q -- sh -ec 'for name in a a/b a..b ..a a.b "a b"; do git config "submodule.$name.url" ssh://h/x; git config -f .gitmodules "submodule.$name.path" x; done'
}
