# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is read by the tests; out is common's
# One cordon inside another, and what tests/nesting/nest.py said about its steps.

export ASAN_OPTIONS=detect_leaks=0:exitcode=99

begin()
{
	export CORDON ASAN_OPTIONS
	own=(--execute "$CORDON" --env CORDON --env ASAN_OPTIONS)
	cp "$TREE/tests/nesting/nest.py" .
}

# nest STATUS [OUTER OPTION...] inner [INNER OPTION...] -- COMMAND...: one cordon inside another.
nest()
{
	local want=$1 outer=()

	shift
	while [ "$1" != inner ]; do
		outer+=("$1")
		shift
	done
	shift
	expect "$want" run "${own[@]}" "${outer[@]}" -- "$CORDON" run "${own[@]}" "$@"
}

worked()
{
	local step

	for step; do
		said "$step: worked" || return 1
	done
}

stopped()
{
	local step

	for step; do
		said "$step: refused" || return 1
		unsaid "$step: worked" || return 1
	done
}
