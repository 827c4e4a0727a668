# SPDX-License-Identifier: MIT
"""The kernel of a Mac as an evaluator for the tables of tests/macos.

A child applies the profile and waits; sandbox_check queries its rights. Only operations on paths and
services by name can be queried. Not yet exercised on a Mac.
"""
import ctypes
import os

PATH, GLOBAL_NAME = 1, 2


class Confined:
    """A process under a profile."""

    answered = unanswered = 0

    def __init__(self, text, parameters):
        self.library = ctypes.CDLL(None)
        # paths of the tables are as the kernel has them, and most lead to nothing
        self.flags = self._number("SANDBOX_CHECK_NO_REPORT") | self._number("SANDBOX_CHECK_CANONICAL")
        # what is not declared is passed as a variable argument, which arm64 treats otherwise
        self.library.sandbox_check.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int]
        ready, tell = os.pipe()
        life, self.life = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.life)
            self._child(text, parameters, tell, life)
        os.close(tell)
        os.close(life)
        with os.fdopen(ready, "rb") as file:
            said = file.read()
        if said != b"confined":
            raise ValueError("refused: " + said.decode("utf-8", "replace"))
        if self.library.sandbox_check(self.pid, None, 0) != 1:
            raise ValueError("accepted, and the process is not in a sandbox")

    def _number(self, name):
        return ctypes.c_int.in_dll(self.library, name).value

    def _child(self, text, parameters, tell, life):
        pairs = [part for name, value in parameters.items() for part in (name.encode(), value)]
        error = ctypes.c_char_p()
        failed = self.library.sandbox_init_with_parameters(
            text.encode(), ctypes.c_uint64(0), (ctypes.c_char_p * (len(pairs) + 1))(*pairs, None),
            ctypes.byref(error))
        os.write(tell, (error.value or b"no reason") if failed else b"confined")
        os.close(tell)
        os.read(life, 1)
        os._exit(0)

    def ask(self, operation, request):
        """ "allow" or "deny"; None when it cannot be asked."""
        kind, subject = self._kind(operation, request)
        answer = -1 if kind is None else self.library.sandbox_check(
            self.pid, operation.encode(), kind | self.flags, ctypes.c_char_p(subject))
        Confined.answered += answer >= 0
        Confined.unanswered += answer < 0
        return "allow" if answer == 0 else "deny" if answer > 0 else None

    @staticmethod
    def _kind(operation, request):
        if operation == "mach-lookup":
            return GLOBAL_NAME, request["name"]
        # whether it is a folder, which command, which end: that is told by what is there, not asked
        if "path" not in request or "proto" in request or operation == "file-ioctl" \
                or request["vnode"] == "directory":
            return None, None
        return PATH, request["path"]

    def end(self):
        os.close(self.life)
        os.waitpid(self.pid, 0)
