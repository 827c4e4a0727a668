# SPDX-License-Identifier: MIT
"""What the blocking and the asyncio functions share: the program, its command line, and how an end is judged.

The command itself is never started here: without the program there is an error by name.
"""
from __future__ import annotations

import dataclasses
import json
import os
import platform
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence, Union

Event = Dict[str, Any]
Word = Union[str, "os.PathLike[str]"]


class CordonError(Exception):
    """status is the exit status of cordon, if it had one: 125, or 126 or 127 for the command's name."""

    def __init__(self, message: str, status: Optional[int] = None) -> None:
        super().__init__(message)
        self.status = status


class CordonUnsupported(CordonError):
    """There is no program for this system or processor."""


class CordonNotStarted(CordonError):
    """cordon did not start the command."""


class CordonLost(CordonError):
    """cordon was killed; its guard ends the command."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a session ended. status is cordon's exit status, or -N if signal N ended cordon, too."""

    status: int
    cause: str
    signal: Optional[int]
    events: List[Event]

    @property
    def refused(self) -> List[Event]:
        return [event for event in self.events if event["event"] == "refused"]

    @property
    def changed(self) -> List[Event]:
        return [event for event in self.events if event["event"] in ("changed", "planted")]


def program_path() -> str:
    """The static program of this package."""
    machine = platform.machine()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"Linux-{machine}", "cordon")
    if not sys.platform.startswith("linux") or not os.path.isfile(path):
        raise CordonUnsupported(f"cordon has no program for {sys.platform} {machine}")
    return path


def _words(name: str, words: Sequence[Word]) -> List[str]:
    if isinstance(words, (str, bytes)):
        raise TypeError(f"{name} must be a list of words, not one string")
    return [os.fspath(word) for word in words]


def command_line(program: Optional[Word], status_fd: int, argv: Sequence[Word], options: Sequence[Word]) -> List[str]:
    command, given = _words("argv", argv), _words("options", options)
    if not command:
        raise ValueError("argv is empty")
    if "--" in given:
        raise ValueError('options must not contain "--"')
    path = program_path() if program is None else os.fspath(program)
    return [path, "run", "-q", "--status-fd", str(status_fd), *given, "--", *command]


def refuse_pipes(popen: Dict[str, Any]) -> None:
    """run() would wait for a command that waits for a reader."""
    if subprocess.PIPE in (popen.get("stdin"), popen.get("stdout"), popen.get("stderr")):
        raise ValueError("run() reads no pipe; use start(), or a file")


def read_event(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    if not isinstance(event, dict) or "event" not in event:
        raise CordonLost("cordon wrote a line that is no event")
    return event


def judge_end(events: List[Event], status: int) -> Ended:
    """Raises if the command was not started, or if nothing says how it ended."""
    if not events and status >= 0:
        raise CordonNotStarted(
            f"cordon ended with status {status} and started nothing; its message is on standard error", status)
    last = events[-1] if events else {"event": "none"}
    if last["event"] != "end":
        how = f"status {status}" if status >= 0 else f"signal {-status}"
        raise CordonLost(f"cordon was ended by {how}; its guard ends the command", status)
    if last["cause"] == "not started":
        raise CordonNotStarted(last["error"], status)
    return Ended(status, last["cause"], last.get("signal"), events)
