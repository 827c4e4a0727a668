# SPDX-License-Identifier: MIT
"""Sessions in which oddcalls makes random calls; guard and launcher must survive all of them.

usage: fuzz_calls.py [--deep] [--trace] SECONDS [SEED [KIND...]]

After each session: the launcher ended with the command's own status and wrote its `end`, the guard
lived until the command had ended, nothing of the session is left (processes, private folder, record), no
sanitizer has reported anything, there is no core file, nothing outside has changed, and bystanders live.

CORDON names the program; the same seed and kind repeat a session. TAP and counts on standard output.
"""
import collections
import ctypes
import errno
import json
import os
import resource
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CORDON = os.path.realpath(os.environ.get("CORDON") or os.path.join(HERE, "../../build/cordon"))
BUILD = os.path.dirname(CORDON)
ODDCALLS = os.environ.get("ODDCALLS") or os.path.join(BUILD, "tests/attack/oddcalls")
SANITIZERS = ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
OWN_STATUS, PROCESSES, SLICE, HUNG = 42, 4, 15, 240
SUBREAPER = 36
# The thread sanitizer runs a signal's handler only when the call that the signal came in has returned. The
# broker's thread waits for notifications in an ioctl, which the kernel begins anew (SA_RESTART) after the
# sanitizer has noted the signal: a traced child stays stopped until the next supervised call. --tick makes them.
IS_THREAD_SANITIZED = "-tsan" in BUILD or "-soak-thread" in BUILD
NEST_THREAD = "nest_serve"
ALWAYS = ["--deep", "--trace"] + (["--tick"] if IS_THREAD_SANITIZED else [])

# what the session is, and how the program is told to behave in it
KINDS = {
    "default": ([], []),
    "reads": (["--deny", "**/.env", "--protect", "kept"], []),
    "orphans": (["--deny", "**/.env"], ["--orphans"]),
    "localhost": (["--net", "localhost"], []),
    "port": (["--net", "localhost:PORT"], []),
    "domains": (["--domain", "a.test"], []),
    "sockets": (["--socket", "OUTSIDE/socket"], []),
    "pty": (["--pty"], ["--orphans"]),
    "limits": (["--open-files", "64", "--file-size", "1M"], []),
    "nested": (["--deny", "**/.env", "--env", "TSAN_OPTIONS", "--env", "ASAN_OPTIONS", "--env", "UBSAN_OPTIONS"],
               ["--cordon", CORDON]),
    "older": ([], []),
    "named": (["--session", "NAME"], ["--spawner"]),
    "track": (["--track-only"], ["--tame"]),
}


class Wrong(Exception):
    pass


# ---- what sanitizers write ----

def real_parts(text):
    """Without the races on a descriptor's number between two tables.

    The thread sanitizer knows one table of descriptors in a process. Inside another session the thread
    that answers has a table of its own (keep_alone in src/linux/start.c): the same numbers, other files.
    """
    parts = text.split("==================\n")
    return "".join(part for part in parts if not ("Location is file descriptor" in part and f" {NEST_THREAD} " in part))


def check_nest_thread():
    """A function that was renamed would let those races count again."""
    with open(os.path.join(HERE, "../../src/linux/broker/serve/nest_serve.c"), encoding="utf-8") as f:
        if f"\n{NEST_THREAD}(" not in f.read():
            sys.exit(f"there is no function {NEST_THREAD}: the reports of the thread sanitizer cannot be read")


# ---- the surroundings ----

def furnish(folder):
    """A project, a folder outside it that must not change, and the program where it may be executed."""
    for name in ("p/kept", "p/a", "p/d", "p/.git/objects", "p/.git/refs", "outside/kept", "outside/a", "x", "home", "run"):
        os.makedirs(os.path.join(folder, name))
    os.chmod(os.path.join(folder, "run"), 0o700)
    for name in ("p/.env", "p/kept/file", "p/a/f.txt", "outside/b", "outside/.env", "outside/a/f.txt", "outside/c"):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write("as it was\n")
    with open(os.path.join(folder, "p/.git/HEAD"), "w", encoding="ascii") as f:
        f.write("ref: refs/heads/main\n")
    os.symlink("a", os.path.join(folder, "outside/link"))
    os.mkfifo(os.path.join(folder, "outside/fifo"))
    shutil.copy(ODDCALLS, os.path.join(folder, "x/oddcalls"))


def snapshot(folder):
    """Everything about what is outside, but when it was read."""
    seen = {}
    for path in [folder] + [os.path.join(top, name) for top, *names in os.walk(folder) for name in sum(names, [])]:
        info = os.lstat(path)
        content = None
        if stat.S_ISREG(info.st_mode):
            with open(path, "rb") as f:
                content = f.read()
        seen[path] = (info.st_mode, info.st_uid, info.st_gid, info.st_nlink, info.st_size, info.st_mtime_ns, info.st_ctime_ns,
                      content, tuple(os.listxattr(path, follow_symlinks=False)))
    null = os.stat("/dev/null")
    seen["/dev/null"] = (null.st_mode, null.st_uid, null.st_rdev)
    return seen


def serve(folder):
    """Servers outside that no call may end: one by name, one by address."""
    held = []
    for family, address in ((socket.AF_UNIX, os.path.join(folder, "outside/socket")), (socket.AF_INET, ("127.0.0.1", 0))):
        held.append(socket.socket(family))
        held[-1].bind(address)
        held[-1].listen(100)
    return held


def drain(servers):
    """Connections that wait are let go of, so that others can come."""
    for server in servers:
        server.setblocking(False)
        try:
            while True:
                server.accept()[0].close()
        except OSError:
            pass


def children():
    """Ours, by number: whatever outlives its session becomes one."""
    own, found = os.getpid(), []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as f:
                    state, parent = f.read().rsplit(")", 1)[1].split()[:2]
            except OSError:
                continue
            if int(parent) == own and state != "Z":
                found.append(int(name))
    return found


# ---- one session ----

class Session:
    def __init__(self, kind, seed, seconds, flags):
        self.kind, self.seed, self.seconds, self.flags = kind, seed, seconds, flags
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="cordon-odd-"))
        self.project = os.path.join(self.folder, "p")
        self.out = os.path.join(self.project, "counts")
        self.events, self.tmp, self.guard = b"", None, -1
        furnish(self.folder)
        self.servers = serve(self.folder)
        self.before = snapshot(os.path.join(self.folder, "outside"))

    def environment(self):
        # the broker has no standard error; what it may write is in the project
        options = f"log_path={self.project}/report:verify_asan_link_order=0:print_stacktrace=1:halt_on_error=0"
        more = {name: options for name in SANITIZERS}
        # the first report ends the guard: so it is seen, wherever it was written to
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            more[name] = options.replace("halt_on_error=0", "halt_on_error=1:detect_leaks=0")
        if self.kind == "older":
            more.update(LD_PRELOAD=os.path.join(BUILD, "tests/attack/older.so"), OLDER_ABI="5")
        return {"PATH": "/usr/bin:/bin", "HOME": self.folder + "/home", "XDG_RUNTIME_DIR": self.folder + "/run",
                "LANG": "C.UTF-8", "TERM": "dumb", **more}

    def arguments(self, status_fd):
        options, own = KINDS[self.kind]
        words = {"PORT": str(self.servers[1].getsockname()[1]), "OUTSIDE": self.folder + "/outside", "NAME": f"odd{self.seed}"}
        for word, value in words.items():
            options = [option.replace(word, value) if option.isupper() or ":" in option or "/" in option else option
                       for option in options]
        program = [self.folder + "/x/oddcalls", *own, *self.flags, "--port", words["PORT"], str(self.seed),
                   str(self.seconds), str(PROCESSES), self.out, self.folder + "/outside"]
        if self.kind == "track":
            options = options + ["-q"]
        else:
            options = options + ["-q", "--execute", self.folder + "/x", "--execute", BUILD]
        return [CORDON, "run", "-C", self.project, "--status-fd", str(status_fd), *options, "--", *program]

    def start(self):
        self.status, write = os.pipe()
        os.set_blocking(self.status, False)
        # a guard or launcher that crashes would leave a core file
        resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2)
        self.launcher = subprocess.Popen(
            self.arguments(write), cwd=self.project, env=self.environment(), stdin=subprocess.DEVNULL, pass_fds=[write],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        os.close(write)
        os.set_blocking(self.launcher.stdout.fileno(), False)
        self.said = b""

    def listed(self):
        """What `ps` says about it; the user may have other sessions."""
        done = subprocess.run([CORDON, "ps", "--json"], env=self.environment(), capture_output=True, check=False)
        return [record for record in json.loads(done.stdout or b"[]")
                if record["supervisor"] == self.launcher.pid or record["name"] == f"odd{self.seed}"]

    def find(self):
        """The guard, held by a pidfd before the program begins."""
        end = time.monotonic() + HUNG
        while time.monotonic() < end and self.launcher.poll() is None:
            for record in self.listed():
                if record.get("guard"):
                    self.guard, self.tmp = os.pidfd_open(record["guard"]), record.get("tmp")
                    self.guard_pid, self.cgroup = record["guard"], record.get("cgroup")
                    return
            time.sleep(0.05)
        self.listen()
        raise Wrong(f"no session: {self.said!r}")

    def listen(self):
        for fd, name in ((self.status, "events"), (self.launcher.stdout.fileno(), "said")):
            try:
                while piece := os.read(fd, 65536):
                    setattr(self, name, (getattr(self, name) + piece)[-1000000:])
            except BlockingIOError:
                pass

    def watch(self):
        """Until the launcher has ended. It stops with the command, and is woken as by a shell."""
        end = time.monotonic() + self.seconds + HUNG
        guard = select.poll()
        guard.register(self.guard, select.POLLIN)
        is_there = True
        while self.launcher.poll() is None:
            self.listen()
            drain(self.servers)
            if is_there and guard.poll(20):
                is_there = False
                if not os.path.exists(self.out):
                    self.launcher.wait(HUNG)
                    self.listen()
                    raise Wrong(f"the guard ended before the command: {self.launcher.returncode} {self.events[-300:]} {self.said[-2000:]}")
            os.kill(self.launcher.pid, signal.SIGCONT)
            if time.monotonic() > end:
                raise Wrong("it hangs: " + self.describe())
            time.sleep(0.02)
        self.listen()

    def describe(self):
        text = subprocess.run(["ps", "-eLo", "pid,ppid,lwp,stat,wchan:24,args"], capture_output=True, text=True, check=False).stdout
        return "\n".join(line for line in text.splitlines() if self.folder in line)

    def check(self):
        events = [json.loads(line) for line in self.events.splitlines() if line.startswith(b"{")]
        last = events[-1] if events else {}
        if self.launcher.returncode != OWN_STATUS:
            raise Wrong(f"the launcher ended with {self.launcher.returncode}: {last} {self.said[-2000:]!r}")
        if last.get("event") != "end" or last.get("status") != OWN_STATUS or last.get("cause") != "exit":
            raise Wrong(f"the last event is {last}")
        if self.kind == "named":
            # what a command leaves there stays, by design, until the session is ended
            subprocess.run([CORDON, "kill", f"odd{self.seed}"], env=self.environment(), capture_output=True, check=False)
        self.wait_for_guard()
        self.check_left()
        if snapshot(os.path.join(self.folder, "outside")) != self.before:
            after = snapshot(os.path.join(self.folder, "outside"))
            raise Wrong(f"changed outside: {[(k, self.before.get(k), after.get(k)) for k in {*self.before, *after} if self.before.get(k) != after.get(k)]}")

    def wait_for_guard(self):
        """It may end a moment after the launcher."""
        guard = select.poll()
        guard.register(self.guard, select.POLLIN)
        if not guard.poll(HUNG * 1000):
            raise Wrong("the guard did not end: " + self.describe())

    def check_left(self):
        left = [line for line in self.describe().splitlines()]
        strays = [pid for pid in children() if pid != bystander.pid]
        if left or strays:
            raise Wrong(f"left behind: {strays} {left}")
        for path in (self.tmp, self.cgroup):
            if path and os.path.exists(path):
                raise Wrong(f"{path} is still there")
        if self.listed():
            raise Wrong(f"still listed: {self.listed()}")

    def reports(self):
        """Of sanitizers, and core files."""
        found = []
        for top, _, names in os.walk(self.folder):
            for name in names:
                if name.startswith("report.") or name == "core" or name.startswith("core."):
                    with open(os.path.join(top, name), "rb") as f:
                        text = real_parts(f.read().decode("utf-8", "replace"))
                    if text.strip() or not name.startswith("report."):
                        found.append(name)
                        print("".join(f"# {line}\n" for line in text[:6000].splitlines()))
        return found

    def clean(self):
        if self.launcher.poll() is None:
            self.launcher.kill()
            self.launcher.wait()
        if self.guard >= 0:
            try:
                signal.pidfd_send_signal(self.guard, signal.SIGKILL)
                self.wait_for_guard()
            except (ProcessLookupError, Wrong):
                pass
        for fd in (self.status, self.guard):
            if fd >= 0:
                os.close(fd)
        for server in self.servers:
            server.close()
        subprocess.run(["chmod", "-R", "u+rwx", self.folder], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)
        if os.path.exists(self.folder):
            subprocess.run(["rm", "-rf", self.folder], check=False)

    def run(self):
        """The first thing that is wrong, or nothing."""
        wrong = None
        try:
            self.start()
            self.find()
            with open(os.path.join(self.project, "go"), "w", encoding="ascii"):
                pass
            self.watch()
            self.check()
            if bystander.poll() is not None:
                raise Wrong("a bystander ended")
        except Wrong as e:
            wrong = str(e)
        reports = self.reports()
        if reports:
            wrong = f"{wrong or ''} reports: {reports}"
        counts = []
        if os.path.exists(self.out):
            with open(self.out, encoding="ascii") as f:
                counts = [line.split() for line in f]
        self.clean()
        return wrong, counts


# ---- all of them ----

def print_counts(total):
    of = collections.defaultdict(list)
    for (group, name), number in total.items():
        if group == "errno":
            name = "success" if name == "0" else errno.errorcode.get(int(name), name)
        if number:
            of[group].append((number, name))
    calls = sum(number for number, _ in of["call"])
    print(f"# {calls} calls of {len(of['call'])} kinds, {sum(n for n, _ in of['act'])} acts of {len(of['act'])}")
    for group in ("rounds", "call", "act", "errno"):
        print(f"# {group}: " + ", ".join(f"{name} {number}" for number, name in sorted(of[group], reverse=True)))


def main():
    if IS_THREAD_SANITIZED:
        check_nest_thread()
    flags = ALWAYS + [word for word in sys.argv[1:] if word in ("--deep", "--trace")]
    words = [word for word in sys.argv[1:] if word not in flags]
    seconds, seed = float(words[0]), int(words[1]) if len(words) > 1 else int(time.time())
    kinds = words[2:] or list(KINDS)
    each = max(1, min(SLICE, int(seconds / len(kinds))))
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    total, number, failed = collections.Counter(), 0, 0
    end = time.monotonic() + seconds
    while number < len(kinds) or time.monotonic() < end:
        kind = kinds[number % len(kinds)]
        wrong, counts = Session(kind, seed + number, each, flags).run()
        for group, name, count in counts:
            total[group, name] += int(count)
        number += 1
        failed += wrong is not None
        print(f"{'not ' if wrong else ''}ok {number} {kind} {seed + number - 1}", flush=True)
        if wrong:
            print("".join(f"# {line}\n" for line in wrong.splitlines()), flush=True)
    print(f"1..{number}")
    print(f"# {number} sessions, {failed} failed, as {os.getuid()} with {CORDON}")
    print_counts(total)
    return 1 if failed else 0


bystander = subprocess.Popen(["sleep", "1000000"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
try:
    STATUS = main()
finally:
    bystander.kill()
    bystander.wait()
sys.exit(STATUS)
