#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Profiles with known mistakes, which the evaluators must find.

The mistakes are those of existing generators: names pasted between quotes, ancestors opened after a
deny, an allow before the deny of a whole family, filters that no path can match.
"""
import sys

from sbpl import RELEASES, Profile, Tap, at, connect, disagreements

HEAD = "(version 1)\n(deny default)\n"
tap = Tap()


def found(text, *questions, parameters=None):
    """The disagreements of a profile that is wrong about the last question."""
    return list(disagreements(Profile(HEAD + text, parameters or {}), questions, sample=99))


def wrong(name, text, *questions, count=2):
    """Every evaluator finds it, and nothing else."""
    lines = found(text, *questions)
    tap.case(name, [] if len(lines) == count else [f"{count} findings expected", *lines])


def stopped(name, text):
    try:
        Profile(text, {}).load()
    except ValueError as error:
        tap.case(name, [] if "SBPL" in str(error) or "ound" in str(error) else [str(error)])
    else:
        tap.case(name, ["it was accepted"])


def dead(name, text):
    profile = Profile(HEAD + text, {})
    profile.load()
    tap.case(name, [] if list(profile.dead()) else ["it was not found"])


wrong("a name that closes its quotes opens everything",
      '(allow file-read-data (subpath "/Users/me/x")) (allow default) (allow file-read-data (subpath "/y"))',
      ("appleevent-send", {}, False))
tap.case("the same name as a parameter is a name", found(
    '(allow file-read-data (subpath (param "P0")))',
    ("appleevent-send", {}, False),
    ("file-read-data", at('/Users/me/x")) (allow default) ("/f'), True),
    parameters={"P0": b'/Users/me/x")) (allow default) ("'}))
wrong("an ancestor opened after a deny",
      '(allow file-read* (subpath "/a")) (deny file-read* (subpath "/a/no"))'
      '(allow file-read* (literal "/a/no"))',
      ("file-read-data", at("/a/no/x"), False), ("file-read-data", at("/a/no"), False))
wrong("this machine allowed before the network is denied: the orders differ",
      '(allow network-outbound (remote ip "localhost:*")) (deny network*)',
      ("network-outbound", connect("example.com", 80), False),
      ("network-outbound", connect("localhost", 80), True))
wrong("a narrow allow against a later wide deny: the orders differ",
      '(allow file-read-metadata (subpath "/a")) (deny file-read* (subpath "/a/no"))',
      ("file-read-metadata", at("/a/x"), True), ("file-read-metadata", at("/a/no/x"), False))
wrong("an unfiltered deny behind a filtered allow: the orders differ",
      '(allow signal (target same-sandbox)) (deny signal)',
      ("signal", {"target": "others"}, False), ("signal", {"target": "self"}, True))
wrong("what a default of deny does not reach",
      "(allow process-fork)", ("file-mount", at("/x"), False),
      ("process-info-pidinfo", {"target": "others"}, False))
wrong("several filters of a rule are alternatives",
      '(allow file-read-data (literal "/a") (vnode-type DIRECTORY))',
      ("file-read-data", at("/b"), False), ("file-read-data", at("/b", "directory"), False))
wrong("a negation alone matches what has no path",
      '(allow network-outbound (require-not (subpath "/a")))',
      ("network-outbound", connect("example.com", 80), False))
tap.case("expressions: anchors, classes, branches, high bytes", found(
    '(allow file-read-data (regex (param "R")))',
    *[("file-read-data", at(path), allowed) for path, allowed in (
        ("/a.b", True), ("/axb", False), ("/x/a.b", False), ("/a.b/c", True), ("/a.bc", False),
        ("/[1]", True), ("/[\u00e9]", True), ("/[12]", False), ("/q\n", True), ("/q\nx", False))],
    parameters={"R": b"^(/a\\.b(/|$)|/\\[([0-9]|[\xc2-\xdf][\x80-\xbf])\\]$|/q[^a-z]?$)"}))
stopped("an unknown operation", HEAD + "(allow file-red-data)")
TIOCSTI = HEAD + "(deny file-ioctl (ioctl-command TIOCSTI))"
stopped("a symbol that macOS 13 does not know", TIOCSTI)
tap.case("the same symbol where it is known, and as a number everywhere", [
    line for text, known in ((TIOCSTI, (26,)), (TIOCSTI.replace("TIOCSTI", "2147578994"), RELEASES))
    for release in RELEASES for found in [list(Profile(text, {}).compiles(release))]
    for line in ([] if bool(found) == (release not in known) else found or [f"macOS {release} accepts it"])])
stopped("an operation that macOS 13 does not know", HEAD + "(deny system-mac-syscall)")
tap.case("expressions are counted where they are tried", [] if [
    Profile(HEAD + '(deny file-read-data (require-all (regex "^/a") (require-not (regex "^/b"))))'
            '(allow file-read-data file-write-data (regex "^/c") (literal "/d"))', {}).regexes(operation)
    for operation in ("file-read-data", "file-write-data", "file-ioctl")] == [3, 1, 0] else ["they are not"])
stopped("a value that is neither operation nor filter", HEAD + '(allow file-read-data "/a")')
stopped("a path that is not absolute", HEAD + '(allow file-read-data (subpath "a"))')
stopped("a host that is no loopback", HEAD + '(allow network-outbound (remote ip "10.0.0.1:80"))')
stopped("a port that is none", HEAD + '(allow network-outbound (remote ip "localhost:0"))')
stopped("a parameter that nobody gave", HEAD + '(allow file-read-data (subpath (param "P")))')
stopped("no version", "(deny default)")
stopped("an import", HEAD + '(import "system.sb")')
dead("a filter below a link at the top", '(allow file-read-data (subpath "/tmp/x"))')
dead("a filter with a slash at its end", '(allow file-read-data (subpath "/a/"))')
dead("a filter with dots in it", '(deny file-read-data (require-not (literal "/a/../b")))')
dead("a filter on a firmlink's long name", '(allow file-read-data (subpath "/System/Volumes/Data/Users"))')
sys.exit(tap.end())
