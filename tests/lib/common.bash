# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # what is set here is read by the tests
# What the tests of the program share. Each test has a home, a project and an environment of its own;
# nothing here sleeps, needs the network, or looks at the home of whoever runs it.

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

# Keeps what the shell, bats and the sanitizers need. A sanitizer must not end with a status of ours.
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

complain()
{
	printf '%s\n' "$@" "status: $status" "stdout:" "$out" "stderr:" "$err" >&2
	return 1
}

# expect STATUS ARGUMENT...: runs the program; leaves out, err and the files $T/out and $T/err.
expect()
{
	local want=$1

	shift
	status=0
	timeout "${CORDON_TIMEOUT:-60}" "$CORDON" "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(tr '\000' '?' <"$T/out")
	err=$(tr '\000' '?' <"$T/err")
	[ "$status" -eq "$want" ] || complain "status $want was expected of: cordon $*"
}

# until_true SECONDS COMMAND...: polls.
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

# only_free SCRIPT [OPTION...]: works outside, fails inside.
only_free()
{
	local script=$1

	shift
	sh -c "$script" >"$T/free" 2>&1 </dev/null || complain "fails outside as well: $script" || return 1
	expect 9 run "$@" -- sh -c "( $script ) 2>/dev/null || exit 9"
}

# works SCRIPT [OPTION...]: works outside and inside.
works()
{
	local script=$1

	shift
	sh -c "$script" >"$T/free" 2>&1 </dev/null || complain "fails outside: $script" || return 1
	expect 0 run "$@" -- sh -c "$script"
}

# end_started: the processes whose numbers a test put into $started.
end_started()
{
	local pid

	for pid in ${started:-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# refused ARGUMENT...: 125, nothing on standard output, one line on standard error.
refused()
{
	expect 125 "$@" || return 1
	[ ! -s "$T/out" ] || complain 'nothing was expected on standard output' || return 1
	[ "$(wc -l <"$T/err")" -eq 1 ] || complain 'one line was expected on standard error' || return 1
	case $err in
	'cordon: '* | 'cordon '*': '*) ;;
	*) complain 'the message does not say who speaks' ;;
	esac
}

# refused_at PLACE ARGUMENT...: refused, and the message starts with this place.
refused_at()
{
	local place=$1

	shift
	refused "$@" || return 1
	case $err in
	"cordon: $place: "*) ;;
	*) complain "the place $place was expected" ;;
	esac
}

# said TEXT...: each stands on standard output. heard: on standard error.
said()
{
	local text

	for text in "$@"; do
		case $out in
		*"$text"*) ;;
		*) complain "expected on standard output: $text" || return 1 ;;
		esac
	done
}

heard()
{
	local text

	for text in "$@"; do
		case $err in
		*"$text"*) ;;
		*) complain "expected on standard error: $text" || return 1 ;;
		esac
	done
}

unsaid()
{
	local text

	for text in "$@"; do
		case $out in
		*"$text"*) complain "not expected on standard output: $text" || return 1 ;;
		esac
	done
}

silent()
{
	[ ! -s "$T/err" ] || complain 'nothing was expected on standard error'
}

# One line on standard error, holding each TEXT.
one_notice()
{
	[ "$(wc -l <"$T/err")" -eq 1 ] || complain 'one line was expected on standard error' || return 1
	heard "$@"
}

# json EXPRESSION: standard output is JSON, and the Python expression about it (d) holds.
json()
{
	"$PYTHON" -m json.tool <"$T/out" >"$T/json" || complain 'not JSON' || return 1
	"$PYTHON" - "$T/out" "${1:-True}" <<-'END' || complain "does not hold: ${1:-}"
		import json, sys
		d = json.load(open(sys.argv[1], encoding="utf-8"))
		sys.exit(0 if eval(sys.argv[2]) else 1)
	END
}

# policy [FILE] <TEXT: the project's policy, or another file. user_policy <TEXT: the user's.
policy()
{
	cat >"${1:-$P/.cordon.json}"
}

user_policy()
{
	cat >"$XDG_CONFIG_HOME/cordon/config.json"
}

# allowed ARGUMENT... and denied ARGUMENT...: what `why` answers, silently or not.
allowed()
{
	expect 0 why "$@" && said 'allowed: '
}

denied()
{
	expect 1 why "$@" && said 'denied: '
}

# In a terminal of its own. Leaves out, with the terminal's carriage returns.
in_terminal()
{
	command -v script >/dev/null || return 1
	out=$(script -qec "$1" /dev/null </dev/null 2>&1) || status=$?
}

escape=$(printf '\033')
