#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ssh, scp and git over ssh in a sandbox, with the keys of an agent outside, against a server of the
# test on loopback: the profiles ssh and git, and only the named host.

# shellcheck disable=SC2034,SC2154 # out, err, options and the ports are the helpers'
# shellcheck disable=SC2016 # variables are for the shell inside

load ../lib/common
load ../lib/servers

# A server, a key that only an agent has, and settings in the project: ssh asks the system for its home.
begin()
{
	servers 'a.test 127.0.0.1' 'evil.test 127.0.0.1'
	mkdir -p "$T/there/.ssh" "$T/key"
	chmod 700 "$T/there/.ssh" "$T/key"
	ssh-keygen -q -t ed25519 -N '' -f "$T/key/id"
	cp "$T/key/id.pub" "$T/there/.ssh/authorized_keys"
	chmod 600 "$T/there/.ssh/authorized_keys"
	serve ssh "$PYTHON" "$TREE/tests/net/sshd.py" "$T"
	agent_dir=$(mktemp -d /tmp/cordon-agent.XXXXXX)
	ssh-agent -D -a "$agent_dir/s" >/dev/null 2>&1 3>&- 9>&- &
	agent=$!
	export SSH_AUTH_SOCK=$agent_dir/s
	# the socket is there a moment before anybody listens
	for _ in $(seq 900); do
		ssh-add -q "$T/key/id" 2>/dev/null && break
		sleep 0.1
	done
	ssh-add -l >/dev/null
	for name in a.test evil.test 127.0.0.1; do
		printf '[%s]:%s %s\n' "$name" "$ssh" "$(cat "$T/host.pub")"
		printf '[%s]:%s %s\n' "$name" "$other_ssh" "$(cat "$T/host.pub")"
	done >known
	cat >config <<-END
		UserKnownHostsFile $P/known
		GlobalKnownHostsFile none
		StrictHostKeyChecking yes
		User tester
		Port $ssh
		BatchMode yes
		ConnectTimeout 200
	END
	reach "$ssh"
	options=(-p ssh -p git)
}

teardown()
{
	[ -z "${agent:-}" ] || {
		kill "$agent"
		wait "$agent" || :
		rm -r "$agent_dir"
	}
	stop_servers
}

@test "ssh and scp use the key of the agent" {
	begin
	reaches plain 'hello from tester' "$ssh" "$other_ssh" \
	    ssh -F config -p @PORT @HOST 'echo hello from $USER; exec cat'
	led 3 ssh -F config a.test 'cat >there; exit 3'
	printf 'some bytes\n' >file
	led 0 scp -q -F config file a.test:file
	cmp file "$T/there/file"
	led 0 scp -q -F config a.test:file copy
	cmp file copy
	# nothing of the key is in reach
	expect 1 run -p ssh -- cat "$T/key/id"
}

@test "without the profile there is no agent, and a project's request grants none" {
	begin
	options=()
	led 0 sh -c 'echo "[${SSH_AUTH_SOCK:-}]"'
	said '[]'
	led 'not 0' env SSH_AUTH_SOCK="$SSH_AUTH_SOCK" ssh-add -l
	unsaid ED25519
	policy <<<'{"extends": ["agent", "ssh"]}'
	led 'not 0' env SSH_AUTH_SOCK="$SSH_AUTH_SOCK" ssh-add -l
	unsaid ED25519
	rm .cordon.json
	options=(-p ssh)
	led 0 ssh-add -l
	said ED25519
}

@test "git over ssh: clone, fetch, push" {
	begin
	export GIT_CONFIG_GLOBAL=$HOME/.gitconfig
	git config --global user.name Somebody
	git config --global user.email somebody@example.org
	git config --global init.defaultBranch main
	git init -q --bare "$T/there/r.git"
	for how in led plain; do
		"$how" 0 env GIT_SSH_COMMAND="ssh -F $P/config" git clone -q "a.test:r.git" copy
		"$how" 0 env GIT_SSH_COMMAND="ssh -F $P/config" sh -c 'cd copy && date >>file &&
			git add file && git commit -qm new && git push -q origin HEAD:main && git fetch -q'
		[ "$(git -C "$T/there/r.git" rev-parse main)" = "$(git -C copy rev-parse HEAD)" ]
		rm -rf copy
	done
	reaches plain refs/heads/main "$ssh" "$other_ssh" env GIT_SSH_COMMAND="ssh -F $P/config" \
	    git ls-remote "ssh://@HOST:@PORT/$T/there/r.git"
}
