#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Unusual environments: chroots, other sandboxes, containers that refuse calls, full and read-only
# disks, missing home folders, fds left open. cordon works there as elsewhere, or refuses by name.

# shellcheck disable=SC2016,SC2034,SC2154 # $ is for the shell inside; out and err are common's

load ../lib/common

teardown()
{
	end_started
}

# by STATUS COMMAND...: like expect, for a whole command line or a function.
by()
{
	local want=$1 limit='timeout 120'

	shift
	[ -n "$(type -P "$1")" ] || limit=
	status=0
	$limit "$@" >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
	[ "$status" -eq "$want" ] || complain "status $want was expected of: $*"
}

secret()
{
	printf 'secret\n' >"$HOME/secret"
}

is_root()
{
	[ "$(id -u)" -eq 0 ]
}

# What a sanitizer wants to look at when it ends is closed inside.
inner="--env ASAN_OPTIONS=detect_leaks=0:exitcode=99"

# What only a broker keeps: the kernel has one for a whole tree of processes.
unrouted="--accept files.future --accept files.metadata --accept sockets.path"

# ---- inside other things ----

@test "a nested session works and gains no right" {
	secret
	mkdir "$T/in"
	echo granted >"$T/in/f"
	nest()
	{
		# shellcheck disable=SC2086 # options
		by "$1" "$CORDON" run $inner --execute "$CORDON" $outer -- \
		    "$CORDON" run $unrouted "${@:2}"
	}
	# one that acts for its processes asks the one inside first: nest.bats has the rest
	outer=
	nest 0 -- sh -c 'echo x >made && cat made'
	said x
	rm made
	plain=$unrouted
	outer=$plain
	nest 0 -- sh -c 'echo x >made && cat made && echo "$TMPDIR" && echo y >"$TMPDIR/f"'
	said x
	[ -s made ]
	# the outer one's closed is closed, whatever the inner one grants
	nest 1 --read "$HOME" -- cat "$HOME/secret"
	unsaid secret
	only_free "echo x >'$T/in/new'"
	nest 1 --write "$T/in" -- sh -c "echo x >'$T/in/f' || exit 1"
	[ "$(cat "$T/in/f")" = granted ]
	# the inner one's closed is closed, whatever the outer one grants
	outer="$plain --read $T/in"
	nest 0 --read "$T/in" -- cat "$T/in/f"
	said granted
	nest 1 -- cat "$T/in/f"
	unsaid granted
	nest 7 -- sh -c 'exit 7'
	# the inner one may act for its own
	unrouted=
	nest 0 -- sh -c 'echo y >made && cat made; mkdir .git/hooks 2>/dev/null; echo x 2>/dev/null >.git/hooks/pre-commit || true'
	said y
	[ ! -e .git/hooks/pre-commit ]
}

@test "nesting too deep ends with a message, not with a gap" {
	cat >deeper <<-'END'
		#!/bin/sh
		[ "$1" -gt 0 ] || exit 42
		exec "$CORDON" run --accept files.future --accept files.metadata --accept sockets.path --execute "$CORDON" \
		    --env "CORDON=$CORDON" --env ASAN_OPTIONS -- ./deeper $(($1 - 1))
	END
	chmod +x deeper
	export ASAN_OPTIONS=detect_leaks=0:exitcode=99
	by 42 ./deeper 3
	by 125 ./deeper 17
	heard 'too many nested sandboxes'
}

@test "it works with no_new_privs already set" {
	secret
	by 0 setpriv --no-new-privs "$CORDON" run -- sh -c 'echo x >f && cat f'
	said x
	by 1 setpriv --no-new-privs cat "$HOME/none"
	by 1 setpriv --no-new-privs "$CORDON" run -- cat "$HOME/secret"
	unsaid secret
}

# A small root with this cordon, a shell and two tools in it.
make_root()
{
	local program library

	mkdir -p "$1/bin" "$1/dev" "$1/proc" "$1/tmp" "$1/root" "$1/project/.git"
	for program in "$CORDON" "$(type -P sh)" "$(type -P cat)" "$(type -P ls)"; do
		cp -L "$program" "$1/bin/"
		ldd "$program" | grep -o '/[^ )]*' | while read -r library; do
			mkdir -p "$1$(dirname "$library")"
			cp -L "$library" "$1$library"
		done
	done
	mknod -m 666 "$1/dev/null" c 1 3
	echo secret >"$1/root/secret"
}

# in_root SCRIPT: by a shell in the small root, with nothing of the caller's environment.
in_root()
{
	env -i HOME=/root PATH=/bin ASAN_OPTIONS="$ASAN_OPTIONS" "$(type -P chroot)" "$T/root" /bin/sh -c "$1"
}

@test "it works in a chroot" {
	is_root || skip 'needs root'
	unshare -m true 2>/dev/null || skip 'needs to mount'
	make_root "$T/root"
	cat >"$T/root/project/script" <<-'END'
		cd /project
		cat /root/secret
		echo x >/root/old
		cordon run -- sh -c 'echo x >f && cat f'
		cordon run -- sh -c 'cat /root/secret || exit 9'
		echo $?
		cordon run -- sh -c '( echo x >/root/new ) || exit 9'
		echo $?
		cordon run -- no-such-command
		echo $?
	END
	in_mounts 'mount -t proc proc "$T/root/proc" && in_root ". /project/script"'
	[ "$out" = "$(printf 'secret\nx\n9\n9\n127')" ] || complain 'something else was said'
	[ -s "$T/root/project/f" ]
	[ ! -e "$T/root/root/new" ]
}

@test "a chroot without /proc is refused by name" {
	is_root || skip 'needs root'
	make_root "$T/root"
	# a sanitizer does not even start there
	ldd "$CORDON" | grep -q libasan || {
		by 125 in_root 'cd /project && cordon run -- sh -c "echo ran >ran"'
		heard process.tree /proc
	}
	[ ! -e "$T/root/project/ran" ]
}

# ---- containers that refuse calls ----

# A container's filter around the rest of the line: foreign ERROR CALLS COMMAND...
foreign=$(dirname "${CORDON:-$TREE/build/cordon}")/tests/unit/foreign

@test "if a required system call is refused, nothing runs and the reason is reported" {
	for error in ENOSYS EPERM; do
		for call in landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp prctl; do
			by 0 "$foreign" "$error" "$call" true
			by 125 "$foreign" "$error" "$call" "$CORDON" run -- touch ran
			heard 'cordon: '
			[ ! -s "$T/out" ]
			[ ! -e ran ] || complain "ran without $call"
		done
	done
	by 125 "$foreign" EPERM landlock_create_ruleset "$CORDON" run -- touch ran
	heard files.read files.write Landlock
	by 125 "$foreign" EPERM seccomp "$CORDON" run -- touch ran
	heard net.tcp kernel.surface seccomp
	[ ! -e ran ]
}

@test "if a replaceable system call is refused, the sandbox is as strict as ever" {
	secret
	mkdir "$T/in"
	echo granted >"$T/in/f"
	for error in ENOSYS EPERM; do
		for call in openat2 close_range clone3 openat2,close_range,clone3; do
			by 0 "$foreign" "$error" "$call" cat "$HOME/secret"
			accept=
			# the broker walks by openat2, or not at all; and it is a thread, for which the C
			# library has no other way only when it is told that there is no clone3
			case $error/$call in
			*/*openat2* | EPERM/clone3)
				by 125 "$foreign" "$error" "$call" "$CORDON" run -- touch ran
				heard 'cannot'
				[ ! -e ran ]
				accept=$unrouted
				;;
			esac
			# shellcheck disable=SC2086 # options
			by 0 "$foreign" "$error" "$call" "$CORDON" run $accept --read "$T/in" -- \
			    sh -c "echo x >f && cat '$T/in/f'"
			said granted
			# shellcheck disable=SC2086 # options
			by 1 "$foreign" "$error" "$call" "$CORDON" run $accept --read "$T/in" -- cat "$HOME/secret"
			unsaid secret
		done
	done
}

# What the default profiles of container runtimes refuse without CAP_SYS_PTRACE and CAP_SYS_ADMIN.
# shellcheck disable=SC2054 # the calls are one word
docker=("$foreign" EPERM pidfd_getfd,kcmp,process_madvise,unshare "$foreign" ENOSYS clone3)

@test "without pidfd_getfd and unshare every guarantee is proved, and no flag is needed" {
	secret
	by 0 "${docker[@]}" "$CORDON" doctor
	said 'no   pidfd_getfd: only UDP needs it; a container that is started with --cap-add SYS_PTRACE has it'
	unsaid gap broken
	for guarantee in files.future files.metadata sockets.path sockets.abstract process.signal process.tree; do
		said "proved    $guarantee"
	done
	by 0 "${docker[@]}" cat "$HOME/secret"
	by 1 "${docker[@]}" "$CORDON" run -- cat "$HOME/secret"
	by 1 "${docker[@]}" "$CORDON" run -- sh -c 'mkdir -p .git/hooks; echo x >.git/hooks/pre-commit || exit 1'
	by 0 "${docker[@]}" "$CORDON" run -- sh -c 'umask 027; mkdir -p d/e && : >d/f && stat -c "%a %n" d d/e d/f'
	said '750 d' '750 d/e' '640 d/f'
}

@test "a default ACL replaces the umask, also where the broker has to compute it" {
	mkdir acl
	by 0 setfacl -d -m u::rwx,g::rwx,o::rwx acl
	make='umask 077; mkdir acl/WHERE; : >acl/WHERE/f; mkfifo acl/WHERE/p; stat -c %a acl/WHERE acl/WHERE/f acl/WHERE/p'
	sh -c "${make//WHERE/bare}" >"$T/bare"
	[ "$(head -1 "$T/bare")" = 777 ]
	by 0 "${docker[@]}" "$CORDON" run -- sh -c "${make//WHERE/refused}"
	diff "$T/bare" "$T/out"
	by 0 "$CORDON" run -- sh -c "${make//WHERE/free}"
	diff "$T/bare" "$T/out"
}

@test "without pidfd_getfd sockets behave as in a bare run" {
	cp "$TREE/tests/net/copies.py" .
	for kind in unix inet; do
		by 0 "$PYTHON" copies.py "$kind"
		cp "$T/out" "$T/bare"
		for network in localhost all; do
			by 0 "${docker[@]}" "$CORDON" run --net "$network" -- "$PYTHON" copies.py "$kind"
			diff "$T/bare" "$T/out" || complain "$kind, $network"
			by 0 "$CORDON" run --net "$network" -- "$PYTHON" copies.py "$kind"
			diff "$T/bare" "$T/out" || complain "$kind, $network, duplicated"
		done
	done
}

@test "without pidfd_getfd a socket that is not granted is not reached, nor by a swapped descriptor" {
	"$PYTHON" -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
time.sleep(300)' "$T/outside" 3>&- &
	server=$!
	until_true 20 test -S "$T/outside"
	cp "$TREE/tests/net/copies.py" .
	by 0 "${docker[@]}" "$PYTHON" copies.py out "$T/outside"
	said 'reached: None'
	by 0 "${docker[@]}" "$CORDON" run -- "$PYTHON" copies.py out "$T/outside"
	said 'reached: EACCES'
	by 0 "${docker[@]}" "$CORDON" run --socket "$T/outside" -- "$PYTHON" copies.py out "$T/outside"
	said 'reached: None'
	by 0 "${docker[@]}" "$CORDON" run -- "$PYTHON" copies.py swap "$T/outside"
	said 'reached by swapping: 0 of some'
	kill "$server"
}

@test "without pidfd_getfd UDP is named, and refused" {
	by 1 "${docker[@]}" "$CORDON" run --net localhost --udp -- "$PYTHON" -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'
	heard 'datagrams are granted, but need pidfd_getfd' --cap-add
}

# ---- descriptors ----

# with_descriptors COMMAND...: in its place, with 9 and 99 open, and the limit between them.
with_descriptors()
{
	exec 9<"$HOME/secret" 99<"$HOME/secret"
	ulimit -S -n 60
	exec "$@"
}

beside_descriptors()
{
	(with_descriptors "$@")
}

@test "descriptors of the invoker are closed, also above a lowered limit, with and without close_range" {
	secret
	list='[ ! -e /proc/$$/fd/9 ] && [ ! -e /proc/$$/fd/99 ]'
	by 1 beside_descriptors sh -c "$list"
	by 0 beside_descriptors "$CORDON" run -- sh -c "$list"
	for error in ENOSYS EPERM; do
		by 1 beside_descriptors "$foreign" "$error" close_range sh -c "$list"
		by 0 beside_descriptors "$foreign" "$error" close_range "$CORDON" run -- sh -c "$list"
	done
}

@test "the guard closes descriptors, also above a lowered limit without close_range" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root: launcher and guard are not dumpable'
	secret
	gone()
	{
		local task tasks

		tasks=$(cat "/proc/$1/task/$1/children")
		for task in $tasks; do
			[ ! -e "/proc/$task/fd/99" ] || return 1
		done
		[ -n "$tasks" ]
	}
	with_descriptors "$foreign" ENOSYS close_range "$CORDON" run -- sh -c 'echo x >ready; exec sleep 600' \
		>"$T/out" 2>"$T/err" </dev/null 3>&- &
	started=$!
	until_true 60 test -s ready
	[ -e "/proc/$started/fd/99" ]
	until_true 60 gone "$started"
}

@test "a folder as descriptor 0, 1 or 2 is refused, a closed one is allowed" {
	for fd in 0 1 2; do
		status=0
		eval "'$CORDON' run -- touch ran $fd<'$HOME'" >"$T/said" 2>&1 || status=$?
		[ "$status" -eq 125 ] || complain "a folder on $fd"
		status=0
		eval "'$CORDON' run -- sh -c 'echo x >made.$fd' $fd<&-" || status=$?
		[ "$status" -eq 0 ] && [ -s "made.$fd" ] || complain "closed: $fd"
	done
	[ ! -e ran ]
}

# ---- homes and folders ----

@test "HOME missing, not a folder, empty, or unset" {
	secret
	home=$HOME
	for where in "$T/none" "$home/secret" /dev/null relative ''; do
		export HOME=$where
		expect 0 run -- sh -c 'echo x >f && rm f'
		only_free "cat '$home/secret'"
		[ ! -e "$T/none" ] || complain 'a home was made'
	done
	unset HOME
	expect 0 run -- sh -c 'echo x >f && rm f'
	only_free "cat '$home/secret'"
	[ ! -e relative ]
}

@test "a deleted working folder" {
	mkdir "$T/gone"
	cd "$T/gone"
	rmdir "$T/gone"
	refused run -- touch "$P/ran"
	refused shell
	refused run -C "$T/gone" -- touch "$P/ran"
	[ ! -e "$P/ran" ]
}

@test "a granted path that vanishes or changes between plan and start is refused" {
	[ "$(id -u)" -eq 0 ] || skip 'needs root: strace cannot read a launcher that is not dumpable'
	mkdir "$T/in"
	echo x >"$T/in/f"
	export ASAN_OPTIONS=detect_leaks=0:exitcode=99
	by 0 strace -qq -o "$T/trace" -P "$T/in" -e trace=openat2 "$CORDON" run --read "$T/in" -- cat "$T/in/f"
	said x
	grep -q "$T/in" "$T/trace" || complain 'it is opened in another way'
	for error in ENOENT ELOOP EACCES; do
		by 125 strace -qq -o "$T/trace" -P "$T/in" -e inject=openat2:error=$error \
			"$CORDON" run --read "$T/in" -- touch ran
		one_notice "cannot grant $T/in"
		[ ! -e ran ]
	done
}

# ---- disks ----

# in_mounts SCRIPT: in a view of the file system of its own; $T/disk is there to mount on.
in_mounts()
{
	mkdir -p "$T/disk"
	export T P
	export -f in_root
	by 0 unshare -m bash -c "set -e; $1"
}

# Where namespaces are forbidden test_mounts stands for it.
@test "a denied path stays denied through bind mounts" {
	local how=-m

	is_root || how=-Urm
	unshare "$how" true 2>/dev/null || return 0
	mkdir -p sec twice part above/in
	echo secret >sec/key
	echo plain >above/in/file
	touch one hidden
	echo '{"files": {"rules": [{"effect": "deny", "rights": "r", "path": ".*/s[a-z]c/key", "match": "regex"}]}}' >regex.json
	cat >script <<-'END'
		set -e
		mount --make-rprivate / && mount --bind . twice && mount --bind sec part && mount --bind sec/key one
		cat twice/sec/key part/key one >/dev/null && echo free
		for name in sec/key twice/sec/key part/key one; do
			! "$CORDON" run -q --deny sec -- cat "$name" || echo "read: $name"
			! "$CORDON" run -q --protect sec -- sh -c 'echo new >"$1"' sh "$name" || echo "changed: $name"
		done
		! "$CORDON" run -q --deny 'sec/k?y' -- cat twice/sec/key || echo read by a pattern
		for pattern in '**/sec/*' '**/sec' 's?c/key' '**/p?rt/*'; do
			for name in sec/key twice/sec/key part/key one; do
				! "$CORDON" run -q --deny "$pattern" -- cat "$name" || echo "read by $pattern: $name"
				! "$CORDON" run -q --protect "$pattern" -- sh -c 'echo new >"$1"' sh "$name" ||
					echo "changed by $pattern: $name"
			done
		done
		for name in sec/key twice/sec/key part/key one; do
			! "$CORDON" run -q --policy regex.json -- cat "$name" || echo "read by an expression: $name"
			! "$CORDON" why -q --policy regex.json read "$name" >/dev/null || echo "told otherwise: $name"
			# the mounts are unknown: refused by name, and not run
			! "$CORDON" run -q --execute "$CORDON" --deny /proc --deny '**/nothing' -- \
				"$CORDON" run -q --deny sec -- cat "$name" 2>>hidden || echo "read: $name"
		done
		grep -q 'cannot enforce files.carveout .*other names through mounts' hidden || echo not refused
		"$CORDON" run -q --deny '**/sec/other' --deny '**/none/*' -- cat part/key one >/dev/null
		! "$CORDON" run -q --protect sec -- mv twice/sec twice/other || echo moved
		# a rule that names the second mount applies to it, and other mounts below it stay
		"$CORDON" run -q --deny sec --read part -- cat part/key
		mount --bind above/in part
		"$CORDON" run -q --deny above --read part -- cat part/file
		"$CORDON" run -q --deny 'ab?ve' --read part -- cat part/file
		"$CORDON" run -q --deny sec -- cat twice/script >/dev/null
		cat sec/key
	END
	by 0 unshare "$how" sh script
	[ "$out" = $'free\nsecret\nplain\nplain\nsecret' ] || complain 'something else was said'
}

@test "it works with a noexec temporary folder" {
	is_root || skip 'needs root'
	unshare -m true 2>/dev/null || skip 'needs to mount'
	cat >script <<-'END'
		cp /bin/true "$TMPDIR/true" && chmod 755 "$TMPDIR/true" && ! "$TMPDIR/true" 2>/dev/null && mktemp >/dev/null &&
			printf 'int main(void) { return 0; }' >c.c && gcc -o c c.c && ./c && echo "$TMPDIR"
	END
	in_mounts 'mount -t tmpfs -o noexec tmpfs "$T/disk"
		TMPDIR=$T/disk sh ./script
		TMPDIR=$T/disk "$CORDON" run -- sh ./script
		rm "$T/disk/true" "$T/disk"/tmp.*
		rmdir "$T/disk"/* 2>/dev/null || [ -z "$(ls -A "$T/disk")" ]'
	said "$T/disk/cordon-"
	silent
}

@test "a full disk is reported, and the command gets the errors of a bare run" {
	is_root || skip 'needs root'
	unshare -m true 2>/dev/null || skip 'needs to mount'
	in_mounts 'mount -t tmpfs -o size=64k,nr_inodes=3 tmpfs "$T/disk"
		mkdir "$T/disk/a" "$T/disk/b"
		! mkdir "$T/disk/a/c" 2>/dev/null
		status=0
		TMPDIR=$T/disk/a "$CORDON" run -- touch ran || status=$?
		echo "tmp $status"
		status=0
		XDG_STATE_HOME=$T/disk/b "$CORDON" run -- sh -c "exit 7" || status=$?
		echo "state $status"'
	said 'tmp 125' 'state 7'
	heard "cannot make the private folder $T/disk/a/cordon-" 'No space left on device' "$T/disk/b"
	[ ! -e ran ]
	in_mounts 'mount -t tmpfs -o size=64k tmpfs "$T/disk"
		status=0
		TMPDIR=$T/disk "$CORDON" run -- sh -c "head -c 1M /dev/zero >\"\$TMPDIR/large\"" || status=$?
		echo "status $status"
		ls -A "$T/disk"'
	[ "$out" = 'status 1' ] || complain 'something was left'
	heard 'No space left on device'
}

@test "it works on a read-only file system" {
	is_root || skip 'needs root'
	unshare -m true 2>/dev/null || skip 'needs to mount'
	in_mounts 'mount -t tmpfs tmpfs "$T/disk"
		mkdir -p "$T/disk/p/.git"
		echo content >"$T/disk/p/f"
		mount -o remount,ro "$T/disk"
		cd "$T/disk/p"
		"$CORDON" run -- cat f
		"$CORDON" run -- sh -c "( echo x >new ) 2>/dev/null || echo refused"
		TMPDIR=$T/disk "$CORDON" run -- sh -c "echo x >\"\$TMPDIR/f\" && echo elsewhere"
		XDG_STATE_HOME=$T/disk "$CORDON" run -- echo unlogged'
	[ "$out" = "$(printf 'content\nrefused\nelsewhere\nunlogged')" ] || complain 'something else was said'
	one_notice "$T/disk" 'Read-only file system'
	# nowhere at all to write
	in_mounts 'mount --bind /tmp /tmp
		mount -o remount,bind,ro /tmp
		status=0
		"$CORDON" run -- true || status=$?
		echo "status $status"'
	said 'status 125'
	heard 'cannot make the private folder /tmp/cordon-' 'Read-only file system'
}

# ---- what of the system is seen ----

@test "in /etc only files readable by all can be read, also in a nested session" {
	# shellcheck disable=SC2086 # options
	nested() { by "$1" "$CORDON" run $inner $unrouted --execute "$CORDON" -- "$CORDON" run $unrouted "${@:2}"; }
	works 'ls /etc && cat /etc/passwd /etc/nsswitch.conf'
	nested 0 -- cat /etc/passwd
	for file in /etc/shadow /etc/gshadow /etc/shadow- /etc/sudoers; do
		[ -f "$file" ] || continue
		! is_root || cat "$file" >/dev/null
		expect 1 run -- cat "$file"
		nested 1 -- cat "$file"
		nested 1 --read "$file" -- cat "$file"
		[ -z "$out" ]
	done
	! is_root || [ -f /etc/shadow ]
}

@test "in /dev only the named nodes can be opened, and none can be created" {
	works 'for n in null zero full random urandom; do : </dev/$n || exit; done; echo x >/dev/null; head -c 4 /dev/zero | wc -c'
	only_free 'ls /dev'
	for node in kmsg mem fuse net/tun vsock kvm loop-control vda sda; do
		# whether there is one, and for us, is the machine's affair
		! sh -c ": </dev/$node" 2>/dev/null || only_free ": </dev/$node"
	done
	! is_root || only_free 'rm -f node; mknod node c 1 3'
}

@test "/proc is readable, without memory, environment and fds of other processes" {
	NAME_OF_A_KEY=value sleep 120 3>&- &
	started=$!
	works 'cat /proc/meminfo /proc/self/status /proc/self/environ && ls /proc/self/fd && cat /proc/self/maps'
	works "cat /proc/$started/stat"
	for file in environ maps auxv; do
		only_free "cat /proc/$started/$file"
	done
	only_free "readlink /proc/$started/fd/0"
	only_free "readlink /proc/$started/cwd"
	only_free "ls /proc/$started/root"
	expect 9 run -- sh -c "( : </proc/$started/mem ) 2>/dev/null || exit 9"
	! is_root || only_free 'cat /proc/sys/vm/swappiness >t && cat t >/proc/sys/vm/swappiness'
}

# ---- bad input ----

# spoil KIND PATH: something there that is no policy.
spoil()
{
	case $1 in
	folder) mkdir "$2" ;;
	fifo) mkfifo "$2" ;;
	loop) ln -s "$2" "$2" ;;
	broken) echo '{' >"$2" ;;
	closed) echo '{}' >"$2" && chmod 0 "$2" ;;
	esac
}

@test "nothing runs if any policy source cannot be read" {
	for kind in folder fifo loop broken closed; do
		# modes keep nothing from root
		! is_root || [ "$kind" != closed ] || continue
		for file in "$T/given" "$P/.cordon.json" "$XDG_CONFIG_HOME/cordon/config.json"; do
			spoil "$kind" "$file"
			set --
			[ "$file" != "$T/given" ] || set -- -p "$file"
			refused run "$@" -- touch ran
			rm -rf "$file"
		done
	done
	[ ! -e ran ]
}

@test "files that are no programs" {
	mkdir folder
	echo x >plain
	printf '#!%s\n' "$P/folder" >by-folder
	printf '#!%s\n' "$P/plain" >by-plain
	printf '#!/bin/sh' >unfinished
	printf '#!\n' >nobody
	ln -s loop loop
	ln -s absent dangling
	chmod +x by-folder by-plain unfinished nobody
	for name in ./folder ./plain ./by-folder ./by-plain ./loop; do
		expect 126 run -- "$name"
		one_notice "${name#./}"
	done
	for name in ./dangling ./plain/below ./absent/below "$(printf 'x%.0s' $(seq 300))"; do
		expect 127 run -- "$name"
		one_notice cordon
	done
	expect 0 run -- ./unfinished
	expect 126 run -- ./nobody
	refused run --
	refused --
}
