# SPDX-License-Identifier: MIT
"""The races and the parallel load of attack.py and attack_reads.py, and of sockets, for a long time.

usage: soak.py [ROUNDS [SECONDS [KIND...]]]

CORDON names the program. If it was built with a sanitizer, that must report nothing. TAP on standard output.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
CORDON = os.environ.get("CORDON") or os.path.join(HERE, "../../build/cordon")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
SANITIZERS = ("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")


def furnish(project):
    for folder in ("kept", "sub", "free"):
        os.makedirs(os.path.join(project, folder))
    for name, text in (("kept/file", "secret"), ("kept/.env", "secret"), (".env", "secret"),
                       ("sub/.env", "secret"), ("free/f", "fine"), ("sub/a", "fine")):
        with open(os.path.join(project, name), "w", encoding="ascii") as f:
            f.write(text)
    for script in ("attack.py", "attack_reads.py", "busy.py", "../net/unix.py", "../net/probe.py"):
        shutil.copy(os.path.join(HERE, script), project)


def serve(family, address, name, reached):
    """A server that says its name, and counts; its address."""
    listener = socket.socket(family)
    listener.bind(address)
    listener.listen(100)

    def answer():
        while True:
            with listener.accept()[0] as client:
                reached[name] = reached.get(name, 0) + 1
                try:
                    client.send(name.encode())
                except OSError:
                    pass

    threading.Thread(target=answer, daemon=True).start()
    return listener.getsockname()


def command_of(kind, number, folder, reached):
    """Options and command; what it attacks is beside the project where it is no file in it."""
    if kind == "connect":
        paths = [os.path.join(folder, name) for name in ("denied", "allowed")]
        for path in paths:
            serve(socket.AF_UNIX, path, os.path.basename(path), reached)
        return ["--socket", paths[1], "--", PYTHON, "unix.py", "flip", *paths, str(number), "r"]
    if kind == "connect_port":
        ports = [str(serve(socket.AF_INET, ("127.0.0.1", 0), name, reached)[1])
                 for name in ("allowed", "denied")]
        return ["--net", "localhost:" + ports[0], "--", PYTHON, "probe.py", "flip", *ports, "0", str(number)]
    if kind.startswith("busy"):
        return busy(kind, number, folder, reached)
    if kind == "race_rounds":
        return ["--protect", "kept", "--", PYTHON, "attack.py", kind, str(number)]
    return ["--deny", "kept", "--deny", "**/.env", "--", PYTHON, "attack_reads.py", kind, str(number)]


def busy(kind, seconds, folder, reached):
    """Everything at once; with sandboxes inside, which are this very program."""
    names = ("allowed", "denied")
    paths = [os.path.join(folder, name) for name in names]
    for name, path in zip(names, paths):
        serve(socket.AF_UNIX, path, name, reached)
    ports = [str(serve(socket.AF_INET, ("127.0.0.1", 0), name, reached)[1]) for name in names]
    passing = [word for name in ("CORDON=" + CORDON, *SANITIZERS) for word in ("--env", name)]
    network = ["--domain", "a.test"] if kind == "busy_domains" else ["--net", "localhost:" + ports[0]]
    return ["--deny", "**/.env", "--protect", "kept", "--socket", paths[0], *network, *passing,
            "--execute", os.path.dirname(CORDON), "--", PYTHON, "busy.py", kind, str(seconds), *paths, *ports]


def environment_of(kind, report):
    """Whatever a sanitizer says goes to files; it need not come first, and sees no leaks where it cannot trace."""
    options = f"log_path={report}:verify_asan_link_order=0"
    more = {"CORDON": CORDON, **{name: options for name in SANITIZERS}}
    if kind.startswith("busy"):
        more["ASAN_OPTIONS"] = options + ":detect_leaks=0"
    if kind == "busy_older":
        more.update(LD_PRELOAD=os.path.join(os.path.dirname(CORDON), "tests/attack/older.so"), OLDER_ABI="5")
    return {**os.environ, **more}


def is_whole(project, reached):
    with open(os.path.join(project, "kept/file"), encoding="ascii") as f:
        return f.read() == "secret" and "denied" not in reached


def attack(kind, number):
    """True if no race was won and no test failed."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="cordon-soak-"))
    project = os.path.join(folder, "p")
    furnish(project)
    reached = {}
    # the broker has no standard error; what it may write is in the project
    report = os.path.join(project, "report")
    try:
        done = subprocess.run(
            [CORDON, "run", "-q", "-C", project, *command_of(kind, number, folder, reached)], capture_output=True, text=True, check=False, cwd=project,
            stdin=subprocess.DEVNULL, env=environment_of(kind, report))
        whole = is_whole(project, reached)
        reports = [name for name in os.listdir(project) if name.startswith("report")]
        for name in reports:
            with open(os.path.join(project, name), encoding="utf-8", errors="replace") as f:
                print("".join("# " + line for line in f))
    finally:
        shutil.rmtree(folder)
    print("#", kind, done.returncode, done.stdout.strip().replace("\n", "; "))
    for line in done.stderr.splitlines():
        print("#", line)
    return done.returncode == 0 and whole and not reports


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    kinds = [("flip", rounds), ("flip_names", rounds), ("race_rounds", rounds // 4), ("connect", rounds),
             ("connect_port", rounds), ("swap", rounds // 8), ("crowd", seconds)]
    kinds += [(kind, seconds) for kind in ("busy", "busy_domains", "busy_older")]
    kinds = [(kind, number) for kind, number in kinds if kind in sys.argv[3:] or not sys.argv[3:]]
    failed = 0
    for i, (kind, number) in enumerate(kinds):
        ok = attack(kind, number)
        failed += not ok
        print(f"{'' if ok else 'not '}ok {i + 1} {kind} {number}", flush=True)
    print(f"1..{len(kinds)}")
    return 1 if failed else 0


sys.exit(main())
