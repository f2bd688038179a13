#!/bin/sh
# Adds apspd.service to the groups that own the device nodes of GPUs. This is a
# generator, which systemd runs at boot and at daemon-reload (systemd.generator(7)).
#
# A unit cannot name a group that may not exist. With an unknown name in
# SupplementaryGroups=, the service fails with 216/GROUP before any ExecStartPre=.
# udev creates the group render, and most containers have no udev. So this script
# names only the groups that exist. Creating the groups with sysusers.d instead would
# leave them behind, would fail if /etc is read-only, and would be useless: a node
# belongs to the group render only if udev found that group.
#
# The script reads only /etc/group. Other sources may need the network, which is not
# up yet.
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
