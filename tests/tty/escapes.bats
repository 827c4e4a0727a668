#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Names chosen by others reach the terminal in visible form: without escape sequences, other control
# characters, line breaks or text direction of their own. JSON stays JSON.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is the program's; out and err are common's

load ../lib/common

# ESC, a line, a tab, DEL, a C1 control character and one that turns the direction.
ODD=$'e\033[31mv\nNEW\tT\177\302\205\342\200\256r'

setup_odd()
{
	P=$T/$ODD
	mkdir -p "$P/.git" "$P/$ODD/$ODD" "$HOME/$ODD"
	cd "$P" || return 1
	printf 'x' >"$ODD/f"
	ln -s "$ODD" "l$ODD"
	printf '#!/bin/sh\n' >"p$ODD"
	chmod +x "p$ODD"
	"$PYTHON" - "$ODD" <<-'END' >"$T/policy"
		import json, sys
		odd = sys.argv[1]
		print(json.dumps({
		    "files": {
		        "read": ["/missing/" + odd, "~/" + odd],
		        "deny": ["$PROJECT/" + odd],
		        "rules": [{"effect": "deny", "rights": "r", "path": "/x/" + odd, "why": odd}]},
		    "network": {"domains": ["a.example"]}}))
	END
	cp "$T/policy" .cordon.json
	cp "$T/policy" "$ODD.json"
	cat >"$T/look.py" <<-'END'
		import json, sys, unicodedata
		words = " ".join(sys.argv[2:])
		for name in ("out", "err"):
		    text = open(sys.argv[1] + "/" + name, "rb").read().decode()
		    odd = [c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf")]
		    if odd or "\nNEW" in text or "\tT" in text:
		        sys.exit("%s of %r: %r" % (name, words, text))
		if "--json" in sys.argv or "--status-fd" in sys.argv:
		    text = open(sys.argv[1] + "/out").read()
		    try:
		        json.loads(text or "null")
		    except ValueError:
		        [json.loads(line) for line in text.splitlines()]
	END
}

# look ARGUMENT...: whatever its status, nothing odd comes out.
look()
{
	timeout 60 "$CORDON" "$@" >"$T/out" 2>"$T/err" </dev/null || true
	"$PYTHON" "$T/look.py" "$T" "$@"
}

@test "why, plan and check print unusual names escaped" {
	setup_odd
	local form right path
	for form in '' --json; do
		# shellcheck disable=SC2086 # $form is one word or none
		{
			rm .cordon.json
			look init $form
			look init $form
			look init --force $form
			look init --print $form
			cp "$T/policy" .cordon.json
			look plan $form
			look plan -p "$ODD.json" $form
			look plan --policy-json "{\"$ODD" $form
			look plan --read "$ODD" --deny "l$ODD" --write "$P/$ODD" --socket "$P/s$ODD" --env "N=$ODD" $form
			look plan --env "$ODD" $form
			look plan -C "$ODD" $form
			look plan -C "missing$ODD" $form
			look check $form
			look check "$ODD.json" $form
			look check "missing$ODD" $form
			look trust $form
			look trust --yes $form
			look trust --revoke $form
			for right in read delete execute "$ODD"; do
				for path in "$ODD/$ODD" "l$ODD" . "$HOME/$ODD" .git/hooks/"$ODD" "~$ODD"; do
					look why "$right" "$path" $form
				done
			done
			look why connect "$ODD" $form
			look why connect "a.example:$ODD" $form
			look why socket "$ODD" $form
			look why env "$ODD" $form
			look doctor $form
			look kill "$ODD" $form
		}
	done
	look check --print "$ODD.json"
	look ps
	look "$ODD"
}

@test "failed and refused runs print unusual names escaped" {
	setup_odd
	rm .cordon.json
	look run "--$ODD"
	look run --time "$ODD" -- true
	look run -p "$ODD" -- true
	look run --session "$ODD" -- true
	look run --accept "$ODD" -- true
	look run --read "missing$ODD" -- true
	look run --socket "$ODD" -- true
	look run -- "$ODD"
	look run -- "./$ODD"
	look run -- "./missing$ODD"
	look run --track-only -- "$ODD"
	look run --summary -- sh -c 'touch "$0" 2>/dev/null' "$HOME/$ODD"
	look run --summary --deny "$ODD" -- sh -c 'cat "$0/f" 2>/dev/null' "$ODD"
	look run --summary -- sh -c 'echo x >"$0/package.json"; echo y >"$0/.bashrc"; echo z >Makefile; exit 1' "$ODD"
	look run --status-fd 1 -- sh -c 'touch "$0" 2>/dev/null' "$HOME/$ODD"
	look run -C "$ODD" -- "$ODD"
	look confine -- "$ODD"
	XDG_CONFIG_HOME="$P/$ODD" look plan
	XDG_RUNTIME_DIR="$P/$ODD" look run -- true
	XDG_STATE_HOME="$P/$ODD.json" look run -- true
	HOME="$P/$ODD" look check
	GIT_CONFIG_GLOBAL="$P/$ODD/f" look why write "$ODD/f"
}
