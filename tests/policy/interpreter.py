# SPDX-License-Identifier: MIT
"""Exit status 0 if an ELF program of 64 bits names a dynamic loader, 1 if it names none.

    interpreter.py PROGRAM
"""
import struct
import sys

PT_INTERP = 3

with open(sys.argv[1], "rb") as file:
    head = file.read(64)
    offset, = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    file.seek(offset)
    table = file.read(size * count)
sys.exit(PT_INTERP not in {struct.unpack_from("<I", table, size * i)[0] for i in range(count)})
