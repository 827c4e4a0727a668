#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# In a project with hundreds of repositories a new one, and a rename, cost about what they cost with a few.

# shellcheck disable=SC2016 # $ is for the program inside

load ../lib/common

# The parent of a command is the guard, whose threads answer its calls: their time counts, in ticks.
measure='
import os, subprocess
def ticks():
    with open("/proc/%d/stat" % os.getppid()) as file:
        return sum(int(n) for n in file.read().rpartition(")")[2].split()[11:13])
def spent(work):
    start = ticks()
    work()
    return ticks() - start
def make(name, count):
    for i in range(count):
        subprocess.run(["git", "init", "-q", "--template=", f"{name}{i}"], check=True)
def rename():
    for i in range(20):
        os.rename("plain", "moved")
        os.rename("moved", "plain")
os.mkdir("plain")
few = spent(lambda: make("first", 30)), spent(rename)
make("more", 300)
many = spent(lambda: make("last", 30)), spent(rename)
print(few, many)
assert all(b < 6 * a + 60 for a, b in zip(few, many)), (few, many)
'

@test "30 new repositories cost about the same with 30 others and with 330" {
	rm -rf .git
	CORDON_TIMEOUT=300 expect 0 run -- "$PYTHON" -c "$measure"
}
