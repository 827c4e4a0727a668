#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Rebases and cherry-picks that stop and continue. Inside they work; the files of an unfinished one
# start no program when it is finished outside, however they were written.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# Lists are edited as people and programs do: by a new file, in place, by an editor's backup.
@test "rebases and cherry-picks that stop and continue have the results of a bare run" {
	begin
	same '
		commit() { echo "$2" >"$1"; git add "$1"; git commit -m "$1 $2"; }
		git init .; commit a 1; git branch side; commit a 2; commit b 2; git checkout side; commit a 3; commit c 3; commit d 3
		export GIT_EDITOR=true
		git rebase main || :; echo both >a; git add a; git rebase --continue
		GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git rebase -i HEAD~2; git commit --amend -m edited; git rebase --continue
		GIT_SEQUENCE_EDITOR="sed -i.old 1s/pick/reword/" git rebase -i HEAD~2
		printf "%s\n" "grep pick \$1 >list; cp list \$1; rm list" >edit
		GIT_SEQUENCE_EDITOR="sh edit" git rebase -i HEAD~2; rm edit
		git rebase -s recursive -X theirs main; git rebase --no-ff -r main; git rebase --apply --no-ff main
		git checkout -b picked main; git cherry-pick -X ours side~2..side; git revert --no-edit HEAD~2..HEAD
		git checkout -b more main~1; commit a 4; git cherry-pick main side || :; git cherry-pick --skip || :; git cherry-pick --abort || :
		git worktree add tree; cd tree; git rebase --no-ff HEAD~1; git reset --hard; cd ..
	'
	# what would start a program later is refused by git itself, and said
	expect 1 run -- git rebase -f --exec true main
	heard 'exec lines start programs when the rebase continues'
	[ "$(git rev-parse more)" = "$(git rev-parse HEAD)" ]
}

@test "a rebase left by a session starts no program when it continues outside" {
	begin
	repositories
	passes STEPS .git
	[ "$(grep -c passed: "$T/free")" -ge 40 ] || complain "$(cat "$T/free")"
	# shellcheck disable=SC2086 # a list
	attack STEPS $dirs
	# a folder that becomes a repository in the middle of one
	expect 0 run -- sh -c 'mkdir -p n/objects n/refs n/rebase-merge; echo "exec x" >n/rebase-merge/git-rebase-todo
		echo "ref: refs/heads/main" >n/HEAD; ls n'
	unsaid HEAD
	# the user's own stays, and a refusal says what it is about
	rm -rf n .git/rebase-merge && mkdir .git/rebase-merge
	echo 'exec true' >.git/rebase-merge/git-rebase-todo
	edit='cd .git/rebase-merge && sed'
	expect 0 run -- sh -c "$edit 's/^/pick 1234567 a\n/' git-rebase-todo >new && mv new git-rebase-todo"
	grep -q pick .git/rebase-merge/git-rebase-todo
	expect 1 run -- sh -c "$edit s/true/false/ git-rebase-todo >new && mv new git-rebase-todo"
	heard 'exec lines start programs when the rebase continues' "--write $P/.git/rebase-merge/git-rebase-todo"
	grep -q 'exec true' .git/rebase-merge/git-rebase-todo
}

# git takes the name of a strategy for a program's, and one with a slash for a path.
@test "an unfinished rebase or cherry-pick planted in a session starts no program outside" {
	begin
	cat >prepare <<-'END'
		commit() { echo "$2" >"$1"; git add "$1"; git commit -qm "$1 $2"; }
		git init -q .; commit a 1; git branch side; commit a 2; git checkout -q side; commit a 3; commit c 3
		git rebase main
		git worktree add -q --detach tree main; cd tree; git cherry-pick side~1 side
		cd ..; mkdir -p git-merge-/x; printf '#!/bin/sh\ntouch "$STARTED"\n' >git-merge-/x/evil; chmod +x git-merge-/x/evil
		cp -r git-merge- tree
	END
	cat >plant <<-'END'
		mkdir -p .git/worktrees/tree/sequencer
		for way in cp mv; do
			echo /x/evil >planted; $way planted .git/rebase-merge/strategy
			echo 'exec ./git-merge-/x/evil' | cat .git/rebase-merge/git-rebase-todo - >planted
			$way planted .git/rebase-merge/git-rebase-todo
			printf '[options]\n\tstrategy = /x/evil\n' >planted; $way planted .git/worktrees/tree/sequencer/opts
		done
		exit 0
	END
	use='export GIT_EDITOR=true; echo b >a; git add a; git rebase --continue; cd tree; echo b >a; git add a; git cherry-pick --continue'
	export STARTED=$T/started
	mv prepare plant "$T"
	for run in '' "$CORDON run --read $T/plant --"; do
		rm -rf "$P" "$T/started"
		mkdir "$P"
		cd "$P"
		sh "$T/prepare" >"$T/made" 2>&1 </dev/null || :
		[ -d .git/rebase-merge ] && [ -d .git/worktrees/tree/sequencer ] || complain "$(cat "$T/made")"
		# shellcheck disable=SC2086 # a command and its options
		$run sh "$T/plant" >"$T/planted" 2>&1 </dev/null
		sh -c "$use" >"$T/used" 2>&1 </dev/null || :
		[ -n "$run" ] || [ -e "$T/started" ] || complain 'a planted setting started a program' "$(cat "$T/used")"
	done
	[ ! -e "$T/started" ] || complain 'started' "$(cat "$T/planted" "$T/used")"
	[ ! -d .git/rebase-merge ] || complain "$(cat "$T/planted" "$T/used")"
}
