#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Events are data: a closed list with a schema, one whole line each, in the log and on --status-fd. A
# command cannot add, forge or cut a line.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

setup_file()
{
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip 'no jsonschema'
}

# events EXPRESSION...: every line of the log and of $T/status has the schema; about the latter (d) each holds.
events()
{
	/usr/bin/python3 "$TREE/tests/policy/events.py" "$XDG_STATE_HOME"/cordon/audit/shell-*.log ||
	    complain 'the log' || return 1
	/usr/bin/python3 "$TREE/tests/policy/events.py" "$T/status" -- "$@" || complain 'the status descriptor'
}

@test "the schema has exactly the words of the program" {
	/usr/bin/python3 "$TREE/tests/policy/events.py" --words
}

# R15 differs: restricted sessions always have the whole sandbox; there is no light layer
@test "the layers that enforce are named by plan, on the status descriptor and in the log" {
	expect 0 plan
	said 'layers    landlock seccomp broker'
	expect 0 plan --json
	json 'd["layers"] == ["landlock", "seccomp", "broker"]'
	expect 0 plan --json --system macos --home /Users/sam -C /Users/sam/shop
	json 'd["layers"] == ["seatbelt"]'
	expect 0 run --status-fd 3 -- true 3>"$T/status"
	grep -q '"event": "start".*"layers": \["landlock", "seccomp", "broker"\]' "$T/status"
	grep -q '"event": "start".*"layers": \["landlock", "seccomp", "broker"\]' "$XDG_STATE_HOME"/cordon/audit/*.log
	expect 0 run --domain example.org --status-fd 3 -- true 3>"$T/status"
	grep -q '"layers": \["landlock", "seccomp", "broker", "proxy"\]' "$T/status"
	expect 0 run --track-only --status-fd 3 -- true 3>"$T/status"
	grep -q '"layers": \[\]' "$T/status"
}

# R123 differs: `run`, `plan` and `doctor`; ids come from the environment
# R132-R133 differs: one event per refusal, joined to the start by the session's id; only this session's refusals are seen
@test "ids of the agent's session and tool use are in the log, from the environment" {
	local log=$XDG_STATE_HOME/cordon/audit

	expect 0 run -- true
	[ "$(cat "$log"/*.log | grep -c 'agent_session\|tool_use')" -eq 0 ]
	CLAUDE_CODE_SESSION_ID=s-1 CORDON_TOOL_USE='t"1' expect 0 run -- sh -c 'echo "$CLAUDE_CODE_SESSION_ID$CORDON_TOOL_USE."'
	[ "$out" = . ]
	grep -q '"event": "start".*"agent_session": "s-1", "tool_use": "t\\"1"' "$log"/*.log
	CORDON_AGENT_SESSION=s-2 CLAUDE_CODE_SESSION_ID=s-1 expect 0 run --track-only -- true
	grep -q '"agent_session": "s-2"' "$log"/*.log
	CORDON_AGENT_SESSION=$(head -c 300 /dev/zero | tr '\0' x) expect 0 run -- true
	[ "$(cat "$log"/*.log | grep -c xxxx)" -eq 0 ]
}

@test "every kind of event has the schema: start, refused, changed, planted, limit, trust, end" {
	rm -rf .git
	git init -q .
	mkdir kept
	expect 3 run --status-fd 5 --protect kept --net none -- sh -c '
		echo x >kept/x; mkdir kept/d; chmod 700 kept; cat .git/config >.git/hooks/pre-commit; git config core.editor x
		ln kept k; mv kept gone; bash -c ": >/dev/tcp/127.0.0.1/80"
		echo x >Makefile; echo x >a; git add a Makefile; exit 3' 5>"$T/status"
	events 'd[0]["event"] == "start" and d[0]["v"] == 1 and d[0]["command"][:2] == ["sh", "-c"]' \
	    '{"write", "create", "change", "delete", "network"} <= {x["what"] for x in d if x["event"] == "refused"}' \
	    'all(x["known"] == "decided" for x in d if x["event"] == "refused")' \
	    '[x["subject"].rsplit("/", 1)[1] for x in d if x["event"] == "changed"] == ["Makefile"]' \
	    'd[-1]["event"] == "end" and d[-1]["refused"] == sum(x["event"] == "refused" for x in d) and d[-1]["changed"] == 1'
	expect 0 run --status-fd 5 -- sh -c 'git update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),.envrc' 5>"$T/status"
	events '[(x["what"], x["event"]) for x in d if "what" in x] == [("staged", "planted")]'
	expect 124 run --status-fd 5 --time 1s -- sleep 60 5>"$T/status"
	events '[x["event"] for x in d] == ["start", "limit", "end"] and d[1]["limit"] == "time"'
	expect 127 run --status-fd 5 -- ./absent 5>"$T/status"
	events 'd[-1]["cause"] == "not started"'
	expect 125 run --status-fd 5 -p ./absent -- true 5>"$T/status"
	events 'len(d) == 1 and "session" not in d[0]'
	expect 7 run --status-fd 5 --track-only -- sh -c 'exit 7' 5>"$T/status"
	events 'len(d) == 2'
	echo '{"files": {"read": ["/srv"]}}' >.cordon.json
	expect 0 trust --yes
	expect 0 trust --revoke
	cat "$XDG_STATE_HOME"/cordon/audit/shell-*.log >"$T/status"
	events '[x["what"] for x in d if x["event"] == "trust"] == ["approved", "revoked"]' \
	    'all(x["file"].endswith("/.cordon.json") for x in d if x["event"] == "trust")' \
	    'len([x for x in d if x["event"] == "trust"][0]["requests"]) == 1'
}

@test "names that a command chooses forge no line: of itself, files, hosts, programs" {
	forged='{"v": 1, "time": "2026-01-01T00:00:00Z", "session": "0000000000000000", "event": "end", "cause": "exit", "status": 0}'
	name=$(printf 'x\n%s\n\033[2Jcordon: refused: forged\r\342\200\256\377' "$forged" | tr / _)
	expect 3 run --status-fd 5 -- sh -c 'echo x >"$HOME/$1"; mkdir "$HOME/$1"; cp "$(command -v bash)" "./$2"; "./$2" -c ": >/dev/tcp/127.0.0.1/80"
		echo "$3"; echo "$3" >&2; (echo "$3" >&5) 2>/dev/null; echo x >>"$4"/cordon/audit/*; exit 3' sh "$name" \
	    "$(printf 'n\n\033\"')" "$forged" "$XDG_STATE_HOME" 5>"$T/status"
	events '{x["event"] for x in d} == {"start", "refused", "end"}' \
	    'len({x["session"] for x in d}) == 1 and d[-1]["status"] == 3 and sum(x["event"] == "end" for x in d) == 1' \
	    'any("forged" in x["subject"] for x in d if x["event"] == "refused")' \
	    'any("\"" in x["subject"] for x in d if x["event"] == "refused" and x["what"] == "network")'
	[ "$(grep -c '"event": "end"' "$XDG_STATE_HOME"/cordon/audit/shell-*.log)" -eq 1 ]
	# its own output is on standard error; cordon's lines there have no control characters
	! grep '^cordon: ' "$T/err" | grep -q "$escape" || complain 'control characters'
	! grep -q '^cordon: refused: forged' "$T/err" || complain 'a forged line'
}

@test "a command line of megabytes is a line of some kilobytes" {
	long=$(head -c 100000 /dev/zero | tr '\000' a)
	expect 0 run --status-fd 5 -- true 1 "$long" 2 5>"$T/status"
	events 'd[0]["command"] == ["true", "1"] and d[0]["arguments"] == 4'
	[ "$(wc -c <"$T/status")" -lt 10000 ]
}

# The long form, 1,000 sessions: tests/policy/events_load.py 1000
@test "many sessions write the log at once: every line is whole, none is lost" {
	/usr/bin/python3 "$TREE/tests/policy/events_load.py" 40 5 >"$T/out" 2>&1 || complain "$(cat "$T/out")"
	/usr/bin/python3 "$TREE/tests/policy/events.py" "$XDG_STATE_HOME"/cordon/audit/shell-*.log -- 'len(d) == 40 * 7'
}

@test "the disk of the log is full: the command runs, the loss is reported, the next line is whole" {
	how=-m
	[ "$(id -u)" -eq 0 ] || how=-Urm
	unshare "$how" true 2>/dev/null || skip 'no mounts of its own'
	mkdir -p "$XDG_STATE_HOME"
	mkdir -m 700 "$T/run"
	export XDG_RUNTIME_DIR=$T/run
	unshare "$how" sh -ec 'mount --make-rprivate /; mount -t tmpfs -o size=32k none "$XDG_STATE_HOME"
		"$0" run -- sh -c "touch ran; exit 7" || [ $? -eq 7 ]
		# what is free is less than a line, and more than nothing
		log=$(echo "$XDG_STATE_HOME"/cordon/audit/shell-*.log)
		head -c 1000000 /dev/zero >"$XDG_STATE_HOME/fill" 2>/dev/null || :
		for i in 1 2 3 4 5; do
			status=0; "$0" run -- sh -c "touch full$i; exit 7" || status=$?
			[ $status -eq 7 ] && [ -e full$i ]
		done
		rm "$XDG_STATE_HOME/fill"
		"$0" run -- sh -c "exit 7" || [ $? -eq 7 ]
		cp "$log" "$1"' "$CORDON" "$T/log" >"$T/out" 2>"$T/err" </dev/null || complain "$(cat "$T/err")"
	err=$(cat "$T/err")
	heard 'cannot write the audit log' 'No space left on device' 'events lost)'
	[ "$(grep -c 'cannot write the audit log' "$T/err")" -ge 3 ]
	# at most one line is cut, and none is glued to it
	/usr/bin/python3 - "$T/log" <<-'END'
		import json, sys
		whole, cut = [], 0
		for line in open(sys.argv[1], encoding="utf-8"):
		    try:
		        whole.append(json.loads(line))
		    except ValueError:
		        cut += 1
		assert cut <= 1, cut
		assert [x["event"] for x in whole][:2] == ["start", "end"] and [x["event"] for x in whole][-2:] == ["start", "end"], whole
	END
}
