#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# /dev/shm under the default policy: regular files directly in it work as shared memory and semaphores,
# and nothing in its subfolders can be reached. Each attempt works outside and is refused inside.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/nest

export ASAN_OPTIONS=detect_leaks=0:exitcode=99

teardown()
{
	[ -z "${base:-}" ] || rm -rf "$base"*
}

# Attempts on folders of others, one folder each. prepare BASE makes them, try BASE says how each ended.
attempts()
{
	[ -w /dev/shm ] || skip 'there is no /dev/shm'
	base=/dev/shm/shared-bats-$$-$BATS_TEST_NUMBER
	cat >attempts.py <<-'END'
		import ctypes, errno, os, shutil, socket, sys
		libc = ctypes.CDLL(None, use_errno=True)
		CLOEXEC, NOFOLLOW, NONBLOCK = os.O_CLOEXEC, os.O_NOFOLLOW, os.O_NONBLOCK

		def opened(path, flags):
		    os.close(os.open(path, flags, 0o600))

		def called(name, *arguments):
		    if getattr(libc, name)(*arguments) < 0:
		        raise OSError(ctypes.get_errno(), name)

		def reopened(d):
		    fd = os.open(d + "/file", os.O_PATH)
		    opened(f"/proc/self/fd/{fd}", os.O_RDONLY)

		def through_folder(d):
		    fd = os.open(d, os.O_PATH)
		    os.close(os.open("file", os.O_RDWR, dir_fd=fd))

		def through_link(d):
		    name = f"link-{os.getpid()}-{os.path.basename(d)}"
		    os.symlink(d, name)
		    opened(name + "/file", os.O_RDWR)

		def from_inside(d):
		    os.chdir(d)
		    try:
		        opened("file", os.O_RDONLY | NOFOLLOW | CLOEXEC)
		    finally:
		        os.chdir(home)

		def linked_by_descriptor(d):
		    fd = os.open(d + "/file", os.O_PATH)
		    called("linkat", -100, f"/proc/self/fd/{fd}".encode(), -100, (d + ".copy").encode(), 0x400)

		def exchanged(d):
		    with open(d + ".own", "w"):
		        pass
		    called("renameat2", -100, (d + ".own").encode(), -100, (d + "/file").encode(), 2)

		def bound(d, path):
		    with socket.socket(socket.AF_UNIX) as s:
		        s.bind(path)

		tries = {
		    "read": lambda d: opened(d + "/file", os.O_RDONLY),
		    "read, closed on exec": lambda d: opened(d + "/file", os.O_RDONLY | CLOEXEC),
		    "read as shm_open": lambda d: opened(d + "/file", os.O_RDONLY | NOFOLLOW | CLOEXEC),
		    "read as musl's shm_open": lambda d: opened(d + "/file", os.O_RDONLY | NOFOLLOW | CLOEXEC | NONBLOCK),
		    "read as stty": lambda d: opened(d + "/file", os.O_RDONLY | NONBLOCK),
		    "read, or make": lambda d: opened(d + "/file", os.O_RDONLY | os.O_CREAT),
		    "read and write": lambda d: opened(d + "/file", os.O_RDWR),
		    "write": lambda d: opened(d + "/file", os.O_WRONLY),
		    "cut": lambda d: opened(d + "/file", os.O_RDWR | os.O_TRUNC),
		    "cut by path": lambda d: os.truncate(d + "/file", 0),
		    "reopen": reopened,
		    "through its folder": through_folder,
		    "through a link": through_link,
		    "from inside": from_inside,
		    "deeper": lambda d: opened(d + "/deep/file", os.O_RDWR),
		    "list": lambda d: os.listdir(d),
		    "open the folder as shm_open": lambda d: opened(d, os.O_RDONLY | NOFOLLOW | CLOEXEC),
		    "open the folder as stty": lambda d: opened(d, os.O_RDONLY | NONBLOCK),
		    "make": lambda d: opened(d + "/new", os.O_RDWR | os.O_CREAT | os.O_EXCL),
		    "make without a name": lambda d: opened(d, os.O_RDWR | os.O_TMPFILE),
		    "make a folder in it": lambda d: os.mkdir(d + "/new"),
		    "remove": lambda d: os.unlink(d + "/file"),
		    "remove the folder": lambda d: os.rmdir(d + "/empty"),
		    "link out": lambda d: os.link(d + "/file", d + ".copy"),
		    "link out by descriptor": linked_by_descriptor,
		    "move out": lambda d: os.rename(d + "/file", d + ".copy"),
		    "exchange": exchanged,
		    "move the folder": lambda d: os.rename(d, d + ".copy"),
		    "remove an empty folder": lambda d: os.rmdir(d + ".empty"),
		    "mode": lambda d: os.chmod(d + "/file", 0o640),
		    "mode of the folder": lambda d: os.chmod(d, 0o755),
		    "times": lambda d: os.utime(d + "/file"),
		    "owner": lambda d: os.chown(d + "/file", os.getuid(), os.getgid()),
		    "make a folder": lambda d: os.mkdir(d + ".made"),
		    "make a link": lambda d: os.symlink("x", d + ".made"),
		    "make a fifo": lambda d: os.mkfifo(d + ".made"),
		    "make a socket": lambda d: bound(d, d + ".made"),
		    "list all": lambda d: os.listdir("/dev/shm"),
		}

		home = os.getcwd()
		base = sys.argv[2]
		for i, name in enumerate(tries):
		    d = f"{base}.{i}"
		    if sys.argv[1] == "prepare":
		        for path in (d, d + ".copy", d + ".empty"):
		            shutil.rmtree(path, ignore_errors=True)
		        for path in (d + ".copy", d + ".own", d + ".made"):
		            if os.path.isdir(path) and not os.path.islink(path):
		                os.rmdir(path)
		            elif os.path.lexists(path):
		                os.unlink(path)
		        for path in (d, d + "/deep", d + "/empty", d + ".empty"):
		            os.mkdir(path, 0o700)
		        for path in (d + "/file", d + "/deep/file"):
		            with open(path, "w") as file:
		                file.write("others")
		        continue
		    if sys.argv[1] == "check":
		        assert open(d + "/file").read() == "others", name
		        assert sorted(os.listdir(d)) == ["deep", "empty", "file"], name
		        assert os.stat(d).st_mode & 0o777 == 0o700 and os.path.isdir(d + ".empty"), name
		        assert not os.path.lexists(d + ".copy") and not os.path.lexists(d + ".made"), name
		        continue
		    try:
		        tries[name](d)
		        print(f"{name}: worked")
		    except OSError as e:
		        print(f"{name}: {errno.errorcode[e.errno]}")
		print(f"tried {len(tries)}")
	END
}

@test "subfolders of /dev/shm cannot be reached, and only regular files can be created there" {
	attempts
	"$PYTHON" attempts.py prepare "$base"
	"$PYTHON" attempts.py try "$base" >"$T/free"
	! grep -v ': worked$' "$T/free" | grep -v '^tried 38$' || complain "$(cat "$T/free")"
	"$PYTHON" attempts.py prepare "$base"
	expect 0 run -- "$PYTHON" attempts.py try "$base"
	said 'tried 38'
	! grep -v ': EACCES$' "$T/out" | grep -v '^tried 38$' || complain 'all were to be refused'
	"$PYTHON" attempts.py check "$base"
	# where reading is supervised
	expect 0 run --deny '**/*.kept' -- "$PYTHON" attempts.py try "$base"
	! grep -v ': EACCES$' "$T/out" | grep -v '^tried 38$' || complain 'all were to be refused'
	"$PYTHON" attempts.py check "$base"
	# the terminal's default
	SHELL=/bin/sh "$CORDON" shell >"$T/out" 2>"$T/err" < <(echo "exec $PYTHON attempts.py try $base")
	! grep -v ': EACCES$' "$T/out" | grep -v '^tried 38$' || complain "$(cat "$T/out")"
	"$PYTHON" attempts.py check "$base"
}

@test "a nested session reaches no subfolder of /dev/shm either" {
	begin
	attempts
	"$PYTHON" attempts.py prepare "$base"
	nest 0 inner -- "$PYTHON" attempts.py try "$base"
	! grep -v ': EACCES$' "$T/out" | grep -v '^tried 38$' || complain 'all were to be refused'
	nest 0 --write /dev/shm inner -- "$PYTHON" attempts.py try "$base"
	! grep -v ': EACCES$' "$T/out" | grep -v '^tried 38$' || complain 'all were to be refused'
	nest 0 inner --write /dev/shm -- "$PYTHON" attempts.py try "$base"
	! grep -v ': EACCES$' "$T/out" | grep -v '^tried 38$' || complain 'all were to be refused'
	"$PYTHON" attempts.py check "$base"
}

@test "a rule for /dev/shm or a folder in it grants all of it" {
	attempts
	"$PYTHON" attempts.py prepare "$base"
	expect 0 run --write /dev/shm -- "$PYTHON" attempts.py try "$base"
	! grep -v ': worked$' "$T/out" | grep -v '^tried 38$' || complain 'all were to work'
	"$PYTHON" attempts.py prepare "$base"
	works "cat $base.0/file && ls $base.0" --read "$base.0"
	works "echo others >$base.0/file && mkdir $base.0/new && rmdir $base.0/new" --write "$base.0"
	expect 1 run --write "$base.0" -- cat "$base.1/file"
	expect 1 run --read "$base.0" -- cat "$base.1/file"
}

# Shared memory and semaphores by the C library, and files as browsers open them.
memory()
{
	base=/dev/shm/shared-bats-$$-$BATS_TEST_NUMBER
	cat >memory.py <<-'END'
		import ctypes, fcntl, mmap, os, sys
		name = sys.argv[1]
		libc = ctypes.CDLL(None, use_errno=True)
		libc.sem_open.restype = ctypes.c_void_p

		def check(rc):
		    if rc is None or rc == -1:
		        raise OSError(ctypes.get_errno(), name)
		    return rc

		def sem_open(which, *more):
		    return ctypes.c_void_p(check(libc.sem_open(which.encode(), *more)))

		fd = check(libc.shm_open(f"/{name}".encode(), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o640))
		os.ftruncate(fd, 4096)
		mmap.mmap(fd, 4096)[:6] = b"shared"
		os.umask(0)
		again = check(libc.shm_open(f"/{name}".encode(), os.O_RDWR, 0))
		reader = check(libc.shm_open(f"/{name}".encode(), os.O_RDONLY, 0))
		print(mmap.mmap(again, 4096)[:6], mmap.mmap(reader, 4096, prot=mmap.PROT_READ)[:6])
		print(oct(os.fstat(fd).st_mode), hex(fcntl.fcntl(reader, fcntl.F_GETFL)), fcntl.fcntl(reader, fcntl.F_GETFD))
		if os.fork() == 0:
		    child = check(libc.shm_open(f"/{name}".encode(), os.O_RDONLY, 0))
		    os._exit(mmap.mmap(child, 4096, prot=mmap.PROT_READ)[:6] != b"shared")
		print("child", os.wait()[1])
		check(libc.shm_unlink(f"/{name}".encode()))

		s = sem_open(f"/{name}", os.O_CREAT | os.O_EXCL, 0o600, 1)
		check(libc.sem_wait(sem_open(f"/{name}", 0)))
		print("taken", libc.sem_trywait(s))
		check(libc.sem_post(s))
		check(libc.sem_unlink(f"/{name}".encode()))

		# with every bit of the mode, by the umask that was set
		fd = os.open(f"/dev/shm/.org.{name}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
		os.write(fd, b"browser")
		second = os.open(f"/dev/shm/.org.{name}", os.O_RDWR)
		os.unlink(f"/dev/shm/.org.{name}")
		print(os.read(second, 9), oct(os.fstat(fd).st_mode))
		fd = os.open("/dev/shm", os.O_RDWR | os.O_TMPFILE, 0o600)
		os.write(fd, b"nameless")
		print(os.pread(fd, 9, 0), os.path.exists(f"/dev/shm/{name}"))
	END
}

@test "POSIX shared memory and semaphores work, also with read access only" {
	[ -w /dev/shm ] || skip 'there is no /dev/shm'
	memory
	"$PYTHON" memory.py "${base##*/}" >"$T/free"
	for options in '' '--deny=**/*.kept' '--write=/dev/shm'; do
		# shellcheck disable=SC2086 # none, or one
		expect 0 run $options -- "$PYTHON" memory.py "${base##*/}"
		cmp "$T/free" "$T/out" || complain "differs from bare with: $options"
	done
	begin
	for options in '' '--write=/dev/shm'; do
		# shellcheck disable=SC2086 # none, or one
		nest 0 $options inner -- "$PYTHON" memory.py "${base##*/}"
		cmp "$T/free" "$T/out" || complain "differs from bare, inside another with: $options"
	done
	[ ! -e "$base" ]
}

@test "why agrees with the kernel about /dev/shm" {
	attempts
	"$PYTHON" attempts.py prepare "$base"
	echo x >"$base.top"
	for right in read write create delete; do
		expect 1 why "$right" "$base.0"
		expect 1 why "$right" "$base.0/file"
		expect 1 why "$right" "$base.0/new"
		expect 0 why "$right" "$base.top"
		expect 0 why "$right" "$base.new"
	done
	expect 1 why read /dev/shm
	expect 0 why read "$base.top"
	said 'a plain open for reading is refused'
	expect 1 run -- cat "$base.top"
	# by every open where reading is supervised
	expect 0 why --deny '**/*.kept' read "$base.top"
	unsaid 'plain open'
	expect 0 run --deny '**/*.kept' -- cat "$base.top"
	expect 0 why create "$base.new"
	said 'only as a regular file'
	expect 0 why --write /dev/shm read "$base.0/file"
	# without supervision Landlock could only grant it whole
	expect 1 why --accept files.metadata --accept files.future read "$base.top"
	said 'calls are not supervised'
	expect 0 plan --accept files.metadata --accept files.future
	said 'left out'
	expect 2 run --accept files.metadata --accept files.future -- sh -c "echo x >$base.new"
	expect 1 run --accept files.metadata --accept files.future -- cat "$base.0/file"
}
