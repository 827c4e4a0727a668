#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Exit status, signals, job control and what is inherited, as without cordon. Prints TAP.

Each case runs three times: bare, by `cordon run`, and by `cordon run --track-only`. The state
that the caller sees, and that the command prints, must be the same. A death by signal N counts as the
status 128+N, as in a shell.
"""
import os
import resource
import select
import shutil
import signal
import sys
import tempfile

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORDON = os.path.abspath(os.environ.get("CORDON", os.path.join(TREE, "build", "cordon")))
PROBE = os.path.join(os.path.dirname(CORDON), "tests", "process", "probe")
FULL = os.environ.get("TREE_FULL") == "1"
PATIENCE = 60

MODES = {
    "run": [CORDON, "run", "-q", "--"],
    "run --track-only": [CORDON, "run", "-q", "--track-only", "--"],
}
STATUSES = range(256) if FULL else [*range(0, 6), 63, 64, 100, *range(123, 132), 137, 141, 143, 192, 255]
# Nobody can be told by these: two cannot be caught, the others come from what a process does itself.
UNSENT = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGPIPE, signal.SIGSEGV, signal.SIGBUS,
          signal.SIGFPE, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGSYS}
STOPS = [signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU]
HARMLESS = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
DEADLY = [s for s in signal.valid_signals() if s not in HARMLESS and s not in STOPS
          and (s < 32 or s in (34, 50, 64))]

# Runs whose end was not seen.
LIVE = []


class Broken(Exception):
    """The test itself could not go on."""


# ---- running ----

class Run:
    """One command, started with everything the case prepared, and what its caller sees of it."""

    def __init__(self, argv, prepare=lambda: None):
        self.output, write = os.pipe()
        self.events = []
        self.text = b""
        LIVE.append(self)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.dup2(write, 1)
                ordinary()
                prepare()
                os.execv(argv[0], argv)
            finally:
                os._exit(99)
        os.close(write)

    def read_line(self):
        """One line of output, or what there is at its end."""
        while b"\n" not in self.text:
            ready, _, _ = select.select([self.output], [], [], PATIENCE)
            if not ready:
                raise Broken("the command says nothing")
            more = os.read(self.output, 65536)
            if not more:
                break
            self.text += more
        line, _, self.text = self.text.partition(b"\n")
        return line.decode()

    def read_all(self):
        text = self.text
        while True:
            ready, _, _ = select.select([self.output], [], [], PATIENCE)
            if not ready:
                raise Broken("the output does not end")
            more = os.read(self.output, 65536)
            if not more:
                return text
            text += more

    def next_event(self):
        """What a caller that waits for everything is told: stopped, continued, ended."""
        with alarm():
            info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WSTOPPED | os.WCONTINUED)
        if info.si_code == os.CLD_STOPPED:
            event = f"stopped by {info.si_status}"
        elif info.si_code == os.CLD_CONTINUED:
            event = "continued"
        elif info.si_code == os.CLD_EXITED:
            event = f"ended with {info.si_status}"
        else:
            event = f"ended with {128 + info.si_status}"
        self.events.append(event)
        return event

    def end(self):
        """Everything that is still to come; the output is closed with it."""
        while not (self.events and self.events[-1].startswith("ended")):
            self.next_event()
        os.close(self.output)
        LIVE.remove(self)
        return self.events


class alarm:
    """A wait that takes too long is a failure and no endless wait."""

    def __enter__(self):
        def give_up(*_):
            raise Broken("nothing happens")
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)

    def __exit__(self, *_):
        signal.alarm(0)


def ordinary():
    """A group of its own, with a parent that stands outside of it: job control works. No core."""
    for number in signal.valid_signals():
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def command(mode, *argv):
    return [*MODES.get(mode, []), *argv]


def probe(mode, *argv):
    return command(mode, "./probe", *argv)


# ---- cases: each gives what is to be equal ----

def statuses(mode):
    return {number: Run(probe(mode, "exit", str(number))).end() for number in STATUSES}


def deaths(mode):
    return {number: Run(probe(mode, "die", str(int(number)))).end() for number in DEADLY}


def not_deaths(mode):
    return {number: Run(probe(mode, "die", str(int(number)))).end() for number in HARMLESS}


def stops(mode):
    """Stopped by itself, seen by the caller, continued by the caller."""
    seen = {}
    for number in STOPS:
        run = Run(probe(mode, "stop", str(int(number))))
        seen[number] = continue_and_end(run)
    return seen


def continue_and_end(run):
    """Waits for each before the next: an event that is overtaken is not told."""
    run.next_event()
    os.kill(run.pid, signal.SIGCONT)
    run.next_event()
    os.kill(run.pid, signal.SIGTERM)
    return run.end()


def stops_from_outside(mode):
    """Stopped through the one that was started, which is all a caller knows."""
    seen = {}
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        run = Run(command(mode, "/bin/sh", "-c", "echo ready; read line; exit 3"), lambda: os.dup2(HOLD, 0))
        run.read_line()
        os.kill(run.pid, number)
        seen[number] = continue_and_end(run)
    return seen


def stops_of_the_group(mode):
    """A shell stops and continues whole groups."""
    run = Run(command(mode, "/bin/sh", "-c", "echo ready; read line; exit 3"), lambda: os.dup2(HOLD, 0))
    run.read_line()
    for _ in range(20 if FULL else 5):
        os.killpg(run.pid, signal.SIGSTOP)
        run.next_event()
        os.killpg(run.pid, signal.SIGCONT)
        run.next_event()
    os.killpg(run.pid, signal.SIGTERM)
    return run.end()


def stops_ignored_by_the_caller(mode):
    """The command asks for the default again, and is stopped."""
    run = Run(probe(mode, "stop", str(int(signal.SIGTSTP))),
              lambda: signal.signal(signal.SIGTSTP, signal.SIG_IGN))
    return continue_and_end(run)


def stops_of_an_orphaned_group(mode):
    """Nobody could continue it: the kernel does not stop it."""
    seen = {}
    for number in STOPS[1:]:
        run = Run(command(mode, "/bin/sh", "-c", 'setsid -w ./probe die "$0"', str(int(number))))
        seen[number] = run.end()
    return seen


def signals_from_outside(mode):
    """Each signal that can be sent arrives, once, and only it."""
    heard = []
    run = Run(probe(mode, "listen"))
    run.read_line()
    for number in sorted(signal.valid_signals() - UNSENT - set(STOPS) - {signal.SIGTERM}):
        os.kill(run.pid, number)
        heard.append((int(number), run.read_line()))
    os.kill(run.pid, signal.SIGTERM)
    heard.append(run.read_line())
    return heard, run.end()


def deaths_from_outside(mode):
    """A command that does not care dies of what its caller sends."""
    seen = {}
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1,
                   signal.SIGALRM, 40):
        run = Run(command(mode, "/bin/sh", "-c", "echo ready; exec sleep 120"))
        run.read_line()
        os.kill(run.pid, number)
        seen[int(number)] = run.end()
    return seen


def broken_pipe(mode):
    run = Run(command(mode, "/bin/sh", "-c", "exec yes"))
    run.read_line()
    os.close(run.output)
    run.output = os.open("/dev/null", os.O_RDONLY)
    return run.end()


def broken_pipe_ignored(mode):
    run = Run(command(mode, "/bin/sh", "-c", "exec yes 2>/dev/null"),
              lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
    run.read_line()
    os.close(run.output)
    run.output = os.open("/dev/null", os.O_RDONLY)
    return run.end()


def nohup(mode):
    return Run(command(mode, "/bin/sh", "-c", "kill -HUP $$; exit 4"),
               lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)).end()


def background(mode):
    """As a shell starts it with &: two signals ignored, no input."""
    def prepare():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGQUIT, signal.SIG_IGN)
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    run = Run(command(mode, "/bin/sh", "-c", "kill -INT $$; kill -QUIT $$; cat; exit 5"), prepare)
    return run.read_all(), run.end()


def data(mode):
    """Input and output are the caller's own."""
    def prepare():
        os.dup2(os.open("/proc/self/exe", os.O_RDONLY), 0)
    run = Run(command(mode, "/bin/cat"), prepare)
    return run.read_all(), run.end()


# What differs by design inside a sandbox: these lines of the probe are not compared there.
CONFINED = ("variable ", "at death ", "new privileges ", "descriptor ")


def shown(mode, prepare=lambda: None, arguments=()):
    run = Run(probe(mode, "show", *arguments), prepare)
    lines = run.read_all().decode().splitlines()
    lines = [line.replace(f"group {run.pid}", "group of the one that was started") for line in lines]
    # the pipe of this run
    lines = [line for line in lines if not line.startswith("descriptor 1:")]
    if mode != "run --track-only":
        lines = [line for line in lines if mode == "bare" or not line.startswith(CONFINED)]
    return lines, run.end()


def plain(mode):
    return shown(mode)


def arguments_as_they_are(mode):
    return shown(mode, arguments=["", " ", "a b", b"\xff\xfe".decode(errors="surrogateescape"), "--", "-x"])


def every_signal_blocked(mode):
    return shown(mode, lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()))


def some_signals_blocked(mode):
    return shown(mode, lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGCHLD, 40}))


def every_signal_ignored(mode):
    def prepare():
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
    return shown(mode, prepare)


def children_ignored(mode):
    return shown(mode, lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))


def surroundings(mode):
    def prepare():
        os.umask(0o137)
        os.nice(5)
        os.chdir("below")
        os.symlink("../probe", "probe") if not os.path.lexists("probe") else None
        for limit, value in ((resource.RLIMIT_NOFILE, 100), (resource.RLIMIT_FSIZE, 4096),
                             (resource.RLIMIT_STACK, 1 << 22), (resource.RLIMIT_CPU, 100)):
            resource.setrlimit(limit, (value, value))
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    return shown(mode, prepare)


def descriptors(mode):
    def prepare():
        for number in (7, 9, 200):
            os.dup2(HOLD, number)
            os.set_inheritable(number, True)
    return shown(mode, prepare)


def without_terminal(mode):
    """In a session of its own: its leader is the one that was started."""
    run = Run(command(mode, "/bin/sh", "-c", "exec setsid -w ./probe show"))
    lines = run.read_all().decode().splitlines()
    return [line for line in lines if line.startswith("terminal ")], run.end()


def under_a_new_session(mode):
    """A caller that starts everything in a session of its own, as services and harnesses do."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        status = 1
        try:
            run = Run(probe(mode, "stop", str(int(signal.SIGTSTP))))
            seen = continue_and_end(run)
            status = 7 if seen == ["stopped by 20", "continued", "ended with 143"] else 8
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


# The lines that each case must differ by, when something is not passed on: it has been seen to.
CASES = [
    statuses, deaths, not_deaths, stops, stops_from_outside, stops_of_the_group,
    stops_ignored_by_the_caller, stops_of_an_orphaned_group, signals_from_outside, deaths_from_outside,
    broken_pipe, broken_pipe_ignored, nohup, background, data, plain, arguments_as_they_are,
    every_signal_blocked, some_signals_blocked, every_signal_ignored, children_ignored, surroundings,
    descriptors, without_terminal, under_a_new_session,
]


# ---- judging ----

def difference(bare, other):
    """The first thing that is not the same."""
    if isinstance(bare, dict) and isinstance(other, dict):
        for key in bare:
            if bare[key] != other.get(key):
                return f"{key}: bare {bare[key]!r}, here {other.get(key)!r}"
    if isinstance(bare, tuple) and isinstance(other, tuple):
        for one, two in zip(bare, other):
            if one != two:
                return difference(one, two)
    if isinstance(bare, list) and isinstance(other, list):
        missing = [line for line in bare if line not in other]
        more = [line for line in other if line not in bare]
        return f"bare {missing or bare!r}, here {more or other!r}"
    return f"bare {bare!r}, here {other!r}"[:2000]


def comparable(case, mode, bare):
    """What of a bare run is compared with this one."""
    if mode != "run" or not (isinstance(bare, tuple) and isinstance(bare[0], list)):
        return bare
    return ([line for line in bare[0] if not str(line).startswith(CONFINED)], *bare[1:])


def give_up():
    """After a failure: what was started ends, whatever it does."""
    while LIVE:
        run = LIVE.pop()
        if run.events and run.events[-1].startswith("ended"):
            continue
        os.kill(run.pid, signal.SIGKILL)
        os.waitpid(run.pid, 0)


def judge(case, mode, bare):
    try:
        other = case(mode)
    except (Broken, OSError) as why:
        give_up()
        return str(why)
    bare = comparable(case, mode, bare)
    return None if bare == other else difference(bare, other)


def main():
    number = failed = 0
    for case in CASES:
        name = case.__name__.replace("_", " ")
        bare = case("bare")
        for mode in MODES:
            number += 1
            why = judge(case, mode, bare)
            failed += why is not None
            print(f"{'not ok' if why else 'ok'} {number} - {name}: {mode}", flush=True)
            if why:
                print(f"# {why}", flush=True)
    print(f"1..{number}")
    return 1 if failed else 0


def prepared(place):
    """A project to stand in, with nothing of the caller's."""
    global HOLD
    home, project = os.path.join(place, "home"), os.path.join(place, "project")
    os.makedirs(home)
    os.makedirs(os.path.join(project, ".git"))
    os.makedirs(os.path.join(project, "below"))
    shutil.copy(PROBE, os.path.join(project, "probe"))
    kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
    os.environ.clear()
    os.environ.update(kept, HOME=home, LANG="C.UTF-8", TMPDIR=place, SECRET_TOKEN="x",
                      XDG_CONFIG_HOME=os.path.join(home, "config"),
                      XDG_STATE_HOME=os.path.join(home, "state"))
    os.chdir(project)
    # an input that never ends and never says anything
    HOLD, _ = os.pipe()
    return main()


if __name__ == "__main__":
    HOLD = -1
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(prepared(os.path.realpath(folder)))
