# SPDX-License-Identifier: MIT
"""Writes objects whose content is not what their name says, and files that lead git to other objects.

    false_objects.py loose FILE TEXT       a blob with that text
    false_objects.py swap FILE ONE OTHER   a pack's index or a multi-pack-index: each leads to the other
    false_objects.py graph FILE ONE OTHER  a commit-graph: the tree ONE of a commit becomes OTHER
"""
import hashlib
import os
import sys
import zlib


def write(path, data):
    if os.path.exists(path):
        os.chmod(path, 0o644)
    with open(path, "wb") as f:
        f.write(data)


def sealed(data):
    """With the checksum of the whole file at its end."""
    return data[:-20] + hashlib.sha1(data[:-20]).digest()


def exchange(data, at, size, one, other):
    one, other = at + one * size, at + other * size
    data[one:one + size], data[other:other + size] = data[other:other + size], data[one:one + size]


def number(data, at, size=4):
    return int.from_bytes(data[at:at + size], "big")


def names_at(data, at, count):
    return [bytes(data[at + 20 * i:at + 20 * i + 20]).hex() for i in range(count)]


def swap_pack(data, one, other):
    count = number(data, 8 + 4 * 255)
    at = 8 + 1024
    found = names_at(data, at, count)
    for table in (at + 20 * count, at + 24 * count):
        exchange(data, table, 4, found.index(one), found.index(other))


def chunks(data, header):
    rows = range(header, header + 12 * data[6], 12)
    return {bytes(data[row:row + 4]): number(data, row + 4, 8) for row in rows}


def swap_many(data, one, other):
    of = chunks(data, 12)
    found = names_at(data, of[b"OIDL"], number(data, of[b"OIDF"] + 4 * 255))
    exchange(data, of[b"OOFF"], 8, found.index(one), found.index(other))


what, path, *words = sys.argv[1:]
if what == "loose":
    text = words[0].encode()
    write(path, zlib.compress(b"blob %d\0" % len(text) + text))
    sys.exit()
with open(path, "rb") as f:
    content = bytearray(f.read())
if what == "graph":
    content = content.replace(bytes.fromhex(words[0]), bytes.fromhex(words[1]))
elif content.startswith(b"MIDX"):
    swap_many(content, *words)
else:
    swap_pack(content, *words)
write(path, sealed(bytes(content)))
