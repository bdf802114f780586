#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tools/run.sh UPKTGEN SECONDS
#
# The main job: a private network namespace with a pair of virtual Ethernet devices, a sender at
# full speed on one, a receiver on the other. The script becomes each next program instead of
# starting it, so that one process is all there is: a Ctrl-C reaches it, and the namespace goes with
# it, whatever happens. Root is not needed where user namespaces are allowed.
set -eu
upktgen=$1
seconds=${2:-5}

if [ -z "${UPKTGEN_RUN_INSIDE:-}" ]; then
	UPKTGEN_RUN_INSIDE=1
	export UPKTGEN_RUN_INSIDE
	for tool in unshare ip; do
		command -v $tool >/dev/null || [ -x /sbin/$tool ] || {
			echo "./dev run: '$tool' is missing (Debian packages: util-linux, iproute2)" >&2
			exit 1
		}
	done
	if unshare --net true 2>/dev/null; then
		exec unshare --net "$0" "$@"
	elif unshare --user --map-root-user --net true 2>/dev/null; then
		exec unshare --user --map-root-user --net "$0" "$@"
	fi
	echo "./dev run: no private network here. It needs root, or user namespaces for ordinary" >&2
	echo "users (as root: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000)" >&2
	exit 1
fi

PATH=$PATH:/sbin:/usr/sbin
# Nothing but our packets is to travel: no IPv6, which would say hello by itself.
quiet() {
	{ echo 1 >"/proc/sys/net/ipv6/conf/$1/disable_ipv6"; } 2>/dev/null || ip link set dev "$1" addrgenmode none 2>/dev/null || true
}
ip link set dev lo up
ip link add pgtx address 02:00:00:00:00:01 type veth peer name pgrx address 02:00:00:00:00:02
quiet pgtx
quiet pgrx
ip link set dev pgrx up
ip link set dev pgtx up

# The first CPU that we may use, as "0-3,7" lists them.
cpu=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)

exec "$upktgen" run --time "$seconds" --receiver pgrx - <<COMMANDS
# pktgen's own language, a line a write: TARGET COMMAND [ARGUMENT]
kpktgend_$cpu rem_device_all
kpktgend_$cpu add_device pgtx
pgtx count 0
pgtx pkt_size 60
pgtx delay 0
pgtx dst_mac 02:00:00:00:00:02
pgtx src_min 198.18.0.1
pgtx src_max 198.18.0.1
pgtx dst_min 198.18.0.42
pgtx dst_max 198.18.0.42
pgtx flag UDPSRC_RND
pgtx udp_src_min 9
pgtx udp_src_max 109
pgtx flag UDPCSUM
pgctrl start
COMMANDS
