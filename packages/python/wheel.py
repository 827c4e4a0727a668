#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packs the folder cordon with a static program as a wheel; needs only Python's own library.

    wheel.py NAME VERSION ARCH PROGRAM FOLDER

The same input gives the same bytes.
"""
import base64
import hashlib
import os
import sys
import zipfile

TAGS = "py3-none-manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_1_{0}"
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cordon")
DATE = (2026, 1, 1, 0, 0, 0)


def metadata(name, version):
    return (f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            "Summary: Runs a command in a sandbox that reaches only the files, hosts and sockets you allow\n"
            "License: MIT\nRequires-Python: >=3.8\nClassifier: Operating System :: POSIX :: Linux\n"
            "Classifier: Typing :: Typed\n")


def wheel_file(arch):
    platforms = TAGS.format(arch).split("-", 2)[2].split(".")
    return ("Wheel-Version: 1.0\nGenerator: cordon\nRoot-Is-Purelib: false\n"
            + "".join(f"Tag: py3-none-{tag}\n" for tag in platforms))


def files(name, version, arch, program):
    """Pairs of a name and its content, and the mode."""
    info = f"{name}-{version}.dist-info"
    for file in sorted(os.listdir(SOURCE)):
        if file.endswith((".py", ".typed")):
            with open(os.path.join(SOURCE, file), "rb") as source:
                yield f"cordon/{file}", source.read(), 0o644
    with open(program, "rb") as source:
        yield f"cordon/Linux-{arch}/cordon", source.read(), 0o755
    with open(os.path.join(SOURCE, "..", "..", "..", "LICENSE"), "rb") as source:
        yield f"{info}/LICENSE", source.read(), 0o644
    yield f"{info}/METADATA", metadata(name, version).encode(), 0o644
    yield f"{info}/WHEEL", wheel_file(arch).encode(), 0o644
    yield f"{info}/entry_points.txt", b"[console_scripts]\ncordon = cordon.__main__:main\n", 0o644


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def main():
    name, version, arch, program, folder = sys.argv[1:]
    name = name.replace("-", "_")
    path = os.path.join(folder, f"{name}-{version}-{TAGS.format(arch)}.whl")
    record = f"{name}-{version}.dist-info/RECORD"
    rows = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(file, content, mode):
            entry = zipfile.ZipInfo(file, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, content)
        for file, content, mode in files(name, version, arch, program):
            add(file, content, mode)
            rows += f"{file},sha256={digest(content)},{len(content)}\n"
        add(record, (rows + f"{record},,\n").encode(), 0o644)
    print(path)


if __name__ == "__main__":
    main()
