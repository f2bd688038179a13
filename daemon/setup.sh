# shellcheck shell=sh
# Installing packages and building, for daemon/quickstart.sh and tests/run.sh. They
# source this file with $root set to the clone. Only apt runs under sudo.

# Packages for the build, and for PoCL, which calls ld while it runs.
# shellcheck disable=SC2034 # used by the scripts that source this file
build_packages='build-essential binutils pkg-config meson ninja-build python3
	libmicrohttpd-dev libjansson-dev libsqlite3-dev zlib1g-dev libzstd-dev
	nettle-dev ocl-icd-opencl-dev opencl-headers ca-certificates curl libcurl4-openssl-dev'

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

# opencl_packages: print PoCL's package, unless a GPU driver is installed and usable.
# PoCL computes on the CPU.
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

# The longest wait for another program that installs packages, in seconds.
apt_wait=${APT_WAIT:-900}

# apt_is_held LOG: whether apt ended because another program has its lock.
apt_is_held() {
	grep -Eq 'Could not get lock|Unable to (acquire|lock)|is held by process' "$1"
}

# apt_run LOG WHAT ARGUMENT...: run apt-get as root. If another program holds apt's
# lock, such as unattended upgrades after a start of the machine, print that and wait
# for the lock. apt-get update does not wait for it.
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

# become_root COMMAND: set $as_root to the word with which apt_run becomes root. COMMAND
# is for the message if that is impossible.
become_root() {
	as_root=
	[ "$(id -u)" != 0 ] || return 0
	command -v sudo >/dev/null 2>&1 ||
		die "Packages are missing and there is no sudo; as root: $1"
	as_root=sudo
	sudo -v || die "Packages are missing and sudo was refused; as root: $1"
}

# install_missing LOG PACKAGE...: install the missing packages. If none is missing, apt is
# not called.
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

# download DIRECTORY PACKAGE...: download packages into DIRECTORY.
download() (
	cd "$1" && shift && exec apt-get -q download "$@" </dev/null
)

# unpack_programs LOG DIRECTORY PACKAGE...: unpack packages without installing them,
# because installing a package of a server would start the server. The libraries that the
# programs need must be installed already.
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
		become_root "apt-get update" # apt's lists may be old or missing
		apt_run "$apt_log" "apt-get update" update
		run_logged "$apt_log" "apt-get download" download "$programs/debs" "$@"
	fi
	for deb in "$programs"/debs/*.deb; do
		dpkg -x "$deb" "$programs" || die "$deb cannot be unpacked."
	done
	rm -r "$programs/debs"
	printf '%s\n' "$*" >"$programs/stamp"
}

# configure LOG DIRECTORY OPTION...: set up the build in DIRECTORY, or change its options.
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
