#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Runs inside.sh in containers, as TAP: under the default seccomp profiles and capabilities of container
runtimes, as root and as an ordinary user, in containers of different shapes. Needs root, runc, and a Debian
root made by debootstrap.

    run.py CORDON ROOT [NAME]...      ROOT: the Debian root; NAME: parts of the names of containers to run
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
EXAMPLES = TREE + "/examples/containers"
sys.path.insert(0, HERE)
import lists  # noqa: E402  pylint: disable=wrong-import-position

# The default capabilities: of containerd those of Docker.
DOCKER = ("CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE "
          "SYS_CHROOT KILL AUDIT_WRITE").split()
PODMAN = "CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT".split()
CAPS = {"docker": DOCKER, "containerd": DOCKER, "podman": PODMAN}
HIDDEN = ("/proc/acpi /proc/asound /proc/interrupts /proc/kcore /proc/keys /proc/latency_stats /proc/sched_debug "
          "/proc/scsi /proc/timer_list /proc/timer_stats /sys/devices/virtual/powercap /sys/firmware").split()
FIXED = "/proc/bus /proc/fs /proc/irq /proc/sys /proc/sysrq-trigger".split()
USERS = {"root": 0, "user": 1000}
ENV = ["PATH=/cordon:/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"]

# The command of a container whose pid 1 is `cordon run`.
FIRST = """[ "$(head -c 6 /proc/1/comm)" = cordon ]
: >made
rm made
! (echo x >/etc/made) 2>/dev/null
! mkdir -p .git/hooks/pre-push 2>/dev/null
for i in 1 2 3; do sh -c 'sleep 0.1 & exit 0'; done
echo confined"""

# name: what is different from a container that the runtime starts without options
SHAPES = {
    "": {},
    "read-only root": {"readonly": True},
    "no-new-privileges": {"nnp": True},
    "tmpfs /tmp": {"tmpfs": True},
    "no /dev/shm": {"shm": False},
    "nothing of /proc hidden": {"hidden": False},
    "cordon is pid 1": {"args": ["cordon", "run", "--", "sh", "-euc", FIRST], "volumes": ["/work"], "cwd": "/work"},
    "with SYS_PTRACE": {"caps": ["SYS_PTRACE"]},
}
# The shapes are the same for every runtime; the lists differ.
CONTAINERS = ([("docker", shape) for shape in SHAPES] + [("containerd", ""), ("containerd", "read-only root"),
              ("podman", ""), ("podman", "read-only root")])


def mount(target, kind, *options):
    return {"destination": target, "type": kind, "source": kind, "options": ["nosuid", "noexec", "nodev", *options]}


def bind(source, target):
    return {"destination": target, "type": "bind", "source": source, "options": ["rbind", "ro"]}


def scratch(target):
    return {"destination": target, "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"]}


def mounts_of(shape, tools):
    made = [mount("/proc", "proc"),
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
            {"destination": "/dev/pts", "type": "devpts", "source": "devpts",
             "options": ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"]},
            mount("/dev/mqueue", "mqueue"), mount("/sys", "sysfs", "ro"), bind(tools, "/cordon"), bind(tools + "/t", "/t")]
    if shape.get("shm", True):
        made.append(mount("/dev/shm", "tmpfs", "mode=1777", "size=64m"))
    if shape.get("tmpfs") or shape.get("readonly"):
        made.append(scratch("/tmp"))
    return made + [scratch(target) for target in shape.get("volumes", [])]


def config(runtime, shape, user, tools):
    caps = [] if shape.get("drop") else ["CAP_" + cap for cap in CAPS[runtime] + shape.get("caps", [])]
    held = caps if user == "root" else []
    facts = ["getfd"] if runtime == "podman" or "caps" in shape else []
    return {
        "ociVersion": "1.0.2",
        "process": {"user": {"uid": USERS[user], "gid": USERS[user]}, "args": shape.get("args", ["/t/inside.sh", *facts]),
                    "env": ENV + shape.get("env", []), "cwd": shape.get("cwd", "/tmp"),
                    "capabilities": {"bounding": caps, "effective": held, "permitted": held},
                    "noNewPrivileges": shape.get("nnp", False)},
        "root": {"path": "root", "readonly": shape.get("readonly", False)},
        "hostname": "here",
        "mounts": mounts_of(shape, tools),
        "linux": {"namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")],
                  "maskedPaths": HIDDEN if shape.get("hidden", True) else [],
                  "readonlyPaths": FIXED if shape.get("hidden", True) else [],
                  "seccomp": lists.profile(runtime, caps)},
    }


def place_root(bundle, root):
    """An overlay over the Debian root, as container engines make it."""
    os.mkdir(bundle + "/root")
    os.mkdir(bundle + "/disk")
    subprocess.run(["mount", "-t", "tmpfs", "none", bundle + "/disk"], check=True)
    os.mkdir(bundle + "/disk/up")
    os.mkdir(bundle + "/disk/work")
    subprocess.run(["mount", "-t", "overlay", "-o", f"lowerdir={root},upperdir={bundle}/disk/up,workdir={bundle}/disk/work",
                    "none", bundle + "/root"], check=True)


def start(bundle, name):
    """The status and output of a container."""
    command = ["runc", "--root", bundle + "/state", "run", "--bundle", bundle, name]
    made = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=600, check=False)
    return made.returncode, made.stdout


def run(runtime, shape, user, places):
    """shape: what is different, as in SHAPES."""
    cordon_tools, root = places
    bundle = tempfile.mkdtemp(prefix="cordon-bundle-")
    try:
        place_root(bundle, root)
        with open(bundle + "/config.json", "w", encoding="utf-8") as to:
            json.dump(config(runtime, shape, user, cordon_tools), to)
        return start(bundle, "cordon-" + os.path.basename(bundle)[-8:])
    finally:
        for where in ("/root", "/disk"):
            subprocess.run(["umount", "-l", bundle + where], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(bundle)


def place_tools(cordon):
    """What is mounted in the containers: the program, and the scripts."""
    tools = tempfile.mkdtemp(prefix="cordon-tools-")
    os.chmod(tools, 0o755)
    os.mkdir(tools + "/t")
    shutil.copy(cordon, tools + "/cordon")
    for name in ("inside.sh", "doctor.py"):
        shutil.copy(f"{HERE}/{name}", tools + "/t")
    shutil.copy(TREE + "/tests/net/copies.py", tools + "/t")
    return tools


# ---- the files in examples/containers ----

def pod():
    """The shape that the pod asks for."""
    spec = yaml.safe_load(open(EXAMPLES + "/pod.yaml", encoding="utf-8"))["spec"]
    one, whole = spec["containers"][0], spec["securityContext"]
    own = one["securityContext"]
    assert whole["seccompProfile"]["type"] == "RuntimeDefault" and whole["runAsUser"] == USERS["user"]
    assert own["capabilities"]["drop"] == ["ALL"]
    return {"args": one["command"], "cwd": one["workingDir"], "readonly": own["readOnlyRootFilesystem"],
            "nnp": not own["allowPrivilegeEscalation"], "drop": True,
            "env": [f"{e['name']}={e['value']}" for e in one["env"]],
            "volumes": [v["mountPath"] for v in one["volumeMounts"] if v["mountPath"] != "/tmp"], "expects": "result"}


def job():
    """The steps of the job, as a runner starts them."""
    steps = yaml.safe_load(open(EXAMPLES + "/github-job.yaml", encoding="utf-8"))["jobs"]["build"]["steps"]
    script = "\n".join(step["run"] for step in steps if "run" in step)
    return {"args": ["sh", "-e", "-c", script], "cwd": "/__w", "env": ["HOME=/root"], "volumes": ["/__w"], "expects": "result"}


def dev():
    """The commands of the dev container, in a repository."""
    text = open(EXAMPLES + "/devcontainer.json", encoding="utf-8").read()
    said = json.loads("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")))
    assert "runArgs" not in said
    script = f"git init -q . && : >new\n{said['postCreateCommand']}\n{said['postStartCommand']}"
    return {"args": ["sh", "-e", "-c", f"mkdir -p ~ project && cd project\n{script}"], "cwd": "/workspace",
            "volumes": ["/workspace"], "env": ["HOME=/tmp/home"], "expects": "?? new"}


def all_containers():
    """Name, runtime, shape and user of each."""
    for runtime, shape in CONTAINERS:
        for user in USERS:
            yield f"{runtime}{', ' if shape else ''}{shape}, as {user}", runtime, SHAPES[shape], user
    yield "examples/containers/pod.yaml", "containerd", pod(), "user"
    yield "examples/containers/github-job.yaml", "docker", job(), "root"
    yield "examples/containers/devcontainer.json", "docker", dev(), "user"


def main(cordon, root, *wanted):
    tools = place_tools(cordon)
    number = failed = 0
    for name, runtime, shape, user in all_containers():
        if wanted and not any(part in name for part in wanted):
            continue
        number += 1
        status, said = run(runtime, shape, user, (tools, root))
        # a script that stopped early has not said how many tests it has
        passed = status == 0 and shape.get("expects", "confined" if "args" in shape else "\n1..") in said
        failed += not passed
        print(f"{'' if passed else 'not '}ok {number} - {name}", flush=True)
        if not passed or os.environ.get("VERBOSE"):
            print("".join(f"# {line}\n" for line in said.splitlines()), end="", flush=True)
    print(f"1..{number}")
    shutil.rmtree(tools)
    return 1 if failed or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
