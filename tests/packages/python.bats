#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Python package with the built program; each case blocking and with asyncio.

load ../lib/common

case_of()
{
	[ "$(uname -s)" = Linux ] || skip 'the package is for Linux'
	mkdir -p "$T/site"
	cp -R "$TREE/packages/python/cordon" "$T/site/"
	program=$T/site/cordon/$(uname -s)-$(uname -m)
	mkdir "$program"
	cp "$CORDON" "$program/cordon"
	export PYTHONPATH=$T/site PYTHONDONTWRITEBYTECODE=1
	timeout 60 "$PYTHON" -W error "$TREE/tests/packages/python.py" "$1" blocking
	rm -f made pid "$HOME/outside"
	timeout 60 "$PYTHON" -W error "$TREE/tests/packages/python.py" "$1" aio
}

@test "a refused write is reported, and the file is not there" { case_of refuses; }
@test "status, cause and signal are those of the command" { case_of ends; }
@test "events arrive while the command runs" { case_of streams; }
@test "a policy that cannot be kept: CordonNotStarted, and nothing runs" { case_of not_started; }
@test "a misused option: CordonNotStarted, and nothing runs" { case_of misused; }
@test "a command that is not found or not executable: CordonNotStarted with 127 or 126" { case_of not_found; }
@test "a program that is missing or is not cordon: an error by name, and nothing runs" { case_of other_program; }
@test "cordon is killed: CordonLost, and the command ends" { case_of lost; }
@test "an error in the caller, or a cancellation, ends the command" { case_of left; }
@test "another processor or system: CordonUnsupported" { case_of unsupported; }
@test "arguments of a wrong kind" { case_of bad_arguments; }
@test "no descriptor is left open" { case_of descriptors; }

@test "python -m cordon becomes the program" {
	case_of ends
	[ "$("$PYTHON" -m cordon --version)" = "$("$CORDON" --version)" ]
	status=0
	"$PYTHON" -m cordon run -- sh -c 'exit 3' || status=$?
	[ "$status" -eq 3 ]
	rm -r "$program"
	status=0
	"$PYTHON" -m cordon run -- touch "$T/made" || status=$?
	[ "$status" -eq 125 ] && [ ! -e "$T/made" ]
}
