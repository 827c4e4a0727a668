#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""SESSIONS sessions write the log at once: every line is whole, and none is lost.

    events_load.py SESSIONS [REFUSALS]

Each command waits until all have started, and is then refused REFUSALS files (default 5). HOME,
XDG_STATE_HOME and the working directory are the caller's. Prints what was counted.
"""
import glob
import json
import os
import subprocess
import sys
import time

CORDON = os.environ["CORDON"]
COMMAND = ('until [ -e go ]; do sleep 0.2; done; i=0\n'
           'while [ $i -lt "$1" ]; do echo x >"$2/$3-$i"; i=$((i + 1)); done 2>/dev/null; exit 3')


def log_lines(finished=True):
    """Whole lines of every log; a line that is cut is an error, unless sessions still write."""
    lines = []
    for path in glob.glob(os.path.join(os.environ["XDG_STATE_HOME"], "cordon", "audit", "shell-*.log")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert not finished or text == "" or text.endswith("\n"), "the last line is cut"
        lines += [json.loads(line) for line in text.split("\n")[:-1]]
    return lines


def begun():
    """The number of sessions in the log."""
    return sum(line["event"] == "start" for line in log_lines(finished=False))


def main(sessions, refusals):
    """The status is 0 if nothing was lost."""
    before = begun()
    started = time.monotonic()
    running = [subprocess.Popen([CORDON, "run", "-q", "--", "sh", "-c", COMMAND, "sh", str(refusals),
                                 os.environ["HOME"], str(i)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for i in range(sessions)]
    while begun() < before + sessions:
        assert time.monotonic() - started < 500, "not all have started"
        time.sleep(0.5)
    with open("go", "w", encoding="utf-8"):
        pass
    status = [process.wait() for process in running]
    lines = log_lines()
    ends = [line for line in lines if line["event"] == "end"]
    refused = {(line["session"], line["subject"]) for line in lines if line["event"] == "refused"}
    print("%d sessions at once: %d starts, %d refusals, %d ends, %.1f s" % (
        sessions, begun(), len(refused), len(ends), time.monotonic() - started))
    assert status == [3] * sessions, status
    assert begun() == len(ends) == before + sessions
    assert len(refused) == sessions * refusals, len(refused)
    assert all(end["refused"] == refusals for end in ends)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5))
