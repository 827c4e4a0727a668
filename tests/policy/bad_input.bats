#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input gets one line with its source position and status 125, for every command and every
# source of the text. Never a crash, never a hang, never a partly applied policy.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

# bad PLACE TEXT: refused at LINE:COLUMN when checked, when used, and as the project's own policy.
bad()
{
	printf '%s' "$2" >bad.json
	bad_file "$1"
}

bad_file()
{
	refused_at "bad.json:$1" check bad.json || return 1
	refused_at "bad.json:$1" check --print bad.json || return 1
	refused_at "bad.json:$1" why -p bad.json read /etc || return 1
	cp bad.json .cordon.json
	refused_at "$P/.cordon.json:$1" plan || return 1
	rm .cordon.json
}

@test "truncated: at every byte, never accepted, never a crash" {
	local text='{"files": {"read": ["/a\u0041", "~/b"], "rules": [{"effect": "allow"'
	local n

	for ((n = 0; n <= ${#text}; n += 3)); do
		printf '%s' "${text:0:n}" >bad.json
		refused check bad.json || return 1
		[[ $err =~ ^cordon:\ bad\.json:1:[0-9]+:\  ]] || complain 'no place' || return 1
	done
}

@test "empty, and not an object" {
	bad 1:1 ''
	bad 1:1 '[]'
	bad 1:1 '"agent"'
	bad 1:1 'null'
	bad 1:1 '7'
	bad 2:20 $'\n  // only a comment'
}

@test "deeply nested" {
	"$PYTHON" -c 'print("[" * 100000)' >bad.json
	bad_file 1:65
	"$PYTHON" -c 'print("{\"a\":" * 100000)' >bad.json
	refused check bad.json
}

@test "larger than any policy" {
	"$PYTHON" -c 'print("{\"files\": {\"read\": [" + ",".join(["\"/a\""] * 2000000) + "]}}")' >bad.json
	[ "$(wc -c <bad.json)" -gt 10000000 ]
	refused check bad.json
	heard bad.json 'larger than'
	mv bad.json .cordon.json
	refused why read x
}

@test "NUL bytes, written and escaped" {
	printf '{"files": {"read": ["/a\000b"]}}' >bad.json
	bad_file 1:24
	printf '{}\000' >bad.json
	bad_file 1:3
	printf '{"files": {"read": ["/a\\u0000b"]}}' >bad.json
	refused check bad.json
	heard 'bad.json:1:' '\u0000'
}

@test "invalid UTF-8, overlong forms, lone surrogates" {
	local bytes

	for bytes in '\377' '\300\257' '\355\240\200' '\364\220\200\200' '\303'; do
		# shellcheck disable=SC2059 # the bytes are the format
		printf "{\"files\": {\"read\": [\"/$bytes\"]}}" >bad.json
		refused check bad.json || return 1
		heard 'bad.json:1:' UTF-8 || return 1
	done
	bytes='{"files": {"read": ["/\ud800"]}}'
	printf '%s' "$bytes" >bad.json
	refused check bad.json
}

@test "duplicate keys, at the second one" {
	bad 2:1 $'{"tmp": "private",\n"tmp": "shared"}'
	heard '"tmp"'
	bad 1:26 '{"files": {"read": [],   "read": []}}'
	bad 1:30 '{"env": {"set": {"A": "1",   "A": "2"}}}'
}

@test "unknown keys, with the nearest known one" {
	bad 1:2 '{"flies": {}}'
	heard '"files"?'
	bad 1:12 '{"files": {"reed": []}}'
	heard '"read"?'
	bad 1:24 '{"files": {"rules": [{ "effct": "allow"}]}}'
	bad 1:14 '{"network": {"domain": []}}'
	heard '"domains"?'
	bad 1:11 '{"env": { "alow": []}}'
	bad 1:13 '{"limits": {"tiem": "1m"}}'
	bad 1:13 '{"linux": { "extends": []}}'
	bad 1:13 '{"macos": { "flies": {}}}'
	bad 1:2 '{"zzzzzzzzzz": 1}'
	[[ $err != *'did you mean'* ]] || complain 'an absurd suggestion'
}

@test "numbers where strings belong, and the other way round" {
	bad 1:21 '{"files": {"read": [7]}}'
	heard 'a string' 'a number'
	bad 1:20 '{"files": {"read": "/a"}}'
	bad 1:11 '{"files": []}'
	bad 1:9 '{"tmp": 1}'
	bad 1:13 '{"network": 1}'
	bad 1:24 '{"network": {"ports": ["80"]}}'
	bad 1:24 '{"network": {"ports": [80.5]}}'
	bad 1:24 '{"network": {"ports": [0]}}'
	bad 1:24 '{"network": {"ports": [65536]}}'
	bad 1:23 '{"network": {"ports": []}}'
	heard 'leave "ports" out for 80 and 443'
	bad 1:27 '{"network": {"localhost": []}}'
	heard 'names no port'
	bad 1:23 '{"env": {"set": {"A": 1}}}'
	bad 1:26 '{"limits": {"processes": "512"}}'
	bad 1:26 '{"limits": {"processes": -1}}'
	bad 1:21 '{"limits": {"time": true}}'
	bad 1:13 '{"extends": null}'
	bad 1:66 '{"files": {"rules": [{"effect": "allow", "path": "/a", "rights": ["r"]}]}}'
}

@test "values that mean nothing" {
	bad 1:9 '{"tmp": "privat"}'
	bad 1:13 '{"network": "some"}'
	bad 1:24 '{"files": {"default":  "rz"}}'
	bad 1:24 '{"files": {"default":  "rr"}}'
	bad 1:13 '{"accept": ["files.reed"]}'
	heard '"files.read"?'
	bad 1:21 '{"limits": {"time": "10y"}}'
	bad 1:21 '{"limits": {"time": "0"}}'
	bad 1:21 '{"limits": {"time": "99999999999999999999"}}'
	bad 1:23 '{"limits": {"memory": "4GB"}}'
	bad 1:14 '{"sockets": ["some-agent"]}'
	bad 1:20 '{"env": {"allow": ["A=B"]}}'
	bad 1:18 '{"env": {"set": {"A B": ""}}}'
}

@test "domains that are none" {
	local name

	for name in '*' localhost a.localhost 10.0.0.1 '::1' 'a..b' 'a.*.b' '*a.org' '-a.org' 'a b' '' '0x7f.1'; do
		bad 1:26 "{\"network\": {\"domains\": [\"$name\"]}}" || return 1
	done
	bad 1:26 '{"network": {"domains": ["a.org:443"]}}'
	heard '"a.org:443" must not have a port; use --port N'
	bad 1:49 '{"network": {"domains": ["a.org"], "localhost": true}}'
}

# regexes COUNT [BLOCK]: each on a line of its own, from line 2 on
regexes()
{
	local i

	printf '{%s"files": {"rules": [\n' "${2:+\"$2\": {}"
	for ((i = 1; i <= $1; i++)); do
		printf '{"effect": "deny", "rights": "r", "match": "regex", "path": "/a%d"},\n' "$i"
	done
	printf ']}}%s' "${2:+\}}"
}

@test "more than a thousand regular expressions" {
	local block

	regexes 1000 >bad.json
	expect 0 check -q bad.json
	regexes 1001 >bad.json
	bad_file 1002:61
	heard 'regular expression 1001'
	for block in linux macos; do
		regexes 1001 "$block" >bad.json
		bad_file 1002:61 || return 1
	done
}

@test "paths: relative, of another user, unknown tokens, control characters" {
	bad 1:21 '{"files": {"read": ["a/b"]}}'
	heard relative
	bad 1:21 '{"files": {"read": [""]}}'
	bad 1:21 '{"files": {"read": ["~other/x"]}}'
	bad 1:21 '{"files": {"read": ["$NOWHERE/x"]}}'
	bad 1:21 '{"files": {"read": ["/a\nb"]}}'
	heard 'control character'
	bad 1:24 $'{"files": {"read": ["/a\nb"]}}'
	bad 1:21 "{\"files\": {\"read\": [\"/$(printf 'a%.0s' {1..5000})\"]}}"
}

@test "an unset variable in a path is an error" {
	policy token.json <<<'{"files": {"read": ["$SSH_AUTH_SOCK"]}}'
	refused_at token.json:1:21 check token.json
	heard '$SSH_AUTH_SOCK'
}

@test "rules: missing parts, regular expressions that are none" {
	bad 1:22 '{"files": {"rules": [{"effect": "allow", "rights": "r"}]}}'
	heard '"path"'
	bad 1:22 '{"files": {"rules": [{"rights": "r", "path": "/a"}]}}'
	bad 1:52 '{"files": {"rules": [{"effect": "allow", "rights": "", "path": "/a"}]}}'
	policy bad.json <<<'{"files": {"rules": [{"effect": "deny", "rights": "r", "path": "(", "match": "regex"}]}}'
	bad_file 1:64
	heard 'regular expression'
}

@test "almost valid JSON is refused" {
	bad 1:4 '{} {}'
	bad 1:2 '{,}'
	bad 1:9 '{"tmp": private}'
	bad 1:9 "{\"tmp\": 'private'}"
	printf '{"network": {"ports": [08]}}' >bad.json
	refused check bad.json
	heard bad.json:1:2
	bad 1:24 '{"network": {"ports": [+8]}}'
	printf '{"tmp": "pri\\qvate"}' >bad.json
	refused check bad.json
	printf '{/* no end' >bad.json
	refused check bad.json
	printf '{"tmp" "private"}' >bad.json
	refused_at bad.json:1:8 check bad.json
}

@test "positions count lines, and each tab or letter is one column" {
	bad 3:2 $'{\n  // ä comment\n\t"flies": {}}'
	bad 1:17 '{/* äöü */      "flies": {}}'
	bad 2:1 $'{\r\n"flies": {}}'
}

# --- patterns ---

@test "a regular expression with exponential time is stopped and counts as a denial" {
	policy slow.json <<-'END'
		{"files": {"default": "r", "rules": [
		  {"effect": "deny", "rights": "r", "path": "/srv/(a+)+(a+)+(b|c)", "match": "regex"}]}}
	END
	denied -p ./slow.json read "/srv/$(printf 'a%.0s' {1..200})"
	said 'too many steps'
	allowed -p ./slow.json read /srv/x
}

@test "an allow by such an expression allows nothing" {
	policy slow.json <<-'END'
		{"files": {"rules": [
		  {"effect": "allow", "rights": "r", "path": "/srv/(a+)+(a+)+(b|c)", "match": "regex"}]}}
	END
	denied -p ./slow.json read "/srv/$(printf 'a%.0s' {1..200})"
	allowed -p ./slow.json read /srv/aac
}

@test "a glob with many stars is decided quickly" {
	policy stars.json <<<"{\"files\": {\"deny\": [\"**/$(printf '*a%.0s' {1..100})b\"]}}"
	status=0
	timeout 60 "$CORDON" why -p ./stars.json read "/usr/share/$(printf 'a%.0s' {1..250})" >"$T/out" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	"$PYTHON" -c 'import json
print(json.dumps({"files": {"deny": ["**/" + "**/" * 1000 + "x"]}}))' >stars.json
	status=0
	timeout 60 "$CORDON" why -p ./stars.json read "$(printf '/a%.0s' {1..1000})" >"$T/out" 2>&1 || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 125 ]
}

# --- extends ---

@test "extends: a circle, too deep, missing, relative to the file that names it" {
	mkdir sub
	policy sub/a.json <<<'{"extends": ["./b.json"]}'
	policy sub/b.json <<<'{"extends": ["./a.json"]}'
	refused check sub/a.json
	heard circle sub/
	policy self.json <<<'{"extends": ["./self.json"]}'
	refused check ./self.json
	heard circle self.json
	policy sub/c.json <<<'{"extends": ["./missing.json"]}'
	refused check sub/c.json
	heard missing.json
	policy sub/d.json <<<'{"extends": ["agent", "./e.json"]}'
	policy sub/e.json <<<'{"files": {"read": ["/srv"]}}'
	allowed -p sub/d.json read /srv/x
	cd sub
	allowed -p ./d.json read /srv/x
	allowed -p d.json read /srv/x
	policy f.json <<<'{"extends": ["./g.json"]}'
	policy g.json <<<'{"flies": {}}'
	refused check f.json
	heard 'g.json:1:2'
}

@test "an unknown profile in extends: its position, and the nearest name" {
	policy near.json <<<'{"extends": ["agnet"]}'
	refused_at near.json:1:14 check near.json
	heard '"agent"'
	mv near.json .cordon.json
	refused_at "$P/.cordon.json:1:14" why read x
}

# --- files that are none ---

@test "world-writable policy files are refused, wherever they are named" {
	policy open.json <<<'{}'
	chmod 666 open.json
	refused check open.json
	heard open.json writable
	refused why -p open.json read /etc
	policy <<<'{}'
	chmod 646 .cordon.json
	refused why read x
	heard .cordon.json
	rm .cordon.json
	user_policy <<<'{}'
	chmod 622 "$XDG_CONFIG_HOME/cordon/config.json"
	refused plan
	heard "$XDG_CONFIG_HOME/cordon/config.json"
	policy outer.json <<<'{"extends": ["./open.json"]}'
	chmod 600 "$XDG_CONFIG_HOME/cordon/config.json"
	refused check ./outer.json
}

# The superuser reads everything; for everybody else a closed file is an error, never "no policy".
@test "unreadable policy files" {
	policy closed.json <<<'{}'
	chmod 000 closed.json
	user_policy <<<'{"files": {"deny": ["/usr/share"]}}'
	chmod 000 "$XDG_CONFIG_HOME/cordon/config.json"
	if [ "$(id -u)" -eq 0 ]; then
		expect 0 check closed.json
		denied read /usr/share/x
		return
	fi
	refused check closed.json
	heard closed.json 'ermission denied'
	refused why read /usr/share/x
	heard config.json
	chmod 600 "$XDG_CONFIG_HOME/cordon/config.json"
	chmod 000 "$XDG_CONFIG_HOME/cordon"
	refused why read /usr/share/x
	chmod 700 "$XDG_CONFIG_HOME/cordon"
	policy <<<'{}'
	chmod 000 .cordon.json
	refused why read x
}

@test "a user's policy that belongs to another user is refused" {
	user_policy <<<'{}'
	if [ "$(id -u)" -eq 0 ]; then
		chown 65534 "$XDG_CONFIG_HOME/cordon/config.json"
		refused plan
		heard 'another user'
	else
		expect 0 plan -q --json --facts "$(facts_file)"
	fi
}

facts_file()
{
	printf '%s\n' '{"system": "linux", "landlock_abi": 7, "seccomp_filter": true, "seccomp_notify": true,
	  "notify_addfd": true, "notify_wait_killable": true, "pidfd": true, "pidfd_getfd": true, "openat2": true, "close_range": true,
	  "broker": true, "tree": true}' >"$T/facts.json"
	printf '%s' "$T/facts.json"
}

@test "FIFOs, folders, devices, sockets: 125, at once" {
	mkfifo fifo
	refused check fifo
	refused check ./fifo
	refused why -p ./fifo read x
	refused check .
	refused check /dev/null
	refused check /dev/zero
	mkfifo "$XDG_CONFIG_HOME/cordon/config.json"
	refused plan
	rm "$XDG_CONFIG_HOME/cordon/config.json"
}

@test "missing policy files" {
	refused check ./nowhere.json
	heard nowhere.json
	refused check nowhere
	heard '"nowhere"' profiles
	refused check zed:nowhere.json
	refused check /nowhere/x.json
	refused check closed.json/x
}

@test "symbolic link loops" {
	ln -s one two
	ln -s two one
	refused check ./one
	refused why -p ./one read x
	refused why read one/x
	refused why --read "$P/one/x" read /etc
	ln -s config.json "$XDG_CONFIG_HOME/cordon/config.json"
	refused plan
	heard config.json
}

@test "a policy behind an ordinary link is read" {
	policy real.json <<<'{"files": {"deny": ["/usr/share"]}}'
	ln -s real.json link.json
	denied -p ./link.json read /usr/share/x
}

# --- surroundings ---

@test "HOME unset: paths without the home work, others are refused by name" {
	unset HOME XDG_CONFIG_HOME XDG_STATE_HOME
	allowed read /usr/share
	refused why read '~/x'
	heard HOME
	policy home.json <<<'{"files": {"read": ["~/.cache"]}}'
	refused_at home.json:1:21 check home.json
	heard HOME
	expect 0 trust
	policy <<<'{"files": {"read": ["/srv"]}}'
	HOME='' denied read /srv/x
	HOME=relative denied read /srv/x
	HOME=relative refused why -q read '~/x'
}

@test "an option at the end of the options lacks its value, and does not take the --" {
	local option

	for option in --read --write --policy -p --env --time --session --status-fd; do
		refused run "$option" -- touch made
		heard 'needs a value'
	done
	refused why --read -- read /etc
	expect 0 run --read=-- -- true
	[ ! -e made ]
}

@test "a deleted working folder" {
	mkdir gone
	cd gone
	rmdir "$P/gone"
	refused plan
	heard 'working directory'
	refused why read /etc
	refused check
	expect 0 --version
	expect 0 plan --help
}

@test "text from --policy-json has positions, too" {
	refused_at '--policy-json:1:2' why --policy-json '{"flies": {}}' read /etc
	refused_at '--policy-json:2:8' plan --policy-json $'{\n"tmp": 1}'
	refused plan --policy-json ''
	refused plan --policy-json 'zed:{"enabled": "yes"}'
}

@test "one bad source among good ones stops everything" {
	policy good.json <<<'{"files": {"read": ["/srv"]}}'
	policy bad.json <<<'{"files": {"read": ["/srv", 7]}}'
	refused_at bad.json:1:29 why -p good.json -p bad.json read /srv/x
	refused_at bad.json:1:29 why -p bad.json -p good.json read /srv/x
	user_policy <<<'{"files": {"raed": []}}'
	refused_at "$XDG_CONFIG_HOME/cordon/config.json:1:12" why -p good.json read /srv/x
}

@test "a hostile file name is printed on one line, without its control characters" {
	local name=$'a\nb\033[31m.json'

	printf '{"flies": {}}' >"$name"
	refused check "./$name"
	[[ $err != *"$escape"* ]] || complain 'an escape sequence came through'
	refused check $'./no\nwhere'
}

@test "every file of the fuzzing corpora is read or refused" {
	local file

	for file in "$TREE"/fuzz/corpus/{native,zed,flow,clash}/*; do
		status=0
		timeout 60 "$CORDON" check "$file" >"$T/out" 2>"$T/err" || status=$?
		case $status in
		0 | 1 | 125) ;;
		*) err=$(cat "$T/err") && complain "$file" || return 1 ;;
		esac
		case ${file##*/} in
		bad-*) [ "$status" -eq 125 ] || complain "accepted: $file" || return 1 ;;
		esac
	done
}

@test "a number out of range is reported with the range" {
	bad 1:26 '{"limits": {"processes": 99999999999999999999}}'
	heard '99999999999999999999 is not a whole number from 1 to 4503599627370495'
	bad 1:26 '{"limits": {"processes": -1}}'
	heard '-1 is not a whole number'
	bad 1:24 '{"network": {"ports": [65536]}}'
	heard '65536 is not a whole number from 1 to 65535'
	bad 1:24 '{"network": {"ports": [80.5]}}'
	heard '80.5 is not a whole number'
	bad 1:21 '{"limits": {"time": "0s"}}'
	heard '"0s" is out of range: from 1 to 4503599627370495 seconds'
	refused run --memory 99999999999T -- true
	heard '"99999999999T" is out of range: from 1 to 4503599627370495 bytes'
	refused run --open-files 0 -- true
	heard '--open-files: "0" is out of range: from 1 to 4503599627370495'
}
