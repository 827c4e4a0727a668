#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a command in a network of its own with a second device, v0, with no peer, and says
# how many packets left by it. Needs root, ip and unshare. Exit status 77: none can be made here.
#
#   away.sh COMMAND...
set -eu
if [ "${AWAY_INSIDE:-}" != 1 ]; then
	unshare -n true || exit 77
	AWAY_INSIDE=1 exec unshare -n "$0" "$@"
fi
unset AWAY_INSIDE
ip link set lo up || exit 77
ip link add v0 type veth peer name v1 || exit 77
# nothing of the system's own goes out
for device in v0 v1; do
	echo 1 >/proc/sys/net/ipv6/conf/$device/disable_ipv6 || exit 77
done
ip address add 198.51.100.1/24 dev v0
ip link set v0 up
ip link set v1 up
ip neighbour add 198.51.100.9 lladdr 02:00:00:00:00:09 dev v0
sent()
{
	awk '$1 == "v0:" { print $11 }' /proc/self/net/dev
}
before=$(sent)
"$@" || echo "ended with $?"
echo "left: $(($(sent) - before))"
