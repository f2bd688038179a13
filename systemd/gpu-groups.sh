#!/bin/sh
# Puts apspd.service into the groups that own the nodes of GPUs: a generator,
# which systemd runs at boot and at daemon-reload (systemd.generator(7)).
#
# A unit cannot ask for a group that may be missing. SupplementaryGroups= with
# an unknown name ends the service with 216/GROUP, before any ExecStartPre=, and
# udev, which brings the group render, is missing in most containers. So this
# asks for the groups that exist. To make the groups by sysusers.d instead would
# leave them behind, would fail where /etc is read-only, and would gain nothing:
# a node belongs to the group render only if udev found that group.
#
# Only /etc/group is read. Other sources may need the network, which is not up.
set -eu

groups=
while IFS=: read -r name rest; do
	case $name in
	render | video) groups="$groups $name" ;;
	esac
done </etc/group
[ -n "$groups" ] || exit 0
mkdir -p "$1/apspd.service.d"
printf '[Service]\nSupplementaryGroups=%s\n' "${groups# }" \
	>"$1/apspd.service.d/50-gpu-groups.conf"
