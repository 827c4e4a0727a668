# SPDX-License-Identifier: MIT
"""Compares Seatbelt profiles with the answers of `cordon why`.

TinyScheme runs a profile as Seatbelt's own interpreter would (prelude.scm) and prints its
rules; this module decides by them under three orders of precedence, and prelude.scm itself decides
a part of the questions, so that each evaluator checks the other.
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORDON = os.environ.get("CORDON", os.path.join(HERE, "..", "..", "build", "cordon"))
MODELS = ("text", "node", "plain")
# Profiles are evaluated as the first of these knows them.
RELEASES = (13, 14, 15, 26)


# ---- the program ---------------------------------------------------------------------------------

class Refused(Exception):
    """cordon said no: the message, and nothing else on standard error."""


def cordon(*arguments, statuses=(0,), cwd=None):
    """What cordon prints. A crash, a sanitizer's report or another status ends the test."""
    done = subprocess.run([CORDON, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, cwd=cwd, timeout=120)
    if done.returncode == 125 and 125 not in statuses:
        raise Refused(done.stderr.decode("utf-8", "replace").strip())
    if done.returncode not in statuses:
        raise SystemExit(f"Bail out! cordon {arguments!r}: status {done.returncode}\n"
                         + done.stderr.decode("utf-8", "replace"))
    return done.stdout


class Policy:
    """A policy for a Mac: its options, its profile, its answers."""

    def __init__(self, policy, home="/Users/sam", project="/Users/sam/shop", options=()):
        self.options = ["-q", "--home", home, "-C", project, *options]
        if policy is not None:
            self.options += ["--policy-json", json.dumps(policy, ensure_ascii=False)]
        self._profile = None

    @property
    def profile(self):
        if self._profile is None:
            printed = json.loads(cordon("sbpl", "--json", *self.options))
            if set(printed) != {"profile", "parameters"}:
                raise SystemExit("Bail out! the JSON of sbpl has other keys")
            values = {name: value.encode("utf-8", "surrogateescape")
                      for name, value in printed["parameters"].items()}
            self._profile = Profile(printed["profile"], values)
        return self._profile

    def why(self, what, subject):
        """Allowed or not; for files the whole answer is in .answer."""
        text = cordon("why", "--json", "--system", "macos", *self.options, "--", what, subject,
                      statuses=(0, 1))
        self.answer = json.loads(text)
        return self.answer["allowed"]

    def rights(self, path):
        """The letters of all rights at path, and what holds a folder there, or None."""
        self.why("rwcdx", path)
        return self.answer["rights"], self.answer["held_by"]


class SessionPolicy(Policy):
    """The same with what a session adds: its private folder, fingerprint, tag, its proxy's port, and the
    socket of a named one, an editor's fingerprint."""

    def __init__(self, policy, tmp="", fingerprint="", tag="", port=0, socket="", home="/Users/sam",
                 project="/Users/sam/shop", editor=""):
        super().__init__(policy, home, project)
        self.arguments = [home, project, json.dumps(policy, ensure_ascii=False), tmp, fingerprint, tag,
                          str(port), socket, editor]

    @property
    def profile(self):
        if self._profile is None:
            program = os.path.join(os.path.dirname(os.path.abspath(CORDON)), "tests/unit/session_profile")
            done = subprocess.run([program, *self.arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=120)
            if done.returncode == 125:
                raise Refused(done.stderr.decode("utf-8", "replace").strip())
            printed = json.loads(done.stdout)
            self._profile = Profile(printed["profile"], {
                name: value.encode("utf-8", "surrogateescape")
                for name, value in printed["parameters"].items()})
        return self._profile


class ProxyPolicy(SessionPolicy):
    """Not the command's but the proxy's own: where it listens, ports of resolvers, other ports."""

    def __init__(self, listener, resolvers, ports):
        super().__init__(None)
        self.arguments = ["proxy", str(listener), str(len(resolvers)), *map(str, resolvers + ports)]


def selftest_profiles():
    """The small profiles of doctor: guarantee, profile."""
    program = os.path.join(os.path.dirname(os.path.abspath(CORDON)), "tests/unit/test_macos_selftest")
    text = subprocess.run([program, "--profiles"], stdout=subprocess.PIPE, timeout=120, check=True).stdout.decode()
    parameters = {"DENIED": b"/private/tmp/d/denied", "FOLDER": b"/private/tmp/d", "SOCKET": b"/private/tmp/d/denied.s"}
    for part in re.split(r"^;; ", text, flags=re.M)[1:]:
        name, _, profiles = part.partition("\n")
        yield from ((name, Profile(one, parameters)) for one in profiles.split("\n;;\n") if one.strip())


# ---- a profile, run by TinyScheme ----------------------------------------------------------------

def scheme_string(value):
    """As an expression; TinyScheme reads no literal longer than 255 bytes."""
    parts = [value[i:i + 40] for i in range(0, len(value), 40)] or [b""]
    texts = ['"' + "".join(f"\\x{byte:02x}" for byte in part) + '"' for part in parts]
    return texts[0] if len(texts) == 1 else "(string-append " + " ".join(texts) + ")"


def scheme_request(request):
    pairs = []
    for key, value in request.items():
        quoted = key in ("path", "name", "host", "port")
        text = scheme_string(value if isinstance(value, bytes) else str(value).encode()) \
            if quoted else "'" + value
        pairs.append(f"(cons '{key} {text})")
    return "(list " + " ".join(pairs) + ")"


def run_scheme(main):
    """Debian's TinyScheme crashes now and then, by where its memory happens to lie: that is no answer,
    and the next run lies elsewhere. Whatever it says otherwise is taken as said."""
    for _ in range(60):
        done = subprocess.run(
            ["tinyscheme", os.path.join(HERE, "tinyscheme.scm"),
             os.path.join(HERE, "prelude.scm"), os.path.join(HERE, "releases.scm"), main], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=250)
        if done.returncode not in (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT):
            break
    return done


class Starved(ValueError):
    """TinyScheme has memory for so many cells and no more; a name of 4 KB takes as many."""


class Profile:
    def __init__(self, text, parameters):
        self.text, self.parameters = text, parameters
        self.rules, self.wider, self.paths = [], {}, set()
        self.loaded, self.confined, self.heard = False, None, 0

    def load(self, questions=()):
        """Runs the profile, once: its rules, and what prelude.scm answers, three words a question."""
        self.loaded = True
        if sys.platform == "darwin":
            return self.load_real(questions)
        commands = "\n".join(f"(ask '{op} {scheme_request(request)})" for op, request in questions)
        try:
            output = self._run(commands + "\n(dump)")
        except Starved:
            # the rules are read all the same, and judged here
            output = self._run("(dump)")
        Dump(output).read(self)
        self.by_operation = {}
        for number, (action, operation, matches) in enumerate(self.rules):
            self.by_operation.setdefault(operation, []).append((number, action, matches))
        found = re.findall(rb"^answer (\w+) (\w+) (\w+)$", output, re.M)
        self.heard = len(found)
        return [tuple(word.decode() for word in answer) for answer in found] or [None] * len(questions)

    def load_real(self, questions):
        """On a Mac its kernel answers; what it cannot be asked is taken as answered."""
        sys.path.insert(0, os.path.join(HERE, "..", "mac"))
        from seatbelt import Confined
        self.confined = Confined(self.text, self.parameters)
        return [None] * len(questions)

    def compiles(self, release):
        """Whether the release would accept it: one line for a profile that it refuses."""
        try:
            self._run("", release)
        except ValueError as error:
            yield f"macOS {release}: {error}"

    def regexes(self, operation):
        """The number of expressions that the rules of an operation name."""
        return int(re.search(rb"^regexes (\d+)$", self._run(f"(regexes '{operation})"), re.M).group(1))

    def _run(self, commands, release=RELEASES[0]):
        """Loads the profile, then runs commands: their output. A profile that is refused is a failure."""
        with tempfile.TemporaryDirectory() as folder:
            main = os.path.join(folder, "main.scm")
            with open(main, "w", encoding="ascii", newline="\n") as file:
                file.write(f"(release {release})\n")
                for name, value in self.parameters.items():
                    file.write(f'(set-param! "{name}" {scheme_string(value)})\n')
                # not by (load), in which TinyScheme loses memory that it still uses
                file.write(f'{self.text}\n{commands}\n(say "done")\n')
            done = run_scheme(main)
        if done.stdout.rstrip().endswith(b"No memory!"):
            raise Starved("no memory")
        if not done.stdout.rstrip().endswith(b"done"):
            raise ValueError(f"refused, status {done.returncode}: " + done.stdout[-400:].decode("utf-8", "replace"))
        return done.stdout

    def dead(self):
        """Path filters that no path of a Mac can match."""
        roots = (b"/tmp", b"/var", b"/etc", b"/home", b"/net", b"/System/Volumes/Data")
        for path in sorted(self.paths):
            parts = path.split(b"/")[1:]
            if path != b"/" and (b"" in parts or b"." in parts or b".." in parts) or any(
                    path.startswith(root + b"/") for root in roots):
                yield f"dead filter: {path!r}"

    # ---- the three orders of precedence

    def _chain(self, operation):
        while operation is not None:
            yield operation
            operation = self.wider[operation]

    def _default(self):
        return next((a for _, a, _ in reversed(self.by_operation.get("default", []))), "deny")

    def decide_text(self, operation, request):
        chain = list(self._chain(operation))
        rules = [rule for op in chain if op != "default" for rule in self.by_operation.get(op, [])]
        for _, action, matches in sorted(rules, key=lambda rule: -rule[0]):
            if matches is None or matches(request):
                return action
        return self._default() if "default" in chain else "allow"

    def decide_node(self, operation, request, plain_last=False):
        for op in self._chain(operation):
            if op == "default":
                return self._default()
            rules = self.by_operation.get(op, [])
            if plain_last:
                rules = sorted(rules, key=lambda rule: rule[2] is not None)
            for _, action, matches in reversed(rules):
                if matches is None or matches(request):
                    return action
        return "allow"

    def ask(self, operation, request):
        return (self.decide_text(operation, request), self.decide_node(operation, request),
                self.decide_node(operation, request, plain_last=True))


class Dump:
    """Reads what (dump) wrote: filters become functions of a request."""

    def __init__(self, data):
        self.data, self.at, self.paths = data, 0, set()

    def read(self, profile):
        self.at = self.data.index(b"\nrules\n") + len("\nrules\n")
        while True:
            word = self.word()
            if word == "op":
                name, wider = self.word(), self.word()
                profile.wider[name] = None if wider == "#f" else wider
            elif word == "rule":
                profile.rules.append((self.word(), self.word(), self.filter()))
                profile.paths |= self.paths
            elif word == "end":
                return
            else:
                raise ValueError("unexpected in the dump: " + word[:80])

    def skip(self):
        while self.data[self.at:self.at + 1] in (b" ", b"\n"):
            self.at += 1

    def word(self):
        self.skip()
        end = self.at
        while self.data[end:end + 1] not in (b" ", b"\n", b")", b""):
            end += 1
        word, self.at = self.data[self.at:end], end
        return word.decode("ascii")

    def string(self):
        self.skip()
        colon = self.data.index(b":", self.at)
        length = int(self.data[self.at:colon])
        self.at = colon + 1 + length
        return self.data[colon + 1:self.at]

    def filter(self):
        self.skip()
        if self.data[self.at:self.at + 1] == b"-":
            self.at += 1
            return None
        self.at += 1
        kind, arguments = self.word(), []
        while True:
            self.skip()
            byte = self.data[self.at:self.at + 1]
            if byte == b")":
                self.at += 1
                if kind in ("literal", "subpath", "prefix"):
                    self.paths.add(arguments[0])
                return make_filter(kind, arguments)
            arguments.append(self.filter() if byte == b"(" else
                             self.string() if byte.isdigit() else self.word())


def below(path, folder):
    return folder == b"/" or path == folder or path.startswith(folder + b"/")


def expression(text):
    """The dialect is part of Python's, but for $, which is the very end."""
    return re.compile(text.replace(b"$", b"\\Z") if b"\\$" not in text else
                      re.sub(rb"(\\.)|\$", lambda m: m.group(1) or b"\\Z", text), re.S)


def make_filter(kind, a):
    def with_path(test):
        return lambda r: r.get("path") is not None and test(r["path"])

    def with_name(test):
        return lambda r: r.get("name") is not None and test(r["name"])

    def inet(r):
        side, proto, host, port = a
        return (r.get("proto") in ("tcp", "udp") and r["side"] == side
                and proto in ("ip", r["proto"]) and host in (b"*", r["host"].encode())
                and port in (b"*", str(r["port"]).encode()))

    if kind in ("regex", "name~"):
        found = expression(a[0])
        return (with_path if kind == "regex" else with_name)(lambda t: found.search(t) is not None)
    table = {
        "all": lambda r: all(f(r) for f in a),
        "or": lambda r: any(f(r) for f in a),
        "not": lambda r: not a[0](r),
        "literal": with_path(lambda p: p == a[0]),
        "subpath": with_path(lambda p: below(p, a[0])),
        "prefix": with_path(lambda p: p.startswith(a[0])),
        "name=": with_name(lambda n: n == a[0]),
        "name^": with_name(lambda n: n.startswith(a[0])),
        "vnode": lambda r: r.get("vnode") == a[0],
        "command": lambda r: a[0] in (r.get("command"), f"={r.get('command')}"),
        "domain": lambda r: r.get("domain") == a[0],
        "protocol": lambda r: f"={r.get('protocol')}" == a[0],
        "target": lambda r: r.get("target") == a[0] or (
            a[0] == "same-sandbox" and r.get("target") in ("self", "children")),
        "usock": lambda r: r.get("proto") == "unix-socket" and r["side"] == a[0] and (
            len(a) == 1 or a[1](r)),
        "inet": inet,
    }
    return table[kind]


# ---- requests ------------------------------------------------------------------------------------

def at(path, vnode="regular-file"):
    return {"path": path if isinstance(path, bytes) else path.encode(), "vnode": vnode}


def connect(host, port, proto="tcp"):
    return {"side": "remote", "proto": proto, "host": host, "port": port}


def listen(host, port, proto="tcp"):
    return {"side": "local", "proto": proto, "host": host, "port": port}


def unix_connect(path):
    return {**at(path, "socket"), "side": "remote", "proto": "unix-socket"}


def unix_bind(path):
    return {**at(path, "socket"), "side": "local", "proto": "unix-socket"}


# Every operation of each right. A folder that is held can be emptied and not removed.
OPERATIONS = {
    "r": ("file-read-data", "file-read-metadata", "file-read-xattr", "file-test-existence",
          "file-map-executable"),
    "w": ("file-write-data", "file-write-mode", "file-write-flags", "file-write-times",
          "file-write-xattr", "file-write-acl", "file-write-owner"),
    "c": ("file-write-create",),
    "d": ("file-write-unlink",),
    "x": ("process-exec*", "process-exec-interpreter"),
}
# No path has these, whatever the policy.
NEVER = ("file-link", "file-write-setugid", "file-mknod", "file-mount", "file-unmount",
         "file-chroot", "file-revoke", "file-issue-extension")


# ---- TAP -----------------------------------------------------------------------------------------

class Tap:
    def __init__(self):
        self.count = self.failed = 0

    def case(self, name, problems):
        self.count += 1
        bad = list(problems)
        self.failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {self.count} - {name}")
        for line in bad[:12]:
            print("# " + line.replace("\n", "\\n"))
        if len(bad) > 12:
            print(f"# ... and {len(bad) - 12} more")
        sys.stdout.flush()

    def end(self):
        if sys.platform == "darwin":
            from seatbelt import Confined
            self.case("the kernel could be asked about most of it", [] if
                      Confined.answered > Confined.unanswered else [
                          f"{Confined.answered} answers, {Confined.unanswered} without"])
        print(f"1..{self.count}")
        return 1 if self.failed else 0


def disagreements(profile, questions, sample=4):
    """questions: (operation, request, allowed). One line for each that is answered otherwise.

    When the profile was not run before, prelude.scm is asked too, about a sample of them.
    """
    questions = list(questions)
    heard = {}
    if not profile.loaded:
        chosen = range(0, len(questions), max(1, -(-len(questions) // sample))) if sample else ()
        answers = profile.load([questions[i][:2] for i in chosen])
        if len(answers) != len(chosen):
            yield f"prelude.scm answered {len(answers)} of {len(chosen)} questions"
        heard = dict(zip(chosen, answers))
    for number, (operation, request, allowed) in enumerate(questions):
        wanted = ("allow" if allowed else "deny",) * 3
        if profile.confined is not None:
            word = profile.confined.ask(operation, request)
            answers = {} if word is None else {"Seatbelt": (word,) * 3}
        else:
            answers = {"here": profile.ask(operation, request)}
        if heard.get(number) is not None:
            answers["prelude.scm"] = heard[number]
        for who, answer in answers.items():
            if answer != wanted:
                yield f"{operation} {request}: {wanted[0]} expected, {who}: " + ", ".join(
                    f"{model} {word}" for model, word in zip(MODELS, answer))
