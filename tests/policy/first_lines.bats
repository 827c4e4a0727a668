#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The first line about a refusal names what a real tool lacks. Nothing here leaves the machine: names are refused
# before they are looked up.
# shellcheck disable=SC2016,SC2034,SC2088,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

# first LINE [OPTION...] -- COMMAND...: the command fails, and the first line of cordon begins with LINE.
first()
{
	local line=$1 have

	shift
	status=0
	timeout 100 "$CORDON" run "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(tr '\000' '?' <"$T/out") err=$(tr '\000' '?' <"$T/err")
	[ "$status" -ne 0 ] && [ "$status" -ne 124 ] || complain "not refused: $*" || return 1
	have=$(grep -a -m 1 '^cordon: ' "$T/err" || :)
	[[ $have == "cordon: refused: $line"* ]] || complain "the first line is: $have"
}

needs()
{
	command -v "$1" >/dev/null || skip "no $1"
}

@test "npm: the profile node" {
	needs npm
	echo '{"name": "x", "version": "1.0.0", "dependencies": {"left-pad": "1"}}' >package.json
	first "create $HOME/.npm is not granted; allow it with -p node" -- npm install --no-audit --no-fund --fetch-retries=0
	# Debian's npm 9 writes this file in any case, and a missing file of a profile is not granted
	mkdir -p "$HOME/.npm"
	touch "$HOME/.npm/_update-notifier-last-checked"
	first 'connect packages.example.test:443 is not among the allowed domains; allow it with --domain packages.example.test' \
	    -p node --net domains -- npm install --registry=https://packages.example.test/ --no-audit --no-fund --fetch-retries=0 --no-update-notifier
}

@test "pip: the network, and with domains the name" {
	"$PYTHON" -m pip --version >/dev/null 2>&1 || skip 'no pip'
	first 'network for python3: no network access is granted' -- "$PYTHON" -m pip download --retries 0 nothing
	first 'connect pypi.org:443 is not among the allowed domains; allow it with --domain pypi.org' --net domains -- \
	    "$PYTHON" -m pip download --retries 0 nothing
}

@test "cargo: the profile rust" {
	needs cargo
	cargo --version >/dev/null 2>&1 || skip 'cargo has no toolchain in this home'
	printf '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2018"\n[dependencies]\nserde = "1"\n' >Cargo.toml
	mkdir src
	echo 'fn main() {}' >src/main.rs
	first "create $HOME/.cargo is not granted; allow it with -p rust" -- cargo build
}

@test "go: the profile go" {
	needs go
	printf 'module x\n\ngo 1.19\n' >go.mod
	printf 'package main\n\nfunc main() {}\n' >main.go
	rm -rf .git
	mkdir -p "$HOME/.cache"
	expect 1 run -- go build -o x .
	[[ $(grep -m 1 '^cordon: ' "$T/err") == 'cordon: refused: create '*'; allow it with -p go' ]] || complain 'the first line'
}

@test "git push: the network of the program behind it, and with domains the host" {
	rm -rf .git
	git init -q .
	git -c user.name=a -c user.email=a@b.test commit -q --allow-empty -m x
	git remote add origin ssh://git@host.test/x.git
	first 'network for ssh: no network access is granted' -- git push origin HEAD
	git remote set-url origin https://host.test/x.git
	first 'connect host.test:443 is not among the allowed domains; allow it with --domain host.test' --net domains -- git push origin HEAD
}

@test "ssh: the network; a key is never suggested" {
	needs ssh
	mkdir -m 700 "$HOME/.ssh"
	ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/id_ed25519" </dev/null
	first 'network for ssh: no network access is granted' -- ssh -o BatchMode=yes host.test true
	first "read $HOME/.ssh/id_ed25519 is not granted: it holds keys; -p ssh passes the ssh agent instead" -- \
	    ssh-keygen -y -f "$HOME/.ssh/id_ed25519"
	[[ $err != *'allow it with'* ]] || complain 'the key is suggested'
}

@test "gpg: its folder holds keys" {
	needs gpg
	first "create $HOME/.gnupg is not granted: it holds keys" -- gpg --list-keys
	[[ $err != *'allow it with'* ]] || complain 'the folder is suggested'
}

@test "a browser: a folder of its own in the private tmp" {
	browser=$(command -v chromium || command -v google-chrome) || skip 'no Chromium'
	mkdir -p "$HOME/.config"
	unset XDG_CONFIG_HOME
	first "create $HOME/.config/" -- "$browser" --headless --no-sandbox --dump-dom about:blank
	heard 'it holds passwords and cookies; with -p browser and --user-data-dir="$TMPDIR/browser" the browser needs none'
	expect 0 run -p browser -- sh -c '"$0" --headless --no-sandbox --user-data-dir="$TMPDIR/browser" --dump-dom about:blank' "$browser"
}

@test "docker: the socket of the daemon" {
	needs docker
	docker --version 2>&1 | grep -q '^Docker' || skip 'no docker'
	"$PYTHON" -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
time.sleep(100)' "$T/docker.sock" 3>&- &
	started=$!
	until_true 20 test -S "$T/docker.sock"
	first "socket $T/docker.sock: the socket is not granted" --env "DOCKER_HOST=unix://$T/docker.sock" -- docker ps
	end_started
}

@test "a file in ~/.config: a missing one is not blamed on cordon, one that is there is named" {
	mkdir -p "$HOME/.config/tool"
	expect 1 run --trace -- cat "$HOME/.config/tool/settings"
	[[ $err != *cordon:* ]] || complain 'it is missing'
	echo x >"$HOME/.config/tool/settings"
	first "read $HOME/.config/tool/settings is not granted; allow it with --read $HOME/.config/tool/settings (observed)" --trace -- \
	    sh -c 'cat ~/.config/tool/settings'
	chmod 000 "$HOME/.config/tool/settings"
	[ "$(id -u)" -ne 0 ] || return 0
	expect 1 run --trace -- cat "$HOME/.config/tool/settings"
	[[ $err != *cordon:* ]] || complain 'its mode forbids it'
}
