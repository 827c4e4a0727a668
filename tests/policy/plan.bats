#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon plan`: the plan for this host, for another kernel, for the other system.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

MODERN='{"system": "linux", "kernel": "test", "landlock_abi": 7, "seccomp_filter": true,
  "seccomp_notify": true, "notify_addfd": true, "notify_wait_killable": true, "notify_sync": true,
  "pidfd": true, "pidfd_getfd": true, "openat2": true, "close_range": true, "yama": 0, "cgroup": true, "broker": true, "tree": true,
  "cgroup_memory": true, "cgroup_pids": true}'


facts()
{
	printf '%s\n' "${1:-$MODERN}" >"$T/facts.json"
}

# R140-R141 differs: each guarantee by name instead of one word
@test "the plan prints project, sources, rules with positions, guarantees" {
	facts
	expect 0 plan --facts "$T/facts.json"
	silent
	said "$P" 'agent' 'network   none' 'guarantees' 'files.read' '<- profile agent:'
	policy mine.json <<<'{"files": {"read": ["/srv"]}}'
	expect 0 plan --facts "$T/facts.json" -p mine.json
	said 'mine.json:1:21' '/srv'
}

@test "-v shows more" {
	facts
	expect 0 plan --facts "$T/facts.json"
	local short=${#out}

	expect 0 plan -v --facts "$T/facts.json"
	[ "${#out}" -gt "$short" ]
	said '/home/linuxbrew/.linuxbrew'
}

@test "--json: one object with all of it" {
	facts
	policy <<<'{"network": "all"}'
	expect 0 plan --json --facts "$T/facts.json"
	json 'd["command"] == "run" and d["system"] == "linux" and d["gaps"] == 0'
	json "d['project'] == '$P' and d['project_approved'] is False"
	json 'd["requests"] and d["notices"] and d["network"]["mode"] == "none"'
	json 'all(r["effect"] in ("allow", "deny") and r["source"] and r["path"] for r in d["rules"])'
	json '{g["name"] for g in d["guarantees"]} >= {"files.read", "net.tcp", "process.tree"}'
	json 'd["facts"]["landlock_abi"] == 7'
	one_notice 'requests permissions that were not approved'
}

@test "probing this host gives a plan, or gaps by name" {
	status=0
	"$CORDON" plan --json >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	json "(d['gaps'] > 0) == ($status == 1)"
}

@test "facts that a run does not need are probed where they are printed" {
	local fact

	status=0
	"$CORDON" doctor --json >"$T/doctor.json" 2>"$T/err" || status=$?
	[ "$status" -le 1 ]
	status=0
	"$CORDON" plan --json >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -le 1 ]
	for fact in seccomp_notify notify_addfd notify_sync yama; do
		json "d['facts']['$fact'] == json.load(open('$T/doctor.json'))['facts']['$fact']"
	done
}

# R66 differs: a guarantee that is not enforced is a gap, and refused unless accepted by name
@test "an old kernel: status 1, each gap with reason and remedy" {
	facts '{"system": "linux", "kernel": "5.4", "landlock_abi": 0, "seccomp_filter": true,
		"broker": true, "tree": true}'
	expect 1 plan --facts "$T/facts.json"
	said 'gap ' 'files.read' '--accept files.read'
	expect 1 plan --json --facts "$T/facts.json"
	json 'd["gaps"] == sum(g["state"] == "gap" for g in d["guarantees"]) > 0'
	json 'all(g["how"] and g["remedy"] for g in d["guarantees"] if g["state"] == "gap")'
}

@test "accepting every gap by name gives status 0" {
	local name
	local accept=()

	facts '{"system": "linux", "kernel": "5.4", "landlock_abi": 0}'
	expect 1 plan --json --facts "$T/facts.json"
	for name in $("$PYTHON" -c 'import json, sys
for g in json.load(open(sys.argv[1]))["guarantees"]:
    if g["state"] == "gap":
        print(g["name"])' "$T/out"); do
		accept+=(--accept "$name")
	done
	[ "${#accept[@]}" -gt 4 ]
	expect 0 plan --facts "$T/facts.json" "${accept[@]}"
	said 'accepted '
	expect 1 plan --facts "$T/facts.json" "${accept[@]:2}"
}

@test "a gap accepted by an unapproved project stays a gap" {
	facts '{"system": "linux", "kernel": "5.4", "landlock_abi": 0}'
	policy <<<'{"accept": ["files.read"]}'
	expect 1 plan --json --facts "$T/facts.json"
	json '[g["state"] for g in d["guarantees"] if g["name"] == "files.read"] == ["gap"]'
}

@test "bad facts: their position, 125" {
	facts '{"system": "linux", "landlock_abi": "seven"}'
	refused_at "$T/facts.json:1:37" plan --facts "$T/facts.json"
	facts '{"landlok_abi": 7}'
	refused_at "$T/facts.json:1:2" plan --facts "$T/facts.json"
	facts '{"landlock_abi": 7'
	refused plan --facts "$T/facts.json"
	mkfifo "$T/fifo"
	refused plan --facts "$T/fifo"
}

@test "a plan for macOS is made on Linux, without the Linux block" {
	policy both.json <<-'END'
		{"linux": {"files": {"read": ["/srv/l"]}}, "macos": {"files": {"read": ["/srv/m"]}}}
	END
	expect 0 plan --json --system macos --home /Users/jo -C /Users/jo/work -p both.json
	json 'd["system"] == "macos" and d["project"] == "/Users/jo/work"'
	json 'any(r["path"] == "/srv/m" for r in d["rules"])'
	json 'not any(r["path"] == "/srv/l" for r in d["rules"])'
	json 'any(r["path"].startswith("/System") for r in d["rules"])'
	facts
	expect 0 plan --json --system linux --facts "$T/facts.json" -p both.json
	json 'any(r["path"] == "/srv/l" for r in d["rules"])'
	json 'not any(r["path"] == "/srv/m" or r["path"].startswith("/System") for r in d["rules"])'
}

@test "the environment: which variables pass, and why" {
	facts
	DEMO_SECRET=1 LD_PRELOAD_X=1 expect 0 plan --json --facts "$T/facts.json" --env DEMO_OK=yes
	json 'd["env"]["set"] == {"DEMO_OK": "yes"}'
	json '{v["name"]: v["passes"] for v in d["env"]["variables"]}["DEMO_SECRET"] is False'
	json '{v["name"]: v["passes"] for v in d["env"]["variables"]}["PATH"] is True'
	json 'all(v["reason"] for v in d["env"]["variables"])'
}

@test "the plan never shows the value of a variable" {
	facts
	DEMO_SECRET=hush-hush PATH=$PATH:/hush-path expect 0 plan -v --facts "$T/facts.json"
	unsaid hush-hush
	DEMO_SECRET=hush-hush expect 0 plan --json --facts "$T/facts.json"
	unsaid hush-hush
}

@test "run and shell have different defaults" {
	facts
	expect 0 plan --json --facts "$T/facts.json"
	json 'd["command"] == "run" and d["profiles"][-1] == "agent" and d["network"]["mode"] == "none"'
	expect 0 plan --json --facts "$T/facts.json" --for shell
	json 'd["command"] == "shell" and d["profiles"][-1] == "terminal" and d["network"]["mode"] == "all"'
}

@test "limits, tmp and network of the project only narrow" {
	facts
	user_policy <<<'{"limits": {"time": "10m"}, "network": "localhost"}'
	policy <<<'{"limits": {"time": "1m", "memory": "1G"}, "network": "none"}'
	expect 0 plan --json --facts "$T/facts.json"
	silent
	json 'd["network"]["mode"] == "none"'
	json 'd["limits"] == {"time": 60, "memory": 1 << 30}'
	policy <<<'{"limits": {"time": "1h"}, "network": "all", "tmp": "shared"}'
	expect 0 plan --json --facts "$T/facts.json"
	one_notice 'the limit time' 'the whole network' 'shared tmp'
	json 'd["network"]["mode"] == "localhost" and d["tmp"] == "private"'
	json 'd["limits"] == {"time": 600}'
	expect 0 plan --json --facts "$T/facts.json" --no-project-policy
	silent
	json 'd["requests"] == [] and d["network"]["mode"] == "localhost"'
}

@test "-q leaves the notices out" {
	facts
	policy <<<'{"network": "all"}'
	expect 0 plan -q --facts "$T/facts.json"
	silent
}

@test "10,000 rules are planned" {
	facts
	"$PYTHON" -c 'import json
print(json.dumps({"files": {"read": ["/srv/%d/x" % n for n in range(10000)]}}))' >many.json
	expect 0 plan --json --facts "$T/facts.json" -p ./many.json
	json 'sum(r["path"].startswith("/srv/") for r in d["rules"]) == 10000'
	allowed -p ./many.json read /srv/9999/x/y
}

# New kernels have these calls; containers often do not let them through.
@test "a system call missing on a new kernel is attributed to the container" {
	facts "$(printf '%s' "$MODERN" | sed 's/"pidfd": true/"pidfd": false/')"
	expect 1 plan --facts "$T/facts.json"
	said 'gap        files.future       pidfds are not available; use a kernel from 5.6 on, or allow pidfd_open in the container'
	said 'gap        process.tree       pidfds are not available; use a kernel from 5.6 on, or allow pidfd_open'
	facts "$(printf '%s' "$MODERN" | sed 's/"openat2": true/"openat2": false/')"
	expect 1 plan --facts "$T/facts.json"
	said 'gap        files.future       there is no openat2; use a kernel from 5.6 on, or allow it in the container'
}

@test "plan and doctor fail where run would not start" {
	local options

	mkdir -p "$HOME/there"
	for options in '' "--write $HOME/there" "--write $HOME/new/" '--write later' '-p node -p claude' "--read $HOME/there/x --read $HOME/there"; do
		# shellcheck disable=SC2086 # words
		"$CORDON" run $options -- true >"$T/out" 2>"$T/err"
		# shellcheck disable=SC2086
		expect 0 plan $options || return 1
	done
	for options in "--write $HOME/no" "--read $HOME/no" "--read /no-such-folder" "--execute $HOME/a/b" '--memory nonsense'; do
		# shellcheck disable=SC2086
		refused run $options -- true || return 1
		# shellcheck disable=SC2086
		"$CORDON" plan $options >"$T/out" 2>"$T/err" && complain "plan $options"
		[ -s "$T/err" ]
	done
	"$CORDON" doctor --read "$HOME/no" >"$T/out" 2>"$T/err" && complain doctor
	grep -q "cannot grant $HOME/no: it does not exist" "$T/err"
}

@test "a home as the project is announced" {
	expect 0 run -C "$HOME" -- true
	one_notice "the project is $HOME: everything in your home can be read and changed"
	expect 0 run -- true
	silent
	expect 0 run -C "$HOME" -p strict -- true
	silent
}
