# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs cordon in containers, and refreshes the lists of calls that container runtimes allow. Read by ./dev.

# The Debian root is kept from run to run.
make_container_root()
{
	root=${XDG_CACHE_HOME:-$HOME/.cache}/cordon-containers/bookworm
	[ ! -d "$root" ] || return 0
	mkdir -p "${root%/*}"
	rm -rf "$root.new"
	debootstrap --variant=minbase --include=python3-minimal,libpython3-stdlib,git,ca-certificates bookworm "$root.new"
	mv "$root.new" "$root"
}

cmd_containers()
{
	case ${1:-} in
	--refresh)
		[ $# -eq 5 ] || fail 'usage: ./dev containers --refresh docker|containerd|podman FILE SOURCE DATE'
		shift
		exec python3 -B tests/containers/lists.py refresh "$@"
		;;
	esac
	[ "$(uname -s)" = Linux ] || fail 'containers are for Linux'
	[ "$(id -u)" -eq 0 ] || fail 'containers need root'
	setup build containers
	compile_default
	make_container_root
	exec /usr/bin/python3 -B tests/containers/run.py build/cordon "$root" "$@"
}
