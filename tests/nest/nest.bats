#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Nested sandboxes: a cordon inside another works and only narrows, at any depth; and the broker
# never lets a process bypass a layer that the process added to itself.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/nest

teardown()
{
	if [ -n "${server:-}" ]; then
		kill -KILL "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
	fi
}

# Listens on a socket by path, on one without, and on a port; clients wait in its queue.
start_server()
{
	cat >"$T/server.py" <<-'END'
		import os, signal, socket, sys
		held = []
		for family, address in ((socket.AF_UNIX, sys.argv[1]), (socket.AF_UNIX, "\0" + sys.argv[1]),
		                        (socket.AF_INET, ("127.0.0.1", 0))):
		    held.append(socket.socket(family))
		    held[-1].bind(address)
		    held[-1].listen(100)
		with open(sys.argv[1] + ".new", "w") as file:
		    print(held[-1].getsockname()[1], file=file)
		os.rename(sys.argv[1] + ".new", sys.argv[1] + ".port")
		signal.pause()
	END
	"$PYTHON" "$T/server.py" "$T/s" 3>&- &
	server=$!
	for _ in $(seq 600); do
		[ ! -s "$T/s.port" ] || break
		kill -0 "$server" || return 1
		sleep 0.05
	done
	port=$(cat "$T/s.port")
}

@test "doctor succeeds in a nest as outside" {
	begin
	expect 0 run "${own[@]}" -- "$CORDON" doctor
	said 'can be enforced here'
}

@test "a nested run prints nothing" {
	begin
	nest 0 inner -- sh -c 'echo made >made'
	silent
	[ -s made ]
}

@test "a failed nested run does not make the outer session report cordon's own calls" {
	begin
	nest 3 inner -- sh -c 'exit 3'
	silent
	# whose command it is that was refused, is told as ever
	nest 1 inner -- touch "$HOME/new"
	grep -q "^cordon: refused: create $HOME/new " "$T/err"
	[ "$(grep -c '^cordon: refused: ' "$T/err")" -le 2 ]
}

@test "a nested run works in the project and in its own private tmp" {
	begin
	nest 0 inner -- sh -c 'echo x >made && cat made && mkdir d && mv made d/f && ln d/f g &&
		chmod 600 g && rm d/f && rmdir d && echo "$TMPDIR" && echo y >"$TMPDIR/f" && cat "$TMPDIR/f"'
	said x y
	[ "$(cat g)" = x ]
	[ "$(stat -c %a g)" = 600 ]
	nest 7 inner -- sh -c 'exit 7'
	# and a plan that needs no broker
	nest 0 inner --accept files.future --accept files.metadata -- sh -c 'echo z >made && cat made'
	said z
	nest 0 --accept files.future --accept files.metadata --accept sockets.path inner -- sh -c 'echo z >made && cat made'
	said z
}

@test "a run inside cordon shell works" {
	begin
	cat >script <<-'END'
		"$CORDON" run --execute "$CORDON" --env "CORDON=$CORDON" --env ASAN_OPTIONS -- "$CORDON" run -- \
		    "$PYTHON" nest.py make=.envrc make=fine
		exit
	END
	status=0
	export PYTHON SHELL=/bin/sh
	timeout 60 "$CORDON" shell "${own[@]}" --env PYTHON <script >"$T/out" 2>"$T/err" || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq 0 ] || complain 'the shell ended otherwise'
	stopped make=.envrc
	worked make=fine
}

@test "three deep, every deny applies" {
	begin
	mkdir one two three
	nest 0 --protect one inner --protect two -- "$CORDON" run "${own[@]}" --protect three -- \
	    "$PYTHON" nest.py make=one/f make=two/f make=three/f make=free chmod=one chmod=two chmod=three chmod=free
	stopped make=one/f make=two/f make=three/f chmod=one chmod=two chmod=three
	worked make=free chmod=free
	[ -z "$(find one two three -type f)" ]
	# each can be done where no nest denies it
	nest 0 inner -- "$CORDON" run "${own[@]}" -- \
	    "$PYTHON" nest.py make=one/f make=two/f make=three/f chmod=one chmod=two chmod=three
	worked make=one/f make=two/f make=three/f chmod=one chmod=two chmod=three
	# or it could not be removed
	chmod 755 one two three
}

@test "protected names stay protected if only one of two policies lifts it" {
	begin
	nest 0 inner -- "$PYTHON" nest.py make=.envrc make=.git/hooks make=plain
	stopped make=.envrc
	worked make=plain
	nest 0 --write .envrc inner -- "$PYTHON" nest.py make=.envrc
	stopped make=.envrc
	nest 0 inner --write .envrc -- "$PYTHON" nest.py make=.envrc
	stopped make=.envrc
	[ ! -e .envrc ]
	nest 0 --write .envrc inner --write .envrc -- "$PYTHON" nest.py make=.envrc
	worked make=.envrc
}

@test "a nest gains no right, and grants of the outer policy are not its own" {
	begin
	mkdir "$T/away"
	echo secret >"$HOME/secret"
	nest 1 inner --read "$HOME" -- cat "$HOME/secret"
	unsaid secret
	mkdir "$T/seen"
	echo secret >"$T/seen/f"
	nest 1 --read "$T/seen" inner -- cat "$T/seen/f"
	unsaid secret
	nest 0 --read "$T/seen" inner --read "$T/seen" -- cat "$T/seen/f"
	said secret
	nest 0 inner --write "$T/away" -- "$PYTHON" nest.py "make=$T/away/f" "chmod=$T/away"
	stopped "make=$T/away/f" "chmod=$T/away"
	nest 0 --write "$T/away" inner -- "$PYTHON" nest.py "make=$T/away/f" "chmod=$T/away"
	stopped "make=$T/away/f" "chmod=$T/away"
	[ -z "$(ls "$T/away")" ]
	nest 0 --write "$T/away" inner --write "$T/away" -- "$PYTHON" nest.py "make=$T/away/f"
	worked "make=$T/away/f"
}

@test "protected names of a project in the outer private tmp are enforced by the nest" {
	begin
	expect 0 run "${own[@]}" -- sh -c 'cp nest.py "$TMPDIR" && mkdir "$TMPDIR/p" "$TMPDIR/p/.git" "$TMPDIR/p/kept" &&
		cd "$TMPDIR/p" && "$CORDON" run "$@"' sh --execute "$CORDON" --read ../nest.py --protect kept -- \
	    "$PYTHON" ../nest.py make=free make=.envrc make=kept/f link=free:other rename=other:moved
	worked make=free link=free:other rename=other:moved
	stopped make=.envrc make=kept/f
}

@test "rename and link are allowed only where both plans agree" {
	begin
	mkdir a b free
	echo x >a/f
	echo x >b/f
	echo x >free/f
	nest 0 --protect a inner --protect b -- "$PYTHON" nest.py link=a/f:b/g link=b/f:free/g link=a/f:free/g \
	    rename=a/f:b/g rename=free/f:b/g rename=b/f:free/h link=free/f:free/g rename=free/g:free/h
	stopped link=a/f:b/g link=b/f:free/g link=a/f:free/g rename=a/f:b/g rename=free/f:b/g rename=b/f:free/h
	worked link=free/f:free/g rename=free/g:free/h
	[ "$(find a b -type f | sort | tr '\n' ' ')" = 'a/f b/f ' ]
}

@test "git works in a nest, and both policies inspect its settings" {
	begin
	rm -rf .git
	git init -q .
	nest 0 inner -- sh -c 'git add nest.py && git -c user.name=a -c user.email=b commit -qm one && git branch b &&
		git checkout -q b && git config user.name c && git remote add o https://example.com/x && git log --oneline'
	said one
	[ "$(git config user.name)" = c ]
	nest 4 inner -- git config core.hooksPath /tmp/x
	nest 4 inner --write .git/config -- git config core.hooksPath /tmp/x
	nest 4 --write .git/config inner -- git config core.hooksPath /tmp/x
	[ -z "$(git config core.hooksPath)" ]
	# a pointer that stays in the outer one's project and leaves the inner one's
	git init -q other
	git init -q sub
	mkdir sub/x
	echo 'gitdir: ../../other/.git' >sub/pointer
	expect 0 run "${own[@]}" -- cp sub/pointer sub/x/.git
	rm sub/x/.git
	inside='cd sub && exec "$CORDON" run --execute "$CORDON" -- "$@"'
	expect 1 run "${own[@]}" -- sh -c "$inside" sh cp pointer x/.git
	[ ! -e sub/x/.git ]
	echo 'gitdir: ../.git' >sub/pointer
	expect 0 run "${own[@]}" -- sh -c "$inside" sh cp pointer x/.git
	[ -e sub/x/.git ]
}

@test "the broker does not exceed the Landlock layer of a program that restricts itself" {
	begin
	mkdir in
	touch file in/file
	# free, its own layer decides
	by_itself() { "$PYTHON" nest.py "$@" >"$T/out" 2>&1; out=$(cat "$T/out"); }
	by_itself restrict=in make=in/f make=out mkdir=dir unlink=file link=in/file:hard rename=in/file:moved
	worked make=in/f
	stopped make=out mkdir=dir unlink=file link=in/file:hard rename=in/file:moved
	# inside, whatever would need the broker is refused
	for how in '' 'inner'; do
		steps=(restrict=in make=out mkdir=dir unlink=file truncate=file link=in/file:hard rename=in/file:moved
			chmod=file make=in/g)
		if [ -z "$how" ]; then
			expect 0 run -- "$PYTHON" nest.py make=before "${steps[@]}"
		else
			nest 0 inner -- "$PYTHON" nest.py make=before "${steps[@]}"
		fi
		worked make=before
		stopped "${steps[@]:1}"
		[ -e file ]
		[ ! -e out ]
	done
	# what the kernel decides by itself goes on
	expect 0 run -- sh -c 'exec "$1" nest.py restrict="$TMPDIR" make="$TMPDIR/f" make=out' sh "$PYTHON"
	said '/f: worked' 'make=out: refused'
}

# Of the shared folder the inner plan has files by name; the outer one's own word is for all of it.
@test "shared memory: files by name, and nothing else can be created" {
	begin
	[ -w /dev/shm ] || return 0
	name=/dev/shm/cordon-nesting-$$
	expect 0 run --write /dev/shm -- "$PYTHON" nest.py "mkdir=$name.d"
	worked "mkdir=$name.d"
	rmdir "$name.d"
	nest 0 --write /dev/shm inner -- "$PYTHON" nest.py "make=$name" "link=$name:$name.l" "unlink=$name" "unlink=$name.l" \
	    "mkdir=$name.d" "serve=$name.s"
	worked "make=$name" "link=$name:$name.l" "unlink=$name" "unlink=$name.l"
	stopped "mkdir=$name.d" "serve=$name.s"
	[ ! -e "$name.d" ]
	nest 0 inner -- "$PYTHON" -c 'import multiprocessing; print(multiprocessing.Semaphore(3).acquire())'
	said True
}

@test "the layer applies to children, threads, new sessions and orphans" {
	begin
	for way in child session orphan thread 'child orphan child'; do
		# shellcheck disable=SC2086 # words
		expect 0 run -- "$PYTHON" nest.py restrict $way make=out
		stopped make=out
		# shellcheck disable=SC2086
		nest 0 inner --protect nest.py -- "$PYTHON" nest.py $way chmod=nest.py make=fine unlink=fine
		stopped chmod=nest.py
		worked make=fine unlink=fine
	done
	# Landlock's layers are a thread's; what is done on behalf stops for the whole process
	expect 0 run -- "$PYTHON" nest.py restrict-thread make=out
	stopped make=out
	expect 0 run -- "$PYTHON" nest.py restrict restrict make=out
	stopped make=out
	[ ! -e out ]
}

@test "no process can set the nest id" {
	begin
	expect 0 run -- "$PYTHON" nest.py limits make=f
	stopped limit
	worked make=f
	expect 0 run -- "$PYTHON" nest.py restrict limits make=out child limits make=out
	stopped limit make=out
	nest 0 inner --protect nest.py -- "$PYTHON" nest.py limits chmod=nest.py
	stopped limit chmod=nest.py
	[ ! -e out ]
}

@test "a process that makes the handshake itself and allows everything gains no right" {
	begin
	# it is there: the line is answered, and what the plan allows goes on
	expect 0 run -- "$PYTHON" nest.py handshake make=fine make=.envrc "make=$HOME/out"
	worked make=fine
	stopped make=.envrc "make=$HOME/out"
	# a channel whose nest has ended counts as no
	expect 0 run -- "$PYTHON" nest.py dead-handshake make=out
	stopped make=out
	# behind the line of another, behind a layer, twice, in between
	nest 0 inner --protect nest.py -- "$PYTHON" nest.py handshake chmod=nest.py make=fine
	stopped chmod=nest.py
	worked make=fine
	nest 0 inner --protect nest.py -- "$PYTHON" nest.py child handshake handshake chmod=nest.py make=fine
	stopped chmod=nest.py
	worked make=fine
	expect 0 run -- "$PYTHON" nest.py restrict handshake make=out child handshake make=out
	stopped make=out
	expect 0 run -- "$PYTHON" nest.py dead-handshake handshake make=out
	stopped make=out
	# the layer that is announced at the handshake is one, of that thread
	expect 0 run -- "$PYTHON" nest.py handshake restrict-thread make=out
	stopped make=out
	expect 0 run -- "$PYTHON" nest.py handshake restrict restrict make=out
	stopped make=out
	[ ! -e out ]
}

@test "many nests in sequence, and nesting too deep" {
	begin
	expect 0 run "${own[@]}" -- sh -c '"$1" nest.py handshakes=300 && "$CORDON" run -- sh -c "echo x >made && cat made"' sh "$PYTHON"
	said x
	# by the handshake alone, without layers
	expect 1 run -- "$PYTHON" nest.py handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake handshake
	heard 'Argument list too long'
}

@test "without its guard the processes of a nest cannot change files" {
	begin
	leave_behind '(echo x >late)'
	expect 0 run "${own[@]}" -- ./around kill
	said closed
	unsaid open
	[ ! -e late ]
	rm -f go left.pid guard.pid
	expect 0 run "${own[@]}" -- ./around leave
	said open
}

# A nest that takes 20 ms for every answer, with processes that call all the time: others are answered as before.
@test "a nest that answers slowly or without a query does not delay others" {
	begin
	cat >slow.py <<-'END'
		import ctypes, os, signal, socket, struct, sys, time

		# the median, in ms: on a busy machine only few calls wait for a processor
		def own_calls():
		    took, end = [], time.monotonic() + 3
		    while time.monotonic() < end:
		        start = time.monotonic()
		        os.chmod("file", 0o644)
		        took.append(1000 * (time.monotonic() - start))
		        time.sleep(0.001)
		    return sorted(took)[len(took) // 2]

		def answer(line):
		    while True:
		        question = line.recv(20000)
		        time.sleep(0.02)
		        line.send(question[:8] + struct.pack("IIBBB5x", 0x1F, 0, 0, 1, 0))

		def chatter(line):
		    while True:
		        line.send(bytes(24))

		def be_inside(talk):
		    os.setpgid(0, 0)
		    handshake = (ctypes.c_long(n) for n in (1, 0, 0x636F7201))
		    line = socket.socket(fileno=ctypes.CDLL(None).syscall(444, *handshake))
		    for _ in range(16):
		        if os.fork() == 0:
		            while True:
		                try:
		                    os.chmod("other", 0o600)
		                except OSError:
		                    pass
		    talk(line)

		for talk in answer, chatter:
		    inside = os.fork()
		    if inside == 0:
		        try:
		            be_inside(talk)
		        finally:
		            signal.pause()
		    time.sleep(0.5)
		    median = own_calls()
		    os.killpg(inside, signal.SIGKILL)
		    print(talk.__name__, "held up:" if median > 15 else "fine:", median, flush=True)
	END
	touch file other
	expect 0 run -q --protect kept -- "$PYTHON" slow.py
	said 'answer fine' 'chatter fine'
}

# Queries to a stopped guard are answered when it continues; calls of other sessions do not wait.
@test "a nest that does not answer does not delay others" {
	begin
	# git's files are put in place at their close
	cat >pointer.py <<-'END'
		import os, time
		fd = os.open("sub/.git", os.O_WRONLY | os.O_CREAT)
		os.write(fd, b"gitdir: ../.git\n")
		os.mkdir("opened")
		while not os.path.exists("go"):
		    time.sleep(0.05)
		print("begun", flush=True)
		os.close(fd)
	END
	cat >busy <<-END
		#!/bin/sh
		$PYTHON pointer.py || echo no pointer &
		while [ ! -e opened ]; do sleep 0.05; done
		echo \$PPID
		while [ ! -e go ]; do sleep 0.05; done
		for i in 1 2 3 4 5 6 7 8; do mkdir in.\$i & done
		wait
	END
	cat >around <<-'END'
		#!/bin/sh
		"$CORDON" run --execute "$CORDON" -- ./busy >inner &
		launcher=$!
		while [ ! -s inner ]; do sleep 0.05; done
		guard=$(cat inner)
		# both: the launcher wakes a guard that was stopped
		kill -STOP "$launcher" "$guard"
		while ! grep -q '^State:.T' "/proc/$guard/status"; do sleep 0.05; done
		touch go
		while ! grep -q begun inner; do sleep 0.05; done
		sleep 0.2
		for i in $(seq 30); do
			echo x >f && mv f g && mkdir d && rm g && rmdir d || echo failed
		done
		kill -CONT "$guard" "$launcher"
		wait "$launcher"
		echo "made: $(find . -name 'in.*' | wc -l) $(cat sub/.git)"
	END
	chmod +x busy around
	# its answers are a no after 10 seconds: a machine that needs them for the rest may try again
	for _ in 1 2 3 4 5; do
		rm -rf go opened inner in.* sub
		mkdir sub
		expect 0 run "${own[@]}" -- ./around
		unsaid failed
		[ "$out" != 'made: 8 gitdir: ../.git' ] || break
	done
	said 'made: 8 gitdir: ../.git'
	# a nest that never answers denies, each of many calls
	expect 0 run -- "$PYTHON" nest.py silent-handshake many=40:out make=out
	stopped make=out
	said 'many=40:out: 0'
	[ -z "$(find . -name 'out*')" ]
}

@test "unix sockets: both policies have to grant them" {
	begin
	start_server
	expect 0 run "${own[@]}" --socket "$T/s" -- "$PYTHON" nest.py "connect=$T/s"
	worked "connect=$T/s"
	nest 0 --socket "$T/s" inner --socket "$T/s" -- "$PYTHON" nest.py "connect=$T/s" "abstract=$T/s"
	worked "connect=$T/s"
	stopped "abstract=$T/s"
	nest 0 --socket "$T/s" inner -- "$PYTHON" nest.py "connect=$T/s"
	stopped "connect=$T/s"
	nest 0 inner --accept sockets.path -- "$PYTHON" nest.py "connect=$T/s"
	stopped "connect=$T/s"
	# of one's own, and behind a layer of one's own
	nest 0 inner -- "$PYTHON" nest.py serve=socket
	worked serve=socket
	expect 0 run --socket "$T/s" -- "$PYTHON" nest.py "connect=$T/s" restrict=/ "abstract=$T/s"
	worked "connect=$T/s"
	stopped "abstract=$T/s"
}

# Without pidfd_getfd a connected socket cannot be connected again.
lent_again()
{
	if lacks_getfd; then
		stopped "lent=$port"
	else
		worked "lent=$port"
	fi
}

@test "the network is the narrower one of the two policies" {
	begin
	start_server
	expect 0 run --net localhost -- "$PYTHON" nest.py "tcp=$port"
	worked "tcp=$port"
	nest 0 --net localhost inner --net all -- "$PYTHON" nest.py "tcp=$port"
	worked "tcp=$port"
	nest 0 --net all inner --net all -- "$PYTHON" nest.py "tcp=$port"
	worked "tcp=$port"
	for outer in localhost all; do
		nest 0 --net "$outer" inner -- "$PYTHON" nest.py "tcp=$port"
		stopped "tcp=$port"
	done
	nest 0 inner --net all -- "$PYTHON" nest.py "tcp=$port"
	stopped "tcp=$port"
	# a socket of the outer one's, handed in
	lend='import os, socket, sys; s = socket.create_connection(("127.0.0.1", PORT)); os.dup2(s.fileno(), 0); os.execv(sys.argv[1], sys.argv[1:])'
	lend=${lend/PORT/$port}
	for outer in localhost all; do
		expect 0 run "${own[@]}" --net "$outer" -- "$PYTHON" -c "$lend" "$CORDON" run -- "$PYTHON" nest.py "lent=$port"
		stopped "lent=$port"
		expect 0 run "${own[@]}" --net "$outer" -- "$PYTHON" -c "$lend" "$CORDON" run --net all -- "$PYTHON" nest.py "lent=$port"
		lent_again
	done
}

@test "localhost ports are those that every policy lists" {
	begin
	start_server
	all=("tcp=$port" "tcp6=$port")
	# $inside HOW...: one more inside, with that network
	inside() { printf '%s\n' -- "$CORDON" run "${own[@]}" --net "$1"; }
	for ports in 'localhost localhost' "localhost localhost:$port" "localhost:1,$port localhost:$port,2" \
	    "localhost localhost localhost:$port" "localhost:$port localhost localhost" "localhost:$port localhost all"; do
		read -r outer middle inner <<<"$ports"
		mapfile -t last < <([ -z "$inner" ] || inside "$inner")
		nest 0 --net "$outer" inner --net "$middle" "${last[@]}" -- "$PYTHON" nest.py "${all[@]}" listen=0
		worked "${all[@]}" listen=0 || complain "$ports"
	done
	for ports in 'localhost localhost:1' 'localhost:1 localhost' 'localhost all localhost:1' 'localhost localhost:1 all' \
	    'localhost localhost none' 'none localhost'; do
		read -r outer middle inner <<<"$ports"
		mapfile -t last < <([ -z "$inner" ] || inside "$inner")
		nest 0 --net "$outer" inner --net "$middle" "${last[@]}" -- "$PYTHON" nest.py "${all[@]}" listen=2000
		stopped "${all[@]}" listen=2000 || complain "$ports"
	done
	# a socket that was made outside and handed in
	lend='import os, socket, sys; s = socket.create_connection(("127.0.0.1", PORT)); os.dup2(s.fileno(), 0); os.execv(sys.argv[1], sys.argv[1:])'
	lend=${lend/PORT/$port}
	expect 0 run "${own[@]}" --net localhost -- "$PYTHON" -c "$lend" "$CORDON" run --net localhost -- "$PYTHON" nest.py "lent=$port"
	lent_again
	expect 0 run "${own[@]}" --net localhost -- "$PYTHON" -c "$lend" "$CORDON" run --net localhost:1 -- "$PYTHON" nest.py "lent=$port"
	stopped "lent=$port"
	# the outer one's proxy leads away from this machine
	expect 0 run "${own[@]}" --domain example.com -- sh -c 'p=${HTTP_PROXY##*:} p=${p%/}; "$2" nest.py tcp=$p
		exec "$CORDON" run --net "$1" -- "$2" nest.py child tcp6=$p listen=0' sh localhost "$PYTHON"
	said 'tcp=' ': worked'
	[[ $out =~ tcp=[0-9]+:\ worked ]] || complain 'the outer one does not reach its proxy'
	[[ $out =~ tcp6=[0-9]+:\ refused ]] || complain 'the inner one reaches it'
	worked listen=0
	# where addresses are not supervised
	nest 125 --net all inner --net localhost -- true
	heard 'does not check addresses'
}

@test "a guarantee whose calls the outer session does not supervise is refused by name" {
	begin
	mkdir hidden
	nest 125 inner --deny hidden -- true
	heard 'the outer cordon checks changes only' 'start the outer one with a rule that denies reading'
}
