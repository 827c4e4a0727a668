#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon check`: reading, findings, the printed form; and behaviour common to all commands.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

COMMANDS='run shell setup hook mcp doctor check why plan trust init confine ps kill log sbpl'

@test "a good policy: status 0, and a line that it was read" {
	policy good.json <<<'{"files": {"deny": ["$PROJECT/secret"]}, "limits": {"time": "10m"}}'
	mkdir secret
	expect 0 check good.json
	[ "$out" = 'no findings' ]
	silent
}

@test "without a file every source is checked" {
	user_policy <<<'{"flies": {}}'
	refused_at "$XDG_CONFIG_HOME/cordon/config.json:1:2" check
	heard 'unknown key "flies"' 'did you mean "files"?'
	user_policy <<<'{}'
	policy <<<'{"tmp": "privat"}'
	refused_at "$P/.cordon.json:1:9" check
	policy <<<'{"tmp": "private"}'
	expect 0 check
}

@test "with a file only that file is checked" {
	user_policy <<<'{"flies": {}}'
	policy <<<'{"flies": {}}'
	policy good.json <<<'{}'
	expect 0 check good.json
}

@test "a finding: a line with its position, status 1" {
	policy pair.json <<-'END'
		{
		  "files": {
		    "read": ["/usr/share"],
		    "deny": ["/usr/share"]
		  }
		}
	END
	expect 1 check pair.json
	said 'pair.json:' ': warning: '
	[[ $out =~ pair\.json:[34]:1[34]:\ warning:\  ]] || complain 'no line and column'
}

@test "findings for a secret, a home, the whole system, a folder of programs, a policy file" {
	local path

	mkdir -p "$HOME/.ssh" "$T/bin"
	for path in '~/.ssh' '~' / "$T/bin" '~/.config/cordon'; do
		policy wide.json <<<"{\"files\": {\"write\": [\"$path\"]}}"
		PATH=$PATH:$T/bin expect 1 check wide.json || return 1
		said 'wide.json:1:' ': warning: ' || return 1
	done
}

@test "a note is no warning: status 0" {
	policy missing.json <<<'{"files": {"read": ["/nowhere/at/all"]}}'
	expect 0 check missing.json
	said 'missing.json:1:21: note: '
}

@test "likely secrets in start-up files are named, and their values never printed" {
	printf 'export DEMO_API_TOKEN=hush-hush-value\n' >"$HOME/.bashrc"
	policy readable.json <<<'{"files": {"read": ["~/.bashrc"]}}'
	expect 1 check readable.json
	said DEMO_API_TOKEN
	unsaid hush
	expect 1 check --json readable.json
	said DEMO_API_TOKEN
	unsaid hush
}

@test "--json parses with and without findings" {
	policy good.json <<<'{"limits": {"time": "10m"}}'
	expect 0 check --json good.json
	json 'd == []'
	policy pair.json <<<'{"files": {"read": ["/usr"], "deny": ["/usr"]}}'
	expect 1 check --json pair.json
	json 'len(d) >= 1'
	json 'all(set(f) == {"severity", "source", "line", "column", "text"} for f in d)'
	json 'any(f["severity"] == "warning" and f["line"] == 1 and f["column"] > 1 for f in d)'
}

@test "--print gives the canonical form, and printing that again changes nothing" {
	local file

	for file in $("$CORDON" plan --profiles) "$TREE"/examples/[!c]*.json; do
		timeout 60 "$CORDON" check -q --print "$file" >once.json || [ $? -eq 1 ] || return 1
		timeout 60 "$CORDON" check -q --print ./once.json >twice.json || [ $? -eq 1 ] || return 1
		[ -s once.json ] || complain "nothing printed for $file" || return 1
		cmp once.json twice.json || complain "not stable: $file" || return 1
		"$PYTHON" -m json.tool once.json >/dev/null || complain "not JSON: $file" || return 1
	done
}

@test "--print: order, comments and trailing commas do not matter" {
	policy one.json <<-'END'
		// a comment
		{"tmp": "private", /* another */ "files": {"write": ["/b"], "read": ["/a",],},}
	END
	policy two.json <<<'{"files": {"read": ["/a"], "write": ["/b"]}, "tmp": "private"}'
	expect 0 check -q --print one.json
	cp "$T/out" "$T/one"
	expect 0 check -q --print two.json
	cmp "$T/one" "$T/out"
	said '"read": ["/a"]' '"write": ["/b"]' '"tmp": "private"'
}

@test "--print: findings go to standard error, -q leaves them out" {
	policy pair.json <<<'{"files": {"read": ["/usr"], "deny": ["/usr"]}}'
	expect 1 check --print pair.json
	json
	heard 'warning: '
	expect 1 check -q --print pair.json
	silent
}

@test "--print needs one policy" {
	refused check --print
	refused check --print -p agent -p node
	expect 0 check -q --print -p agent
	json 'd["extends"] == ["system"]'
}

@test "quotes and backslashes in a path are kept" {
	policy quote.json <<<'{"files": {"read": ["/a \"b\" \\c"]}}'
	expect 0 check -q --print quote.json
	json 'd["files"]["read"] == ["/a \"b\" \\c"]'
}

# --- all commands ---

@test "--help of every command fits 80 columns and 48 lines, and goes to standard output" {
	local command

	for command in $COMMANDS; do
		for option in --help -h; do
			expect 0 "$command" "$option" || return 1
			silent || return 1
			said "usage: cordon $command" --quiet || return 1
			awk 'length > 80 { bad = 1 } END { exit bad || NR > 48 || NR < 5 }' "$T/out" ||
			    complain "too large: $command" || return 1
		done
	done
	expect 0 --help
	for command in $COMMANDS; do
		said "  $command " || return 1
	done
	awk 'length > 80 { bad = 1 } END { exit bad || NR > 40 }' "$T/out"
}

# Every long option of the table in the source, so that none is hidden.
@test "--help names each option of a command, and each is accepted" {
	local name

	expect 0 plan --help
	# shellcheck disable=SC2013 # words
	for name in $(sed -n 's/.*SETUP([^,]*, "\([a-z-]*\)".*/\1/p' "$TREE/src/cli/options.c"); do
		said " --$name" || return 1
	done
	said --verbose --profiles --json --quiet
	expect 0 check --help
	said --print --json
	expect 0 trust --help
	said --yes --revoke --json
	expect 0 init --help
	said --print --force
	expect 0 confine --help
	said --root --json
	unsaid --policy
}

@test "options that belong to another command are refused" {
	refused why --yes read /etc
	heard '--yes'
	refused confine --policy agent . x
	refused init --json
}

@test "every setup option is taken by why, plan and check" {
	local command
	local facts='{"system": "linux", "kernel": "test", "landlock_abi": 7}'

	printf '%s\n' "$facts" >facts.json
	for command in 'why read /etc' plan check; do
		# shellcheck disable=SC2086 # a command and its operands
		timeout 60 "$CORDON" $command -q -p agent --policy=node --policy-json '{"tmp": "private"}' \
		    -C"$P" --read /usr --write out --execute /usr/bin --deny /srv --protect keep \
		    --net domains --domain example.org --port 8443 --resolver 127.0.0.1:53 \
		    --socket /run/x.sock --env LANG --env A=b --time 10m --output 16M \
		    --accept net.dns --no-project-policy --for shell --system linux --home "$HOME" \
		    --facts facts.json >"$T/out" 2>"$T/err" || [ $? -eq 1 ] ||
		    complain "refused by $command: $(cat "$T/err")" || return 1
	done
}

@test "unknown commands and options: one line, with the nearest known one" {
	refused chekc
	heard '"chekc"' 'did you mean "check"?'
	refused xyzzyxyzzy
	heard '"xyzzyxyzzy"'
	[[ $err != *'did you mean'* ]] || complain 'an absurd suggestion'
	refused plan --polcy x
	heard --polcy 'did you mean --policy?'
	refused plan --polcy=x
	heard 'did you mean --policy?'
	refused plan --zzzzzzzzzz
	heard --zzzzzzzzzz
	refused plan -z
	heard -z
	refused plan $'--po\nlicy'
	refused $'ch\neck'
}

@test "misuse: missing and superfluous words and values" {
	expect 125
	heard 'usage: cordon COMMAND'
	heard 'cordon run make'
	refused why read
	refused why read /a /b
	heard '"/b"'
	refused check a b
	refused plan x
	refused plan -p
	heard --policy
	refused plan --policy
	refused plan -p ''
	refused plan --json=1
	refused confine .
}

@test "bad values of options: the option is named" {
	refused plan --net everything
	heard --net
	refused plan --domain localhost
	heard --domain
	refused plan --domain 10.0.0.1
	heard --domain
	refused plan --port 0
	heard --port
	refused plan --port 65536
	refused plan --port 8x
	refused plan --port +8
	refused plan --port ' 8'
	refused plan --resolver nowhere
	heard --resolver
	refused plan --env 'A B'
	heard --env
	refused plan --time 0
	heard --time
	refused plan --output 5X
	heard --output
	refused plan --accept everything
	heard --accept
	refused plan --system plan9
	heard --system
	refused plan --for sale
	heard --for
	refused plan --home relative
	heard --home
	refused plan --read ''
	heard --read
	refused plan --read '$NOWHERE/x'
	heard --read
	refused plan --facts nowhere.json
	heard nowhere.json
	refused plan -C nowhere
	heard nowhere
	refused plan -p agnet
	heard 'did you mean "agent"?'
}

@test "a later -- ends the options" {
	allowed -- read --json
	said "$P/--json"
	allowed read -- --quiet
}

@test "--version" {
	expect 0 --version
	[[ $out =~ ^cordon\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	refused --version x
	refused --version --read /etc
}

# What it says of the build is compared with the file itself, what it says of the host with doctor.
@test "--version --verbose: build and facts" {
	local linked=static

	expect 0 --version --verbose
	[ "$(head -n 1 "$T/out")" = "$("$CORDON" --version)" ]
	grep -Eq '^compiler:  (gcc|clang) [0-9]+\.' "$T/out"
	if [ "$(uname -s)" = Linux ]; then
		"$PYTHON" "$TREE/tests/policy/interpreter.py" "$CORDON" && linked=dynamic
		grep -Eq "^C library: [^,]+, $linked\$" "$T/out" || complain "it is $linked" || return 1
		grep -qx "filters:   $(uname -m)" "$T/out"
		grep -qx "kernel:    Linux $(uname -r)" "$T/out"
		grep -qx "Landlock:  ABI $("$CORDON" doctor --json |
		    "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["facts"]["landlock_abi"])')" "$T/out"
	fi
	cp "$T/out" "$T/words"
	expect 0 --version --json
	"$CORDON" doctor --json >"$T/doctor" || :
	"$PYTHON" - "$T/out" "$T/doctor" "$T/words" <<-'END'
		import json, sys
		have, doctor = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
		words = open(sys.argv[3], encoding="utf-8").read()
		assert have["facts"] == doctor["facts"], (have["facts"], doctor["facts"])
		assert words.startswith(f"cordon {have['version']}\ncompiler:  {have['build']['compiler']}\n"), words
		assert f"C library: {have['build']['libc']}, {'static' if have['build']['static'] else 'dynamic'}\n" in words
	END
}

@test "--version --verbose reads no policy and needs no working folder" {
	echo nonsense >.cordon.json
	expect 0 --version -v
	mkdir gone
	cd gone
	rmdir "$P/gone"
	expect 0 -V -v
}

# An answer that cannot be written is a failure, whatever it was.
@test "closed and full standard output: 125" {
	local line

	[ -c /dev/full ]
	while read -r line; do
		# shellcheck disable=SC2086 # a command line
		for target in full closed; do
			status=0
			if [ "$target" = full ]; then
				"$CORDON" $line >/dev/full 2>"$T/err" || status=$?
			else
				"$CORDON" $line >&- 2>"$T/err" || status=$?
			fi
			err=$(cat "$T/err")
			[ "$status" -eq 125 ] || complain "$target: $line" || return 1
			[ "$(wc -l <"$T/err")" -eq 1 ] || complain "$target: $line" || return 1
		done
	done <<-'END'
		--help
		--version
		--version -v
		--version --json
		plan
		plan --json
		plan --help
		plan --profiles
		why read /etc
		why read /etc/shadow --json
		check --json
		check -q --print -p agent
		trust
		trust --json
		init --print
		confine . x
		confine --json . x
	END
}

@test "closed standard error and input do not change the answer" {
	status=0
	out=$("$CORDON" why read /etc <&- 2>&-) || status=$?
	[ "$status" -eq 0 ]
	said 'allowed: '
	status=0
	"$CORDON" plan --zzz >"$T/out" 2>&- || status=$?
	[ "$status" -eq 125 ]
}

@test "colour on a terminal, never without one, never with NO_COLOR or a dumb terminal" {
	allowed read /etc
	unsaid "$escape"
	TERM=xterm allowed read /etc
	unsaid "$escape"
	export TERM=xterm
	in_terminal "'$CORDON' why read /etc"
	said "${escape}[32mallowed${escape}[0m"
	in_terminal "'$CORDON' why read /srv/x"
	said "${escape}[31mdenied${escape}[0m"
	in_terminal "NO_COLOR=1 '$CORDON' why read /etc"
	said allowed
	unsaid "$escape"
	in_terminal "TERM=dumb '$CORDON' why read /etc"
	said allowed
	unsaid "$escape"
	in_terminal "'$CORDON' why --json read /etc"
	said '"allowed"'
	unsaid "$escape"
}
