# SPDX-License-Identifier: MIT
"""An answer to a call preserves the affinity of the caller, also one set by hand.

Every open is supervised here. After each the caller and its children check their affinity, which
must be the CPUs that were named: this program's own start was answered already.

  places.py PROCESSOR...
"""
import os
import sys
import threading

ROUNDS = 400
mine = {int(number) for number in sys.argv[1:]}


def must_be(places, when):
    now = os.sched_getaffinity(0)
    if now != places:
        sys.exit(f"{when}: {sorted(now)} instead of {sorted(places)}")


def child(places):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if os.sched_getaffinity(0) == places else 1)
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit("a child has other processors")


def opens(places):
    for i in range(ROUNDS):
        os.close(os.open("file", os.O_RDONLY))
        must_be(places, "after an open")
        os.close(os.open(f"new{i}", os.O_WRONLY | os.O_CREAT))
        must_be(places, "after a file was made")
        if i % 20 == 0:
            child(places)
        os.unlink(f"new{i}")


def with_threads(places):
    """Others open meanwhile, and have their processors moved about; who forks and who is left has its own."""
    done = threading.Event()
    wrong = []

    def open_often():
        while not done.is_set():
            os.close(os.open("file", os.O_RDONLY))
        # what was set while it was in a call may be lost, what is set now is not
        os.sched_setaffinity(0, {max(mine)})
        os.close(os.open("file", os.O_RDONLY))
        if os.sched_getaffinity(0) != {max(mine)}:
            wrong.append(threading.get_native_id())

    threads = [threading.Thread(target=open_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(ROUNDS // 4):
        for thread in threads:
            os.sched_setaffinity(thread.native_id, mine if i % 2 else {min(mine)})
        os.close(os.open("file", os.O_RDONLY))
        must_be(places, "beside threads")
        if i % 20 == 0:
            child(places)
    done.set()
    for thread in threads:
        thread.join()
    if wrong:
        sys.exit("a thread lost its choice")


opens(mine)
with_threads(mine)
os.sched_setaffinity(0, {min(mine)})
opens({min(mine)})
