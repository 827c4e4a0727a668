# SPDX-License-Identifier: MIT
"""Random policies, random trees, random calls: the result of each must be the answer of `cordon why`.

usage: differential.py [SEEDS | SECONDS s] [FIRST SEED]

Each round makes a policy and a tree from its seed and runs the same calls twice on it: first inside,
then without cordon. A call that `why` denies must have failed inside; one that it allows must have had the
same result as outside. CORDON names the program. TAP on standard output; a failure names its seed,
and `differential.py 1 SEED` repeats it.
"""
import ctypes
import errno
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CORDON = os.environ.get("CORDON") or os.path.join(HERE, "../../build/cordon")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
FILES = ("files.read", "files.write", "files.execute", "files.carveout", "files.pattern",
         "files.metadata")
DIRS, LEAVES = ["a", "b", "c"], ["f", "g", ".env", "k.pem", "n"]
# what lies beside the project in a folder of its own: programs, and one file
BESIDE = {"one": "text", "v1/bin/tool": "program", "v2/bin/tool": "script", "v2/lib/tool": "program",
          "unread/tool": "program", "sys/one": "program", "sys/two": "script", "sys/deep/three": "program",
          "sys/deep/er/four": "program"}
SCRIPT_STATUS = 7
CALLS = 40

# ---- both sides: doing one call, and saying what became of it ----

libc = ctypes.CDLL(None, use_errno=True)


def checked(rc):
    if rc < 0:
        raise OSError(ctypes.get_errno(), "")
    return rc


def opened(flags, write=None):
    def act(path, folder, _):
        # a fifo that an earlier call has made has no process at its other end
        fd = os.open(path, flags | os.O_NONBLOCK, 0o644, dir_fd=folder)
        try:
            st = os.fstat(fd)
            if write:
                return os.write(fd, write)
            if stat.S_ISDIR(st.st_mode):
                return sorted(os.listdir(fd))
            return os.read(fd, 100).decode("latin1")
        finally:
            os.close(fd)

    return act


def two(fn):
    return lambda path, folder, other: fn(path, other, folder)


def renamed(flags):
    def act(path, other, folder):
        checked(libc.renameat2(-100 if folder is None else folder, path.encode(), -100, other.encode(), flags))

    return act


def executed(path, folder, _):
    """Done is what the program says by its status: a shell that cannot open its script is none."""
    if folder is not None:
        path = f"/proc/self/fd/{folder}/{path}"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open("/dev/null", os.O_RDWR), 2)
            os.execv(path, [path])
        except OSError as e:
            os.write(writer, str(e.errno).encode())
        os._exit(99)
    os.close(writer)
    failed = os.read(reader, 10)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if failed or status not in (0, SCRIPT_STATUS):
        raise OSError(int(failed or errno.EACCES), "")
    return status


# name -> (call, follows a link, rights needed)
KINDS = {
    "read": (opened(os.O_RDONLY), True, "r"),
    "read, no link": (opened(os.O_RDONLY | os.O_NOFOLLOW), False, "r"),
    "list": (opened(os.O_RDONLY | os.O_DIRECTORY), True, "r"),
    "append": (opened(os.O_WRONLY | os.O_APPEND, b"+"), True, "w"),
    "change": (opened(os.O_RDWR), True, "rw"),
    "cut": (opened(os.O_WRONLY | os.O_TRUNC, b"cut"), True, "w"),
    "cut to read": (opened(os.O_RDONLY | os.O_TRUNC), True, "rw"),
    "make or write": (opened(os.O_WRONLY | os.O_CREAT, b"made"), True, "w or c"),
    "make": (opened(os.O_WRONLY | os.O_CREAT | os.O_EXCL, b"new"), False, "c"),
    "make and read": (opened(os.O_RDWR | os.O_CREAT | os.O_EXCL), False, "c"),
    "mkdir": (lambda p, d, _: os.mkdir(p, dir_fd=d), False, "c"),
    "mkfifo": (lambda p, d, _: os.mkfifo(p, dir_fd=d), False, "c"),
    "symlink": (lambda p, d, o: os.symlink(o, p, dir_fd=d), False, "cl"),
    "unlink": (lambda p, d, _: os.unlink(p, dir_fd=d), False, "d"),
    "rmdir": (lambda p, d, _: os.rmdir(p, dir_fd=d), False, "d"),
    "truncate": (lambda p, d, _: checked(libc.truncate(p.encode(), ctypes.c_long(2))), True, "w"),
    "chmod": (lambda p, d, _: os.chmod(p, 0o751, dir_fd=d), True, "w"),
    "times": (lambda p, d, _: os.utime(p, (5, 6), dir_fd=d), True, "w"),
    "times, no link": (lambda p, d, _: os.utime(p, (7, 8), dir_fd=d, follow_symlinks=False), False, "w"),
    "attribute": (lambda p, d, _: os.setxattr(p, "user.t", b"1"), True, "w"),
    "rename": (two(lambda p, o, d: os.rename(p, o, src_dir_fd=d)), False, "move"),
    "exchange": (two(renamed(2)), False, "exchange"),
    "whiteout": (two(renamed(4)), False, "never"),
    "execute": (executed, True, "x"),
    "link": (two(lambda p, o, d: os.link(p, o, src_dir_fd=d, follow_symlinks=False)), False, "link"),
    "stat": (lambda p, d, _: os.stat(p, dir_fd=d).st_size, True, ""),
}
METADATA = ("chmod", "times", "times, no link", "attribute")
BY_PATH = ("truncate", "attribute")  # these have no form with a folder


def reach(kind, path, way):
    """The path as it is given to the call, and the folder it starts from."""
    if way == "absolute":
        return os.path.abspath("/" + os.getcwd() + "/" + path).replace("//", "/"), None
    if way == "dots":
        first = path.split("/")[0]
        return (f"{first}/../{path}" if os.path.isdir(first) else "./" + path), None
    if way == "own folder":
        return "/proc/self/cwd/" + path, None
    if way == "own thread":
        return "/proc/thread-self/cwd/" + path, None
    if way == "root":
        return "/proc/self/root" + os.getcwd() + "/" + path, None
    if way == "folder" and kind not in BY_PATH:
        return os.path.basename(path), os.open(os.path.dirname(path) or ".", os.O_PATH | os.O_DIRECTORY)
    if way == "held" and KINDS[kind][1]:
        return f"/proc/self/fd/{os.open(path, os.O_PATH)}", None
    if way == "dev" and KINDS[kind][1]:
        return f"/dev/fd/{os.open(path, os.O_PATH)}", None
    return path, None


WAYS = ["plain"] * 6 + ["absolute", "dots", "own folder", "own thread", "root", "folder", "held", "dev"]


def perform(call):
    kind, path, other, way = call
    try:
        text, folder = reach(kind, path, way)
        result = KINDS[kind][0](text, folder, other)
        return ["did", result]
    except OSError as e:
        return ["error", errno.errorcode.get(e.errno, str(e.errno))]
    finally:
        os.closerange(3, 64)


def state():
    """Everything below the working folder, as far as it can be told without opening it."""
    said = {}
    for top, dirs, files in list(os.walk(".")) + list(os.walk("../q")):
        for name in dirs + files:
            path = os.path.join(top, name)
            st = os.lstat(path)
            said[path] = [st.st_mode, st.st_nlink if not stat.S_ISDIR(st.st_mode) else 0,
                          st.st_size if stat.S_ISREG(st.st_mode) else 0]
    return said


def inside(file):
    """Runs in the sandbox: all calls, one after the other."""
    with open(file, encoding="ascii") as f:
        calls = json.load(f)
    os.umask(0o022)
    for call in calls:
        print(json.dumps(perform(call)), flush=True)


# ---- a round ----

def random_path(rng):
    depth = rng.choice([0, 0, 1, 1, 1, 2])
    return "/".join([rng.choice(DIRS) for _ in range(depth)] + [rng.choice(DIRS + LEAVES + LEAVES)])


def write_file(path, kind):
    if kind == "program":
        shutil.copy("/bin/true", path)
        return
    with open(path, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\nexit {SCRIPT_STATUS}\n" if kind == "script" else f"text of {path}")


def make_beside():
    """The working folder is the project."""
    for path, kind in BESIDE.items():
        os.makedirs(os.path.dirname(f"../q/{path}"), exist_ok=True)
        write_file(f"../q/{path}", kind)
        os.chmod(f"../q/{path}", 0o644 if kind == "text" else 0o755)


def make_tree(rng, links=True):
    for top in DIRS[:rng.randint(1, 3)]:
        os.mkdir(top)
        for inner in DIRS[:rng.randint(0, 3)]:
            os.mkdir(f"{top}/{inner}")
    folders = ["."] + [os.path.join(t, d)[2:] for t, ds, _ in os.walk(".") for d in ds]
    for folder in folders:
        for name in rng.sample(LEAVES, rng.randint(1, 4)):
            kind = rng.choice(["text"] * 6 + ["program", "script"])
            write_file(f"{folder}/{name}", kind)
            os.chmod(f"{folder}/{name}", rng.choice([0o644] * (3 if kind == "text" else 1) + [0o755]))
    for i in range(rng.randint(0, 4)):
        target = rng.choice([random_path(rng), os.path.join(os.getcwd(), random_path(rng)), "nowhere",
                             "../" + random_path(rng), f"l{i}", "/proc/self/cwd/" + random_path(rng)])
        place = rng.choice(folders)
        if links:
            os.symlink(target, f"{place}/l{i}")
    if rng.random() < 0.3:
        os.link(f"{folders[-1]}/{sorted(n for n in os.listdir(folders[-1]) if n in LEAVES)[0]}", "hard")


def there(project):
    return sorted(os.path.join(t, n) for t, ds, fs in os.walk(project) for n in ds + fs
                  if not os.path.islink(os.path.join(t, n)))


def random_rule(rng, project):
    match = rng.choice(["subpath"] * 4 + ["literal", "child", "glob", "glob", "regex"])
    path = f"{project}/{random_path(rng)}"
    effect = rng.choice(["deny", "deny", "allow"])
    if effect == "allow":  # what is not there cannot be granted
        path = rng.choice([project] + there(project))
    if match == "glob":
        path = rng.choice(["**/.env", "**/*.pem", f"{project}/*/f", f"{project}/**/n", "**/b/g", "**/c"])
    if match == "regex":
        path = rng.choice([".*/k[.]pem", ".*/b/.*", f"{project}/[ab]/[^/]*"])
    rights = rng.choice(["r", "w", "rw", "wcd", "rwcd", "c", "d", "cd", "rc", "rwcdx", "rwcdx", "x", "rx"])
    return {"effect": effect, "rights": rights, "path": path, "match": match}


def beside_rules(rng, beside):
    """Grants outside the project: one file, programs by pattern, beside a denied one, without reading, or
    of what is missing."""
    def rule(effect, rights, path, match="subpath", **more):
        return {"effect": effect, "rights": rights, "path": f"{beside}/{path}", "match": match, **more}

    rules = [rule("allow", rng.choice(["rwcd", "rw", "w", "wcd", "rcd", "d"]), "one"),
             rule("allow", rng.choice(["rx", "x"]), rng.choice(["*/bin", "v?/bin/tool", "**/tool"]), "glob"),
             rule("allow", "x", "unread"),
             rule("allow", rng.choice(["rx", "rx", "rwcdx"]), "sys"),
             rule("deny", rng.choice(["x", "r", "rx", "rwcdx"]),
                  rng.choice(["sys/one", "sys/deep", "sys/deep/er/four", "sys/none"])),
             rule("allow", rng.choice(["r", "rwcd", "rx"]), "missing", optional=True)]
    return rng.sample(rules, rng.randint(0, 5))


def make_policy(rng, project, accept):
    rules = [random_rule(rng, project) for _ in range(rng.randint(1, 5))]
    rules += beside_rules(rng, os.path.join(os.path.dirname(project), "q"))
    if rng.random() < 0.3:
        rules.append({"effect": "deny", "rights": rng.choice(["wcd", "rwcdx", "w", "cd"]), "path": project,
                      "match": "subpath"})
    return {"files": {"rules": rules}, "accept": accept}


def random_calls(rng, project, rules):
    """Mostly about what the rules speak of."""
    paths = [random_path(rng) for _ in range(8)] + [f"l{i}" for i in range(2)] + ["a/l0", "a/l1/f", "hard"]
    paths += [f"../q/{p}" for p in rng.sample(list(BESIDE) + ["one", "one", "missing", "missing/f", "sys/new", "sys"], 9)]
    for rule in rules:
        if not rule["path"].startswith(project + "/") and rule["match"] not in ("glob", "regex"):
            continue
        path = rule["path"][len(project) + 1:]
        if rule["match"] in ("subpath", "literal", "child") and path:
            paths += [path, path, f"{path}/{rng.choice(LEAVES)}", os.path.dirname(path) or path]
        elif path:
            paths += [rng.choice([".env", "a/k.pem", "b/f", "a/b/n", "b/g", "a/c"]) for _ in range(4)]
    calls = []
    for _ in range(CALLS):
        other = rng.choice(paths)
        kind = rng.choice(list(KINDS) + ["execute"] * 4)
        calls.append([kind, rng.choice(paths), other, rng.choice(WAYS)])
    return calls


class Oracle:
    """`cordon why`, asked about a copy without links of how it all began: a path is then what it says."""

    def __init__(self, folder, policy, make):
        self.real, self.twin, self.known = folder, os.path.join(folder, "twin"), {}
        self.is_routed = True
        os.makedirs(f"{self.twin}/p")
        os.chdir(f"{self.twin}/p")
        make()
        self.policy = os.path.join(self.twin, "policy.json")
        with open(self.policy, "w", encoding="ascii") as f:
            f.write(json.dumps(policy).replace(folder + "/", self.twin + "/"))

    def may(self, rights, path):
        return all(self.ask(right, path) for right in rights)

    def ask(self, right, path):
        if not any(path == f"{self.real}/{top}" or path.startswith(f"{self.real}/{top}/") for top in "pq"):
            return False  # nothing is granted around these
        key = (right, path)
        if key not in self.known:
            word = {"r": "read", "w": "write", "d": "delete", "x": "execute"}.get(right, "create")
            done = run("why", "-C", f"{self.twin}/p", "-p", self.policy, word,
                       path.replace(self.real + "/", self.twin + "/", 1))
            if done.returncode not in (0, 1):
                raise RuntimeError(done.stderr)
            # "l": may the name be a symbolic link?
            self.known[key] = done.returncode == 0 and (
                right != "l" or "not as a symbolic link" not in done.stdout)
        return self.known[key]


def run(*arguments, **more):
    return subprocess.run([CORDON, *arguments], capture_output=True, text=True, check=False,
                          timeout=300, stdin=subprocess.DEVNULL, **more)


def canonical(path, follow):
    """Where a path leads; an OSError where nowhere."""
    path = os.path.join(os.getcwd(), path)
    head, name = os.path.split(path.rstrip("/"))
    head = os.path.realpath(head, strict=True)
    if not os.path.isdir(head):
        raise NotADirectoryError(errno.ENOTDIR, "")
    if not follow:
        return os.path.join(head, name)
    found = os.path.realpath(os.path.join(head, name), strict=False)
    os.path.realpath(os.path.dirname(found), strict=True)
    if os.path.islink(found):
        raise OSError(errno.ELOOP, "")
    return found


def same_rights(oracle, old, new):
    """Has everything below a folder the same rights at its new place?"""
    below = [""] + [os.path.join(t, n)[len(old):] for t, ds, fs in os.walk(old) for n in ds + fs]
    return all(oracle.ask(r, old + b) == oracle.ask(r, new + b) for b in below for r in "rwcdx"
               if b != "")


def judge_two(oracle, kind, source, target):
    """None: it depends on what lies below."""
    there = os.path.lexists(target)
    if os.path.islink(source) and not oracle.may("l", target) or \
            kind == "exchange" and os.path.islink(target) and not oracle.may("l", source):
        return False
    if kind == "link":
        return oracle.may("c", target) and all(
            oracle.ask(r, source) or not oracle.ask(r, target) for r in "rwx")
    both = kind == "exchange"
    fine = oracle.may("cd" if both else "d", source) and oracle.may("cd" if there or both else "c", target)
    folders = os.path.isdir(source) and not os.path.islink(source) or \
        both and os.path.isdir(target) and not os.path.islink(target)
    return None if fine and folders else fine


def judge(oracle, call):
    """True: allowed, False: denied, None: either, as long as nothing gets other rights."""
    said = judge_names(oracle, call)
    if said and not oracle.is_routed and set(KINDS[call[0]][2]) & set("cd"):
        # to Landlock alone a name is made and removed by the rights of its folder
        for path in call[1:3]:
            above = os.path.dirname(os.path.join(os.path.realpath(os.path.dirname(path)), "x"))
            if not oracle.may("cd", above):
                return None
    return said


def judge_names(oracle, call):
    kind, path, other, _ = call
    _, follow, needs = KINDS[kind]
    if needs == "never":
        return False
    if not needs or (kind in METADATA and not oracle.is_routed):
        return True
    try:
        target = canonical(path, follow)
        if needs == "w or c":
            return oracle.may("w" if os.path.lexists(target) else "c", target)
        if needs in ("move", "exchange", "link"):
            return judge_two(oracle, kind, target, canonical(other, False))
        if needs in ("c", "cl") and os.path.lexists(target):
            return True  # it fails by itself: the name is taken
        return oracle.may(needs, target)
    except OSError:
        return True  # it fails by itself: the way is none


def compare(oracle, call, got):
    """What is wrong with an answer from inside, or None. Does the call where it was done."""
    said = judge(oracle, call)
    if said is False:
        return "done although denied" if got[0] == "did" else None
    if said is None and got[0] == "error" and got[1] in ("EACCES", "EXDEV"):
        return None
    # a move between trees of different rights is left to mv, which copies
    if call[0] in ("rename", "link", "exchange") and got == ["error", "EXDEV"]:
        return None
    free = perform(call)
    # of two paths that are wrong, either may be told
    if free[0] == got[0] == "error" and KINDS[call[0]][2] in ("move", "exchange", "link"):
        return None
    return None if free == got else f"free: {free}"


def one_round(seed, folder, accept):
    rng = random.Random(seed)
    project = os.path.join(folder, "p")
    os.mkdir(project)
    os.chdir(project)
    trees = rng.getstate()

    def make(links=True):
        rng.setstate(trees)
        make_tree(rng, links)
        make_beside()

    make()
    policy = make_policy(rng, project, accept)
    calls = random_calls(rng, project, policy["files"]["rules"])
    for name, data in (("policy.json", policy), ("calls.json", calls)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            json.dump(data, f)
    # a policy that Landlock alone can keep may accept that it does not see metadata
    done = run("plan", "-q", "--json", "-C", project, "-p", "../policy.json")
    if not done.stdout:
        return f"no plan: {done.stderr}; policy {json.dumps(policy['files'])}"
    plan = json.loads(done.stdout)
    is_routed = plan["routing"] != "nothing"
    # a deny of running that Landlock does not keep is named, and `why` tells what is so
    unkept = [g["name"] for g in plan["guarantees"] if g["state"] == "gap"]
    if unkept not in ([], ["files.execute"]):
        return f"gaps: {unkept}"
    gaps = [word for name in unkept for word in ("--accept", name)]
    done = run("run", "-q", *gaps, "-C", project, "-p", "../policy.json", "--read", "../calls.json", "--read",
               os.path.abspath(__file__), "--", PYTHON, "-B", os.path.abspath(__file__), "--inside",
               "../calls.json")
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stderr}"
    answers, boxed = [json.loads(line) for line in done.stdout.splitlines()], state()
    os.chdir(folder)
    shutil.rmtree(project)
    shutil.rmtree(f"{folder}/q")
    oracle = Oracle(folder, policy, lambda: make(False))
    os.mkdir(project)
    os.chdir(project)
    make()
    oracle.is_routed = is_routed
    os.umask(0o022)
    for i, (call, got) in enumerate(zip(calls, answers)):
        wrong = compare(oracle, call, got)
        if wrong:
            return f"call {i} {call}: inside {got}, {wrong}; policy {json.dumps(policy['files'])}"
    if len(answers) != len(calls) or state() != boxed:
        return f"the trees differ: {set(map(str, state().items())) ^ set(map(str, boxed.items()))}"
    return None


def guarantees():
    """Everything that is not about files is accepted: it is tried elsewhere."""
    done = run("plan", "-q", "--json")
    return [g["name"] for g in json.loads(done.stdout)["guarantees"] if g["name"] not in FILES]


def rounds(seeds, first, until):
    accept = guarantees()
    failed = n = 0
    while (until is None and n < seeds) or (until is not None and time.monotonic() < until):
        folder = os.path.realpath(tempfile.mkdtemp(prefix="cordon-diff-"))
        try:
            wrong = one_round(first + n, folder, accept)
        finally:
            os.chdir("/")
            shutil.rmtree(folder)
        n += 1
        if wrong:
            failed += 1
            print(f"# seed {first + n - 1}: {wrong}", flush=True)
    return n, failed


def main():
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2])
        return 0
    many = sys.argv[1] if len(sys.argv) > 1 else "24"
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    until = time.monotonic() + float(many[:-1]) if many.endswith("s") else None
    n, failed = rounds(0 if until else int(many), first, until)
    print(f"{'not ' if failed else ''}ok 1 {n} random policies mean what why says\n1..1")
    return 1 if failed else 0


sys.exit(main())
