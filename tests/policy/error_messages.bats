#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Messages for mistakes of the user: the error and its remedy, in one line.
# shellcheck disable=SC2016 # tokens are for cordon

load ../lib/common

@test "help about a command, by the word and by the option" {
	expect 0 help run
	cp "$T/out" "$T/word"
	expect 0 run --help
	cmp "$T/word" "$T/out"
	expect 0 --help why
	said 'usage: cordon why'
	refused help rnu
	heard 'did you mean "run"?'
	expect 0 help
	said 'cordon -- PROGRAM'
	expect 0 -V
	said 'cordon 0.'
}

@test "an option before the command, a program in its place" {
	refused -v run true
	heard '"-v" stands before a command' 'cordon run --read PATH make'
	refused --read . run true
	heard '"--read" stands before a command'
	refused make
	heard '"make" is a program; did you mean `cordon run make`?'
	refused no-such-program
	heard 'there is no command "no-such-program"' '`cordon run` runs programs'
	refused ''
	heard 'there is no command ""'
	expect 125
	heard 'usage: cordon COMMAND' 'cordon run make'
	refused run --tiem 1s true
	heard 'did you mean --time? `cordon run --help` says more'
}

@test "unknown values: the message lists the known ones" {
	refused run --time '5 min' true
	heard '"5 min" has an unknown unit; there are s, m, h, d'
	refused run --memory 2GB true
	heard '"2GB" has an unknown unit; there are K, M, G, T'
	refused run --open-files 2K true
	heard '"2K" is not a plain number'
	refused run --domain https://example.com/x true
	heard '"https://example.com/x" is a URL; name only the host'
	refused run --domain '*' true
	heard '--net all'
	refused run -C "$P" --policy-json '{"network": "domains"}' true
	heard '"domains" needs names: {"domains": ["example.com"]}'
	refused run --policy-json '{"files": {"deny": ["*.pem"]}}' true
	heard '"*.pem" is relative' '**/ for any folder'
	refused run -p "$TREE/examples/clash-presets.json" true
	heard 'name one of its sandboxes (clash:FILE#NAME)' '"readonly", "project"'
}

@test "unknown tokens are refused with the reason" {
	refused why read '$FOO/x'
	heard '"$FOO/x" starts with a token that is not known; there are ~, $HOME'
	refused why read '~somebody/x'
	heard "names another user's home"
	cd "$HOME"
	refused run -C "$P" --policy-json '{"files": {"read": ["$CWD"]}}' true
	heard '$CWD is a home, or holds one'
}

@test "no trailing slash is advised for a folder that cannot be created" {
	refused run --write "$T/none" true
	heard 'does not exist; create it, end it with a / or drop the rule'
	expect 0 run --write "$T/made/" -- sh -c 'echo x >"$1"' sh "$T/made/x"
	[ "$(stat -c %a "$T/made")" = 700 ]
	refused run --write /proc/none/ true
	heard 'does not exist, and is not created outside of your own folders; create it or drop the rule'
}

@test "a plan without a policy text has no sources" {
	expect 0 plan
	grep -qx 'sources   none' "$T/out" || complain 'no sources were expected'
	! grep -q ' $' "$T/out" || complain 'a line ends in a blank'
	expect 0 plan --deny src
	grep -qx 'sources   command line' "$T/out" || complain 'the command line was expected'
}

@test "trust says what an approval would open" {
	policy <<-'END'
		{"files": {"write": ["~/.ssh"], "read": ["/", "~/data"]}, "sockets": ["docker"],
		 "accept": ["net.dns"]}
	END
	expect 1 trust
	[ "$(grep -c 'look twice:' "$T/out")" -eq 3 ] || complain 'three dangers were expected'
	said 'look twice: secrets are kept there' 'look twice: your whole home is there' \
	    'look twice: it starts containers that reach every file'
	expect 1 trust --json
	json 'sum(r["warning"] is not None for r in d["requests"]) == 3'
	expect 0 check
	said 'note: asks for read ~/data;' 'note: asks to run without the guarantee net.dns;'
	rm .cordon.json
	expect 1 check --socket docker
	said 'warning: the socket docker: it starts containers that reach every file'
	denied socket docker
	said 'to allow it: --socket docker' 'think twice: it starts containers'
}

# Where there is no cgroup a limit that needs one is refused: what is offered must not.
@test "the limits that init offers can be enforced everywhere" {
	expect 0 init --print
	sed 's|// \("limits": .*\)|\1|' "$T/out" >.cordon.json
	grep -q '^  "limits": ' .cordon.json || complain 'no limits are offered'
	expect 0 run -q true
	mkdir "$HOME/.hidden"
	cd "$HOME/.hidden"
	refused run true
	heard 'cannot be the project: it is a home folder, hidden in one'
}

@test "a quoted command line as command is reported with advice" {
	expect 127 run 'ls -la'
	one_notice 'ls -la: not found; a whole line is run by sh -c'
	expect 127 run nonsense
	one_notice 'nonsense: not found'
}

@test "an option of another program is answered by what exists here" {
	local pair

	for pair in '--allow-net=x:--domain NAME' '--bind:--write PATH' '--ro-bind:--read PATH' \
	    '--dry-run:cordon plan' '--timeout:--time LIMIT' '--cwd:-C DIR' '--env-file:--env NAME=VALUE' '--network:--net MODE'; do
		refused run "${pair%%:*}" x true || return 1
		heard "there is no option ${pair%%:*}: " "${pair#*:}" || return 1
	done
}
