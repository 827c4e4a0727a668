#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2317,SC2016 # functions that are passed by name, scripts that another shell expands
# What must hold in a container, as TAP. run.py starts it there, with PATH to cordon and its scripts in /t;
# each attempt is made free, where it must succeed, and confined, where it must fail.
#
#   inside.sh [FACT...]      facts of this container: getfd, readonly
facts=" $* "
number=0 failed=0

check() # NAME COMMAND...
{
	name=$1
	shift
	number=$((number + 1))
	if "$@" >/tmp/said 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' /tmp/said | head -20
		failed=$((failed + 1))
	fi
}

only_free() # COMMAND: succeeds, and fails confined
{
	sh -c "$1" && ! cordon run -q -- sh -c "$1"
}

both() # COMMAND: the same free and confined
{
	free=$(sh -c "$1" 2>&1) && confined=$(cordon run -q -- sh -c "$1" 2>&1) && [ "$free" = "$confined" ] && return
	printf 'free:\n%s\nconfined:\n%s\n' "$free" "$confined"
	return 1
}

proved()
{
	cordon doctor --json >/tmp/doctor || { cat /tmp/doctor; return 1; }
	/usr/bin/python3 /t/doctor.py "$facts" </tmp/doctor
}

export HOME="${HOME_IN:-/tmp/home}" XDG_STATE_HOME=/tmp/state
mkdir -p "$HOME/.ssh" /tmp/project && cd /tmp/project || exit 1
echo key >"$HOME/.ssh/id_ed25519"
cp /t/copies.py .
git init -q . 2>/dev/null
git config user.email t@example.com
git config user.name t

check 'doctor proves every guarantee' proved
check 'a key is read free, and not confined' only_free 'cat "$HOME/.ssh/id_ed25519"'
check 'a hook is made free, and not confined' only_free 'mkdir -p .git/hooks && echo x >.git/hooks/pre-push && rm .git/hooks/pre-push'
check 'a file outside is made free, and not confined' only_free 'echo x >"$HOME/made" && rm "$HOME/made"'
check 'a mode outside is changed free, and not confined' only_free 'chmod 600 "$HOME/.ssh/id_ed25519"'
check 'names, modes and links' both 'umask 027; mkdir d; : >d/f; ln -s f d/l; ln d/f d/h; mv d/h d/g; chmod 640 d/f; stat -c "%a %h %n" d d/*; rm -r d'
check 'git commits' cordon run -q -- sh -c 'echo x >f && git add f && git commit -qm one && git log --oneline'
check 'unix sockets behave as free' both '/usr/bin/python3 copies.py unix'
check 'servers on this machine behave as free' sh -c '/usr/bin/python3 copies.py inet >/tmp/free &&
	cordon run -q --net localhost -- /usr/bin/python3 copies.py inet >/tmp/confined && diff /tmp/free /tmp/confined'
/usr/bin/python3 -c 'import socket, time
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/outside"); s.listen()
t = socket.socket(); t.bind(("127.0.0.1", 4711)); t.listen(); time.sleep(600)' &
outside=$!
until [ -S /tmp/outside ]; do sleep 0.1; done
sleep 0.2
check 'a socket is reached free, and not confined' sh -c '/usr/bin/python3 copies.py out /tmp/outside | grep None &&
	cordon run -q -- /usr/bin/python3 copies.py out /tmp/outside | grep EACCES'
connect='/usr/bin/python3 -c "import socket; socket.create_connection((\"127.0.0.1\", 4711), 5)"'
check 'a server is reached free, and not confined' only_free "$connect"
check 'a process outside is signalled free, and not confined' only_free "kill -0 $outside"
check 'a process that leaves its parents ends with the run' sh -c 'cordon run -q -- sh -c \
	"setsid sleep 600 >/dev/null 2>&1 & echo \$! >left; kill -0 \$(cat left)" && ! kill -0 "$(cat left)"'
check 'a cordon inside' sh -c 'cordon run -q --read "$HOME/.ssh" -- cat "$HOME/.ssh/id_ed25519" &&
	! cordon run -q --read "$HOME/.ssh" -p agent -- cordon run -q -- cat "$HOME/.ssh/id_ed25519"'
kill "$outside"
echo "1..$number"
exit "$failed"
