#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Fixed policies and the decisions that their Seatbelt profiles must make, written by hand.

Each row is also compared with `cordon why --system macos`, and each question is put to both
evaluators under all three orders of precedence.
"""
import json
import os
import sys
import tempfile

from sbpl import (RELEASES, NEVER, OPERATIONS, Policy, ProxyPolicy, Refused, SessionPolicy, Tap, at, connect, disagreements,
                  listen, selftest_profiles, unix_bind, unix_connect)

HOME, SHOP = "/Users/sam", "/Users/sam/shop"
tap = Tap()


def files(policy, rows):
    """Rows of path and rights. Every operation of every right is asked, of a file and of a folder."""
    questions, bad = [], []
    for path, rights in rows:
        said, held = policy.rights(path)
        if said != rights:
            bad.append(f"{path}: {rights!r} expected, why says {said!r}")
        for right, operations in OPERATIONS.items():
            for operation in operations:
                # what holds a folder on the way to a grant is asked elsewhere
                if operation in ("file-read-metadata", "file-test-existence") and "r" not in rights:
                    continue
                allowed = right in rights
                questions.append((operation, at(path), allowed))
                if right == "d":
                    questions.append((operation, at(path, "directory"), allowed and held is None))
        questions += [(operation, at(path), False) for operation in NEVER]
        questions.append(("network-bind", unix_bind(path), "c" in rights))
    return bad + list(disagreements(policy.profile, questions)) + list(
        policy.profile.dead())


def ask(policy, *questions):
    return list(disagreements(policy.profile, questions))


def network(policy, rows, udp=True):
    """Rows of host, port and whether it can be reached, by datagrams only where udp says so; of `why` too."""
    bad, questions = [], []
    for host, port, allowed in rows:
        name = "localhost" if host in ("localhost", "127.0.0.1", "[::1]") else host
        for proto, suffix, expected in (("tcp", "", allowed), ("udp", "/udp", allowed and udp)):
            if policy.why("connect", f"{host}:{port}{suffix}") != expected:
                bad.append(f"{host}:{port}{suffix}: why says otherwise")
            questions.append(("network-outbound", connect(name, port, proto), expected))
    return bad + ask(policy, *questions)


def text_of(policy):
    return policy.profile.text


# ---- files ---------------------------------------------------------------------------------------

agent = Policy(None)
tap.case("the default: the project and the system, nothing of the user's", files(agent, [
    (SHOP, "rwcdx"), (SHOP + "/src/a.c", "rwcdx"), ("/Users/sam/shop2/a", ""),
    ("/Users/sam/.ssh/id_ed25519", ""), ("/Users/sam", ""), ("/usr/bin/git", "rx"),
    ("/private/etc/hosts", "r"), ("/", "r"), ("/dev/null", "rw"), ("/dev/ttys004", "rw"),
    ("/dev/disk0", ""), ("/private/tmp/x", "")]))
tap.case("descriptors by name, and the loader's cache", files(agent, [
    ("/dev/fd/1", "rw"), ("/dev/fd/63", "rw"), ("/dev/stdin", "rw"), ("/dev/stdout", "rw"), ("/dev/stderr", "rw"),
    ("/dev/dtracehelper", "rw"), ("/private/var/db/dyld/dyld_shared_cache_arm64e", "r"),
    ("/private/var/select/sh", "r"), ("/System/Volumes/Preboot/Cryptexes/OS/usr/lib/libobjc.dylib", "rx"),
    ("/private/var/db/other", "")]))
tap.case("python.org's Python, JDKs and any Xcode can be run", files(agent, [
    ("/Library/Frameworks/Python.framework/Versions/3.13/bin/python3", "rx"),
    ("/Library/Java/JavaVirtualMachines/temurin-21.jdk/Contents/Home/bin/java", "rx"),
    ("/Applications/Xcode.app/Contents/Developer/usr/bin/git", "rx"),
    ("/Applications/Xcode-16.4.app/Contents/Developer/usr/bin/git", "rx"), ("/Applications/Other.app/x", ""),
    (HOME + "/Library/Java/JavaVirtualMachines/a/bin/java", "")]))
CACHES = "/private/var/folders/ab/0123456789/"
tap.case("caches of compilers and package managers, by profile", files(
    Policy(None, options=[o for name in ("c", "java", "python", "node") for o in ("-p", name)]), [
        (CACHES + "C/clang/ModuleCache/2ABC/Darwin.pcm", "rwcd"), (CACHES + "C/other", ""),
        (CACHES + "T/xcrun_db", ""), (HOME + "/Library/Caches/ccache/a", "rwcd"),
        (HOME + "/Library/Caches/uv/a", "rwcd"), (HOME + "/Library/pnpm/pnpm", "rx"),
        (HOME + "/Library/pnpm/store/v3/a", "rwcdx"), (HOME + "/Library/Caches/org.swift.swiftpm/a", "rwcd"),
        (HOME + "/Library/Java/JavaVirtualMachines/a/bin/java", "rx"), (HOME + "/Library/Caches/x", "")])
    + files(agent, [(CACHES + "C/clang/ModuleCache/2ABC/Darwin.pcm", "")]))
tap.case("protected names, at any depth, in either case, existing or not", files(agent, [
    (SHOP + "/.git", "rx"), (SHOP + "/.git/hooks", "rx"), (SHOP + "/.git/hooks/pre-commit", "rx"),
    (SHOP + "/.git/hooks/pre-commit.sample", "rwcdx"), (SHOP + "/.git/hooks/.x.sample.aB3xYz", "rwcdx"),
    (SHOP + "/.git/hooks/x.sample.aB3xYz", "rx"), (SHOP + "/.git/hooks/.x.sample.aB3xYz1", "rx"), (SHOP + "/.git/config", "rx"),
    (SHOP + "/.git/index", "rwcdx"), (SHOP + "/deep/er/.GIT/HOOKS/x", "rx"),
    (SHOP + "/a/.vscode/tasks.json", "rx"), (SHOP + "/.envrc", "rx"), (SHOP + "/.cordon.json", "rx"),
    (SHOP + "/.git/modules/sub/hooks/x", "rx"), (SHOP + "/.git/modules/sub/objects/x", "rwcdx")]))
tap.case("a deny inside a grant, a grant inside that, and so on", files(Policy({
    "extends": [], "files": {"rules": [
        {"effect": "allow", "rights": "r", "path": "/Users"},
        {"effect": "deny", "rights": "rwcdx", "path": HOME},
        {"effect": "allow", "rights": "rwcd", "path": HOME + "/a"},
        {"effect": "deny", "rights": "rwcd", "path": HOME + "/a/b"},
        {"effect": "allow", "rights": "r", "path": HOME + "/a/b/c"}]}}), [
    ("/Users/bob/x", "r"), (HOME, ""), (HOME + "/x", ""), (HOME + "/a", "rwcd"),
    (HOME + "/a/x/y", "rwcd"), (HOME + "/a/b", ""), (HOME + "/a/b/x", ""), (HOME + "/a/b/c", "r"),
    (HOME + "/a/b/c/d", "r"), (HOME + "/ab", "")]))


def shuffled():
    """The order in which path rules are written decides nothing."""
    rules = [{"effect": effect, "rights": rights, "path": path} for effect, rights, path in (
        ("allow", "r", "/opt"), ("deny", "rwcdx", "/opt/a"), ("allow", "rwcd", "/opt/a/b"),
        ("deny", "w", "/opt/a/b/c"), ("allow", "x", "/opt/a/b/c"))]
    seen = set()
    for turn in range(len(rules)):
        for order in (rules[turn:] + rules[:turn], (rules[turn:] + rules[:turn])[::-1]):
            profile = Policy({"extends": [], "files": {"rules": order}}).profile
            seen.add((profile.text, tuple(sorted(profile.parameters.items()))))
    return [] if len(seen) == 1 else [f"{len(seen)} profiles of one policy"]


# R93-R94 differs: the order has no effect under any order of precedence; of ancestors metadata only
tap.case("the order in which rules are written decides nothing", shuffled())
tap.case("literal and child reach what they say", files(Policy({
    "extends": [], "files": {"rules": [
        {"effect": "allow", "rights": "rw", "path": "/opt/l", "match": "literal"},
        {"effect": "allow", "rights": "rw", "path": "/opt/c", "match": "child"},
        {"effect": "allow", "rights": "rwcd", "path": "/opt/s"},
        {"effect": "deny", "rights": "wcd", "path": "/opt/s/(x)", "match": "child"},
        {"effect": "deny", "rights": "wcd", "path": "/opt/s/l", "match": "literal"}]}}), [
    ("/opt/l", "rw"), ("/opt/l/x", ""), ("/opt/c", ""), ("/opt/c/x", "rw"), ("/opt/c/x/y", ""),
    ("/opt/s/(x)", "rwcd"), ("/opt/s/(x)/y", "r"), ("/opt/s/(x)/y/z", "rwcd"), ("/opt/s/l", "r"),
    ("/opt/s/l/x", "rwcd"), ("/opt/s/x/y", "rwcd")]))
tap.case("each right by itself", files(Policy({
    "extends": [], "files": {"rules": [
        {"effect": "allow", "rights": letter, "path": "/opt/" + letter} for letter in "rwcdx"] + [
        {"effect": "allow", "rights": "rwcdx", "path": "/opt/most"}] + [
        {"effect": "deny", "rights": letter, "path": "/opt/most/" + letter} for letter in "rwcdx"]}}),
    [("/opt/" + letter + "/f", letter) for letter in "rwcdx"] +
    [("/opt/most/" + letter + "/f", "rwcdx".replace(letter, "")) for letter in "rwcdx"]))
tap.case("globs and regular expressions", files(Policy({
    "files": {"rules": [
        {"effect": "deny", "rights": "rwcdx", "path": "**/.env", "match": "glob"},
        {"effect": "deny", "rights": "wcd", "path": SHOP + "/gen/*.[x]", "match": "glob"},
        {"effect": "allow", "rights": "r", "path": "~/.ssh/*.pub", "match": "glob"},
        {"effect": "allow", "rights": "r", "path": "/opt/k?y", "match": "glob"},
        {"effect": "deny", "rights": "x", "path": SHOP + "/bin/[a-c]+(\\.sh)?", "match": "regex"}]}}), [
    (SHOP + "/.env", ""), (SHOP + "/a/.env/b", ""), (SHOP + "/.envx", "rwcdx"),
    (SHOP + "/gen/a.[x]", "rx"), (SHOP + "/gen/a.x", "rwcdx"), (SHOP + "/gen/d/a.[x]", "rwcdx"),
    (HOME + "/.ssh/a.pub", "r"), (HOME + "/.ssh/id", ""), ("/opt/key", "r"), ("/opt/k\u00e9y", "r"),
    ("/opt/kay/x", "r"), ("/opt/kaay", ""), ("/opt/k/y", ""), (SHOP + "/bin/abc", "rwcd"),
    (SHOP + "/bin/abc.sh", "rwcd"), (SHOP + "/bin/abcd", "rwcdx")]))
tap.case("what a file denies is final, what a profile denies is not", files(Policy({
    "extends": ["open-reads"], "files": {"read": ["~/.aws/config"], "deny": ["/opt/x"]}}), [
    (HOME + "/.aws/config", "r"), (HOME + "/.aws/credentials", ""), ("/opt/x/y", ""), ("/opt/y", "rx"),
    (HOME + "/notes", "rx"), (HOME + "/Library/Keychains/login.keychain-db", "")]))
tap.case("links at the top are followed, slashes at the end dropped", files(Policy({
    "extends": [], "files": {"read": ["/etc/ssl/", "/var/log"], "write": ["/tmp/build//"],
                             "deny": ["/tmp/build/secret/"]}}), [
    ("/private/etc/ssl/x", "r"), ("/private/var/log/x", "r"), ("/private/tmp/build/x", "rwcd"),
    ("/private/tmp/build/secret/x", ""), ("/private/tmp/build/secret", "")]))
tap.case("naming a protected path lifts it, for what is named", files(
    Policy(None, options=("--write", SHOP + "/.vscode")), [
        (SHOP + "/.vscode/tasks.json", "rwcdx"), (SHOP + "/.vscode", "rwcdx"),
        (SHOP + "/.vscode/.envrc", "rx"), (SHOP + "/.idea/x", "rx")]))
tap.case("cordon's own folders stay closed, whatever is granted", files(
    Policy({"extends": [], "files": {"write": ["~"]}}), [
        (HOME + "/x", "rwcd"), (HOME + "/.config/cordon/config.json", "r"),
        (HOME + "/.local/state/cordon/trust/x", "")]))

# ---- dialects ------------------------------------------------------------------------------------

folder = tempfile.TemporaryDirectory()


def dialect(name, policy):
    """A policy of another program."""
    path = os.path.join(folder.name, f"{len(os.listdir(folder.name))}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(policy, file)
    return Policy(None, options=("-p", f"{name}:{path}"))


RECORD = {"project_dir": SHOP, "executable_paths": ["/usr/bin"], "read_only_paths": ["/usr/share"],
          "read_write_paths": ["/dev", "/private/tmp", "/var/folders", "/private/var/run/mDNSResponder"],
          "additional_executable_paths": [], "additional_read_only_paths": [],
          "additional_read_write_paths": [], "allow_network": False, "allowed_env_vars": []}
dialects = {"Zed settings": dialect("zed", {"enabled": True}), "a Zed record": dialect("zed", RECORD),
            "flow": dialect("flow", {"net": False, "read_paths": ["/opt"]}),
            "clash": dialect("clash", {"default": ["execute"]})}
for name, policy in dialects.items():
    tap.case(f"{name}: what the loader needs, and the command's own terminal or nothing", files(policy, [
        ("/", "rx" if name == "clash" else "r"), ("/private/var/db/dyld/x", "rx" if name == "clash" else "r"),
        ("/private/var/select/sh", "rx" if name == "clash" else "r"), ("/System/Cryptexes/OS/usr/lib/x", "rx"),
        ("/System/Volumes/Preboot/Cryptexes/OS/usr/lib/x", "rx"),
        ("/dev/dtracehelper", "rwx" if name == "clash" else "rw"),
        ("/Users/sam/.ssh/id", "x" if name == "clash" else "")]) + ask(
            policy, *[("file-ioctl", {**at(path, "character-device"), "command": "tiocswinsz"},
                       name != "clash" or path == "/dev/dtracehelper")
                      for path in ("/dev/tty", "/dev/dtracehelper")]))
tap.case("Zed settings and flow: descriptors by name", [
    line for name in ("Zed settings", "flow") for line in files(dialects[name], [
        ("/dev/fd/63", "rw"), ("/dev/stdin", "rw"), ("/dev/stdout", "rw"), ("/dev/stderr", "rw")])])
clash = dialect("clash", {"default": ["read", "execute"], "rules": [
    {"effect": "deny", "caps": ["read"], "path": pattern, "path_match": "regex"}
    for pattern in ("\\.pem$", "^/srv/x$|y-\\d+$", "/(a|b)/c$", ".*\\.log", "^/opt/q[0-9]+/.*")]})
tap.case("clash: an expression is searched for in the path, each branch by itself", files(clash, [
    ("/srv/key.pem", "x"), ("/srv/key.pem2", "rx"), ("/srv/x", "x"), ("/srv/x/z", "rx"), ("/srv/y-10", "x"),
    ("/srv/y-10z", "rx"), ("/z/a/c", "x"), ("/z/d/c", "rx"), ("/z/b.log.1", "x"), ("/opt/q12/z", "x"),
    ("/z/opt/q12/z", "rx")]))

# ---- folders on the way, and folders that stay ---------------------------------------------------

tap.case("of a folder on the way only that it is there", ask(
    agent, *[("file-read-metadata", at(p, "directory"), True) for p in
             ("/", "/Users", "/Users/sam", "/private", "/private/var", "/tmp", "/etc", "/var", "/dev")],
    *[("file-read-data", at(p, "directory"), False) for p in ("/Users", "/Users/sam", "/private")],
    ("file-read-xattr", at("/Users", "directory"), False),
    ("file-read-metadata", at("/Users/sam/Desktop", "directory"), False)))
ancestors = Policy({"extends": [], "files": {"read": ["~/.ssh/config"], "deny": ["~/.ssh", "/opt/no/no"],
                                             "write": ["/opt/no/no/yes/a"]}})
tap.case("a denied folder on the way is not opened, by no ancestor rule", ask(
    ancestors, *[(op, at(p, "directory"), False)
                 for p in (HOME + "/.ssh", "/opt/no/no", "/opt/no/no/yes")
                 for op in OPERATIONS["r"]],
    ("file-read-metadata", at("/opt/no", "directory"), True),
    ("file-read-data", at(HOME + "/.ssh/config"), True)))
tap.case("a folder above a deny can be emptied, not moved or removed", ask(
    Policy({"files": {"deny": [SHOP + "/a/b/secret"], "protect": [SHOP + "/deploy/prod"]}}),
    *[("file-write-unlink", at(SHOP + p, "directory"), False)
      for p in ("", "/a", "/a/b", "/a/b/secret", "/deploy", "/deploy/prod")],
    *[("file-write-unlink", at(SHOP + p, "directory"), True) for p in ("/a/c", "/a/b/c", "/deploy/x")],
    ("file-write-unlink", at(SHOP + "/a/b/f"), True)))
tap.case("nor one that a pattern or a protected name needs where it is", ask(
    Policy({"files": {"deny": ["**/keys/*.pem", SHOP + "/a/**/secret"]}}),
    *[("file-write-unlink", at(SHOP + p, "directory"), False)
      for p in ("/x/keys", "/a", "/a/b/c", "/lib/x.git", "/.git/modules", "/.git/modules/m/refs",
                "/.git/worktrees/w", "/.git", "/.git/hooks")],
    *[("file-write-unlink", at(SHOP + p, "directory"), True) for p in ("/x", "/x/y", "/.git/refs/x")],
    ("file-write-unlink", at(SHOP + "/a/b/c"), True),
    ("file-write-unlink", at(SHOP + "/.git/modules/m/refs/x"), True)))

# ---- network and sockets -------------------------------------------------------------------------

FAR = [("example.com", 443), ("10.0.0.1", 22)]
LOCAL = [("localhost", 80), ("127.0.0.1", 8080), ("[::1]", 5432)]


def reach(local, far):
    return [(h, p, local) for h, p in LOCAL] + [(h, p, far) for h, p in FAR]


def serve(policy, local, anywhere):
    """A server binds to any address where it may serve this machine; others reach it only with `anywhere`."""
    return ask(policy, *[("network-bind", listen(host, 8080), local) for host in ("localhost", "0.0.0.0", "::")],
               ("network-inbound", listen("localhost", 8080), local),
               *[("network-inbound", listen(host, 8080), anywhere) for host in ("0.0.0.0", "10.0.0.5")])


net = {mode: Policy({"network": mode}) for mode in ("none", "localhost", "all")}
net["ports"] = Policy({"network": {"localhost": [5432, 8080]}})
net["udp"] = Policy({"network": {"localhost": True, "udp": True}})
net["domains"] = Policy({"network": {"domains": ["example.com"]}})
tap.case("no network", network(net["none"], reach(False, False)) + serve(net["none"], False, False))
tap.case("this machine only", network(net["localhost"], reach(True, False), udp=False)
         + serve(net["localhost"], True, False))
tap.case("this machine only, with datagrams", network(net["udp"], reach(True, False))
         + serve(net["udp"], True, False))
tap.case("ports of this machine only", network(net["ports"], [
    ("localhost", 80, False), ("localhost", 8080, True), ("[::1]", 5432, True),
    ("example.com", 8080, False)], udp=False) + serve(net["ports"], True, False))
tap.case("the whole network", network(net["all"], reach(True, True)) + serve(net["all"], True, True))
tap.case("domains: nothing directly, not even this machine", ask(
    net["domains"], *[("network-outbound", connect(h, p), False)
                      for h, p in [("localhost", 80), ("example.com", 443), ("localhost", 3128)]])
    + serve(net["domains"], False, False))
both = Policy({"network": {"domains": ["example.com"], "localhost": [5432]}})
tap.case("ports of this machine beside domains", network(both, [
    ("localhost", 5432, True), ("localhost", 5433, False), ("10.0.0.5", 5432, False)], udp=False))
tap.case("this machine's resolver sends names elsewhere: its port must be listed", network(
    net["localhost"], [("localhost", 53, False)], udp=False) + network(
        Policy({"network": {"localhost": [53]}}), [("localhost", 53, True)], udp=False))
tap.case("TLS is verified by the system with the whole network only: trustd fetches what a certificate names", [
    line for mode, policy in net.items() for line in files(policy, [
        ("/private/etc/ssl/cert.pem", "r"), ("/System/Library/Keychains/SystemRootCertificates.keychain", "rx")]) + ask(
            policy, *[("mach-lookup", {"name": b"com.apple." + name}, mode == "all")
                      for name in (b"trustd", b"trustd.agent", b"ocspd")],
            ("mach-lookup", {"name": b"com.apple.SecurityServer"}, False))])
RESOLVER = "/private/var/run/mDNSResponder"
tap.case("names are looked up with the whole network only", [
    line for mode, policy in net.items() for line in ask(
        policy, ("network-outbound", unix_connect(RESOLVER), mode == "all"),
        ("mach-lookup", {"name": b"com.apple.dnssd.service"}, mode == "all"),
        ("mach-lookup", {"name": b"com.apple.trustd.agent"}, mode == "all"),
        ("socket-ioctl", {}, mode != "none"))])
tap.case("what the system's network library needs is there with a network only", [
    line for mode, policy in net.items() for line in ask(
        policy, ("sysctl-read", {"name": b"net.routetable.0.0.3.0"}, mode != "none"),
        ("system-socket", {"domain": "af_system", "protocol": "2"}, mode != "none"),
        ("system-socket", {"domain": "af_system", "protocol": "1"}, False),
        ("system-socket", {"domain": "af_route", "protocol": "0"}, False),
        ("system-socket", {"domain": "af_unix", "protocol": "0"}, True))])


def sockets(policy, rows):
    bad = [f"{path}: why says otherwise" for path, allowed in rows
           if policy.why("socket", path) != allowed]
    return bad + ask(policy, *[("network-outbound", unix_connect(p), a) for p, a in rows])


tap.case("unix sockets: those named, and those of the project", sockets(
    Policy({"sockets": ["/private/tmp/agent.sock", "~/run/db"], "network": "all",
            "files": {"deny": [SHOP + "/no"], "protect": [SHOP + "/ro"]}}), [
        ("/private/tmp/agent.sock", True), (HOME + "/run/db", True), (HOME + "/run/other", False),
        # a socket is one name: a folder in its place opens nothing
        ("/private/tmp/agent.sock/x", False), (HOME + "/run/db/x", False),
        ("/private/var/run/docker.sock", False), (SHOP + "/.s", True), (SHOP + "/no/s", False),
        (SHOP + "/ro/s", False), (SHOP + "/.vscode/s", False),
        ("/private/tmp/com.apple.launchd.x/Listeners", False)]))

tap.case("of the folders on the way to a socket that they are there", ask(
    Policy({"extends": [], "sockets": ["~/run/db", "/private/tmp/x/s"]}),
    *[("file-read-metadata", at(p, "directory"), allowed) for p, allowed in (
        (HOME, True), (HOME + "/run", True), (HOME + "/run2", False), ("/private/tmp/x", True),
        ("/private/tmp", True), ("/private/tmp/y", False))],
    ("file-read-data", at(HOME + "/run", "directory"), False)))

# ---- processes, devices, services ----------------------------------------------------------------

# R100 differs: to the session's own processes, which is more than children and less than all
tap.case("signals and process information: its own only", ask(
    agent, *[(op, {"target": who}, allowed)
             for op in ("signal", "process-info-pidinfo", "process-info-setcontrol",
                        "process-info-codesignature", "mach-priv-task-port")
             for who, allowed in (("self", True), ("children", True), ("same-sandbox", True),
                                  ("others", False), ("pgrp", False))],
    ("process-info-listpids", {}, False), ("process-fork", {}, True)))
tap.case("terminals can be controlled and not typed into; other devices not at all", ask(
    agent, *[("file-ioctl", {**at(p, "character-device"), "command": "tiocswinsz"}, allowed)
             for p, allowed in (("/dev/tty", True), ("/dev/ttys004", True), ("/dev/ptmx", True),
                                ("/dev/dtracehelper", True), ("/dev/disk0", False),
                                ("/dev/null", False), (SHOP + "/f", False), ("/dev/ttys004x", False))],
    *[("file-ioctl", {**at(p, "character-device"), "command": "2147578994"}, False)
      for p in ("/dev/tty", "/dev/ttys004", "/dev/ptmx")], ("pseudo-tty", {}, True)))
tap.case("no terminal in the policy, none in the profile", ask(
    Policy({"extends": [], "files": {"read": ["/usr"]}}), ("pseudo-tty", {}, False),
    ("file-ioctl", {**at("/dev/tty", "character-device"), "command": "tiocswinsz"}, False)) + [
        "ioctls are mentioned" for text in [text_of(Policy({"extends": [], "files": {"read": ["/usr"]}}))]
        if "ioctl-command" in text or "file-ioctl" in text])
tap.case("a file can be cloned, a folder cannot", ask(
    agent, *[("file-clone", at(SHOP + "/x", vnode), vnode == "regular-file")
             for vnode in ("regular-file", "directory")]))
# R99 differs: without preferences and power management, which tools do not need
tap.case("services by name: what tools need, nothing that starts or opens", ask(
    agent, *[("mach-lookup", {"name": ("com.apple." + name).encode()}, allowed) for name, allowed in (
        ("system.opendirectoryd.libinfo", True), ("logd", True), ("bsd.dirhelper", True),
        ("coreservices.launchservicesd", False), ("CoreServices.coreservicesd", False),
        ("pasteboard.1", False), ("SecurityServer", False), ("cfprefsd.daemon", False),
        ("coreservices.appleevents", False), ("dnssd.service", False), ("lsd.open", False))],
    *[("sysctl-read", {"name": name}, allowed) for name, allowed in (
        (b"hw.ncpu", True), (b"kern.osversion", True), (b"kern.procargs2.4", False),
        (b"kern.proc.all", False), (b"kern.proc.pid.1", False), (b"kern.hostname", True))],
    ("sysctl-write", {"name": b"kern.hostname"}, False),
    ("ipc-posix-shm-read-data", {"name": b"apple.shm.notification_center"}, True),
    ("ipc-posix-shm-write-create", {"name": b"/other"}, False),
    ("ipc-posix-sem-create", {"name": b"/mp-x1"}, True), ("ipc-sysv-shm", {}, False)))
tap.case("System V objects, where they are granted", ask(
    Policy({"ipc": "sysv"}), *[("ipc-sysv-" + kind, {}, True) for kind in ("msg", "sem", "shm")]))
tap.case("what a default of deny does not reach is denied by name", ask(
    agent, *[(op, {}, False) for op in (
        "process-info*", "nvram*", "iokit-get-properties", "mach-cross-domain-lookup",
        "system-privilege", "job-creation", "darwin-notification-post", "file-link",
        "file-write-setugid", "appleevent-send", "lsopen", "user-preference-read", "system-fsctl",
        "distributed-notification-post", "authorization-right-obtain")]))



def whole():
    """Every operation there is, asked about nothing in particular: all denied, but for these."""
    # a clone is denied for folders
    fine = {"process-fork", "pseudo-tty", "dynamic-code-generation", "syscall-unix", "file-clone"}
    for policy in (net["none"], Policy({"extends": [], "network": "none"})):
        list(disagreements(policy.profile, []))
        operations = set(policy.profile.wider) - {"default"}
        if len(operations) < 90:
            yield f"only {len(operations)} operations are known"
        allowed = fine if policy is net["none"] else fine - {"pseudo-tty"}
        yield from disagreements(policy.profile, [
            (operation, {}, operation in allowed) for operation in sorted(operations)])


if sys.platform != "darwin":
    tap.case("of all operations none is allowed as a whole", whole())


def spare():
    """What nothing allows needs no deny of its own, and none is there."""
    text = text_of(Policy({"extends": [], "files": {"read": ["/usr"], "deny": ["/usr/x"]}}))
    for right in "wcdx":
        for operation in OPERATIONS[right]:
            if operation + " " in text or operation + ")" in text:
                yield f"{operation} in a profile that allows none of it"


tap.case("what nothing allows is not denied once more", spare())

# ---- what a session adds --------------------------------------------------------------------------

TMP = "/private/var/folders/a\"b/T/cordon-abc123"
MARK = HOME + "/.local/state/cordon/fingerprints/cordon-0123456789abcdef"
session = SessionPolicy({}, tmp=TMP, fingerprint=MARK, tag="cordon-0123456789abcdef")
tap.case("the private folder is the session's whole, but for protected names", ask(
    session, *[(op, at(path), True) for path in (TMP, TMP + "/f", TMP + "/d/e")
               for ops in OPERATIONS.values() for op in ops],
    *[(op, at(path), False) for path in (TMP + "x", TMP[:-1], "/private/var/folders/a\"b/T/x")
      for ops in OPERATIONS.values() for op in ops],
    ("file-read-metadata", at("/private/var/folders/a\"b/T", "directory"), True),
    ("file-read-data", at("/private/var/folders/a\"b/T", "directory"), False),
    ("network-bind", unix_bind(TMP + "/s"), True), ("network-outbound", unix_connect(TMP + "/s"), True),
    ("network-outbound", unix_connect("/private/var/folders/a\"b/T/s"), False),
    ("file-write-create", at(TMP + "/.git/hooks/x"), False),
    ("file-write-unlink", at(TMP, "directory"), True))
    + list(session.profile.dead()))
tap.case("of the two marks one can be read and one cannot, whatever is granted or denied", [
    line for policy in ({}, {"files": {"default": "rwcdx"}}, {"extends": [], "files": {"write": ["/"]}},
                        {"files": {"read": [HOME + "/.local"]}}, {"files": {"deny": [HOME]}})
    for line in ask(SessionPolicy(policy, fingerprint=MARK),
                    ("file-read-data", at(MARK + "/allow"), True),
                    ("file-read-data", at(MARK + "/deny"), False),
                    *[(op, at(MARK + name), False) for name in ("/allow", "/deny") for right in "wcd"
                      for op in OPERATIONS[right]])])


EDITOR = "/private/tmp/.zed-sandbox-123e4567-e89b-12d3-a456-426614174000"
tap.case("an editor's own fingerprint: its two folders tell the processes of the session from all others", [
    line for policy in ({}, {"files": {"default": "rwcdx"}}, {"files": {"read": ["/private/tmp"]}},
                        {"files": {"deny": ["/private/tmp"]}})
    for line in [*ask(SessionPolicy(policy, fingerprint=MARK, editor=EDITOR),
                      ("file-read-data", at(EDITOR + "/allow", "directory"), True),
                      ("file-read-data", at(EDITOR + "/deny", "directory"), False)),
                 *([] if "default" in str(policy) or "read" in str(policy) else
                   ask(SessionPolicy(policy, fingerprint=MARK),
                       ("file-read-data", at(EDITOR + "/allow", "directory"), False)))]])


def tagged():
    """Each deny carries the tag, and nothing else of the text depends on it."""
    plain = SessionPolicy({}, tmp=TMP, fingerprint=MARK)
    text, mark = text_of(session), ' (with message "cordon-0123456789abcdef")'
    if text.replace(mark, "") != text_of(plain):
        yield "the tag changes more than its own place"
    denies = sum(line.startswith("(deny ") for line in text_of(plain).splitlines())
    for block in text.split("\n(")[1:]:
        if block.startswith("deny ") and mark not in block:
            yield "a deny without the tag: " + block[:60]
    if text.count(mark) < denies or denies < 10:
        yield f"{text.count(mark)} tags, {denies} denies"


tap.case("every deny of the policy carries the tag", tagged())
proxied = SessionPolicy({"network": {"domains": ["example.com"]}}, port=40001)
tap.case("domains: the proxy's port of this machine, over TCP, and nothing else", ask(
    proxied, ("network-outbound", connect("localhost", 40001), True),
    ("network-outbound", connect("localhost", 40001, "udp"), False),
    *[("network-outbound", connect(h, p, proto), False) for h, p in (
        ("localhost", 40002), ("localhost", 80), ("example.com", 443), ("example.com", 40001))
      for proto in ("tcp", "udp")],
    ("network-outbound", unix_connect(RESOLVER), False),
    ("mach-lookup", {"name": b"com.apple.dnssd.service"}, False)) + serve(proxied, False, False) + ask(
    proxied, *[(op, listen("localhost", 40001), False) for op in ("network-bind", "network-inbound")]))
tap.case("a port of a proxy opens nothing in other modes", [
    line for mode in ("none", {"localhost": [8080]})
    for line in ask(SessionPolicy({"network": mode}, port=40001),
                    ("network-outbound", connect("localhost", 40001), False))])
SOCKET = HOME + "/.local/state/cordon/sessions/0123456789abcdef.sock"
tap.case("a named session takes commands at its socket, in every mode, and can make no such socket", [
    line for mode in ("none", "localhost", {"domains": ["example.com"]})
    for line in ask(SessionPolicy({"network": mode, "files": {"deny": [HOME + "/.local"]}}, socket=SOCKET),
                    ("network-inbound", unix_bind(SOCKET), True), ("network-bind", unix_bind(SOCKET), False),
                    ("network-inbound", unix_bind(SOCKET + "2"), False),
                    ("network-outbound", unix_connect(SOCKET), False), ("file-read-data", at(SOCKET), False),
                    *[(op, at(SOCKET), False) for right in "wcdx" for op in OPERATIONS[right]])])
tap.case("without a name there is no such socket", ask(
    SessionPolicy({}), ("network-inbound", unix_bind(SOCKET), False)))

# ---- the proxy itself ----------------------------------------------------------------------------

proxy = ProxyPolicy(40001, [53, 5353], [80, 443])
tap.case("the proxy reaches the ports of the policy over TCP, resolvers also over UDP", ask(
    proxy, *[("network-outbound", connect(host, port, proto), port in (53, 5353) or
              (proto == "tcp" and port in (80, 443)))
             for host in ("example.com", "localhost") for proto in ("tcp", "udp")
             for port in (22, 53, 80, 443, 5353, 40001)]))
tap.case("the proxy takes connections of this machine at its port, and nothing else", ask(
    proxy, *[(op, listen(host, port, proto), (op, host, port, proto) ==
              ("network-inbound", "localhost", 40001, "tcp"))
             for op in ("network-bind", "network-inbound") for host in ("localhost", "0.0.0.0")
             for port in (40001, 40002, 80) for proto in ("tcp", "udp")],
    *[("network-outbound", unix_connect(path), False) for path in (RESOLVER, "/private/tmp/s")],
    ("network-bind", unix_bind("/private/tmp/s"), False)))
tap.case("the proxy has no file but the one it is tried by", ask(
    proxy, *[(op, at(path), (op, path) == ("file-read-data", "/dev/null"))
             for right in "rwcdx" for op in OPERATIONS[right]
             for path in ("/", "/dev/null", "/dev/tty", "/private/etc/hosts", "/bin/sh", "/Users/sam/.ssh/id",
                          "/Users/sam/shop/a", "/private/tmp/a")],
    *[(op, at("/dev/null"), False) for op in ("file-ioctl", "file-link", "file-write-setugid")]))
tap.case("the proxy starts nothing, tells nobody, asks no service", ask(
    proxy, *[(op, {}, False) for op in (
        "process-fork", "process-info-codesignature", "mach-register", "job-creation", "appleevent-send", "lsopen",
        "nvram*", "iokit-get-properties", "system-privilege", "mach-cross-domain-lookup", "pseudo-tty")],
    *[(op, {"target": who}, False) for op in ("signal", "process-info*", "mach-priv-task-port")
      for who in ("self", "others", "same-sandbox")],
    ("mach-lookup", {"name": b"com.apple.dnssd.service"}, False),
    ("mach-lookup", {"name": b"com.apple.system.opendirectoryd.libinfo"}, False),
    ("sysctl-read", {"name": b"kern.procargs2"}, False), ("sysctl-read", {"name": b"hw.ncpu"}, False),
    ("ipc-posix-shm-write-create", {"name": b"/psm_x"}, False),
    ("ipc-posix-sem-create", {"name": b"/mp-x"}, False),
    ("system-socket", {"domain": "af_system", "protocol": "2"}, False), ("socket-ioctl", {}, False)))
tap.case("the proxy's text: ASCII, deny first, nothing allowed as a whole", [
    line for line in text_of(proxy).splitlines()
    if not line.isascii() or "file-read*" in line or (line.startswith("(allow ") and "(" not in line[1:])] + [
    "the parts are in another order" for text in [text_of(proxy)]
    if not 0 == text.find("(version 1)\n(deny default)\n") < text.find("(deny process-info*)")
    < text.find("(deny network*)") < text.find("(allow network-")])
tap.case("a proxy without ports reaches nobody", ask(
    ProxyPolicy(40001, [], []), *[("network-outbound", connect(host, port, proto), False)
                                  for host in ("localhost", "example.com") for port in (53, 80)
                                  for proto in ("tcp", "udp")]))
for bad in ('a"b', "a b", "a\\", "caf\u00e9"):
    try:
        SessionPolicy({}, tag=bad).profile
        tap.case(f"the tag {bad!r} is refused", ["it was not"])
    except Refused as said:
        tap.case(f"the tag {bad!r} is refused", [] if "letters and digits" in str(said) else [str(said)])

# ---- the text ------------------------------------------------------------------------------------

QUOTE = 'x")) (allow default) (allow file-read* (subpath "/'
HOSTILE = [QUOTE, "a\\b", "a\nb", "caf\u00e9", "cafe\u0301", "\U0001f600", "(regex)", "[a-z]*", "a;b",
           "x" * 200, '#"', "P0", "\u202e"]


def one_text():
    """Whatever a folder is called, the text is the same and the decisions follow the name."""
    plain = Policy(None, project="/Users/sam/plain")
    for name in HOSTILE:
        project = "/Users/sam/" + name
        policy = Policy(None, project=project)
        if text_of(policy) != text_of(plain):
            yield f"{name!r}: the text differs"
        yield from disagreements(policy.profile, [
            ("file-write-create", at(project + "/f"), True),
            ("file-write-create", at(project + "/.git/hooks/f"), False),
            ("file-write-create", at("/Users/sam/plain/f"), False),
            ("file-read-data", at("/Users/sam/.ssh/id"), False),
            ("network-outbound", connect("example.com", 443), False),
            ("appleevent-send", {}, False)])


# R95-R96 differs: every path is a parameter of the profile
# R151-R154 differs: `localhost` and `domains` are different profiles
tap.case("names are parameters: quotes, breaks, accents and brackets change no text", one_text())
long_project = "/Users/sam/" + "/".join(["n" * 250] * 15)
tap.case("a path of almost 4 KB", files(Policy(None, project=long_project), [
    (long_project + "/f", "rwcdx"), (long_project, "rwcdx"), (long_project[:-1], ""),
    (long_project + "/.envrc", "rx")]))


def text_rules():
    for policy in [agent, *net.values()]:
        text = text_of(policy)
        if not text.isascii() or "\r" in text:
            yield "the text is not plain ASCII"
        if not text.startswith("(version 1)\n(deny default)\n"):
            yield "it does not start with a default of deny"
        order = [text.find("\n; " + words) for words in (
            "what the default does not reach", "what programs need", "folders on the way", "network",
            "the rules, shallow", "folders that hold", "control of terminals", "unix sockets")]
        if order != sorted(order) or order[0] < 0:
            yield f"the parts are in another order: {order}"
        if not 0 < text.find("\n(deny network*)\n") < text.find("(allow network-"):
            yield "the network is not denied before parts of it are allowed"
        if '"/' in text.replace('"/mp-"', "").replace('"/psm_"', "").replace('"/__KMP', ""):
            yield "a path stands in the text"
        for blanket in ("(allow process-exec)", "(allow process-exec*)", "(allow mach-lookup)", "file-read*",
                        "(allow file-ioctl)", "file-write*", "(allow network", "(import",
                        "(allow signal)", "(allow sysctl-read)", "(allow default)"):
            if blanket in text.replace("(allow network-", ""):
                yield f"{blanket} in the text"


tap.case("the text: ASCII, deny first, no path, nothing allowed as a whole", text_rules())


def every_release():
    """A symbol that a release lacks would refuse the whole profile there."""
    policies = [agent, net["all"], net["udp"], session, proxied, proxy, Policy({"ipc": "sysv"}), *dialects.values()]
    for release in RELEASES:
        for policy in policies:
            yield from policy.profile.compiles(release)


if sys.platform != "darwin":
    tap.case("the profiles compile on macOS 13 to 26, as far as their symbols are known", every_release())


D, G = "/private/tmp/d/denied", "/private/tmp/d/granted"
PROCESS = [("process-info-pidinfo", {"target": "others"}, {"target": "self"})]
# for each small profile of doctor, in their order: operation, what it must deny, what it must allow
TRIED = {
    "files.read": [[("file-read-data", at(D), at(G))]], "files.write": [[("file-write-create", at(D + "-new"), at(G + "-new"))]],
    "files.execute": [[("process-exec*", at(D), at(G))]], "files.carveout": [[("file-read-data", at(D), at(G))]],
    "files.pattern": [[("file-read-data", at(D), at(G))]], "files.future": [[("file-write-create", at(D + "-new"), at(G + "-new"))]],
    "files.metadata": [[("file-write-mode", at(D), at(G))]],
    "net.tcp": [[("network-outbound", connect("localhost", 4), connect("localhost", 4, "udp"))]],
    "net.udp": [[("network-outbound", connect("localhost", 4, "udp"), connect("localhost", 4))]],
    "process.signal": [[("signal", {"target": "others"}, {"target": "self"})]],
    "sockets.path": [[("network-outbound", unix_connect(D + ".s"), unix_connect(G + ".s"))]],
    "process.ptrace": [[("mach-priv-task-port", {"target": "others"}, {"target": "children"})], PROCESS,
                       [("sysctl-read", {"name": b"kern.procargs2"}, {"name": b"kern.ostype"})]],
    "process.listing": [[("process-info-listpids", {"target": "others"}, {"target": "self"})],
                        [("sysctl-read", {"name": b"kern.proc.all"}, {"name": b"kern.ostype"})]],
    "ipc.sysv": [[(f"ipc-sysv-{kind}", {}, None)] for kind in ("shm", "sem", "msg")],
    "terminal.inject": [[("file-ioctl", {**at("/dev/ttys004", "character-device"), "command": "2147578994"},
                          {**at("/dev/ttys004", "character-device"), "command": "tiocgwinsz"})]],
    "env.filter": [[("file-read-data", None, at(G))]],
}


def small_profiles():
    """What doctor tries on a Mac: a profile that an old release refuses, or that denies nothing, would prove nothing."""
    profiles, seen = list(selftest_profiles()), {}
    for name, profile in profiles:
        for release in RELEASES:
            yield from (f"{name}: {line}" for line in profile.compiles(release))
        number = seen[name] = seen.get(name, -1) + 1
        for operation, denied, allowed in TRIED[name][number]:
            yield from (f"{name}: {line}" for line in disagreements(profile, [
                (operation, request, answer) for request, answer in ((denied, False), (allowed, True)) if request is not None]))
    if {name: count + 1 for name, count in seen.items()} != {name: len(rows) for name, rows in TRIED.items()}:
        yield f"there are other profiles: {seen}"


if sys.platform != "darwin":
    tap.case("what doctor tries: each small profile compiles, denies the attempt and allows the other", small_profiles())


def few_expressions():
    """Per write: bounded by the folders of patterns, not by their number."""
    many = Policy({"files": {"deny": [f"**/secret{i}" for i in range(300)] + [f"**/keys/*.k{i}" for i in range(300)]}})
    for operation in ("file-write-data", "file-write-create", "file-write-unlink", "network-outbound"):
        least, most = agent.profile.regexes(operation), many.profile.regexes(operation)
        if not 0 < least <= 60:
            yield f"{operation}: {least} expressions"
        if most > least + 20:
            yield f"{operation}: {most - least} expressions for 600 names in two folders"


if sys.platform != "darwin":
    tap.case("the number of expressions on a write is bounded by the folders that they name", few_expressions())


def refused(policy, *words):
    try:
        policy.profile
    except Refused as said:
        return [f"{word!r} expected in: {said}" for word in words if word not in str(said)]
    return ["it was not refused"]


tap.case("what cannot be said is refused with its place", [
    line for rule, word in (
        ({"effect": "deny", "rights": "r", "path": "/a(?=b)", "match": "regex"}, "kind of group"),
        ({"effect": "deny", "rights": "r", "path": "/(a)\\1", "match": "regex"}, "escape"),
        ({"effect": "deny", "rights": "r", "path": "/[[:alpha:]]", "match": "regex"}, "named class"),
        ({"effect": "deny", "rights": "r", "path": "/home/x"}, "for which macOS has no rules"),
        ({"effect": "deny", "rights": "r", "path": "/System/Volumes/Data/Users/x"}, "for which macOS has no rules"))
    for line in refused(Policy({"files": {"rules": [rule]}}), word, ":1:")])
tap.case("a grant on a name that macOS gives nothing grants nothing", files(
    Policy({"extends": [], "files": {"read": ["/home/x", "/opt/y"]}}), [("/opt/y/z", "r")]))

nowhere = Policy({"files": {"default": "rw"}}, project="/home/sam/shop")
tap.case("nor is a filter about a project there", ask(
    nowhere, ("network-outbound", unix_connect("/home/sam/shop/s"), False),
    ("file-read-data", at("/usr/bin/git"), True)) + list(nowhere.profile.dead()))

sys.exit(tap.end())
