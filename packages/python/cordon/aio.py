# SPDX-License-Identifier: MIT
"""The functions of cordon for asyncio.

    async with await cordon.aio.start(["make"]) as session:
        async for event in session:
            print(event["event"])
    print((await session.wait()).status)
"""
from __future__ import annotations

import asyncio
import os
from types import TracebackType
from typing import Any, AsyncIterator, List, Optional, Sequence, Type

from ._session import (CordonLost, CordonNotStarted, Ended, Event, Word, command_line, judge_end, read_event,
                       refuse_pipes)

__all__ = ["Session", "run", "start"]

_LINE_MAX = 1 << 24


class Session:
    """A running command. Iterating yields each event once, and raises at the end what wait() raises."""

    def __init__(self, process: asyncio.subprocess.Process, lines: asyncio.StreamReader,
                 transport: asyncio.BaseTransport) -> None:
        self.process = process
        self._lines = lines
        self._transport = transport
        self._events: List[Event] = []
        self._over = False

    async def __aiter__(self) -> AsyncIterator[Event]:
        while line := await self._lines.readline():
            try:
                event = read_event(line)
            except CordonLost:
                self.process.kill()
                raise
            self._events.append(event)
            yield event
        self._over = True
        judge_end(self._events, await self.process.wait())

    async def wait(self) -> Ended:
        """Reads the remaining events; returns how the session ended. Read pipes of the command before."""
        if not self._over:
            async for _ in self:
                pass
        return judge_end(self._events, await self.process.wait())

    async def __aenter__(self) -> "Session":
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        """Ends what still runs: after an error or a cancellation the command, else waits for it."""
        try:
            if kind is None:
                await self.wait()
        finally:
            if self.process.returncode is None:
                self.process.terminate()
                await self.process.wait()
            self._transport.close()


async def start(argv: Sequence[Word], options: Sequence[Word] = (), *, program: Optional[Word] = None,
                **popen: Any) -> Session:
    """Starts a command in a sandbox; as cordon.start()."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=_LINE_MAX, loop=loop)
    reader, writer = os.pipe()
    try:
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(lines, loop=loop), os.fdopen(reader, "rb"))
        try:
            process = await asyncio.create_subprocess_exec(
                *command_line(program, writer, argv, options), pass_fds=[writer], **popen)
        except OSError as error:
            transport.close()
            raise CordonNotStarted(f"cordon cannot be started: {error}") from error
        except BaseException:
            transport.close()
            raise
    finally:
        os.close(writer)
    return Session(process, lines, transport)


async def run(argv: Sequence[Word], options: Sequence[Word] = (), *, program: Optional[Word] = None,
              **popen: Any) -> Ended:
    """Runs a command in a sandbox until it has ended; a cancellation ends the command."""
    refuse_pipes(popen)
    async with await start(argv, options, program=program, **popen) as session:
        return await session.wait()
