#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Protected names that come by the index or a commit: they are listed when the run ends, and by
# `cordon check --ref`. git is used for the list, and no program of the repository is run.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

plant='stage() { git update-index --add --cacheinfo "$1,$(printf "$2" | git hash-object -w --stdin),$3"; }'
everything='
	stage 100644 "export X=1\n" .envrc; stage 100644 "{}" .vscode/tasks.json; stage 100644 "{}" sub/.claude/settings.json
	stage 100644 "{}" .cordon.json; stage 120000 .git/hooks plain; stage 120000 ../.git/config sub/link; stage 120000 .vscode other
	stage 120000 elsewhere .kiro; stage 100644 "[submodule \"s\"]\n\tpath = s\n\turl = ssh://h/x\n\tupdate = !touch x\n" .gitmodules
	stage 100644 "ref: refs/heads/x\n" bare/HEAD; stage 100755 "x" bare/hooks/post-receive; stage 100644 "[core]\n" x.git/config'
names='.envrc .vscode/tasks.json sub/.claude/settings.json .cordon.json plain sub/link other .kiro .gitmodules bare/hooks/post-receive x.git/config'

prepare()
{
	rm -rf "$P" && mkdir "$P" && cd "$P" || return 1
	{ git init . && mkdir sub && echo a >a && echo 'A=1' >.envrc && git add . && git commit -m a; } >"$T/made" 2>&1
}

# reported WHAT NAME...: each is in the events, in the log and nothing else of that kind is
reported()
{
	local what=$1 name

	shift
	for name in "$@"; do
		grep -q "\"event\": \"planted\".*\"what\": \"$what\", \"subject\": \"$P/$name\"" "$T/status" ||
		    complain "not reported: $what $name: $(cat "$T/status")" || return 1
	done
	[ "$(grep -c "\"what\": \"$what\"" "$T/status")" -eq $# ] || complain "$(cat "$T/status")" || return 1
	[ $# -eq 0 ] || grep -rq "\"what\": \"$what\"" "$XDG_STATE_HOME/cordon/audit"
}

# events COMMAND: what is reported about it
events()
{
	exec 5>"$T/status"
	expect 0 run --summary --status-fd 5 -- sh -ec "$plant
$1" || return 1
	exec 5>&-
}

@test "protected names that a command commits or stages are reported at the end" {
	begin
	prepare
	events "$everything"
	# shellcheck disable=SC2086 # a list
	reported staged $names
	heard "runs later: staged $P/.envrc: direnv runs it; a checkout of the index brings it"
	prepare
	events "$everything; git commit -qm x; git read-tree HEAD^"
	# shellcheck disable=SC2086 # a list
	reported committed $names
	prepare
	events "$everything; git commit -qm x; git branch other; git reset -q --soft HEAD^; git read-tree HEAD; git reflog expire --expire=now --all; rm -rf .git/logs .git/ORIG_HEAD"
	# shellcheck disable=SC2086 # a list
	reported committed $names
	heard 'a checkout of refs/heads/other brings it'
	prepare
	events "$everything; git commit -qm x; git tag -a -m v v; git reset -q --soft HEAD^; git read-tree HEAD; rm .git/ORIG_HEAD; git pack-refs --all"
	# shellcheck disable=SC2086 # a list
	reported committed $names
	heard 'a checkout of refs/tags/v brings it'
}

# A folder with HEAD, objects and refs is a repository, and git obeys its settings in it.
@test "settings of a repository that comes as a folder are reported, others are not" {
	begin
	repository='repository() { stage 100644 "ref: refs/heads/main\n" "$1/HEAD"; stage 100644 "" "$1/objects/x"; stage 100644 "" "$1/refs/x"; stage 100644 "" "$1/w/x"; }'
	evil='[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n\tworktree = w\n\tfsmonitor = touch started\n'
	# free, git runs it
	prepare
	sh -ec "$plant
$repository; repository one; stage 100644 '$evil' one/config; git checkout -q -- one; git -C one status || true" >"$T/free" 2>&1
	[ -e one/w/started ] || complain "not run: $(cat "$T/free")"
	prepare
	events "$repository; for i in one two Three four five six; do repository \$i; done; stage 100644 '$evil' one/config; stage 100644 '../plain' two/commondir
		stage 100644 '$evil' Three/CONFIG; stage 100644 '$evil' four/config.worktree; stage 100644 '[core]\n\tworktree = /\n' five/config
		stage 100644 '[core]\n\tbare = true\n' six/config; stage 100644 '$evil' plain/config; stage 100644 x plain/commondir"
	reported staged one/config two/commondir Three/CONFIG four/config.worktree five/config
	# one that is in the working tree as it is
	rm -rf "$P/.git" && prepare && git init -q --bare bare && rm -rf bare/hooks && git -C bare config core.fsmonitor x && echo x >bare/refs/x && echo x >bare/objects/x
	events 'git add bare; git commit -qm bare'
	reported committed
	expect 0 check --ref HEAD
	said 'HEAD:bare/config: note: core.fsmonitor is not known to be harmless; it is the same in the working tree'
}

@test "all kinds of refs, also those of linked worktrees, are checked" {
	begin
	mk='mk() { git commit-tree -m "$1" $(printf "100644 blob $(echo $1 | git hash-object -w --stdin)\t.envrc\n" | git mktree); }'
	for script in 'git update-ref refs/x/y $(mk 1)' 'mk 2 >.git/refs/heads/direct' 'echo "$(mk 3) refs/heads/p" >>.git/packed-refs' \
	    'git tag t $(mk 4); git pack-refs --all' 'mkdir .git/w; mk 5 >.git/w/deep; mv .git/w .git/refs/heads/w' 'mk 6 >.git/FETCH_HEAD' \
	    'git worktree add -q --no-checkout --detach wt; git -C wt update-ref HEAD $(mk 7)' 'git replace HEAD $(mk 9)' \
	    'git worktree add -q --no-checkout wt; cd wt; git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),.envrc' \
	    'git stash store $(git commit-tree -m 8 -p HEAD -p $(mk 8) $(mk 8)^{tree})' 'git replace $(git rev-parse HEAD:.envrc) $(echo x | git hash-object -w --stdin)' \
	    'c=$(git commit-tree -m x $(git mktree </dev/null)); git replace $c $(mk 12); git branch new $c' \
	    'mk 10 | tr a-f A-F >.git/refs/heads/upper' '{ mk 11; head -c 9000 /dev/zero | tr "\0" " "; } >.git/refs/heads/long' \
	    'mkdir .git/w; mk 13 >.git/w/deep; ln -s ../../w .git/refs/heads/w' 'mk 14 >.git/w; ln -s ../../w .git/refs/heads/w' \
	    'mkdir .git/lfs; mk 15 >.git/lfs/x; echo "ref: lfs/x" >.git/refs/heads/w' 'mk 10 >x; mv x .git/refs/remotes-like'; do
		prepare
		events "$mk
$script"
		grep -q "\"subject\": \"$P/.envrc\"" "$T/status" || complain "not reported: $script: $(cat "$T/status")" || return 1
	done
	prepare
	mkdir .git/lfs && git rev-parse HEAD >.git/lfs/x && echo 'ref: lfs/x' >.git/refs/heads/w
	sleep 0.1
	events "$mk
mk 1 >.git/lfs/x"
	reported committed .envrc
	# one that was prepared before, where no ref is
	prepare
	(eval "$mk"; mkdir .git/w && mk 5 >.git/w/deep)
	sleep 0.1
	events 'mv .git/w .git/refs/heads/w'
	reported committed .envrc
}

@test "unchanged entries of the working tree and ordinary work are not reported" {
	begin
	prepare
	ln -s a link && mkdir .vscode && echo '{}' >.vscode/settings.json && git add . && git commit -qm b
	events 'echo b >>a; ln -s sub/x more; git add a more; git commit -qm c; git checkout -q -b two; git tag t; git stash list; git gc -q
		git rm -q --cached .envrc; git commit -qm d; mkdir hooks; echo x >hooks/pre-commit; git add hooks; git commit -qm e'
	reported committed
	reported staged
	events 'true'
	silent
	# another content, and one whose object is not what its name says
	events 'stage 100644 "A=2\n" .envrc'
	reported staged .envrc
	prepare
	events 'object=$(git rev-parse HEAD:.envrc); file=.git/objects/${object%"${object#??}"}/${object#??}
		evil=$(printf "A=2\n" | git hash-object -w --stdin); rm -f $file; cp .git/objects/${evil%"${evil#??}"}/${evil#??} $file; echo b >b; git add b; git commit -qm b'
	reported committed .envrc
}

@test "cordon check --ref checks a ref and has the statuses of a policy check" {
	begin
	prepare
	expect 0 check --ref HEAD
	said 'HEAD:.envrc: note: direnv runs it; it is the same in the working tree'
	expect 0 run -q -- sh -ec "$plant
$everything; git commit -qm x; git branch evil; git reset -q --soft HEAD^; git read-tree HEAD"
	expect 1 check --ref evil
	for name in $names; do
		[[ $out = *"evil:$name: warning: "*"; a checkout brings it"* ]] || complain "$name" || return 1
	done
	[[ $out = *'evil:.gitmodules: warning: submodule.s.update can start a program; a checkout brings it'* ]]
	expect 1 check --ref evil --json
	printf '%s' "$out" | "$PYTHON" -c 'import json, sys; all = json.load(sys.stdin); assert len(all) == 11 and all[0]["severity"] == "warning", all'
	expect 1 check --ref refs/heads/evil
	expect 0 check --ref HEAD~0
	expect 125 check --ref evi
	[[ $err = *'evi is not a commit of this repository; did you mean evil?'* ]]
	expect 125 check --ref=--help
	[[ $err = *'is not a commit of this repository'* ]]
	expect 125 check --ref HEAD file
	expect 125 check --ref ''
	rm -rf .git
	expect 125 check --ref HEAD
	[[ $err = *'there is no git repository at '* ]]
}

@test "checking a ref starts no program of the repository, and no git from the project" {
	begin
	prepare
	printf '#!/bin/sh\ntouch %s/started\n' "$T" >"$T/evil" && chmod +x "$T/evil"
	cp "$T/evil" git
	git config core.fsmonitor "$T/evil"
	git config core.hooksPath "$T/hooks" && mkdir "$T/hooks" && cp "$T/evil" "$T/hooks/post-index-change"
	git config core.pager "$T/evil" && git config diff.external "$T/evil" && git config core.alternateRefsCommand "$T/evil"
	git config remote.o.url "ext::$T/evil" && git config extensions.partialClone o && git config remote.o.promisor true
	git config core.repositoryFormatVersion 1 && git config protocol.ext.allow always
	echo '* filter=x diff=x' >.gitattributes && git config filter.x.smudge "$T/evil" && git config filter.x.clean "$T/evil"
	object=$(git rev-parse HEAD:a) && rm -f "$T/started" ".git/objects/${object:0:2}/${object:2}"
	PATH="$P:.:$PATH" expect 0 check --ref HEAD
	[ ! -e "$T/started" ]
	expect 0 run -q -- sh -c 'git -c core.fsmonitor=false -c core.hooksPath=/dev/null commit -q --allow-empty -m x'
	[ ! -e "$T/started" ]
}

@test "a submodule at a protected name is reported, one at another name is not" {
	begin
	prepare
	events 'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),.vscode --cacheinfo 160000,$(git rev-parse HEAD),sub/.claude/x
		git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),library; git commit -qm x; git branch evil; git reset -q --soft HEAD^; git read-tree HEAD'
	reported committed .vscode sub/.claude/x
	expect 1 check --ref evil
	[[ $out = *'evil:.vscode: warning: '* && $out != *library* ]]
	# the path alone, also of a file that the command has put into the working tree; and contents that are missing
	prepare
	events 'git config -f .gitmodules submodule.x.path ./sub/../.vscode/y; git config -f .gitmodules submodule.x.url ssh://h/x; git add .gitmodules'
	reported staged .gitmodules
	heard 'submodule.x.path leads to what is protected'
	prepare
	events 'git update-index --add --cacheinfo 100644,1234567890123456789012345678901234567890,sub/.envrc'
	reported staged sub/.envrc
	# links before it do not push a name out of sight
	prepare
	events 'object=$(printf x | git hash-object -w --stdin); i=0
		while [ $((i += 1)) -le 4200 ]; do printf "120000 %s\t+%s\n" $object $i; done | git update-index --index-info; stage 100644 x sub/.envrc'
	[[ $err = *'not all changed refs could be checked'* ]]
	# ordinary submodules, and one of the user's own at such a name
	prepare
	git init -q "$T/library" && git -C "$T/library" commit -q --allow-empty -m l
	git submodule --quiet add "$T/library" .claude && git submodule --quiet add "$T/library" library && git commit -qm own
	events 'git -C library commit -q --allow-empty -m more; git add library; git commit -qm library; echo b >>a; git commit -qam b'
	reported committed
	reported staged
	expect 0 check --ref HEAD
}

@test "a ref is checked under every name that git may resolve, with and without replacement refs" {
	begin
	mk='mk() { git commit-tree -m x $(printf "100644 blob $(echo x | git hash-object -w --stdin)\t.envrc\n" | git mktree); }'
	for script in 'git branch feature $(mk); git tag feature' 'git tag feature $(mk); git branch feature' 'git branch feature $(mk); git rev-parse HEAD >.git/feature' \
	    'git branch feature; git update-ref refs/remotes/feature/HEAD $(mk)' 'git tag feature; git update-ref refs/remotes/origin/feature $(mk)' \
	    'git update-ref refs/remotes/origin/feature $(mk)' 'git branch feature; git update-ref refs/feature $(mk)' 'git branch feature; mk >.git/feature' \
	    'git branch feature; git replace HEAD $(mk)' 'git branch feature; git config core.useReplaceRefs false; git replace HEAD $(mk)' \
	    'git branch feature; git update-ref refs/replace/$(git rev-parse HEAD^{tree}) $(git rev-parse $(mk)^{tree})' \
	    'git branch feature; git replace $(git rev-parse HEAD:.envrc) $(echo x | git hash-object -w --stdin)' \
	    'git branch feature $(mk); git replace feature HEAD; git config core.useReplaceRefs true' 'git branch $(git rev-parse HEAD) $(mk); : feature'; do
		prepare
		expect 0 run -q -- sh -ec "$mk
$script"
		ref=feature
		[[ $script != *': feature' ]] || ref=$(git rev-parse --verify -q HEAD)
		expect 1 check --ref "$ref" || complain "$script" || return 1
		[[ $out = *':.envrc: warning: direnv runs it; a checkout brings it'* ]] || complain "$script" || return 1
	done
	prepare
	git branch feature && git tag feature && git replace --graft HEAD && git update-ref refs/remotes/origin/HEAD HEAD
	expect 0 check --ref feature
	[ "$out" = 'feature:.envrc: note: direnv runs it; it is the same in the working tree' ]
	expect 0 check --ref HEAD
}

@test "autostashes, todo lists, reflogs and other files with object ids are checked" {
	begin
	mk='mk() { git commit-tree -p HEAD -p HEAD -m "$1" $(printf "100644 blob $(echo $1 | git hash-object -w --stdin)\t.envrc\n" | git mktree); }'
	for script in 'mkdir .git/origin; mk 1 >.git/origin/main' 'mk 2 >.git/plain' 'mkdir .git/rebase-merge; mk 3 >.git/rebase-merge/autostash' \
	    'mkdir .git/rebase-merge; mk 4 >.git/rebase-merge/orig-head' 'mkdir .git/rebase-apply; mk 5 >.git/rebase-apply/orig-head' \
	    'mk 6 >.git/MERGE_AUTOSTASH' 'mkdir .git/sequencer; mk 7 >.git/sequencer/head' 'mkdir .git/rebase-merge; echo "pick $(mk 7 | cut -c1-9) x" >todo; mv todo .git/rebase-merge/git-rebase-todo' \
	    'mk 8 >.git/BISECT_START' 'mk 9 | cut -c1-8 >.git/BISECT_START' 'echo "v1-3-g$(mk 10 | cut -c1-8)" >.git/BISECT_START' \
	    'h=$(git rev-parse HEAD); echo "$h $h A <a@b> 1700000000 +0000	checkout: moving from $(mk 11) to main" >>.git/logs/HEAD' \
	    'git update-ref --create-reflog -m a refs/stash $(mk 12); git update-ref -m b refs/stash $(git rev-parse HEAD)' \
	    'git rev-parse $(mk 13)^{tree} >.git/AUTO_MERGE' 'git tag -am t t $(mk 14); git rev-parse t >.git/other; git tag -d t' \
	    'git worktree add -q --no-checkout wt; mkdir -p .git/worktrees/wt/refs/bisect; mk 15 >.git/worktrees/wt/refs/bisect/bad' \
	    'printf "%s\t\tbranch\n" $(git rev-parse HEAD) $(mk 16) >.git/FETCH_HEAD' 'mk 17 | tr a-f A-F >.git/plain' \
	    '{ t=$(git rev-parse $(mk 18)^{tree}); printf "40000 missing\0\022\064\022\064\022\064\022\064\022\064\022\064\022\064\022\064\022\064\022\064" |
		git hash-object --literally -t tree -w --stdin; echo $t; } >.git/plain'; do
		prepare
		events "$mk
$script"
		grep -q "\"subject\": \"$P/.envrc\"" "$T/status" || complain "not reported: $script: $(cat "$T/status")" || return 1
	done
	heard "a checkout of plain brings it"
	prepare
	events "$mk
	i=0; while [ \$((i += 1)) -le 40 ]; do git branch b\$i \$(git commit-tree -m \$i HEAD^{tree}); done; git branch z \$(mk 1); git pack-refs --all; rm -rf .git/logs"
	reported committed .envrc
	# one that was prepared before, and comes with its folder
	prepare
	(eval "$mk"; mkdir .git/w && mk 5 >.git/w/main)
	sleep 0.1
	events 'mv .git/w .git/origin'
	reported committed .envrc
}

@test "ordinary commits, rebases, merges, stashes and bisects are not reported" {
	begin
	prepare
	# also where older versions are in the log
	echo 'A=0' >.envrc && git commit -qam old && echo 'A=1' >.envrc && git commit -q --amend --allow-empty -am new && git checkout -q -b topic
	for i in 1 2 3 4 5; do echo "$i" >"f$i"; git add . && git commit -qm "$i"; done
	git checkout -q main && echo m >m && git add m && git commit -qm m && git tag -am v v
	events 'set +e; exec >/dev/null 2>&1; git checkout topic; git rebase main; git checkout main; git merge --no-ff -m merge topic; echo s >>m; git stash; git stash pop; git commit -am s
		git bisect start HEAD HEAD~4; git bisect good; git bisect reset; git cherry-pick --no-commit HEAD; git reset --hard; git worktree add wt; git -C wt commit --allow-empty -m w
		echo c >>m; git commit -am c; git revert --no-edit HEAD; echo d >>m; git stash; git checkout -b more HEAD~2; echo e >m; git commit -am e; git stash pop || git status; git add .; git update-ref refs/notes/x HEAD; git gc'
	reported committed
	reported staged
	[[ $err != *'could be checked'* ]]
	# in the midst of a rebase
	git reset -q --hard && git checkout -q main && echo 1 >m && git commit -qam x && git checkout -q -b other HEAD^ && echo 2 >m && git commit -qam y
	events 'git rebase main >/dev/null 2>&1 || true'
	reported committed
	reported staged
	events 'echo 3 >m; git add m; GIT_EDITOR=true git rebase --continue >/dev/null 2>&1'
	reported committed
	reported staged
}

# poison FOLDER TREE: writes the index with another tree for this folder; its entries stay
poison='poison() { git write-tree >/dev/null; python3 - "$(git rev-parse "HEAD:$1")" "$2" <<-"END"
	import hashlib, os, sys
	old, new = (bytes.fromhex(word) for word in sys.argv[1:])
	text = open(".git/index", "rb").read()[:-20]
	start = text.index(b"TREE")
	assert old in text[start:]
	text = text[:start] + text[start:].replace(old, new)
	open(".git/new", "wb").write(text + hashlib.sha1(text).digest())
	os.rename(".git/new", ".git/index")
	END
	}
	tree() { printf "100644 blob %s\t.envrc\n" $(echo x | git hash-object -w --stdin) | git mktree; }'

@test "cached trees and resolve-undo entries of an index are checked" {
	begin
	for script in 'poison sub $(tree)' 'poison "" $(tree)' 'git update-index --index-version 4; poison sub/deep $(tree)' 'poison sub $({ git ls-tree HEAD:sub; printf "160000 commit %s\t.vscode\n" $(git rev-parse HEAD); } | git mktree)'; do
		prepare
		mkdir sub/deep && echo b >sub/b && echo c >sub/deep/c && git add . && git commit -qm b
		events "$poison
$script; git diff --cached --exit-code"
		grep -q '"what": "staged".*a commit of the index brings it, by its cached trees' "$T/status" || complain "not reported: $script: $(cat "$T/status")" || return 1
	done
	# the next commit has it indeed
	echo n >n && git add n && git commit -qm n
	[[ $(git ls-tree -r --name-only HEAD) = *sub/.vscode* ]]
	prepare
	events 'object=$(echo x | git hash-object -w --stdin); printf "100644 %s 2\tsub/.envrc\n100644 %s 3\tsub/.envrc\n" $object $object | git update-index --index-info
		git update-index --force-remove sub/.envrc; git ls-files --resolve-undo | grep -q envrc'
	reported staged sub/.envrc
	# an index that is split: the file that holds the entries changes, and the index does not
	prepare
	for i in 1 2 3; do echo "$i" >"sub/xenvrc$i"; done
	echo x >sub/xenvrc && git add . && git commit -qm b && git update-index --split-index
	sleep 0.1
	events 'python3 -c "import sys; f = open(sys.argv[1], \"r+b\"); t = f.read(); assert b\"sub/xenvrc\\0\" in t; f.seek(0); f.write(t.replace(b\"sub/xenvrc\\0\", b\"sub/.envrc\\0\"))" .git/sharedindex.*'
	reported staged sub/.envrc
}

@test "a FIFO in place of a git file delays neither check nor the end, and nothing is left" {
	rm -rf .git
	git init -q . && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x
	"$CORDON" run --status-fd 5 -- sh -c 'rm -f .git/packed-refs && mkfifo .git/packed-refs && git update-ref refs/heads/y HEAD 2>/dev/null & sleep 0.3; echo 1234567890123456789012345678901234567890 >.git/refs/heads/z; kill $!; exit 3' \
	    5>"$T/status" </dev/null >"$T/out" 2>"$T/err" 3>&- &
	started=$!
	until_true 60 grep -q '"event": "start"' "$T/status"
	sleep 1.5
	kill -TERM "$started" 2>/dev/null || :
	wait "$started" || :
	# whatever ends the launcher then, the end is reported, and git is not left behind
	grep -q '"event": "end"' "$T/status" || complain "$(cat "$T/status")"
	! pgrep -P 1 -f "$P" >/dev/null || complain 'git is left behind'
	CORDON_TIMEOUT=40 expect 125 check --ref HEAD
	heard 'git took too long to read HEAD'
	rm -f .git/packed-refs
}

# false_object SCRIPT FILE: bare it makes `other:.envrc` evil, or gives `other` another tree, without a change
# of a ref; confined FILE is reported.
false_object()
{
	local made="o=\$(git rev-parse other:.envrc) e=\$(git rev-parse other:evil) t=\$(git rev-parse other^{tree})
loose=.git/objects/\$(echo \$o | cut -c1-2)/\$(echo \$o | cut -c3-)
false() { '$PYTHON' '$TREE/tests/git/false_objects.py' \"\$@\"; }
" script=$1 file

	rm -rf "$T/ready" && cp -a "$P" "$T/ready"
	sh -ec "$made$script" >"$T/free" 2>&1 || complain "fails free: $script: $(cat "$T/free")" || return 1
	[ "$(git cat-file -p other:.envrc)" = evil ] || [ "$(git log -1 --format=%T other)" != "$(git rev-parse "other^{tree}")" ] || complain "not false, free: $script: $(cat "$T/free")" || return 1
	rm -rf "$P" && cp -a "$T/ready" "$P" && cd "$P" || return 1
	sleep 0.1
	exec 5>"$T/status"
	expect 0 run --summary --status-fd 5 --read "$TREE" -- sh -ec "$made$script" || return 1
	exec 5>&-
	eval "$made file=$2"
	grep -q "\"event\": \"planted\".*\"what\": \"replaced\", \"subject\": \"$P/$file\"" "$T/status" ||
	    complain "not reported: $file, $script: $(cat "$T/status")" || return 1
	heard "runs later: replaced $P/$file: "
	rm -rf "$P" && cp -a "$T/ready" "$P" && cd "$P" || return 1
}

# a branch `other` with files .envrc and evil, beside what is checked out
prepare_other()
{
	rm -rf "$P" && mkdir "$P" && cd "$P" || return 1
	{ git init -b main . && echo a >a && git add . && git commit -m a && git checkout -b other && echo 'A=1' >.envrc && echo evil >evil && git add . &&
	    git commit -m b && git checkout main && git log; } >"$T/made" 2>&1
}

@test "objects replaced under their names are reported, however git finds them" {
	begin
	prepare_other
	false_object 'false loose $loose evil' '$loose'
	false_object 'rm -f $loose; false loose x evil; mv x $loose' '$loose'
	false_object 'mkdir w; false loose w/${loose##*/} evil; rm -rf ${loose%/*}; mv w ${loose%/*}' '$loose'
	false_object 'cp -a .git/objects w; false loose w/${loose#.git/objects/} evil; mv .git/objects v; mv w .git/objects' '$loose'
	false_object 'git gc -q; false swap $(echo .git/objects/pack/*.idx) $o $e; rm -f .git/objects/pack/*.rev' '$(echo .git/objects/pack/*.pack)'
	# one that was written before the run, and is moved to its place
	mkdir "$P/w" && "$PYTHON" "$TREE/tests/git/false_objects.py" loose "$P/w/x" evil
	false_object 'd=${loose%/*}; mv w/x w/${loose##*/}; rm -rf $d; mv w $d' '$loose'
	# another name of it, from an earlier run
	rm -rf w && ln ".git/objects/$(git rev-parse other:.envrc | sed 's|^..|&/|')" y
	false_object 'false loose y evil' '$loose'
	rm y && git gc -q
	false_object 'git multi-pack-index write; rm -f .git/objects/pack/*.rev; false swap .git/objects/pack/multi-pack-index $o $e' .git/objects/pack/multi-pack-index
	false_object 'git commit-graph write --reachable; n=$(printf "100644 blob $e\t.envrc\n" | git mktree); false graph .git/objects/info/commit-graph $t $n' \
	    .git/objects/info/commit-graph
	# the content is right there, and another directory is read as well
	prepare_other
	mkdir -p far/"$(git rev-parse other:.envrc | cut -c1-2)"
	"$PYTHON" "$TREE/tests/git/false_objects.py" loose far/"$(git rev-parse other:.envrc | sed 's|^..|&/|')" evil
	false_object 'rm -f $loose; echo "$PWD/far" >.git/objects/info/alternates' .git/objects/info/alternates
}

@test "what git itself does to objects is not reported" {
	begin
	prepare_other
	for script in 'echo b >b; git add b; git commit -qm b' 'git gc -q' 'git repack -q -a -d -f' 'git multi-pack-index write; git commit-graph write --reachable' \
	    'git fetch -q . other; git branch x FETCH_HEAD; git merge -q -s ours other -m m' 'git unpack-objects -q <$(echo .git/objects/pack/*.pack)' 'git prune; git prune-packed' \
	    'git commit-graph write --reachable --split; git tag -a -m v v; git stash -q' 'echo c >>a; git stash -q; git gc -q --prune=now' \
	    'git init -q x; cd x; git commit -q --allow-empty -m x; mkdir objects; echo >objects/y'; do
		exec 5>"$T/status"
		expect 0 run --summary --status-fd 5 -- sh -ec "$script" || return 1
		exec 5>&-
		! grep -q replaced "$T/status" || complain "$script: $(cat "$T/status")" || return 1
		[ -z "$err" ] || [[ $err = *'.envrc'* ]] || complain "$script" || return 1
	done
	git fsck --full
}

@test "false objects of a repository with other names are reported, and large ones are read" {
	begin
	rm -rf "$P" && git init -q --object-format=sha256 -b main "$P" && cd "$P" && echo 'A=1' >.envrc && echo evil >evil && git add . && git commit -qm b
	git branch -q other && git rm -q --cached .envrc evil && git commit -qm c
	false_object 'false loose $loose evil' '$loose'
	prepare_other
	head -c 3000000 /dev/urandom >large
	exec 5>"$T/status"
	expect 0 run --summary --status-fd 5 -- sh -ec 'git add large; for i in $(seq 600); do echo $i >$i; done; git add .; git commit -qm all'
	exec 5>&-
	[ -z "$err" ] || complain || return 1
	# git would wait for a FIFO
	expect 0 run -- sh -c 'mkfifo .git/objects/aa/$(printf %038d 1) || mkdir .git/objects/aa && mkfifo .git/objects/aa/$(printf %038d 1); mkfifo .git/objects/pack/pack-1.idx'
	[ -z "$err" ] || [[ $err = *'not all changed objects could be looked at'* ]] || complain || return 1
}
