#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random policies with hostile names: every decision of the Seatbelt profile, under every order of
precedence, must be that of `cordon why --system macos`.

  random_policies.py [POLICIES [SEED]]      the same numbers on every run and machine
"""
import json
import os
import random
import sys
import tempfile

from sbpl import OPERATIONS, Policy, Refused, Tap, at, connect, disagreements, unix_bind, unix_connect

PLAIN = ["a", "b", "c", "ab"]
PROTECTED = [".git", "hooks", "config", ".vscode", "modules", "x.git", ".GIT", "info", "attributes",
             "pre-commit.sample", ".envrc", "worktrees", "gitdir"]
HOSTILE = ['"', '")) (allow default) ("', "\\", "\\\\", "(", ")", "a b", "a\nb", "\t", "caf\u00e9",
           "cafe\u0301", "\U0001f600", "[a-z]", "*", "?", "a.b", "^$", "{1}", "|", "+", "#\"", ";",
           "P1", "\x01", "\x7f", "-", "\u00e9\u00e9", "n" * 255, "'", "`", "$HOME x"]


def has_control(text):
    return any(ord(c) < 32 or ord(c) == 127 for c in text)


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = PLAIN * 6 + PROTECTED * 2 + self.random.sample(HOSTILE, 4) * 2
        self.home = "/Users/" + self.random.choice(["sam", "sam", self.name()])
        self.project = self.home + "/" + self.name()
        if self.random.random() < 0.08:
            self.project += ("/" + "x" * 250) * 14

    def name(self):
        return self.random.choice(self.names)

    def path(self, most=4, roots=None):
        root = self.random.choice(roots or [self.project] * 3 + [self.home, "/opt", "/opt", "/private/tmp",
                                              self.random.choice(["/tmp", "/etc", ""])])
        return root + "".join("/" + self.name() for _ in range(self.random.randrange(most))) or "/"

    def glob(self):
        def quoted(name):
            return "".join("\\" + c if c in "*?\\" else c for c in name)

        parts = [self.random.choice(["**", "*", quoted(self.name()), quoted(self.name()) + "*", "?",
                                     "*" + quoted(self.name()), quoted(self.name())])
                 for _ in range(1 + self.random.randrange(3))]
        root = self.random.choice(["**", "**", "", "/opt", "$PROJECT", "~"])
        glob = root + "/" + "/".join(parts)
        return "**/a" if has_control(glob) or "/$" in glob else glob

    def regex(self):
        return self.random.choice([
            ".*/a", "/opt/.*", "/opt/(a|b)(/c)?", ".*/[abc]+", "/[^/]+/[^/]+/a", "/opt/a{1,2}/.*",
            ".*/\\.envrc", "/Users/.*/(?:hooks|config)", ".*\\(.*", ".*\"[^/]*", "/opt/[\\w.]+",
            "^/opt/b$|/opt/c/.*", ".*/a\\sb", "/opt/[^]a-]*", "/opt(/a)+?"])

    def rule(self):
        match = self.random.choice(["subpath"] * 4 + ["literal", "child", "glob", "glob", "regex"])
        path = self.glob() if match == "glob" else self.regex() if match == "regex" else self.path()
        if match in ("subpath", "literal", "child"):
            path = self.written(path)
        rights = self.random.choice(["rwcdx", "rwcd", "r", "rx", "wcd", self.letters()])
        return {"effect": self.random.choice(["allow", "allow", "deny"]), "rights": rights,
                "path": path, "match": match}

    def written(self, path):
        """As a policy can write it: what has control characters in it, or looks like a token, by tokens."""
        for token, value in (("$PROJECT", self.project), ("~", self.home)):
            if path == value or path.startswith(value + "/"):
                path = token + path[len(value):]
        rest = path.replace("$PROJECT", "", 1).replace("~", "", 1)
        return "/opt/a" if "/$" in rest or "/~" in rest or has_control(rest) else path

    def meant(self, path):
        """The other way round."""
        for token, value in (("$PROJECT", self.project), ("~", self.home)):
            if path == token or path.startswith(token + "/"):
                return value + path[len(token):]
        return path

    def letters(self):
        return "".join(c for c in "rwcdx" if self.random.random() < 0.5) or "w"

    def text(self):
        policy = {"files": {"rules": [self.rule() for _ in range(self.random.randrange(8))]},
                  "network": self.random.choice(["none", "localhost", "all", {"localhost": [80, 8080]},
                                                      {"domains": [], "localhost": [80, 8080]}])}
        if self.random.random() < 0.25:
            policy["files"]["default"] = self.letters()
        if self.random.random() < 0.5:
            policy["extends"] = self.random.choice([[], ["agent"], ["open-reads"], ["agent", "git"]])
        if self.random.random() < 0.5:
            policy["sockets"] = [self.written(self.path())]
        return policy


def decide_files(policy, draw, paths):
    for path in paths:
        rights, held = policy.rights(path)
        # of what is on the way to a grant the profile gives away that it is there
        for right, operations in OPERATIONS.items():
            for operation in operations:
                if operation in ("file-read-metadata", "file-test-existence") and right not in rights:
                    continue
                yield operation, at(kernel(path)), right in rights
        yield "file-write-unlink", at(kernel(path), "directory"), "d" in rights and held is None
        yield "network-bind", unix_bind(kernel(path)), "c" in rights
        if draw.random.random() < 0.2:
            yield "network-outbound", unix_connect(kernel(path)), policy.why("socket", path)


def kernel(path):
    """As the kernel sees it: behind the links at the top."""
    for link in ("/tmp", "/var", "/etc"):
        if path == link or path.startswith(link + "/"):
            return "/private" + path
    return path


def decide_network(policy):
    for host, port in (("localhost", 80), ("localhost", 8080), ("localhost", 81), ("localhost", 53),
                       ("example.com", 443)):
        yield "network-outbound", connect(host, port), policy.why("connect", f"{host}:{port}")


def interesting(draw, texts):
    """Paths of the rules, beside, above and below them, and any others."""
    found = []
    for text in texts:
        for rule in text["files"]["rules"]:
            if rule["match"] in ("subpath", "literal", "child"):
                path = draw.meant(rule["path"])
                folder = path.rstrip("/")
                found += [path, folder + "/" + draw.name(), folder + "x", os.path.dirname(path),
                          folder + "/" + draw.name() + "/" + draw.name()]
    draw.random.shuffle(found)
    found = found[:9] + [draw.path(6) for _ in range(7)] + [draw.project, draw.home]
    # deleting a link is about the link, everything else about what it leads to
    return [p for p in dict.fromkeys(found) if p.startswith("/") and "//" not in p
            and len(p.encode()) < 4000 and p not in ("/tmp", "/var", "/etc")]


def refused_too(policy, seed, why):
    """What is no plan is no profile."""
    try:
        policy.profile
    except Refused as said:
        return [] if str(said) == str(why) else [f"seed {seed}: {said} instead of {why}"]
    return [f"seed {seed}: there is a profile, although {why}"]


def check(seed, folder):
    draw = Draw(seed)
    user, command = draw.text(), draw.text()
    os.makedirs(os.path.join(folder, "cordon"), exist_ok=True)
    with open(os.path.join(folder, "cordon", "config.json"), "w", encoding="utf-8") as file:
        json.dump(user, file)
    policy = Policy(command, home=draw.home, project=draw.project)
    bad = []
    try:
        policy.rights("/")
    except Refused as why:
        return refused_too(policy, seed, why), 0, 0
    questions = list(decide_files(policy, draw, interesting(draw, (user, command))))
    questions += decide_network(policy)
    bad += disagreements(policy.profile, questions, sample=1 if seed % 4 == 0 else 0)
    bad += policy.profile.dead()
    if not policy.profile.text.isascii():
        bad.append("the text is not ASCII")
    if bad:
        bad.insert(0, f"seed {seed}: " + json.dumps({"user": user, "command": command,
                                                      "home": draw.home, "project": draw.project}))
    return bad, len(questions), policy.profile.heard


def main():
    policies = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    tap, asked, planned, heard = Tap(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CONFIG_HOME"] = folder
        os.chmod(folder, 0o755)
        for start in range(first, first + policies, 8):
            bad = []
            for seed in range(start, min(start + 8, first + policies)):
                found, count, here = check(seed, folder)
                bad += found
                asked += count
                heard += here
                planned += count > 0
            tap.case(f"policies {start} to {seed}", bad)
    tap.case("most of them can be planned", [] if planned * 3 >= policies * 2 else [
        f"{planned} of {policies}"])
    tap.case("prelude.scm was asked as well", [] if heard * 8 >= planned or policies < 24 else [f"{heard} of {planned}"])
    print(f"# {asked} questions, each under three orders of precedence")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
