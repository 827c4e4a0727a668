#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The profiles of agents, with the real programs from npm and a model on loopback.

# shellcheck disable=SC2154 # variables of common and agents

load ../lib/common
load ../lib/agents

teardown()
{
	end_started
}

# works_inside NAME: the agent runs a command in the project; the file outside is made only without cordon.
works_inside()
{
	agent "$1"
	model "printf 'in-%d\\n' 42; echo kept >kept; touch '$T/outside' && echo made"
	settle "$1"
	ask "$1"
	if ! { result in-42 made && [ -e "$T/outside" ]; }; then
		complain 'does not work without cordon' "$(cat "$T/api")"
		return 1
	fi
	rm -f "$T/outside" "$T/api" kept
	ask "$1" "$CORDON" run -p "$1" --execute "$TREE/build/npm" --execute "$(realpath "$TREE/build/npm")" \
	    --net "localhost:$port" --
	result in-42 || return 1
	[ "$status" -eq 0 ] || complain 'failed' || return 1
	[ ! -e "$T/outside" ] || complain 'a file outside was made' || return 1
	[ "$(cat kept)" = kept ] || complain 'the project was not written' || return 1
}

@test "claude -p works with -p claude, its commands stay in the project" {
	works_inside claude
	[ -d "$HOME/.claude/projects" ]
}

@test "codex exec works with -p codex, its commands stay in the project" {
	works_inside codex
	[ -d "$HOME/.codex/sessions" ]
}

@test "gemini -p works with -p gemini, its commands stay in the project" {
	works_inside gemini
}

@test "opencode run works with -p opencode, its commands stay in the project" {
	works_inside opencode
	[ -d "$HOME/.local/share/opencode" ]
}

@test "claude works with -p claude in a home where it never ran" {
	agent claude
	model "printf 'in-%d\\n' 42"
	ask claude "$CORDON" run -p claude --execute "$(realpath "$TREE/build/npm")" --net "localhost:$port" --
	result in-42
	[ "$status" -eq 0 ]
}

# closed PROFILE PATH...: a command with that profile can write neither file below the home, which is writable without.
closed()
{
	local profile=$1 path

	shift
	for path in "$@"; do
		mkdir -p "$(dirname "$HOME/$path")"
		only_free "echo x >'$HOME/$path'" -p "$profile" || return 1
		rm -f "$HOME/$path"
		# nor can it be made
		expect 9 run -p "$profile" -- sh -c "(echo x >'$HOME/$path') 2>/dev/null || exit 9" || return 1
	done
}

# open PROFILE PATH...: it can write these.
open()
{
	local profile=$1 path

	shift
	for path in "$@"; do
		works "mkdir -p '$(dirname "$HOME/$path")' && echo x >'$HOME/$path'" -p "$profile" || return 1
	done
}

@test "the state of an agent is writable, what it or others run later is not" {
	open claude .claude/history.jsonl .claude/projects/x/y.jsonl .claude/todos/z
	closed claude .claude/statusline.sh .claude/bin/x .claude/scripts/x .claude/settings.json .claude/settings.local.json .claude/hooks/h .claude/plugins/p .claude/agents/a.md \
	    .claude/CLAUDE.md .claude/commands/c.md .claude/skills/s .claude/local/claude .claude.json .local/bin/claude
	open codex .codex/sessions/s .codex/history.jsonl
	closed codex .codex/config.toml .codex/hooks.json .codex/AGENTS.md .codex/prompts/p .codex/rules/r .codex/skills/s
	open gemini .gemini/tmp/t .gemini/projects.json
	closed gemini .gemini/settings.json .gemini/extensions/e .gemini/commands/c .gemini/GEMINI.md .gemini/trustedFolders.json
	open opencode .local/share/opencode/storage/s
	closed opencode .config/opencode/opencode.json .config/opencode/plugin/p.js .local/share/opencode/bin/rg
	open aider .aider/caches/c
	closed aider .aider/oauth-keys.env .aider.conf.yml
}

@test "with the profile of one agent the settings of the others stay closed" {
	closed claude .codex/sessions/s .gemini/tmp/t
	closed codex .claude/history.jsonl
	# a project below such a name gets nothing by it
	closed agent .claude/history.jsonl
}

@test "the profile opens the domain of the agent's model and no other" {
	local pair

	for pair in claude:api.anthropic.com codex:api.openai.com gemini:generativelanguage.googleapis.com \
	    opencode:api.anthropic.com aider:api.openai.com; do
		allowed -p "${pair%%:*}" connect "${pair#*:}:443"
		denied -p "${pair%%:*}" connect example.com:443
	done
	denied connect api.anthropic.com:443
}

@test "a program that no profile in use can run is answered by its own profile" {
	local name folder

	for folder in .local/bin .nvm/versions/node/v22/bin .volta/bin .local/share/pnpm .npm-global/bin; do
		mkdir -p "$HOME/$folder"
		for name in claude codex gemini opencode; do
			printf '#!/bin/sh\necho it runs\n' >"$HOME/$folder/$name"
			chmod +x "$HOME/$folder/$name"
			expect 126 run -p python -- "$HOME/$folder/$name" --version || return 1
			heard "-p $name would" || return 1
			expect 0 run -p "$name" -- "$HOME/$folder/$name" --version || return 1
			said 'it runs' || return 1
		done
	done
	expect 126 run -p node -- "$HOME/.local/bin/claude" --version
	heard '-p claude would'
}
