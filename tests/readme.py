#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every command that the README shows and compares what it says with what the README says.

    tests/readme.py README HOME

The project is HOME/shop, as in the README; HOME is written there as /home/sam. `cordon` is on PATH.
"""
import re
import subprocess
import sys


def commands(text, policy):
    """Each command line of each block, with the lines that are to follow it; policies are written."""
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.M | re.S):
        if kind == "jsonc":
            with open(policy, "w", encoding="utf-8") as file:
                file.write(block)
        for command, said in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            yield command, said.strip("\n")


def main():
    readme, home = sys.argv[1:]
    wrong = count = 0
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    for command, said in commands(text, home + "/shop/.cordon.json"):
        count += 1
        done = subprocess.run(["bash", "-c", command], cwd=home + "/shop", text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        got = done.stdout.strip("\n").replace(home, "/home/sam")
        if got != said:
            wrong += 1
            print(f"$ {command}\n--- the README has\n{said}\n--- it says\n{got}")
    print(f"{count} commands, {wrong} say something else")
    return wrong != 0 or count < 8


if __name__ == "__main__":
    sys.exit(main())
