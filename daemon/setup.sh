# shellcheck shell=sh
# Packages and build, for daemon/quickstart.sh and tests/run.sh, which source
# this file with $root set to the clone. Only apt ever runs under sudo.

# What the build needs, and what PoCL needs while it runs (it calls ld).
# shellcheck disable=SC2034 # for those who source this file
build_packages='build-essential binutils pkg-config meson ninja-build python3
	libmicrohttpd-dev libjansson-dev libsqlite3-dev zlib1g-dev libzstd-dev
	nettle-dev ocl-icd-opencl-dev opencl-headers ca-certificates curl'

say() {
	printf '%s\n' "$*"
}

die() {
	printf '%s\n' "$*" >&2
	exit 1
}

# run_logged LOG WHAT COMMAND...: silent unless the command fails.
run_logged() {
	log=$1 what=$2
	shift 2
	if "$@" >"$log" 2>&1 </dev/null; then
		return 0
	fi
	tail -n 25 "$log" >&2
	die "$what failed; the lines above are the end of $log."
}

# PoCL computes on the CPU where no GPU driver is both installed and usable.
opencl_packages() {
	for icd in /etc/OpenCL/vendors/*.icd; do
		case $icd in
		*/pocl.icd | */\*.icd) ;;
		*)
			for node in /dev/nvidia[0-9]* /dev/kfd /dev/dri/renderD*; do
				[ ! -e "$node" ] || return 0
			done
			;;
		esac
	done
	printf '%s\n' pocl-opencl-icd
}

is_installed() {
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null |
		grep -qx installed
}

# How long to wait for another program that installs packages, in seconds.
apt_wait=${APT_WAIT:-900}

# apt_is_held LOG: whether apt ended because another program has its lock.
apt_is_held() {
	grep -Eq 'Could not get lock|Unable to (acquire|lock)|is held by process' "$1"
}

# apt_run LOG WHAT ARGUMENT...: apt-get as root. Another program may hold apt's
# lock, such as unattended upgrades after a start of the machine: that is said,
# and waited for. apt-get update has no such wait of its own.
apt_run() {
	apt_log=$1 apt_what=$2
	shift 2
	waited=0
	# shellcheck disable=SC2086 # $as_root is a word or nothing
	until DEBIAN_FRONTEND=noninteractive $as_root apt-get -qy \
		-o DPkg::Lock::Timeout=5 "$@" >"$apt_log" 2>&1 </dev/null; do
		if ! apt_is_held "$apt_log" || [ "$waited" -ge "$apt_wait" ]; then
			tail -n 25 "$apt_log" >&2
			die "$apt_what failed; the lines above are the end of $apt_log."
		fi
		[ "$waited" != 0 ] ||
			say "Another program holds apt's lock; waiting for it, $apt_wait s at most."
		sleep 5
		waited=$((waited + 5))
	done
}

# become_root COMMAND: sets $as_root to what apt_run needs to run it.
become_root() {
	as_root=
	[ "$(id -u)" != 0 ] || return 0
	command -v sudo >/dev/null 2>&1 ||
		die "Packages are missing and there is no sudo; as root: $1"
	as_root=sudo
	sudo -v || die "Packages are missing and sudo was refused; as root: $1"
}

# install_missing LOG PACKAGE...: apt is not called when nothing is missing.
install_missing() {
	apt_log=$1
	shift
	if ! command -v dpkg-query >/dev/null 2>&1; then
		say "This is not a Debian system: what these packages hold must be there: $*"
		return 0
	fi
	missing=
	for package; do
		is_installed "$package" || missing="$missing $package"
	done
	[ -n "$missing" ] || return 0

	become_root "apt-get install$missing"
	say "Installing:$missing"
	apt_run "$apt_log" "apt-get update" update
	# shellcheck disable=SC2086 # words on purpose
	apt_run "$apt_log" "apt-get install" --no-install-recommends install $missing
}

# download DIRECTORY PACKAGE...
download() (
	cd "$1" && shift && exec apt-get -q download "$@" </dev/null
)

# unpack_programs LOG DIRECTORY PACKAGE...: what packages hold, without installing them:
# a package of a server would start it. Their own libraries must be there already.
unpack_programs() {
	apt_log=$1 programs=$2
	shift 2
	[ "$(cat "$programs/stamp" 2>/dev/null)" != "$*" ] || return 0
	if ! command -v apt-get >/dev/null 2>&1; then
		say "This is not a Debian system: these programs must be there: $*"
		return 0
	fi
	rm -rf "$programs"
	mkdir -p "$programs/debs"
	say "Unpacking: $*"
	if ! download "$programs/debs" "$@" >"$apt_log" 2>&1; then
		become_root "apt-get update" # its lists may be old, or not there
		apt_run "$apt_log" "apt-get update" update
		run_logged "$apt_log" "apt-get download" download "$programs/debs" "$@"
	fi
	for deb in "$programs"/debs/*.deb; do
		dpkg -x "$deb" "$programs" || die "$deb cannot be unpacked."
	done
	rm -r "$programs/debs"
	printf '%s\n' "$*" >"$programs/stamp"
}

# configure LOG DIRECTORY OPTION...: once, or again with these options.
configure() {
	setup_log=$1 directory=$2
	shift 2
	if [ -f "$directory/build.ninja" ]; then
		run_logged "$setup_log" "Setting up the build in $directory" \
			meson configure "$directory" "$@"
	else
		run_logged "$setup_log" "Setting up the build in $directory" \
			meson setup "$directory" "${root:?}" "$@"
	fi
}
