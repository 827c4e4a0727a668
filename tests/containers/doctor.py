# SPDX-License-Identifier: MIT
"""
Reads `cordon doctor --json` and complains about each needed guarantee that is neither proved, nor accepted by
the default policy, nor without a test.

    doctor.py FACTS      " getfd ": pidfd_getfd must be there, else it must not
"""
import json
import sys

said = json.load(sys.stdin)
wrong = [f"{one['name']}: {one['state']}" for one in said["guarantees"]
         if one["state"] not in ("proved", "kept", "not needed") and one["name"] != "process.listing"]
if not said["enforceable"]:
    wrong.append("not enforceable")
if said["facts"]["pidfd_getfd"] != (" getfd " in sys.argv[1]):
    wrong.append(f"pidfd_getfd: {said['facts']['pidfd_getfd']}")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
