# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is read by the tests; T and so on are common's
# Tests on a real terminal: a tmux server for each test, driven by keys and checked by its screen. A test waits
# for text on the screen or in a file, never for a fixed time. The same keys are typed in three modes: `w COMMAND`
# is the command alone (bare), `cordon run` (run), or `cordon run --pty` (pty).

load ../lib/common

MODES='bare run pty'

teardown()
{
	[ -z "${SOCKET:-}" ] || terminal_end
}

mux()
{
	tmux -S "$SOCKET" -f /dev/null "$@" 3>&-
}

# The path of a unix socket has at most 107 characters.
socket_path()
{
	SOCKET=$T/s
	[ "${#SOCKET}" -lt 100 ] || SOCKET=$(mktemp -d /tmp/cordon-tmux.XXXXXX)/s
}

terminal_begin()
{
	socket_path
	mkdir -p "$T/bin"
	export PATH=$T/bin:$PATH SHELL=/bin/sh CORDON PYTHON T
	# one window stays open, so that the server runs as long as the test
	mux new-session -d -s t -x 80 -y 24 sleep 3600
	SERVER=$(mux display-message -p -t t '#{pid}')
	mux set-option -g default-terminal screen
}

terminal_end()
{
	mux kill-server 2>/dev/null || true
	[ -z "${SERVER:-}" ] || until_true 60 gone "$SERVER" || kill -KILL "$SERVER"
	case $SOCKET in
	/tmp/cordon-tmux.*/s) rm -rf "${SOCKET%/s}" ;;
	esac
}

# state_of PID: prints its state as in proc(5), or nothing if it does not exist.
state_of()
{
	local stat

	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
	stat=${stat##*) }
	printf '%s' "${stat%% *}"
}

gone()
{
	case $(state_of "$1") in
	'' | Z | X) ;;
	*) return 1 ;;
	esac
}

# terminal MODE [COMMAND...]: writes `w` for the mode and opens a window with COMMAND (default: a shell with
# numbered prompts).
terminal()
{
	local mode=$1

	shift
	[ -n "${SOCKET:-}" ] || terminal_begin
	mkdir -p "$T/$mode"
	case $mode in
	bare) echo 'exec "$@"' ;;
	run) echo 'exec "$CORDON" run -q -- "$@"' ;;
	pty) echo 'exec "$CORDON" run -q --pty -- "$@"' ;;
	shell) echo 'exec "$CORDON" shell "$@"' ;;
	shell-pty) echo 'exec "$CORDON" shell --pty "$@"' ;;
	esac | sed '1i #!/bin/sh' >"$T/$mode/w"
	chmod 755 "$T/$mode/w"
	[ $# -gt 0 ] || set -- bash --norc --noprofile
	until_true 60 new_window "$@"
	NUMBER=0
}

# fork may fail on a busy machine, so the caller retries.
new_window()
{
	PANE=$(mux new-window -d -P -F '#{pane_id}' -t t: -c "$P" \
	    env PATH="$T/$mode:$PATH" PS1='[\#] ' HISTFILE= "$@")
}

screen()
{
	mux capture-pane -p -t "$PANE"
}

keys()
{
	mux send-keys -t "$PANE" "$@"
}

# type_line TEXT: types it literally, then Enter.
type_line()
{
	keys -l -- "$1"
	keys Enter
}

# screen_has REGEX [TIMES]: at least so many lines match.
screen_has()
{
	screen >"$T/screen" 2>/dev/null && [ "$(grep -Ec -e "$1" "$T/screen")" -ge "${2:-1}" ]
}

# screen_ends REGEX: the last line that is not empty matches.
screen_ends()
{
	screen >"$T/screen" 2>/dev/null && grep . "$T/screen" | tail -n 1 | grep -Eq -e "$1"
}

shows()
{
	until_true 60 screen_has "$@" || complain_screen "not on the screen: $*"
}

screen_lacks()
{
	screen >"$T/screen" 2>/dev/null && ! grep -Eq -e "$1" "$T/screen"
}

# hides REGEX: no line on the screen matches.
hides()
{
	screen_lacks "$1" || complain_screen "not expected on the screen: $1"
}

ends_with()
{
	until_true 60 screen_ends "$1" || complain_screen "not at the end of the screen: $1"
}

complain_screen()
{
	printf '%s\n' "$1" 'the screen:' >&2
	screen | grep . >&2
	return 1
}

# Waits until the shell of the window has run all commands and shows its next prompt.
prompt()
{
	NUMBER=$((NUMBER + 1))
	ends_with "^\\[$NUMBER\\]\$"
}

# sh_line TEXT: waits for the prompt, then types.
sh_line()
{
	prompt && type_line "$1"
}

# holds FILE REGEX: waits until a line of the file matches.
file_has()
{
	[ -f "$1" ] && grep -Eq -e "$2" "$1"
}

holds()
{
	until_true 60 file_has "$1" "$2" || complain_screen "not in $1: $2"
}

# resize COLUMNS LINES: waits until the terminal has this size; tmux sets it asynchronously.
resize()
{
	mux resize-window -t "$PANE" -x "$1" -y "$2"
	until_true 60 has_size "$2 $1"
}

has_size()
{
	[ "$(stty -F "$(mux display-message -p -t "$PANE" '#{pane_tty}')" size)" = "$1" ]
}

window_gone()
{
	! mux list-panes -s -t t -F '#{pane_id}' | grep -qx -e "$PANE"
}

# Ends the shell of the window and waits until the window is closed.
leave()
{
	sh_line exit && until_true 60 window_gone || complain_screen 'the window stays'
}

# same FACTS: compares the facts of this mode with those of the bare one.
same()
{
	[ "$mode" != bare ] || bare=$1
	[ "$1" = "$bare" ] || {
		printf '%s\n' "mode $mode differs, bare:" "$bare" "$mode:" "$1" >&2
		return 1
	}
}

# Writes programs. hang: writes its pid and waits. count: prints the signals that it received.
programs()
{
	cat >hang <<-'END'
		#!/bin/sh
		echo $$ >pid.new && mv pid.new pid
		echo ready
		exec sleep 600
	END
	# each signal writes a byte, so two that arrive together are both counted
	cat >count <<-'END'
		import os, signal, sys
		arrived, wake = os.pipe()
		os.set_blocking(arrived, False)
		os.set_blocking(wake, False)
		signal.set_wakeup_fd(wake)
		def tell(number, frame):
		    os.write(1, b"signal %d\n" % number)
		for name in sys.argv[1:]:
		    signal.signal(getattr(signal, name), tell)
		os.write(1, b"ready\n")
		while True:
		    line = os.read(0, 100)
		    if line in (b"end\n", b""):
		        break
		    try:
		        numbers = list(os.read(arrived, 100))
		    except BlockingIOError:
		        numbers = []
		    os.write(1, b"%s: %s\n" % (line.strip(), str(numbers).encode()))
	END
	chmod 755 hang
}

# state LETTERS: waits until hang is in one of these states (T: stopped).
in_state()
{
	local now

	now=$(state_of "$(cat pid)")
	[ -n "$now" ] && [[ $1 == *"$now"* ]]
}

state()
{
	until_true 60 in_state "$1" || complain_screen "the command is not in a state of $1"
}

# The shell reports a stopped job at its next prompt, so press Enter.
job_stopped()
{
	keys Enter
	screen_has Stopped
}
