#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon shell -c, and cordon-shell in the place of a shell.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # $ is for the shell inside; variables of common

load ../lib/common

setup_shell()
{
	mkdir -p "$T/bin"
	ln -sf "$CORDON" "$T/bin/cordon-shell"
	shell=$T/bin/cordon-shell
	export SHELL=/bin/bash
}

@test "-c has the results of the shell itself" {
	local command

	setup_shell
	for command in 'echo a "$0" "$1"; exit 3' 'cat; false' 'printf "%s|" "$@"' 'kill -TERM $$' 'nonsense-x' 'echo "'; do
		out=$(echo in | bash -c "$command" zero 'one two' -x 2>/dev/null) && status=0 || status=$?
		[ "$(echo in | "$CORDON" shell -c "$command" zero 'one two' -x 2>/dev/null; echo "$?")" = "$out${out:+
}$status" ] || [ "$(echo in | "$CORDON" shell -c "$command" zero 'one two' -x 2>/dev/null)" = "$out" ] ||
		    complain "$command" || return 1
		got=0
		echo in | "$shell" -c "$command" zero 'one two' -x >"$T/out" 2>/dev/null || got=$?
		[ "$got" -eq "$status" ] && [ "$(cat "$T/out")" = "$out" ] || complain "cordon-shell: $command" "$got" || return 1
	done
}

@test "-l and -i are those of a shell, also together" {
	setup_shell
	expect 0 shell -c 'shopt -q login_shell || echo no login; echo "${-//[^i]/}"'
	[ "$out" = 'no login' ]
	expect 0 shell -lc 'shopt -q login_shell && echo login'
	[ "$out" = login ]
	expect 0 shell -lic 'echo "${-//[^i]/}"'
	[ "$out" = i ]
	refused shell word
}

@test "what runs in it is inside, with its own policy and options" {
	setup_shell
	only_in='touch ~/outside'
	bash -c "$only_in"
	rm "$HOME/outside"
	expect 1 shell -c "$only_in"
	[ ! -e "$HOME/outside" ]
	expect 0 shell --write "$HOME/outside2/" -c 'touch ~/outside2/x; echo "$CORDON $SHELL"'
	[ "$out" = '1 /bin/bash' ]
}

@test "cordon-shell as SHELL starts a shell and not itself" {
	setup_shell
	export SHELL=$shell
	expect 0 shell -c 'echo "$SHELL"; test "$SHELL" != '"'$shell'"
	# make and script take SHELL
	printf 'SHELL = %s\nall:\n\t@echo "$$CORDON"; touch %s/outside || echo refused\n' "$shell" "$HOME" >Makefile
	[ "$(make -s 2>/dev/null)" = $'1\nrefused' ]
	[ "$(exec -a -cordon-shell "$shell" -c 'echo by a login program')" = 'by a login program' ]
}

@test "history is kept, apart from that outside" {
	command -v expect >/dev/null || skip 'expect is not installed'
	setup_shell
	echo 'echo outside' >"$HOME/.bash_history"
	cat >"$T/session" <<-END
		set timeout 20
		spawn $CORDON shell
		expect -re {[\$#] }
		send "printf in-%d 42; cat ~/.bash_history\r"
		expect "in-42"
		send "exit\r"
		expect eof
	END
	command expect "$T/session" >"$T/said"
	[ "$(grep -c "echo outside" "$T/said")" -eq 0 ] || complain "$(cat "$T/said")"
	grep -qF 'printf in-%d 42' "$XDG_STATE_HOME/cordon-shell/history.bash" || complain "$(cat "$T/said")"
	[ "$(cat "$HOME/.bash_history")" = 'echo outside' ]
}
