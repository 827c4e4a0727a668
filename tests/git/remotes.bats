#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Remotes on this machine: git runs the hooks of the repository to which it pushes. Neither a remote
# that a command names nor one that replaces it later has hooks written by the command.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# A repository with a hook, as files that a commit can bring.
make_evil='make_evil() {
	mkdir -p "$1/objects/x" "$1/refs/x" "$1/hooks"; echo "ref: refs/heads/main" >"$1/HEAD"
	: >"$1/objects/x/x"; : >"$1/refs/x/x"
	printf "[core]\n\trepositoryformatversion = 0\n\tbare = true\n" >"$1/config"
	printf "#!/bin/sh\ntouch %s/started\n" "$2" >"$1/hooks/pre-receive"; chmod +x "$1/hooks/pre-receive"
}'

# The same through the index alone: nothing of it lies in the working tree.
stage_evil='stage_evil() {
	stage() { git update-index --add --cacheinfo "$1,$(printf "$2" | git hash-object -w --stdin),$3"; }
	stage 100644 "ref: refs/heads/main\n" "$1/HEAD"; stage 100644 "" "$1/objects/x/x"; stage 100644 "" "$1/refs/x/x"
	stage 100644 "[core]\n\trepositoryformatversion = 0\n\tbare = true\n" "$1/config"
	stage 100755 "#!/bin/sh\ntouch $2/started\n" "$1/hooks/pre-receive"; git commit -qm staged
}'

prepare()
{
	rm -rf "$P" "$T/started" && mkdir "$P" && cd "$P" || return 1
	{ git init . && echo a >a && git add a && git commit -m a; } >"$T/made" 2>&1
}

# attempt SCRIPT: by that alone, and the user's checkout and push after it, a hook starts; confined it does not.
attempt()
{
	local script="$make_evil
$stage_evil
T=$T
$1"
	local use='git reset -q --hard; git push o main; git push; git -C sub push; git -C tree push o main; git -C src push o main'

	prepare && sh -c "$script" >"$T/free" 2>&1
	sh -c "$use" >>"$T/free" 2>&1 || :
	[ -e "$T/started" ] || complain "starts nothing, free: $1: $(cat "$T/free")" || return 1
	prepare || return 1
	"$CORDON" run -- sh -c "$script
exit 9" >"$T/boxed" 2>&1 </dev/null || :
	sh -c "$use" >>"$T/boxed" 2>&1 || :
	[ ! -e "$T/started" ] || complain "started: $1: $(cat "$T/boxed")" || return 1
	[ "${silent-}" ] || grep -q 'refused: change .*config[.worktree]*: ' "$T/boxed" || complain "no word of it: $1: $(cat "$T/boxed")"
}

@test "a remote that comes with a commit runs no hook, under any name that git resolves" {
	begin
	cp -a "$HOME/.gitconfig" "$T/gitconfig"
	attempt 'git config remote.o.url ./evil; stage_evil evil $T'
	attempt 'git config remote.o.url "$PWD/evil"; stage_evil evil $T'
	attempt 'git config remote.o.url ./evil; stage_evil evil.git $T'
	attempt 'git config remote.o.url evil; stage_evil evil $T'
	attempt 'git config remote.o.url "file://$PWD/evil"; stage_evil evil $T'
	attempt 'git config remote.o.url "file://anyhost$PWD/evil"; stage_evil evil $T'
	attempt 'git config remote.o.url "file://$(printf %s "$PWD" | sed "s|^/|/%2e/|")/%65vil"; stage_evil evil $T'
	attempt 'git config remote.o.pushurl "$PWD/sub/../evil"; git config remote.o.url ssh://h/x; mkdir sub; stage_evil evil $T'
	attempt 'git init -q --bare evil; git config remote.o.url "$PWD/evil"; stage_evil evil $T'
	attempt 'git init -q evil; git config remote.o.url "$PWD/evil"; rm -rf evil; stage_evil evil $T'
	attempt 'git config remote.o.url /proc/self/cwd/evil; stage_evil evil $T'
	attempt 'git config remote.evil.push refs/heads/main; git config branch.main.remote evil; stage_evil evil $T'
	attempt 'git config branch.main.remote evil; git config push.default current; stage_evil evil $T'
	attempt 'git config branch.main.pushRemote evil; git config push.default current; stage_evil evil $T'
	attempt 'git config remote.pushDefault evil; git config push.default current; stage_evil evil $T'
	# nothing is refused here: the remote keeps its address
	silent=true attempt 'git config remote.evil.url ssh://h/x; git config branch.main.remote evil; git config push.default current
		git config --remove-section remote.evil; stage_evil evil $T'
}

@test "a remote through a home, a link or a gitdir file runs no hook" {
	begin
	attempt 'rel=$(realpath --relative-to="$HOME" .); git config remote.o.url "~/$rel/evil"; stage_evil evil $T'
	attempt 'ln -s evil link; git config remote.o.url "$PWD/link"; stage_evil evil $T'
	attempt 'ln -s evil x.git; git config remote.o.url "$PWD/x"; stage_evil evil $T'
	attempt 'echo "gitdir: $PWD/evil" >x; git config remote.o.url "$PWD/x"; stage_evil evil $T'
	attempt 'echo "gitdir: $PWD/evil" >x.git; git config remote.o.url "$PWD/x"; stage_evil evil $T'
	attempt 'mkdir x; git config remote.o.url "$PWD/x"; rmdir x; echo "gitdir: $PWD/evil" >x; stage_evil evil $T'
}

@test "settings of worktrees and submodules cannot name such a remote" {
	begin
	attempt 'git config extensions.worktreeConfig true; git worktree add -q tree
		git -C tree config --worktree remote.o.url ../evil; stage_evil evil $T'
	attempt 'git worktree add -q tree; git config remote.o.url ../evil; stage_evil evil $T'
	attempt 'git init -q src; git -C src commit -q --allow-empty -m a; git -C src config remote.o.url ../evil; stage_evil evil $T'
}

@test "a remote that a branch names keeps its address and can be renamed" {
	begin
	same '
		git init -b main a; cd a; git commit --allow-empty -m a; cd ..; git clone a b; cd b
		git remote rename origin up; git checkout -b two --track up/main; git config remote.pushDefault up; git remote rename up x
		git push x two; git remote rename x up; git config branch.main.pushRemote up; git remote rename up origin; git remote remove origin
		git remote add origin ../a; git fetch origin; git branch -u origin/main main
	'
	expect 0 run -- sh -ec 'git clone -q a c; cd c; git config --remove-section remote.origin; [ "$(git config branch.main.remote)" = origin ]'
	[ "$(git -C c config remote.origin.url)" = "$P/a" ]
	expect 0 run -- sh -ec 'cd c; git branch --unset-upstream; git config user.name x; ! git config remote.origin.url'
}

@test "a remote in the private tmp is refused, because hooks could be added to it" {
	begin
	prepare
	expect 9 run -- sh -c 'git init -q --bare "$TMPDIR/r"; git remote add o "$TMPDIR/r" || git clone -q . "$TMPDIR/c" && exit 9'
	[[ $err = *'repositories are not checked'* ]]
}

# Where no checkout can change anything: beside the repositories, or where the command cannot write.
@test "remotes in directories that cannot be replaced are allowed" {
	begin
	mkdir -p "$HOME/far.git" && git init -q --bare "$HOME/far.git" && rm -rf .git
	expect 0 run -q -- sh -ec 'git init -q src; cd src; git commit -q --allow-empty -m a; git init -q --bare ../far.git
		git remote add a ../far.git; git push -q -u a main; git remote add b "$PWD/../far.git"; git push -q b main
		git remote add c "'"$HOME"'/far.git"; git remote add d "file:///'"$HOME"'/far.git"
		git remote add e git@h:x; git remote add f https://h/x; git config branch.x.remote .; git config branch.y.remote ssh://h/y
		git clone -q . ../copy; git clone -q "$PWD" in; git -C in pull -q'
	# but what they name does not become another thing
	for script in 'rm -r far.git; ln -s x far.git' 'rm -r far.git; echo "gitdir: x" >far.git' 'echo "gitdir: x" >far.git.git' \
	    'ln -s x far.git.git' 'git init -q .' 'mkdir w; git init -q w; rm -r far.git; mv w far.git' 'mkdir n; mv src n/src' \
	    'git -C src worktree add tree'; do
		rm -rf "$T/was" && cp -a "$P" "$T/was"
		(cd "$T/was" && sh -ec "$script") >"$T/free" 2>&1 || complain "fails free: $script: $(cat "$T/free")" || return 1
		CORDON_TIMEOUT=60 run_shell=$script
		"$CORDON" run -q -- sh -ec "$run_shell" >"$T/boxed" 2>&1 </dev/null && complain "passed: $script" && return 1
		rm -rf w n x .git far.git.git
		[ -d far.git ] || git init -q --bare far.git
	done
	# and all of it can be removed
	expect 0 run -q -- rm -rf far.git src copy
}
