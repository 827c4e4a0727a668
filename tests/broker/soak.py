# SPDX-License-Identifier: MIT
"""The races and the crowd of attack_reads.py, for as long as it takes to believe them.

usage: soak.py [ROUNDS [SECONDS]]

CORDON names the program; one built with a sanitizer must report nothing. TAP on standard output.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORDON = os.environ.get("CORDON") or os.path.join(HERE, "../../build/cordon")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable


def furnish(project):
    for folder in ("kept", "sub", "free"):
        os.makedirs(os.path.join(project, folder))
    for name, text in (("kept/file", "secret"), ("kept/.env", "secret"), (".env", "secret"),
                       ("sub/.env", "secret"), ("free/f", "fine"), ("sub/a", "fine")):
        with open(os.path.join(project, name), "w", encoding="ascii") as f:
            f.write(text)
    shutil.copy(os.path.join(HERE, "attack_reads.py"), project)


def attack(kind, number):
    """True when nothing got through and nobody complained."""
    folder = os.path.realpath(tempfile.mkdtemp(prefix="cordon-soak-"))
    project = os.path.join(folder, "p")
    furnish(project)
    # the broker has no standard error; what it may write is in the project
    report = os.path.join(project, "report")
    environment = dict(os.environ, ASAN_OPTIONS=f"log_path={report}", TSAN_OPTIONS=f"log_path={report}",
                       UBSAN_OPTIONS=f"log_path={report}")
    try:
        done = subprocess.run(
            [CORDON, "run", "-q", "-C", project, "--deny", "kept", "--deny", "**/.env", "--", PYTHON,
             "attack_reads.py", kind, str(number)], capture_output=True, text=True, check=False, cwd=project,
            stdin=subprocess.DEVNULL, env=environment)
        reports = [name for name in os.listdir(project) if name.startswith("report")]
        for name in reports:
            with open(os.path.join(project, name), encoding="utf-8", errors="replace") as f:
                print("".join("# " + line for line in f))
    finally:
        shutil.rmtree(folder)
    print("#", kind, done.returncode, done.stdout.strip().replace("\n", "; "))
    for line in done.stderr.splitlines():
        print("#", line)
    return done.returncode == 0 and not reports


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000000
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    kinds = [("flip", rounds), ("flip_names", rounds // 2), ("swap", rounds // 8), ("crowd", seconds)]
    failed = 0
    for i, (kind, number) in enumerate(kinds):
        ok = attack(kind, number)
        failed += not ok
        print(f"{'' if ok else 'not '}ok {i + 1} {kind} {number}", flush=True)
    print(f"1..{len(kinds)}")
    return 1 if failed else 0


sys.exit(main())
