#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks lines of events against schema/cordon.events.schema.json.

    events.py FILE... [-- EXPRESSION]   each line is a whole event, and the expression about them (d) holds
    events.py --words                   the schema has exactly the words of the sources
"""
import json
import os
import re
import sys

import jsonschema

TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(TREE, "schema", "cordon.events.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def source(*path):
    """Text of a file of src/."""
    with open(os.path.join(TREE, "src", *path), encoding="utf-8") as file:
        return file.read()


def check_words():
    """Closed lists of the schema against the tables of the program."""
    refused = SCHEMA["definitions"]["refused"]["properties"]
    causes = [word.lower().replace("_", "-") for word in
              re.findall(r"^\tX\(([A-Z0-9_]+),", source("policy", "model", "cause.h"), re.M)]
    what = re.findall(r'\{"([a-z.]+)", G_', source("ipc", "refusal.c"))
    known = re.findall(r'\[KNOWN_\w+\] = "(\w+)"', source("audit", "event.c"))
    names = re.findall(r'\[EVENT_\w+\] = "(\w+)"', source("audit", "event.c"))
    guarantees = re.findall(r'\] = "([a-z.]+)",', source("policy", "model", "guarantee.c"))
    kinds = [SCHEMA["definitions"][entry["$ref"].rsplit("/", 1)[1]]["properties"]["event"]["const"]
             for entry in SCHEMA["oneOf"]]
    assert len(causes) > 100 and refused["cause"]["enum"] == causes, "causes"
    assert len(what) > 10 and refused["what"]["enum"] == what, "what"
    assert len(known) == 4 and refused["known"]["enum"] == known, "known"
    assert sorted(set(kinds)) == sorted(names), "events"
    assert SCHEMA["definitions"]["guarantee"]["enum"] == guarantees, "guarantees"


def read_events(path):
    """The events of a file; every line must be one, in ASCII or visible characters."""
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    assert text == "" or text.endswith("\n"), "%s: the last line is cut" % path
    events = []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        assert not re.search("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]", line), (path, number, line)
        event = json.loads(line)
        bad = sorted(VALIDATOR.iter_errors(event), key=str)
        if bad:
            sys.exit("%s:%d: %s\n%s" % (path, number, line, bad[0].context or bad[0]))
        events.append(event)
    return events


def main(arguments):
    """The status is 0 only if everything holds."""
    if arguments == ["--words"]:
        check_words()
        return 0
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    d = [event for path in arguments[:cut] for event in read_events(path)]
    for expression in arguments[cut + 1:]:
        if not eval(expression, {"d": d}):  # pylint: disable=eval-used
            sys.exit("does not hold: %s\n%s" % (expression, json.dumps(d, indent=1)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
