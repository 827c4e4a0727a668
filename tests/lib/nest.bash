# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is read by the tests; out is common's
# Runs one cordon inside another, and checks the steps that tests/nest/nest.py reports.

export ASAN_OPTIONS=detect_leaks=0:exitcode=99

begin()
{
	export CORDON ASAN_OPTIONS
	own=(--execute "$CORDON" --env "CORDON=$CORDON" --env ASAN_OPTIONS)
	cp "$TREE/tests/nest/nest.py" .
}

# nest STATUS [OUTER OPTION...] inner [INNER OPTION...] -- COMMAND...: expects the status of the outer one.
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

# leave_behind ACTION [OPTION...]: writes the programs of a test in which an inner guard is killed. ./around
# runs cordon with these options and ./left, which leaves an orphan that does ACTION when the file go exists.
# The guard is the parent of the command, which dies with it; the orphan does not.
leave_behind()
{
	cat >left <<-END
		#!/bin/sh
		setsid sh -c 'echo \$\$ >left.pid; while [ ! -e go ]; do sleep 0.05; done
			if $1; then echo "open \$line"; else echo closed; fi' 2>/dev/null &
		while [ ! -s left.pid ]; do sleep 0.05; done
		echo \$PPID >guard.new && mv guard.new guard.pid
		sleep 1000
	END
	cat >around <<-END
		#!/bin/sh
		"\$CORDON" run --execute "\$CORDON" ${*:2} -- ./left &
		launcher=\$!
	END
	cat >>around <<-'END'
		while [ ! -s guard.pid ]; do sleep 0.05; done
		# stopped first, because the launcher would kill the orphan
		if [ "$1" = kill ]; then
			kill -STOP "$launcher"
			kill -KILL "$(cat guard.pid)" "$launcher"
			while kill -0 "$(cat guard.pid)" 2>/dev/null; do sleep 0.05; done
		fi
		touch go
		while kill -0 "$(cat left.pid)" 2>/dev/null; do sleep 0.05; done
		kill "$launcher" 2>/dev/null
		wait
	END
	chmod +x left around
}
