#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon setup: what it shows, asks, writes and takes back.

# shellcheck disable=SC2016,SC2034,SC2154 # variables of common; $ is for the shell inside

load ../lib/common

@test "the change is shown, and nothing is written without a yes" {
	expect 1 setup claude
	said '+++ ' '.claude/settings.json' '+' 'hook claude'
	heard 'nothing was written; --yes writes it'
	[ ! -e "$HOME/.claude" ]
	in_terminal "printf 'n\n' | '$CORDON' setup claude"
	[ ! -e "$HOME/.claude" ]
}

@test "on a terminal a person is asked" {
	command -v expect >/dev/null || skip 'expect is not installed'
	command expect -c "
		spawn $CORDON setup zed
		expect {write this?} { send \"n\r\" }
		expect eof" >"$T/said"
	[ ! -e "$HOME/.config/zed/settings.json" ]
	command expect -c "
		spawn $CORDON setup zed
		expect {write this?} { send \"y\r\" }
		expect eof" >"$T/said"
	grep -q '"shell"' "$HOME/.config/zed/settings.json" || complain "$(cat "$T/said")"
}

# there_and_back TARGET FILE <TEXT: set up and taken back, the file is the same, byte by byte.
there_and_back()
{
	mkdir -p "$(dirname "$2")"
	cat >"$2"
	cp "$2" "$T/before"
	expect 0 setup "$1" --yes -p python || return 1
	! cmp -s "$2" "$T/before" || complain 'nothing was changed' || return 1
	cp "$2" "$T/once"
	expect 0 setup "$1" --yes -p python || return 1
	said 'nothing to change' || return 1
	cmp "$2" "$T/once" || return 1
	expect 0 setup "$1" --remove --yes || return 1
	cmp "$2" "$T/before" || complain "$(diff "$T/before" "$2")"
}

@test "comments, order and spaces of the settings stay, and --remove gives the same bytes" {
	there_and_back claude "$HOME/.claude/settings.json" <<<'{"model": "x"}'
	there_and_back claude "$HOME/.claude/settings.json" <<'END'
{
	// mine
	"hooks": {
		"PreToolUse": [ // first
			{"matcher": "Edit", "hooks": [{"type": "command", "command": "true"}]},
		],
	},
	"model": "x", /* last */
}
END
	there_and_back gemini "$HOME/.gemini/settings.json" <<'END'
{
  "hooks": {
    "BeforeTool": [
      {"matcher": "x", "hooks": []}
    ]
  },
  "mcpServers": {
    "a": {
      "args": ["-y", "one", "two words"],
      "command": "npx"
    },
    "b": {"command": "/usr/bin/uvx", "args": ["x"], "env": {"A": "b"}},
    "c": {"url": "https://example.com"}
  }
}
END
	there_and_back zed "$HOME/.config/zed/settings.json" <<<'{"terminal": {"font_size": 12}, "a": [1]}'
	there_and_back vscode "$HOME/.config/Code/User/settings.json" <<'END'
{
    // profiles
    "terminal.integrated.profiles.linux": {
        "bash": { "path": "bash" }
    },
    "editor.fontSize": 12
}
END
}

@test "a file that only a set-up made goes with it" {
	local target

	for target in claude codex gemini zed vscode; do
		expect 0 setup "$target" --yes || return 1
		expect 0 setup "$target" --remove --yes || return 1
		expect 0 setup "$target" --remove || return 1
		said 'nothing to change' || return 1
	done
	[ -z "$(find "$HOME" -name '*.json')" ]
}

@test "servers in .mcp.json are wrapped with the profile of their program, and can be started" {
	cat >"$T/bin-npx" <<-'END'
		#!/bin/sh
		echo "npx $*"; touch "$HOME/outside" 2>/dev/null && echo made
	END
	mkdir -p "$P/bin"
	install -m 755 "$T/bin-npx" "$P/bin/npx"
	cat >.mcp.json <<-END
		{"mcpServers": {"a": {"command": "$P/bin/npx", "args": ["-y", "a b"]}, "b": {"url": "https://x.example"}}}
	END
	cp .mcp.json "$T/before"
	expect 0 setup claude --yes
	said 'the server "a" has no network'
	"$PYTHON" - >"$T/said" <<-'END'
		import json, subprocess
		server = json.load(open(".mcp.json"))["mcpServers"]["a"]
		print(server["args"][:4])
		subprocess.run([server["command"]] + server["args"])
	END
	grep -q "\['run', '-p', 'node', '--'\]" "$T/said" || complain "$(cat "$T/said")"
	[ ! -e "$HOME/outside" ]
	expect 0 setup claude --remove --yes
	cmp .mcp.json "$T/before"
}

@test "a link stays a link, and the mode of the file stays" {
	mkdir -p "$HOME/.claude" "$HOME/dotfiles"
	echo '{}' >"$HOME/dotfiles/claude.json"
	chmod 600 "$HOME/dotfiles/claude.json"
	ln -s ../dotfiles/claude.json "$HOME/.claude/settings.json"
	expect 0 setup claude --yes
	[ -L "$HOME/.claude/settings.json" ]
	grep -q 'hook claude' "$HOME/dotfiles/claude.json"
	[ "$(stat -c %a "$HOME/dotfiles/claude.json" 2>/dev/null || stat -f %Lp "$HOME/dotfiles/claude.json")" = 600 ]
}

@test "what cannot be changed safely is an error with its place, and nothing is written" {
	mkdir -p "$HOME/.claude" "$HOME/.config/zed"
	echo '{"hooks": []}' >"$HOME/.claude/settings.json"
	refused setup claude --yes
	heard "$HOME/.claude/settings.json:1:11: an object is expected here, not a list"
	echo '{"hooks": {' >"$HOME/.claude/settings.json"
	refused setup claude --yes
	echo '[]' >"$HOME/.claude/settings.json"
	refused setup claude --yes
	echo '{"terminal": {"shell": {"program": "/bin/zsh"}}}' >"$HOME/.config/zed/settings.json"
	refused setup zed --yes
	heard '"shell" is set already'
	grep -q zsh "$HOME/.config/zed/settings.json"
	refused setup devcontainer --yes
	heard 'devcontainer.json'
	refused setup nonsense
	refused setup claude --nonsense
	refused setup
}

@test "zed and vscode start cordon shell, and what runs in it is inside" {
	expect 0 setup zed --yes -p strict
	expect 0 setup vscode --yes -p strict
	"$PYTHON" - "$HOME" >"$T/said" <<-'END'
		import json, subprocess, sys
		zed = json.load(open(sys.argv[1] + "/.config/zed/settings.json"))["terminal"]["shell"]["with_arguments"]
		code = json.load(open(sys.argv[1] + "/.config/Code/User/settings.json"))["terminal.integrated.profiles.linux"]["cordon"]
		for words in [zed["program"]] + zed["args"], [code["path"]] + code["args"]:
		    subprocess.run(words + ["-c", "echo inside $CORDON; touch outside 2>/dev/null && echo made"])
	END
	[ "$(cat "$T/said")" = $'inside 1\ninside 1' ] || complain "$(cat "$T/said")"
	[ ! -e outside ]
}

@test "devcontainer: the feature installs cordon, and --remove takes it back" {
	mkdir .devcontainer
	printf '{\n  // image\n  "image": "debian"\n}\n' >.devcontainer/devcontainer.json
	cp .devcontainer/devcontainer.json "$T/before"
	expect 0 setup devcontainer --yes
	grep -q '"./cordon": {}' .devcontainer/devcontainer.json
	"$PYTHON" -m json.tool <.devcontainer/cordon/devcontainer-feature.json >/dev/null
	mkdir "$T/bin"
	CORDON_FOLDER=$T/bin .devcontainer/cordon/install.sh >"$T/said"
	grep -q '^cordon ' "$T/said"
	[ "$("$T/bin/cordon" run -- sh -c 'echo $CORDON')" = 1 ]
	[ "$("$T/bin/cordon-shell" -c 'echo $CORDON')" = 1 ]
	expect 0 setup devcontainer --remove --yes
	cmp .devcontainer/devcontainer.json "$T/before"
	[ ! -e .devcontainer/cordon ]
}

@test "github: the action runs a step's commands inside, and stops at the first failure" {
	expect 0 setup github --yes
	grep -q 'using: composite' .github/actions/cordon/action.yml
	# as the runner does
	step()
	{
		status=0
		GITHUB_ACTION_PATH=$P/.github/actions/cordon CORDON_RUN=$1 CORDON_OPTIONS=$2 \
		    bash -e -c '"$GITHUB_ACTION_PATH/run.sh"' >"$T/out" 2>"$T/err" || status=$?
		out=$(cat "$T/out")
		err=$(cat "$T/err")
	}
	step $'echo one\nfalse | true\necho two' ''
	[ "$status" -ne 0 ] && [ "$out" = one ] || complain || return 1
	step 'echo "[$A] $CORDON"; touch ~/outside' $'--env\nA=b c'
	[ "$out" = '[b c] 1' ] && [ "$status" -ne 0 ] || complain || return 1
	[ ! -e "$HOME/outside" ]
	step 'echo $((1 + 1)); "x" 2>/dev/null || echo "$(echo q)"' ''
	[ "$out" = $'2\nq' ] || complain || return 1
	expect 0 setup github --remove --yes
	[ ! -e .github/actions ]
}
