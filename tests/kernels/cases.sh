# shellcheck shell=sh disable=SC2016,SC2088 # the commands are for another shell
# SPDX-License-Identifier: MIT
# What the default policy must stop and must leave alone, on every kernel: read by the guest, which
# runs each command free and confined.
#
#   denied GUARANTEE NAME COMMAND   works free; fails confined, or the run is refused by the
#                                   guarantee's name
#   works GUARANTEE NAME COMMAND    works free and confined, wherever the rest can be enforced
#
# A command runs in the project, may run any number of times, and leaves no trace that would change
# its next result. There is: ~/secret, ~/true (executable), /srv/outside (a folder for all),
# ./bystander (the number of a process of the same user), ./victim (that of one which adds to ./hits
# whenever it gets a signal), ./terminal (the name of one that another process has made), a TCP server on 127.0.0.1:7000.

denied files.read 'a file in the home' 'cat ~/secret'
denied files.read 'a folder outside' 'ls /srv/outside'
denied files.write 'a new file outside' 'echo new >/srv/outside/new && rm /srv/outside/new'
denied files.write 'an old file outside, appended to' 'echo more >>~/secret'
denied files.write 'a program of the project, moved outside' \
    'echo moved >moved; mv moved /srv/outside/moved && rm /srv/outside/moved'
denied files.execute 'a program in the home' '~/true'
denied net.tcp 'a server on this machine' 'nc -w 5 127.0.0.1 7000 </dev/null'
denied process.signal 'a process outside' 'kill -0 "$(cat bystander)"'
for way in $(signals ways); do
	denied process.signal "a process outside, by $way" "signals $way \"\$(cat victim)\" hits"
done
# by the broker, as metadata
denied files.metadata 'a terminal of another process' 'terminal open "$(cat terminal)"'
denied env.filter 'a variable nobody named' 'test -n "$UNNAMED"'
denied fds.closed 'a descriptor of the caller' 'test -e /proc/self/fd/7'

works files.read 'the system' 'cat /etc/passwd && ls /usr'
works files.write 'the project' \
    'mkdir new && echo x >new/file && mv new/file new/name && rm -r new'
works files.write 'the project, by a descriptor of a thread' 'thread'
works files.write 'its own temporary folder' \
    'cd "${TMPDIR:-/tmp}" && echo x >file && rm file'
works files.execute 'the project' 'cp /bin/busybox true && ./true && rm true'
works process.signal 'a process of its own' 'sleep 60 & kill $!'
# an owner may only be the caller itself where the broker looks
for way in kill group all tkill tgkill queue threadqueue pidfd; do
	works process.signal "a process of its own, by $way" \
	    "signals wait own >number & until [ -s number ]; do :; done
	    signals $way \"\$(cat number)\" own; status=\$?
	    kill -9 \"\$(cat number)\"; rm own number; exit \$status"
done
works process.signal 'the whole group of the command' \
    'setsid sh -c "trap \"exit 7\" USR1; kill -USR1 0"; [ $? = 7 ]'
works process.signal 'itself, in every way of the shell' \
    'sh -c "kill -TERM \$\$"; [ $? = 143 ] && sh -c "kill -USR1 \$\$ \$\$"; [ $? = 138 ]'
works files.metadata 'a terminal of its own' 'terminal own'
works terminal.inject 'pipes and devices' 'echo x | cat >/dev/null && head -c 8 /dev/urandom'
