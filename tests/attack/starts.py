# SPDX-License-Identifier: MIT
"""Sandboxes are started while the targets of their paths change.

usage: starts.py [STARTS]

Outside, a process exchanges folders of the project with links to a folder that is not granted, as
fast as it can. Each sandbox then tries to change, make, move and remove files by those names.
Whether it starts or is refused, nothing in that folder may change. CORDON names the program. TAP on
standard output.
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORDON = os.environ.get("CORDON") or os.path.join(HERE, "../../build/cordon")
libc = ctypes.CDLL(None, use_errno=True)
EXCHANGE = 2
SCRIPT = ("cd / && for d in {p}/job {p}/deep/er {p}; do echo x >>$d/canary; echo x >$d/made; rm -f $d/canary; "
          "chmod 777 $d/canary; mv $d/canary $d/gone; mkdir $d/folder; ln -s x $d/link; done; "
          "cat {p}/job/canary; cat {p}/deep/er/canary")


def furnish(top):
    project, outside = os.path.join(top, "p"), os.path.join(top, "outside")
    for folder in ("p/.git", "p/job", "p/deep/er", "outside"):
        os.makedirs(os.path.join(top, folder))
    for name in ("canary", "other"):
        with open(os.path.join(outside, name), "w", encoding="ascii") as f:
            f.write("unchanged, unread")
    os.symlink(outside, os.path.join(top, "link1"))
    os.symlink(outside, os.path.join(project, "link2"))
    os.symlink("../../outside", os.path.join(project, "deep", "link3"))
    return project, outside


def exchange_for_ever(top):
    pairs = [("p/job", "link1"), ("p/job", "p/link2"), ("p/deep/er", "p/deep/link3"), ("p/deep", "p/link2")]
    paths = [tuple(os.path.join(top, name).encode() for name in pair) for pair in pairs]
    while True:
        for a, b in paths:
            libc.renameat2(-100, a, -100, b, EXCHANGE)


def picture(outside):
    said = []
    for name in sorted(os.listdir(outside)) + [""]:
        path = os.path.join(outside, name)
        st = os.lstat(path)
        text = open(path, "rb").read() if name and os.path.isfile(path) else b""
        said.append((name, oct(st.st_mode), st.st_ctime_ns, text))
    return said


def start(project, number):
    """Did it run, and what did it say? That must not be what is written out there."""
    options = [["--write", project + "/job"], ["--read", project + "/deep"], [], ["--protect", project + "/deep/er"]]
    cordon = [CORDON, "run", "-q", "-C", project, *options[number % 4], "--"] if number >= 0 else []
    done = subprocess.run([*cordon, "sh", "-c", SCRIPT.format(p=project)], capture_output=True, text=True,
                          check=False, cwd=project, timeout=300, stdin=subprocess.DEVNULL)
    return done.returncode != 125, "unread" in done.stdout


def tried(numbers, until_changed):
    """How many of these ran, how many read what is outside, and whether it is changed."""
    top = os.path.realpath(tempfile.mkdtemp(prefix="cordon-starts-"))
    project, outside = furnish(top)
    before = picture(outside)
    swapper = os.fork()
    if swapper == 0:
        exchange_for_ever(top)
    ran = read = 0
    try:
        for number in numbers:
            started, has_read = start(project, number)
            ran += started
            read += has_read
            if until_changed and picture(outside) != before:
                break
    finally:
        os.kill(swapper, signal.SIGKILL)
        os.waitpid(swapper, 0)
    changed = picture(outside) != before
    shutil.rmtree(top)
    return ran, read, changed


def main():
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    free = tried([-1] * 1000, True)
    ran, read, changed = tried(range(starts), False)
    print(f"# {starts} starts, {ran} of them ran, {read} read what is outside; free: {free}")
    print(f"{'' if free[2] else 'not '}ok 1 without cordon it changes")
    print(f"{'not ' if changed or read or not ran else ''}ok 2 {starts} starts while paths lead here and there\n1..2")
    return 0 if free[2] and ran and not read and not changed else 1


sys.exit(main())
