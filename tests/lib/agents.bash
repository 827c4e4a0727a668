# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # variables of common
# Agents from npm, and a model on loopback.

# agent NAME: sets agent to its program in a folder of the home where npm may put it, or skips.
agent()
{
	local from=$TREE/build/npm/node_modules

	[ -e "$from/.bin/$1" ] || skip "$1 is not here: ./dev test ci fetches it from npm"
	mkdir -p "$HOME/.npm-global/bin"
	agent=$HOME/.npm-global/bin/$1
	ln -sfn "$from" "$HOME/.npm-global/node_modules"
	ln -sf "$from/.bin/$1" "$agent"
}

# model COMMAND: a model that calls the agent's shell tool with COMMAND. Sets port; its log is $T/api.
model()
{
	"$PYTHON" "$TREE/tests/agents/mock_api.py" "$T/api" "$1" >"$T/port" 2>"$T/api.err" &
	started="${started:-} $!"
	until_true 10 test -s "$T/port"
	port=$(cat "$T/port")
	export ANTHROPIC_BASE_URL=http://127.0.0.1:$port ANTHROPIC_API_KEY=sk-test OPENAI_API_KEY=sk-test \
	    GEMINI_API_KEY=test GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:$port DISABLE_TELEMETRY=1
}

# settle NAME: what a person has set up before the first use.
settle()
{
	case $1 in
	codex)
		mkdir -p "$HOME/.codex"
		cat >"$HOME/.codex/config.toml" <<-EOF2
			model_provider = "mock"
			model = "mock"
			[model_providers.mock]
			name = "mock"
			base_url = "http://127.0.0.1:$port/v1"
			env_key = "OPENAI_API_KEY"
			wire_api = "responses"
		EOF2
		;;
	gemini)
		mkdir -p "$HOME/.gemini"
		echo '{"security": {"auth": {"selectedType": "gemini-api-key"}}}' >"$HOME/.gemini/settings.json"
		;;
	opencode)
		mkdir -p "$XDG_CONFIG_HOME/opencode"
		cat >"$XDG_CONFIG_HOME/opencode/opencode.json" <<-EOF2
			{"provider": {"anthropic": {"options": {"baseURL": "http://127.0.0.1:$port/v1"}}},
			 "model": "anthropic/claude-sonnet-4-5", "permission": "allow"}
		EOF2
		;;
	esac
}

# ask NAME [WRAPPER...]: gives the agent a prompt. Sets out and status.
ask()
{
	local name=$1
	local -a words

	shift
	case $name in
	claude) words=(-p hi --allowedTools Bash) ;;
	codex) words=(exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust hi) ;;
	gemini) words=(--skip-trust -y -p hi) ;;
	opencode) words=(run hi) ;;
	esac
	status=0
	timeout 120 "$@" "$agent" "${words[@]}" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
}

# result TEXT...: the last result of a tool that the model got has each text.
result()
{
	local text last

	last=$("$PYTHON" -c 'import json, sys
found = [r["result"] for r in map(json.loads, open(sys.argv[1])) if r["result"] is not None]
print(found[-1] if found else "")' "$T/api")
	for text in "$@"; do
		case $last in
		*"$text"*) ;;
		*) complain "expected in the result: $text" "result: $last" || return 1 ;;
		esac
	done
}
