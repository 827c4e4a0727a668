#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Unix sockets by name: sockets that are named, that are in the project or that a run makes itself
# can be connected to, and no others. Servers outside record every connection.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# serve NAME=KIND:ADDRESS...: servers outside, ready when this returns.
serve()
{
	mkdir -p "$T/served"
	rm -f "$T/served/ready"
	"$PYTHON" "$TREE/tests/net/serve.py" "$T/served" "$@" 3>&- &
	servers="${servers:-} $!"
	until_true 60 test -e "$T/served/ready"
}

teardown()
{
	local server

	for server in ${servers:-}; do
		kill -KILL "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	done
	if [ -n "${agent:-}" ]; then
		kill "$agent" 2>/dev/null || true
	fi
	rm -rf "${O:-}"
}

# A folder outside whose names are short enough for a socket.
begin()
{
	O=$(mktemp -d /tmp/cordon-s.XXXXXX)
	O=$(cd "$O" && pwd -P)
	cp "$TREE/tests/net/unix.py" .
	rm -rf .git
}

reached()
{
	grep -c "^$1\$" "$T/served/log" || true
}

abi()
{
	"$CORDON" doctor --json | "$PYTHON" -c 'import json, sys
print(json.load(sys.stdin)["facts"]["landlock_abi"])'
}

@test "a socket that is not granted cannot be reached by any call" {
	begin
	serve "out=unix:$O/s" "datagram=datagram:$O/s.d"
	# free, all of them get there
	(mkdir "$T/free" && cd "$T/free" && "$PYTHON" "$P/unix.py" routes "$O/s" -) >"$T/free.out"
	grep -q "passed: \['absolute', 'relative', 'dots', 'from its folder', 'link'" "$T/free.out"
	before=$(wc -l <"$T/served/log")
	expect 0 run -- "$PYTHON" unix.py routes "$O/s" -
	said 'passed: []' 'absolute: [Errno 13]' 'held: [Errno 13]'
	expect 0 run --net all -- "$PYTHON" unix.py routes "$O/s" -
	said 'passed: []'
	expect 0 run --net localhost -- "$PYTHON" unix.py routes "$O/s" -
	said 'passed: []'
	[ "$(wc -l <"$T/served/log")" -eq "$before" ]
	denied socket "$O/s"
}

@test "a granted socket is reached, also by another name" {
	begin
	serve "named=unix:$O/s" "other=unix:$O/o"
	ln -s "$O/s" link
	script='import socket, sys
for p in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    s.connect(p)
    print(p[-4:], s.recv(100).decode())'
	expect 0 run --socket "$O/s" -- "$PYTHON" -c "$script" "$O/s" link
	said '/s named' 'link named'
	expect 1 run --socket "$O/s" -- "$PYTHON" -c "$script" "$O/o"
	heard PermissionError
	policy <<-END
		{"sockets": ["$O/s"]}
	END
	user_policy <<-END
		{"sockets": ["$O/o"]}
	END
	expect 0 run --no-project-policy -- "$PYTHON" -c "$script" "$O/o"
	allowed --no-project-policy socket "$O/o"
	# a project does not name sockets by itself
	expect 1 run -- "$PYTHON" -c "$script" "$O/s"
	[ "$(reached other)" -eq 1 ]
}

@test "a grant of a folder does not grant the sockets in it" {
	begin
	serve "out=unix:$O/s"
	refused run --socket "$O" -- true
	heard "cannot grant the socket $O"
	# nor by a right to change what lies there
	expect 1 run --write "$O" -- "$PYTHON" -c 'import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$O/s"
	heard PermissionError
	[ "$(reached out)" -eq 0 ]
}

@test "sockets in the project and those made in the session are reached" {
	begin
	serve "in=unix:$P/in"
	script='import os, socket, sys
def make(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(1)
    return server
for path in "own", os.environ["TMPDIR"] + "/t", sys.argv[1] + "/w", "\0" + "own" + str(os.getpid()):
    server = make(path)
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    peer, _ = server.accept()
    # a descriptor goes over it, as between any two
    reads, writes = os.pipe()
    socket.send_fds(client, [b"x"], [writes])
    _, fds, _, _ = socket.recv_fds(peer, 1, 1)
    os.write(fds[0], b"passed")
    print(path.strip("\0")[-1:], os.read(reads, 6).decode(), server.getsockname() != "")
s = socket.socket(socket.AF_UNIX)
s.connect("in")
print(s.recv(9).decode())'
	if [ "$(abi)" -lt 6 ]; then
		script=${script//', "\0" + "own" + str(os.getpid())'/}
	fi
	expect 0 run --write "$O" -- "$PYTHON" -c "$script" "$O"
	said 'n passed' 't passed' 'w passed' in
	allowed socket "$P/in"
}

@test "a socket moved into a granted folder is not reached" {
	begin
	cp "$TREE/tests/net/moves.py" .
	mkdir -p "$T/served"
	for way in rename exchange link descriptor folder deep exchange-folder; do
		for to in "$P/n/e/f/s" TMP/n/e/f/s; do
			rm -rf "$O/d" "$O/tmp" n
			mkdir -p "$O/d/e/f" "$O/tmp"
			# free it gets there
			serve "free=unix:$O/d/e/f/s"
			TMPDIR=$O/tmp "$PYTHON" moves.py "$way" "$O/d/e/f/s" "$to" >"$T/free.out"
			grep -q 'reached free' "$T/free.out"
			for age in before late; do
				rm -rf "$O/d" n begun
				mkdir -p "$O/d/e/f"
				if [ "$age" = before ]; then
					serve "out=unix:$O/d/e/f/s"
				else
					# the run has begun when it has made its first file
					(until_true 60 test -e "$P/begun" &&
						exec "$PYTHON" "$TREE/tests/net/serve.py" "$T/served" "out=unix:$O/d/e/f/s") 3>&- &
					servers="$servers $!"
				fi
				expect 0 run --write "$O" --execute "$O" -- sh -c ': >begun; exec "$@"' - \
				    "$PYTHON" moves.py "$way" "$O/d/e/f/s" "$to" late
				unsaid reached
			done
		done
	done
	[ "$(reached out)" -eq 0 ]
}

@test "a socket moved to the name of a granted one is not reached" {
	begin
	mkdir "$O/d"
	serve "out=unix:$O/d/s" "named=unix:$O/d/named" "own=unix:$O/d/own"
	script='import os, socket, sys
os.unlink(sys.argv[2])
try:
    sys.argv[3] == "own" and socket.socket(socket.AF_UNIX).bind(sys.argv[2])
    sys.argv[3] == "own" and os.unlink(sys.argv[2])
    getattr(os, sys.argv[4])(sys.argv[1], sys.argv[2])
    socket.socket(socket.AF_UNIX).connect(sys.argv[2])
    print("reached")
except OSError as e:
    print(e)
os.path.exists(sys.argv[1]) or os.rename(sys.argv[2], sys.argv[1])
os.path.exists(sys.argv[2]) and os.unlink(sys.argv[2])
socket.socket(socket.AF_UNIX).bind(sys.argv[2])'
	for kind in own named; do
		for way in rename link; do
			expect 0 run --write "$O/d" --socket "$O/d/named" -- \
			    "$PYTHON" -c "$script" "$O/d/s" "$O/d/$kind" "$kind" "$way"
			said 'Permission denied'
			unsaid reached
		done
	done
	[ "$(reached out)" -eq 0 ]
}

@test "a home as project does not grant the sockets in it" {
	begin
	serve "agent=unix:$HOME/agent"
	expect 1 run -C "$HOME" --accept files.carveout -- "$PYTHON" -c 'import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$HOME/agent"
	heard PermissionError
	denied -C "$HOME" socket "$HOME/agent"
	expect 0 run -C "$HOME" --accept files.carveout --socket "$HOME/agent" -- "$PYTHON" -c 'import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$HOME/agent"
}

@test "abstract sockets of other processes are not reached" {
	begin
	name=cordon-$$-$RANDOM
	serve "out=abstract:$name"
	script='import socket, sys
socket.socket(socket.AF_UNIX).connect("\0" + sys.argv[1])'
	"$PYTHON" -c "$script" "$name"
	until_true 60 eval '[ "$(reached out)" -eq 1 ]'
	for net in none all localhost; do
		expect 1 run --net "$net" -- "$PYTHON" -c "$script" "$name"
		heard PermissionError
	done
	[ "$(reached out)" -eq 1 ]
}

@test "an address changed during the call leads nowhere else" {
	begin
	serve "denied=unix:$O/s" "allowed=unix:$O/t"
	# free, both are reached
	"$PYTHON" unix.py flip "$O/s" "$O/t" 1 >"$T/free.out"
	grep -q "'denied'" "$T/free.out"
	before=$(reached denied)
	expect 0 run --socket "$O/t" -- "$PYTHON" unix.py flip "$O/s" "$O/t" 2
	said "'allowed'" 'Permission denied'
	unsaid "'denied'"
	expect 0 run --socket "$O/t" -- "$PYTHON" unix.py swap "$O/s" "$O/t" 2
	said "'allowed'" 'Permission denied'
	unsaid "'denied'"
	[ "$(reached denied)" -eq "$before" ]
}

@test "a connect to a full server waits, is interrupted and killed as in a bare run" {
	begin
	serve "full=full:$O/f" "allowed=unix:$O/t"
	"$PYTHON" unix.py waiting "$O/f" "$O/t" >"$T/free.out"
	rm own
	expect 0 run --socket "$O/f" --socket "$O/t" -- "$PYTHON" unix.py waiting "$O/f" "$O/t"
	diff "$T/free.out" "$T/out" || complain "$(cat "$T/free.out")"
	said 'in time: Resource temporarily unavailable' 'interrupted: Interrupted system call' \
	    'begun again: done' 'after many: allowed'
}

@test "ssh's agent is reached only if it is granted" {
	begin
	command -v ssh-agent ssh-add >/dev/null || skip 'no ssh-agent'
	ssh-agent -D -a "$O/agent" >/dev/null 2>&1 3>&- &
	agent=$!
	until_true 60 test -S "$O/agent"
	export SSH_AUTH_SOCK=$O/agent
	ssh_add=$(command -v ssh-add)
	# 1: it was reached and has no keys; 2: it was not
	expect 1 run --env SSH_AUTH_SOCK --socket ssh-agent -- "$ssh_add" -l
	said 'no identities'
	expect 2 run --env SSH_AUTH_SOCK -- "$ssh_add" -l
	heard 'Permission denied'
}

@test "presets name the sockets of a service" {
	begin
	export XDG_RUNTIME_DIR=$O
	mkdir "$O/podman" "$O/gnupg"
	serve "podman=unix:$O/podman/podman.sock" "gpg=unix:$O/gnupg/S.gpg-agent" \
	    "wayland=unix:$O/wayland-0"
	script='import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(s.recv(9).decode())'
	for pair in podman:podman/podman.sock gpg-agent:gnupg/S.gpg-agent wayland:wayland-0; do
		expect 0 run --socket "${pair%%:*}" -- "$PYTHON" -c "$script" "$O/${pair#*:}"
		expect 1 run -- "$PYTHON" -c "$script" "$O/${pair#*:}"
		heard PermissionError
	done
}

@test "getsockname reports the address that bind was given" {
	begin
	ln -s "$P" "$O/project"
	for given in "$P" "$O/project"; do
		mkdir bare confined
		(cd bare && "$PYTHON" "$TREE/tests/net/unix_names.py" "$given/bare") |
		    sed 's,/bare,/HERE,g' >"$T/bare.out"
		cp "$TREE/tests/net/unix_names.py" .
		expect 0 run -- sh -c 'cd confined && exec "$0" ../unix_names.py "$1/confined"' \
		    "$PYTHON" "$given"
		sed 's,/confined,/HERE,g' "$T/out" | diff "$T/bare.out" - || complain "$given"
		grep -q '^a a a a$' "$T/bare.out"
		rm -r bare confined
	done
}

@test "python's managers and servers use sockets in the project" {
	begin
	expect 0 run -- env TMPDIR="$P" "$PYTHON" -c 'import multiprocessing
with multiprocessing.Manager() as manager:
    shared = manager.dict(a=1)
    print("shared", shared["a"])'
	said 'shared 1'
}
