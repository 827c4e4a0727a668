#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The broker: protected names inside a writable folder. Allowed calls must end as without cordon,
# call by call; others must be refused by every path.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

begin()
{
	rm -rf .git
	mkdir kept
	echo kept >kept/file
	cp "$TREE/tests/files/ops.py" "$TREE/tests/attack/attack.py" .
	before=$(state)
}

# Everything about the protected folder that can be seen from outside.
state()
{
	find kept -printf '%p %y %m %u %T@ %n\n' | sort
	cat kept/file
}

untouched()
{
	[ "$(state)" = "$before" ] || complain "was: $before" "is: $(state)"
}

teardown()
{
	end_started
	if [ -n "${launcher:-}" ]; then
		kill -KILL "$launcher" 2>/dev/null || true
		wait "$launcher" 2>/dev/null || true
	fi
}

# attack KIND SECONDS: outside it gets through, inside it does not.
attack()
{
	expect 0 run --protect kept -- "$PYTHON" attack.py "$1" "$2"
	untouched
}

@test "denies inside writable folders and metadata are enforced by the broker, and plan says so" {
	begin
	expect 0 run -v --protect kept -- true
	heard 'files.carveout' 'broker over Landlock' 'files.metadata'
	# without need nothing is routed
	expect 0 run -v --accept files.future --accept files.metadata -- true
	heard 'accepted   files.future' 'accepted   files.metadata'
}

@test "allowed calls have the results of a bare run: values, errors, modes, names" {
	begin
	mkdir bare boxed
	bare=''
	if [ "$(id -u)" -eq 0 ]; then
		# root's powers are gone inside; without them it is a fair comparison
		bare='setpriv --bounding-set=-all --inh-caps=-all'
	fi
	$bare "$PYTHON" ops.py bare reads >"$T/bare" 2>"$T/bare.err" || complain "$(cat "$T/bare.err")"
	[ "$(wc -l <"$T/bare")" -gt 1000 ]
	CORDON_TIMEOUT=240 expect 0 run --protect kept -- "$PYTHON" ops.py boxed reads
	# some folders cannot be entered any more, and the clean-up must
	chmod -R u+rwX bare boxed
	diff "$T/bare" "$T/out" >"$T/diff" || complain "$(head -20 "$T/diff")"
}

@test "every call that could change the protected folder is refused" {
	begin
	# free, nearly all of them work
	mkdir "$T/free"
	cp -r kept attack.py "$T/free"
	if (cd "$T/free" && "$PYTHON" attack.py every_route 0 >"$T/free.out"); then
		complain 'nothing passes outside either'
	fi
	grep -q "'write', 'append', 'write through a link'" "$T/free.out"
	attack every_route 0
	said 'passed: []'
}

@test "a path that a thread changes during the call changes no protected file" {
	begin
	attack race 2
	said 'tries: '
	[ ! -e kept/f ]
}

# The outer layer lets the broker read what is made, and look into /proc.
@test "a write-only file cannot be read, and /proc stays closed where it is not granted" {
	begin
	mkdir "$T/drop"
	echo secret >"$T/drop/file"
	policy='{"extends": ["agent"], "files": {"rules": [
	    {"effect": "allow", "rights": "wcd", "path": "'$T'/drop", "match": "subpath"}]}}'
	expect 0 run --policy-json "$policy" -- sh -c '
		! cat "$1/file" && ! ls "$1" && echo new >"$1/new"' sh "$T/drop"
	[ "$(cat "$T/drop/new")" = new ]
	unsaid secret
	expect 0 run -p strict -- sh -c '! ls /proc && ! cat /proc/self/status'
}

@test "a path or flags changed during the call truncate no protected file" {
	begin
	attack cutting 3
	said 'tries: '
	[ "$(cat kept/file)" = kept ]
}

# As a program that restricts itself: everything is then left to the layers.
@test "a caller that died during the call truncates no file" {
	begin
	attack layered 0
	[ "$(cat kept/file)" = kept ]
}

@test "the private tmp cannot be moved, also inside the project" {
	begin
	mkdir tmp
	TMPDIR=$P/tmp expect 0 run -- sh -c '! mv tmp tmp2 && ! mv "$TMPDIR" other && mkdir free &&
		! mv --exchange tmp free 2>/dev/null && mv free freer && echo x >"$TMPDIR/f"'
	[ ! -e tmp2 ]
	[ -z "$(ls tmp)" ]
}

@test "folders exchanged during the call change no protected file" {
	begin
	attack moving 2
	[ ! -e kept/f ]
}

@test "a file is truncated only by its own name" {
	begin
	# free, it is emptied
	mkdir "$T/free"
	cp -r kept attack.py "$T/free"
	(cd "$T/free" && "$PYTHON" attack.py emptying 30)
	[ ! -s "$T/free/kept/file" ]
	attack emptying 2
}

@test "links into /proc lead to the caller, never to the broker" {
	begin
	export HIDDEN_SECRET=seen-by-the-launcher
	attack deputy 0
	unsaid seen-by-the-launcher
	said "comm: ${PYTHON##*/}"
}

@test "a signal neither repeats nor fails a supervised call" {
	begin
	attack storm 2
	said 'false: []'
}

# Outside: takes a lease each time a line comes, until it is asked for the file.
lease_holder()
{
	"$PYTHON" -c '
import fcntl, os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGIO})
for line in open("ask"):
    fd = os.open("leased", os.O_RDWR)
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        answer = "x"
    except OSError:
        answer = "none"
    with open("ready", "w") as f:
        f.write(answer)
    if answer == "x":
        signal.sigwait({signal.SIGIO})
    os.close(fd)
' 9>&-
}

@test "an open that waits for a lease creates, truncates and opens as requested" {
	begin
	cat >lease.py <<-'END'
		import fcntl, os, sys
		ask = open("ask", "w")
		for flags in (os.O_WRONLY, os.O_WRONLY | os.O_TRUNC, os.O_RDONLY | os.O_TRUNC, os.O_RDWR | os.O_TRUNC | os.O_NOFOLLOW,
		              os.O_WRONLY | os.O_CREAT | os.O_TRUNC, os.O_RDONLY):
		    with open("leased", "w") as f:
		        f.write("old text")
		    print(file=ask, flush=True)
		    with open("ready") as f:
		        if f.read() != "x":
		            sys.exit(3)
		    try:
		        os.open("leased", flags | os.O_NONBLOCK)
		        print("did not wait")
		    except BlockingIOError:
		        print("would wait")
		    fd = os.open("leased", flags)
		    print(flags, os.fstat(fd).st_size, fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_NONBLOCK))
		    os.close(fd)
	END
	mkfifo ask ready
	lease_holder &
	started=$!
	timeout 120 "$PYTHON" lease.py >"$T/bare" || status=$?
	wait "$started"
	# not every file system has them
	[ "${status:-0}" -ne 3 ] || return 0
	[ "${status:-0}" -eq 0 ] || complain "fails outside: $(cat "$T/bare")"
	grep -q ' 0 ' "$T/bare"
	for deny in .never '**/.env'; do
		lease_holder &
		started=$!
		CORDON_TIMEOUT=120 expect 0 run --protect kept --deny "$deny" -- "$PYTHON" lease.py
		wait "$started"
		diff "$T/bare" "$T/out" || complain "it is another with $deny"
	done
}

# By a descriptor for reading it would hold up every other process that opens the file.
@test "a command cannot take a lease" {
	begin
	cat >lease.py <<-'END'
		import errno, fcntl, os
		fd = os.open(os.environ["HOME"] + "/read", os.O_RDONLY)
		for lease in (fcntl.F_RDLCK, fcntl.F_WRLCK):
		    try:
		        fcntl.fcntl(fd, fcntl.F_SETLEASE, lease)
		        print("taken")
		    except OSError as e:
		        print(errno.errorcode[e.errno])
	END
	: >"$HOME/read"
	"$PYTHON" lease.py >"$T/bare"
	grep -q taken "$T/bare" || skip 'this file system has no leases'
	expect 0 run --read "$HOME/read" -- "$PYTHON" lease.py
	[ "$out" = 'EINVAL
EINVAL' ] || complain 'taken'
}

@test "callers killed during their calls do not delay the others" {
	begin
	attack crowd 1
}

# exhaust LIMIT WAY WORD: whatever is held, nothing opens, and all of it ends with the session.
exhaust()
{
	local pid

	rm -rf pipe* d[0-9]* holders
	cp "$TREE/tests/files/exhaust.py" .
	(ulimit -n "$1" && CORDON_TIMEOUT=120 expect 0 run -q --protect kept -- "$PYTHON" exhaust.py "$2" &&
		said "${3:+$3 }closed" && silent) || return 1
	[ "$(wc -l <holders)" -gt 2 ]
	while read -r pid; do
		! kill -0 "$pid" 2>/dev/null || complain "$pid is still there" || return 1
	done <holders
	untouched
}

@test "without free descriptors the broker refuses, and the session still ends" {
	begin
	exhaust 40 handshakes EMFILE
	for limit in 64 100 1024; do
		exhaust "$limit" handshakes served
	done
	# how many wait at most depends on how many are served at once
	exhaust 64 pipes ''
	exhaust 64 staged EMFILE
	# of these there are not that many
	exhaust 1024 pipes served
	# few are enough for honest work, and a low limit that may be raised is raised for the broker alone
	(ulimit -n 64 && expect 0 run --protect kept -- sh -c 'for i in $(seq 64); do (echo x >w$i) & done; wait
		cat w* | wc -l')
	[ "$(cat w* | wc -l)" -eq 64 ]
	(ulimit -S -n 64 && expect 0 run --protect kept -- sh -c 'ulimit -S -n' && said 64)
}

@test "after a shortage of descriptors the broker serves again" {
	begin
	cp "$TREE/tests/files/exhaust.py" .
	(ulimit -n 64 && expect 0 run -q --protect kept -- "$PYTHON" exhaust.py staged ends &&
		said 'EMFILE closed' 'as before')
	for limit in 64 256 300; do
		rm -f holders
		(ulimit -n "$limit" && expect 0 run -q --protect kept -- "$PYTHON" exhaust.py handshakes ends &&
			said 'served closed' 'as before')
	done
	untouched
}

# sleeps_as NAME PARENT: a child of this name is there, and waits for something.
sleeps_as()
{
	local child

	child=$(cat "/proc/$2/task/$2/children")
	child=${child%% *}
	grep -q "^Name:.$1\$" "/proc/$child/status" && grep -q '^State:.S' "/proc/$child/status"
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null
}

# The orphan lives as long as no process can end it: its launcher is stopped, and the guard is gone.
@test "a broker that is stopped or killed opens nothing" {
	begin
	cat >orphan <<-'END'
		echo $$ >orphan.pid
		while [ ! -e go ]; do sleep 0.05; done
		mkdir made && echo passed
		(echo x >kept/file) 2>/dev/null && echo passed
		chmod 777 kept && echo passed
		echo finished
	END
	"$CORDON" run --protect kept -- sh -c 'setsid sh orphan & wait' >"$T/out" 2>/dev/null 3>&- &
	launcher=$!
	until_true 60 test -s orphan.pid
	guard=$(cat "/proc/$launcher/task/$launcher/children")
	guard=${guard%% *}
	# stopped: calls wait, and are not left to anybody else
	kill -STOP "$launcher" "$guard"
	until_true 60 grep -q '^State:.T' "/proc/$guard/status"
	touch go
	until_true 60 sleeps_as mkdir "$(cat orphan.pid)"
	[ ! -e made ]
	untouched
	# killed: they fail
	kill -KILL "$guard"
	until_true 60 grep -q finished "$T/out"
	[ "$(cat "$T/out")" = finished ]
	[ ! -e made ]
	untouched
	kill -CONT "$launcher"
	wait "$launcher" || true
	launcher=''
	until_true 60 is_gone "$(cat orphan.pid)"
}

@test "killing the guard ends every process of the session" {
	begin
	"$CORDON" run --protect kept -- sh -c 'echo up >up; while :; do echo x >f; done' &
	launcher=$!
	until_true 60 test -s up
	guard=$(cat "/proc/$launcher/task/$launcher/children")
	kill -KILL "${guard%% *}"
	status=0
	wait "$launcher" || status=$?
	[ "$status" -eq 137 ] || complain "status $status"
	untouched
}

# To the mode that it has: should it pass, nothing is broken on the machine.
@test "a granted device keeps its mode and its owner" {
	begin
	mode=$(stat -c %a /dev/null)
	for how in "chmod $mode /dev/null" 'chown 0:0 /dev/null' "chmod $mode /proc/self/fd/0" "chmod $mode nothing"; do
		[ "$(id -u)" -ne 0 ] || sh -c "ln -sf /dev/null nothing; $how" </dev/null
		expect 1 run -- sh -c "ln -sf /dev/null nothing; $how"
		heard 'Permission denied'
	done
	expect 1 run -- "$PYTHON" -c "import os; os.fchmod(0, 0o$mode)"
	expect 0 run -- sh -c 'echo x >/dev/null && cat /dev/null && touch /dev/null'
}

@test "a shared folder such as /tmp keeps its mode, and files in it can change theirs" {
	begin
	mode=$(stat -c %a /dev/shm)
	[ "$(id -u)" -ne 0 ] || chmod "$mode" /dev/shm
	expect 1 run -- chmod "$mode" /dev/shm
	heard 'Permission denied'
	expect 0 run -- sh -c 'f=/dev/shm/cordon-test-$$; echo x >$f && chmod 600 $f && rm $f'
}

@test "paths that are not granted stay closed with the broker" {
	begin
	echo outside >"$T/outside"
	for script in 'echo x >../outside' 'chmod 777 ../outside' 'touch ../new' 'mv ../outside here' \
	    'ln ../outside here' 'mv attack.py ../moved' 'touch -d 2001-01-01 ../outside' \
	    'setfattr -n user.a ../outside || exit 1'; do
		expect 9 run --protect kept -- sh -c "( $script ) 2>/dev/null || exit 9"
	done
	[ "$(cat "$T/outside")" = outside ]
	[ ! -e "$T/new" ] && [ ! -e "$T/moved" ] && [ ! -e here ]
}


# planted NAME SCRIPT...: outside each brings a file there, inside none does
planted()
{
	local name=$1 script top=${1%%/*} folder=${1%/*}

	shift
	export name top folder
	for script in "$@"; do
		rm -rf x y "$top"
		sh -c "$script" >/dev/null 2>&1
		[ -e "$name" ] || complain "makes no $name outside either: $script" || return 1
		rm -rf x y "$top"
		"$CORDON" run -q --env name --env top --env folder -- sh -c "$script" >/dev/null 2>&1 </dev/null || :
		[ ! -e "$name" ] || complain "planted: $name by $script" || return 1
	done
	rm -rf x y "$top"
}

@test "settings by which agents run programs cannot be planted, other files of agents can be written" {
	rm -rf .git
	for name in .gemini/settings.json .amp/settings.json .helix/languages.toml; do
		planted "$name" 'mkdir -p $folder; echo >$name' 'mkdir x; echo >x/${name##*/}; mv x $top' \
		    'mkdir x; echo >x/${name##*/}; ln -s x $top'
	done
	for name in crush.json .crush.json opencode.json .aider.conf.yml .continuerc.json; do
		planted "$name" 'echo >$name' 'echo >x; mv x $name' 'echo >x; ln x $name' 'echo >x; ln -s x $name'
	done
	for name in .opencode/plugins/a.ts .kiro/hooks/a .qwen/hooks/a .factory/commands/a .github/hooks/a.json .clinerules/hooks/A \
	    .junie/mcp/mcp.json .pi/extensions/a.ts .continue/mcpServers/a.yaml .kiro/settings/mcp.json; do
		planted "$name" 'mkdir -p $folder; echo >$name' 'mkdir -p x/${folder##*/}; echo >x/${name#*/}; mv x $top' \
		    'mkdir -p x/${folder##*/}; echo >x/${name#*/}; ln -s x $top' \
		    'mkdir -p x/${folder##*/} $top; echo >x/${name#*/}; mv x/* $top' \
		    'mkdir -p x/${folder##*/} $top; echo >x/${name#*/}; ln -s ../x/${folder##*/} $folder' \
		    'mkdir -p x/${folder##*/} y; echo >x/${name#*/}; ln -s x y/l; mv y/l $top'
	done
	for name in .roo/mcp.json .windsurf/hooks.json .factory/hooks.json .kilocode/mcp.json .trae/mcp.json .qwen/settings.json; do
		planted "$name" 'mkdir $top; echo >$name' 'mkdir $top; echo >x; mv x $name' 'mkdir x; echo >x/${name##*/}; ln -s x $top' \
		    'mkdir x; echo >x/${name##*/}; mv x $top' 'mkdir $top; echo >x; ln x $name'
	done
	expect 0 run -- sh -c 'mkdir -p .kiro/specs/a .opencode/plans .github/workflows .crush .factory/docs .qwen deep/.github &&
		echo x | tee .kiro/specs/a/tasks.md .opencode/plans/a.md .github/workflows/a.yml .crush/crush.db .clinerules \
		    .factory/docs/a .qwen/PROJECT_SUMMARY.md .aider.chat.history.md >/dev/null &&
		mv .kiro/specs .kiro/old && rm -r .kiro .opencode && mv .github x && mkdir .github && mv deep y && rm -r x y'
	# a rule that names it grants it
	expect 0 run --write .kiro/hooks -- sh -c 'mkdir -p .kiro/hooks && echo x >.kiro/hooks/a'
	expect 2 run -- sh -c 'echo y >.kiro/hooks/a'
	heard 'an agent runs what it names'
}

@test "rename with RENAME_WHITEOUT creates no device node" {
	cat >whiteout.py <<-'END'
		import ctypes, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		open("a", "w").close()
		done = libc.renameat2(-100, b"a", -100, b"b", 4) == 0
		if done:
		    os.unlink("a")
		sys.exit(0 if done else 9)
	END
	"$PYTHON" whiteout.py || skip 'the file system has no whiteouts'
	expect 9 run -- "$PYTHON" whiteout.py
	expect 9 run --accept files.metadata --accept files.future -- "$PYTHON" whiteout.py
	[ -e a ]
}
