# SPDX-License-Identifier: MIT
"""Makes an empty folder casefold, as chattr +F does; status 1 if that is not possible.

usage: fold.py FOLDER
"""
import ctypes
import os
import sys

GET, SET, CASEFOLD = 0x80086601, 0x40086602, 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
folder = os.open(sys.argv[1], os.O_RDONLY)
flags = ctypes.c_long(0)
failed = libc.ioctl(folder, ctypes.c_ulong(GET), ctypes.byref(flags))
flags.value |= CASEFOLD
failed = failed or libc.ioctl(folder, ctypes.c_ulong(SET), ctypes.byref(flags))
sys.exit(1 if failed else 0)
