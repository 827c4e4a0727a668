#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `cordon run`, `shell`, `--sandbox-exec` and `doctor` with real processes. Each refused operation
# is first done outside, so that a refusal comes from cordon and not from the host.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

teardown()
{
	end_started
}

missing()
{
	[ ! -e "$1" ]
}

ended()
{
	! kill -0 "$1" 2>/dev/null
}

# start ARGUMENT...: in the background; leaves its process id in pid.
start()
{
	"$CORDON" "$@" >"$T/out" 2>"$T/err" </dev/null 3>&- &
	pid=$!
	started="${started:-} $pid"
}

# end_of PID: leaves its status.
end_of()
{
	status=0
	wait "$1" || status=$?
}

# given STATUS ARGUMENT...: like expect, but standard input is the test's own.
given()
{
	local want=$1

	shift
	status=0
	"$CORDON" "$@" >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq "$want" ] || complain "status $want was expected of: cordon $*"
}

# A listener on the loopback; leaves port.
listen()
{
	"$PYTHON" - "$T/port" >/dev/null 2>&1 3>&- <<-'END' &
		import os, socket, sys
		s = socket.create_server(("127.0.0.1", 0))
		with open(sys.argv[1] + ".new", "w") as f:
		    f.write(str(s.getsockname()[1]))
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		while True:
		    s.accept()[0].close()
	END
	started="${started:-} $!"
	until_true 5 test -s "$T/port"
	port=$(cat "$T/port")
	connect="$PYTHON -c 'import socket; socket.create_connection((\"127.0.0.1\", $port), 5)'"
}

secret()
{
	printf 'secret\n' >"$HOME/secret"
}

# A program outside of what may be run.
tool()
{
	mkdir -p "$T/tools"
	cp "$(type -P true)" "$T/tools/tool"
}

# ---- files ----

@test "a file name with pattern characters in it grants that file" {
	mkdir "$T/away"
	echo here >"$T/away/file"
	only_free "cat '$T/away/file'"
	works "cat '$T/away/file'" --policy-json "{\"files\": {\"rules\": [{\"effect\": \"allow\",
	    \"rights\": \"rw\", \"path\": \"$T/away/file\", \"match\": \"glob\"}]}}"
}

@test "outside the project no file is created, changed or deleted" {
	secret
	mkdir "$HOME/folder"
	only_free "echo x >'$HOME/new'"
	rm "$HOME/new"
	only_free "echo x >>'$HOME/secret'"
	only_free "mkdir '$HOME/made'"
	rmdir "$HOME/made"
	only_free "ln -s x '$HOME/link'"
	rm "$HOME/link"
	only_free "mv '$HOME/folder' '$HOME/moved' && mv '$HOME/moved' '$HOME/folder'"
	only_free "rm '$HOME/secret' && echo secret >'$HOME/secret'"
	[ ! -e "$HOME/new" ] && [ ! -e "$HOME/made" ] && [ ! -L "$HOME/link" ] && [ -s "$HOME/secret" ]
}

@test "a secret in the home cannot be read by any path" {
	secret
	only_free "cat '$HOME/secret'"
	unsaid secret
	only_free "ls '$HOME'"
	ln -s "$HOME/secret" "$P/link"
	only_free 'cat link'
	only_free "cat ../home/secret"
	only_free "cat /proc/self/root'$HOME'/secret"
}

# R60 differs: protected names excepted
@test "in the project everything works" {
	works 'echo a >f && cat f && echo b >>f && mkdir -p d/e && mv f d/e/f && cat d/e/f && rm -r d'
	works 'touch a && ln -s a b && cat b && ln a c && rm a b c'
}

@test "a rename across folders of the project, as a rename" {
	mkdir a b
	echo x >a/f
	expect 0 run -- "$PYTHON" -c 'import os; os.rename("a/f", "b/f")'
	[ -f b/f ]
	only_free "$PYTHON -c 'import os; os.rename(\"b/f\", \"$T/f\"); os.rename(\"$T/f\", \"b/f\")'"
	[ -f b/f ]
}

@test "--read and --write grant what they name and no more" {
	secret
	mkdir "$T/in" "$T/out.d"
	echo x >"$T/in/f"
	only_free "cat '$T/in/f'"
	works "cat '$T/in/f'" --read "$T/in"
	only_free "echo y >'$T/in/f'" --read "$T/in"
	only_free "echo y >'$T/out.d/f'"
	works "echo y >'$T/out.d/f' && rm '$T/out.d/f'" --write "$T/out.d"
	only_free "cat '$HOME/secret'" --read "$T/in" --write "$T/out.d"
}

@test "a program outside is not run, and is with --execute" {
	tool
	only_free "'$T/tools/tool'"
	works "'$T/tools/tool'" --execute "$T/tools"
	# readable is not runnable
	only_free "'$T/tools/tool'" --read "$T/tools"
	# the project's own can be run
	cp "$T/tools/tool" "$P/own"
	works ./own
}

@test "scripts run by their interpreter, which must be allowed as well" {
	tool
	printf '#!/bin/sh\necho "ran $1"\n' >s
	printf '#!/usr/bin/env sh\nexit 4\n' >e
	printf '#!%s\n' "$T/tools/tool" >t
	chmod +x s e t
	expect 0 run -- ./s it
	said 'ran it'
	expect 4 run -- ./e
	./t
	expect 126 run -- ./t
	expect 0 run --execute "$T/tools" -- ./t
}

# ---- temporary folder ----

# R28 differs: a private folder per session, because every program shares `/tmp`; `"tmp": "shared"` grants it
@test "a private temporary folder: mode 700, named by its variables, removed at the end" {
	expect 0 run -- sh -c 'echo x >"$TMPDIR/f" && stat -c %a "$TMPDIR" &&
		[ "$TMP$TEMP$TMUX_TMPDIR$SCREENDIR" = "$TMPDIR$TMPDIR$TMPDIR$TMPDIR" ] &&
		mktemp >/dev/null &&
		mkdir -p "$TMPDIR/d/e" && chmod 0 "$TMPDIR/d" && echo "$TMPDIR" && chmod 0 "$TMPDIR"'
	[ "$(head -n 1 "$T/out")" = 700 ]
	folder=$(tail -n 1 "$T/out")
	[ "${folder#/}" != "$folder" ]
	[ ! -e "$folder" ]
}

@test "a variable that cordon sets occurs once, with the policy's value if it has one" {
	expect 0 run --env TMPDIR=/set -- env
	[ "$(grep ^TMPDIR= "$T/out")" = TMPDIR=/set ]
	JAVA_TOOL_OPTIONS=-Dtheirs=1 expect 0 run --env JAVA_TOOL_OPTIONS -- env
	[ "$(grep ^JAVA_TOOL_OPTIONS= "$T/out")" = JAVA_TOOL_OPTIONS=-Dtheirs=1 ]
	# Java prints a notice about it: only if the user asks for it
	JAVA_TOOL_OPTIONS=-Dtheirs=1 expect 0 run -- env
	unsaid JAVA_TOOL_OPTIONS
	expect 0 run -p java -- env
	[[ $(grep ^JAVA_TOOL_OPTIONS= "$T/out") == JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=\"/*/cordon-??????\" ]]
	HISTFILE=/inherited SHELL=$(command -v env) expect 0 shell --env HISTFILE
	[ "$(grep ^HISTFILE= "$T/out")" = "HISTFILE=$XDG_STATE_HOME/cordon-shell/history.env" ]
	SHELL=$(command -v env) expect 0 shell --env HISTFILE=/set
	[ "$(grep ^HISTFILE= "$T/out")" = HISTFILE=/set ]
}

# Each chain is deeper than what is removed in one go, one ends in the other, and names are taken.
@test "a private temporary folder is removed however deep it is" {
	mkdir "$T/tmp"
	cat >deep.py <<-'E'
		import os
		top = os.environ["TMPDIR"]
		def dig(name, depth):
		    os.chdir(top)
		    for i in range(depth):
		        os.mkdir(name)
		        os.chdir(name)
		dig("a", 700)
		dig("b", 700)
		os.rename(top + "/a", "a")
		for i in range(3):
		    os.makedirs(top + "/cordon-deep-%d/full" % i)
		open(top + "/cordon-deep-3", "w").close()
	E
	TMPDIR=$T/tmp expect 0 run -- "$PYTHON" deep.py
	[ -z "$(ls -A "$T/tmp")" ]
}

@test "/tmp itself cannot be written, and the private folder of another session cannot be reached" {
	name=/tmp/run-bats-$$-$BATS_TEST_NUMBER
	only_free "echo x >$name && rm $name"
	[ ! -e "$name" ]
	start run -- sh -c 'echo "$TMPDIR" >where.new && mv where.new where && sleep 10'
	until_true 3 test -s where
	other=$(cat where)
	only_free "ls '$other'"
	kill -TERM "$pid"
	end_of "$pid"
	[ "$status" -eq 143 ]
	[ ! -e "$other" ]
}

@test "the private folder is created in TMPDIR" {
	mkdir "$T/tmp"
	TMPDIR=$T/tmp expect 0 run -- sh -c 'echo "$TMPDIR"; echo x >"$TMPDIR/f"'
	said "$T/tmp/"
	[ -z "$(ls -A "$T/tmp")" ]
}

@test "killing the launcher ends the command and removes the private folder" {
	start run -- sh -c 'echo $$ >id; echo "$TMPDIR" >where.new; echo x >"$TMPDIR/f"; mv where.new where
		exec sleep 10'
	until_true 3 test -s where
	folder=$(cat where) inside=$(cat id)
	[ -f "$folder/f" ]
	kill -0 "$inside"
	kill -KILL "$pid"
	end_of "$pid"
	[ "$status" -eq 137 ]
	until_true 3 missing "$folder"
	until_true 3 ended "$inside"
}

# ---- network ----

@test "without a network connect, listen and send fail; socketpairs work" {
	listen
	only_free "$connect"
	only_free "$PYTHON -c 'import socket; socket.create_server((\"127.0.0.1\", 0))'"
	only_free "$PYTHON -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b\"x\", (\"127.0.0.1\", $port))'"
	works "$PYTHON -c 'import socket
a, b = socket.socketpair()
a.send(b\"x\")
assert b.recv(1) == b\"x\"'"
}

@test "--net all reaches loopback" {
	listen
	works "$connect" --net all
}

# ---- what is inherited ----

@test "the environment: secrets drop, HOME stays, --env passes and sets" {
	export AWS_SECRET_ACCESS_KEY=hidden PASSED=shown
	expect 0 run -- env
	said "HOME=$HOME"
	unsaid hidden PASSED=
	expect 0 run --env PASSED --env MADE=here -- env
	said PASSED=shown MADE=here
	unsaid hidden
}

@test "the environment: a command can tell that it runs in a session, which one and with which network" {
	export CORDON_SESSION=forged CORDON_NETWORK=forged # CORDON is the tested program's path
	expect 0 run --status-fd 2 -- sh -c 'echo "$CORDON $CORDON_SESSION $CORDON_NETWORK"'
	id=$(sed -n 's/.*"session": "\([0-9a-f]*\)", "event": "start".*/\1/p' "$T/err")
	[ "$out" = "1 $id none" ] || complain "not 1, the id and the network"
	expect 0 run --net localhost -- sh -c 'echo "$CORDON_NETWORK"'
	[ "$out" = localhost ] || complain 'another network'
	expect 0 run --env CORDON=mine -- sh -c 'echo "$CORDON"'
	[ "$out" = mine ] || complain 'the policy has priority'
	expect 0 why env CORDON_SESSION
	expect 0 run --track-only -- sh -c 'echo "$CORDON_SESSION"'
	[ "$out" = forged ] || complain '--track-only changes nothing'
}

@test "open descriptors of the invoker are closed" {
	secret
	exec 7<"$HOME/secret"
	only_free '[ -e /proc/self/fd/7 ]'
	# 3 is the listing's own
	expect 0 run -- "$PYTHON" -c 'import os; print(*sorted(map(int, os.listdir("/proc/self/fd"))))'
	exec 7<&-
	[ "$out" = '0 1 2 3' ] || complain 'more than 0 to 2'
}

@test "a folder as standard input or output is refused" {
	given 125 run -- touch ran <"$HOME"
	one_notice 'descriptor 0 is a folder'
	status=0
	"$CORDON" run -- touch ran 2>"$T/err" 1<"$HOME" || status=$?
	[ "$status" -eq 125 ]
	[ ! -e ran ]
}

@test "closed standard descriptors become /dev/null, not a descriptor of cordon" {
	for fds in '0,' '1,' '2,' '0,1,2'; do
		printf 'import os\nseen = [os.readlink(f"/proc/self/fd/{n}") for n in (%s)]\n' "$fds" >seen.py
		echo 'open("seen", "w").write(" ".join(set(seen)))' >>seen.py
		rm -f seen
		status=0
		case $fds in
		0,) "$CORDON" run -- "$PYTHON" seen.py <&- || status=$? ;;
		1,) "$CORDON" run -- "$PYTHON" seen.py >&- || status=$? ;;
		2,) "$CORDON" run -- "$PYTHON" seen.py 2>&- || status=$? ;;
		*) "$CORDON" run -- "$PYTHON" seen.py <&- >&- 2>&- || status=$? ;;
		esac
		[ "$status" -eq 0 ] || complain "closed: $fds"
		[ "$(cat seen)" = /dev/null ] || complain "closed: $fds, then: $(cat seen)"
	done
}

@test "no core dumps, even with a raised limit outside" {
	ulimit -Sc "$(ulimit -Hc)"
	expect 0 run -- sh -c 'ulimit -Sc; ulimit -Hc; ! ulimit -Hc 1 2>/dev/null'
	[ "$out" = "$(printf '0\n0')" ] || complain 'the limit is not 0'
}

# ---- exit status ----

# R124 differs: 128 and the signal, as a shell
@test "the status is the command's" {
	expect 0 run -- true
	expect 7 run -- sh -c 'exit 7'
	expect 125 run -- sh -c 'exit 125'
	silent
	expect 143 run -- sh -c 'kill -TERM $$'
	expect 137 run -- sh -c 'kill -KILL $$'
	expect 134 run -- sh -c 'kill -ABRT $$'
}

@test "126: not executable, a folder, or not allowed; 127: not there" {
	tool
	echo x >plain
	expect 126 run -- ./plain
	one_notice plain
	expect 126 run -- "$P"
	expect 126 run -- "$T/tools/tool"
	one_notice "$T/tools/tool" policy
	printf '\0\0\0\0' >garbage
	chmod +x garbage
	expect 126 run -- ./garbage
	expect 127 run -- ./absent
	one_notice absent
	expect 127 run -- no-such-command-anywhere
	one_notice no-such-command-anywhere
	expect 127 run -- ''
	printf '#!/no/such/interpreter\n' >s
	chmod +x s
	expect 127 run -- ./s
}

@test "PATH: what cannot be run counts as found, closed and relative folders do not" {
	mkdir "$T/bin" "$T/closed" here
	echo x >"$T/bin/only-here"
	printf '#!/bin/sh\necho planted\n' | tee here/ls >here/only-planted
	chmod +x here/ls here/only-planted
	chmod 0 "$T/closed"
	export PATH=here:$T/closed:$T/bin:$PATH
	[ "$(command ls)" = planted ]
	expect 126 run -- only-here
	one_notice only-here
	expect 127 run -- no-such-command-anywhere
	expect 0 run -- ls
	unsaid planted
	expect 127 run -- only-planted
}

@test "125: no command, a bad policy, a policy that cannot be enforced; nothing runs" {
	refused run
	refused run --
	refused run --no-such-option -- touch ran
	refused run --policy-json '{' -- touch ran
	refused run --policy-json '{"files": {"raed": ["/srv"]}}' -- touch ran
	refused run -p "$T/absent.json" -- touch ran
	refused run --status-fd 77 -- touch ran
	mkdir "$P/d"
	expect 125 run --policy-json '{"files": {"rules": [{"effect": "deny", "rights": "x",
	    "path": "$PROJECT/d"}]}}' -- touch ran
	heard 'cordon: cannot enforce files.'
	[ ! -e ran ]
}

@test "a deleted working folder is refused" {
	mkdir "$T/gone"
	cd "$T/gone"
	rmdir "$T/gone"
	refused run -- true
}

# ---- signals ----

@test "a signal to the launcher reaches the command" {
	start run -- sh -c 'trap "echo got >got; exit 5" TERM; echo x >ready
		for i in $(seq 100); do sleep 0.05; done'
	until_true 3 test -s ready
	kill -TERM "$pid"
	end_of "$pid"
	[ "$status" -eq 5 ]
	[ -s got ]
}

@test "processes outside cannot be signalled" {
	sleep 10 3>&- &
	started="${started:-} $!"
	only_free "kill -0 $!"
	only_free "kill -CONT $!"
}

# Of the guard, too, which answers supervised calls; their own and a child's processors they may choose.
@test "the CPU affinity of processes outside cannot be changed" {
	cat >place.py <<-'E'
		import os, subprocess, sys, threading
		all = os.sched_getaffinity(0)
		os.sched_setaffinity(threading.get_native_id(), all)
		with subprocess.Popen(["sleep", "60"]) as child:
		    os.sched_setaffinity(child.pid, {min(all)})
		    placed = os.sched_getaffinity(child.pid)
		    child.kill()
		if placed != {min(all)}:
		    sys.exit("the child was not placed")
		for who in [os.getppid()] + [int(text) for text in sys.argv[1:]]:
		    try:
		        os.sched_setaffinity(who, all)
		        print("placed")
		    except PermissionError:
		        print("refused")
	E
	"$PYTHON" place.py $$ >"$T/free"
	[ "$(cat "$T/free")" = $'placed\nplaced' ]
	for option in -q --deny=**/.env; do
		expect 0 run "$option" -- "$PYTHON" place.py $$
		[ "$out" = $'refused\nrefused' ]
	done
}

@test "priorities and limits can be set by pid only in the session" {
	cp "$TREE/tests/process/own_numbers.py" .
	sleep 60 3>&- &
	started="${started:-} $!"
	# the parent is this shell, which must keep its own limits
	sh -c '"$@"; exit' sh "$PYTHON" own_numbers.py $! >"$T/free"
	[ "$(cat "$T/free")" = $'none\nnone' ]
	all='setpriority sched_setscheduler sched_setparam ioprio_set prlimit'
	for option in -q --deny=**/.env; do
		expect 0 run "$option" -- "$PYTHON" own_numbers.py $!
		[ "$out" = "$all"$'\n'"$all" ] || complain "$out"
	done
}

@test "memory can be read only of processes of the session" {
	cat >peek.py <<-'E'
		import ctypes, os, sys
		class Vector(ctypes.Structure):
		    _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
		def peek(pid):
		    address = next(int(line.split("-")[0], 16) for line in open("/proc/self/maps"))
		    here = ctypes.create_string_buffer(4)
		    local, remote = Vector(ctypes.addressof(here), 4), Vector(address, 4)
		    libc = ctypes.CDLL(None, use_errno=True)
		    n = libc.process_vm_readv(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
		    return "read" if n >= 0 or ctypes.get_errno() == 14 else os.strerror(ctypes.get_errno())
		child = os.fork()
		if child == 0:
		    os.read(os.pipe()[0], 1)
		print("child:", peek(child))
		os.kill(child, 9)
		print("outside:", peek(int(sys.argv[1])))
	E
	sleep 60 3>&- &
	started="${started:-} $!"
	[ "$("$PYTHON" peek.py $!)" = $'child: read\noutside: read' ]
	expect 0 run -- "$PYTHON" peek.py $!
	[ "$out" = $'child: read\noutside: Operation not permitted' ] || complain "$out"
}

# ---- what it says ----

@test "a run without problems prints nothing" {
	expect 0 run -- sh -c 'echo out; echo err >&2'
	[ "$out" = out ] && [ "$err" = err ] || complain 'something else was said'
	expect 0 run -v -- true
	[ ! -s "$T/out" ]
	heard files.read files.write Landlock accepted process.tree
}

@test "options after the command are the command's" {
	expect 0 run echo -v --net all --help -- x
	[ "$out" = '-v --net all --help -- x' ]
	expect 0 run -- echo --read /
	[ "$out" = '--read /' ]
	expect 0 -- echo hi
	[ "$out" = hi ]
	expect 7 -- sh -c 'exit 7'
	secret
	expect 9 -- sh -c "cat '$HOME/secret' 2>/dev/null || exit 9"
}

# status_lines EXPRESSION: the lines of $T/status are JSON, and the expression about them (d) holds.
status_lines()
{
	"$PYTHON" - "$T/status" "$1" <<-'END' || complain "does not hold: $1" "$(cat "$T/status")"
		import json, sys
		d = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
		sys.exit(0 if eval(sys.argv[2]) else 1)
	END
}

@test "--status-fd: a line at the start and at the end, and the fd is closed in the command" {
	expect 7 run --status-fd 9 -- sh -c '[ ! -e /proc/$$/fd/9 ] && exit 7' 9>"$T/status"
	status_lines '[x["event"] for x in d] == ["start", "end"]'
	status_lines 'd[0]["session"] == d[1]["session"] and d[0]["command"][0] == "sh"'
	status_lines 'd[1]["cause"] == "exit" and d[1]["status"] == 7'
	expect 143 run --status-fd 9 -- sh -c 'kill -TERM $$' 9>"$T/status"
	status_lines 'd[1]["cause"] == "signal" and d[1]["signal"] == 15'
	expect 127 run --status-fd 9 -- ./absent 9>"$T/status"
	status_lines 'd[1]["cause"] == "not started" and "absent" in d[1]["error"]'
}

@test "--status-fd: the sources, with an unapproved project policy" {
	expect 0 run --status-fd 9 -- true 9>"$T/status"
	status_lines 'd[0]["sources"] == ["profile system", "profile agent"]'
	echo '{"files": {"protect": ["$PROJECT/deploy"]}}' >.cordon.json
	expect 0 run --status-fd 9 -- true 9>"$T/status"
	status_lines "d[0]['sources'] == ['profile system', 'profile agent', '$P/.cordon.json']"
	expect 0 run --no-project-policy --status-fd 9 -- true 9>"$T/status"
	status_lines 'len(d[0]["sources"]) == 2'
}

@test "--status-fd: a run whose plan fails has an end event, too" {
	expect 125 run --status-fd 9 -p ./absent.json -- touch ran 9>"$T/status"
	status_lines 'len(d) == 1 and d[0]["event"] == "end" and d[0]["cause"] == "not started"'
	status_lines '"absent.json" in d[0]["error"] and d[0]["time"].endswith("Z")'
	# a guarantee that nothing here keeps
	expect 125 run --status-fd 9 --policy-json '{"files": {"rules": [
		{"effect": "deny", "rights": "x", "path": "**/tool", "match": "glob"}]}}' -- touch ran 9>"$T/status"
	status_lines 'len(d) == 1 and d[0]["cause"] == "not started"'
	status_lines 'd[0]["error"].startswith("cannot enforce files.execute")'
	[ ! -e ran ]
}

# R129 differs: JSON lines in the user's state folder, mode 600
@test "the audit log: whole lines from parallel runs, mode 600, not accessible in a session" {
	pids=
	for i in $(seq 20); do
		"$CORDON" run -- sh -c "exit $i" >/dev/null 2>"$T/err.$i" </dev/null 3>&- &
		pids="$pids $!"
	done
	i=0
	for pid in $pids; do
		i=$((i + 1))
		end_of "$pid"
		[ "$status" -eq "$i" ] || complain "run $i: $(cat "$T/err.$i")"
	done
	log=$(echo "$XDG_STATE_HOME"/cordon/audit/shell-*.log)
	[ "$(stat -c %a "$log")" = 600 ]
	cp "$log" "$T/status"
	status_lines 'len(d) == 40 and len({x["session"] for x in d}) == 20'
	status_lines 'sorted(x["status"] for x in d if x["event"] == "end") == list(range(1, 21))'
	status_lines 'all(x["guarantees"]["files.read"] == "Landlock" for x in d if x["event"] == "start")'
	status_lines 'all(x["command"][0] == "sh" and "profile agent" in x["sources"] for x in d if x["event"] == "start")'
	status_lines 'all(x["cause"] == "exit" and x["seconds"] >= 0 for x in d if x["event"] == "end")'
	status_lines "all(x['project'] == '$P' and x['time'].endswith('Z') for x in d)"
	only_free "cat '$log'"
	status=0
	"$CORDON" run --write "$HOME" -- sh -c "cat '$log' && echo x >>'$log'" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -ne 0 ]
	[ ! -s "$T/out" ]
	[ "$(grep -cx x "$log")" -eq 0 ]
}

# ---- the terminal ----

@test "typing into the terminal is refused, also with high bits set" {
	cat >tty.py <<-'END'
		import ctypes, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.ioctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p]
		def attempt(request):
		    ctypes.set_errno(0)
		    libc.ioctl(0, request, ctypes.create_string_buffer(b"x"))
		    return ctypes.get_errno()
		with open(sys.argv[1], "w") as f:
		    print(attempt(0x5412), attempt(0x5412 | 1 << 32), attempt(0x541C), attempt(0x5413), file=f)
	END
	in_terminal "$PYTHON tty.py free"
	# 0 or, where the host has it switched off, EIO; TIOCLINUX means nothing here
	grep -Eq '^(0|5) (0|5) (22|25) (0|14)$' free || complain "free: $(cat free)"
	in_terminal "'$CORDON' run -- $PYTHON tty.py confined"
	# the last one asks for the window's size, and works
	[ "$(cat confined)" = '1 1 1 0' ] || complain "confined: $(cat confined)"
}

@test "a command on a terminal uses it, with --pty its own" {
	in_terminal "'$CORDON' run -- sh -c 'tty; exit 3'"
	said /dev/pts/
	[ "$status" -eq 3 ]
	in_terminal "'$CORDON' run --pty -- sh -c 'test -t 0 && test -t 1 && echo own; exit 4'"
	said own
	[ "$status" -eq 4 ]
}

# ---- places and programs ----

@test "a nested run works or says why not, and never gains a right" {
	secret
	listen
	inner()
	{
		status=0
		"$CORDON" run --execute "$CORDON" --env ASAN_OPTIONS=detect_leaks=0:exitcode=99 -- \
			"$CORDON" run "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
		out=$(cat "$T/out") err=$(cat "$T/err")
	}
	inner -- sh -c 'echo x >made && echo inside'
	if [ "$status" -eq 0 ]; then
		said inside
		[ -s made ]
	else
		[ "$status" -eq 125 ]
		heard 'cordon: '
	fi
	sh -c "cat '$HOME/secret'"
	inner --read "$HOME" -- sh -c "cat '$HOME/secret'"
	[ "$status" -ne 0 ]
	unsaid secret
	sh -c "$connect"
	inner --net all -- sh -c "$connect && echo connected"
	[ "$status" -ne 0 ]
	unsaid connected
}

@test "a project reached through a link" {
	ln -s "$P" "$T/link"
	cd "$T/link"
	works 'echo x >f && cat f && rm f'
	cd "$T"
	works "echo x >'$T/link/f' && rm '$T/link/f'" -C "$T/link"
	only_free "echo x >'$T/g' && rm '$T/g'" -C "$T/link"
}

@test "without HOME" {
	secret
	home=$HOME
	unset HOME
	expect 0 run -- true
	only_free "cat '$home/secret'"
}

@test "python's processes, pipes and threads" {
	cat >m.py <<-'END'
		import multiprocessing, os, threading
		def work(pipe):
		    pipe.send(os.getpid())
		if __name__ == "__main__":
		    ours, theirs = multiprocessing.Pipe()
		    process = multiprocessing.Process(target=work, args=(theirs,))
		    process.start()
		    assert ours.recv() == process.pid
		    process.join()
		    thread = threading.Thread(target=print, args=("printed",))
		    thread.start()
		    thread.join()
	END
	works "$PYTHON m.py"
	said printed
}

@test "python's pools need shared semaphores: with /dev/shm granted" {
	cat >m.py <<-'END'
		import multiprocessing
		if __name__ == "__main__":
		    with multiprocessing.Pool(2) as pool:
		        print(pool.map(abs, [-1, -2]))
	END
	works "$PYTHON m.py" --write /dev/shm
	said '[1, 2]'
}

# ---- the other commands ----

record()
{
	cat <<-END
		{"project_dir": "$P", "executable_paths": ["/usr", "/bin", "/lib", "/lib64"],
		 "read_only_paths": ["/etc", "/proc"], "read_write_paths": ["/dev/null"],
		 "additional_executable_paths": [], "additional_read_only_paths": [],
		 "additional_read_write_paths": [], "allow_network": false, "allowed_env_vars": ["PATH"]}
	END
}

# R116-R118 differs: project, lists, environment and tracking as there; the launcher stays, to end what is left
@test "--sandbox-exec: the record's policy applies to the command" {
	secret
	expect 0 --sandbox-exec "$(record)" -- sh -c 'echo x >f && cat f'
	said x
	expect 7 --sandbox-exec "$(record)" -- sh -c 'exit 7'
	cat "$HOME/secret"
	expect 9 --sandbox-exec "$(record)" -- sh -c "cat '$HOME/secret' 2>/dev/null || exit 9"
	expect 9 --sandbox-exec "$(record)" -- sh -c "( echo x >'$HOME/new' ) 2>/dev/null || exit 9"
	[ ! -e "$HOME/new" ]
}

@test "--sandbox-exec: a bad record runs nothing" {
	refused --sandbox-exec '{' -- touch ran
	refused --sandbox-exec '{}' -- touch ran
	refused --sandbox-exec '[]' -- touch ran
	refused --sandbox-exec '{"project_dir": "relative"}' -- touch ran
	refused --sandbox-exec '{"project_dir": 1}' -- touch ran
	refused --sandbox-exec "$(record)" touch ran
	refused --sandbox-exec
	[ ! -e ran ]
}

@test "--sandbox-exec: a record that only tracks restricts nothing and leaves no process" {
	local only='{"tracking_only": true}'

	secret
	FOO=kept expect 0 --sandbox-exec "$only" -- sh -c "echo \$FOO; cat '$HOME/secret'; echo x >'$HOME/new'"
	said kept secret
	[ -e "$HOME/new" ]
	expect 0 --sandbox-exec "$(record | sed 's/{/{"tracking_only": true, /')" -- cat "$HOME/secret"
	said secret
	expect 9 --sandbox-exec "$(record | sed 's/{/{"tracking_only": false, /')" -- \
		sh -c "cat '$HOME/secret' 2>/dev/null || exit 9"
	expect 0 --sandbox-exec "$only" -- sh -c 'setsid sh -c "sleep 2; touch late" >/dev/null 2>&1 &'
	sleep 2.5
	[ ! -e late ]
	refused --sandbox-exec '{"tracking_only": true, "nosuch": 1}' -- touch ran
	refused --sandbox-exec '{"tracking_only": "true"}' -- touch ran
	[ ! -e ran ]
}

# by_fd STATUS RECORD ARG...: the record by a pipe, on descriptor 7.
by_fd()
{
	local want=$1 text=$2

	shift 2
	expect "$want" --config-fd 7 "$@" 7< <(printf '%s' "$text")
}

@test "--config-fd: the record is read from an fd, and neither ps nor the command sees it" {
	local marked

	secret
	by_fd 0 "$(record)" -- sh -c 'echo x >f && cat f'
	said x
	by_fd 7 "$(record)" -- sh -c 'exit 7'
	by_fd 9 "$(record)" -- sh -c "cat '$HOME/secret' 2>/dev/null || exit 9"
	by_fd 0 "$(record)" -- sh -c '[ ! -e /proc/self/fd/7 ]'
	marked=$(record | sed "s/\"PATH\"/\"PATH\", \"MARK$$\"/")
	expect 0 --sandbox-exec "$marked" -- sh -c "cat /proc/*/cmdline | grep -q '[M]ARK$$'"
	by_fd 1 "$marked" -- sh -c "cat /proc/*/cmdline | grep -q '[M]ARK$$'"
	by_fd 0 '{"tracking_only": true}' -- sh -c "[ ! -e /proc/self/fd/7 ] && cat '$HOME/secret'"
	said secret
	# as the input: the command has none then
	given 0 --config-fd 0 -- cat < <(record)
	by_fd 125 '{' -- touch ran
	by_fd 125 '' -- touch ran
	by_fd 125 "$(record)" touch ran
	refused --config-fd 8 -- touch ran 8>&-
	refused --config-fd x -- touch ran
	refused --config-fd
	given 125 --config-fd 7 -- touch ran 7< <(record | sed 's/"/\x00/3')
	given 125 --config-fd 7 -- touch ran 7< <(head -c 5000000 /dev/zero | tr '\0' ' ')
	[ ! -e ran ]
}

@test "shell: the user's shell as a login shell, confined, its status" {
	secret
	export SHELL=/bin/sh
	given 3 shell < <(echo 'echo hi; exit 3')
	said hi
	given 0 shell < <(echo 'echo "$0"; cat ~/secret; exit 0')
	said -sh
	unsaid secret
	given 9 shell < <(echo "( echo x >'$HOME/new' ) || exit 9")
	[ ! -e "$HOME/new" ]
	refused shell extra
}

@test "doctor: what it tried, and whether the policy can be enforced" {
	status=0
	"$CORDON" doctor >"$T/out" 2>"$T/err" || status=$?
	words=$status
	[ "$words" -eq 0 ] || [ "$words" -eq 1 ]
	out=$(cat "$T/out")
	said guarantees files.read net.tcp
	expect "$words" doctor --json
	json 'd["tried"] and d["enforceable"] == ('"$words"' == 0)'
	json 'd["broken"] == 0 and any(g["name"] == "files.read" and g["state"] == "proved" for g in d["guarantees"])'
}

# doctor_hit SIGNAL: a doctor ended while its folder is there; 1 when it was faster.
doctor_hit()
{
	local pid hit=1

	TMPDIR=$T/tmp "$CORDON" doctor >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	while kill -STOP "$pid" 2>/dev/null; do
		if [ -n "$(ls "$T/tmp")" ]; then
			hit=0
			kill -"$1" "$pid"
		fi
		kill -CONT "$pid" 2>/dev/null || true
		[ "$hit" -ne 0 ] || break
	done
	wait "$pid" || true
	return "$hit"
}

@test "doctor: its folder is removed, however it ends" {
	local signal hits=0

	mkdir "$T/tmp"
	for signal in KILL TERM HUP KILL KILL KILL KILL KILL KILL KILL; do
		! doctor_hit "$signal" || hits=$((hits + 1))
		for _ in $(seq 600); do
			[ -n "$(ls "$T/tmp")" ] || break
			sleep 0.1
		done
		[ -z "$(ls "$T/tmp")" ] || complain "$signal left $(ls "$T/tmp")"
	done
	[ "$hits" -gt 0 ] || complain 'never hit: that tells nothing'
}
