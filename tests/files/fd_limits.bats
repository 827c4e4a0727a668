#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Fds that the broker uses on behalf of a command must leave enough fds for all other calls.

load ../lib/common

@test "hundreds of waiting connects do not use up the broker's descriptors" {
	cat >waiting.py <<-'EOF'
		import os, socket, sys, threading, time
		server = socket.socket(socket.AF_UNIX)
		server.bind("sock")
		server.listen(0)
		held, ended = [], []
		def connect():
		    held.append(socket.socket(socket.AF_UNIX))
		    try:
		        held[-1].connect("sock")
		    except OSError as error:
		        ended.append(error.errno)
		for _ in range(600):
		    threading.Thread(target=connect, daemon=True).start()
		end = time.monotonic() + 20
		while len(held) < 600 and time.monotonic() < end:
		    time.sleep(0.05)
		time.sleep(0.5)
		for number in range(20):
		    open(f"made{number}", "w").close()
		print("ended:", sorted(set(ended)))
		sys.stdout.flush()
		os._exit(0)
	EOF
	ulimit -n 1024
	expect 0 run -- "$PYTHON" waiting.py
	[ -e made19 ]
}
