#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The default seccomp profiles of container runtimes, as data: NAME.json in this folder.

    lists.py refresh NAME FILE SOURCE DATE   converts an upstream file: a profile in JSON (docker, podman), or
                                             containerd's Go source; writes NAME.json
    lists.py profile NAME [CAPABILITY]...    prints the profile for a container with these capabilities, in
                                             the form of an OCI bundle

A row of "rules" has the names of calls in "calls"; what is missing means: allowed, always, on every
processor. "args": [index, operator, value, second value]. "caps" and "without": one of these capabilities is
there, none is. "arches": one of these processors. A call that no row allows gets "errno".
"""
import json
import os
import platform
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARCH = {"x86_64": ("amd64", ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]),
        "aarch64": ("arm64", ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"])}
# What the Go source writes by name.
GO_VALUES = {"unix.AF_ALG": 38, "unix.AF_VSOCK": 40, "unix.AF_ALG + 1": 39}
NAMESPACES = 0x7e020000
EPERM, ENOSYS = 1, 38


def row(calls, action="SCMP_ACT_ALLOW", errno=None, args=None, **conditions):
    made = {"calls": " ".join(sorted(set(calls)))}
    if action != "SCMP_ACT_ALLOW":
        made["errno"] = EPERM if errno is None else errno
    if args:
        made["args"] = args
    made.update({key: value for key, value in conditions.items() if value})
    return made


def rows_of_json(text):
    for rule in text["syscalls"]:
        names = rule.get("names") or [rule["name"]]
        given, not_given = rule.get("includes") or {}, rule.get("excludes") or {}
        args = [[a["index"], a["op"], a["value"], a.get("valueTwo", 0)] for a in rule.get("args") or []]
        if not_given.get("arches"):  # only s390 has other arguments of clone
            given.setdefault("arches", ["amd64", "arm64"])
        yield row(names, rule["action"], rule.get("errnoRet"), args, caps=given.get("caps"),
                  without=not_given.get("caps"), arches=given.get("arches"))


def go_value(text):
    text = text.strip()
    if "CLONE_NEW" in text:
        return NAMESPACES
    return GO_VALUES[text] if text in GO_VALUES else int(text, 0)


def go_args(text):
    ops = {"OpLessThan": "SCMP_CMP_LT", "OpEqualTo": "SCMP_CMP_EQ", "OpGreaterThan": "SCMP_CMP_GT",
           "OpMaskedEqual": "SCMP_CMP_MASKED_EQ", "OpNotEqual": "SCMP_CMP_NE"}
    for one in re.finditer(r"Index:\s*(\d+),\s*Value:\s*([^,]+),(?:\s*ValueTwo:\s*(\d+),)?\s*Op:\s*specs\.(\w+)", text):
        yield [int(one[1]), ops[one[4]], go_value(one[2]), int(one[3] or 0)]


def rows_of_go(text):
    """Each rule begins with Names; the cases before it are its conditions."""
    text = text[text.index("func DefaultProfile"):]
    start = text.index("include by arch")
    found = list(re.finditer(r"case ([^:\n]+):|if (!?)admin|default:|Names:\s*\[\]string\{([^}]*)\}", text))
    arches = caps = without = None
    for place, one in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        if one[1]:
            values = re.findall(r'"([^"]+)"', one[1])
            if values[0].startswith("CAP_"):
                arches, caps = None, values
            else:
                arches = values
        elif one[0].startswith("if"):
            arches, caps, without = None, None, ["CAP_SYS_ADMIN"] if one[2] else None
        elif one[0] == "default:":
            arches = None
        elif one.start() < start or arches is not None or caps is not None or without is not None:
            after = text[one.end():end]
            names = re.findall(r'"([^"]+)"', one[3])
            refused = "ActErrno" in after.split("Args")[0]
            yield row(names, "SCMP_ACT_ERRNO" if refused else "SCMP_ACT_ALLOW", ENOSYS if refused else None,
                      list(go_args(after)), arches=arches, caps=caps, without=without)


def refresh(name, path, source, date):
    text = open(path, encoding="utf-8").read()
    rules = list(rows_of_go(text) if path.endswith(".go") else rows_of_json(json.loads(text)))
    with open(os.path.join(HERE, name + ".json"), "w", encoding="utf-8") as to:
        to.write('{"source": %s, "date": %s, "errno": %d, "rules": [\n' % (json.dumps(source), json.dumps(date), EPERM))
        to.write(",\n".join(json.dumps(rule) for rule in rules) + "\n]}\n")
    print(f"{name}: {len(rules)} rules, {sum(len(rule['calls'].split()) for rule in rules)} calls")


def fits(rule, arch, caps):
    return ((not rule.get("arches") or arch in rule["arches"])
            and (not rule.get("caps") or set(rule["caps"]) & set(caps))
            and not set(rule.get("without", [])) & set(caps))


def profile(name, caps):
    """The profile that the runtime would make, for a bundle's config.json."""
    data = json.load(open(os.path.join(HERE, name + ".json"), encoding="utf-8"))
    arch, names = ARCH[platform.machine()]
    made = {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": data["errno"], "architectures": names, "syscalls": []}
    for rule in data["rules"]:
        if not fits(rule, arch, caps):
            continue
        one = {"names": rule["calls"].split(), "action": "SCMP_ACT_ERRNO" if "errno" in rule else "SCMP_ACT_ALLOW"}
        if "errno" in rule:
            one["errnoRet"] = rule["errno"]
        if "args" in rule:
            one["args"] = [dict(zip(("index", "op", "value", "valueTwo"), arg)) for arg in rule["args"]]
        made["syscalls"].append(one)
    return made


if __name__ == "__main__":
    if sys.argv[1] == "refresh":
        refresh(*sys.argv[2:])
    else:
        print(json.dumps(profile(sys.argv[2], sys.argv[3:])))
