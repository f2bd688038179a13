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

	as_root=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null 2>&1 ||
			die "Packages are missing and there is no sudo; as root: apt-get install$missing"
		as_root=sudo
		sudo -v || die "Packages are missing and sudo was refused; as root: apt-get install$missing"
	fi
	say "Installing:$missing"
	run_logged "$apt_log" "apt-get update" $as_root apt-get -q update
	# shellcheck disable=SC2086 # words on purpose
	DEBIAN_FRONTEND=noninteractive run_logged "$apt_log" "apt-get install" \
		$as_root apt-get -qy --no-install-recommends install $missing
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
