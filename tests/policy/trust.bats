#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon trust`: requests of a project have no effect until the user approves them.

# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # ~ and $ are the program's; out and err are common's

load ../lib/common

GREEDY='{"files": {"read": ["~/.ssh"]}, "network": "all"}'

setup_greedy()
{
	mkdir -p "$HOME/.ssh"
	policy <<<"$GREEDY"
}

# R8 differs: a project only narrows; what else it asks for needs an approval, because a repository must not widen its own sandbox
@test "a greedy project: nothing changes, one line on standard error says how to grant it" {
	setup_greedy
	denied read '~/.ssh/id_ed25519'
	one_notice "$P/.cordon.json" 'read ~/.ssh' 'the whole network' 'cordon trust'
	denied connect example.org:443
	one_notice 'cordon trust'
	expect 1 why -q read '~/.ssh'
	silent
}

# R31-R32 differs: an approval is for exactly the listed requests of one text, pinned to their targets
@test "list, approve, a changed byte needs a new approval, revoke" {
	setup_greedy
	expect 1 trust
	said "$P/.cordon.json" 'read ~/.ssh' 'the whole network' "$HOME/.ssh" --yes
	denied read '~/.ssh/id_ed25519'

	expect 0 trust --yes
	said "$P/.cordon.json" 'read ~/.ssh' 'the whole network'
	allowed read '~/.ssh/id_ed25519'
	said "$P/.cordon.json:1:21"
	silent
	allowed connect example.org:443
	expect 0 trust

	printf ' ' >>.cordon.json
	denied read '~/.ssh/id_ed25519'
	one_notice 'cordon trust'
	denied connect example.org:443
	expect 1 trust

	policy <<<"$GREEDY"
	allowed read '~/.ssh/id_ed25519'
	expect 0 trust --revoke
	denied read '~/.ssh/id_ed25519'
	expect 1 trust
	expect 0 trust --revoke
}

@test "an approval is for one file: the same text elsewhere needs its own" {
	setup_greedy
	expect 0 trust --yes
	mkdir -p "$T/copy/.git"
	cp .cordon.json "$T/copy/"
	cd "$T/copy"
	denied read '~/.ssh/x'
	one_notice "$T/copy/.cordon.json"
	expect 1 trust
	cd "$P"
	allowed read '~/.ssh/x'
}

@test "the approval is in a folder of mode 700 and a file of mode 600" {
	setup_greedy
	expect 0 trust --yes
	[ "$(stat -c %a "$XDG_STATE_HOME/cordon/trust")" = 700 ]
	[ "$(stat -c %a "$XDG_STATE_HOME"/cordon/trust/*.json)" = 600 ]
	[ "$(find "$P" -newer .cordon.json -type f | wc -l)" -eq 0 ]
}

@test "an approval that others could have written, or a damaged one, is ignored" {
	local record

	setup_greedy
	expect 0 trust --yes
	record=$(echo "$XDG_STATE_HOME"/cordon/trust/*.json)
	chmod 666 "$record"
	denied read '~/.ssh/x'
	heard "$record"
	refused trust
	chmod 600 "$record"
	allowed read '~/.ssh/x'
	printf '{"file": ' >"$record"
	denied read '~/.ssh/x'
	heard "$record"
	expect 0 trust --revoke
	expect 0 trust --yes
	allowed read '~/.ssh/x'
}

@test "an approval that names another file is ignored" {
	local record

	setup_greedy
	expect 0 trust --yes
	record=$(echo "$XDG_STATE_HOME"/cordon/trust/*.json)
	sed -i 's|project/.cordon.json|other/.cordon.json|' "$record"
	denied read '~/.ssh/x'
}

@test "a link swapped after the approval is refused" {
	mkdir -p "$HOME/harmless" "$HOME/precious"
	ln -s harmless "$HOME/link"
	policy <<<'{"files": {"read": ["~/link"]}}'
	expect 1 trust
	said "$HOME/harmless"
	expect 0 trust --yes
	allowed read '~/link/x'
	ln -sfn precious "$HOME/link"
	denied read '~/link/x'
	one_notice 'leads elsewhere'
	denied read '~/precious/x'
	expect 1 trust
	said "$HOME/precious"
	ln -sfn harmless "$HOME/link"
	allowed read '~/link/x'
}

@test "a folder replaced after the approval is refused" {
	mkdir -p "$HOME/data" "$HOME/precious"
	policy <<<'{"files": {"read": ["~/data"]}}'
	expect 0 trust --yes
	allowed read '~/data/x'
	mv "$HOME/data" "$HOME/old"
	ln -s precious "$HOME/data"
	denied read '~/precious/x'
	rm "$HOME/data"
	mkdir "$HOME/data"
	denied read '~/data/x'
	expect 1 trust
}

@test "enabled false in a Zed-shaped project file changes nothing, approved or not" {
	policy <<<'{"terminal": {"sandbox": {"enabled": false, "additional_read_only_paths": ["~/.ssh"]}}}'
	denied read '~/.ssh/x'
	one_notice 'no sandbox'
	denied write /srv/x
	allowed write x
	expect 0 trust --yes
	denied read '~/.ssh/x'
	denied write /srv/x
	denied connect example.org:443
}

@test "the project's own Zed settings need approval, also when named with -p" {
	mkdir -p .zed "$HOME/.ssh"
	policy .zed/settings.json <<-'END'
		{"terminal": {"sandbox": {"enabled": true, "additional_read_only_paths": ["~/.ssh"]}}}
	END
	denied -p zed:.zed/settings.json read '~/.ssh/x'
	heard 'cordon trust'
	policy .zed/settings.json <<<'{"terminal": {"sandbox": {"enabled": false}}}'
	denied -p zed:.zed/settings.json read '~/.ssh/x'
	denied -p zed:.zed/settings.json write /srv/x
}

@test "approving settings by a relative name is no approval for another project" {
	mkdir -p .zed "$HOME/.ssh" "$T/other/.git" "$T/other/.zed"
	policy .zed/settings.json <<-'END'
		{"terminal": {"sandbox": {"enabled": true, "additional_read_only_paths": ["~/.ssh"]}}}
	END
	cp .zed/settings.json "$T/other/.zed/"
	expect 0 trust --yes -p zed:.zed/settings.json
	allowed -p zed:.zed/settings.json read '~/.ssh/x'
	allowed -p "zed:$P/.zed/settings.json" read '~/.ssh/x'
	cd "$T/other"
	denied -p zed:.zed/settings.json read '~/.ssh/x'
}

@test "each kind of request is listed in words" {
	policy <<-'END'
		{
		  "extends": ["node"],
		  "files": {
		    "write": ["/srv/w"], "execute": ["/srv/x"], "default": "r",
		    "rules": [{"effect": "allow", "rights": "c", "path": "**/new", "match": "glob"}]
		  },
		  "network": {"domains": ["api.example.com"], "ports": [8443], "private": ["10.0.0.0/8"],
		    "resolver": "127.0.0.1:53"},
		  "sockets": ["docker"],
		  "env": {"mode": "inherit", "allow": ["MY_TOKEN"], "set": {"CI": "1"}},
		  "tmp": "shared",
		  "accept": ["files.read"]
		}
	END
	expect 1 trust
	said 'profile node' /srv/w /srv/x 'read everywhere' '**/new' api.example.com 8443 10.0.0.0/8 \
	    127.0.0.1:53 docker 'mode inherit' MY_TOKEN 'CI set to "1"' 'shared tmp' files.read
	expect 1 trust --json
	json 'd["state"] == "asking" and len(d["requests"]) >= 14'
	json 'all(r["line"] > 1 and r["column"] > 0 for r in d["requests"])'
	expect 1 why read /srv/w
	one_notice ' more; '
}

@test "a project that only narrows has no requests and is applied" {
	policy <<<'{"files": {"deny": ["$PROJECT/secret"]}, "network": "none", "limits": {"time": "1m"}}'
	expect 0 trust
	denied read secret/x
	silent
	allowed read x
}

@test "a project may allow below its own deny what it has anyway" {
	policy <<<'{"files": {"deny": ["$PROJECT/a"], "read": ["$PROJECT/a/b"]}}'
	denied read a/x
	silent
	allowed read a/b/x
	expect 0 trust
}

# R34 differs: it is granted without the protected names
@test "protected names and the user's denies are never granted" {
	user_policy <<<'{"files": {"deny": ["~/closed"]}}'
	policy <<<'{"files": {"write": ["$PROJECT/.git/hooks/x", "$PROJECT/.envrc", "~/closed"]}}'
	expect 1 trust
	said 'no project can be granted it'
	timeout 60 "$CORDON" trust --yes >/dev/null
	denied create .git/hooks/x
	denied create .envrc
	denied read '~/closed/x'
}

@test "letters that look like others are pointed out" {
	policy <<<'{"network": {"domains": ["аpi.example.com"]}}'
	expect 1 trust
	said 'look twice'
	expect 1 trust --json
	json 'd["requests"][0]["warning"]'
}

@test "--json: none, asking, approved, revoked" {
	expect 0 trust --json
	json 'd["file"] is None and d["state"] == "none" and d["requests"] == []'
	setup_greedy
	expect 1 trust --json
	json "d['file'] == '$P/.cordon.json' and d['state'] == 'asking' and len(d['requests']) == 2"
	json 'd["requests"][0]["path"].endswith("/.ssh") and d["requests"][0]["line"] == 1'
	expect 0 trust --json --yes
	json 'd["state"] == "approved"'
	expect 0 trust --json
	json 'd["state"] == "approved" and d["requests"] == []'
	expect 0 trust --json --revoke
	json 'd["state"] == "revoked"'
}

@test "no policy, nothing to approve" {
	expect 0 trust
	expect 0 trust --yes
	expect 0 trust --revoke
	[ ! -e "$XDG_STATE_HOME/cordon/trust" ]
}

@test "--yes and --revoke exclude each other" {
	setup_greedy
	refused trust --yes --revoke
	expect 1 trust
}

@test "an invalid project policy stops everything, with its position" {
	policy <<<'{"files": {"read": ["~/.ssh"]'
	refused_at "$P/.cordon.json:2:1" why read x
	refused plan
	refused trust
	refused trust --yes
	expect 1 why --no-project-policy read '~/.ssh'
}

@test "a project's policy extends profiles only, no files" {
	policy more.json <<<'{"files": {"read": ["~/.ssh"]}}'
	policy <<<'{"extends": ["./more.json"]}'
	refused_at "$P/.cordon.json:1:14" why read '~/.ssh/x'
	refused_at "$P/.cordon.json:1:14" trust --yes
	expect 1 why --no-project-policy read '~/.ssh/x'
}

@test "a project policy that is a FIFO, a folder or unreadable: 125, never ignored, never a hang" {
	mkfifo .cordon.json
	refused why read x
	heard .cordon.json
	rm .cordon.json
	mkdir .cordon.json
	refused why read x
	rmdir .cordon.json
	ln -s .cordon.json .cordon.json
	refused why read x
}

@test "where the approval cannot be stored it is not given" {
	setup_greedy
	printf '' >"$T/file"
	XDG_STATE_HOME=$T/file refused trust --yes
	XDG_STATE_HOME=$T/file denied read '~/.ssh/x'
}

@test "after a change only what is new is listed" {
	mkdir -p "$HOME/data"
	policy <<<'{"files": {"read": ["/srv", "~/data"]}}'
	expect 0 trust --yes
	policy <<<'{"files": {"read": ["/srv", "~/data", "/mnt"]}}'
	expect 1 trust
	said 'read /mnt' 'and 2 that were granted before'
	unsaid 'read /srv' 'read ~/data'
	expect 1 trust --json
	json '[r["granted_before"] for r in d["requests"]] == [True, True, False]'
	# nothing is granted by that
	denied -q read /srv/x
	# what leads elsewhere now is new
	rmdir "$HOME/data"
	mkdir "$HOME/elsewhere"
	ln -s elsewhere "$HOME/data"
	expect 1 trust
	said 'read ~/data' "which is $HOME/elsewhere" 'and 1 that was granted before'
	expect 0 trust --yes
	allowed -q read /mnt/x
}

@test "a folder that an approved project names and that is missing stops no run" {
	policy <<<'{"files": {"write": ["~/.tool"]}}'
	expect 0 trust --yes
	expect 0 run -- true
	one_notice "not granted: $HOME/.tool does not exist"
	expect 1 run -q -- sh -c 'mkdir ~/.tool 2>/dev/null || exit 1'
	mkdir "$HOME/.tool"
	expect 0 run -- sh -c 'echo x >~/.tool/x'
	silent
	# approved while it was there, and gone
	expect 0 trust --yes
	rm -r "$HOME/.tool"
	expect 0 run -- true
	# a link in its place is not what was approved
	mkdir "$HOME/other"
	ln -s other "$HOME/.tool"
	expect 1 run -q -- sh -c 'echo x >~/.tool/y 2>/dev/null || exit 1'
	[ ! -e "$HOME/other/y" ]
}
