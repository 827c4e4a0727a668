#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Cases found by attacks on the broker that no other suite has: paths that move while a sandbox
# starts, a broker that is stopped or out of fds, programs that it cannot inspect, other roots, file
# systems with calls of their own, an agent that signs.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

teardown()
{
	local process

	for process in ${started:-}; do
		kill -CONT "$process" 2>/dev/null || true
		kill -KILL "$process" 2>/dev/null || true
		wait "$process" 2>/dev/null || true
	done
	rm -rf "${O:-}"
}

@test "paths exchanged while sandboxes start do not change files outside" {
	TMPDIR=$T timeout 250 "$PYTHON" -B "$TREE/tests/attack/starts.py" 24 >"$T/out" 2>&1 || complain "$(cat "$T/out")"
}

@test "names exchanged during writes, renames and truncations lead nowhere else" {
	mkdir kept
	echo kept >kept/file
	cp "$TREE/tests/attack/attack.py" .
	expect 0 run --protect kept -- "$PYTHON" attack.py race_rounds 3000
	[ "$(cat kept/file)" = kept ]
}

waits()
{
	grep -q '^State:[[:space:]]*[SD]' "/proc/$1/status"
}

@test "while the guard is stopped no supervised call completes, and afterwards all do" {
	"$CORDON" run -- sh -c 'echo $$ >pid; echo up >up; until [ -e go ]; do :; done; echo made >made; echo rest >rest' 3>&- &
	started=$!
	until_true 60 test -s up
	guard=$(cat "/proc/$started/task/$started/children")
	guard=${guard%% *}
	# both: the launcher wakes a guard that was stopped
	kill -STOP "$started" "$guard"
	until_true 60 grep -q '^State:[[:space:]]*T' "/proc/$guard/status"
	touch go
	command=$(cat pid)
	until_true 60 waits "$command"
	sleep 0.3
	waits "$command"
	[ ! -e made ]
	kill -CONT "$guard" "$started"
	wait "$started"
	[ "$(cat made rest)" = "$(printf 'made\nrest')" ]
}

@test "without free descriptors the broker refuses, and serves again once there are some" {
	mkdir kept
	echo kept >kept/file
	cat >crowd.py <<-'END'
		import errno, os, threading, time
		# each waits for a reader, and uses a thread of the broker
		os.mkfifo("p")
		said = set()
		def wait():
		    try:
		        os.close(os.open("p", os.O_WRONLY))
		    except OSError as e:
		        said.add(errno.errorcode[e.errno])
		threads = [threading.Thread(target=wait, daemon=True) for _ in range(200)]
		for t in threads:
		    t.start()
		for i in range(300):
		    try:
		        os.close(os.open("kept/file", os.O_WRONLY))
		        print("opened what is protected")
		    except OSError:
		        pass
		    try:
		        os.close(os.open(f"n{i}", os.O_CREAT | os.O_WRONLY))
		    except OSError as e:
		        said.add(errno.errorcode[e.errno])
		while any(t.is_alive() for t in threads):
		    try:
		        fd = os.open("p", os.O_RDONLY | os.O_NONBLOCK)
		    except OSError:
		        fd = None
		    for t in threads[:40]:
		        t.join(0.01)
		    threads = [t for t in threads if t.is_alive()]
		    if fd is not None:
		        os.close(fd)
		deadline = time.monotonic() + 60
		while True:
		    try:
		        open("after", "w").write("served")
		        break
		    except OSError:
		        if time.monotonic() > deadline:
		            raise
		print(sorted(said - {"EMFILE", "EAGAIN", "ENFILE", "ENOMEM"}))
	END
	(ulimit -n 128 && expect 0 run --protect kept -- "$PYTHON" crowd.py && [ "$out" = '[]' ]) || complain "$(cat "$T/out" "$T/err")"
	[ "$(cat after kept/file)" = "servedkept" ]
}

@test "calls of a program that cannot be read are refused, and that is reported" {
	cp /bin/touch unread
	chmod 111 unread
	./unread free
	[ -e free ]
	status=0
	"$CORDON" run --status-fd 4 -- sh -c './unread made || exit 9' 4>"$T/status" 2>"$T/err" || status=$?
	[ "$status" -eq 9 ] && [ ! -e made ] || complain 'it made it'
	grep -q '"event": "refused".*"subject": "unread".*program whose file may not be read' "$T/status" || complain "$(cat "$T/status")"
	grep -q 'cordon: refused: open for unread: cordon cannot act for a program' "$T/err" || complain "$(cat "$T/err")"
}

# R70-R71 differs: no namespaces: a broker decides by path; the list of calls is longer
@test "chroot, namespaces and mounts are refused" {
	mkdir root
	cat >roots.py <<-'END'
		import ctypes, os
		libc = ctypes.CDLL(None, use_errno=True)
		folder = os.open(".", os.O_RDONLY)
		tries = {"chroot": lambda: libc.chroot(b"root"), "mounts": lambda: libc.unshare(0x20000),
		         "users": lambda: libc.unshare(0x10000000 | 0x20000),
		         "setns": lambda: libc.setns(os.open("/proc/self/ns/mnt", os.O_RDONLY), 0),
		         "pivot": lambda: libc.syscall(155, b".", b"root"),
		         "mount": lambda: libc.mount(b"none", b"root", b"tmpfs", 0, None),
		         "bind": lambda: libc.mount(b".", b"root", None, 4096, None),
		         "tree": lambda: libc.syscall(428, -100, b".", 1), "fsopen": lambda: libc.syscall(430, b"tmpfs", 0),
		         "clone": lambda: libc.syscall(56, 0x20000 | 17, 0, 0, 0, 0),
		         "handle": lambda: libc.syscall(304, folder, (ctypes.c_char * 128)(), 0)}
		for name, attempt in tries.items():
		    if attempt() >= 0:
		        print(name)
	END
	expect 0 run -- "$PYTHON" roots.py
	[ -z "$out" ] || complain 'it worked'
}

@test "supervised openat2 returns ENOSYS, and programs fall back to openat" {
	echo fine >file
	# by the flags that change what a path means, too
	cat >open2.py <<-'END'
		import ctypes, errno, os
		libc = ctypes.CDLL(None, use_errno=True)
		for resolve in (0, 1, 2, 4, 8, 16):
		    how = (ctypes.c_uint64 * 3)(os.O_RDONLY, 0, resolve)
		    fd = libc.syscall(437, -100, b"file", how, 24)
		    if fd < 0 and ctypes.get_errno() == errno.ENOSYS:
		        fd = os.open("file", os.O_RDONLY)
		        print("fell back")
		    print(os.read(fd, 9).decode(), end="")
	END
	"$PYTHON" open2.py >"$T/free"
	[ "$(grep -cx fine "$T/free"):$(grep -c back "$T/free")" = 6:0 ]
	for option in --protect=none '--deny=**/.env'; do
		expect 0 run "${option%%=*}" "${option#*=}" -- "$PYTHON" open2.py
		[ "$(grep -cx fine "$T/out"):$(grep -c back "$T/out")" = 6:6 ] || complain 'it is there'
	done
}

# In a tree of mounts of its own, with a file system of that kind at ./disk.
on_disk()
{
	unshare -m bash -c "set -e; mkdir disk; mount -o loop image disk; $1"
}

@test "btrfs: a folder opened for reading creates and removes no subvolume" {
	[ "$(id -u)" -eq 0 ] && command -v mkfs.btrfs >/dev/null && grep -qw btrfs /proc/filesystems &&
	    unshare -m true 2>/dev/null && [ -e /dev/loop-control ] || skip 'needs root, btrfs and loop devices'
	truncate -s 256M image
	mkfs.btrfs -q image 2>/dev/null
	on_disk : 2>/dev/null || skip 'cannot mount'
	rmdir disk
	cat >subvolumes.py <<-'END'
		import fcntl, os, struct, sys
		os.chdir("disk")
		fd = os.open(".", os.O_RDONLY)
		name = lambda n, fd=0: bytearray(struct.pack("q4088s", fd, n))
		tries = [("create", 0x5000940e, name(b"made")), ("destroy", 0x5000940f, name(b"old")),
		         ("snapshot", 0x50009401, name(b"hooks", os.open("other", os.O_RDONLY)))]
		for what, number, argument in tries:
		    try:
		        fcntl.ioctl(fd, number, argument)
		        print(what)
		    except OSError:
		        pass
	END
	setup='import fcntl, os, struct; fd = os.open(b"disk", 0); [fcntl.ioctl(fd, 0x5000940e, bytearray(struct.pack("q4088s", 0, n))) for n in (b"old", b"other")]'
	on_disk "$PYTHON -c '$setup'; $PYTHON subvolumes.py" >"$T/free"
	[ "$(cat "$T/free")" = "$(printf 'create\ndestroy\nsnapshot')" ] || complain "$(cat "$T/free")"
	mkfs.btrfs -qf image 2>/dev/null
	rmdir disk
	on_disk "$PYTHON -c '$setup'; \"$CORDON\" run --protect disk -- $PYTHON subvolumes.py; ls disk" >"$T/boxed"
	[ "$(cat "$T/boxed")" = "$(printf 'old\nother')" ] || complain "$(cat "$T/boxed")"
}

@test "commits are signed through a granted agent socket, and only then" {
	rm -rf .git
	O=$(mktemp -d /tmp/cordon-s.XXXXXX)
	ssh-keygen -q -t ed25519 -N '' -C test -f "$O/key"
	ssh-agent -D -a "$O/agent" >/dev/null 2>&1 3>&- &
	started=$!
	until_true 60 test -S "$O/agent"
	export SSH_AUTH_SOCK=$O/agent
	ssh-add -q "$O/key" 2>/dev/null
	printf '[user]\n\tname = A B\n\temail = a@example.com\n\tsigningkey = key::%s\n[gpg]\n\tformat = ssh\n[safe]\n\tdirectory = *\n' \
	    "$(cat "$O/key.pub")" >"$HOME/.gitconfig"
	git init -q .
	echo x >file
	git add file
	expect 0 run --env SSH_AUTH_SOCK --socket ssh-agent -- git commit -q -S -m signed
	printf 'a@example.com %s\n' "$(cat "$O/key.pub")" >"$T/signers"
	git -c gpg.ssh.allowedSignersFile="$T/signers" verify-commit HEAD 2>"$T/verified" || complain "$(cat "$T/verified")"
	grep -q 'Good "git" signature for a@example.com' "$T/verified"
	status=0
	"$CORDON" run --env SSH_AUTH_SOCK -- git commit -q --allow-empty -S -m unsigned 2>"$T/err" || status=$?
	[ "$status" -ne 0 ] || complain 'it signed without an agent'
	[ "$(git log --format=%s)" = signed ]
}

@test "a 32-bit system call kills the program, and that is reported" {
	cat >foreign.py <<-'END'
		import ctypes, mmap
		code = mmap.mmap(-1, 4096, prot=7)
		code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # getpid of i386
		run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
		raise SystemExit(0 if run() > 0 else 1)
	END
	# a kernel without them, or another processor, kills it either way
	"$PYTHON" foreign.py || return 0
	expect 159 run -- "$PYTHON" foreign.py
	one_notice 'SIGSYS' '32-bit'
	expect 159 run -- sh -c '"$1" foreign.py; exit $?' sh "$PYTHON"
	heard '32-bit'
	expect 159 run -q -- "$PYTHON" foreign.py
	silent
}
