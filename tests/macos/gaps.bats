#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Plans for macOS, made on any system: none may have a gap that docs/MACOS.md does not list.

# shellcheck disable=SC2154 # out and err are common's

load ../lib/common

mac=(--system macos --home /Users/sam -C /Users/sam/shop)

# The guarantees in the table of docs/MACOS.md#gaps.
# shellcheck disable=SC2016 # the backquotes are the text's
listed()
{
	sed -n '/^## Gaps/,/^## /s/^| `\([a-z.]*\)`.*/\1/p' "$TREE/docs/MACOS.md"
}

# planned OPTION...: the plan has no gap.
planned()
{
	expect 0 plan -q --json "${mac[@]}" "$@" || return 1
	json 'd["gaps"] in (0, []) and not [g for g in d["guarantees"] if g["state"] == "gap"]'
}

@test "every profile, alone and on its base, has no gap on macOS" {
	local file

	for file in "$TREE"/profiles/*.json; do
		planned -p "$(basename "$file" .json)" || return 1
	done
	planned -p strict -p python
	planned -p open-reads -p rust
}

@test "every example has no gap on macOS" {
	local file name

	for file in "$TREE"/examples/*.json; do
		case $file in
		*/clash-presets.json)
			for name in readonly project git_safe git_full workspace unrestricted; do
				planned -p "clash:$file#$name" || return 1
			done
			;;
		*/clash-*) planned -p "clash:$file" || return 1 ;;
		*/flow-*) planned -p "flow:$file" || return 1 ;;
		*/zed-*) planned -p "zed:$file" || return 1 ;;
		*) planned -p "$file" || return 1 ;;
		esac
	done
}

# R54 differs: `/dev` by its ordinary nodes, no shared temporary folders
@test "every dialect has no gap on macOS, however little it says" {
	local text

	for text in '{"enabled": true}' '{"enabled": true, "allow_network": false}' \
	    '{"terminal": {"sandbox": {"enabled": true}}}' \
	    '{"project_dir": "/Users/sam/shop", "executable_paths": ["/usr/bin"], "read_only_paths": ["/usr/share"],
	      "read_write_paths": [], "additional_executable_paths": [], "additional_read_only_paths": [],
	      "additional_read_write_paths": [], "allow_network": false, "allowed_env_vars": []}'; do
		printf '%s' "$text" >zed.json
		planned -p zed:zed.json || return 1
	done
	for text in '{}' '{"net": false}' '{"read_paths": ["/opt"], "net": false}'; do
		printf '%s' "$text" >flow.json
		planned -p flow:flow.json || return 1
	done
	for text in '{"default": ["read"]}' '{"default": ["execute"], "network": "localhost"}'; do
		printf '%s' "$text" >clash.json
		planned -p clash:clash.json || return 1
	done
}

@test "the gaps of macOS are those that the documentation lists" {
	expect 1 plan -q --json "${mac[@]}" --policy-json '{"extends": [], "ipc": "none", "network": {"domains": ["example.com"]},
		"env": {"mode": "explicit"}, "files": {"write": ["/opt"], "deny": ["**/.env", "/opt/a/b"]},
		"limits": {"time": "1m", "output": "1M", "memory": "1G", "processes": 9}}'
	listed >"$T/listed"
	[ "$(wc -l <"$T/listed")" -ge 3 ]
	# "calls.interrupted" is about supervised calls; for anything else "not needed" would hide a gap
	json '[g["name"] for g in d["guarantees"] if g["state"] not in ("gap", "enforced")] == ["calls.interrupted"]'
	"$PYTHON" -c 'import json, sys; print("\n".join(g["name"] for g in json.load(sys.stdin)["guarantees"]
		if g["state"] == "gap"))' <"$T/out" >"$T/found"
	sort "$T/listed" | diff - <(sort "$T/found")
}
