# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # what is set here is read by the tests
# Functions for the tests of the program. Each test has its own home, project and environment; nothing here
# needs the network or reads the home of the user who runs it.

TREE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd -P)
PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3

setup()
{
	CORDON=${CORDON:-$TREE/build/cordon}
	[ -x "$CORDON" ] || return 1
	CORDON=$(cd "$(dirname "$CORDON")" && pwd -P)/$(basename "$CORDON")
	T=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
	clean_environment
	export HOME=$T/home XDG_CONFIG_HOME=$T/home/.config XDG_STATE_HOME=$T/home/.local/state
	P=$T/project
	mkdir -p "$HOME" "$XDG_CONFIG_HOME/cordon" "$P/.git"
	cd "$P" || return 1
	umask 022
	out='' err='' status=''
}

# Keeps variables of the shell, bats and the sanitizers. A sanitizer exits with a status that cordon never uses.
clean_environment()
{
	local name

	for name in $(compgen -e); do
		case $name in
		PATH | CORDON | BATS_* | ASAN_OPTIONS | UBSAN_OPTIONS | LD_LIBRARY_PATH) ;;
		*) unset "$name" ;;
		esac
	done
	export LANG=C.UTF-8 TERM=dumb CORDON
	export ASAN_OPTIONS=${ASAN_OPTIONS:-exitcode=99} UBSAN_OPTIONS=${UBSAN_OPTIONS:-exitcode=99:halt_on_error=1}
}

# A Debian without /etc/hosts does not resolve it, with cordon or without.
needs_localhost()
{
	getent hosts localhost >/dev/null 2>&1 || skip 'this machine does not resolve localhost'
}

complain()
{
	printf '%s\n' "$@" "status: $status" "stdout:" "$out" "stderr:" "$err" >&2
	return 1
}

# expect STATUS ARGUMENT...: runs cordon and checks its exit status. Sets out and err; writes $T/out and $T/err.
expect()
{
	local want=$1

	shift
	status=0
	timeout "${CORDON_TIMEOUT:-200}" "$CORDON" "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(tr '\000' '?' <"$T/out")
	err=$(tr '\000' '?' <"$T/err")
	[ "$status" -eq "$want" ] || complain "expected status $want: cordon $*"
}

# lacks_getfd: is pidfd_getfd refused here, as in a container?
lacks_getfd()
{
	"$PYTHON" -c 'import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(438, -1, -1, 0)
sys.exit(ctypes.get_errno() == errno.EBADF)'
}

# until_true SECONDS COMMAND...: polls until the command succeeds.
until_true()
{
	local left=$(($1 * 20))

	shift
	while ! "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || return 1
		sleep 0.05
	done
}

# only_free SCRIPT [OPTION...]: the script works without cordon and fails under it.
only_free()
{
	local script=$1

	shift
	sh -c "$script" >"$T/free" 2>&1 </dev/null || complain "fails without cordon, too: $script" || return 1
	expect 9 run "$@" -- sh -c "( $script ) 2>/dev/null || exit 9"
}

# works SCRIPT [OPTION...]: the script works without cordon and under it.
works()
{
	local script=$1

	shift
	sh -c "$script" >"$T/free" 2>&1 </dev/null || complain "fails without cordon: $script" || return 1
	expect 0 run "$@" -- sh -c "$script"
}

# Kills the processes whose pids are in $started.
end_started()
{
	local pid

	for pid in ${started:-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# refused ARGUMENT...: expects status 125, no output on stdout and one line on stderr.
refused()
{
	expect 125 "$@" || return 1
	[ ! -s "$T/out" ] || complain 'expected no output on stdout' || return 1
	[ "$(wc -l <"$T/err")" -eq 1 ] || complain 'expected one line on stderr' || return 1
	case $err in
	'cordon: '* | 'cordon '*': '*) ;;
	*) complain 'the message does not begin with cordon:' ;;
	esac
}

# refused_at POSITION ARGUMENT...: refused, with a message that begins with this source position.
refused_at()
{
	local position=$1

	shift
	refused "$@" || return 1
	case $err in
	"cordon: $position: "*) ;;
	*) complain "expected the position $position" ;;
	esac
}

# said TEXT...: stdout contains each text. heard TEXT...: stderr does. unsaid TEXT...: stdout contains none.
said()
{
	local text

	for text in "$@"; do
		case $out in
		*"$text"*) ;;
		*) complain "expected on stdout: $text" || return 1 ;;
		esac
	done
}

heard()
{
	local text

	for text in "$@"; do
		case $err in
		*"$text"*) ;;
		*) complain "expected on stderr: $text" || return 1 ;;
		esac
	done
}

unsaid()
{
	local text

	for text in "$@"; do
		case $out in
		*"$text"*) complain "not expected on stdout: $text" || return 1 ;;
		esac
	done
}

silent()
{
	[ ! -s "$T/err" ] || complain 'expected no output on stderr'
}

# only_counted N: stderr is the line that a command which succeeds gets for N refusals.
only_counted()
{
	[ "$err" = "cordon: $1 refused; cordon why --last" ] || complain "expected only the count $1 on stderr"
}

# one_notice TEXT...: stderr is one line that contains each text.
one_notice()
{
	[ "$(wc -l <"$T/err")" -eq 1 ] || complain 'expected one line on stderr' || return 1
	heard "$@"
}

# json EXPRESSION: stdout is JSON, and the Python expression about it (d) is true.
json()
{
	"$PYTHON" -m json.tool <"$T/out" >"$T/json" || complain 'not JSON' || return 1
	"$PYTHON" - "$T/out" "${1:-True}" <<-'END' || complain "not true: ${1:-}"
		import json, sys
		d = json.load(open(sys.argv[1], encoding="utf-8"))
		sys.exit(0 if eval(sys.argv[2]) else 1)
	END
}

# policy [FILE] <TEXT: writes the project's policy, or FILE. user_policy <TEXT: writes the user's.
policy()
{
	cat >"${1:-$P/.cordon.json}"
}

user_policy()
{
	cat >"$XDG_CONFIG_HOME/cordon/config.json"
}

# allowed ARGUMENT..., denied ARGUMENT...: the answer of `cordon why`.
allowed()
{
	expect 0 why "$@" && said 'allowed: '
}

denied()
{
	expect 1 why "$@" && said 'denied: '
}

# in_terminal COMMAND: runs it on a new terminal. Sets out, which includes carriage returns.
in_terminal()
{
	command -v script >/dev/null || return 1
	out=$(script -qec "$1" /dev/null </dev/null 2>&1) || status=$?
}

escape=$(printf '\033')
