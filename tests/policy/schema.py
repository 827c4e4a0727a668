#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The JSON Schema and the reader must mean the same format. Prints TAP.

The schema accepts all texts that the reader accepts; both refuse those of the tables below; both have
the same keys and words, found by running the program and by reading its tables of keys.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORDON = os.path.abspath(os.environ.get("CORDON", os.path.join(TREE, "build", "cordon")))
with open(os.path.join(TREE, "schema", "cordon.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

# The function of the reader that holds the table of keys, and the object of the schema it belongs to.
TABLES = {
    "native_read": (),
    "read_block": ("definitions", "block"),
    "native_read_files": ("definitions", "files"),
    "read_rule": ("definitions", "rule"),
    "read_network_object": ("definitions", "network", "oneOf", 1),
    "read_env": ("definitions", "env"),
    "read_limits": ("definitions", "limits"),
}

# Where an object of the schema stands in a policy: the object goes in place of None.
AROUND = {
    (): lambda v: v,
    ("definitions", "block"): lambda v: {"linux": v, "macos": v},
    ("definitions", "files"): lambda v: {"files": v},
    ("definitions", "rule"): lambda v: {"files": {"rules": [v]}},
    ("definitions", "network", "oneOf", 1): lambda v: {"network": v},
    ("definitions", "env"): lambda v: {"env": v},
    ("definitions", "limits"): lambda v: {"limits": v},
}

RULE = {"effect": "allow", "rights": "r", "path": "/srv"}

BAD = [
    [], "agent", None, 7,
    {"flies": {}}, {"files": []}, {"files": {"reed": []}}, {"files": {"read": "/a"}},
    {"files": {"read": [1]}}, {"files": {"read": [""]}}, {"files": {"read": ["a/b"]}},
    {"files": {"read": ["~user/x"]}}, {"files": {"read": ["$NOWHERE"]}},
    {"files": {"read": ["$HOMEx"]}}, {"files": {"read": ["/a\nb"]}}, {"files": {"read": ["*/x"]}},
    {"files": {"read": ["/" + "a" * 5000]}},
    {"files": {"default": "rz"}}, {"files": {"default": "rr"}}, {"files": {"default": None}},
    {"files": {"rules": [{}]}}, {"files": {"rules": {}}},
    {"files": {"rules": [{"effect": "allow", "rights": "r"}]}},
    {"files": {"rules": [{"effect": "allow", "path": "/a"}]}},
    {"files": {"rules": [{"rights": "r", "path": "/a"}]}},
    {"files": {"rules": [{**RULE, "effect": "permit"}]}},
    {"files": {"rules": [{**RULE, "rights": ""}]}},
    {"files": {"rules": [{**RULE, "rights": "read"}]}},
    {"files": {"rules": [{**RULE, "rights": ["r"]}]}},
    {"files": {"rules": [{**RULE, "path": "a"}]}}, {"files": {"rules": [{**RULE, "path": "**/a"}]}},
    {"files": {"rules": [{**RULE, "path": "", "match": "regex"}]}},
    {"files": {"rules": [{**RULE, "path": "a", "match": "glob"}]}},
    {"files": {"rules": [{**RULE, "match": "child_of"}]}}, {"files": {"rules": [{**RULE, "why": 1}]}},
    {"files": {"rules": [{**RULE, "worktrees": "yes"}]}},
    {"files": {"rules": [{**RULE, "optional": 1}]}}, {"files": {"rules": [{**RULE, "doc": ""}]}},
    {"network": "some"}, {"network": "domains"}, {"network": True}, {"network": []},
    {"network": {"allow_domains": []}}, {"network": {"domains": ["a.org"], "localhost": True}},
    {"network": {"domains": "a.org"}}, {"network": {"domains": ["*"]}},
    {"network": {"domains": ["localhost"]}}, {"network": {"domains": ["x.localhost"]}},
    {"network": {"domains": ["10.0.0.1"]}}, {"network": {"domains": ["::1"]}},
    {"network": {"domains": ["a..b"]}}, {"network": {"domains": ["a.*.b"]}},
    {"network": {"domains": ["a b"]}}, {"network": {"domains": [""]}},
    {"network": {"domains": ["https://a.org"]}},
    {"network": {"ports": [0]}}, {"network": {"ports": [65536]}}, {"network": {"ports": ["80"]}},
    {"network": {"ports": [80.5]}}, {"network": {"localhost": [-1]}},
    {"network": {"localhost": []}}, {"network": {"ports": []}},
    {"network": {"domains": ["a.org:443"]}},
    {"network": {"private": ["lan"]}}, {"network": {"private": ["10.0.0.0/0"]}},
    {"network": {"resolver": "127.0.0.1"}}, {"network": {"resolver": "ns.example.org:53"}},
    {"sockets": "docker"}, {"sockets": ["some-agent"]}, {"sockets": ["relative/sock"]},
    {"env": []}, {"env": {"mode": "scrubbed"}}, {"env": {"allow": ["A=B"]}}, {"env": {"allow": ["1A"]}},
    {"env": {"allow": ["*"]}}, {"env": {"allow": ["A*B"]}}, {"env": {"set": []}},
    {"env": {"set": {"A": 1}}}, {"env": {"set": {"A B": ""}}}, {"env": {"vars": []}},
    {"limits": {"time": 0}}, {"limits": {"time": "0"}}, {"limits": {"time": "10y"}},
    {"limits": {"time": "1m30s"}}, {"limits": {"time": -1}}, {"limits": {"time": 1.5}},
    {"limits": {"memory": "4GB"}}, {"limits": {"memory": "4g"}}, {"limits": {"processes": "512"}},
    {"limits": {"output": None}}, {"limits": {"cpu": 1}},
    {"tmp": "privat"}, {"tmp": None}, {"accept": ["files.reed"]}, {"accept": "files.read"},
    {"extends": "agent"}, {"extends": [""]}, {"extends": ["agnet"]}, {"extends": [1]},
    {"$schema": 1}, {"linux": []}, {"linux": {"extends": []}}, {"macos": {"flies": {}}},
    {"linux": {"linux": {}}}, {"windows": {}},
]

GOOD = [
    {}, {"files": {}}, {"extends": []}, {"files": {"read": ["/", "~", "~/x", "$HOME", "$XDG_CACHE_HOME/x"]}},
    {"files": {"read": ["/a b", "/ä", "/a\"b\\c", "**/.env", "/a/*.x", "/a?"]}},
    {"files": {"read": ["$PROJECT/a", "$CWD", "$TMPDIR/x"]}},
    {"files": {"default": ""}}, {"files": {"default": "xdcwr"}},
    {"files": {"rules": [{**RULE, "match": "regex", "path": "(?i).*\\.pem"}]}},
    {"files": {"rules": [{**RULE, "match": "glob", "path": "**/x"}, {**RULE, "path": "~/x"}]}},
    {"network": {}}, {"network": {"localhost": [1, 65535]}}, {"network": {"domains": ["a.org"], "localhost": [1]}},
    {"network": {"domains": []}}, {"network": {"domains": ["A.Example.org", "*.b.org", "a_b.c-d.org", "bücher.example", "org", "a.org."]}},
    {"network": {"ports": [22]}}, {"network": {"private": ["10.0.0.1", "fd00::/8"]}},
    {"network": {"resolver": "[::1]:53"}}, {"sockets": ["~/x.sock", "/run/x", "x11"]},
    {"env": {"allow": ["A", "_b", "A_*"], "set": {"a1": ""}}},
    {"limits": {"time": 1, "output": "1T", "cpu_time": "01d"}}, {"tmp": "shared"},
    {"linux": {}, "macos": {"network": "all"}},
]


class Tap:
    """Counts and prints results."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, good, name, *details):
        """One result; details only when it failed."""
        self.count += 1
        self.failed += not good
        print("%s %d - %s" % ("ok" if good else "not ok", self.count, name.replace("#", "\\#")))
        if not good:
            for detail in details:
                for line in str(detail).splitlines():
                    print("#   " + line)

    def end(self):
        """The plan, and the exit status."""
        print("1..%d" % self.count)
        return 1 if self.failed else 0


def plain_json(text):
    """JSON without the comments and trailing commas of JSONC; strings are left alone."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/',
                  lambda m: m.group() if m.group().startswith('"') else " ", text, flags=re.S)
    closes, before, kept = re.compile(r"\s*[}\]]"), "", []
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|\s+|.', text, re.S):
        token = match.group()
        if token == "," and before not in ("", "[", "{", ",") and closes.match(text, match.end()):
            continue
        kept.append(token)
        before = before if token.isspace() else token
    return "".join(kept)


def read_jsonc(path):
    """The value of a JSONC file."""
    with open(path, encoding="utf-8") as file:
        return json.loads(plain_json(file.read()))


def run(*arguments):
    """Status, standard output and standard error of the program."""
    done = subprocess.run([CORDON, *arguments], capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def check(value):
    """What `cordon check` says about a value as a native policy: status and message."""
    with open("policy.json", "w", encoding="utf-8") as file:
        json.dump(value, file)
    status, _, message = run("check", "native:policy.json")
    return status, message


def problem(value):
    """What the schema has against a value, or None."""
    error = next(iter(VALIDATOR.iter_errors(value)), None)
    return None if error is None else "%s: %s" % (list(error.absolute_path), error.message[:200])


def at(path):
    """The part of the schema at a path."""
    part = SCHEMA
    for step in path:
        part = part[step]
    return part


def follow(part):
    """What a reference leads to; all of an allOf of one is that one, with its own words kept."""
    while "$ref" in part:
        part = at(part["$ref"].lstrip("#/").split("/"))
    return part


def sample(part):
    """A value that fits a part of the schema, from its own examples where it has them."""
    part = follow(part)
    if "examples" in part:
        return part["examples"][0]
    if "enum" in part:
        return part["enum"][0]
    if part.get("type") == "object":
        return {}
    return {"string": "x", "boolean": True, "integer": 1, "array": []}[part["type"]]


def needed(part):
    """The members an object must have."""
    return {name: sample(part["properties"][name]) for name in part.get("required", [])}


def all_parts(part, path=()):
    """Every part of the schema with its path."""
    if isinstance(part, dict):
        yield path, part
        for name, inner in part.items():
            if name not in ("enum", "examples", "const", "default", "required"):
                yield from all_parts(inner, path + (name,))
    elif isinstance(part, list):
        for index, inner in enumerate(part):
            yield from all_parts(inner, path + (index,))


def key_tables():
    """The reader's tables of keys, by function."""
    source = ""
    for name in ("native.c", "native_files.c"):
        with open(os.path.join(TREE, "src", "policy", "read", name), encoding="utf-8") as file:
            source += file.read()
    tables, function = {}, None
    for match in re.finditer(r"^(\w+)\(struct policy_reading \*r|struct read_key keys\[\] = \{(.*?)\n?\s*\};", source,
                             re.M | re.S):
        if match.group(1):
            function = match.group(1)
        else:
            tables[function] = set(re.findall(r'\{"([^"]+)",\s*(?:\w*read_\w+|NULL)\}', match.group(2)))
    return tables


def test_stripper(tap):
    """The stripper is only of use when it is right."""
    cases = {
        '{"a": 1, // x\n}': {"a": 1},
        '["//", "/*", "*/", ",]", "\\"//", ]': ["//", "/*", "*/", ",]", "\"//"],
        '/* a, ] */ [1, /* , */ 2, // ,\n ]': [1, 2],
        '{"a": [1,],}': {"a": [1]},
    }
    for text, value in cases.items():
        got = json.loads(plain_json(text))
        tap.ok(got == value, "comments and commas: " + repr(text), got)
    try:
        json.loads(plain_json("[,]"))
        tap.ok(False, "a lone comma is no list")
    except ValueError:
        tap.ok(True, "a lone comma is no list")


def test_schema(tap):
    """The schema as such: valid, closed, and with words for every key."""
    try:
        jsonschema.Draft7Validator.check_schema(SCHEMA)
        tap.ok(True, "the schema is a schema")
    except jsonschema.SchemaError as error:
        tap.ok(False, "the schema is a schema", error)
    objects = {path: part for path, part in all_parts(SCHEMA) if part.get("type") == "object"}
    opened = [path for path, part in objects.items() if part.get("additionalProperties") is not False]
    tap.ok(opened == [("definitions", "env", "properties", "set")],
           "every object is closed but the variables that are set", opened)
    tap.ok(set(objects) - set(opened) == set(AROUND), "every object is known here",
           set(objects) ^ set(AROUND))
    for path, part in objects.items():
        for name, value in part.get("properties", {}).items():
            words = value.get("description") or follow(value).get("description", "")
            tap.ok(len(words) > 5, "described: %s" % "/".join(map(str, path + (name,))))
    for path, part in all_parts(SCHEMA):
        for example in part.get("examples", []):
            errors = list(jsonschema.Draft7Validator(
                {**part, "definitions": SCHEMA["definitions"]}).iter_errors(example))
            tap.ok(not errors, "example of %s" % "/".join(map(str, path)), *errors)


def test_files(tap):
    """What is shipped fits the schema, is accepted by the program, and is still so when printed."""
    files = [(path, os.path.basename(path)[:-5]) for path in sorted(glob.glob(TREE + "/profiles/*.json"))]
    files += [(path, path) for path in sorted(glob.glob(TREE + "/examples/*.json"))
              if not re.match("(zed|flow|clash)-", os.path.basename(path))]
    tap.ok(len(files) > 15, "there are profiles and examples", files)
    for path, argument in files:
        name = os.path.relpath(path, TREE)
        wrong = problem(read_jsonc(path))
        tap.ok(wrong is None, "fits the schema: " + name, wrong)
        for what in sorted({argument, path}):
            status, _, message = run("check", what)
            tap.ok(status in (0, 1), "accepted: %s %s" % (name, "as a file" if what == path else "by name"),
                   message)
    dialects = ["zed:%s/examples/zed-settings.json", "zed:%s/examples/zed-sandbox.json",
                "flow:%s/examples/flow-build.json", "clash:%s/examples/clash-domains.json",
                "clash:%s/examples/clash-presets.json#git_full"]
    for argument in [argument for _, argument in files] + [text % TREE for text in dialects]:
        for system in ("linux", "macos"):
            status, text, message = run("check", "-q", "--print", "--system", system, "--home", "/home/sam",
                                          argument)
            wrong = message if status > 1 else problem(json.loads(text))
            tap.ok(wrong is None, "printed for %s, fits the schema: %s" % (system, os.path.basename(argument)),
                   wrong)


def test_tables(tap):
    """Bad is bad and good is good to both."""
    for value in BAD:
        name = json.dumps(value)[:70]
        tap.ok(problem(value) is not None, "the schema refuses " + name)
        status, message = check(value)
        tap.ok(status == 125 and message.count("\n") == 1, "the program refuses " + name, status, message)
    for value in GOOD:
        name = json.dumps(value, ensure_ascii=False)[:70]
        wrong = problem(value)
        tap.ok(wrong is None, "the schema accepts " + name, wrong)
        status, message = check(value)
        tap.ok(status in (0, 1), "the program accepts " + name, status, message)


def test_keys(tap):
    """The keys of both are the same."""
    for path, around in AROUND.items():
        part, where = at(path), "/".join(map(str, path)) or "the policy"
        for name, value in part["properties"].items():
            status, message = check(around({**needed(part), name: sample(value)}))
            tap.ok(status in (0, 1), "the program knows %s in %s" % (name, where), message)
        unknown = around({**needed(part), "no_such_key": 1})
        status, message = check(unknown)
        tap.ok(status == 125 and "no_such_key" in message, "the program refuses others in " + where, message)
        tap.ok(problem(unknown) is not None, "the schema refuses others in " + where)
    tables = key_tables()
    tap.ok(set(tables) == set(TABLES), "every table of the reader is known here", set(tables) ^ set(TABLES))
    for function, path in TABLES.items():
        have, want = set(at(path)["properties"]), tables.get(function, set())
        tap.ok(have == want and len(want) > 2, "the keys of %s are the schema's" % function, have ^ want)


def test_words(tap):
    """Names that the schema lists: the program takes each, and has no others."""
    profiles = run("plan", "--profiles")[1].split()
    listed = SCHEMA["properties"]["extends"]["items"]["anyOf"][0]["enum"]
    tap.ok(profiles == listed and profiles, "profiles", set(profiles) ^ set(listed))
    guarantees = [g["name"] for g in json.loads(run("plan", "-q", "--json")[1])["guarantees"]]
    listed = SCHEMA["definitions"]["accept"]["items"]["enum"]
    tap.ok(sorted(guarantees) == sorted(listed), "guarantees", set(guarantees) ^ set(listed))
    places = {
        "tmp": (SCHEMA["definitions"]["tmp"], lambda v: {"tmp": v}),
        "mode": (at(("definitions", "env", "properties", "mode")), lambda v: {"env": {"mode": v}}),
        "network": (at(("definitions", "network", "oneOf", 0)), lambda v: {"network": v}),
        "effect": (at(("definitions", "rule", "properties", "effect")),
                   lambda v: {"files": {"rules": [{**RULE, "effect": v}]}}),
        "match": (at(("definitions", "rule", "properties", "match")),
                  lambda v: {"files": {"rules": [{**RULE, "match": v}]}}),
    }
    for name, (part, around) in places.items():
        for word in part["enum"]:
            status, message = check(around(word))
            tap.ok(status in (0, 1), "%s: %s" % (name, word), message)
        # the message lists the words there are
        message = check(around("no-such-word"))[1]
        words = re.findall(r'"([a-z]+)"', message.split("is not one of")[-1])
        tap.ok(sorted(words) == sorted(part["enum"]), name + ": no other word", message)


def main():
    """All of it, in a home and a project of its own."""
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        home, project = os.path.join(folder, "home"), os.path.join(folder, "project")
        os.makedirs(home)
        os.makedirs(os.path.join(project, ".git"))
        os.chdir(project)
        keep = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
        os.environ.clear()
        os.environ.update({"PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8",
                           "ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "exitcode=99", **keep})
        for test in (test_stripper, test_schema, test_files, test_tables, test_keys, test_words):
            test(tap)
        os.chdir(TREE)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
