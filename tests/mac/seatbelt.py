# SPDX-License-Identifier: MIT
"""The kernel of a Mac as an evaluator: the tables of tests/sbpl, for real.

A child applies the profile and waits; it is asked about by sandbox_check. Only what that call can be
asked is: operations on paths, and services by name. Never run so far.
"""
import ctypes
import os

PATH, GLOBAL_NAME = 1, 2


class Confined:
    """A process under a profile."""

    def __init__(self, text, parameters):
        self.library = ctypes.CDLL(None)
        self.no_report = ctypes.c_int.in_dll(self.library, "SANDBOX_CHECK_NO_REPORT").value
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

    def _child(self, text, parameters, tell, life):
        pairs = [part for name, value in parameters.items() for part in (name.encode(), value)]
        error = ctypes.c_char_p()
        failed = self.library.sandbox_init_with_parameters(
            text.encode(), ctypes.c_uint64(0), (ctypes.c_char_p * (len(pairs) + 1))(*pairs, None),
            ctypes.byref(error))
        os.write(tell, error.value or b"no reason" if failed else b"confined")
        os.close(tell)
        os.read(life, 1)
        os._exit(0)

    def ask(self, operation, request):
        """ "allow" or "deny"; None when it cannot be asked."""
        kind, subject = (PATH, request["path"]) if "path" in request and "proto" not in request else (
            GLOBAL_NAME, request.get("name")) if operation == "mach-lookup" else (None, None)
        if kind is None or request.get("vnode") == "directory" or operation == "file-ioctl":
            return None
        answer = self.library.sandbox_check(self.pid, operation.encode(), kind | self.no_report,
                                            ctypes.c_char_p(subject))
        return "allow" if answer == 0 else "deny" if answer > 0 else None

    def end(self):
        os.close(self.life)
        os.waitpid(self.pid, 0)
