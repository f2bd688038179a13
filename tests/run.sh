#!/bin/sh
# Install, build and run every test: one gcc build, one under AddressSanitizer
# and UndefinedBehaviorSanitizer. The sanitized daemon drives the plain build's
# solver, because PoCL does not run under the sanitizers; both share one cache
# of compiled kernels. Everything lies in build/, build-asan/ and .run/.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/daemon/setup.sh"

logs=$root/.run/tests
mkdir -p "$logs" "$logs/kernels" || die "Cannot write in $root."
# shellcheck disable=SC2046,SC2086 # words on purpose
set -- $build_packages $(opencl_packages) libcmocka-dev systemd
install_missing "$logs/apt.log" "$@"

export POCL_CACHE_DIR="$logs/kernels"

# build_and_test DIRECTORY OPTION...: the results go to the build's meson-logs.
failed=0
build_and_test() {
	directory=$root/$1 name=$1
	shift
	say "Building $name"
	configure "$logs/$name-setup.log" "$directory" -Dtests=enabled \
		-Dwerror=true "$@"
	run_logged "$logs/$name.log" "The build in $name" ninja -C "$directory"
	say "Testing $name"
	meson test -C "$directory" --no-rebuild --print-errorlogs || failed=1
}

build_and_test build
for source in "$root"/tests/test_*.c; do
	program=$(basename "$source" .c)
	[ -x "$root/build/tests/$program" ] ||
		die "tests/$program.c is in no list of tests/meson.build."
done
export APSPD_SOLVER="$root/build/daemon/apsp-solve"
build_and_test build-asan -Db_sanitize=address,undefined

python3 "$root/tests/summary.py" "$root/build" "$root/build-asan" || failed=1
exit "$failed"
