#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that copy modes, lists and times also do so in git directories. Calls that would hide
# settings from the broker or open a repository to others are refused.

# shellcheck disable=SC2016,SC2034,SC2086,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# Modes and times of all files, and the modes of folders, whose times are those of the copying.
look()
{
	find "$@" -type f -printf '%p %m %s %T@\n' -o -printf '%p %y %m %l\n' | sort
}

make_source()
{
	begin
	{
		git init src && cd src && echo a >a && git add a && git commit -m a && git tag t && git gc -q
		cd .. && touch -d 2001-02-03 src/.git/config src/.git/description && chmod 600 src/.git/packed-refs
		chmod 640 src/.git/config
	} >"$T/made" 2>&1 || complain "$(cat "$T/made")"
}

@test "copies of repositories have the modes and times of a bare run" {
	make_source
	cat >try <<-'END'
		set -e
		mkdir a b c d e f
		cp -a src/.git a/.git
		cp -a src b/whole
		cp -pr src/.git c/.git
		rsync -a --exclude hooks src/.git d/
		rsync -a --inplace src/ e/
		tar c -C src .git | tar xp -C f
		cp -p src/.git/index a/.git/index
		cp -a src/.git/config src/.git/other
		install -m 644 -p src/a src/.git/description
		install -m 600 -p src/a src/.git/new
		rm c/.git/config; cp -p src/.git/config c/.git/config.lock; mv c/.git/config.lock c/.git/config
	END
	cp -a "$P" "$T/free"
	(cd "$T/free" && sh try) || complain 'not even free'
	expect 0 run -q -- sh try
	(cd "$T/free" && look a b c d e f src) >"$T/bare"
	look a b c d e f src | diff "$T/bare" - || complain 'they differ'
	git -C b/whole status --porcelain >"$T/status" && [ ! -s "$T/status" ]
	[ "$(stat -c %a a/.git/config e/.git/config c/.git/config | tr '\n' ' ')" = '640 640 640 ' ]
}

@test "rsync copies a repository with sample hooks, and cannot create a hook" {
	make_source
	mkdir -p src/.git/hooks copy
	echo exit >src/.git/hooks/pre-commit.sample
	chmod 755 src/.git/hooks/pre-commit.sample
	expect 0 run -q -- rsync -a src/.git copy
	diff -r src/.git copy/.git >"$T/diff" || complain "$(cat "$T/diff")"
	[ "$(stat -c %a copy/.git/hooks/pre-commit.sample)" = 755 ]
	expect 0 run -q -- rsync -a --delete src/.git copy
	expect 1 run -q -- mv copy/.git/hooks/pre-commit.sample copy/.git/hooks/pre-commit
	expect 0 run -q -- mv copy/.git/hooks/pre-commit.sample copy/.git/hooks/.pre-commit.sample.aBc123
	expect 1 run -q -- mv copy/.git/hooks/.pre-commit.sample.aBc123 copy/.git/hooks/pre-commit
	[ ! -e copy/.git/hooks/pre-commit ]
}

@test "a copy over an existing repository replaces its settings if they are harmless" {
	make_source
	git -C src config user.name another
	git init -q . && git init -q there
	inode=$(stat -c %i there/.git/config)
	expect 0 run -q -- cp -a src/.git/. there/.git/
	diff -r src/.git there/.git >"$T/diff" || complain "$(cat "$T/diff")"
	[ "$(git -C there config user.name)" = another ]
	[ "$(stat -c %i there/.git/config)" != "$inode" ]
	expect 0 run -q -- cp src/.git/config .git/config
	echo '[submodule "a"]' >.gitmodules
	printf '[submodule "b"]\n\tpath = b\n' >modules
	expect 0 run -q -- cp modules .gitmodules
	diff modules .gitmodules
	# not if they are not
	git config -f evil core.fsmonitor ./evil
	printf '[submodule "b"]\n\tpath = b\n\tupdate = !./evil\n' >modules
	for line in 'evil .git/config' 'evil there/.git/config' 'modules .gitmodules'; do
		set -- $line
		cp "$2" "$T/before"
		cp "$1" "$T/free" # it can be read
		expect 1 run -q -- cp "$1" "$2"
		cmp "$2" "$T/before"
	done
	# nor by a number of its own, nor at the end
	expect 1 run -q -- sh -c 'cat modules >.gitmodules'
	expect 1 run -q -- "$PYTHON" -c 'open(".git/config", "a").write("[core]\n\tbare = true\n")'
}

@test "ACLs that neither hide nor open files can be set in git directories" {
	make_source
	cat >try <<-'END'
		set -e
		for what in src/.git src/.git/config src/.git/HEAD src/.git/hooks src/.git/objects src/.git/description; do
			setfacl -m u:daemon:rX $what
			setfacl -m u:daemon:r,m::r $what
			cp -a src/.git/description src/.git/again
			setfacl -b $what
			chmod u=rwX,go=rX $what
		done
		setfacl -d -m u::rwx,g::rx,o::rx src/.git/refs
		setfacl -k src/.git/refs
		echo fine
	END
	cp -a "$P" "$T/free"
	(cd "$T/free" && sh try) || complain 'not even free'
	expect 0 run -q -- sh try
	[ "$out" = fine ]
}

@test "no ACL or mode hides settings or opens a repository" {
	make_source
	git init -q --bare odd
	cat >try <<-'END'
		for what in src/.git src/.git/config src/.git/hooks src/.git/HEAD src/.git/objects odd odd/config odd/hooks src; do
			for how in 'u:daemon:rwx' 'g:daemon:rw,m::r' 'o::rw' 'g::rw'; do
				[ $what = src ] || { setfacl -m $how $what && echo "passed: $how $what"; }
			done
			setfacl -m u::- $what && echo "passed: hidden $what"
			setfacl -m u::w $what && echo "passed: half hidden $what"
			chmod 000 $what && echo "passed: chmod $what"
			chmod u=rwX $what
		done
		for what in src/.git src/.git/hooks odd; do
			setfacl -d -m u::-,g::-,o::- $what && echo "passed: hides what is new in $what"
			setfacl -d -m u::rwx,g::rwx,o::rwx $what && echo "passed: opens what is new in $what"
		done
		echo tried
	END
	cp -a "$P" "$T/free"
	(cd "$T/free" && sh try >"$T/bare" 2>&1)
	[ "$(grep -c passed: "$T/bare")" -eq 65 ] || complain "$(cat "$T/bare")"
	look src odd >"$T/before"
	expect 0 run -q -- sh try
	[ "$out" = tried ] || complain 'something passed'
	look src odd | diff "$T/before" -
	[ -z "$(getfacl -Rps src odd)" ]
}

# A list's mask stands where the mode of the group does: without the list the group would have it.
@test "an ACL cannot be removed where that opens a repository" {
	make_source
	setfacl -m u:daemon:rw,g::r src/.git/config
	cp -a "$P" "$T/free"
	echo 'import os; os.removexattr("src/.git/config", "system.posix_acl_access")' >try
	(cd "$T/free" && "$PYTHON" ../project/try && [ "$(stat -c %A src/.git/config)" = -rw-rw---- ])
	expect 1 run -q -- "$PYTHON" try
	getfacl -c src/.git/config | grep -q '^user:daemon:rw'
}

@test "chmod can close and open plain files of git, not settings" {
	make_source
	cat >try <<-'END'
		set -e
		for what in src/.git/description src/.git/index src/.git/refs/new src/.git/objects/pack/*.pack src/.git/logs/HEAD.old; do
			[ -e $what ] || echo x >$what
			chmod 000 $what; [ "$(stat -c %a $what)" = 0 ]; chmod 644 $what
		done
		echo fine
	END
	cp -a "$P" "$T/free"
	(cd "$T/free" && sh try) || complain 'not even free'
	expect 0 run -q -- sh try
	[ "$out" = fine ]
	expect 0 run -q -- sh -c 'for what in config HEAD config.worktree; do [ ! -e src/.git/$what ] || ! chmod 000 src/.git/$what || exit 5; done'
}
