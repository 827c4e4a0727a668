#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon setup and cordon hook, with the real agents from npm and a model on loopback.

# shellcheck disable=SC2034,SC2154,SC2016 # variables of common and agents; $ is for the command inside

load ../lib/common
load ../lib/agents

teardown()
{
	end_started
}

# refuses_outside NAME [WORD...]: set up, the agent runs a command inside; before, it made the file outside.
refuses_outside()
{
	local name=$1

	shift
	agent "$name"
	model "printf 'in-%d\\n' 42; echo kept >kept; touch '$T/outside' && echo made"
	settle "$name"
	ask "$name" env CODEX_HOME="$HOME/.codex"
	result in-42 made || return 1
	rm -f "$T/outside" "$T/api" kept
	expect 0 setup "$name" --yes || return 1
	ask "$name" env CODEX_HOME="$HOME/.codex"
	result in-42 'cordon: refused: create' "$T/outside" || return 1
	[ ! -e "$T/outside" ] || complain 'a file outside was made' || return 1
	[ "$(cat kept)" = kept ] || complain 'the project was not written' || return 1
}

@test "setup claude: its commands run inside, and a failure brings the hint" {
	refuses_outside claude
	# what the model got besides the result
	grep -q 'The sandbox refused: create' "$T/api" || complain "$(cat "$T/api")"
	grep -qE '"event": "start".*"agent_session": "[0-9a-f]{8}-' "$XDG_STATE_HOME"/cordon/audit/*.log ||
	    complain 'the log has no id of its session'
	expect 0 setup claude --remove --yes
	rm -f "$T/api"
	ask claude
	result made
	[ -e "$T/outside" ]
}

@test "setup codex: its commands run inside" {
	refuses_outside codex
}

@test "setup gemini: its commands run inside, and a failure brings the hint" {
	refuses_outside gemini
	result 'The sandbox refused: create'
}

@test "setup claude: without cordon, and with one that crashes, no command runs" {
	local word

	agent claude
	model "touch '$T/ran'; echo made"
	cp "$CORDON" "$T/cordon"
	CORDON=$T/cordon expect 0 setup claude --yes
	for word in 'exit 1' 'kill -SEGV $$' 'exit 126' 'echo nonsense; exit 0'; do
		printf '#!/bin/sh\n%s\n' "$word" >"$T/cordon"
		chmod +x "$T/cordon"
		rm -f "$T/api" "$T/ran"
		ask claude
		if [ "$word" = 'echo nonsense; exit 0' ]; then
			# no agent can tell that from a hook without an opinion: only a program in its place does that
			[ -e "$T/ran" ] || complain 'the check does not work' || return 1
		else
			[ ! -e "$T/ran" ] || complain "ran after: $word" || return 1
		fi
	done
	rm -f "$T/cordon" "$T/ran" "$T/api"
	ask claude
	[ ! -e "$T/ran" ] || complain 'ran without cordon'
}

# tell EVENT COMMAND [OPTION...]: calls the hook of claude.
tell()
{
	local event=$1 command=$2

	shift 2
	status=0
	"$PYTHON" -c 'import json, sys
print(json.dumps({"hook_event_name": sys.argv[1], "tool_name": "Bash", "tool_input": {"timeout": 5, "command": sys.argv[2],
    "description": "x"}}))' "$event" "$command" | "$CORDON" hook claude "$@" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
}

@test "hook: the command is wrapped whatever it contains, and the rest of the input stays" {
	local command

	for command in ls "echo 'a' \"b\" \$HOME" $'echo a\necho b' 'echo ü; exit 3' "'; touch $T/out2; '" '-- x' '' \
	    'cat <<E
it'"'"'s
E'; do
		tell PreToolUse "$command" -p python
		[ "$status" -eq 0 ] || complain "$command" || return 1
		json '"permissionDecision" not in d["hookSpecificOutput"]' || return 1
		json '[(k, v) for k, v in d["hookSpecificOutput"]["updatedInput"].items() if k != "command"] == [("timeout", 5), ("description", "x")]' || return 1
		# what it answers is one command: cordon, with the command as its last word
		"$PYTHON" - "$T/out" "$command" <<-'END' || complain "not wrapped: $command" || return 1
			import json, shlex, sys
			words = shlex.split(json.load(open(sys.argv[1]))["hookSpecificOutput"]["updatedInput"]["command"])
			assert words[0].endswith("/cordon") and words[1:] == ["run", "-p", "python", "--", "bash", "-c", sys.argv[2]], words
		END
	done
}

@test "hook: what cannot be read or answered is refused with status 2" {
	local text

	for text in '' 'x' '[]' '{}' '{"hook_event_name": 1}' '{"hook_event_name": "BeforeShell"}' '{"hook_event_name": "PreToolUse"}' \
	    '{"hook_event_name": "PreToolUse", "tool_name": "Bash"}' \
	    '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": []}' \
	    '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": 5}}' \
	    '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "a", "command": "b"}}' \
	    '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "a\u0000b"}}'; do
		status=0
		printf '%s' "$text" | "$CORDON" hook claude >"$T/out" 2>"$T/err" || status=$?
		[ "$status" -eq 2 ] && [ ! -s "$T/out" ] || complain "$text" || return 1
	done
	tell PreToolUse ls
	[ "$status" -eq 0 ]
	for text in --nonsense --read ls --; do
		tell PreToolUse ls "$text"
		[ "$status" -eq 2 ] || complain "$text" || return 1
	done
	expect 2 hook
	expect 2 hook nobody
	# a full pipe
	status=0
	printf '{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}' |
	    "$CORDON" hook claude >/dev/full 2>"$T/err" || status=$?
	[ "$status" -eq 2 ]
}

@test "hook: another tool is none of its business" {
	printf '{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/x"}}' |
	    "$CORDON" hook claude >"$T/out"
	[ ! -s "$T/out" ]
}

@test "hook: claude's own rules about commands hold for the wrapped ones" {
	mkdir -p "$HOME/.claude" "$P/.claude"
	echo '{"permissions": {"deny": ["Bash(curl:*)", "Bash(rm * -rf)"], "ask": ["Bash(git push:*)"]}}' >"$HOME/.claude/settings.json"
	echo '{"permissions": {"deny": ["Bash(make install)"], "allow": ["Bash(ls:*)"]}}' >"$P/.claude/settings.local.json"
	export CLAUDE_PROJECT_DIR=$P
	local command

	for command in 'curl x' 'true && curl x' 'A=b curl' $'ls\ncurl x' '(curl)' 'rm a b -rf' 'make install' 'x=$(curl y)'; do
		tell PreToolUse "$command"
		json 'd["hookSpecificOutput"]["permissionDecision"] == "deny" and "updatedInput" not in d["hookSpecificOutput"]' ||
		    complain "$command" || return 1
	done
	tell PreToolUse 'git push origin'
	json 'd["hookSpecificOutput"]["permissionDecision"] == "ask" and "cordon run" in d["hookSpecificOutput"]["updatedInput"]["command"]'
	for command in ls 'echo curl' 'make install-docs' 'git status' 'rm a'; do
		tell PreToolUse "$command"
		json '"permissionDecision" not in d["hookSpecificOutput"]' || complain "$command" || return 1
	done
	echo '{' >"$HOME/.claude/settings.json"
	tell PreToolUse ls
	[ "$status" -eq 2 ]
}

@test "hook: a refusing rule is kept by the real claude, too" {
	agent claude
	model "touch '$P/ran'"
	expect 0 setup claude --yes
	ask claude
	[ -e ran ]
	rm -f ran "$T/api"
	"$PYTHON" - "$HOME/.claude/settings.json" <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		d["permissions"] = {"deny": ["Bash(touch:*)"]}
		json.dump(d, open(sys.argv[1], "w"))
	END
	ask claude
	[ ! -e ran ]
}

@test "hook: hints are those of the failed command, and of no other" {
	expect 1 run -- bash -c 'touch ~/one'
	expect 1 run -- bash -c 'touch ~/two'
	expect 0 run -- bash -c 'touch ~/three; true'
	tell PostToolUseFailure 'touch ~/one'
	json '"/one is not granted" in d["hookSpecificOutput"]["additionalContext"] and "/two" not in d["hookSpecificOutput"]["additionalContext"]'
	# also if the agent tells the wrapped command
	tell PreToolUse "touch ~/two; echo 'x'"
	"$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["hookSpecificOutput"]["updatedInput"]["command"])' "$T/out" >"$T/wrapped"
	bash -c "$(cat "$T/wrapped")" || true
	expect 1 run -- bash -c "touch ~/two; echo 'x'; false"
	tell PreToolUse "touch ~/two; echo 'x'; false"
	"$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["hookSpecificOutput"]["updatedInput"]["command"])' "$T/out" >"$T/wrapped"
	tell PostToolUseFailure "$(cat "$T/wrapped")"
	json '"/two is not granted" in d["hookSpecificOutput"]["additionalContext"]'
	tell PostToolUseFailure 'touch ~/three; true'
	[ "$status" -eq 0 ] && [ -z "$out" ]
	tell PostToolUseFailure 'never ran'
	[ "$status" -eq 0 ] && [ -z "$out" ]
}

@test "nothing of a set-up can be changed from inside" {
	local file

	echo '{"mcpServers": {"a": {"command": "npx"}}}' >.mcp.json
	for file in claude codex gemini zed vscode; do
		expect 0 setup "$file" --yes || return 1
	done
	for file in .claude/settings.json .codex/hooks.json .gemini/settings.json .config/zed/settings.json \
	    .config/Code/User/settings.json .config/cordon/config.json; do
		only_free "echo '{}' >>'$HOME/$file'" -p node || return 1
		only_free "mv '$HOME/$file' '$HOME/$file.old'" -p claude -p codex -p gemini || return 1
		mv "$HOME/$file.old" "$HOME/$file"
	done
	only_free "echo '{}' >>'$P/.mcp.json'"
	only_free "mkdir -p '$P/.claude' && echo '{\"disableAllHooks\": true}' >'$P/.claude/settings.json'"
	for file in claude codex gemini; do
		run "$CORDON" run -p "$file" -- "$CORDON" setup "$file" --remove --yes
		[ "$status" -ne 0 ] || complain "removed from inside: $file" || return 1
	done
}
