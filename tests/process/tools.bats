#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Everyday tools under the default policy. Each command runs bare and confined from the same state,
# and must have the same status, output and files.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

teardown()
{
	[ -z "${started:-}" ] || kill "$started"
}

# names: what lies in the project; git's own folders hold names made of times.
names()
{
	find . -name .git -prune -o -printf '%y %m %p %l\n' | sort
}

# restart: the project as it was when the comparison began.
restart()
{
	find . -mindepth 1 -delete
	cp -a "$T/start/." .
}

# same SCRIPT [OPTION...]: bare and confined alike: status, standard output and error, files. With -q, because
# some tools try to write to the home and go on, and cordon counts that in a line.
same()
{
	local script=$1 bare=0 what

	shift
	rm -rf "$T/start"
	cp -a . "$T/start"
	timeout 200 sh -c "$script" >"$T/bare.out" 2>"$T/bare.err" </dev/null || bare=$?
	names >"$T/bare.names"
	restart
	status=0
	timeout 200 "$CORDON" run -q "$@" -- sh -c "$script" >"$T/out" 2>"$T/err" </dev/null || status=$?
	names >"$T/names"
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq "$bare" ] || complain "bare: $bare" "$(cat "$T/bare.err")" || return 1
	for what in out err names; do
		diff "$T/bare.$what" "$T/$what" >&2 || complain "not as bare: $script" || return 1
	done
}

# works SCRIPT [OPTION...]: the same, and it succeeds.
works()
{
	same "$@" && { [ "$status" -eq 0 ] || complain "fails bare as well: $1"; }
}

# The user's own settings, which most people have.
git_home()
{
	git config --global user.name Somebody
	git config --global user.email somebody@example.org
	git config --global init.defaultBranch main
	mkdir -p "$XDG_CONFIG_HOME/git"
	echo '*.ignored' >"$XDG_CONFIG_HOME/git/ignore"
}

repository()
{
	git_home
	rm -rf .git
	git init -q .
	printf '1\n2\n3\n' >file
	git add file
	GIT_AUTHOR_DATE='@1700000000 +0000' GIT_COMMITTER_DATE='@1700000000 +0000' git commit -qm first
}

# ---- git ----

@test "git status, log, diff" {
	repository
	echo 4 >>file
	echo new >new
	echo x >x.ignored
	works 'git status'
	said 'modified:   file' new
	unsaid x.ignored
	works 'git log --stat'
	said 'Somebody <somebody@example.org>' first
	works 'git diff'
	said +4
	works 'git status --porcelain && git show --name-only && git blame HEAD -- file && git grep -n 2'
}

@test "git add, commit, branch, merge, stash, rebase" {
	repository
	works 'git checkout -qb side && echo s >side && git add side && git commit -qm side &&
		git checkout -q main && echo 4 >>file && git commit -qam main &&
		git merge -q side -m merged && git log --format=%s --topo-order'
	said merged side main first
	works 'echo 5 >>file && git stash -q && git diff --exit-code && git stash pop -q && git diff --stat'
	works 'git checkout -qb other HEAD~1 && echo o >other && git add . && git commit -qm other &&
		git rebase -q main && git log --format=%s main..other && git gc -q && git fsck >/dev/null'
}

@test "git init, clone, worktree" {
	git_home
	works 'rm -rf .git; git init -q new && cd new && echo x >x && git add x && git commit -qm x &&
		git clone -q . ../copy 2>/dev/null && cd ../copy && git log --format=%s &&
		git worktree add -q ../tree 2>/dev/null && cat ../tree/x && git worktree list | wc -l'
	said x 2
}

# ---- building ----

c_project()
{
	mkdir -p src tests
	printf 'int area(int, int);\n' >src/shape.h
	printf '#include "shape.h"\nint area(int a, int b) { return a * b; }\n' >src/area.c
	printf '#include <stdio.h>\n#include "shape.h"\nint main(void) { printf("%%d\\n", area(6, 7)); return 0; }\n' \
		>src/main.c
	printf '#include <assert.h>\n#include "../src/shape.h"\nint main(void) { assert(area(2, 3) == 6); return 0; }\n' \
		>tests/area.c
	cat >Makefile <<-'END'
		.RECIPEPREFIX = >
		CFLAGS = -O1 -g -Wall
		all: app shared
		libshape.a: src/area.o
		> $(AR) rcs $@ $^
		libshape.so: src/area.c
		> $(CC) $(CFLAGS) -shared -fPIC -o $@ $<
		app: src/main.o libshape.a
		> $(CC) -o $@ $^
		shared: src/main.o libshape.so
		> $(CC) -o $@ src/main.o -L. -lshape -Wl,-rpath,$(CURDIR)
		check: all tests/area.c
		> $(CC) $(CFLAGS) -o tests/area tests/area.c libshape.a
		> ./tests/area && ./app && ./shared
		clean:
		> rm -f src/*.o libshape.* app shared tests/area
	END
}

# R55 differs: the kernel asks for it for programs and their loader only
@test "gcc and make: objects, libraries, a test" {
	c_project
	works 'make -s -j2 check'
	said 42
	works 'make -s check && touch src/area.c && make -s check && make -s clean'
	works 'gcc -E src/main.c | tail -1 && gcc -S -o - src/area.c | grep -c area'
	works 'gcc -O2 -flto -o lto src/*.c && ./lto && nm lto | grep -c main'
	printf 'int main(void) { return no; }\n' >src/main.c
	same 'make -s check'
	[ "$status" -ne 0 ]
	heard 'src/main.c'
}

# ---- languages ----

@test "python: pools, queues, locks and shared memory between processes" {
	cat >m.py <<-'END'
		import multiprocessing
		from multiprocessing import shared_memory

		def square(x):
		    return x * x

		def fill(name):
		    memory = shared_memory.SharedMemory(name)
		    memory.buf[0] = 9
		    memory.close()

		if __name__ == "__main__":
		    for method in "fork", "spawn", "forkserver":
		        context = multiprocessing.get_context(method)
		        with context.Pool(2) as pool:
		            print(method, pool.map(square, range(5)))
		        queue, lock = context.Queue(), context.Lock()
		        with lock:
		            process = context.Process(target=queue.put, args=("queued",))
		            process.start()
		            print(queue.get())
		            process.join()
		        memory = shared_memory.SharedMemory(create=True, size=64)
		        process = context.Process(target=fill, args=(memory.name,))
		        process.start()
		        process.join()
		        print(memory.buf[0])
		        memory.close()
		        memory.unlink()
	END
	works "$PYTHON m.py"
	said 'fork [0, 1, 4, 9, 16]' 'spawn [0' 'forkserver [0' queued 9
	# the terminal's default has it as well
	status=0
	SHELL=/bin/sh "$CORDON" shell >"$T/out" 2>"$T/err" < <(echo "exec $PYTHON m.py") || status=$?
	[ "$status" -eq 0 ] || complain "$(cat "$T/out" "$T/err")"
	cmp "$T/bare.out" "$T/out"
}

@test "shared memory: created and opened by name, not listed, nothing else created there" {
	name=/dev/shm/tools-bats-$$-$BATS_TEST_NUMBER
	works "echo x >$name && cat 0<>$name && echo y >>$name && mv $name $name.2 && rm $name.2"
	ls /dev/shm >/dev/null
	for script in 'ls /dev/shm' "mkdir $name && rmdir $name" "ln -s x $name && rm $name" "mkfifo $name && rm $name"; do
		sh -c "$script" >/dev/null || complain "fails bare: $script"
		expect 9 run -- sh -c "( $script ) 2>/dev/null || exit 9"
		unsaid tools-bats
	done
	denied create "$name" -p strict
	[ ! -e "$name" ]
}

@test "python: temporary files, asyncio, sqlite, subprocesses" {
	cat >p.py <<-'END'
		import asyncio, os, sqlite3, subprocess, tempfile
		with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryDirectory() as d:
		    print(os.path.exists(f.name), os.path.isdir(d))
		async def main():
		    process = await asyncio.create_subprocess_exec("cat", stdin=-1, stdout=-1)
		    print((await process.communicate(b"through\n"))[0].decode(), end="")
		asyncio.run(main())
		print(sqlite3.connect("p.db").execute("select 40 + 2").fetchone())
		print(subprocess.run("echo $0", shell=True, capture_output=True, text=True).stdout, end="")
	END
	works "$PYTHON p.py"
	said 'True True' through '(42,)'
}

@test "node: files, workers, children, also where it probes for io_uring" {
	cat >n.js <<-'END'
		const fs = require("fs"), { Worker } = require("worker_threads");
		(async () => {
			await fs.promises.writeFile("made", "written\n");
			console.log((await fs.promises.readFile("made", "utf8")).trim());
			console.log((await fs.promises.stat("made")).size);
			console.log(require("child_process").execFileSync("echo", ["child"]).toString().trim());
			new Worker('require("worker_threads").parentPort.postMessage("worker")', { eval: true })
				.on("message", console.log);
		})();
	END
	works 'node n.js'
	said written child worker
	rm -f made
	works 'UV_USE_IO_URING=1 node n.js'
	said written child worker
}

# A package that depends on one in a tarball, with its lock file.
npm_project()
{
	mkdir package
	printf '{"name": "dep", "version": "1.0.0", "main": "index.js", "bin": {"dep": "cli.js"}}\n' >package/package.json
	printf 'module.exports = 42;\n' >package/index.js
	printf '#!/usr/bin/env node\nconsole.log("dep says", require("."));\n' >package/cli.js
	tar -czf dep-1.0.0.tgz package
	rm -r package
	cat >package.json <<-'END'
		{"name": "app", "version": "1.0.0", "dependencies": {"dep": "file:dep-1.0.0.tgz"},
		 "scripts": {"test": "dep && node -p \"require('dep')\""}}
	END
	cat >package-lock.json <<-'END'
		{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
		 "": {"name": "app", "version": "1.0.0", "dependencies": {"dep": "file:dep-1.0.0.tgz"}},
		 "node_modules/dep": {"version": "1.0.0", "resolved": "file:dep-1.0.0.tgz", "bin": {"dep": "cli.js"}}}}
	END
}

@test "npm ci from a tarball, npm test" {
	npm_project
	cat >.npmrc <<-'END'
		offline = true
		audit = false
		fund = false
		update-notifier = false
	END
	works 'npm ci --cache ./cache >/dev/null && npm test --silent && rm -r cache'
	said 'dep says 42'
	# with the profile for it the user's cache is used
	mkdir -p "$HOME/.npm/_cacache" "$HOME/.npm/_logs"
	works 'npm ci >/dev/null && npm test --silent' -p node
	[ -n "$(ls "$HOME/.npm/_cacache")" ]
}

@test "perl, awk, sed -i" {
	printf 'one\ntwo\n' >f
	works 'perl -ne "print uc" f && perl -MFile::Temp=tempfile -e "print((tempfile(UNLINK => 1))[1] ne q())"'
	said ONE
	works 'perl -pi -e "s/one/1/" f && sed -i -e "s/two/2/" f && cat f && awk "{ n += \$1 } END { print n }" f'
	said 3
}

@test "bash: here documents, substitutions, jobs" {
	cat >s.sh <<-'END'
		cat <<-EOF
		here $((6 * 7))
		EOF
		cat <<<string
		diff <(echo a) <(echo b)
		sleep 0 & wait $!
		coproc cat; echo co >&"${COPROC[1]}"; read -r line <&"${COPROC[0]}"; echo "$line"
		mapfile -t all < <(seq 3); echo "${#all[@]}"
	END
	works 'bash s.sh'
	said 'here 42' string '> b' co 3
}

# ---- text and files ----

@test "ripgrep, grep, find, xargs" {
	mkdir -p a/b
	seq 100 >a/b/numbers
	printf 'needle\n' >a/hay
	works 'rg -n --sort path needle && rg --sort path -c 1 && rg --files | sort'
	said a/hay:1:needle
	works 'grep -rn needle . && find . -name numbers -exec wc -l {} + && find . -type f -print0 | sort -z | xargs -0 -P 2 -n 1 wc -c | sort'
	works 'find . -name hay -delete && find a -type f'
}

@test "sort with temporary files" {
	"$PYTHON" -c '
import random
random.seed(7)
print(*(random.randrange(10**9) for _ in range(300000)), sep="\n")' >numbers
	works 'sort -n -S 1M numbers | cksum && sort -u -S 1M --parallel=2 -o sorted numbers && cksum <sorted'
	# it did need them
	only=$(TMPDIR=/nonexistent sort -S 1M numbers 2>&1 >/dev/null || true)
	[ -n "$only" ]
}

@test "tar, gzip, patch, diff" {
	mkdir d
	printf 'a\nb\nc\n' >d/f
	ln -s f d/l
	chmod 755 d/f
	works 'tar -czf d.tgz d && rm -r d && tar -xzf d.tgz && ls d && tar -tzf d.tgz && gzip -t d.tgz'
	works 'cp d/f d/g && sed -i s/b/B/ d/g && diff -u --label a --label b d/f d/g >p; cat p; patch d/f <p && cat d/f'
	said B
	works 'diff -u --label a --label b d/f /dev/null >p; patch -R -p0 --dry-run d/f <p; git apply --check p; true'
}

@test "sqlite3: tables, transactions, a write-ahead log" {
	works 'sqlite3 t.db "pragma journal_mode=wal; create table t(a); begin; insert into t values(1), (2); commit; select sum(a) from t; vacuum"'
	said wal 3
}

@test "less and man" {
	seq 500 >f
	works 'less f | cksum'
	cat >page.1 <<-'END'
		.TH PAGE 1
		.SH NAME
		page \- found by name
		.SH DESCRIPTION
		Formatted by
		.BR troff .
	END
	works 'man ./page.1'
	said 'page - found by name'
	head -n 5 f >few
	in_terminal 'TERM=xterm less -FX few'
	bare=$out
	in_terminal "TERM=xterm '$CORDON' run -q -- less -FX few"
	[ "$out" = "$bare" ] || complain "bare: $bare"
	said 5
}

# ---- temporary files, for programs that ignore TMPDIR ----

@test "tmpfile: an unnamed file in /tmp, and no other" {
	cat >t.py <<-'END'
		import ctypes, os, sys
		ctypes.CDLL(None).tmpfile.restype = ctypes.c_void_p
		print("tmpfile", ctypes.CDLL(None).tmpfile() is not None)
		old = os.umask(0o027)
		for extra in (0, os.O_APPEND, os.O_NOFOLLOW):
		    fd = os.open("/tmp", os.O_TMPFILE | os.O_EXCL | os.O_RDWR | extra, 0o666)
		    at = os.fstat(fd)
		    os.write(fd, b"text")
		    print(os.pread(fd, 9, 0), oct(at.st_mode), at.st_nlink, at.st_uid == os.getuid())
	END
	works "$PYTHON t.py"
	cat >t.py <<-'END'
		import os, sys
		for folder, extra in (("/tmp", 0), ("/var/tmp", os.O_EXCL), ("/etc", os.O_EXCL), ("..", os.O_EXCL)):
		    try:
		        os.open(folder, os.O_TMPFILE | os.O_RDWR | extra, 0o600)
		        print("made in", folder)
		    except PermissionError:
		        pass
		fd = os.open("/tmp", os.O_TMPFILE | os.O_EXCL | os.O_RDWR, 0o600)
		try:
		    os.link("/proc/self/fd/%d" % fd, "named", follow_symlinks=True)
		    print("named")
		except OSError:
		    pass
	END
	expect 0 run -- "$PYTHON" t.py
	[ -z "$out" ] || complain 'made where it may not be'
	[ ! -e named ]
}

@test "tmux creates its socket in the private folder" {
	works 'tmux -L cordon$$ -f /dev/null new -d sh -c "echo inside >o; exec sleep 50" &&
		while [ ! -s o ]; do sleep .05; done; cat o; tmux -L cordon$$ kill-server'
}

@test "Java: temporary files" {
	command -v javac >/dev/null || skip 'no javac'
	cat >Tmp.java <<-'END'
		import java.io.File;
		import java.nio.file.Files;

		public class Tmp {
			public static void main(String[] words) throws Exception {
				File file = File.createTempFile("name", null);
				System.out.println(file.exists() && Files.createTempDirectory("d").toFile().delete());
				file.delete();
			}
		}
	END
	javac Tmp.java
	[ "$(java -cp . Tmp)" = true ]
	expect 0 run -p java -- java -cp . Tmp
	[ "$out" = true ]
}

@test "dpkg: which package has a file" {
	command -v dpkg-query >/dev/null || skip 'no dpkg'
	[ -e /var/lib/dpkg/info/bash.list ] || skip 'not a system of its own'
	works 'dpkg-query -W bash && dpkg-query -L bash | wc -l && dpkg-query -S /etc/skel/.bashrc'
	expect 1 run -- touch /var/lib/dpkg/status
}

# ---- processes ----

@test "ps, nproc, id, df, timeout, nohup, flock" {
	works 'nproc && id && df . | wc -l && timeout 5 echo in time && nohup echo on && flock lock echo locked'
	works 'ps -o comm= -p $$'
	same 'timeout 0.1 sleep 30'
	[ "$status" -eq 124 ]
}

@test "gdb on its own child" {
	cat >g.c <<-'END'
		static int twice(int x) { return 2 * x; }
		int main(void) { return twice(21) != 42; }
	END
	gcc -g -O0 -o g g.c
	cat >commands <<-'END'
		set confirm off
		break twice
		run
		backtrace
		print x
		finish
		continue
	END
	for run in bare confined; do
		status=0
		set --
		[ "$run" = bare ] || set -- "$CORDON" run --
		# where memory cannot be opened it warns, and uses the other way
		timeout 120 "$@" gdb -q -nx -batch -x commands ./g >"$T/gdb" 2>&1 </dev/null || status=$?
		grep -E '^(#[01]|\$[12] =|Value returned|\[Inferior 1 .* exited normally)' "$T/gdb" |
			sed 's/(process [0-9]*)//' >"$T/$run"
		[ "$status" -eq 0 ] || complain "$run" "$(cat "$T/gdb")"
	done
	diff "$T/bare" "$T/confined"
	[ "$(wc -l <"$T/bare")" -ge 4 ] || complain "$(cat "$T/gdb")"
}

@test "strace: its own child is traced, others are refused with a message" {
	works 'strace -f -qq -o trace -e trace=execve,openat sh -c "/bin/cat /dev/null; exit 7"; code=$?
		grep -c execve trace; rm trace; exit $((code - 7))'
	sleep 120 3>&- &
	started=$!
	expect 1 run -- timeout 50 strace -p "$started"
	heard attach 'not permitted'
}
