#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The dialects, through the program: read, recognised, resolved, printed in native form.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

# printed ARGUMENT...: the native form of a policy, for json.
printed()
{
	status=0
	timeout 60 "$CORDON" check -q --print "$@" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -le 1 ] || complain "not printed: $*"
}

# zed TEXT [OPTION...]: the sandbox object TEXT, printed.
zed()
{
	printf '{"terminal": {"sandbox": %s}}' "$1" >settings.json
	shift
	printed "$@" zed:settings.json
}

# --- Zed: R1 to R7 ---

# R1-R2 differs: where settings are off the run stays confined by the default profile; an editor gets no record
@test "zed: enabled is false unless said, and then nothing is added to the default" {
	touch "$HOME/x"
	zed '{"additional_read_only_paths": ["~/x"]}'
	unsaid '~/x'
	zed '{"enabled": false, "additional_read_only_paths": ["~/x"]}'
	unsaid '~/x'
	denied -p zed:settings.json read '~/x'
	allowed -p zed:settings.json write inside
	zed '{"enabled": true, "additional_read_only_paths": ["~/x"]}'
	said '~/x'
	allowed -p zed:settings.json read '~/x'
}

@test "zed: apply_to: tool is run, terminal is shell, both is the default, neither is nothing" {
	local applies

	touch "$HOME/x"
	for applies in tool:yes:no terminal:no:yes both:yes:yes neither:no:no :yes:yes; do
		IFS=: read -r word run shell <<<"$applies"
		field="\"apply_to\": \"$word\","
		[ -n "$word" ] || field=
		zed "{\"enabled\": true, $field \"additional_read_only_paths\": [\"~/x\"]}" || return 1
		for case in "run:$run" "shell:$shell"; do
			if [ "${case#*:}" = yes ]; then
				allowed --for "${case%:*}" -p zed:settings.json read '~/x' || return 1
			else
				denied --for "${case%:*}" -p zed:settings.json read '~/x' || return 1
			fi
		done
	done
	printf '{"enabled": true, "apply_to": "all"}' >settings.json
	refused_at settings.json:1:31 check zed:settings.json
}

@test "zed: system_paths: absent and null are the built-in list, [] is nothing, a list replaces" {
	zed '{"enabled": true}'
	json '{"/etc", "/usr/share"} <= set(d["files"]["read"]) and "/usr/bin" in d["files"]["execute"]'
	cp "$T/out" "$T/absent"
	zed '{"enabled": true, "system_paths": {"executable": null, "read_only": null, "read_write": null}}'
	cmp "$T/absent" "$T/out"
	zed '{"enabled": true, "system_paths": null}'
	cmp "$T/absent" "$T/out"
	zed '{"enabled": true, "system_paths": {"read_only": []}}'
	json '"/etc" not in d["files"].get("read", []) and "/usr/bin" in d["files"]["execute"]'
	zed '{"enabled": true, "system_paths": {"executable": []}}'
	json '"/etc" in d["files"]["read"] and "/usr/bin" not in d["files"].get("execute", [])'
	zed '{"enabled": true, "system_paths": {"executable": ["/srv/bin"]}}'
	json '"/srv/bin" in d["files"]["execute"] and "/usr/bin" not in d["files"]["execute"]'
	json '"/etc" in d["files"]["read"]'
	zed '{"enabled": true, "system_paths": {"read_write": []}}'
	unsaid '"/dev/tty"' '"/tmp"'
}

@test "zed: additional paths add to the system lists: execute, read, write" {
	zed '{"enabled": true, "additional_executable_paths": ["~/x"],
	  "additional_read_only_paths": ["~/r"], "additional_read_write_paths": ["~/w"]}'
	json '"~/x" in d["files"]["execute"] and "/usr/bin" in d["files"]["execute"]'
	json '"~/r" in d["files"]["read"] and "~/w" in d["files"]["write"]'
	mkdir -p "$HOME"/{x,r,w}
	allowed -p zed:settings.json rx '~/x/a'
	denied -p zed:settings.json write '~/x/a'
	allowed -p zed:settings.json read '~/r/a'
	denied -p zed:settings.json write '~/r/a'
	denied -p zed:settings.json execute '~/r/a'
	allowed -p zed:settings.json rwcd '~/w/a'
	allowed -p zed:settings.json rwcdx inside
}

@test "zed: allow_network is true unless said" {
	zed '{"enabled": true}'
	json 'd["network"] == "all"'
	allowed -p zed:settings.json connect example.org:443
	zed '{"enabled": true, "allow_network": false}'
	json 'd["network"] == "none"'
	denied -p zed:settings.json connect example.org:443
}

@test "zed: allowed_env_vars: absent is the built-in list, a list replaces it" {
	zed '{"enabled": true}'
	json '{"PATH", "HOME", "CARGO_HOME", "EDITOR"} <= set(d["env"]["allow"])'
	zed '{"enabled": true, "allowed_env_vars": ["DEMO"]}'
	json '"DEMO" in d["env"]["allow"] and "CARGO_HOME" not in d["env"]["allow"]'
	denied -p zed:settings.json env CARGO_HOME
	zed '{"enabled": true, "allowed_env_vars": []}'
	json '"PATH" not in d["env"].get("allow", [])'
}

@test "zed: the overlay of this system overrides key by key, the other system's is ignored" {
	zed '{"enabled": true, "allow_network": true, "additional_read_only_paths": ["/srv/base"],
	  "linux": {"allow_network": false}, "macos": {"additional_read_only_paths": ["/srv/mac"]},
	  "windows": {"enabled": false}}'
	json 'd["network"] == "none" and "/srv/base" in d["files"]["read"]'
	unsaid /srv/mac
	printed --system macos zed:settings.json
	json 'd["network"] == "all" and "/srv/mac" in d["files"]["read"]'
	unsaid /srv/base
	policy settings.json <<-'END'
		{"terminal": {"sandbox": {"enabled": true}},
		 "linux": {"terminal": {"sandbox": {"allow_network": false}}},
		 "macos": {"terminal": {"sandbox": {"enabled": false}}}}
	END
	printed zed:settings.json
	json 'd["network"] == "none"'
}

@test "zed: both systems' lists are compiled in" {
	zed '{"enabled": true}' --system macos
	json '"/System/Cryptexes" in d["files"]["execute"] and "/private/etc" in d["files"]["read"]'
	unsaid '"/lib64"'
	zed '{"enabled": true}' --system linux
	json '"/lib64" in d["files"]["execute"]'
	unsaid /System
}

# R50, R53 differs: nodes of `/dev` one by one, files in `/dev/shm`, a private temporary folder, sockets by name: the rest leads out
#   of any sandbox
# R56-R57 differs: `~/.config` by folder, because it holds tokens; histories are readable only: a planted line is executed later
@test "zed: grants that would open a hole are dropped, and check lists each" {
	zed '{"enabled": true}'
	unsaid '"/run/user"' '"/dev"' '"~/.config"'
	denied -p zed:settings.json read '~/.config/gh/hosts.yml'
	denied -p zed:settings.json write /run/user/0/x
	denied -p zed:settings.json write /dev/sda
	status=0
	"$CORDON" check zed:settings.json >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out")
	[ "$status" -le 1 ]
	said /run/user /dev '.config'
}

@test "zed: other settings around it do not disturb, wrong ones in it do" {
	policy settings.json <<-'END'
		{"theme": "x", "terminal": {"font_size": 12, "sandbox": {"enabled": true}}}
	END
	printed zed:settings.json
	json '"files" in d'
	printf '{"terminal": {"sandbox": {"enabeld": true}}}' >settings.json
	refused_at settings.json:1:27 check zed:settings.json
	heard '"enabled"?'
	printf '{"terminal": {"sandbox": {"enabled": "yes"}}}' >settings.json
	refused_at settings.json:1:38 check zed:settings.json
	printf '{"enabled": true, "additional_read_only_paths": ["relative"]}' >settings.json
	refused_at settings.json:1:50 check zed:settings.json
	printf '{"enabled": true, "allowed_env_vars": ["A=B"]}' >settings.json
	refused_at settings.json:1:40 check zed:settings.json
}

@test "zed: the wrapper's record" {
	policy record.json <<-'END'
		{"project_dir": "/srv/p", "executable_paths": ["/usr/bin"], "read_only_paths": ["/etc"],
		 "read_write_paths": [], "additional_executable_paths": [],
		 "additional_read_only_paths": ["/srv/r"], "additional_read_write_paths": [],
		 "allow_network": false, "allowed_env_vars": ["PATH"]}
	END
	printed zed:record.json
	said '/srv/p' '"/usr/bin"' '"/etc"' '"/srv/r"'
	json 'd["network"] == "none" and "PATH" in d["env"]["allow"]'
}

# --- flow ---

@test "flow: defaults: network, read anywhere, scrubbed environment, the working folder writable" {
	printf '{"net": true}' >flow.json
	allowed -p flow:flow.json connect example.org:443
	allowed -p flow:flow.json write inside
	allowed -p flow:flow.json read /srv/x
	denied -p flow:flow.json write /srv/x
	denied -p flow:flow.json env SECRET
	printf '{"net": false}' >flow.json
	denied -p flow:flow.json connect example.org:443
}

# R36-R38 differs: a token is a whole component and an unset one an error, so that no value is expanded twice
@test "flow: paths, the token cwd, environment" {
	printf '{"read_paths": ["cwd", "~/in"], "write_paths": ["~/out"], "env": {"vars": ["DEMO"]}}' >flow.json
	mkdir -p "$HOME/in" "$HOME/out"
	allowed -p flow:flow.json read '~/in/x'
	denied -p flow:flow.json write '~/in/x'
	allowed -p flow:flow.json rwcd '~/out/x'
	denied -p flow:flow.json read /srv/x
	allowed -p flow:flow.json env DEMO
	denied -p flow:flow.json env USER
	printf '{"env": "inherit"}' >flow.json
	allowed -p flow:flow.json env ANYTHING
	denied -p flow:flow.json env LD_PRELOAD
	printf '{"nett": true}' >flow.json
	refused_at flow.json:1:2 check flow:flow.json
	printf '{"net": 1}' >flow.json
	refused_at flow.json:1:9 check flow:flow.json
}

# R43 differs: in the sources' forms with a note; in the native form a path of the user is an error
@test "flow: a path that does not exist is skipped with a note" {
	printf '{"net": false, "read_paths": ["/usr", "~/gone"], "write_paths": ["~/out", "~/later"]}' >flow.json
	mkdir -p "$HOME/out"
	expect 0 run -p flow:flow.json -- touch "$HOME/out/made"
	heard "not granted: $HOME/gone does not exist" "not granted: $HOME/later does not exist"
}

@test "the sources' example settings start where their paths do not exist" {
	local file

	rm -rf "$HOME/.config" "$P/.git"
	for file in zed:zed-settings.json zed:zed-sandbox.json flow:flow-build.json clash:clash-domains.json; do
		expect 0 run -q -p "${file%%:*}:$TREE/examples/${file#*:}" -- true || return 1
		expect 9 run -q -p "${file%%:*}:$TREE/examples/${file#*:}" -- sh -c "echo x 2>/dev/null >'$HOME/new' || exit 9" || return 1
	done
}

@test "flow: in a home, /tmp or / nothing is writable unless its path is named" {
	printf '{"net": false}' >flow.json
	printf '{"net": false, "write_paths": ["cwd", "~/out"]}' >named.json
	mkdir -p "$HOME/out"
	for folder in "$HOME" /tmp /; do
		(cd "$folder" && expect 0 run -p flow:"$P/flow.json" -- pwd && said "$folder")
		(cd "$folder" && expect 1 run -p flow:"$P/named.json" -- touch "cordon-$$")
		(cd "$folder" && touch "cordon-$$" && rm "cordon-$$") || [ "$(id -u)" -ne 0 ]
		(cd "$folder" && refused run -- true && heard 'cannot be the project')
		(cd "$folder" && refused trust && heard 'cannot be the project')
	done
	(cd "$HOME" && expect 0 run -p flow:"$P/named.json" -- touch out/made)
	[ -e "$HOME/out/made" ]
}

@test "zed, flow: POSIX semaphores and shared memory work, nothing else in /dev/shm" {
	local lock='import multiprocessing as m; l = m.Lock(); l.acquire(); a = m.Array("i", 3); print("locked")'

	[ -w /dev/shm ] || skip 'there is no /dev/shm'
	printf '{"terminal": {"sandbox": {"enabled": true}}}' >settings.json
	printf '{"write_paths": ["cwd"], "read_paths": ["cwd"]}' >flow.json
	"$PYTHON" -c "$lock"
	ls /dev/shm >/dev/null
	for policy in zed:settings.json flow:flow.json; do
		expect 0 run -p "$policy" -- "$PYTHON" -c "$lock"
		said locked
		expect 2 run -p "$policy" -- ls /dev/shm
		allowed -p "$policy" rwcd /dev/shm/sem.x
		denied -p "$policy" read /dev/shm/folder/x
		denied -p "$policy" read /dev/shm
	done
}

# --- clash ---

# R20-R21 differs: in the native form subpath is the default
@test "clash: caps, matches, default literal" {
	mkdir "$HOME/s" "$HOME/c" "$HOME/deep"
	touch "$HOME/l"
	policy clash.json <<-'END'
		{"default": ["read", "execute"], "rules": [
		  {"effect": "allow", "caps": ["write"], "path": "$HOME/l"},
		  {"effect": "allow", "caps": ["full"], "path": "$HOME/s", "path_match": "subpath"},
		  {"effect": "deny", "caps": ["all"], "path": "$HOME/c", "path_match": "child_of"},
		  {"effect": "deny", "caps": ["read"], "path": "\\.pem$", "path_match": "regex"}
		], "doc": "x"}
	END
	allowed -p clash:clash.json write "$HOME"/l
	denied -p clash:clash.json write "$HOME"/l/x
	allowed -p clash:clash.json rwcdx "$HOME"/s/x
	allowed -p clash:clash.json read "$HOME"/c
	denied -p clash:clash.json read "$HOME"/c/x
	allowed -p clash:clash.json read "$HOME"/c/x/y
	denied -p clash:clash.json read "$HOME"/deep/x.pem
	denied -p clash:clash.json write /elsewhere
	expect 0 check clash:clash.json
	said 'clash.json:2:' '"write" alone changes files that exist'
}

@test "zed, clash: a path that does not exist is skipped with a note" {
	zed '{"enabled": true, "additional_read_only_paths": ["~/gone"], "additional_read_write_paths": ["~/out"]}'
	mkdir "$HOME/out"
	expect 0 run -p zed:settings.json -- touch "$HOME/out/made"
	heard "not granted: $HOME/gone does not exist"
	printf '{"default": ["read", "execute"], "rules": [
		{"effect": "allow", "caps": ["full"], "path": "$HOME/out", "path_match": "subpath"},
		{"effect": "allow", "caps": ["full"], "path": "$HOME/gone"}]}' >clash.json
	expect 0 run -p clash:clash.json -- touch "$HOME/out/more"
	heard "not granted: $HOME/gone does not exist"
	for preset in readonly project git_safe git_full workspace unrestricted; do
		expect 0 run -p "clash:$TREE/examples/clash-presets.json#$preset" -- true || return 1
	done
}

@test "clash: write without create and delete is pointed out in every rule and default that has it" {
	local policy

	for policy in '{"default": ["read", "write"]}' \
	    '{"default": ["read"], "rules": [{"effect": "allow", "caps": ["read", "write"], "path": "/srv"}]}' \
	    '{"default": ["read"], "rules": [{"effect": "allow", "caps": ["write", "create"], "path": "/srv"}]}'; do
		printf '%s' "$policy" >clash.json
		status=0
		out=$("$CORDON" check clash:clash.json) || status=$?
		[ "$status" -le 1 ]
		said clash.json:1: '"write" alone changes files that exist; list "create" and "delete" too' || return 1
	done
	printf '{"default": ["read"], "rules": [{"effect": "deny", "caps": ["read", "write"], "path": "/srv"},
		{"effect": "allow", "caps": ["write", "create", "delete"], "path": "/srv/a"}]}' >clash.json
	expect 0 check clash:clash.json
	unsaid '"write" alone'
}

@test "clash: on_sandbox_violation chooses what hints tell an agent, stop by default" {
	local word text

	for word in stop workaround smart ''; do
		printf '{"default": ["read", "execute"]%s}' "${word:+, \"on_sandbox_violation\": \"$word\"}" >clash.json
		expect 3 run -p clash:clash.json --hints json -- sh -c 'mkdir made; exit 3'
		printf '%s\n' "$err" | tail -n 1 >"$T/out"
		case $word in
		workaround) text='not "ask the user" in h and "instead." in h' ;;
		smart) text='"instead, or ask the user" in h' ;;
		*) text='"Stop here, try no other way, and ask the user" in h' ;;
		esac
		json '[h for h in [d["hints"][0]["hint"]] if '"$text"'] and d["on_refusal"] == "'"${word:-stop}"'"' || return 1
	done
	expect 3 run -p clash:clash.json -- sh -c 'mkdir made; exit 3'
	heard 'cordon: the policy says: stop, and try no other way'
	expect 3 run -- sh -c 'mkdir "$HOME/made"; exit 3'
	[[ $err != *'the policy says'* ]]
	expect 0 check -q --print clash:clash.json
	said '"on_refusal": "stop"'
	# a project without approval may ask for more caution, not for less
	for word in stop workaround; do
		printf '{"on_refusal": "%s"}' "$word" >.cordon.json
		expect 3 run --hints json -- sh -c 'mkdir "$HOME/made"; exit 3'
		printf '%s\n' "$err" | tail -n 1 >"$T/out"
		json '("on_refusal" in d) == ("'"$word"'" == "stop")' || return 1
	done
}

# R29 differs: nothing is dropped: regular expressions and denies are enforced, or the plan is refused
@test "clash: every regular expression of its tests and manual is one on both systems" {
	local pattern

	for pattern in '/tmp/build-.*' '/tmp/build-\\\\d+' '/project/.*\\\\.rs$' '/tmp/foo\"bar' '.*\\\\.log' \
	    '^/opt/.*' '\\\\.pem$' '^/a$|^/b' '/(a|b)/c$'; do
		printf '{"default": ["read", "execute"], "rules": [
			{"effect": "deny", "caps": ["read"], "path": "%b", "path_match": "regex"}]}' "$pattern" >clash.json
		expect 0 check -q clash:clash.json || return 1
		expect 0 sbpl -q --home /Users/sam -C /Users/sam/shop -p clash:clash.json || return 1
		said '(regex (param ' || return 1
	done
	printf '{"default": ["read"], "rules": [
		{"effect": "deny", "caps": ["read"], "path": "\\\\Qa|b\\\\E", "path_match": "regex"}]}' >clash.json
	refused_at clash.json:2:48 check clash:clash.json
	printf '{"default": ["read", "execute"], "rules": [
		{"effect": "deny", "caps": ["read"], "path": "^/srv/x$|y-\\\\d+$", "path_match": "regex"}]}' >clash.json
	denied -p clash:clash.json read /srv/x
	allowed -p clash:clash.json read /srv/x/z
	denied -p clash:clash.json read /srv/y-10
	allowed -p clash:clash.json read /srv/y-10z
}

# R83-R84 differs: `*.x` for what is below; clash's bare names cover both; ports 80 and 443 unless listed
@test "clash: network in all its forms" {
	local deny='{"default": ["read"]'

	printf '%s}' "$deny" >clash.json
	denied -p clash:clash.json connect example.org:443
	printf '%s, "network": "allow"}' "$deny" >clash.json
	allowed -p clash:clash.json connect example.org:443
	printf '%s, "network": "localhost"}' "$deny" >clash.json
	allowed -p clash:clash.json connect 127.0.0.1:9
	denied -p clash:clash.json connect example.org:443
	printf '%s, "network": {"localhost": [80]}}' "$deny" >clash.json
	allowed -p clash:clash.json connect 127.0.0.1:80
	denied -p clash:clash.json connect 127.0.0.1:81
	printf '%s, "network": {"allow_domains": ["github.com"]}}' "$deny" >clash.json
	allowed -p clash:clash.json connect github.com:443
	allowed -p clash:clash.json connect api.github.com:443
	denied -p clash:clash.json connect notgithub.com:443
	printf '%s, "network": "none"}' "$deny" >clash.json
	refused_at clash.json:1:34 check clash:clash.json
	heard deny allow localhost allow_domains
}

@test "clash: bad caps" {
	printf '{"default": "read"}' >clash.json
	refused_at clash.json:1:13 check clash:clash.json
	printf '{"default": []}' >clash.json
	refused_at clash.json:1:13 check clash:clash.json
	printf '{"default": ["reed"]}' >clash.json
	refused_at clash.json:1:14 check clash:clash.json
	printf '{"rules": []}' >clash.json
	refused check clash:clash.json
	heard clash.json:1: default
}

@test "clash: one of several policies by name, an unknown name lists the others" {
	local file=$TREE/examples/clash-presets.json

	printed "clash:$file#project"
	json 'd["network"] == "none"'
	printed "clash:$file#readonly"
	json 'd["network"] == "all"'
	refused check "clash:$file"
	heard readonly project git_safe unrestricted
	refused check "clash:$file#nothing"
	heard readonly
	printf '{}' >native.json
	refused check native:native.json#x
}

@test "clash: follow_worktrees grants the git folders of a real worktree" {
	mkdir "$T/repo"
	git -C "$T/repo" init -q
	git -C "$T/repo" -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m one
	git -C "$T/repo" worktree add -q "$T/tree"
	cd "$T/tree"
	policy "$T/clash.json" <<-'END'
		{"default": ["execute"], "rules": [{"effect": "allow", "caps": ["full"], "path": "$PWD",
		  "path_match": "subpath", "follow_worktrees": true}]}
	END
	allowed -p "clash:$T/clash.json" create "$T/repo/.git/objects/x"
	sed -i 's/true/false/' "$T/clash.json"
	denied -p "clash:$T/clash.json" create "$T/repo/.git/objects/x"
}

# --- told apart ---

@test "the dialect is recognised by its keys, or named by a prefix" {
	printf '{"terminal": {"sandbox": {"enabled": true}}}' >a.json
	printed a.json
	json 'd["network"] == "all"'
	printf '{"net": false}' >b.json
	printed b.json
	json 'd["network"] == "none" and d["extends"] == []'
	printf '{"default": ["read"]}' >c.json
	printed c.json
	json 'd["files"]["default"] == "r"'
	printf '{"files": {}}' >d.json
	printed d.json
	refused check native:a.json
	heard 'a.json:1:2'
	refused check flow:c.json
	refused check clash:b.json
	printed --policy-json 'flow:{"net": false}'
	json 'd["network"] == "none" and d["extends"] == []'
}

@test "every example is read, printed, and printed again the same" {
	local file argument

	for file in "$TREE"/examples/*.json; do
		argument=$file
		[ "${file##*/}" != clash-presets.json ] || argument=clash:$file#project
		printed "$argument" || return 1
		cp "$T/out" once.json
		printed ./once.json || return 1
		cmp once.json "$T/out" || complain "not stable: $file" || return 1
	done
}
