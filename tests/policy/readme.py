#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every command that a text shows and compares its output with the one in the text.

    tests/policy/readme.py FILE HOME LEAST

FILE is Markdown. The project is HOME/shop, as in the README; HOME is written there as /home/sam. `cordon` is
on PATH. Fewer than LEAST commands are an error of the text, or of this program.

    tests/policy/readme.py MANUAL HOME LEAST

A manual (its name ends in a digit) shows no output: cordon must accept each command and be able to
start it.
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


def manual_commands(text):
    """The lines with a $ in the displays of a manual; one that ends in a backslash goes on."""
    for block in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.M | re.S):
        for command in re.findall(r"^\$ ((?:.*\\e\n)*.*)\n", block, re.M):
            yield command.replace("\\e\n", " "), None


def differs(command, said, done, home):
    """Says what is wrong, if anything is."""
    got = done.stdout.strip("\n").replace(home, "/home/sam")
    if said is None and done.returncode in (0, 1):
        return False
    if said is not None and got == said:
        return False
    print(f"$ {command}\n--- the text has\n{said}\n--- status {done.returncode}, and it says\n{got}")
    return True


def main():
    name, home, least = sys.argv[1:]
    wrong = count = 0
    with open(name, encoding="utf-8") as file:
        text = file.read()
    shown = manual_commands(text) if name[-1].isdigit() else commands(text, home + "/shop/.cordon.json")
    for command, said in shown:
        count += 1
        done = subprocess.run(["bash", "-c", command], cwd=home + "/shop", text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        wrong += differs(command, said, done, home)
    print(f"{count} commands, {wrong} say something else")
    return wrong != 0 or count < int(least)


if __name__ == "__main__":
    sys.exit(main())
