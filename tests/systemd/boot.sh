#!/bin/sh
# Boot systemd with the installed project and check the units where they run.
# As root:
#
#	sh tests/systemd/boot.sh [--quick] [--after FILE]
#
# With --quick the systems have no OpenCL device, and jobs are computed by the
# reference: the systems are made in a third of the time. With --after the project is
# taken once FILE exists. tests/run.sh uses both.
#
# Two systems boot, one after the other, in containers of systemd-nspawn:
# "minimal" is a Debian without udev, and so without the group render; "udev" is
# the same with udev. In each, checks.sh writes "ok ..." or "not ok ...: reason"
# for every check. This script prints these lines and counts them. Its status is
# 1 if a check failed, and 77, after a sentence, where nothing can be booted.
#
# A system consists of layers:
#
#	what it writes                   in memory, gone with the container
#	.run/boot/project                meson install and the checks
#	.run/boot/base, base-quick       Debian, 0.8 or 0.2 GB, kept for the next run
#
# It has a network of its own. The host gets the packages that are missing and
# is not changed otherwise.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
root=$(CDPATH='' cd -- "$here/../.." && pwd -P)
. "$root/daemon/setup.sh"
. "$here/container.sh"

boot=$root/.run/boot
build=$root/build
base=base
after=
# The libraries of apspd, apsp-solve and apspd-follow, nginx, an OpenCL device, and the
# linker that PoCL calls.
base_packages=systemd-sysv,curl,libmicrohttpd12,libjansson4,libsqlite3-0
base_packages=$base_packages,zlib1g,libzstd1,libnettle8,ocl-icd-libopencl1
base_packages=$base_packages,libcurl4,nginx-light
device_packages=,pocl-opencl-icd,binutils
while [ $# -gt 0 ]; do
	case $1 in
	--quick)
		base='base-quick'
		device_packages=
		;;
	--after)
		after=$2
		shift
		;;
	*)
		say "usage: $0 [--quick] [--after FILE]" >&2
		exit 2
		;;
	esac
	shift
done
base_packages=$base_packages$device_packages

# make_base: Debian in .run/boot/$base, with the packages of udev in its /udev.
# The stamp is written last and says that the base is complete.
make_base() {
	stamp="$release $base_packages"
	[ "$(cat "$boot/$base.stamp" 2>/dev/null)" != "$stamp" ] || return 0
	say "Making a Debian to boot (log: .run/boot/base.log)"
	rm -rf --one-file-system "$boot/$base.stamp" "${boot:?}/$base"
	apt-get -q -o Acquire::http::Timeout=20 -o APT::Update::Error-Mode=any update \
		>"$boot/base.log" 2>&1 </dev/null || return 1
	apt_sources >"$boot/sources.list"
	apt-config dump Acquire >"$boot/apt.conf" # a proxy, for instance
	# shellcheck disable=SC2016 # for the shell that runs the hooks
	nice timeout 900 mmdebstrap --quiet --variant=minbase --include="$base_packages" \
		--aptopt="$boot/apt.conf" \
		--customize-hook='mkdir -p "$1/udev/partial"' \
		--customize-hook='APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qy \
			-o Dir::Cache::Archives="$1/udev" --no-install-recommends \
			--download-only install udev' \
		"$release" "$boot/$base" "$boot/sources.list" \
		>>"$boot/base.log" 2>&1 </dev/null || return 1
	printf '%s\n' "$stamp" >"$boot/$base.stamp"
}

# make_project: what `meson install` installs, and the checks.
make_project() {
	units=$boot/project/etc/systemd/system
	[ -f "$build/build.ninja" ] || configure "$boot/setup.log" "$build"
	run_logged "$boot/build.log" "The build" \
		ninja -C "$build" daemon/apspd daemon/apsp-solve daemon/apspd-follow \
		tests/stop_thread
	rm -rf "$boot/project"
	mkdir -p "$units/multi-user.target.wants" "$boot/project/results"
	run_logged "$boot/install.log" "meson install" meson install \
		-C "$build" --no-rebuild --quiet --destdir "$boot/project"
	# the user of the clone must be able to install again, if root may give
	# files away
	chown --reference="$build" "$build/meson-logs/install-log.txt" \
		2>/dev/null || :
	cp "$here/checks.sh" "$here/replica_checks.sh" "$build/tests/stop_thread" \
		"$boot/project/"
	mkdir -p "$boot/project/replica"
	cp "$root/systemd/apspd-replica@.service" "$root/systemd/nginx-replicas.conf" \
		"$boot/project/replica/"
	cp "$here/checks.service" "$units/"
	ln -s ../checks.service "$units/multi-user.target.wants/"
}

# check_system NAME COMMAND...: boot the project and print what was found.
check_system() {
	name=$1
	shift
	say "Booting $name"
	status=0
	boot_system "$name" "project:$base" 1200 "$@" || status=$?
	{
		sed "s/^\(ok\|not ok\) /&$name: /" "$boot/$name/lines" 2>/dev/null || :
		[ -e "$boot/$name/finished" ] ||
			say "not ok $name: the checks ended early; systemd-nspawn ended with $status"
	} >"$boot/$name.results"
	cat "$boot/$name.results" >>"$boot/results"
	cat "$boot/$name.results"
	! grep -q '^not ok ' "$boot/$name.results" || show_logs
}

# show_logs: the ends of what $name left, since a machine of tests may be gone later.
show_logs() {
	for log in "$boot/$name.log" "$boot/$name/trace"; do
		[ -s "$log" ] || continue
		say "The end of ${log#"$root"/}:"
		tail -n 40 "$log" | sed 's/^/| /'
	done
}

rm -f "$boot/results" # an earlier run's, whose lines tests/run.sh would count
prepare_host
make_base ||
	skip "no Debian could be made: $(tail -n 1 "$boot/base.log")"

# A Debian that powers off at once tells whether a container can boot here.
mkdir -p "$boot/nothing/etc/systemd/system"
ln -sf /lib/systemd/system/poweroff.target \
	"$boot/nothing/etc/systemd/system/default.target"
status=0
boot_system probe "nothing:$base" 180 true || status=$?
[ "$status" = 0 ] ||
	skip "systemd-nspawn boots no container here, and ended with $status: $(tail -n 1 "$boot/probe.log")"

while [ -n "$after" ] && ! [ -e "$after" ]; do
	sleep 1
done
make_project
: >"$boot/results"
check_system minimal true
check_system udev chroot mount/root sh -c 'exec dpkg --install /udev/*.deb'
passed=$(grep -c '^ok ' "$boot/results" || :)
failed=$(grep -c '^not ok ' "$boot/results" || :)
say "systemd: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
