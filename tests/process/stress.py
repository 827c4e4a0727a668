#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sessions killed at any moment, many at once, many in a row, among processes that must live on.

Prints TAP. This process is the subreaper of all it starts, so it inherits and finds every process that a session
leaves behind. Few rounds by default; TREE_FULL=1 runs the promised numbers.
"""
import ctypes
import fcntl
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORDON = os.path.abspath(os.environ.get("CORDON", os.path.join(TREE, "build", "cordon")))
PROGRAMS = os.path.join(os.path.dirname(CORDON), "tests", "process")
FULL = os.environ.get("TREE_FULL") == "1"
MOMENTS, CANARIES, AT_ONCE, IN_A_ROW, IN_ONE = (200, 1000, 100, 10000, 10000) if FULL else (12, 12, 12, 40, 40)
PATIENCE = 60
HOWS = [["--net=none"], ["--track-only"]]
PR_SET_CHILD_SUBREAPER = 36
LAST_PID = "/proc/sys/kernel/ns_last_pid"

# Something of every kind is on its way when the kill comes.
BUSY = """./leaver twice; ./leaver headless
case ${TMPDIR##*/} in cordon-*) mkdir "$TMPDIR/d"; : >"$TMPDIR/d/x" ;; esac
./leaver chain; ./leaver setsid
"""


class Failed(Exception):
    """What does not hold."""


class Taken(Exception):
    """Somebody else on this machine has the number now."""


# ---- looking ----

def until(condition, what):
    """Polls; nothing here is decided by how long it takes. What went wrong is text, or says it then."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(what() if callable(what) else what)
        time.sleep(0.002)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return -1


def reap_orphans(spare=()):
    """True when nothing is below this process but what is spared."""
    for pid in children(os.getpid()):
        if pid not in spare:
            os.waitpid(pid, os.WNOHANG)
    return not set(children(os.getpid())) - set(spare)


def is_free(lock):
    if not os.path.exists(lock):
        return True
    with open(lock, "r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def files_below(folder):
    return [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]


class Place:
    """A project with a home, a temporary and a runtime folder of its own."""

    def __init__(self, top):
        self.top = top
        for name in ("home", "tmp", "run", "project", "project/.git"):
            os.mkdir(os.path.join(top, name), 0o700)
        self.project = os.path.join(top, "project")
        for name in ("leaver", "probe", "inarow"):
            shutil.copy(os.path.join(PROGRAMS, name), self.project)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.path.join(top, "home"), "LANG": "C.UTF-8",
            "XDG_CONFIG_HOME": os.path.join(top, "home", "config"),
            "XDG_STATE_HOME": os.path.join(top, "home", "state"),
            "XDG_RUNTIME_DIR": os.path.join(top, "run"), "TMPDIR": os.path.join(top, "tmp"),
        }

    def start(self, how, *command, cwd=None, **more):
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.DEVNULL)
        more.setdefault("stderr", subprocess.DEVNULL)
        return subprocess.Popen([CORDON, "run", "-q", *how, "--", *command], cwd=cwd or self.project,
                                env=self.environment, **more)

    def is_clean(self):
        return is_free(os.path.join(self.project, "lock")) and not os.listdir(self.environment["TMPDIR"])

    def check(self, spare=()):
        """No process, no zombie, no private folder, no record, no cgroup."""
        until(lambda: reap_orphans(spare), lambda: "left running: " + what_is_left(spare))
        if not self.is_clean():
            raise Failed(f"left: {os.listdir(self.environment['TMPDIR'])}, or a lock that is held")

    def check_thoroughly(self):
        self.check()
        # a launcher that was killed before it had a guard leaves its record to the next run
        subprocess.run([CORDON, "ps"], cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, timeout=PATIENCE)
        left = [file for file in files_below(self.environment["XDG_RUNTIME_DIR"])
                # the lock of names is all sessions'
                if os.path.basename(file) != ".ranges"]
        if left:
            raise Failed(f"left in the runtime folder: {left}")
        groups = [top for top, _, _ in os.walk("/sys/fs/cgroup") if any(i in top for i in self.ids())]
        if groups:
            raise Failed(f"left: {groups}")

    def ids(self):
        """The sessions that were here, as the log names them."""
        found = set()
        for path in files_below(os.path.join(self.top, "home", "state")):
            with open(path, encoding="utf-8", errors="replace") as file:
                found.update(part[:16] for part in file.read().split('"session": "')[1:])
        return found


def what_is_left(spare):
    names = []
    for pid in set(children(os.getpid())) - set(spare):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                names.append(file.read()[:60])
        except OSError:
            names.append(f"{pid}, gone meanwhile")
    return ", ".join(names)


def progress(done, all_of_them):
    if FULL and done % max(1, all_of_them // 10) == 0:
        print(f"# {done} of {all_of_them}", file=sys.stderr, flush=True)


# ---- killed at any moment ----

def usual_time(place, how):
    """From the start to the end when nobody disturbs it."""
    times = []
    for _ in range(3):
        begin = time.monotonic()
        if place.start(how, "sh", "-c", BUSY).wait(PATIENCE) != 0:
            raise Failed("it fails even undisturbed")
        times.append(time.monotonic() - begin)
    place.check()
    return sorted(times)[1]


def kill_exactly(pid, parent):
    """Only the child of that parent, never one that got its number."""
    try:
        held = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        if parent_of(pid) != parent:
            return False
        signal.pidfd_send_signal(held, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False
    finally:
        os.close(held)


def kill_launcher(session):
    return kill_exactly(session.pid, os.getpid())


def kill_guard(session):
    return any([kill_exactly(pid, session.pid) for pid in children(session.pid)])


def killed(place, victim):
    hits = 0
    for how in HOWS:
        usual = usual_time(place, how)
        for i in range(MOMENTS // 2):
            begin = time.monotonic()
            session = place.start(how, "sh", "-c", BUSY)
            time.sleep(random.uniform(0, usual))
            # one that has ended can be signalled until it is waited for
            hit = session.poll() is None and victim(session)
            session.wait(PATIENCE)
            place.check()
            # the machine may have become faster or slower meanwhile
            usual = usual * 1.1 if hit else min(usual, time.monotonic() - begin)
            hits += hit
            progress(i + 1, MOMENTS // 2)
    place.check_thoroughly()
    if hits == 0:
        raise Failed("nobody was hit: that tells nothing")


def launcher_killed(place):
    killed(place, kill_launcher)


def guard_killed(place):
    killed(place, kill_guard)


def stopped_then_killed(place):
    """The end may come while the launcher is about to stop with its command."""
    for i in range(MOMENTS):
        delay = random.uniform(0, 0.02)
        session = place.start(HOWS[i % 2], "sh", "-c", f"(sleep {delay:.4f}; kill -KILL $$) & kill -STOP $$")
        status = session.wait(PATIENCE)
        if status != 128 + signal.SIGKILL:
            raise Failed(f"ended with {status}")
        place.check()
        progress(i + 1, MOMENTS)


# ---- those outside ----

class Canary:
    """A process of the same user that nobody may touch, leader of a group with another in it."""

    def __init__(self, number=None):
        self.pid = self.fork(number)
        self.other = os.fork()
        if self.other == 0:
            os.setpgid(0, self.pid)
            self.live()
        os.setpgid(self.other, self.pid)
        self.limits = self.read_limits()

    def fork(self, number):
        for _ in range(100):
            if number is not None:
                with open(LAST_PID, "w", encoding="ascii") as file:
                    file.write(str(number - 1))
            pid = os.fork()
            if pid == 0:
                os.setpgid(0, 0)
                self.live()
            if number in (None, pid):
                os.setpgid(pid, pid)
                return pid
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise Taken

    @staticmethod
    def live():
        # a pipe that it held open would not end for others
        os.closerange(0, 256)
        signal.alarm(600)
        while True:
            signal.pause()

    def read_limits(self):
        return [resource.prlimit(pid, resource.RLIMIT_NPROC) for pid in (self.pid, self.other)]

    def check(self):
        for pid in (self.pid, self.other):
            info = os.waitid(os.P_PID, pid, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
            if info is not None:
                raise Failed(f"a bystander was hit: {info}")
        if self.read_limits() != self.limits:
            raise Failed("a bystander's limits were changed")

    def end(self):
        for pid in (self.pid, self.other):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def recycle_once(place, how):
    """False when the number was not to be had."""
    session = place.start(how, "./probe", "shed", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        canary = Canary(int(session.stdout.readline()))
    except Taken:
        canary = None
    session.stdin.close()
    status = session.wait(PATIENCE)
    session.stdout.close()
    if status != 0:
        raise Failed(f"the session ended with {status}")
    if canary is None:
        return False
    canary.check()
    place.check(spare=(canary.pid, canary.other))
    canary.end()
    return True


def recycled(place):
    """The number of a process of the session, and of its group, belongs to somebody else now."""
    done = tries = 0
    while done < CANARIES and tries < 10 * CANARIES:
        tries += 1
        done += recycle_once(place, HOWS[tries % 2])
        progress(tries, CANARIES)
    place.check_thoroughly()
    if done == 0 or (FULL and done < CANARIES):
        raise Failed(f"{done} of {tries} numbers were to be had")


def recycled_apart(place):
    """Where processes have numbers of their own nobody else takes one."""
    apart = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        recycled(place)
        return
    program = subprocess.run([*apart, sys.executable, os.path.abspath(__file__), "--here", "number"],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if program.returncode != 0:
        raise Failed(program.stdout)


def bystanders(place):
    """Of the same user, session and parent, and in the launcher's own group."""
    canary = Canary()
    spare = (canary.pid, canary.other)
    for i in range(CANARIES):
        session = place.start(HOWS[i % 2], "./leaver", "twice",
                              preexec_fn=lambda: os.setpgid(0, canary.pid))
        if i % 4 == 1:
            kill_launcher(session)
        elif i % 4 == 3:
            kill_guard(session)
        session.wait(PATIENCE)
        canary.check()
        place.check(spare)
        progress(i + 1, CANARIES)
    canary.end()
    place.check_thoroughly()


# A launcher that was a shell before: it has a child, which has a child of its own and then leaves it.
BEFORE = """(./probe listen >/dev/null & echo $! >grandchild; exec ./probe listen >/dev/null) &
echo $! >child
while [ ! -s grandchild ]; do sleep 0.01; done
# the kernel tells ages in hundredths of a second
sleep 0.1
exec "$0" run -q "$@" -- sh -c 'echo $PPID >guard.new; mv guard.new guard; ./leaver twice; exec sleep 60'
"""


def children_from_before(place):
    """What the launcher's process had started before, and what came from that, is none of ours."""
    for how in HOWS:
        for name in ("child", "grandchild", "guard"):
            if os.path.exists(os.path.join(place.project, name)):
                os.unlink(os.path.join(place.project, name))
        launcher = subprocess.Popen(["sh", "-c", BEFORE, CORDON, *how], cwd=place.project,
                                    env=place.environment, stdin=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        until(lambda: os.path.exists(os.path.join(place.project, "guard")), "it does not start")
        numbers = {name: int(read_file(place, name)) for name in ("child", "grandchild", "guard")}
        # the child ends, and leaves its own child to the launcher
        os.kill(numbers["child"], signal.SIGKILL)
        until(lambda: parent_of(numbers["grandchild"]) == launcher.pid, "the orphan did not come")
        if not kill_exactly(numbers["guard"], launcher.pid):
            raise Failed("there is no guard")
        launcher.wait(PATIENCE)
        if parent_of(numbers["grandchild"]) != os.getpid():
            raise Failed("a bystander was hit")
        os.kill(numbers["grandchild"], signal.SIGKILL)
        place.check()


def read_file(place, name):
    with open(os.path.join(place.project, name), encoding="ascii") as file:
        return file.read()


# ---- many ----

def at_once(place):
    sessions = []
    for i in range(AT_ONCE):
        folder = os.path.join(place.project, str(i))
        os.mkdir(folder)
        sessions.append((place.start(HOWS[i % 2], "../leaver", ["twice", "headless", "hopper"][i % 3],
                                     cwd=folder), folder))
    for session, folder in sessions:
        status = session.wait(PATIENCE)
        if status != 0 or not is_free(os.path.join(folder, "lock")):
            raise Failed(f"{folder}: {status}")
    place.check_thoroughly()


def in_a_row(place):
    descriptors = len(os.listdir("/proc/self/fd"))
    for i in range(IN_A_ROW):
        if place.start(HOWS[i % 2], "./leaver", "twice" if i % 3 else "nothing").wait(PATIENCE) != 0:
            raise Failed(f"session {i} failed")
        # at once: a launcher that has ended has left nothing
        if not reap_orphans() or not place.is_clean():
            raise Failed(f"session {i} left something: {what_is_left(())}")
        progress(i + 1, IN_A_ROW)
    if len(os.listdir("/proc/self/fd")) != descriptors:
        raise Failed("descriptors came from somewhere")
    place.check_thoroughly()


def in_one_process(place):
    """By the library: what it leaks stays."""
    program = subprocess.run([os.path.join(place.project, "inarow"), str(IN_ONE), "./leaver", "setsid"],
                             cwd=place.project, env=place.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if program.returncode != 0:
        raise Failed(f"{program.returncode}: {program.stdout}")
    place.check_thoroughly()


# ---- the table ----

def can_choose_numbers():
    return os.access(LAST_PID, os.W_OK) and os.geteuid() == 0


PARTS = [
    ("kill -9 of the launcher, at any moment", launcher_killed),
    ("kill -9 of the guard, at any moment", guard_killed),
    ("stopped, then killed", stopped_then_killed),
    ("bystanders live on", bystanders),
    ("children from before live on", children_from_before),
    ("many at once", at_once),
    ("many in a row", in_a_row),
    ("many in one process", in_one_process),
]
if can_choose_numbers():
    PARTS.insert(4, ("a number that was used before is somebody else's",
                     recycled if sys.argv[1:2] == ["--here"] else recycled_apart))


def main():
    failed = 0
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.umask(0o022)
    # by a word of their names, or all
    words = [word for word in sys.argv[1:] if word != "--here"]
    parts = [row for row in PARTS if not words or any(word in row[0] for word in words)]
    for number, (name, part) in enumerate(parts, 1):
        begin = time.monotonic()
        top = os.path.realpath(tempfile.mkdtemp())
        try:
            part(Place(top))
            why = None
        except (Failed, OSError, ValueError, subprocess.TimeoutExpired) as problem:
            why = str(problem)
        shutil.rmtree(top, ignore_errors=True)
        failed += why is not None
        print(f"{'not ok' if why else 'ok'} {number} - {name}", flush=True)
        print(f"# {time.monotonic() - begin:.1f} s" if why is None else f"# {why}", flush=True)
    print(f"1..{len(parts)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
