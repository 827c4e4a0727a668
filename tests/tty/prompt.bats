#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon shell: refusals are shown before the next prompt, never while a program has the screen.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; T and P are common's

load ../lib/tmux

# Lines that are longer than the screen in one piece: the home of a test may have a long path.
screen()
{
	mux capture-pane -p -J -t "$PANE" | sed 's/ *$//'
}

# open_shell NAME: cordon shell on a terminal, with that shell and a prompt of its user's start-up files.
open_shell()
{
	command -v "$1" >/dev/null || skip "no $1"
	mkdir -p "$XDG_CONFIG_HOME/fish" "$T/run"
	echo "PS1='ready> '" | tee "$HOME/.bash_profile" >"$HOME/.zshrc"
	echo 'export FROM_ZSHENV=yes' >"$HOME/.zshenv"
	printf "set -g fish_greeting\nfunction fish_prompt\n\techo -n 'ready> '\nend\n" >"$XDG_CONFIG_HOME/fish/config.fish"
	mode=bare
	terminal bare
	sh_line "clear; SHELL=$(command -v "$1") XDG_RUNTIME_DIR='$T/run' \"\$CORDON\" shell"
	ends_with 'ready> *$'
}

# appears REGEX: before this prompt or, where the launcher is slower than the shell, before a later one.
appears()
{
	until_true 60 at_a_prompt "$1" || complain_screen "not at a prompt: $1"
}

at_a_prompt()
{
	screen_has "$1" && return 0
	keys Enter
	sleep 0.3
	return 1
}

# A program with the whole screen; it asks for something that is refused, and waits for a file.
full_screen()
{
	cat >full <<-'END'
		#!/bin/sh
		printf '\033[?1049h\033[H\033[2Jin full screen\n'
		touch ~/during 2>/dev/null
		touch asked
		while [ ! -e go ]; do sleep 0.1; done
		printf '\033[?1049l'
	END
	chmod 755 full
}

shows_at_prompt()
{
	open_shell "$1"
	type_line 'touch ~/outside; echo do""ne'
	shows '^done$'
	appears "^cordon: refused: create $HOME/outside"
	ends_with 'ready> *$'
	# once
	keys Enter
	keys Enter
	shows '^ready> *$' 2
	screen >"$T/screen"
	[ "$(grep -c '^cordon: .*create .*home/outside' "$T/screen")" -eq 1 ] || complain_screen 'repeated'
	full_screen
	type_line ./full
	shows '^in full screen'
	until_true 60 test -e asked
	sleep 0.5
	hides 'cordon'
	touch go
	appears "^cordon: refused: create $HOME/during"
	ends_with 'ready> *$'
	# many are counted
	case $1 in
	fish) type_line 'for i in 1 2 3 4 5; touch ~/many$i 2>/dev/null; end' ;;
	*) type_line 'for i in 1 2 3 4 5; do touch ~/many$i; done 2>/dev/null' ;;
	esac
	appears '^cordon: (and 2 more refused$|refused: create .*/many5)'
	# the status of the last command stays
	type_line 'false'
	[ "$1" = fish ] || { type_line 'echo "is $?"' && shows '^is 1$'; }
	[ "$1" != zsh ] || { type_line 'echo "env $FROM_ZSHENV ${ZDOTDIR-none}"' && shows '^env yes none$'; }
	# the file can be read and not changed
	lines=$(echo "$T"/run/cordon-shell.*/refusals)
	type_line "test -r $lines && echo re''adable; echo x >>$lines || rm $lines || echo can''not"
	shows '^readable$'
	shows '^cannot$'
	[ "$(grep -c '^cordon: refused: ' "$lines")" -ge 7 ]
	! grep -qx x "$lines" || complain 'it was changed'
	type_line 'exit 0'
	ends_with '^\[2\]$'
	[ ! -e "${lines%/*}" ] || complain 'the folder stays'
}

@test "bash shows refusals before its next prompt" {
	shows_at_prompt bash
}

@test "zsh shows refusals before its next prompt" {
	shows_at_prompt zsh
}

@test "fish shows refusals before its next prompt" {
	shows_at_prompt fish
}

@test "the end of a terminal counts what was shown, and names nothing again" {
	open_shell bash
	type_line 'exec 9>&2; touch ~/outside'
	appears '^cordon: refused: create'
	type_line 'exit 3'
	shows '^cordon: 1 refused; cordon why --last'
	[ "$(grep -c '^cordon: refused: ' "$T/screen")" -eq 1 ] || complain_screen 'named again'
}

@test "cordon shell -c, and a shell that reads a script, show nothing at prompts" {
	in_terminal "SHELL=/bin/bash '$CORDON' shell -c 'touch ~/outside 2>/dev/null; echo [\$PROMPT_COMMAND]'"
	[ "$(tr -d '\r' <<<"$out")" = '[]
cordon: 1 refused; cordon why --last' ] || complain 'something else is on the terminal'
	status=0
	echo 'touch ~/outside 2>/dev/null; echo "[$PROMPT_COMMAND]"; exit 0' | SHELL=/bin/bash "$CORDON" shell >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq 0 ] && [ "$out" = '[]' ] && only_counted 1
}
