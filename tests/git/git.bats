#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The real git, inside and outside. Its everyday commands end as without cordon; files left by a
# command never make git start a program or use other paths, however they were written.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/git

# ---- what must work ----

@test "everyday git commands have the results of a bare run" {
	begin
	same '
		git init .; echo a >a; ln -s a link; git add a link; git commit -m a
		git checkout -b one; echo b >b; git add b; git commit -m b
		git checkout main; echo c >c; git add c; git commit -m c
		git merge -m merged one; git branch -m one two; git branch three
		git checkout three; echo d >d; git add d; git commit -m d; git rebase main
		echo e >>a; git stash; git stash pop; git commit -a -m e; git tag -a -m v1 v1
		git checkout main; git branch -D two; git reset --hard HEAD^; git status; git log --stat
		git config core.abbrev 12; git config branch.main.description text; git config --unset core.abbrev
		git config user.name "C D"; git gc; git fsck
	'
}

@test "clone, remote, fetch and push have the results of a bare run" {
	begin
	same '
		git init src; cd src; echo a >a; git add a; git commit -m a; cd ..
		git init --bare far.git; git init --bare odd
		cd src; git remote add far ../far.git; git push -u far main; git remote add odd ../odd; git push odd main
		git remote set-url odd ssh://git@example.com/x.git; git remote rename odd other; git remote remove other; cd ..
		git clone far.git copy; git clone src second; git clone --bare src third
		cd copy; git checkout -b new; echo b >b; git add b; git commit -m b; git push -u origin new; cd ..
		cd src; git fetch far; git checkout --track far/new; git pull --rebase; git branch -vv; cd ..
		git clone --depth 1 "file://$PWD/far.git" shallow
	'
}

@test "worktrees and submodules have the results of a bare run" {
	begin
	same '
		top=$PWD; git init lib; cd lib; echo l >l; git add l; git commit -m l; cd ..
		git init main; cd main; echo a >a; git add a; git commit -m a
		git worktree add one; git worktree add -b b two/inner; git worktree list
		cd one; echo o >o; git add o; git commit -m o; cd ..
		git worktree move two/inner moved; git config extensions.worktreeConfig true
		git -C moved config --worktree core.bare false; git -C moved status; git worktree remove --force moved; git worktree prune
		git submodule add "$top/lib" sub/lib; git commit -m sub
		git submodule deinit -f sub/lib; git submodule update --init; git mv sub/lib lib2; git commit -m moved
		cd lib2; git checkout -b config; echo m >m; git add m; git commit -m m; git push origin config; git checkout main; cd ..
		cd ../lib; git branch hooks; git branch info; cd ../main/lib2; git fetch; git worktree add -b w inner; git -C inner status; cd ..
		cd ../lib; git worktree add ../beside; git -C ../beside status; cd ../main
		git clone --recurse-submodules . copy; cd copy; git submodule update --remote --merge; git rm -f lib2; git commit -m gone
	'
}

# The order of git 2.44 and later; git before that writes HEAD first.
@test "a linked worktree gets its pointers before its HEAD, and only its own" {
	begin
	git init -q . && git commit -q --allow-empty -m x && git branch w && git clone -q --bare . evil
	git init -q --bare bare.git
	cat >later.py <<-'END'
		import os, sys
		repository, name, common = sys.argv[1:]
		admin = repository + "/worktrees/" + name
		os.makedirs(admin)
		os.mkdir(name)
		for path, text in ((admin + "/gitdir", os.path.abspath(name) + "/.git"),
		                   (admin + "/commondir", common), (admin + "/HEAD", "ref: refs/heads/w"),
		                   (name + "/.git", "gitdir: " + os.path.abspath(admin))):
		    with open(path, "w") as file:
		        file.write(text + "\n")
	END
	expect 0 run -- sh -c '"$0" later.py .git w ../.. && git -C w reset -q --hard && git -C w log -1 --format=%s' \
	    "$PYTHON"
	said x
	for pair in '.git ../../../evil' '.git ..' 'bare.git ../../../evil' 'bare.git /' 'evil ../..'; do
		expect 1 run -- "$PYTHON" later.py "${pair% *}" v "${pair#* }"
		heard 'PermissionError'
		[ ! -e "${pair% *}/worktrees/v/HEAD" ] || complain "$pair"
		rm -rf v "${pair% *}/worktrees/v"
	done
}

@test "a worktree and a submodule as the project" {
	begin
	repositories
	mv "$P" "$T/whole"
	cd "$T/whole"
	git worktree repair "$T/whole/tree" >/dev/null 2>&1
	for project in tree sub; do
		cd "$T/whole/$project"
		expect 0 run -- sh -ec "echo new >$project-new; git add $project-new; git commit -q -m new
			git checkout -q -b branch-$project; git config user.name N; git remote add r ssh://h/x
			! git config core.fsmonitor /planted"
		git status --porcelain >"$T/status"
		[ ! -s "$T/status" ] || complain "$(cat "$T/status")"
		[ "$(git config user.name)" = N ]
	done
}

@test "keys in the user's config stay, and git works with them" {
	begin
	git init . >/dev/null 2>&1
	git config alias.mine '!true'
	git config credential.helper store
	git config core.editor 'my editor'
	cp .git/config "$T/config"
	expect 0 run -- sh -ec 'git remote add o ssh://h/x; git config branch.x.rebase true
		git config core.abbrev 12; git remote remove o; git config --unset core.abbrev
		git config --remove-section branch.x; git config --unset credential.helper'
	[ "$(git config alias.mine):$(git config core.editor)" = '!true:my editor' ]
	cp "$T/config" .git/config
	for change in 'alias.mine !false' 'core.editor other' 'credential.helper other'; do
		# shellcheck disable=SC2086 # a key and its value
		expect 4 run -- git config $change
	done
	cmp .git/config "$T/config"
	# a rule that names the file itself grants it
	expect 0 run --write .git/config -- git config core.editor other
	[ "$(git config core.editor)" = other ]
}

# ---- what must not ----

keys="core.fsmonitor core.hooksPath core.sshCommand core.editor core.pager core.askPass core.gitProxy
	core.attributesFile core.alternateRefsCommand sequence.editor pager.log alias.st filter.f.clean
	filter.f.smudge filter.f.process diff.external diff.d.textconv diff.d.command difftool.d.cmd
	merge.d.driver mergetool.d.cmd credential.helper credential.https://h.helper include.path
	includeIf.gitdir:/.path url.x.insteadOf gpg.program gpg.ssh.program interactive.diffFilter
	sendemail.smtpServer protocol.ext.allow uploadpack.packObjectsHook gc.recentObjectsHook
	remote.o.uploadpack remote.o.receivepack remote.o.vcs remote.o.proxy submodule.s.update
	browser.b.cmd web.browser man.m.cmd instaweb.httpd trailer.t.command guitool.g.cmd core.worktree"

@test "git config cannot set a dangerous key, in any kind of repository" {
	begin
	repositories
	cat >try <<-'END'
		for dir in $1; do
			for key in $2; do
				git --git-dir="$dir" config "$key" /planted && echo "passed: $dir $key"
				git config -f "$dir/config.worktree" "$key" /planted && echo "passed: $dir worktree $key"
			done
			for url in 'ext::sh -c planted' planted::x planted://x --upload-pack=planted; do
				for key in remote.o.url remote.o.pushurl branch.main.remote branch.main.pushRemote \
				    remote.pushDefault submodule.s.url extensions.partialClone; do
					git --git-dir="$dir" config -- "$key" "$url" && echo "passed: $dir $key $url"
				done
				# a name is an argument, too: of the fetch that is started for a missing object
				git --git-dir="$dir" config -- "remote.$url.promisor" true && echo "passed: $dir $url"
			done
			git --git-dir="$dir" config remote.o.url "/dev/shm/planted-$$" && echo "passed: $dir shm"
			git --git-dir="$dir" config submodule.s.update '!planted' && echo "passed: $dir update"
		done
		git config -f .gitmodules submodule.sub.update '!planted' && echo 'passed: .gitmodules'
		git config -f .gitmodules core.fsmonitor planted && echo 'passed: .gitmodules core'
		echo tried
	END
	cp -a "$P" "$T/free-copy"
	(cd "$T/free-copy" && sh try '.git nested/.git' 'core.editor core.fsmonitor') >"$T/free" 2>&1 </dev/null
	[ "$(grep -c passed: "$T/free")" -ge 40 ]
	CORDON_TIMEOUT=300 expect 0 run -- sh try "$dirs" "$keys"
	[ "$out" = tried ] || complain 'something passed'
	! grep -rl planted --include=config --include=config.worktree --include=.gitmodules . || complain 'planted'
	git status >/dev/null
}

@test "settings cannot be changed by append, rename, link, a kept fd, or in pieces" {
	begin
	repositories
	passes ROUTES .git
	[ "$(grep -c passed: "$T/free")" -ge 40 ] || complain "$(cat "$T/free")"
	# shellcheck disable=SC2086 # a list
	attack ROUTES $dirs
}

@test "after close the fd number of a staged file can be used again" {
	mkdir -p .git one two
	cat >numbers.py <<-'END'
		import os, resource
		most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
		resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, most), most))

		def point(name):
		    fd = os.open(name, os.O_WRONLY | os.O_CREAT, 0o644)
		    os.write(fd, b"gitdir: ../.git\n")
		    os.close(fd)
		    return fd

		first = point("one/.git")
		mine = os.open("mine", os.O_RDWR | os.O_CREAT, 0o644)
		os.dup2(mine, first)
		point("two/.git")
		print("mine" if os.path.samestat(os.fstat(first), os.stat("mine")) else "another's")
	END
	expect 0 run -q -- "$PYTHON" numbers.py
	said mine
	cmp one/.git two/.git
}

@test "hooks and attributes cannot be created by any call at any depth" {
	begin
	repositories
	mkdir -p z/b/c/d/e
	git init z/b/c/d/e/deep >/dev/null 2>&1
	passes HOOKS .git
	[ "$(grep -c passed: "$T/free")" -ge 40 ] || complain "$(cat "$T/free")"
	# shellcheck disable=SC2086 # a list
	attack HOOKS $dirs z/b/c/d/e/deep/.git
	# a repository that is made inside
	expect 0 run -- sh -ec 'mkdir fresh; cd fresh; git init -q .; git init -q --bare other
		for hooks in .git/hooks other/hooks; do ! echo x 2>/dev/null >$hooks/pre-commit; done'
	[ -z "$(find . -path '*hooks/*' -not -name '*.sample')" ]
}

# A log that is a link to a start-up file would get a line, of the command's wording, for every commit.
@test "git does not write through a link created in the session" {
	begin
	git init -q . && echo a >a && git add a && git commit -qm a
	mkdir -p "$T/far"
	cat >links <<-'END'
		passes() { "$@" 2>/dev/null && echo "passed: $*"; }
		mkdir -p out/logs bare/logs bare/objects named/logs
		ln -s "$1/rc" out/link; ln -s "$1/rc" out/logs/HEAD; ln -s "$1/rc" bare/logs/HEAD; ln -s "$1/rc" named/logs/HEAD
		rm -f .git/logs/HEAD .git/index
		for text in "$1/rc" ../../other ../../../rc later/../../rc; do passes ln -s "$text" .git/logs/HEAD && rm .git/logs/HEAD; done
		for text in "$1/rc" ../other ../.git/../other; do passes ln -s "$text" .git/index && rm .git/index; done
		passes ln out/link .git/index && rm .git/index
		passes mv out/link .git/COMMIT_EDITMSG
		passes mv out/logs .git/other
		passes mv out .git/all
		passes mv named named.git
		echo 'ref: refs/heads/main' >head
		passes cp head bare/HEAD
		rm bare/logs/HEAD && cp head bare/HEAD
		passes ln -s "$1/rc" bare/logs/HEAD
		echo tried
	END
	cp -a "$P" "$T/copy"
	(cd "$T/copy" && sh links "$T/far" >"$T/free")
	[ "$(grep -c passed: "$T/free")" -eq 14 ] || complain "$(cat "$T/free")"
	expect 0 run -q -- sh links "$T/far"
	[ "$out" = tried ] || complain 'something passed'
	echo b >a && git add a && git commit -qm b
	[ -z "$(ls -A "$T/far")" ]
	# inside it, and beside it in a folder that is one, links are free
	expect 0 run -- sh -ec 'ln -s HEAD .git/same; ln -s ../../HEAD .git/refs/heads/up; ln -s /usr/bin bare/tree
		git init -q --bare odd; git clone -q . copy; git -C copy log -1'
}

@test "git pointers and links cannot lead to uninspected directories" {
	begin
	repositories
	ln -s / root
	mkdir "$HOME/.git"
	passes POINTERS .git nested/.git
	[ "$(grep -c passed: "$T/free")" -ge 10 ] || complain "$(cat "$T/free")"
	attack POINTERS .git nested/.git bare.git odd
	for script in 'git init --separate-git-dir="$TMPDIR/x" loose' 'git init --separate-git-dir=/dev/shm/x$$ loose' \
	    'git --git-dir=.git/modules/sub config core.worktree /' 'echo "gitdir: nested/.git" >loose' \
	    'mv nested/.git away' 'mv nested/.git nested/other' 'ln -s "$PWD/nested/.git" loose/.git' \
	    'mkdir evil && mv evil loose/.git' 'rm -r loose/.git; ln -s ../nested loose/.git'; do
		mkdir -p loose
		expect 0 run -- sh -c "( $script ) >/dev/null 2>&1; ls -d loose/.git nested/.git 2>&1 || :"
		[[ $out == *nested/.git* ]] || complain "gone: $script"
		[ ! -e loose/.git ] && [ ! -L loose/.git ] || complain "made: $script"
		rm -rf loose evil
	done
	[ "$(git --git-dir=.git/modules/sub config core.worktree)" = ../../../sub ]
}

@test "no link leads into the private tmp, however its target is spelt" {
	begin
	ln -s / top
	ln -s .. up
	mkdir -p d/e
	cat >links.py <<-'END'
		import os
		pid, tmp, up = os.getpid(), os.environ["TMPDIR"], "../" * (os.getcwd().count("/"))
		bad = [f"{start}proc/{pid}/cwd" for start in
		       ("/", "//", "/./", "/usr/../", "/proc/../", up, "top/", "./top//", "up/" + up[3:] + "../", "/proc/self/../../",
		        "/proc/self/root/", "/proc/thread-self/root/", "/proc/self/cwd/" + up, "/proc/sys/../../")]
		bad += [f"/proc/self/../{pid}/fd", f"/proc/{pid}", tmp, tmp + "/x", "/" + tmp, "top" + tmp + "/x", "top/." + tmp]
		good = ["/proc/self/fd/0", "/proc/self", "/usr/bin", "d", "../x", "top/usr", "/proc/mounts", f"proc/{pid}", str(pid)]

		def passes(make, text):
		    try:
		        make(text)
		        os.unlink("l")
		        return True
		    except PermissionError:
		        return False

		def move_in(text):
		    os.symlink(text, tmp + "/l")
		    try:
		        os.rename(tmp + "/l", "l")
		    except OSError:
		        os.unlink(tmp + "/l")
		        raise

		def move_up(text):
		    """From where it leads nowhere to where it does."""
		    if not text.startswith("../"):
		        raise PermissionError
		    if not os.path.lexists("d/e/l"):
		        os.symlink(text, "d/e/l")
		    os.rename("d/e", "e")
		    os.rename("e/l", "l")

		ways = {"symlink": lambda text: os.symlink(text, "l"), "move_in": move_in, "move_up": move_up}
		for name, make in ways.items():
		    for text in bad:
		        if passes(make, text):
		            print("passed:", name, text)
		for text in good:
		    if not passes(ways["symlink"], text):
		        print("refused:", text)
		print("tried")
	END
	expect 0 run -- "$PYTHON" links.py
	[ "$out" = tried ] || complain 'something passed'
}

@test "a repository is protected under any directory name" {
	begin
	passes REPOSITORIES
	[ "$(grep -c passed: "$T/free")" -ge 8 ] || complain "$(cat "$T/free")"
	attack REPOSITORIES
}

@test "a repository changed in a session starts no program when git runs outside" {
	begin
	repositories
	printf '#!/bin/sh\ntouch %s/started\n' "$T" >evil
	chmod +x evil
	cat >plant <<-'END'
		evil=$PWD/evil
		for dir in .git nested/.git bare.git odd .git/modules/sub; do
			git --git-dir=$dir config core.fsmonitor "$evil"
			printf '[core]\n\tfsmonitor = %s\n\tsshCommand = %s\n\tpager = %s\n[diff]\n\texternal = %s\n' \
			    "$evil" "$evil" "$evil" "$evil" >$dir/config.lock
			mv -f $dir/config.lock $dir/config
			cat $dir/config.lock >>$dir/config
			for hook in pre-commit post-commit post-checkout pre-push post-receive update; do
				cp "$evil" $dir/hooks/$hook
			done
			rm -f $dir/config.lock
			echo '* filter=x diff=x' >$dir/info/attributes
		done
		mkdir trap; (cd trap; mkdir objects refs hooks; cp "$evil" hooks/post-receive
			printf '[core]\n\tfsmonitor = %s\n' "$evil" >config; echo 'ref: refs/heads/main' >HEAD)
		git remote add trap trap
		git config remote.trap.url "$PWD/trap"
		mkdir led; echo "gitdir: $PWD/trap" >led/.git
		echo '* filter=x diff=x' >.gitattributes
		exit 0
	END
	use='(git status; echo more >>a; git diff HEAD; git add a; git commit -m x; git push trap main; git -C nested status
		git -C sub status; git -C odd log; git -C trap status; git -C led status; git push ../bare.git main
		git push odd main; git fetch ./trap; git submodule update) >/dev/null 2>&1 </dev/null || :'
	cp -a "$P" "$T/free-copy"
	(cd "$T/free-copy" && sed -i "s|$P|$T/free-copy|" plant && sh plant >/dev/null 2>&1 </dev/null && sh -c "$use")
	[ -e "$T/started" ] || complain 'a planted setting started a program'
	rm "$T/started"
	expect 0 run -- sh plant
	sh -c "$use"
	[ ! -e "$T/started" ] || complain 'started'
	git log --oneline | grep -q ' x$'
}

@test "a folder that becomes a repository during a write to it gets no hook" {
	cp "$TREE/tests/git/stale.py" .
	free=0
	"$PYTHON" stale.py 5 || free=$?
	[ "$free" -eq 1 ]
	rm -rf foo foo.git evil
	expect 0 run -- "$PYTHON" stale.py 1
}

# lose HOW: from a project inside another repository, by that way; the next run is where?
lose()
{
	rm -rf "$P" && mkdir -p "$P/beside" && cd "$P" || return 1
	git init . >"$T/made" 2>&1 && git commit --allow-empty -m a >>"$T/made" 2>&1 || return 1
	case $1 in
	file) git worktree add inner >>"$T/made" 2>&1 ;;
	*) git init inner >>"$T/made" 2>&1 ;;
	esac || return 1
	cd inner || return 1
	expect 0 plan && [ "$(sed -n 's/^project *//p' "$T/out")" = "$P/inner" ]
}

@test "a project inside another repository keeps its .git and stays the project" {
	local how way

	begin
	for how in folder file; do
		for way in 'rm -rf .git' 'mv .git was' 'mv .git ../was' \
		    'mkdir new && python3 -c "import os; os.rename(\".git\", \"new/x\")"'; do
			lose "$how" && sh -c "$way" >"$T/free" 2>&1
			[ ! -e .git ] || complain "not free: $how: $way" || return 1
			# this is what it would be good for
			expect 0 run -- sh -c 'echo x >../beside/x' || return 1
			lose "$how" || return 1
			expect 9 run -- sh -c "$way || exit 9" || return 1
			expect 9 run -- sh -c '{ echo x >../beside/x; } 2>/dev/null || exit 9' || return 1
		done
	done
	expect 1 why delete .git
	[[ $out = *'without it the next run would have the repository around'* ]]
	lose folder
	expect 0 run -- sh -c 'git commit --allow-empty -m b && git init . && git status'
	rm -rf ../.git
	expect 0 run -- rm -rf .git
}

# The first names nothing of git's before the second has set a remote; then it makes a link where that leads.
meeting_first='ln -s nowhere one; : >ready; while [ ! -e set ]; do :; done; rm -r far.git; ln -s nowhere far.git'
meeting_second='while [ ! -e ready ]; do :; done; git -C src config remote.o.url ../far.git && : >set'

@test "a session applies at once the git settings that another session wrote" {
	begin
	{ git init src && git init --bare far.git; } >"$T/made" 2>&1
	(timeout 60 sh -c "$meeting_second") & # free: the link is made
	timeout 60 sh -c "$meeting_first" && wait && [ -L far.git ]
	rm -f one ready set far.git && git -C src config --unset remote.o.url && git init --bare far.git >"$T/made" 2>&1
	(timeout 60 "$CORDON" run -q -- sh -c "$meeting_second") >"$T/second" 2>&1 &
	expect 1 run -q --time 50 -- sh -c "$meeting_first"
	wait
	[ "$(git -C src config remote.o.url)" = ../far.git ] && [ -e set ] && [ ! -L far.git ]
}

# Two sessions have two brokers: neither may make a repository while the other puts settings into it.
@test "a folder that becomes a repository during a write of another session gets no hook" {
	local way

	begin
	for way in config hooks/post-checkout; do
		mkdir -p r/objects r/refs r/hooks
		timeout 60 "$CORDON" run -q --time 5 -- sh -c '
			while :; do { echo "[core] fsmonitor = evil" >"r/$1"; } 2>/dev/null; done' sh "$way" >"$T/first" 2>&1 &
		expect 124 run -q --time 5 -- sh -c '
			while :; do
				rm -f r/HEAD "r/$1"
				{ echo "ref: refs/heads/x" >r/HEAD; } 2>/dev/null || continue
				if grep -q evil "r/$1" 2>/dev/null && [ -e r/HEAD ]; then echo passed; exit 9; fi
			done' sh "$way"
		wait
		rm -rf r
	done
}

# A repository that came with the project's own files, as a fixture of its tests may.
@test "git cannot be led through a link, to a missing directory, or to an uninspected repository" {
	begin
	git init -q . && mkdir -p fixtures/e/objects fixtures/e/refs
	echo 'ref: refs/heads/main' >fixtures/e/HEAD
	printf '[core]\n\tfsmonitor = /planted\n' >fixtures/e/config
	expect 0 run -- sh -c 'mkdir w a && ln -s a lnk
		printf "gitdir: ../lnk/e\n" >p && ! mv p w/.git && printf "gitdir: ../x/e\n" >p && ! mv p w/.git &&
		printf "gitdir: ../fixtures/e\n" >p && ! mv p w/.git && ! git config remote.o.url lnk/e &&
		! mv fixtures x && ! mv fixtures/e a/e && printf "gitdir: ../a\n" >p && ! mv p w/.git && mv a b'
	[ -e fixtures/e/HEAD ]
	[ ! -e w/.git ]
}
