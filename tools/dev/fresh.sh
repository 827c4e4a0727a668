# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs ./dev in a fresh minimal Debian, as root and as an ordinary user. Read by ./dev.

# A root without /etc/hosts and without packages. It is a chroot: not a mount point, and without user namespaces.
fresh_root()
{
	[ ! -d "$1" ] || return 0
	debootstrap --variant=minbase --include=git,ca-certificates "$2" "$1.new"
	chroot "$1.new" useradd -m newcomer
	mv "$1.new" "$1"
}

# fresh_run ROOT USER COMMAND: with the file systems that a person mounts before chroot, in a mount namespace that
# ends with the command.
fresh_run()
{
	say "# as $2: $3"
	# shellcheck disable=SC2016 # the variables are the inner shell's
	unshare --mount --propagation private sh -eu -c '
	mount -t proc proc "$1/proc"
	mount -t sysfs sysfs "$1/sys"
	mount --bind /dev "$1/dev"
	mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$1/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
	exec env -i TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	    chroot "$1" su - "$2" -c "$3"' fresh "$@" </dev/null
}

# fresh_clone ROOT USER: the committed state, as the user would have cloned it.
fresh_clone()
{
	git bundle create -q "$1/tmp/cordon.bundle" HEAD
	fresh_run "$1" "$2" 'rm -rf cordon && git -c advice.detachedHead=false clone -q /tmp/cordon.bundle cordon'
}

# cmd_fresh [RELEASE [DIR]]: the root is made in DIR and kept there, or thrown away.
cmd_fresh()
{
	[ "$(uname -s)" = Linux ] || fail 'a fresh Debian is for Linux'
	[ "$(id -u)" -eq 0 ] || fail 'a fresh Debian needs root'
	setup containers
	release=${1:-bookworm} root=${2:-}
	if [ -z "$root" ]; then
		root=$(mktemp -d /var/tmp/cordon-fresh.XXXXXX)
		trap 'rm -rf --one-file-system "$root"' EXIT
		trap 'exit 130' INT TERM HUP
		root=$root/$release
	fi
	fresh_root "$root" "$release"
	failed=0
	for user in root newcomer; do
		fresh_clone "$root" "$user"
		fresh_run "$root" "$user" 'cd cordon && ./dev try && ./dev test' || failed=1
	done
	[ "$failed" -eq 0 ] || fail 'something failed there'
}
