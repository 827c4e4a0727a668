#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Nested sandboxes where reading is supervised: by the outer one, by both, three deep. Each can only
# withdraw rights; one that cannot be queried refuses, and delays no other.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common
load ../lib/nest

start()
{
	begin
	mkdir sub kept one two three
	for file in .env sub/.env kept/file one/f two/f three/f; do
		echo secret >"$file"
	done
	echo fine >plain
}

@test "doctor succeeds in a nest whose outer session supervises reads" {
	start
	expect 0 run "${own[@]}" --deny '**/.env' -- "$CORDON" doctor
	said 'can be enforced here' 'proved    files.read'
}

@test "the outer policy denies reading, the nest works as any" {
	start
	nest 0 inner -- "$PYTHON" nest.py read=.env held=.env read=plain
	worked read=.env held=.env read=plain
	nest 0 --deny '**/.env' inner -- "$PYTHON" nest.py read=.env read=sub/.env held=.env read=plain held=plain \
	    list=. list=sub make=made read=made make=.envrc
	stopped read=.env read=sub/.env held=.env make=.envrc
	worked read=plain held=plain list=. list=sub make=made read=made
	# what comes later, and what it was called before
	nest 0 --deny '**/.env' inner -- "$PYTHON" nest.py rename=.env:other link=.env:other rename=plain:one/.env read=one/.env \
	    read=other
	stopped rename=.env:other link=.env:other read=one/.env read=other
	[ "$(cat .env)" = secret ]
	nest 0 --deny '**/.env' inner -- sh -c 'ls -d plain one >list; cat list; grep -c . nest.py'
	said one
}

@test "the nest denies reading, and the outer broker enforces it" {
	start
	# the same with one of them shows that it is the other
	nest 0 --deny kept inner -- "$PYTHON" nest.py read=.env read=sub/.env list=one read=one/f
	worked read=.env read=sub/.env list=one read=one/f
	nest 0 --deny kept inner --deny '**/.env' --deny one -- "$PYTHON" nest.py read=.env read=sub/.env held=sub/.env list=one \
	    read=one/f read=kept/file list=kept read=plain read=two/f make=made read=made
	stopped read=.env read=sub/.env held=sub/.env list=one read=one/f read=kept/file list=kept
	worked read=plain read=two/f make=made read=made
	# also in processes that left it
	nest 0 --deny kept inner --deny '**/.env' -- "$PYTHON" nest.py child orphan session read=.env read=plain
	stopped read=.env
	worked read=plain
	# the outer one goes on as before
	expect 0 run "${own[@]}" --deny kept -- sh -c '"$CORDON" run --deny "**/.env" -- cat plain && cat .env'
	said fine secret
}

@test "three deep, a path that one policy denies cannot be read" {
	start
	nest 0 --deny one inner --deny two -- "$CORDON" run "${own[@]}" --deny three -- \
	    "$PYTHON" nest.py read=one/f read=two/f read=three/f held=one/f held=two/f held=three/f list=one list=two \
	    list=three read=plain
	stopped read=one/f read=two/f read=three/f held=one/f held=two/f held=three/f list=one list=two list=three
	worked read=plain
	nest 0 --deny kept inner --deny kept -- "$CORDON" run "${own[@]}" --deny kept -- \
	    "$PYTHON" nest.py read=one/f read=two/f read=three/f list=one list=two list=three
	worked read=one/f read=two/f read=three/f list=one list=two list=three
	# in the middle of two that do not deny
	nest 0 --deny kept inner --deny '**/.env' -- "$CORDON" run "${own[@]}" -- "$PYTHON" nest.py read=.env read=plain
	stopped read=.env
	worked read=plain
}

@test "a nest gains no read right by its own grants" {
	start
	echo secret >"$HOME/secret"
	nest 0 --deny '**/.env' inner --read "$HOME" --write "$HOME" --read .env -- \
	    "$PYTHON" nest.py "read=$HOME/secret" "make=$HOME/made" read=.env
	stopped "read=$HOME/secret" "make=$HOME/made" read=.env
	mkdir "$T/seen"
	echo secret >"$T/seen/f"
	nest 0 --deny '**/.env' --read "$T/seen" inner -- "$PYTHON" nest.py "read=$T/seen/f" "held=$T/seen/f" "list=$T/seen"
	stopped "read=$T/seen/f" "held=$T/seen/f" "list=$T/seen"
	nest 0 --deny '**/.env' --read "$T/seen" inner --read "$T/seen" -- "$PYTHON" nest.py "read=$T/seen/f" "list=$T/seen"
	worked "read=$T/seen/f" "list=$T/seen"
}

# A layer grants the entries of these folders one by one; the broker is not under the inner layer.
@test "files hidden from root, and names in shared memory" {
	start
	[ ! -d /dev/shm ] || steps=(list=/dev/shm)
	[ "$(id -u)" -ne 0 ] || [ ! -e /etc/shadow ] || steps+=(read=/etc/shadow held=/etc/shadow)
	[ "${#steps[@]}" -gt 0 ] || return 0
	expect 0 run --deny kept --read /etc --read /dev/shm -- "$PYTHON" nest.py "${steps[@]}"
	worked "${steps[@]}"
	nest 0 --deny kept --read /etc --read /dev/shm inner -- "$PYTHON" nest.py "${steps[@]}" read=/etc/passwd list=/etc
	stopped "${steps[@]}"
	worked read=/etc/passwd list=/etc
	nest 0 --deny kept --read /etc --read /dev/shm inner --read /etc --read /dev/shm -- "$PYTHON" nest.py "${steps[@]}"
	worked "${steps[@]}"
}

# Procfs is opened on behalf, by a broker that can read all processes of the session.
@test "processes outside the nest show only public files in /proc" {
	start
	cat >around <<-'END'
		#!/bin/sh
		exec 9<plain
		echo $$ >outer.pid
		"$1" nest.py read=/proc/$$/environ read=/proc/$$/maps list=/proc/$$/fd read=/proc/$$/fd/9 read=/proc/$$/cwd/plain
		echo inside
		shift
		"$CORDON" run --deny two "$@"
	END
	chmod +x around
	expect 0 run "${own[@]}" --deny kept -- ./around "$PYTHON" -- sh -c 'p=$(cat outer.pid)
		exec "$1" nest.py read=/proc/$p/environ read=/proc/$p/maps list=/proc/$p/fd read=/proc/$p/fd/9 read=/proc/$p/cwd/plain \
		    read=/proc/$p/root/etc/passwd read=/proc/$p/task/$p/environ read=/proc/$p/mem read=/proc/$PPID/environ \
		    list=/proc/$PPID/fd read=/proc/$p/stat read=/proc/$p/cmdline list=/proc/$p list=/proc read=/proc/self/environ \
		    list=/proc/self/fd read=/proc/self/maps read=/proc/self/cwd/plain read=/proc/thread-self/environ read=/proc/$$/environ' \
	    sh "$PYTHON"
	p=$(cat outer.pid)
	# the outer one's own may look at each other
	[[ ${out%%inside*} != *refused* && ${out%%inside*} == *"read=/proc/$p/fd/9: worked"* ]] || complain 'not free'
	out=${out#*inside}
	stopped "read=/proc/$p/environ" "read=/proc/$p/maps" "list=/proc/$p/fd" "read=/proc/$p/fd/9" "read=/proc/$p/cwd/plain" \
	    "read=/proc/$p/root/etc/passwd" "read=/proc/$p/task/$p/environ" "read=/proc/$p/mem"
	worked "read=/proc/$p/stat" "read=/proc/$p/cmdline" "list=/proc/$p" list=/proc read=/proc/self/environ list=/proc/self/fd \
	    read=/proc/self/maps read=/proc/self/cwd/plain read=/proc/thread-self/environ
	[[ ! $out =~ (read|list)=/proc/[0-9]+/(environ|fd):\ worked$'\n'.*stat: ]] || complain 'the guard shows more'
}

@test "a process without a handshake has no Landlock and no layer" {
	start
	expect 0 run --deny kept -- "$PYTHON" nest.py layer=8 layer=1000 layer=24 read=plain make=made
	stopped layer=8 layer=1000 layer=24
	worked read=plain make=made
	nest 0 --deny kept inner --deny two -- "$PYTHON" nest.py layer=8 layer=1000 read=plain make=made
	stopped layer=8 layer=1000
	worked read=plain make=made
}

@test "a process that makes the handshake itself and allows everything reads no more" {
	start
	expect 0 run --deny '**/.env' -- "$PYTHON" nest.py handshake read=plain read=.env held=.env "read=$HOME/.profile" make=.envrc
	worked read=plain
	stopped read=.env held=.env "read=$HOME/.profile" make=.envrc
	nest 0 --deny kept inner --deny '**/.env' -- "$PYTHON" nest.py child handshake handshake layer=1000 read=.env read=plain read=kept/file
	stopped read=.env read=kept/file
	worked read=plain
	# a channel whose nest has ended counts as no, for every right
	expect 0 run --deny '**/.env' -- "$PYTHON" nest.py dead-handshake read=plain held=plain list=. make=made
	stopped read=plain held=plain list=. make=made
	expect 0 run --deny '**/.env' -- "$PYTHON" nest.py dead-handshake handshake read=plain read=.env
	stopped read=plain read=.env
	[ ! -e made ]
}

@test "no call in a nest reads a denied file" {
	start
	rm -rf .git
	# seen from outside the nest as well: the guards of both
	export HIDDEN_SECRET=seen-by-the-launcher
	for kind in 'every_route 0' 'listing 0' 'flip 1000' 'flip_names 500' 'swap 200' 'deputy 0' 'crowd 1'; do
		mkdir "$P/${kind% *}"
		cd "$P/${kind% *}" || return 1
		mkdir kept sub free away
		echo secret | tee kept/file kept/.env .env >sub/.env
		printf fine | tee free/f >sub/a
		cp "$TREE/tests/attack/attack_reads.py" .
		# shellcheck disable=SC2086 # a word and a number
		nest 0 --deny away inner --deny kept --deny '**/.env' -- "$PYTHON" attack_reads.py $kind
		unsaid secret seen-by-the-launcher
	done
}

# What happens inside is what `why` says there, and else the same as free: by the kernel, not by us.
@test "random policies one and two levels deep agree with the kernel" {
	start
	mkdir x
	shared=("${own[@]}" --read "$TREE/tests/differential" --env "TMPDIR=$P/x")
	expect 0 run --deny '**/not-there' "${shared[@]}" -- "$PYTHON" -B "$TREE/tests/differential/differential.py" 6 7000
	said 'ok 1 6 random'
	expect 0 run --deny '**/not-there' "${shared[@]}" -- "$CORDON" run --deny '**/nor-there' "${shared[@]}" -- \
	    "$PYTHON" -B "$TREE/tests/differential/differential.py" 3 7100
	said 'ok 1 3 random'
	# and where the project is in the private tmp of the one around it
	expect 0 run --deny '**/not-there' "${own[@]}" --read "$TREE/tests/differential" -- \
	    "$PYTHON" -B "$TREE/tests/differential/differential.py" 3 1
	said 'ok 1 3 random'
}

@test "git works where two policies inspect its files" {
	start
	rm -rf .git
	git init -q .
	nest 0 --deny kept inner --deny '**/.env' -- sh -c 'git add plain && git -c user.name=a -c user.email=b commit -qm one &&
		git branch b && git checkout -q b && git config user.name c && git config user.email d && git log --oneline &&
		git clone -q --bare . "$PWD/bare.x" && git -C bare.x log --oneline b'
	said one
	[ "$(git config user.name)" = c ]
	nest 4 --deny kept inner --deny '**/.env' -- git config core.hooksPath /tmp/x
	nest 4 --deny kept inner --deny '**/.env' --write .git/config -- git config core.hooksPath /tmp/x
	[ -z "$(git config core.hooksPath)" ]
}

@test "a hundred processes that read at once are all answered" {
	start
	cat >crowd.py <<-'END'
		import os, sys
		children = []
		for i in range(100):
		    children.append(os.fork())
		    if children[-1] == 0:
		        try:
		            for _ in range(10):
		                open("plain").close()
		                try:
		                    open(".env").close()
		                    os._exit(2)
		                except PermissionError:
		                    pass
		            os._exit(0)
		        except OSError as error:
		            print(error, flush=True)
		            os._exit(1)
		ends = [os.waitpid(child, 0)[1] for child in children]
		print(ends.count(0), "of", len(ends))
	END
	nest 0 --deny kept inner --deny '**/.env' -- "$PYTHON" crowd.py
	said '100 of 100'
}

@test "without its guard the processes of a nest cannot read files" {
	start
	leave_behind 'read -r line <plain' --deny two
	expect 0 run "${own[@]}" --deny kept -- ./around kill
	said closed
	unsaid open
	rm -f go left.pid guard.pid
	expect 0 run "${own[@]}" --deny kept -- ./around leave
	said 'open fine'
}

@test "a nest that does not answer does not delay others" {
	start
	# more than there are threads for: they stand in a queue
	cat >busy <<-'END'
		#!/bin/sh
		for i in $(seq 40); do
			(touch ready.$i; while ! [ -e go ]; do sleep 0.05; done; read -r line <plain && mkdir "in.$i") &
		done
		echo $PPID >inner
		wait
	END
	cat >around <<-'END'
		#!/bin/sh
		"$CORDON" run --execute "$CORDON" --deny two -- ./busy &
		launcher=$!
		while [ "$(find . -name 'ready.*' | wc -l)" -lt 40 ] || [ ! -s inner ]; do sleep 0.05; done
		guard=$(cat inner)
		# both: the launcher wakes a guard that was stopped
		kill -STOP "$launcher" "$guard"
		while ! grep -q '^State:.T' "/proc/$guard/status"; do sleep 0.05; done
		touch go
		sleep 0.3
		for i in $(seq 30); do
			read -r line <plain && echo x >f && mv f g && rm g || echo failed
		done
		kill -CONT "$guard" "$launcher"
		wait "$launcher"
		echo "read: $(find . -name 'in.*' | wc -l)"
	END
	chmod +x busy around
	# its answers are a no after 10 seconds: a machine that needs them for the rest may try again
	for _ in 1 2 3 4 5; do
		rm -rf go inner ready.* in.*
		CORDON_TIMEOUT=120 expect 0 run "${own[@]}" --deny kept -- ./around
		unsaid failed
		[ "$out" != 'read: 40' ] || break
	done
	said 'read: 40'
	# a nest that never answers denies
	expect 0 run --deny kept -- "$PYTHON" nest.py silent-handshake read=plain
	stopped read=plain
}
