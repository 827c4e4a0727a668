#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs one command by cordon, as a harness for agents does, and says as JSON what became of it.

    examples/harness.py [OPTION of `cordon run`...] -- COMMAND [ARGUMENT...]

Its output goes to a file, so that nobody waits for a reader. The lines about the session come over a
pipe of their own, which nothing inside has: what the command prints can never pass for one of them.
"""
import json
import os
import subprocess
import sys
import tempfile


def run(command, options=()):
    """How it ended, what was refused, which files that run later it changed, and what it said."""
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(["cordon", "run", "-q", "--status-fd", str(writer), *options, "--", *command],
                              stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                              pass_fds=[writer]) as process:
            os.close(writer)
            with os.fdopen(reader, encoding="utf-8") as lines:
                events = [json.loads(line) for line in lines]
        output.seek(0)
        said = output.read().decode(errors="replace")
    end = events[-1] if events and events[-1]["event"] == "end" else {}
    return {
        # without an end there was no session at all: a misused option, or cordon was killed
        "cause": end.get("cause", "not started"),
        "status": process.returncode,
        "error": end.get("error"),
        "refused": [(e["what"], e["subject"], e["reason"], e.get("allow"))
                    for e in events if e["event"] == "refused"],
        "changed": [(e["what"], e["subject"]) for e in events if e["event"] in ("changed", "planted")],
        "output": said,
    }


def main():
    if "--" not in sys.argv[1:-1]:
        sys.exit(__doc__)
    at = sys.argv.index("--")
    print(json.dumps(run(sys.argv[at + 1:], sys.argv[1:at]), indent=2))


if __name__ == "__main__":
    main()
