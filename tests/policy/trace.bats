#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --trace: what the kernel refuses without a notification is predicted and reported, and nothing changes by it.
# shellcheck disable=SC2016,SC2034,SC2154 # what is quoted is for the shell inside; err is common's

load ../lib/common

# traced EXPRESSION...: each holds about the events (d) of $T/status, which have the schema.
traced()
{
	/usr/bin/python3 "$TREE/tests/policy/events.py" "$T/status" -- "$@" || complain "$(cat "$T/status")"
}

@test "a read that the kernel refuses is reported with the option that allows it" {
	echo kept >"$HOME/kept"
	expect 1 run --trace --status-fd 5 -- cat "$HOME/kept" 5>"$T/status"
	heard 'Permission denied' "cordon: refused: read $HOME/kept is not granted" '(observed)'
	traced '[(x["what"], x["known"], x["subject"][-5:]) for x in d if x["event"] == "refused"] == [("read", "observed", "/kept")]' \
	    'd[-1]["refused"] == 1'
	expect 1 why --last
	said "refused: read $HOME/kept is not granted"
	expect 0 run --read "$HOME/kept" --trace -- cat "$HOME/kept"
	said kept
	silent
}

@test "folders of many programs, homes and secrets are not suggested for reading" {
	mkdir -p "$HOME/.ssh" "$HOME/.aws" "$HOME/tool"
	echo key >"$HOME/.ssh/id_ed25519"
	echo key >"$HOME/.aws/credentials"
	for path in "$HOME" "$HOME/.config" "$HOME/.ssh" "$HOME/.aws"; do
		expect 2 run --trace -- ls "$path"
		heard "refused: read $path is not granted"
		[[ $err != *'allow it with --'* ]] || complain "$path" || return 1
	done
	for path in .ssh/id_ed25519 .aws/credentials; do
		expect 1 run --trace -- cat "$HOME/$path"
		heard "refused: read $HOME/$path is not granted"
		[[ $err != *'allow it with --'* ]] || complain "$path" || return 1
	done
	expect 2 run --trace -- ls "$HOME/tool"
	heard "allow it with --read $HOME/tool (observed)"
}

@test "what was used is in the log once, and not among the refusals" {
	echo x >a
	expect 0 run --trace --status-fd 5 -- sh -c 'for i in 1 2 3; do cat a; cat ./a; done; mkdir d; echo y >d/y; test -e a' 5>"$T/status"
	traced "sum(x['event'] == 'used' and x['what'] == 'read' and x['subject'] == '$P/a' for x in d) == 1" \
	    "('create', '$P/d/y') in [(x.get('what'), x.get('subject')) for x in d]" \
	    '{"read", "execute", "stat"} <= {x["what"] for x in d if x["event"] == "used"}' \
	    'not any(x["event"] == "refused" for x in d)'
	cp "$XDG_STATE_HOME"/cordon/audit/shell-*.log "$T/status"
	traced "any(x['event'] == 'used' for x in d)"
	expect 0 log --refused
	[ ! -s "$T/out" ]
	expect 0 log --last
	said "used     read $P/a"
}

@test "what is missing, or forbidden by its mode, or only looked up, is no refusal" {
	echo x >"$HOME/there"
	echo x >closed
	chmod 000 closed
	expect 1 run --trace -- cat "$HOME/absent"
	[[ $err != *cordon:* ]] || complain 'it is missing'
	expect 3 run --trace -- sh -c 'test -e "$1" && ls -l "$1" >/dev/null; exit 3' sh "$HOME/there"
	[[ $err != *cordon:* ]] || complain 'it was only looked up'
	[ "$(id -u)" -ne 0 ] || return 0
	expect 1 run --trace -- cat closed
	[[ $err != *cordon:* ]] || complain 'its mode forbids it'
}

@test "predictions are what the kernel does: files, folders, links, programs, ten times at once" {
	mkdir -p "$HOME/a/b" granted "$HOME/granted"
	for file in "$HOME/a/1" "$HOME/a/b/2" "$HOME/granted/3" granted/4 "$HOME/5"; do echo x >"$file"; done
	ln -s "$HOME/a/1" link
	ln -s granted/4 near
	cp /bin/true "$HOME/granted/program"
	cat >opens.py <<-'EOF'
		import errno, os, sys
		for path in sys.argv[1:]:
		    try:
		        os.close(os.open(path, os.O_RDONLY))
		    except OSError as error:
		        print(errno.errorcode[error.errno], os.path.realpath(path))
		try:
		    os.execv(os.environ["PROGRAM"], ["x"])
		except OSError as error:
		    print(errno.errorcode[error.errno], os.environ["PROGRAM"])
	EOF
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$CORDON" run --trace -q --read "$HOME/granted" --env "PROGRAM=$HOME/granted/program" --status-fd 5 -- "$PYTHON" opens.py "$HOME/a/1" \
		    "$HOME/a/b/2" "$HOME/granted/3" granted/4 "$HOME/5" link near ../home/a "$HOME/none" "$HOME/a" >"$T/out$i" 5>"$T/status$i" &
	done
	wait
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$PYTHON" - "$T/out$i" "$T/status$i" <<-'EOF' || complain "$i"
			import json, sys
			refused = {line.split()[1] for line in open(sys.argv[1]) if line.startswith("EACCES")}
			events = {x["subject"] for x in map(json.loads, open(sys.argv[2])) if x["event"] == "refused"}
			assert len(refused) == 5 and events == refused, (refused, events)
		EOF
	done
}

@test "calls return what they return without it, also among signals" {
	cat >storm.py <<-'EOF'
		import os, signal, time
		count = 0
		def on(*_):
		    global count
		    count += 1
		signal.signal(signal.SIGALRM, on)
		signal.siginterrupt(signal.SIGALRM, False)
		signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
		end = time.monotonic() + 3
		while time.monotonic() < end:
		    os.close(os.open("storm.py", os.O_RDONLY))
		    os.stat("/etc/passwd")
		    assert not os.path.exists("/etc/none")
		signal.setitimer(signal.ITIMER_REAL, 0)
		print(count > 100)
	EOF
	expect 0 run --trace -- "$PYTHON" storm.py
	said True
	# the other calls that the filter refuses are refused by it alike
	expect 0 run --trace -- "$PYTHON" -c 'import os
try:
    os.open("/dev/null", 3)
except OSError as error:
    print(error.errno)'
	said 13
}

@test "plan says what it costs; where it cannot be had it is refused by name" {
	expect 0 plan --trace
	said 'trace     opens, starts of programs, lookups and connects are watched' ' us each'
	expect 0 plan
	unsaid 'are watched'
	refused run --trace --track-only -- true
	refused run --trace --session x -- true
	heard '--trace and --session'
	refused plan --trace --system macos --home /Users/a
	heard '--trace: only Linux can watch calls'
	cp "$CORDON" inner
	expect 125 run -- ./inner run --trace -- true
	heard 'inside another cordon calls cannot be watched'
}
