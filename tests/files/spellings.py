# SPDX-License-Identifier: MIT
"""Other spellings of protected and denied names, in a folder in which they are one name: every call that
reads, makes or changes one. spellings.py make; spellings.py try KIND. Prints the calls that succeeded,
and last the number of attempts."""
import ctypes
import os
import sys

LONG_S, KELVIN, LIGATURE, DOTLESS, UNSEEN = "\u017f", "\u212a", "\ufb01", "\u0131", "\u200b"
libc = ctypes.CDLL(None, use_errno=True)


def write(path, text="evil\n"):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def read(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def repository(path, settings=""):
    os.makedirs(path + "/objects")
    os.makedirs(path + "/refs")
    write(path + "/HEAD", "ref: refs/heads/main\n")
    write(path + "/config", "[core]\n\trepositoryformatversion = 0\n" + settings)


def make():
    repository(".git")
    os.mkdir(".git/hooks")
    repository("bare")
    repository("sub/.git", "\thooksPath = hk\n")
    os.mkdir("kept")
    os.mkdir(".vscode")
    write(".vscode/settings.json", "{}\n")
    for secret in "kept/file", ".env":
        write(secret, "secret\n")


def exchange(old, new):
    if libc.renameat2(-100, old.encode(), -100, new.encode(), 2) < 0:
        raise OSError(ctypes.get_errno(), "exchange")


def by_rename(path):
    write("plain")
    os.rename("plain", path)


def by_link(path):
    if not os.path.exists("plain"):
        write("plain")
    os.link("plain", path)


def by_exchange(path):
    write("plain")
    exchange("plain", path)


def folder(path):
    os.mkdir(path)
    write(path + "/pre-commit")


# what is done, by which name, and the name that has to show it
FOLD = [
    (write, ".GIT/hooks/a", ".git/hooks/a"),
    (write, f".git/hoo{KELVIN}s/b", ".git/hooks/b"),
    (by_rename, ".Git/Hooks/c", ".git/hooks/c"),
    (by_link, ".Git/Hooks/d", ".git/hooks/d"),
    (lambda path: os.symlink("/etc/passwd", path), ".Git/HOOKS/e", ".git/hooks/e"),
    (write, f".git/con{LIGATURE}g", ".git/config"),
    (by_exchange, f".GIT/con{LIGATURE}g", ".git/config"),
    (folder, f"bare/hoo{KELVIN}s", "bare/hooks/pre-commit"),
    (write, f"bare/con{LIGATURE}g", "bare/config"),
    (folder, f"sub/h{KELVIN}", "sub/hk/pre-commit"),
    (write, f".v{LONG_S}code/tasks.json", ".vscode/tasks.json"),
    (by_exchange, ".VSCODE/SETTINGS.json", ".vscode/settings.json"),
    (os.mkdir, ".IDEA", ".idea"),
    (write, ".EnvRc", ".envrc"),
    (by_rename, ".MCP.json", ".mcp.json"),
    (read, ".ENV", ".env"),
    (read, f"{KELVIN}ept/FILE", "kept/file"),
    (lambda path: os.rename(path, "stolen"), f"{KELVIN}ept", "stolen/file"),
    (lambda path: os.link(path, "second"), ".Env", "second"),
]
SHORT = [
    (write, ".git./hooks/a", ".git/hooks/a"),
    (write, ".git/hooks /b", ".git/hooks/b"),
    (by_rename, ".git /Hooks. /c", ".git/hooks/c"),
    (write, "GIT~1/hooks/d", ".git/hooks/d"),
    (by_link, "git~1/hooks/e", ".git/hooks/e"),
    (write, ".git/config.", ".git/config"),
    (by_exchange, "git~1/config", ".git/config"),
    (folder, "bare/hooks.", "bare/hooks/pre-commit"),
    (write, "bare/config ", "bare/config"),
    (folder, "sub/hk.", "sub/hk/pre-commit"),
    (write, "VSCODE~1/tasks.json", ".vscode/tasks.json"),
    (write, ".vscode/SETTIN~1.JSO", ".vscode/settings.json"),
    (os.mkdir, ".idea.", ".idea"),
    (write, ".envrc ", ".envrc"),
    (by_rename, ".mcp.json.", ".mcp.json"),
    (read, ".env.", ".env"),
    (read, "ENV~1", ".env"),
    (lambda path: os.link(path, "second"), "env~1", "second"),
    (read, "kept./file", "kept/file"),
    (lambda path: os.rename(path, "stolen"), "kept ", "stolen/file"),
]


def attempt(what, path, seen):
    try:
        what(path)
        os.lstat(seen)
    except OSError:
        return
    print(f"through: {path!a}")


def main():
    if sys.argv[1] == "make":
        make()
        return
    ways = SHORT if sys.argv[2] == "short" else FOLD
    for way in ways:
        attempt(*way)
    # other names go on, in any spelling, and German is no disguise
    write("File~1")
    write("Stra\u00dfe")
    os.rename("FILE~1", "other")
    os.remove("OTHER")
    print(f"tried: {len(ways)}")


if __name__ == "__main__":
    main()
