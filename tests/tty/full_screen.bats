#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that use the whole terminal, controlled by keys: their display, and the state they leave
# behind, are the same without cordon, with `cordon run` and with `cordon run --pty`.

# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; T and so on are common's

load ../lib/tmux

@test "vim: typing, saving, ^Z and fg, the window size, and the restored screen" {
	vim=$(type -P vim.tiny || type -P vim)
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'echo be''fore'
		sh_line "w $vim -u NONE -n text.$mode"
		shows '^~'
		keys i
		type_line 'first line'
		keys Escape
		until_true 60 vim_has_size 80 24
		resize 70 20
		until_true 60 vim_has_size 70 20
		keys C-z
		shows Stopped
		sh_line fg
		shows '^~'
		type_line ':wq'
		sh_line "cat text.$mode"
		prompt
		same "$(screen | sed "s/text.$mode/text/")"
		grep -qx 'first line' "text.$mode"
	done
}

# vim_has_size COLUMNS LINES: asks it.
vim_has_size()
{
	local answer=no

	type_line ':set columns? lines?'
	shows 'lines=[0-9]+' || return 1
	screen_has "columns=$1\$" && screen_has "lines=$2\$" && answer=yes
	keys Enter
	until_true 60 screen_lacks 'lines=' && [ "$answer" = yes ]
}

@test "less: pages, searches, reads from a pipe, and restores the screen" {
	seq 1000 | sed 's/^/line /' >lines
	for mode in $MODES; do
		terminal "$mode"
		for command in 'w less lines' 'cat lines | w less' 'w cat lines | less' 'w cat lines | w less'; do
			sh_line "$command"
			shows '^line 23$'
			keys Space
			shows '^line 46$'
			keys G
			shows '^line 1000$'
			type_line '?line 500'
			shows '^line 500$'
			keys q
		done
		sh_line 'echo "=$?="'
		prompt
		same "$(screen)"
		screen_has '^=0='
	done
}

@test "top: shows processes, answers keys, ends" {
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'stty -a >before; w top; echo "=$?="; stty -a >after'
		shows 'load average'
		shows 'PID +USER'
		keys h
		shows 'Help for'
		keys Escape
		shows 'load average'
		keys q
		prompt
		screen_has '^=0='
		cmp before after
	done
}

# The words of each shell are its own, so only facts are compared.
@test "bash, zsh, dash and fish: a line, an edited line, a status, ^C at the prompt, the end" {
	for shell in 'bash --norc --noprofile' 'zsh -f' 'dash -i' 'fish -N'; do
		for mode in $MODES; do
			terminal "$mode"
			sh_line "w env HISTFILE= PS1='<> ' $shell"
			use_shell
			sh_line 'echo "=$?="'
			shows '^=7='
			prompt
			same "$(grep -E '^[a-z=][a-z0-9=]*$' "$T/screen")"
		done
	done
}

# Types at the shell of this name whose prompt is <> or fish's own.
use_shell()
{
	local waits='(^<>|^[^<]*[#>])$' status='$?'

	case $shell in
	fish*) status='$status' ;;
	esac
	ends_with "$waits"
	keys -l "echo o''nx"
	shows "o''nx\$"
	keys BSpace e Enter
	shows '^one$'
	ends_with "$waits"
	type_line "sh -c 'exit 5'; echo two$status"
	shows '^two5$'
	ends_with "$waits"
	keys -l 'lost text'
	shows 'lost text'
	keys C-c
	ends_with "$waits"
	type_line "echo th''ree"
	shows '^three'
	ends_with "$waits"
	type_line 'exit 7'
}

@test "python: an answer, ^C, a hidden password, ^D" {
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w $PYTHON -q'
		shows '^>>>$'
		type_line 'print(6*7)'
		shows '^42'
		ends_with '^>>>$'
		keys -l 'lost text'
		shows 'lost text'
		keys C-c
		shows '^KeyboardInterrupt'
		ends_with '^>>>$'
		type_line 'import getpass; print(len(getpass.getpass("secret: ")))'
		ends_with '^secret:'
		type_line hidden
		shows '^6'
		hides hidden
		ends_with '^>>>$'
		keys C-d
		sh_line 'echo "=$?="'
		shows '^=0='
		prompt
	done
}

@test "the window size reaches the command, at once and after a stop" {
	cat >size <<-'END'
		import os, signal
		def tell(*signalled):
		    size = os.get_terminal_size()
		    os.write(1, b"%s %dx%d\n" % (b"now" if signalled else b"is", size.columns, size.lines))
		signal.signal(signal.SIGWINCH, tell)
		tell()
		while True:
		    line = os.read(0, 100)
		    if line in (b"end\n", b""):
		        break
		    tell()
	END
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w $PYTHON size'
		shows '^is 80x24'
		resize 100 30
		shows '^now 100x30'
		resize 90 20
		shows '^now 90x20'
		keys C-z
		shows Stopped
		prompt
		resize 70 22
		type_line 'stty size'
		shows '^22 70'
		sh_line fg
		shows '^w .*size$'
		keys Enter
		shows '^(is|now) 70x22'
		type_line end
		prompt
	done
}

@test "terminal settings are restored, however the command ends" {
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'stty -a >before; w true; stty -a | cmp - before && echo sa''me 1'
		shows '^same 1'
		sh_line "w sh -c 'exit 3'; stty -a | cmp - before && echo sa''me 2"
		shows '^same 2'
		# a shell sees to that when what it started dies of a signal; here it cannot know
		sh_line "w sh -c 'stty -echo -icanon; kill -KILL \$\$'; echo \"=\$?=\"; stty -a | cmp - before && echo sa''me 3"
		shows '^=137='
		shows '^same 3'
		prompt
	done
}

# Free, the shell finds the line typed and runs it, unless the host has this switched off for all (EIO).
@test "TIOCSTI is refused, also with high bits set" {
	cat >inject <<-'END'
		import ctypes, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
		def attempt(fd, request, text):
		    ctypes.set_errno(0)
		    for i in range(len(text)):
		        libc.ioctl(fd, request, ctypes.create_string_buffer(text[i:i + 1]))
		    return ctypes.get_errno()
		number = int(sys.argv[1], 0)
		tty = os.open("/dev/tty", os.O_RDWR)
		print("errors", [attempt(fd, number, sys.argv[2].encode() + b"\n") for fd in (0, 1, 2, tty)])
	END
	for number in 0x5412 0x100005412 0x541c 0x1000000541c; do
		for mode in $MODES; do
			terminal "$mode"
			sh_line "w \$PYTHON inject $number 'echo in''jected'"
			shows '^errors'
			errors=$(sed -n 's/^errors //p' "$T/screen")
			case $mode/$number/$errors in
			bare/*5412/'[0, 0, 0, 0]') shows '^injected' 4 ;;
			bare/*5412/'[5, 5, 5, 5]') ;;
			bare/*541c/'[25, 25, 25, 25]' | bare/*541c/'[22, 22, 22, 22]') ;;
			run/*/'[1, 1, 1, 1]' | pty/*/'[1, 1, 1, 1]')
				sh_line 'echo do''ne'
				shows '^done'
				hides '^injected'
				;;
			*) complain_screen "$mode $number: $errors" ;;
			esac
		done
	done
}

# Their prompts come from their start-up files, which a login shell reads.
@test "cordon shell: start-up files, jobs, ^C, and the status, in bash, zsh, dash and fish" {
	programs
	echo "PS1='<> '" >"$HOME/.profile"
	cp "$HOME/.profile" "$HOME/.zshrc"
	mkdir "$XDG_CONFIG_HOME/fish"
	echo "function fish_prompt; echo '<> '; end" >"$XDG_CONFIG_HOME/fish/config.fish"
	for shell in bash zsh dash fish; do
		for mode in shell shell-pty; do
			terminal "$mode"
			sh_line "SHELL=$(type -P "$shell") w"
			ends_with '^<>$'
			type_line ./hang
			shows '^ready'
			keys C-z
			shows '[Ss]topped|suspended'
			state T
			ends_with '^<>$'
			type_line fg
			shows 'hang' 2
			state SR
			keys C-c
			ends_with '^<>$'
			gone "$(cat pid)"
			type_line "cat '$HOME/secret' || exit 7"
			sh_line 'echo "=$?="'
			shows '^=7='
			prompt
		done
	done
}

# As an editor starts it: without job control outside, and in a session of cordon's own.
@test "cordon shell as the first program of a terminal: jobs, a stop, and the end" {
	programs
	echo "PS1='[\\#] '" >"$HOME/.profile"
	for mode in shell shell-pty; do
		terminal "$mode" env SHELL="$(type -P bash)" w
		sh_line 'kill -STOP $$; kill -TSTP $$; ./hang'
		shows '^ready'
		keys C-z
		state T
		sh_line fg
		shows '^./hang'
		state SR
		keys C-c
		prompt
		gone "$(cat pid)"
		type_line ./hang
		shows '^ready' 2
		mux kill-pane -t "$PANE"
		until_true 60 gone "$(cat pid)"
		terminal "$mode" env SHELL="$(type -P bash)" w
		leave
	done
}

# fish has threads, and leaves the process group that it shares with the launcher.
@test "cordon shell as the first program of a terminal: fish has job control" {
	programs
	mkdir "$XDG_CONFIG_HOME/fish"
	echo "function fish_prompt; echo '<> '; end" >"$XDG_CONFIG_HOME/fish/config.fish"
	for mode in shell shell-pty; do
		terminal "$mode" env SHELL="$(type -P fish)" w
		ends_with '^<>$'
		type_line ./hang
		shows '^ready'
		keys C-z
		shows '[Ss]topped'
		state T
		type_line fg
		state SR
		keys C-c
		ends_with '^<>$'
		gone "$(cat pid)"
		type_line exit
		until_true 60 window_gone || complain_screen 'the window stays'
	done
}
