# SPDX-License-Identifier: MIT
"""
The use of the stack, as TAP, from gcc's data about each function (-fcallgraph-info=su). A command
chooses the depth of its folders and its calls, so only the functions listed here with a bound are
recursive, no frame is large, and no thread of the broker needs more than half of its stack.

    tests/lint/stack.py [BUILD]      default: build/ of this tree
"""
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build")

FRAME_MAX = 20 * 1024
# A callback that is called by a pointer, but for those below.
CALLBACK = 32 * 1024

# Functions that come to call themselves, and what keeps that short.
RECURSIVE = {
    "base/json.c:read_value": "JSON_DEPTH_MAX",
    "policy/read/zed_schema.c:knows_sandbox": "JSON_DEPTH_MAX, which is the depth of what it looks at",
    "sources/layers.c:load_extends": "EXTENDS_DEPTH_MAX",
    "git_scan_add": "once: what add_linked adds is no folder of hooks",
    "host/fs_view.c:is_plain": "48 bytes for each name of a path, at the start",
    "session/registry/private_tmp.c:empty": "DEPTH_MAX; what is deeper is moved up first",
    "review/ref_files.c:read_folder": "DEPTH_MAX; deeper entries are reported as not checked",
    "review/new_objects.c:check_some": "once: with one name it does not call itself",
    "review/git_state.c:walk_folder": "DEPTH_MAX; deeper entries are reported as not checked",
    "review/tree_diff.c:compare": "halves: once for each doubling of the number of trees",
    "linux/broker/git/git_local_remote.c:is_still": "GITFILES_MAX",
    "linux/landlock/rules_entries.c:holds_secret": "DEPTH_MAX, and only in /etc",
    "macos/sbpl/pcre_regex.c:read_piece": "DEPTH_MAX",
    "macos/sbpl/path_filter.c:add_part": "expressions that the profile itself nests",
    "macos/sbpl/ancestors.c:push_filter": "expressions that the profile itself nests",
    "path_filter_within": "expressions that the profile itself nests",
    "path_filter_merge": "expressions that the profile itself nests",
    "path_filter_print": "expressions that the profile itself nests",
}

# Larger frames, none of them on a thread of the broker.
LARGE = {
    "process_tree_kill": "the guard's first thread: the processes of a session",
    "process_tree_terminate": "the guard's first thread: the processes of a session",
    "linux/process/process_tree.c:is_empty_below": "the guard's first thread: the processes of a session",
    "linux/selftest/selftest.c:prove_in_box": "doctor",
    "shared_session_enter": "the launcher, at the start",
    "proxy/server/proxy.c:proxy_main": "the first frame of a process of its own",
}

# Tables of functions: whose pointer is called where.
POINTERS = {"broker_answer": r"sys_\w+"}

NODE = re.compile(r'node: \{ title: "([^"]*)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"')
SIZE = re.compile(r"(\d+) bytes \(([^)]*)\)")


def short(name):
    name = re.sub(r"^(\.\./)?src/", "", name)
    return re.sub(r"\.(isra|part|constprop|cold|lto_priv)(\.\d+)?", "", name)


def graphs():
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        for command in json.load(file):
            output = command["output"]
            if output.startswith(("libcordon.a.p/src_", "cordon.p/src_")):
                yield os.path.join(BUILD, output[:-2] + ".ci")


def read():
    frames, kinds, calls = {}, {}, {}
    for path in graphs():
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                node, edge = NODE.match(line), EDGE.match(line)
                if node and SIZE.search(node[2]):
                    size, kind = SIZE.search(node[2]).groups()
                    frames[node[1]], kinds[node[1]] = int(size), kind
                elif edge:
                    calls.setdefault(edge[1], set()).add(edge[2])
    return frames, kinds, calls


def cycles(calls):
    """Strongly connected parts (Tarjan) that have an edge inside."""
    number, low, stack, found = {}, {}, [], []
    for root in list(calls):
        if root in number:
            continue
        work = [(root, iter(calls.get(root, ())))]
        number[root] = low[root] = len(number)
        stack.append(root)
        while work:
            at, rest = work[-1]
            step = next(rest, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == number[at]:
                    part = stack[stack.index(at):]
                    del stack[stack.index(at):]
                    for one in part:
                        low[one] = float("inf")
                    if len(part) > 1 or at in calls.get(at, ()):
                        found.append(part)
            elif step not in number:
                number[step] = low[step] = len(number)
                stack.append(step)
                work.append((step, iter(calls.get(step, ()))))
            elif low[step] != float("inf"):
                low[at] = min(low[at], number[step])
    return found


def check_cycles(calls, wrong):
    met = set()
    for part in cycles(calls):
        names = {short(name) for name in part}
        met |= names
        if not names & set(RECURSIVE):
            wrong.append("calls itself: " + ", ".join(sorted(names)))
    wrong += [f"{name} is listed and does not call itself" for name in set(RECURSIVE) - met]


def check_frames(frames, kinds, wrong):
    for name, size in frames.items():
        if kinds[name] == "dynamic":
            wrong.append(f"{short(name)}: its frame is as large as what it is called with")
        if size > FRAME_MAX and short(name) not in LARGE:
            wrong.append(f"{short(name)}: a frame of {size} bytes, {FRAME_MAX} at most")
    large = {short(name) for name, size in frames.items() if size > FRAME_MAX}
    wrong += [f"{name} is listed and has no large frame" for name in set(LARGE) - large]


class Depth:
    """The most that a function and all that it calls need; a recursion counts once."""

    def __init__(self, frames, calls):
        self.frames, self.calls, self.known = frames, calls, {}

    def callback(self, name):
        pattern = POINTERS.get(short(name))
        if pattern is None:
            return CALLBACK, ["a callback"]
        return max(self.of(one) for one in self.frames if re.fullmatch(pattern, one))

    def of(self, name):
        if name in self.known:
            return self.known[name]
        self.known[name] = (0, [])
        best = (0, [])
        for one in self.calls.get(name, ()):
            best = max(best, self.callback(name) if one == "__indirect_call" else self.of(one))
        self.known[name] = (self.frames.get(name, 0) + best[0], [short(name)] + best[1])
        return self.known[name]


def threads():
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "linux", "**", "*.c"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        size = re.search(r"#define STACK_SIZE \((\d+) \* 1024\)", text)
        for main in re.findall(r"thread_start\(STACK_SIZE, (\w+),", text):
            yield f"../{os.path.relpath(path, ROOT)}:{main}", int(size[1]) * 1024


def check_threads(frames, calls, wrong):
    depth, seen = Depth(frames, calls), 0
    sys.setrecursionlimit(10000)
    for main, size in threads():
        seen += 1
        if main not in frames:
            wrong.append(f"{short(main)}: nothing is known about it")
            continue
        need, way = depth.of(main)
        print(f"# {short(main)}: {need} of {size} bytes")
        if need > size // 2:
            wrong.append(f"{short(main)}: {need} of {size} bytes: " + " > ".join(way))
    if seen == 0:
        wrong.append("no thread_start was found")


def report(number, name, wrong):
    print(("not ok" if wrong else "ok"), number, "-", name)
    for line in sorted(wrong):
        print("#", line)


def main():
    frames, kinds, calls = read()
    checks = [
        ("nothing calls itself without a bound", lambda w: check_cycles(calls, w)),
        ("no frame is large", lambda w: check_frames(frames, kinds, w)),
        ("no thread needs more than half of its stack", lambda w: check_threads(frames, calls, w)),
    ]
    failed = 0
    for number, (name, check) in enumerate(checks, 1):
        wrong = []
        check(wrong)
        report(number, name, wrong)
        failed += bool(wrong)
    print(f"1..{len(checks)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
