#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon's own files behind symbolic links: a command cannot replace the policy of the next run or
# its approvals by replacing a link on their path. Each attempt is also made on an ordinary link.

# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # $ is the shell's inside; out and err are common's

load ../lib/common

# attempts LINK EVIL: ways to have LINK lead to EVIL, or to be away, one in a line.
attempts()
{
	local exchange='import ctypes, sys
l = ctypes.CDLL(None, use_errno=True)
sys.exit(l.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2) != 0)'

	cat <<-END
		ln -sfn '$2' '$1'
		rm '$1'
		mv '$1' '$1.away'
		ln -s '$2' other && mv -T other '$1'
		ln -s '$2' other && rename other '$1'
		ln -s '$2' other && $PYTHON -c '$(tr '\n' ';' <<<"$exchange")' other '$1'
		mkdir other && mv -T other '$1'
		$PYTHON -c 'import os; os.unlink("$1"); os.symlink("$2", "$1")'
		$PYTHON -c 'import os; os.symlink("$2", "other"); os.rename("other", "$1")'
		mv '$(dirname "$1")' moved
		mv '${1%%/*}' moved
	END
}

# is_kept LINK EVIL [OPTION...]: none of them changes where LINK leads.
is_kept()
{
	local link=$1 evil=$2 was attempt
	shift 2
	was=$(readlink "$link")
	while read -r attempt; do
		case $attempt in "mv '.'"*) continue ;; esac
		rm -rf other moved
		"$CORDON" run "$@" -- sh -c "$attempt" >"$T/out" 2>"$T/err" </dev/null && complain "succeeds: $attempt"
		[ "$(readlink "$link")" = "$was" ] || complain "changed $link: $attempt"
	done < <(attempts "$link" "$evil")
	rm -rf other moved
}

# The same attempts, on a link that leads to nothing of cordon's.
is_free()
{
	local link=$1 evil=$2 was attempt
	was=$(readlink "$link")
	while read -r attempt; do
		case $attempt in "mv '.'"* | *"rename other"* | "mkdir other"*) continue ;; esac
		rm -rf other moved "$link.away"
		mkdir -p "$(dirname "$link")"
		ln -sfn "$was" "$link"
		expect 0 run -- sh -c "$attempt" || return 1
	done < <(attempts "$link" "$evil")
	rm -rf other moved
}

evil_policy()
{
	mkdir -p "$1"
	printf '{"files": {"write": ["%s"]}}' "$HOME" >"$1/config.json"
}

# A project that holds the user's settings, which the home leads to by links.
setup_dotfiles()
{
	unset XDG_CONFIG_HOME
	rm -rf "$HOME/.config"
	P=$HOME/dotfiles
	mkdir -p "$P/.git" "$P/real/cordon"
	cd "$P" || return 1
	printf '{}' >real/cordon/config.json
	evil_policy evil/cordon
}

@test "no link on the path to the user's policy can be exchanged" {
	setup_dotfiles
	ln -s dotfiles/config "$HOME/.config"
	ln -s second config
	mkdir sub
	ln -s sub/third second
	ln -s ../real sub/third
	is_kept config evil
	is_kept second evil
	is_kept sub/third ../evil
	ln -s real free
	is_free free evil
	mkdir elsewhere
	ln -s ../real elsewhere/free
	is_free elsewhere/free ../evil
	expect 1 why delete config
	said 'denied'
	expect 1 why delete sub/third
	expect 0 why delete sub
	said 'cannot be moved'
	expect 0 run -- touch real/other
}

@test "after such an attempt the next run still cannot write to the home" {
	setup_dotfiles
	ln -s dotfiles/config "$HOME/.config"
	ln -s real config
	expect 1 run -- ln -sfn evil config
	expect 2 run -- sh -c 'echo x >"$HOME/planted"'
	[ ! -e "$HOME/planted" ]
}

@test "links in a writable home and absolute links are protected, too" {
	setup_dotfiles
	ln -s "$P/config" "$HOME/.config"
	ln -s "$P/real" config
	is_kept config "$P/evil" --write "$HOME"
	expect 1 run --write "$HOME" -- ln -sfn "$P/evil" "$HOME/.config"
	expect 1 run --write "$HOME" -- mv "$HOME/.config" "$HOME/away"
	[ "$(readlink "$HOME/.config")" = "$P/config" ]
}

@test "config.json may be a link or a chain of links" {
	setup_dotfiles
	mkdir -p "$HOME/.config/cordon"
	printf '{}' >policy.json
	ln -s policy.json first.json
	ln -s "$P/first.json" "$HOME/.config/cordon/config.json"
	is_kept first.json evil/cordon/config.json
	expect 2 run -- sh -c 'echo "{}" >policy.json'
	expect 1 run -- mv evil/cordon/config.json policy.json
	[ "$(cat policy.json)" = '{}' ]
}

@test "missing folders on the path cannot be created as links" {
	setup_dotfiles
	XDG_CONFIG_HOME=$P/conf/deep expect 1 run -- ln -s evil conf
	[ ! -e conf ]
	export XDG_RUNTIME_DIR=$P/conf/deep
	expect 1 run -- ln -s evil conf
	[ ! -e conf ]
	expect 0 run -- mkdir conf
	evil_policy "conf/evil/cordon"
	expect 1 run -- ln -s evil conf/deep
	expect 1 run -- mv conf/evil conf/deep
	expect 1 run -- mkdir -p conf/deep/cordon
	expect 0 why create conf/deep
	said 'not as a symbolic link'
	[ ! -e conf/deep/cordon ]
	# an empty folder can be removed, and no link takes its place
	rm -rf conf
	mkdir -p conf/deep
	expect 1 run -- sh -c 'rmdir conf/deep && ln -s ../evil conf/deep'
	rm -rf conf
	mkdir -p conf/deep
	expect 1 run -- sh -c 'rmdir conf/deep && ln -s ../evil other && mv -T other conf/deep'
	rm -rf conf other
	mkdir -p conf/deep
	expect 1 run -- sh -c 'rmdir conf/deep conf && ln -s evil other && ln -P other conf'
	[ ! -L conf ] && [ ! -L conf/deep ]
}

@test "links on the paths to approvals, records and logs are protected" {
	setup_dotfiles
	mkdir -p rstate run
	chmod 700 run
	ln -s rstate state
	ln -s run runtime
	XDG_STATE_HOME=$P/state XDG_RUNTIME_DIR=$P/runtime
	export XDG_STATE_HOME XDG_RUNTIME_DIR
	is_kept state evil
	is_kept runtime evil
	# the folders of approvals and logs may be links of their own
	rm -rf rstate/cordon/trust
	mkdir -p "$HOME/state/cordon" trusted logs
	XDG_STATE_HOME=$HOME/state
	ln -s "$P/trusted" "$HOME/state/cordon/trust"
	ln -s "$P/logs" "$HOME/state/cordon/audit"
	expect 1 run -- touch trusted/x
	expect 1 run -- touch logs/x
	expect 1 run -- mv trusted away
}

@test "an approval file that is a link is ignored" {
	policy <<<'{"network": "all"}'
	expect 0 trust --yes
	allowed connect example.org:443
	for record in "$XDG_STATE_HOME"/cordon/trust/*.json; do
		mv "$record" "$T/record"
		ln -s "$T/record" "$record"
	done
	denied connect example.org:443
}

@test "a file that -p or extends names through a link is protected with its links" {
	printf '{}' >first.json
	ln -s first.json by-name.json
	evil_policy evil
	mkdir folder
	ln -s ../first.json folder/base.json
	ln -s folder linked
	printf '{"extends": ["%s"]}' "$P/linked/base.json" >"$XDG_CONFIG_HOME/cordon/config.json"
	is_kept by-name.json evil/config.json -p by-name.json
	is_kept by-name.json evil/config.json -p "$P/by-name.json"
	is_kept linked evil
	is_kept folder/base.json ../evil/config.json
}

@test "a project's policy behind a chain of links is protected with its links" {
	printf '{}' >policy.json
	ln -s policy.json middle
	ln -s middle .cordon.json
	printf '{"files": {"deny": []}}' >evil
	is_kept middle evil
	is_kept .cordon.json evil
}

@test "the system's policy folder cannot be written, whatever is granted" {
	denied create /etc/cordon/config.json --write /etc
	said "the system's policy files"
}

@test "missing git settings of the user behind a link into the project cannot be created" {
	for home in config gitconfig; do
		rm -rf "$HOME/.config" "$HOME/.gitconfig" config gc git e
		unset XDG_CONFIG_HOME
		mkdir config
		case $home in
		config) ln -s "$P/config" "$HOME/.config" ;;
		gitconfig) ln -s "$P/gc" "$HOME/.gitconfig" ;;
		esac
		case $home in config) file=config/git/config ;; *) file=gc ;; esac
		# free, git obeys it
		mkdir -p "$(dirname "$file")" && printf '[x]\n\ty = planted\n' >"$file"
		[ "$(git config x.y)" = planted ] || complain "$home: git does not read it"
		rm -r "${file%%/git/*}" && mkdir -p config
		for attempt in 'mkdir -p "$(dirname "$1")" && echo "[x] y = planted" >"$1"' \
		    'mkdir -p e/git && echo "[x] y = planted" >e/git/config && cp e/git/config e/f && { mv e/git config/git; mv e/f "$1"; ln e/f "$1"; ln -s ../e/f "$1"; }' \
		    'mkdir -p e && ln -s ../e "$(dirname "$1")"; ln -s e/x "$1"'; do
			rm -rf e
			"$CORDON" run -q -- sh -c "$attempt" sh "$file" >"$T/out" 2>"$T/err" </dev/null || :
			[ "$(git config x.y)" != planted ] && [ ! -L "$file" ] &&
			    [ ! -L "$(dirname "$file")" ] || complain "$home: $attempt"
		done
		expect 1 why create "$file"
	done
	# attributes choose among filters
	rm -rf "$HOME/.config" && ln -s "$P/config" "$HOME/.config"
	expect 1 why create config/git/attributes
}
