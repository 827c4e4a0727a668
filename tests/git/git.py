# SPDX-License-Identifier: MIT
"""Attempts to plant a file that git uses, without git's help.

usage: git.py ROUTES|HOOKS|STEPS|POINTERS|REPOSITORIES FOLDER...

Each FOLDER is a git directory. An attempt has succeeded if afterwards a file that git uses has the planted
content. Prints the successful attempts; the status is 0 if all were made.
"""
import ctypes
import mmap
import os
import shutil
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
EVIL = b"[core]\n\tfsmonitor = /planted\n"
GOOD = b"[core]\n\tbare = false\n"


def put(path, text):
    with open(path, "wb") as f:
        f.write(text)


def get(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError:
        return b""


def rename2(a, b, flags):
    if libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), flags) < 0:
        raise OSError(ctypes.get_errno(), "")


def remove(*paths):
    for path in paths:
        try:
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        except OSError:
            pass


# ---- one file of settings ----

def append(target, _):
    with open(target, "ab") as f:
        f.write(EVIL)


def overwrite(target, _):
    put(target, EVIL)


def in_place(target, _):
    fd = os.open(target, os.O_RDWR)
    os.pwrite(fd, EVIL, 0)


def cut(target, _):
    """A cut text can mean something else than the whole."""
    size = os.path.getsize(target)
    os.truncate(target, 1)
    if os.path.getsize(target) != size:
        put("cut", EVIL)
        os.rename("cut", target)


def moved_in(target, new):
    put(new, EVIL)
    os.rename(new, target)


def moved_from_elsewhere(target, _):
    put("elsewhere", EVIL)
    os.rename("elsewhere", target)


def moved_without_replacing(target, new):
    os.unlink(target)
    put(new, EVIL)
    rename2(new, target, 1)


def exchanged(target, new):
    put(new, EVIL)
    rename2(new, target, 2)


def linked(target, new):
    put(new, EVIL)
    os.unlink(target)
    os.link(new, target)


def second_name(target, new):
    os.link(target, new)
    append(new, None)


def nameless(target, _):
    fd = os.open(os.path.dirname(target), os.O_TMPFILE | os.O_RDWR)
    os.write(fd, EVIL)
    os.unlink(target)
    os.link(f"/proc/self/fd/{fd}", target, follow_symlinks=True)


def symlinked(target, new):
    put("aside", EVIL)
    os.unlink(target)
    os.symlink(os.path.abspath("aside"), target)


def symlink_moved(target, new):
    put("aside", EVIL)
    os.symlink(os.path.abspath("aside"), new)
    os.rename(new, target)


def kept_open(target, new):
    """The new file is harmless when it is moved, and written to afterwards."""
    fd = os.open(new, os.O_RDWR | os.O_CREAT, 0o644)
    os.write(fd, GOOD)
    os.rename(new, target)
    os.pwrite(fd, EVIL, 0)


def kept_mapped(target, new):
    fd = os.open(new, os.O_RDWR | os.O_CREAT, 0o644)
    os.write(fd, GOOD.ljust(len(EVIL)))
    memory = mmap.mmap(fd, len(EVIL))
    os.rename(new, target)
    memory[:] = EVIL


def made_anew(target, _):
    os.unlink(target)
    put(target, EVIL)


def made_and_kept(target, _):
    """Written in one piece, harmless until it is closed."""
    os.unlink(target)
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(fd, GOOD)
    again = os.open(f"/proc/self/fd/{fd}", os.O_RDWR)
    os.close(fd)
    os.pwrite(again, EVIL, 0)


def made_under_two_numbers(target, _):
    os.unlink(target)
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    other = os.dup(fd)
    os.write(fd, GOOD)
    os.close(fd)
    os.pwrite(other, EVIL, 0)
    os.close(other)


def made_by_a_child(target, _):
    os.unlink(target)
    fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.set_inheritable(fd, True)
    os.write(fd, GOOD)
    pid = os.fork()
    if pid == 0:
        os.close(fd)
        os._exit(0)
    os.waitpid(pid, 0)
    os.pwrite(fd, EVIL, 0)
    os.close(fd)


def reopened(target, _):
    fd = os.open(target, os.O_RDONLY)
    os.write(os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_APPEND), EVIL)


def by_folder(target, _):
    """Its folder moves away, is filled, and comes back."""
    folder = os.path.dirname(target)
    os.rename(folder, "away")
    try:
        put("away/" + os.path.basename(target), EVIL)
    except OSError:
        pass
    os.rename("away", folder)


def folder_replaced(target, _):
    folder = os.path.dirname(target)
    os.mkdir("copy")
    put("copy/" + os.path.basename(target), EVIL)
    rename2("copy", folder, 2)
    if not is_planted(target):
        rename2("copy", folder, 2)


def hidden_by_form(target, new):
    """What a careless reader does not see, and git does."""
    for text in (b"[core]\r\n\tbare = false\r\n[Core]FSMonitor=/planted",
                 b"\xef\xbb\xbf[core]fsmonitor = /planted\n",
                 b"[core] # \\\nfsmonitor = \"/pl\"\\\nanted\n",
                 b"[a \"]\"]\n[core]fsmonitor=/planted\n",
                 b"[core]\n\tbare = false\\\n\n\tfsmonitor = /planted\n",
                 b"[include]\n\tpath = /planted\n"):
        try:
            put(new, text)
            os.rename(new, target)
        except OSError:
            pass


settings_ways = [append, overwrite, in_place, cut, moved_in, moved_from_elsewhere,
                 moved_without_replacing, exchanged, linked, second_name, nameless, symlinked,
                 symlink_moved, kept_open, kept_mapped, made_anew, made_and_kept,
                 made_under_two_numbers, made_by_a_child, reopened, by_folder, folder_replaced,
                 hidden_by_form]


def is_planted(path):
    text = get(path)
    return b"planted" in text or b"/pl\"" in text


def try_settings(folder, name, ways=tuple(settings_ways)):
    """Each way for one file; it is put back to something harmless in between."""
    target = f"{folder}/{name}"
    passed = []
    for way in ways:
        new = f"{folder}/{name}.lock"
        remove(new, "elsewhere", "aside", "copy", "away", "cut")
        if not os.path.exists(target):
            try:
                put(new, GOOD)
                os.rename(new, target)
            except OSError:
                pass
        try:
            way(target, new)
        except OSError:
            pass
        if is_planted(target):
            passed.append(f"{way.__name__} {name}")
            remove(target)
    remove(f"{folder}/{name}.lock", "elsewhere", "aside", "copy", "away", "cut")
    return passed


# ---- what is left of a rebase ----

STEPS = (("rebase-merge", "git-rebase-todo", b"exec /planted\n", b"noop\n"),
         ("rebase-merge", "git-rebase-todo", b"pick 1 a\r\n \tx\t/planted", b"noop\n"),
         ("rebase-merge", "strategy", b"/planted\n", b"ort\n"),
         ("sequencer", "opts", b"[Options]Strategy=\\\n/planted\n", b"[options]\n\tedit = true\n"))


def try_steps(folders):
    global EVIL, GOOD
    passed = []
    ways = [way for way in settings_ways if way is not hidden_by_form]
    for folder in folders:
        for place, name, EVIL, GOOD in STEPS:
            place = f"{folder}/{place}"
            os.makedirs(place, exist_ok=True)
            passed += [f"{place}: {way}" for way in try_settings(place, name, ways)]
            for way in replace_folder, link_folder:
                attempt(lambda: way(f"{place}/{name}"))
                if is_planted(f"{place}/{name}"):
                    passed.append(f"{way.__name__} {place}/{name}")
                remove(place, "filled")
    return passed


# ---- names that must not be there at all ----

def try_names(paths):
    passed = []
    for path in paths:
        ways = {
            "write": lambda: put(path, b"planted"),
            "link": lambda: os.link("prepared", path),
            "symlink": lambda: os.symlink("prepared", path),
            "rename": lambda: os.rename("other", path),
            "mkdir": lambda: os.mkdir(path),
            "fifo": lambda: os.mkfifo(path),
            "socket": lambda: socket.socket(socket.AF_UNIX).bind(path),
            "folder": lambda: replace_folder(path),
            "folder by link": lambda: link_folder(path),
        }
        for name, way in ways.items():
            put("prepared", b"planted")
            put("other", b"planted")
            # whatever a way before has left there
            if not os.path.isdir(os.path.dirname(path)):
                remove(os.path.dirname(path))
                os.mkdir(os.path.dirname(path))
            try:
                way()
            except OSError:
                pass
            if os.path.lexists(path):
                passed.append(f"{name} {path}")
                remove(path)
            remove("filled")
    remove("prepared", "other")
    return passed


def replace_folder(path):
    """A folder that was filled beforehand takes the place of the one it would be in."""
    os.makedirs("filled", exist_ok=True)
    put("filled/" + os.path.basename(path), b"planted")
    try:
        shutil.rmtree(os.path.dirname(path))
    except OSError:
        pass
    os.rename("filled", os.path.dirname(path))


def link_folder(path):
    os.makedirs("filled", exist_ok=True)
    put("filled/" + os.path.basename(path), b"planted")
    try:
        shutil.rmtree(os.path.dirname(path))
    except OSError:
        pass
    os.symlink(os.path.abspath("filled"), os.path.dirname(path))


def try_hooks(folders):
    paths = []
    for folder in folders:
        os.makedirs(folder + "/hooks", exist_ok=True)
        os.makedirs(folder + "/info", exist_ok=True)
        paths += [f"{folder}/hooks/{name}" for name in ("pre-commit", "post-checkout", "PRE-PUSH",
                                                        "reference-transaction")]
        paths += [f"{folder}/info/attributes"]
    return try_names(paths)


# ---- pointers ----

def try_pointers(folders):
    """A .git that leads elsewhere, and files of a worktree that do."""
    passed = []
    os.makedirs("loose", exist_ok=True)
    shm = f"/dev/shm/cordon-git-{os.getpid()}"
    texts = [b"gitdir: /planted\n", b"gitdir: ../../planted\n", b"gitdir: %s\n" % shm.encode(),
             b"gitdir: /proc/self/cwd/x\n", b"gitdir: loose\ngitdir: /planted\n"]
    texts.append(b"gitdir: ../root/planted\n")
    for text in texts:
        for way in (lambda: put("loose/.git", text),
                    lambda: (put("loose/new", text), os.rename("loose/new", "loose/.git")),
                    lambda: (put("loose/new", text), os.link("loose/new", "loose/.git")),
                    lambda: os.symlink("/planted", "loose/.git")):
            try:
                way()
            except OSError:
                pass
            if os.path.lexists("loose/.git"):
                passed.append(".git " + text.decode().strip())
            remove("loose/.git", "loose/new")
    for folder in folders:
        place = folder + "/worktrees/planted"
        os.makedirs(place, exist_ok=True)
        for name, text in (("commondir", b"../../../evil\n"), ("commondir", b"/planted\n"),
                           ("commondir", b"..\n"), ("gitdir", b"/planted/.git\n")):
            for way in (lambda: put(f"{place}/{name}", text),
                        lambda: (put("new", text), os.rename("new", f"{place}/{name}"))):
                try:
                    way()
                except OSError:
                    pass
                if text in get(f"{place}/{name}"):
                    passed.append(f"{name} {text.decode().strip()}")
                remove(f"{place}/{name}", "new")
        remove(place)
    remove("loose", "root")
    return passed


def attempt(way):
    try:
        way()
    except OSError:
        pass


def try_links():
    """Links that lead whoever looks at the project to where nothing is vetted."""
    passed = []
    free = os.environ.get("TMPDIR", "/tmp/none")
    texts = [free, free + "/x", "../" * os.getcwd().count("/") + free[1:],
             "a/../" + os.path.basename(free), f"/proc/{os.getpid()}/cwd"]
    for text in texts:
        for way in (lambda: os.symlink(text, "l"),
                    lambda: (os.symlink(text, free + "/l"), os.rename(free + "/l", "l")),
                    lambda: (os.symlink(text, free + "/l"), rename2(free + "/l", "there", 2),
                             os.rename("there", "l")),
                    lambda: (os.symlink(text, free + "/l"),
                             os.link(free + "/l", "l", follow_symlinks=False))):
            remove("l", free + "/l", "there")
            put("there", b"")
            attempt(way)
            if os.path.islink("l") or os.path.islink("there"):
                passed.append(f"link {text}")
    remove("l", free + "/l", "there")
    # and some that are harmless
    for text in ("/dev/stdout", "/proc/self/fd/1", "../beside", "/usr/lib", "a/../b", "/proc/self"):
        remove("l")
        os.symlink(text, "l")
    remove("l")
    return passed


def try_carried(folder):
    """What leads two folders up leads to others when it is moved."""
    passed = []
    for path in (folder + "/worktrees", folder + "/worktrees/tree", folder):
        attempt(lambda: os.rename(path, "carried"))
        if os.path.lexists("carried"):
            passed.append("carried away: " + path)
            os.rename("carried", path)
    return passed


def try_moved():
    """The folder around it gets another name between the opening and the end."""
    passed = []
    # into the project from here, and to a home that is beside it from there
    os.makedirs("m/e")
    os.makedirs("home", exist_ok=True)
    put("m/e/.git", b"gitdir: ../../home/.git\n")
    attempt(lambda: os.rename("m/e", "moved"))
    if os.path.lexists("moved/.git"):
        passed.append("a pointer with its folder")
    for name in ("config", "config.lock"):
        for old, new in (("moved.git", "other"), ("other", "moved.git"), ("moved.git", "other.git")):
            remove("m", "moved", "moved.git", "other", "other.git")
            os.mkdir(old)
            fd = os.open(f"{old}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            os.write(fd, EVIL)
            attempt(lambda: os.rename(old, new))
            attempt(lambda: os.close(fd))
            attempt(lambda: os.rename(f"{new}/config.lock", f"{new}/config"))
            attempt(lambda: os.rename("other", "moved.git"))
            if any(is_planted(f"{folder}/config") for folder in ("moved.git", "other.git")):
                passed.append(f"{old}/{name} as {new}")
    remove("m", "moved", "moved.git", "other", "other.git", "home")
    return passed


# ---- repositories under any name ----

def is_repository(folder):
    return os.path.lexists(folder + "/HEAD") and (
        os.path.lexists(folder + "/objects") or os.path.lexists(folder + "/commondir"))


def parts(folder, order):
    """Makes a repository in this order; what is refused is left out."""
    for part in order:
        path = f"{folder}/{part}"
        try:
            if part == "HEAD":
                put(path, b"ref: refs/heads/main\n")
            elif part == "config":
                put(path, EVIL)
            elif part == "hooks":
                os.makedirs(path, exist_ok=True)
                put(path + "/post-receive", b"#!/bin/sh\n")
            elif part == "linked hooks":
                os.makedirs("aside-hooks", exist_ok=True)
                put("aside-hooks/post-receive", b"#!/bin/sh\n")
                os.symlink(os.path.abspath("aside-hooks"), folder + "/hooks")
            elif part == "commondir":
                os.makedirs("aside-common/objects", exist_ok=True)
                put("aside-common/config", EVIL)
                put(path, os.path.abspath("aside-common").encode() + b"\n")
            else:
                os.makedirs(path, exist_ok=True)
        except OSError:
            pass


def try_repositories():
    passed = []
    orders = [["config", "objects", "refs", "HEAD"], ["HEAD", "objects", "refs", "config"],
              ["HEAD", "config", "refs", "objects"], ["hooks", "objects", "refs", "HEAD"],
              ["HEAD", "objects", "refs", "hooks"], ["HEAD", "hooks", "objects", "refs"],
              ["linked hooks", "HEAD", "objects", "refs"], ["HEAD", "objects", "linked hooks"],
              ["commondir", "refs", "HEAD"], ["HEAD", "commondir"]]
    for order in orders:
        folder = "odd"
        remove(folder, "aside-hooks", "aside-common")
        os.mkdir(folder)
        parts(folder, order)
        if is_repository(folder) and (is_planted(folder + "/config")
                                      or os.path.lexists(folder + "/hooks/post-receive")
                                      or os.path.lexists(folder + "/commondir")):
            passed.append(", ".join(order))
    passed += try_late()
    passed += try_memory()
    remove("odd", "aside-hooks", "aside-common")
    return passed


def try_memory():
    """Files in memory outlast the run, and files that can be run pass for folders."""
    paths = [f"/dev/shm/{name}" for name in ("HEAD", "objects", "refs", "config")]
    if any(os.path.lexists(path) for path in paths):
        return []
    attempt(lambda: put(paths[3], EVIL))
    for path in paths[:3]:
        attempt(lambda: (put(path, b"ref: refs/heads/main\n"), os.chmod(path, 0o755)))
    there = all(os.path.lexists(path) for path in (paths[0], paths[1], paths[3]))
    remove(*paths)
    return ["in memory"] if there else []


def try_late():
    """A file that is open, or has a second name, when its folder becomes a repository."""
    passed = []
    remove("odd")
    os.makedirs("odd/refs")
    put("odd/config", GOOD)
    os.link("odd/config", "odd-second")
    fd = os.open("odd/config", os.O_RDWR)
    parts("odd", ["objects", "HEAD"])
    if not is_repository("odd"):
        raise SystemExit("a harmless repository could not be made")
    os.pwrite(fd, EVIL, 0)
    put("odd-second", EVIL)
    if is_planted("odd/config"):
        passed.append("kept open")
    # HEAD away, settings in, HEAD back
    for back in ("odd/HEAD", "odd/objects"):
        try:
            os.rename(back, "odd/away")
            put("odd/config", EVIL)
            os.rename("odd/away", back)
        except OSError:
            pass
        if is_repository("odd") and is_planted("odd/config"):
            passed.append(f"{back} away and back")
        remove("odd/config")
        if os.path.lexists("odd/away"):
            os.rename("odd/away", back)
    remove("odd-second")
    return passed


kind, folders = sys.argv[1], sys.argv[2:]
if kind == "ROUTES":
    found = [f"{folder}: {way}" for folder in folders for name in ("config", "config.worktree")
             for way in try_settings(folder, name)]
elif kind == "HOOKS":
    found = try_hooks(folders)
elif kind == "STEPS":
    found = try_steps(folders)
elif kind == "POINTERS":
    found = try_pointers([name for name in folders if name.endswith(".git")])
    found += try_links() + try_carried(folders[0]) + try_moved()
else:
    found = try_repositories()
for line in found:
    print("passed:", line)
print("tried")
