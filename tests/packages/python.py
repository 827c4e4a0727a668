# SPDX-License-Identifier: MIT
"""The cases of python.bats. What must be refused succeeds without cordon.

    python.py CASE blocking|aio
"""
import asyncio
import os
import platform
import signal
import subprocess
import sys
import time

import cordon
import cordon.aio

OUTSIDE = os.path.join(os.environ["HOME"], "outside")
MADE = os.path.abspath("made")
TOUCH = ["touch", MADE]
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Blocking:
    """Each way to call the package has the same four methods."""
    run = staticmethod(cordon.run)

    @staticmethod
    def watch(argv, react=lambda event, session: None, **how):
        seen = []
        with cordon.start(argv, **how) as session:
            for event in session:
                seen.append(event["event"])
                react(event, session)
        return seen, session.ended

    @staticmethod
    def leave(argv, started):
        try:
            with cordon.start(argv):
                until(started)
                raise KeyError("the caller's own error")
        except KeyError:
            return
        raise AssertionError("the error was lost")

    @staticmethod
    def lose(argv, started):
        with cordon.start(argv) as session:
            until(started)
            session.process.kill()
            session.wait()


class Aio:
    """The same with asyncio."""
    @staticmethod
    def run(argv, *rest, **how):
        return asyncio.run(cordon.aio.run(argv, *rest, **how))

    @staticmethod
    def watch(argv, react=lambda event, session: None, **how):
        async def main():
            seen = []
            async with await cordon.aio.start(argv, **how) as session:
                async for event in session:
                    seen.append(event["event"])
                    react(event, session)
            return seen, await session.wait()
        return asyncio.run(main())

    @staticmethod
    def leave(argv, started):
        async def main():
            task = asyncio.create_task(cordon.aio.run(argv))
            while not started():
                await asyncio.sleep(0.05)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return
            raise AssertionError("the cancellation was lost")
        asyncio.run(main())

    @staticmethod
    def lose(argv, started):
        async def main():
            async with await cordon.aio.start(argv) as session:
                while not started():
                    await asyncio.sleep(0.05)
                session.process.kill()
                await session.wait()
        asyncio.run(main())


def fails(kind, function, *arguments, status=None, **how):
    """The call raises exactly that, and nothing of the command has run."""
    try:
        function(*arguments, **how)
    except Exception as error:
        assert type(error) is kind, f"expected {kind.__name__}, not {error!r}"
        assert status is None or error.status == status, error.status
        assert not os.path.exists(MADE), "the command ran"
        return error
    raise AssertionError(f"no {kind.__name__}")


def until(check):
    for _ in range(400):
        if check():
            return
        time.sleep(0.05)
    raise AssertionError("never")


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return ") Z " not in file.read()
    except OSError:
        return False


def pid_of_command():
    try:
        with open("pid", encoding="ascii") as file:
            text = file.read()
    except OSError:
        return 0
    return int(text) if text.endswith("\n") else 0


SLEEP = ["sh", "-c", "echo $$ >pid; exec sleep 60"]


def refuses(way):
    assert subprocess.call(["touch", OUTSIDE]) == 0
    os.unlink(OUTSIDE)
    ended = way.run(["touch", OUTSIDE], **QUIET)
    assert ended.status == 1
    assert [(event["what"], event["subject"]) for event in ended.refused] == [("create", OUTSIDE)]
    assert not os.path.exists(OUTSIDE)
    with open(OUTSIDE, "w", encoding="ascii"):
        pass
    assert way.run(["sh", "-c", f"echo >{OUTSIDE}"], ["--write", OUTSIDE]).status == 0
    assert os.path.getsize(OUTSIDE) == 1


def ends(way):
    ended = way.run(["sh", "-c", "exit 3"])
    assert (ended.status, ended.cause, ended.signal) == (3, "exit", None)
    assert [event["event"] for event in ended.events] == ["start", "end"]
    ended = way.run(["sh", "-c", "kill -KILL $$"])
    assert (ended.status, ended.cause, ended.signal) == (137, "signal", 9)
    ended = way.run(["sleep", "60"], ["--time", "1s"])
    assert (ended.status, ended.cause) == (124, "time")


def streams(way):
    def react(event, session):
        if event["event"] == "refused":
            session.process.stdin.write(b"go on\n")
            session.process.stdin.close()
    seen, ended = way.watch(["sh", "-c", f"touch {OUTSIDE}; read line; exit 5"], react,
                            stdin=subprocess.PIPE, **QUIET)
    assert seen == ["start", "refused", "end"], seen
    assert ended.status == 5


def not_started(way):
    options = ["--read", os.path.join(os.environ["HOME"], "missing")]
    assert "cannot grant" in str(fails(cordon.CordonNotStarted, way.run, TOUCH, options, status=125, **QUIET))
    fails(cordon.CordonNotStarted, way.watch, TOUCH, options=options, status=125, **QUIET)
    fails(cordon.CordonNotStarted, way.run, TOUCH, cwd="/missing")


def misused(way):
    for options in (["--nope"], ["--read"]):
        fails(cordon.CordonNotStarted, way.run, TOUCH, options, status=125, **QUIET)


def not_found(way):
    fails(cordon.CordonNotStarted, way.run, ["no-such-command"], status=127, **QUIET)
    with open("plain", "w", encoding="ascii") as file:
        file.write("echo\n")
    fails(cordon.CordonNotStarted, way.run, ["./plain"], status=126, **QUIET)


def other_program(way):
    with open("plain", "w", encoding="ascii"):
        pass
    with open("talks", "w", encoding="ascii") as file:
        file.write('#!/bin/sh\neval "echo nonsense >&$4"\nexec sleep 60\n')
    os.chmod("talks", 0o755)
    fails(cordon.CordonNotStarted, way.run, TOUCH, program="/missing")
    fails(cordon.CordonNotStarted, way.run, TOUCH, program=os.path.abspath("plain"))
    fails(cordon.CordonNotStarted, way.run, TOUCH, program="/bin/true", status=0)
    fails(cordon.CordonLost, way.run, TOUCH, program=os.path.abspath("talks"))


def lost(way):
    fails(cordon.CordonLost, way.lose, SLEEP, pid_of_command, status=-signal.SIGKILL)
    until(lambda: not is_alive(pid_of_command()))


def left(way):
    way.leave(SLEEP, pid_of_command)
    assert pid_of_command()
    until(lambda: not is_alive(pid_of_command()))


def unsupported(way):
    for module, name, value in ((platform, "machine", lambda: "mips"), (sys, "platform", "win32")):
        before = getattr(module, name)
        setattr(module, name, value)
        fails(cordon.CordonUnsupported, cordon.run, TOUCH)
        setattr(module, name, before)
    path = cordon.program_path()
    os.rename(path, path + ".away")
    fails(cordon.CordonUnsupported, way.run, TOUCH)
    os.rename(path + ".away", path)


def bad_arguments(way):
    for argv, options in (("true", ()), ([], ()), ([1], ()), (["a\0b"], ()), (TOUCH, "-v"), (TOUCH, ["-v", "--", "sh"])):
        try:
            way.run(argv, options)
        except (TypeError, ValueError):
            continue
        raise AssertionError((argv, options))
    fails(ValueError, way.run, TOUCH, stdout=subprocess.PIPE)


def descriptors(way):
    way.run(["true"])
    before = os.listdir("/proc/self/fd")
    way.run(["true"])
    for arguments in ({"program": "/missing"}, {"options": ["--nope"]}, {"cwd": "/missing"}):
        fails(cordon.CordonNotStarted, way.run, TOUCH, **arguments, stderr=subprocess.DEVNULL)
    assert os.listdir("/proc/self/fd") == before


globals()[sys.argv[1]]({"blocking": Blocking, "aio": Aio}[sys.argv[2]])
