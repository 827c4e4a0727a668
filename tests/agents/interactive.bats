#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The real Claude Code on a terminal with -p claude. Its ~/.claude.json, which lists the MCP servers of every project, stays
# read-only: it works, and asks again whether the folder is trusted.
# shellcheck disable=SC2154 # variables of lib

load ../lib/tmux
load ../lib/agents

teardown()
{
	end_started
	[ -z "${SOCKET:-}" ] || terminal_end
}

# start_claude: on a terminal, in the sandbox.
start_claude()
{
	sh_line "clear; '$CORDON' run -q -p claude --execute '$(realpath "$TREE/build/npm")' --net localhost:$port -- '$agent'"
	shows 'Yes, I trust this folder'
	keys Enter
	shows '\? for shortcuts'
}

# leave_claude NUMBER: waits for the prompt of the shell with that number.
leave_claude()
{
	type_line /exit
	sleep 1
	keys Enter
	ends_with "^\\[$1\\]\$"
}

@test "claude on a terminal works with -p claude, and its answers are not kept" {
	agent claude
	model "printf 'in-%d\\n' 42 >made; cat made"
	echo '{"hasCompletedOnboarding": true, "theme": "dark", "customApiKeyResponses": {"approved": ["sk-test"], "rejected": []}}' >"$HOME/.claude.json"
	cp "$HOME/.claude.json" "$T/before"
	terminal bare
	resize 120 40
	start_claude
	cmp "$HOME/.claude.json" "$T/before"
	leave_claude 2
	# another start asks the same
	terminal bare
	resize 120 40
	start_claude
	cmp "$HOME/.claude.json" "$T/before"
	leave_claude 2
}
