#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Seatbelt profile of a policy, printed on any system: its form, and that it contains nothing of the
# machine on which it was made. The decisions of a profile are tested by the Python programs of tests/macos.

# shellcheck disable=SC2154 # out and err are common's

load ../lib/common

mac=(--home /Users/sam -C /Users/sam/shop)

@test "a profile and its parameters, as text and as JSON" {
	expect 0 sbpl "${mac[@]}"
	silent
	said '(version 1)' '(deny default)' '; parameters' ' = /Users/sam/shop'
	unsaid '"/Users' "$T"
	expect 0 sbpl --json "${mac[@]}"
	json 'set(d) == {"profile", "parameters"} and d["profile"].startswith("(version 1)\n(deny default)")'
	json 'd["profile"].isascii() and "/Users/sam/shop" in d["parameters"].values()'
	json 'all("(param \"%s\")" % name in d["profile"] for name in d["parameters"])'
	json '"/Users" not in d["profile"]'
}

@test "home and project of a Mac need not exist here, and are made canonical" {
	expect 0 sbpl --json --home /Users/sam/ -C /tmp/shop/../shop//
	json '"/private/tmp/shop" in d["parameters"].values()'
	json 'not any(v.startswith("/tmp/") or v.endswith("/") and v != "/" for v in d["parameters"].values())'
	expect 0 why --json --system macos --home /Users/sam -C /var/shop socket /var/shop/s
	json 'd["allowed"] and d["subject"] == "/private/var/shop/s"'
}

@test "the profile contains nothing of this machine's environment" {
	local first

	policy "$T/p.json" <<-'END'
		{"files": {"read": ["~/notes", "$XDG_CACHE_HOME/x", "$TMPDIR/y"]}, "sockets": ["ssh-agent"]}
	END
	expect 0 sbpl --json "${mac[@]}" -p "$T/p.json"
	first=$out
	export TMPDIR=$T/elsewhere XDG_CACHE_HOME=$T/cache XDG_RUNTIME_DIR=$T/run SSH_AUTH_SOCK=$T/agent
	export XDG_STATE_HOME=$T/other HOME=$T/other
	expect 0 sbpl --json "${mac[@]}" -p "$T/p.json"
	[ "$out" = "$first" ] || complain 'the environment shows'
	json '"/Users/sam/.cache/x" in d["parameters"].values()'
	json '"/private/tmp/y" in d["parameters"].values()'
	json 'not any(v.startswith("'"$T"'") for v in d["parameters"].values())'
	# a home that no option names is not ours
	refused_at "$T/p.json:1:21" sbpl -C /Users/sam/shop -p "$T/p.json"
	heard 'HOME is not set'
}

@test "names become parameters, whatever characters they have" {
	local name

	expect 0 sbpl --json --home /Users/sam -C /Users/sam/plain
	json >/dev/null
	"$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["profile"])' "$T/out" >"$T/plain"
	for name in 'x")) (allow default) ("' $'two\nlines' $'\\back\\' $'caf\xc3\xa9' '#"'; do
		expect 0 sbpl --json --home /Users/sam -C "/Users/sam/$name"
		"$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["profile"])' "$T/out" >"$T/other"
		cmp "$T/plain" "$T/other" || complain "the text depends on $name" || return 1
		name="$name" json '"/Users/sam/" + __import__("os").environ["name"] in d["parameters"].values()'
		# as text it is still one comment for each parameter
		expect 0 sbpl --home /Users/sam -C "/Users/sam/$name"
		sed '1,/^; parameters$/d' "$T/out" | grep -v '^; P[0-9]* = ' && return 1
	done
	true
}

@test "what Seatbelt cannot express is refused with its position" {
	refused_at --policy-json:1:58 sbpl "${mac[@]}" --policy-json \
	    '{"files":{"rules":[{"effect":"deny","rights":"r","path": "/a(?=b)","match":"regex"}]}}'
	heard 'Seatbelt'
	refused_at --policy-json:1:20 sbpl "${mac[@]}" --policy-json '{"files": {"deny":["/home/x"]}}'
	refused sbpl --system linux
	heard 'macOS'
	refused sbpl "${mac[@]}" more
}

@test "doctor names each way by which processes are found" {
	expect 0 doctor --system macos "${mac[@]}"
	said 'compiled, linked, analysed and evaluated on Linux' 'not yet' 'exercised on a Mac'
	said 'fingerprint always' 'descent     best effort' 'group       best effort'
	said 'session     best effort' 'environment best effort'
	expect 0 doctor --json --system macos "${mac[@]}"
	json '[w["way"] for w in d["tracking"] if w["holds"] == "always"] == ["fingerprint"]'
	json '{w["way"] for w in d["tracking"] if w["track_only"]} == {"descent", "group", "session", "environment"}'
}

@test "a fingerprint is for tracking, on macOS" {
	refused run --track-only --fingerprint -- true
	heard 'macOS'
	refused run --fingerprint -- true
	heard '--track-only'
}

@test "why says what a folder is needed for" {
	expect 0 why --json --system macos "${mac[@]}" delete /Users/sam/shop/.git/modules/m
	json 'd["allowed"] and d["held_by"] == "**/*.git/modules/**/hooks"'
	expect 0 why --system macos "${mac[@]}" delete /Users/sam/shop/x.git
	said 'a folder there cannot be moved or removed'
	expect 0 why --json --system macos "${mac[@]}" delete /Users/sam/shop/src
	json 'd["held_by"] is None'
	# elsewhere the broker sees where things go
	mkdir -p x.git
	expect 0 why --json delete x.git
	json 'd["held_by"] is None'
}
