# SPDX-License-Identifier: MIT
"""Runs a command in a sandbox that reaches only the files, hosts and sockets you allow.

    ended = cordon.run(["npm", "ci"], options=["-p", "node", "--domain", "registry.example.com"])
    print(ended.status, [event["subject"] for event in ended.refused])

    with cordon.start(["make"]) as session:
        for event in session:
            print(event["event"])
    print(session.ended.status)

The events are those of cordon.events.schema.json. cordon.aio has the same for asyncio.
"""
from __future__ import annotations

import os
import subprocess
from types import TracebackType
from typing import IO, Any, Iterator, List, Optional, Sequence, Type

from ._session import (CordonError, CordonLost, CordonNotStarted, CordonUnsupported, Ended, Event, Word,
                       command_line, judge_end, program_path, read_event, refuse_pipes)

__all__ = ["CordonError", "CordonLost", "CordonNotStarted", "CordonUnsupported", "Ended", "Event", "Session",
           "program_path", "run", "start"]


class Session:
    """A running command. Iterating yields each event once, and raises at the end what wait() raises."""

    def __init__(self, process: "subprocess.Popen[bytes]", lines: IO[bytes]) -> None:
        self.process = process
        self._lines = lines
        self._events: List[Event] = []
        self._ended: Optional[Ended] = None

    def __iter__(self) -> Iterator[Event]:
        for line in self._lines:
            try:
                event = read_event(line)
            except CordonLost:
                self.process.kill()
                raise
            self._events.append(event)
            yield event
        self._lines.close()
        self._ended = judge_end(self._events, self.process.wait())

    def wait(self) -> Ended:
        """Reads the remaining events; returns how the session ended. Read pipes of the command before."""
        if self._ended is None and not self._lines.closed:
            for _ in self:
                pass
        return self.ended

    @property
    def ended(self) -> Ended:
        """Raises if the command was not started or has not ended."""
        if self._ended is None:
            if not self._lines.closed:
                raise RuntimeError("the session has not ended")
            self._ended = judge_end(self._events, self.process.wait())
        return self._ended

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        """Ends what still runs: after an error the command, else waits for it."""
        if kind is not None and self.process.poll() is None:
            self.process.terminate()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and kind is not None:
                pipe.close()
        if kind is None:
            self.wait()
        else:
            self._lines.close()
            self.process.wait()


def start(argv: Sequence[Word], options: Sequence[Word] = (), *, program: Optional[Word] = None,
          **popen: Any) -> Session:
    """Starts a command in a sandbox.

    options are those of `cordon run`. popen are cwd, env, stdin, stdout and stderr of subprocess.Popen.
    """
    reader, writer = os.pipe()
    try:
        process = subprocess.Popen(command_line(program, writer, argv, options), pass_fds=[writer], **popen)
    except OSError as error:
        os.close(reader)
        raise CordonNotStarted(f"cordon cannot be started: {error}") from error
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    return Session(process, os.fdopen(reader, "rb"))


def run(argv: Sequence[Word], options: Sequence[Word] = (), *, program: Optional[Word] = None,
        **popen: Any) -> Ended:
    """Runs a command in a sandbox until it has ended. Raises CordonNotStarted, CordonLost or CordonUnsupported."""
    refuse_pipes(popen)
    with start(argv, options, program=program, **popen) as session:
        return session.wait()
