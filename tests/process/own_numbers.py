# SPDX-License-Identifier: MIT
"""Sets priorities and limits of processes and threads by pid or tid.

usage: own_numbers.py PID...

First of the caller, its thread and its child, each of which must succeed; then of its parent and
the named processes: prints the calls that were refused for each, or "none".
"""
import ctypes
import os
import resource
import subprocess
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)
IOPRIO_SET = {"x86_64": 251, "aarch64": 30}[os.uname().machine]
IDLE_CLASS = 3 << 13


def ioprio_set(number):
    if libc.syscall(IOPRIO_SET, 1, number, IDLE_CLASS) < 0:
        why = ctypes.get_errno()
        raise OSError(why, os.strerror(why))


calls = {
    "setpriority": lambda number: os.setpriority(os.PRIO_PROCESS, number, 19),
    "sched_setscheduler": lambda number: os.sched_setscheduler(
        number, os.SCHED_BATCH, os.sched_param(0)),
    "sched_setparam": lambda number: os.sched_setparam(number, os.sched_param(0)),
    "ioprio_set": ioprio_set,
    "prlimit": lambda number: resource.prlimit(number, resource.RLIMIT_CORE, (0, 0)),
}


def refused(number):
    names = []
    for name, call in calls.items():
        try:
            call(number)
        except PermissionError:
            names.append(name)
    return " ".join(names) or "none"


done = threading.Event()
numbers = []
other = threading.Thread(target=lambda: (numbers.append(threading.get_native_id()), done.wait()))
other.start()
with subprocess.Popen(["sleep", "60"]) as child:
    for own in (os.getpid(), threading.get_native_id(), numbers[0], child.pid):
        if refused(own) != "none":
            sys.exit("own %d: %s" % (own, refused(own)))
    child.kill()
done.set()
for outside in [os.getppid()] + [int(text) for text in sys.argv[1:]]:
    print(refused(outside))
