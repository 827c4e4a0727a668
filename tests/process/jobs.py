# SPDX-License-Identifier: MIT
"""A terminal with a session leader, an outsider's job and a command. Prints the command's output,
and then the state of the outsider, or "gone".

    jobs.py WHERE COMMAND...      WHERE: foreground or background, where the command is started
"""
import os, pty, signal, sys, time


def start(argv, front):
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.close(write)
        os.read(read, 1)
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(argv[0], argv)
    os.close(read)
    os.setpgid(pid, pid)
    if front:
        os.tcsetpgrp(0, pid)
    os.close(write)
    return pid


def state(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "gone"


def lead(where, command):
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    outsider = start(["sleep", "60"], where == "background")
    os.environ["OUTSIDER"] = str(outsider)
    job = start(command, where == "foreground")
    for _ in range(100):
        ended, status = os.waitpid(job, os.WNOHANG | os.WUNTRACED)
        if ended:
            break
        time.sleep(0.1)
    time.sleep(0.2)
    now = "gone" if os.waitpid(outsider, os.WNOHANG)[0] else state(outsider)
    front = "outsider" if os.tcgetpgrp(0) == outsider else "other"
    print(f"OUTSIDER {now} {front}", flush=True)
    for pid in outsider, job:
        try:
            os.killpg(pid, signal.SIGKILL)
        except OSError:
            pass
    os._exit(0)


pid, terminal = pty.fork()
if pid == 0:
    lead(sys.argv[1], sys.argv[2:])
try:
    while text := os.read(terminal, 4096):
        sys.stdout.buffer.write(text.replace(b"\r", b""))
        sys.stdout.flush()
except OSError:
    pass
os.waitpid(pid, 0)
