#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Job control: ^C, ^\, ^Z, fg, bg, jobs in the background that read or write, and the end of the
# terminal. The shell that starts `cordon run` must see the same as without it.

# shellcheck disable=SC2016,SC2154 # $ is for the shell inside; T and so on are common's

load ../lib/tmux

@test "^C ends the command, its list and its loop" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w ./hang; echo af''ter'
		shows '^ready'
		keys C-c
		sh_line 'echo "=$?="; while :; do w ./hang; done'
		shows '^=130='
		shows '^ready' 2
		keys C-c
		prompt
		same "$(screen)"
	done
}

@test "^C and ^\\ reach the command exactly once, and a command that handles them continues" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w $PYTHON count SIGINT SIGQUIT; echo "=$?="'
		shows '^ready'
		keys C-c
		shows 'signal 2'
		type_line one
		shows '^one: \[2\]'
		keys "C-\\"
		shows 'signal 3'
		type_line two
		shows '^two: \[3\]'
		type_line end
		prompt
		same "$(screen)"
		screen_has '^=0='
	done
}

@test "^\\ ends the command, and the shell knows" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'ulimit -c 0'
		sh_line 'w ./hang; echo "=$?="'
		shows '^ready'
		keys "C-\\"
		prompt
		same "$(screen)"
		screen_has '^=131='
	done
}

@test "^Z stops the job, fg continues it, repeatedly; bg continues it in the background" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w ./hang'
		shows '^ready'
		for round in 1 2 3; do
			state SR
			keys C-z
			shows Stopped "$round"
			state T
			sh_line fg
			shows '^w ./hang' "$round"
		done
		state SR
		keys C-z
		state T
		sh_line 'bg; jobs -r'
		shows Running
		state SR
		sh_line fg
		shows '^w ./hang' 4
		keys C-c
		sh_line 'echo "=$?="'
		prompt
		same "$(screen)"
		screen_has '^=130='
	done
}

@test "a stopped job: its status, a stop by another process, and its end" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w ./hang; echo "=$?="'
		shows '^ready'
		keys C-z
		state T
		# 128 and SIGTSTP
		shows '^=148='
		sh_line fg
		state SR
		kill -STOP "$(cat pid)"
		shows Stopped 2
		sh_line 'kill %1'
		# what bash says of it is another matter: now and then it goes on calling a bare one stopped
		until_true 60 gone "$(cat pid)"
		prompt
	done
}

# With a terminal of its own the command is in another group, and runs on; the shell's view is the same.
@test "a stop of the whole job ends when the job continues" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w ./hang'
		shows '^ready'
		keys C-z
		for round in 1 2; do
			sh_line 'bg; kill -STOP %1; while [ -z "$(jobs -s)" ]; do sleep 0.1; done'
			sh_line fg
			shows '^w ./hang$' "$round"
			state SR
			keys C-z
			state T
		done
		sh_line fg
		state SR
		keys C-c
		sh_line 'jobs; echo "=$?="'
		prompt
		same "$(screen)"
	done
}

@test "a command that catches SIGTSTP cleans up first, one that ignores it continues" {
	cat >catch <<-'END'
		import os, signal, sys
		def stop(number, frame):
		    os.write(1, b"cleaned\n")
		    os.kill(os.getpid(), signal.SIGSTOP)
		    os.write(1, b"back\n")
		signal.signal(signal.SIGTSTP, signal.SIG_IGN if "ignore" in sys.argv else stop)
		os.write(1, b"ready\n")
		while True:
		    line = os.read(0, 100)
		    if line in (b"end\n", b""):
		        break
		    os.write(1, b"read %s\n" % line.strip())
	END
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w $PYTHON catch stop'
		shows '^ready'
		keys C-z
		shows cleaned
		shows Stopped
		sh_line fg
		shows '^back'
		type_line end
		sh_line 'w $PYTHON catch ignore'
		shows '^ready' 2
		keys C-z
		type_line more
		shows 'read more'
		type_line end
		prompt
		same "$(screen)"
	done
}

@test "a background job that reads stops, and continues reading in the foreground" {
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w head -n 1 &'
		prompt
		until_true 60 job_stopped || complain_screen "the job does not stop"
		type_line fg
		shows '^w head'
		type_line typed
		shows '^typed' 2
		sh_line 'echo "=$?="'
		shows '^=0='
		prompt
	done
}

@test "a background job writes, and stops if tostop is set" {
	for mode in $MODES; do
		terminal "$mode"
		sh_line 'w echo free''ly & wait'
		shows '^freely'
		sh_line 'stty tostop'
		sh_line 'w echo held''back &'
		prompt
		until_true 60 job_stopped || complain_screen "the job does not stop"
		hides '^heldback'
		type_line fg
		shows '^heldback'
		sh_line 'echo "=$?="'
		shows '^=0='
		prompt
	done
}

# Nobody could bring it to the foreground, so the kernel does not stop it, and reading fails. It reads only
# once its parent is gone: a job that is stopped already when it loses its shell is hung up.
@test "a command in an orphaned process group does not wait for the terminal" {
	mkfifo go
	for mode in $MODES; do
		rm -f ended
		terminal "$mode"
		sh_line '( (read -r x <go; w head -n 1 </dev/tty >/dev/null 2>&1; echo $? >ended) & )'
		prompt
		timeout 60 sh -c 'echo >go'
		holds ended '^[01]$'
	done
}

@test "jobs of a confined shell: ^Z, fg, bg, ^C, and suspend" {
	programs
	for mode in $MODES; do
		terminal "$mode"
		sh_line "w env HISTFILE= PS1='<\\#> ' bash --norc --noprofile"
		ends_with '^<1>$'
		type_line './hang'
		shows '^ready'
		keys C-z
		ends_with '^<2>$'
		state T
		type_line 'jobs; bg'
		ends_with '^<3>$'
		state SR
		type_line fg
		shows '^./hang$'
		keys C-c
		ends_with '^<4>$'
		type_line 'echo "=$?="; suspend'
		shows '^=130='
		sh_line fg
		keys Enter
		ends_with '^<5>$'
		type_line 'exit 6'
		sh_line 'echo "=$?="'
		shows '^=6='
		prompt
		same "$(screen)"
	done
}

# Each in its own words, so only the facts are compared.
@test "jobs of zsh, dash and fish: ^Z, fg, ^C" {
	programs
	waits='(\[.#\]|[#>])$'
	for shell in 'zsh -f' 'dash -i' 'fish -N'; do
		for mode in $MODES; do
			# shellcheck disable=SC2086 # a program and an option
			terminal "$mode" $shell
			ends_with "$waits"
			type_line 'w ./hang'
			shows '^ready'
			keys C-z
			state T
			shows '[Ss]topped|suspended'
			ends_with "$waits"
			type_line 'fg; echo fol''lows'
			shows 'w ./hang' 2
			state SR
			keys C-c
			ends_with "$waits"
			case $shell in
			fish*) type_line 'echo "<$status>"' ;;
			*) type_line 'echo "<$?>"' ;;
			esac
			shows '^<[0-9]+>'
			same "$(grep -Eo '^<[0-9]+>|.*follows$' "$T/screen")"
			gone "$(cat pid)"
		done
	done
}

# What it started holds a pipe open; its end is the end of all of them.
@test "closing the terminal ends the command, which may clean up, and all its processes" {
	cat >tree <<-'END'
		#!/bin/bash
		exec 9>alive
		trap 'echo saved >saved; exit 1' HUP
		sleep 600 &
		if [ "$1" != bare ]; then
			(trap '' HUP; exec sleep 600) &
			setsid sleep 600 &
		fi
		echo ready
		while :; do wait; done
	END
	chmod 755 tree
	mkfifo alive
	for mode in $MODES; do
		terminal "$mode"
		sh_line "w ./tree $mode"
		hang_up
		# as an editor starts it: without a shell in between
		terminal "$mode" w ./tree "$mode"
		hang_up
	done
}

# The window goes once the tree in it is ready, and all of the tree with it.
hang_up()
{
	local reader

	rm -f saved
	timeout 120 cat alive >/dev/null 3>&- &
	reader=$!
	shows '^ready'
	mux kill-pane -t "$PANE"
	wait "$reader"
	holds saved saved
}

@test "under nohup closing the terminal ends no process" {
	cat >stay <<-'END'
		#!/bin/sh
		echo ready >begun
		until [ -e go ]; do sleep 0.05; done
		echo went on >end
	END
	chmod 755 stay
	for mode in $MODES; do
		rm -f begun go end
		terminal "$mode"
		sh_line 'nohup w ./stay &'
		holds begun ready
		shell=$(mux display-message -p -t "$PANE" '#{pane_pid}')
		mux kill-pane -t "$PANE"
		until_true 60 gone "$shell"
		touch go
		holds end 'went on'
	done
}

@test "killing the launcher of a stopped job ends the command" {
	programs
	for mode in run pty; do
		terminal "$mode"
		sh_line 'w ./hang'
		shows '^ready'
		keys C-z
		state T
		sh_line 'kill -KILL %1'
		until_true 60 gone "$(cat pid)"
		prompt
	done
}
