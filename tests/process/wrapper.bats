#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon --sandbox-exec` as editors call it for each terminal, and `cordon record`, which makes what they pass.
# What a record allows is in run.bats, the cgroup that it names in cgroups.bats.

# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

# record [MEMBER]: a complete record; MEMBER is one more, with a comma at its end.
record()
{
	cat <<-END
		{${1:-} "project_dir": "$P", "executable_paths": ["/usr", "/bin", "/lib", "/lib64"],
		 "read_only_paths": ["/etc", "/proc"], "read_write_paths": ["/dev/null"],
		 "additional_executable_paths": [], "additional_read_only_paths": [],
		 "additional_read_write_paths": [], "allow_network": false, "allowed_env_vars": ["PATH", "HOME"]}
	END
}

# What Zed passes for a terminal without restrictions: every member, most of them empty.
tracking='{"project_dir": "", "executable_paths": [], "read_only_paths": [], "read_write_paths": [],
	"additional_executable_paths": [], "additional_read_only_paths": [], "additional_read_write_paths": [],
	"allow_network": true, "allowed_env_vars": [], "fingerprint_uuid": null, "tracking_only": true, "cgroup_path": null}'

# The events of the session on descriptor 3.
events()
{
	expect "$@" 3>"$T/events"
}

has_event()
{
	"$PYTHON" -c 'import json, sys
events = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(not any(eval(sys.argv[2]) for e in events))' "$T/events" "$1" || complain "no such event: $1" "$(cat "$T/events")"
}

@test "the other options go with a record, before and after it" {
	events 124 --sandbox-exec "$(record)" --status-fd 3 -q --time 1s -- sleep 30
	has_event 'e["event"] == "limit" and e["limit"] == "time"'
	events 0 --status-fd=3 --sandbox-exec="$(record)" --read "$HOME" -- true
	has_event 'e["event"] == "end" and e["status"] == 0'
	expect 9 --sandbox-exec "$(record)" -- sh -c 'ls "$HOME" 2>/dev/null || exit 9'
	expect 0 --sandbox-exec "$(record)" --read "$HOME" -- sh -c 'ls "$HOME"'
	expect 9 --sandbox-exec "$(record)" --env SECRET=1 --file-size 4K -- sh -c '[ "$SECRET" = 1 ] && exit 9'
	expect 0 --sandbox-exec "$tracking" --time 1m -- true
	refused --sandbox-exec "$tracking" --read "$HOME" -- true
	refused --sandbox-exec "$(record)" -C "$P" -- true
	heard '"project_dir"'
	refused --sandbox-exec "$(record)" --nosuch -- true
	refused --sandbox-exec "$(record)" --config-fd 0 -- true
	expect 0 --sandbox-exec --help
	said '--sandbox-exec JSON' '--status-fd N'
}

@test "what is refused goes to the status descriptor and the log, and to the terminal only if asked for" {
	local script='mkdir "$HOME/new"; exit 3'

	expect 3 run -- sh -c "$script"
	heard 'cordon: refused: '
	rm -rf "$XDG_STATE_HOME"
	events 3 --sandbox-exec "$(record)" --status-fd 3 -- sh -c "$script"
	[ "$(grep -c ^cordon "$T/err")" -eq 0 ] || complain 'not silent'
	has_event 'e["event"] == "refused" and e["subject"].endswith("/new")'
	grep -q '"event": "refused".*/new"' "$XDG_STATE_HOME"/cordon/audit/*.log
	expect 3 --sandbox-exec "$(record)" -v -- sh -c "$script"
	heard 'cordon --sandbox-exec: refused: '
	expect 3 --sandbox-exec "$(record)" --hints text -- sh -c "$script"
	heard 'cordon --sandbox-exec: refused: '
	expect 3 --sandbox-exec "$(record)" --hints json -- sh -c "$script"
	tail -n 1 "$T/err" | "$PYTHON" -c 'import json, sys; json.load(sys.stdin)'
}

@test "an additional path that is gone is skipped with a note, also in the start event" {
	local gone

	gone=$(record | sed 's|"additional_read_only_paths": \[\]|"additional_read_only_paths": ["~/gone"]|')
	events 0 --sandbox-exec "$gone" --status-fd 3 -- true
	[ "$err" = "cordon --sandbox-exec: not granted: $HOME/gone does not exist" ]
	has_event 'e["event"] == "start" and e["notices"] == ["not granted: '"$HOME"'/gone does not exist"]'
	expect 0 -q --sandbox-exec "$gone" -- true
	[ -z "$err" ]
	# in the system lists, which editors do not adapt to the machine, without a note
	expect 0 --sandbox-exec "$(record | sed 's|"/etc"|"/etc", "/nowhere"|')" -- true
	[ -z "$err" ]
}

@test "an unknown key is an error if it could restrict, else a note" {
	local key

	for key in '"session_id": "7",' '"version": 2,' '"$schema": "x",' '"new_option": null,' \
	    '"terminal_title": "x",' '"additional_socket_paths": ["/x"],'; do
		expect 0 --sandbox-exec "$(record "$key")" -- true
		heard 'cordon --sandbox-exec: record:1:' 'has no effect' || return 1
	done
	for key in '"denied_paths": ["/etc"],' '"allowed_domains": [],' '"read_only": true,' '"allow_netwrk": false,'; do
		refused --sandbox-exec "$(record "$key")" -- touch ran || return 1
		heard 'record:1:2: unknown key' || return 1
	done
	refused --sandbox-exec '{"tracking_only": true, "restrictions": {}}' -- touch ran
	expect 0 --sandbox-exec '{"tracking_only": true, "session_id": "7"}' -- true
	printf '{"terminal": {"sandbox": {"enabled": true, "profile_name": "x"}}}' >settings.json
	expect 0 run -p zed:settings.json -- true
	heard 'settings.json:1:60: unknown key "profile_name"'
	[ ! -e ran ]
}

@test "a terminal without restrictions is asked for as the source does" {
	echo x >"$HOME/file"
	FOO=kept expect 0 --sandbox-exec "$tracking" -- sh -c 'echo $FOO; cat "$HOME/file"; echo y >"$HOME/file"'
	said kept x
	[ "$(cat "$HOME/file")" = y ]
	expect 0 --sandbox-exec "$tracking" -- sh -c 'setsid sh -c "sleep 1; touch late" >/dev/null 2>&1 &'
	sleep 1.5
	[ ! -e late ]
}

@test "identifiers of the editor are checked: a cgroup that is none, a UUID that is none" {
	refused --sandbox-exec "$(record '"cgroup_path": "/tmp",')" -- touch ran
	heard '"cgroup_path": /tmp is not a cgroup of version 2'
	refused --sandbox-exec "$(record '"cgroup_path": "zed-terminal",')" -- touch ran
	refused --sandbox-exec "$(record '"cgroup_path": "/sys/fs/cgroup/../../../tmp",')" -- touch ran
	refused --sandbox-exec "$(record '"fingerprint_uuid": "../../x",')" -- touch ran
	heard 'is not a UUID'
	refused --sandbox-exec '{"tracking_only": true, "fingerprint_uuid": "x"}' -- touch ran
	expect 0 --sandbox-exec "$(record '"fingerprint_uuid": "123e4567-e89b-12d3-a456-426614174000",')" -- true
	[ ! -e ran ]
}

@test "a record whose project is a home says what that opens" {
	mkdir -p "$HOME/.ssh" "$HOME/.aws"
	expect 0 --sandbox-exec "$(record | sed "s|\"$P\"|\"$HOME\"|")" -- sh -c 'ls "$HOME/.ssh" && echo x >"$HOME/new"'
	heard "the project $HOME is or contains a home folder" 'also ~/.ssh, ~/.aws'
	expect 9 --sandbox-exec "$(record | sed "s|\"$P\"|\"$HOME\"|")" -- sh -c 'echo x 2>/dev/null >"$HOME/.cordon.json" || exit 9'
	expect 0 --sandbox-exec "$(record)" -- true
	[ -z "$err" ]
}

# R119 differs: status 125, which no command has; 126 and 127 as a shell
@test "errors name the option: what cannot be read, started, found" {
	local want

	refused --sandbox-exec '{' -- true
	heard 'cordon --sandbox-exec: record:1:2: '
	refused --sandbox-exec "$(record | sed "s|\"$P\"|\"/nowhere\"|")" -- true
	heard 'cordon --sandbox-exec: cannot use /nowhere'
	expect 127 --sandbox-exec "$(record)" -- nosuchprogram
	heard 'cordon --sandbox-exec: nosuchprogram: not found'
	touch data
	expect 126 --sandbox-exec "$(record)" -- ./data
	heard 'cordon --sandbox-exec: ./data'
	refused --sandbox-exec
	heard 'cordon --sandbox-exec: '
	refused --sandbox-exec "$(record)" true
	heard '-- must stand before the command'
	refused --sandbox-exec "$(record)" --config-fd 0 -- true
	heard 'it takes one record'
	want='cordon --config-fd: record:1:2: '
	status=0
	"$CORDON" --config-fd 7 -- true 7< <(printf '{') 2>"$T/err" || status=$?
	[ "$status" -eq 125 ] && [[ $(cat "$T/err") == "$want"* ]]
}

# ---- cordon record ----

# settings MEMBERS...: settings.json with this sandbox object
settings()
{
	printf '{"theme": "x", "terminal": {"sandbox": {%s}}}' "$1" >settings.json
}

# printed ARGUMENT...: the native form of a policy, with or without warnings
printed()
{
	status=0
	"$CORDON" check -q --print "$@" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -le 1 ]
}

@test "record: settings become the record that the wrapper takes, and both grant the same" {
	local system

	mkdir -p "$HOME"/{r,w,x}
	settings '"enabled": true, "allow_network": false, "additional_read_only_paths": ["~/r"],
		"additional_read_write_paths": ["~/w"], "additional_executable_paths": ["~/x"]'
	for system in macos linux; do
		expect 0 record --system "$system" --home "$HOME" -C "$P" settings.json
		cp "$T/out" record.json
		json 'd["project_dir"].endswith("'"$P"'") and d["allow_network"] is False and "~" not in str(d)'
		printed --system "$system" --home "$HOME" zed:record.json || return 1
		sed "s|\(/private\)*$HOME|~|; s|\(/private\)*$P|\$PROJECT|" "$T/out" | "$PYTHON" -m json.tool >by_record
		printed --system "$system" --home "$HOME" zed:settings.json || return 1
		"$PYTHON" -m json.tool <"$T/out" | diff by_record - || complain "differs on $system" || return 1
	done
	expect 0 record settings.json
	expect 0 --sandbox-exec "$out" -- sh -c 'echo x >"$HOME/w/f" && cat "$HOME/w/f"'
	said x
	expect 9 --sandbox-exec "$(cat record.json)" -- sh -c 'echo x 2>/dev/null >"$HOME/r/f" || exit 9'
}

@test "record: blocks of this system and later files override key by key" {
	settings '"enabled": true, "allowed_env_vars": ["A"], "linux": {"allow_network": false}, "macos": {"allowed_env_vars": []}'
	expect 0 record settings.json
	json 'd["allow_network"] is False and d["allowed_env_vars"] == ["A"]'
	expect 0 record --system macos --home /Users/sam -C /Users/sam/shop settings.json
	json 'd["allow_network"] is True and d["allowed_env_vars"] == [] and d["project_dir"] == "/Users/sam/shop"'
	printf '{"allow_network": true, "system_paths": {"read_only": ["/etc"]}}' >more.json
	expect 0 record settings.json more.json
	json 'd["allow_network"] is True and d["read_only_paths"] == ["/etc"] and "/usr/bin" in d["executable_paths"]'
}

@test "record: settings that are off, or for terminals only, give no record; tracking is asked for" {
	settings '"enabled": false'
	expect 1 record settings.json
	[ ! -s "$T/out" ]
	heard 'no record: "enabled" is false'
	settings '"enabled": true, "apply_to": "terminal"'
	expect 1 record settings.json
	heard '"apply_to" leaves out tools'
	expect 0 record --for shell settings.json
	refused record
	refused record --track-only settings.json
	refused record --read /etc settings.json
	expect 0 record --track-only
	echo x >"$HOME/file"
	expect 0 --sandbox-exec "$out" -- cat "$HOME/file"
	said x
	printf '{"terminal": {"sandbox": {"enabeld": true}}}' >settings.json
	refused_at settings.json:1:27 record settings.json
	expect 125 record nosuch.json
	chmod 666 settings.json
	refused record settings.json
}
