# shellcheck shell=sh
# Containers of systemd-nspawn that boot layers of directories, for boot.sh and
# package.sh. They source this file after daemon/setup.sh, with $boot set to the
# directory of the layers.

release=bookworm

skip() {
	say "Not booted: $*"
	exit 77
}

# shellcheck disable=SC2016 # apt expands the names
# apt_sources: this Debian's lines of sources.list, as apt is configured here.
apt_sources() {
	apt-get indextargets 'Created-By: Packages' --format \
		'$(ORIGIN) $(CODENAME) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' |
		sed -n "s/^Debian $release\(-security\|-updates\)\{0,1\} //p" | sort -u
}

# boot_system NAME LOWER SECONDS COMMAND...: boot the layers LOWER after COMMAND
# ran beside mount/root, where they lie. The system's /results is .run/boot/NAME.
# The mounts are in a namespace that ends with the container.
boot_system() {
	rm -rf --one-file-system "${boot:?}/$1"
	mkdir -p "$boot/mount" "$boot/$1"
	# shellcheck disable=SC2016 # for the shell in the namespace
	(cd "$boot" && exec unshare --mount --propagation private sh -euc '
		name=$1 lower=$2 seconds=$3
		shift 3
		mount -t tmpfs -o mode=755 tmpfs mount
		mkdir mount/upper mount/work mount/root
		mount -t overlay overlay mount/root -o \
			"lowerdir=$lower,upperdir=mount/upper,workdir=mount/work"
		"$@"
		mkdir -p mount/root/results
		mount --bind "$name" mount/root/results
		exec timeout --kill-after=20 "$seconds" systemd-nspawn --quiet \
			--directory=mount/root --machine="apspd-$name" --boot \
			--register=no --keep-unit --link-journal=no \
			--private-network --console=pipe' \
		boot "$@") >"$boot/$1.log" 2>&1 </dev/null 9>&- &
	container=$!
	status=0
	wait "$container" || status=$?
	container=
	remove_cgroups
	return "$status"
}

# remove_cgroups: systemd-nspawn leaves its own two behind, empty.
remove_cgroups() {
	sed -n 's/^[0-9]*:\(name=systemd\)\{0,1\}://p' /proc/self/cgroup |
		while read -r path; do
			for tree in '' /unified /systemd; do
				for group in payload supervisor; do
					find "/sys/fs/cgroup$tree$path/$group" -depth \
						-type d -exec rmdir {} + 2>/dev/null || :
				done
			done
		done
}

end_container() {
	[ -n "$container" ] || return 0
	kill "$container"
	wait "$container" || :
	remove_cgroups
}

# prepare_host: check that containers can be booted, install what is missing, and wait
# until no other containers run. Otherwise exit with status 77 after a sentence.
prepare_host() {
	umask 022
	[ "$(id -u)" = 0 ] ||
		skip "only root can boot a container: sudo sh tests/systemd/boot.sh"
	[ "$(. /etc/os-release && printf %s "${VERSION_CODENAME-}")" = "$release" ] ||
		skip "the containers are Debian $release, and what is built here may not run there."
	mkdir -p "$boot" 2>/dev/null || skip "$boot cannot be made."
	chown --reference="$root" "$root/.run" 2>/dev/null || : # with sudo: a user's clone
	(install_missing "$boot/apt.log" mmdebstrap systemd-container) ||
		skip "mmdebstrap and systemd-container are missing."
	unshare --mount --propagation private true 2>"$boot/probe.log" ||
		skip "there are no mounts of its own here: $(tail -n 1 "$boot/probe.log")"
	(: >>/run/apspd-boot.lock) 2>/dev/null || skip "/run cannot be written."
	exec 9>/run/apspd-boot.lock # one at a time: they would share their cgroups
	flock 9
	container=
	trap end_container EXIT
	trap 'exit 130' INT TERM HUP
}
