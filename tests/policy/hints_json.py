#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Checks a line of `run --hints json` on standard input: hints_json.py REFUSED"""
import json
import sys

NEVER = ("--accept", "--net all", "--track-only", "without cordon", "disable")

data = json.loads(sys.stdin.read())
assert data["refused"] == int(sys.argv[1]), data
assert data["v"] == 1 and len(data["session"]) == 16 and data["session"] != "0" * 16, data
assert sum(hint["count"] for hint in data["hints"]) + data["more"] >= data["refused"], data
for hint in data["hints"]:
    assert hint["hint"].startswith("The sandbox refused: ") and hint["hint"].endswith("."), hint
    assert not any(word in hint["hint"] for word in NEVER), hint
    assert (hint["allow"] or "") in hint["hint"], hint
