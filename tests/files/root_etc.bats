# SPDX-License-Identifier: MIT
# A policy means the same for root as for other users: files that only root may read are not readable for
# the command, at any depth. Run as root with its own mounts, so that the machine's /etc does not change.

load ../lib/common

# apart SCRIPT: runs it with an /etc of its own in which root's secrets lie; $1 is cordon. 77: not to be had.
apart()
{
	local how=-m

	[ "$(id -u)" -eq 0 ] || how=-Urm
	unshare "$how" true 2>/dev/null || return 77
	mkdir -p "$T/etc/app/deep/er" "$T/etc/app/closed" "$T/etc/public" "$T/etc/ssh"
	cp /etc/passwd /etc/group "$T/etc/"
	[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache "$T/etc/"
	for file in top app/secret app/deep/er/secret app/closed/secret; do
		echo 'only root' >"$T/etc/$file"
		chmod 600 "$T/etc/$file"
	done
	chmod 644 "$T/etc/app/closed/secret"
	chmod 700 "$T/etc/app/closed"
	for file in app/open app/deep/open app/deep/er/open public/open ssh/host_key; do
		echo 'for all' >"$T/etc/$file"
	done
	ln -sf app/secret "$T/etc/link"
	ln -sf ../app/secret "$T/etc/public/link"
	status=0
	timeout 60 unshare "$how" sh -c "set -e; mount --make-rprivate /; mount --bind '$T/etc' /etc; $1" sh "$CORDON" \
	    >"$T/out" 2>"$T/err" </dev/null || status=$?
	out=$(cat "$T/out") err=$(cat "$T/err")
}

secrets='/etc/top /etc/app/secret /etc/app/deep/er/secret /etc/app/closed/secret /etc/link /etc/public/link
	/etc/ssh/host_key'
open='/etc/passwd /etc/app/open /etc/app/deep/open /etc/app/deep/er/open /etc/public/open'
# tried by cat, and by the kind of opening that is asked about
look='for file; do
	! cat "$file" 2>/dev/null || echo "read: $file"
	! dd if="$file" iflag=nonblock status=none 2>/dev/null || echo "read: $file"
done'

@test "in /etc files readable by all can be read, at any depth" {
	apart "cat $(echo $secrets) >/dev/null && cat $open >/dev/null && echo free" || return 0
	[ "$status" -eq 0 ] && said free || complain 'root cannot read it, free'
	apart "exec \"\$1\" run -q -- sh -c '$look; cat $open >/dev/null && echo opened' sh $(echo $secrets)"
	[ "$out" = opened ] || complain 'only what is for all was expected'
}

@test "in /etc files readable by all can be read in a nested session" {
	apart "exec \"\$1\" run -q --execute \"\$1\" -- \"\$1\" run -q -- sh -c '$look; cat $open >/dev/null && echo opened' sh $(echo $secrets)" ||
		return 0
	[ "$out" = opened ] || complain 'only what is for all was expected'
}

@test "a rule that names a file in /etc grants it" {
	apart "exec \"\$1\" run --read /etc/app -- cat /etc/app/secret /etc/app/deep/er/secret" || return 0
	[ "$status" -eq 0 ] || complain 'it was expected to be read'
}

# Whoever runs such a file has its owner's rights, outside of every box.
@test "no call creates a setuid or setgid program" {
	cat >lend.py <<-'END'
		import ctypes, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		bits = int(sys.argv[2], 8)
		name = "file"
		with open(name, "w") as file:
		    os.fchmod(file.fileno(), 0o755)

		def nameless():
		    fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o755)
		    os.fchmod(fd, bits)
		    return os.fstat(fd).st_mode

		def opened(path, flags):
		    os.umask(0)
		    return os.fstat(os.open(path, flags | os.O_RDWR, bits)).st_mode

		def made():
		    os.umask(0)
		    os.mknod("node", bits | 0o100000)
		    return os.stat("node").st_mode

		def moved(act):
		    os.umask(0)
		    os.mknod(os.environ.get("TMPDIR", "..") + "/node", bits | 0o100000)
		    act(os.environ.get("TMPDIR", "..") + "/node", "node")
		    return os.stat("node").st_mode

		def pipe():
		    os.umask(0)
		    os.mkfifo("node", bits)
		    return os.stat("node").st_mode

		ways = {
		    "chmod": lambda: os.chmod(name, bits),
		    "fchmod": lambda: os.fchmod(os.open(name, os.O_RDONLY), bits),
		    "fchmodat": lambda: os.chmod(name, bits, dir_fd=os.open(".", os.O_RDONLY)),
		    "link": lambda: (os.symlink(name, "link"), os.chmod("link", bits)),
		    "proc": lambda: os.chmod("/proc/self/fd/%d" % os.open(name, os.O_RDONLY), bits),
		    "nameless": nameless,
		    "opened": lambda: opened("node", os.O_CREAT),
		    "opened-nameless": lambda: opened(".", os.O_TMPFILE),
		    "made": made,
		    "made-and-moved": lambda: moved(os.rename),
		    "made-and-linked": lambda: moved(os.link),
		    "pipe": pipe,
		}
		got = 0
		try:
		    got = ways[sys.argv[1]]()
		except PermissionError:
		    pass
		if not isinstance(got, int):
		    got = os.stat(name).st_mode
		sys.exit(0 if (got or os.stat(name).st_mode) & 0o6000 else 9)
	END
	for way in chmod fchmod fchmodat link proc nameless opened opened-nameless made made-and-moved made-and-linked pipe; do
		for bits in 4755 2755; do
			rm -f file node link ../node
			"$PYTHON" lend.py "$way" "$bits" || complain "$way $bits: not free, either"
			rm -f file node link
			expect 9 run -q -- "$PYTHON" lend.py "$way" "$bits"
			# nor in the private tmp, from where it could be moved
			rm -f file node link
			expect 9 run -q -- sh -c 'cd "$TMPDIR" && "$@"' sh "$PYTHON" "$P/lend.py" "$way" "$bits"
		done
	done
}

@test "setgid folders pass on their group, and existing setuid files keep their mode" {
	mkdir shared
	works 'chmod 2775 shared && [ -g shared ]'
	echo x >tool
	chmod 4750 tool
	works 'chmod 4755 tool && [ -u tool ]'
	expect 1 run -- sh -c 'echo x >other; chmod u+s other'
	heard "it would run with its owner's rights"
}

@test "the policies of the sources read the resolver's file where a link in /etc leads" {
	local policy

	mkdir -p "$T/etc" "$T/run/systemd/resolve"
	ln -s ../run/systemd/resolve/stub-resolv.conf "$T/etc/resolv.conf"
	echo 'nameserver 127.0.0.53' >"$T/run/systemd/resolve/stub-resolv.conf"
	echo other >"$T/run/systemd/other"
	printf '{"terminal": {"sandbox": {"enabled": true}}}' >settings.json
	printf '{"read_paths": ["/usr", "/bin", "/lib", "/lib64", "/etc"]}' >flow.json
	for policy in zed:settings.json flow:flow.json; do
		apart "mount --bind '$T/run' /run; cat /run/systemd/other
			exec \"\$1\" run -q -p $policy -- sh -c 'cat /etc/resolv.conf; cat /run/systemd/other'" || return 0
		[ "$out" = "$(printf 'other\nnameserver 127.0.0.53')" ] || complain "$policy: $out" "$err" || return 1
	done
}
