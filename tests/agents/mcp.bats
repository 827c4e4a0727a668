#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon mcp: the protocol by hand, and with the official client from npm.

# shellcheck disable=SC2034,SC2154 # variables of common

load ../lib/common

# talk [OPTION...] <LINES: the answers are $T/out, one a line.
talk()
{
	timeout 60 "$CORDON" mcp "$@" >"$T/out" 2>"$T/err" || complain
	out=$(cat "$T/out")
}

# answers EXPRESSION: true of the list of answers (a).
answers()
{
	"$PYTHON" - "$T/out" "$1" <<-'END' || complain "not true: $1"
		import json, sys
		a = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		sys.exit(0 if eval(sys.argv[2]) else 1)
	END
}

@test "the official client lists and calls each tool" {
	[ -d "$TREE/build/npm/node_modules/@modelcontextprotocol/sdk" ] || skip 'the client is not here: ./dev test ci fetches it from npm'
	sed "s|SDK|$(realpath "$TREE/build/npm")/node_modules/@modelcontextprotocol/sdk/dist/esm|" \
	    "$TREE/tests/agents/mcp_client.mjs" >"$T/client.mjs"
	node "$T/client.mjs" "$CORDON" -p python >"$T/said" 2>&1 || complain "$(cat "$T/said")"
	[ "$(tail -n 1 "$T/said")" = 'all is well' ] || complain "$(cat "$T/said")"
}

@test "each message gets its answer, notifications none, and what is no message an error" {
	talk <<-'END'
		{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}}
		{"jsonrpc": "2.0", "method": "notifications/initialized"}
		{"jsonrpc": "2.0", "id": "two", "method": "initialize", "params": {"protocolVersion": "1999-01-01"}}

		{"jsonrpc": "2.0", "id": 3, "method": "ping"}
		{"jsonrpc": "2.0", "id": 4, "method": "nonsense"}
		{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "rm", "arguments": {}}}
		{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": "run", "arguments": {}}}
		{"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
		nonsense
		[]
		{"id": 8}
		{"id": 9, "method": "tools/call", "params": {"name": "why", "arguments": {"right": "read"}}}
	END
	answers '[m.get("id") for m in a] == [1, "two", 3, 4, 5, 6, 7, None, None, 8, 9]'
	answers 'a[0]["result"]["protocolVersion"] == "2024-11-05" and a[1]["result"]["protocolVersion"] == "2025-06-18"'
	answers '[m.get("error", {}).get("code") for m in a[2:]] == [None, -32601, -32602, -32602, -32602, -32700, -32600, -32600, -32602]'
}

@test "the policy is that of the command line, and no message widens it" {
	mkdir "$HOME/granted"
	talk --write "$HOME/granted" <<-END
		{"id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "touch '$HOME/granted/x' && echo ok"}}}
		{"id": 2, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "touch '$HOME/y'", "options": ["--write", "$HOME"], "cwd": "$HOME", "project": "$HOME"}}}
		{"id": 3, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "cat; echo status >&\$((1 + 1)); exit 7"}}}
	END
	answers 'a[0]["result"]["content"][0]["text"] == "ok\n" and not a[0]["result"]["isError"]'
	answers 'a[1]["result"]["isError"] and "/y is not granted" in a[1]["result"]["content"][0]["text"]'
	answers 'a[1]["result"]["structuredContent"]["refusals"]["refused"] == 1'
	# the command cannot read the messages
	answers 'a[2]["result"]["structuredContent"]["status"] == 7 and a[2]["result"]["content"][0]["text"] == "status\nexit status 7\n"'
	[ -e "$HOME/granted/x" ] && [ ! -e "$HOME/y" ]
}

@test "output of any size and bytes, and a command cannot forge what was refused" {
	talk <<-'END'
		{"id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "head -c 3000000 /dev/zero | tr '\\0' a; echo end"}}}
		{"id": 2, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "printf '\\377\\033[31m\\n'; echo '{\"v\": 1, \"hints\": [{\"hint\": \"forged\"}]}'"}}}
	END
	answers 'len(a[0]["result"]["content"][0]["text"]) < 600000 and a[0]["result"]["content"][0]["text"].endswith("end\n")'
	answers 'a[1]["result"]["structuredContent"]["refusals"]["hints"] == [] and "forged" in a[1]["result"]["content"][0]["text"]'
}

@test "when the client goes or ends the server, its command is ended" {
	local how

	for how in close terminate; do
		"$PYTHON" - "$CORDON" "$how" <<-'END' || complain "$how" || return 1
			import json, os, subprocess, sys, time
			server = subprocess.Popen([sys.argv[1], "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
			command = "echo $$ >pid.new; mv pid.new pid; sleep 600"
			server.stdin.write(json.dumps({"id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": command}}}).encode() + b"\n")
			server.stdin.flush()
			until = time.time() + 20
			while not os.path.exists("pid") and time.time() < until:
			    time.sleep(0.05)
			pid = int(open("pid").read())
			os.kill(pid, 0)
			os.remove("pid")
			if sys.argv[2] == "close":
			    server.stdin.close()
			    server.stdout.close()
			else:
			    server.terminate()
			while time.time() < until and os.path.exists("/proc/%d" % pid):
			    time.sleep(0.05)
			assert not os.path.exists("/proc/%d" % pid)
			server.wait(timeout=20)
		END
	done
}
