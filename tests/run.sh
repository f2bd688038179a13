#!/bin/sh
# Install, build and run every test, in two builds: build/ as released, build-asan/
# under AddressSanitizer and UndefinedBehaviorSanitizer. PoCL does not run under
# the sanitizers, so the sanitized daemon drives the solver of build/. Both builds
# share their compiled kernels. All output lies in build/, build-asan/ and .run/.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/daemon/setup.sh"

logs=$root/.run/tests
mkdir -p "$logs/kernels" || die "Cannot write in $root."
# shellcheck disable=SC2046,SC2086 # words on purpose
set -- $build_packages $(opencl_packages) libcmocka-dev systemd \
	libopenmpi-dev openmpi-bin \
	chromium chromium-driver python3-selenium python3-hypothesis python3-jsonschema \
	python3-numpy python3-pandas python3-scipy python3-networkx graphviz r-base-core r-cran-curl r-cran-jsonlite mandoc jq openssh-client
install_missing "$logs/apt.log" "$@"

export POCL_CACHE_DIR="$logs/kernels/pocl"
export APSP_TEST_KERNELS="$logs/kernels/apspd"
# loops of a GPU's kernel stay loops, which PoCL compiles faster (relax_gpu.cl)
export POCL_EXTRA_BUILD_FLAGS="-DROLLED"

# set_up NAME OPTION...: the build directory of that name. -g1 is enough for the
# lines of a sanitizer's report, and takes an eighth off compiling.
set_up() {
	name=$1
	shift
	configure "$logs/$name-setup.log" "$root/$name" -Dtests=enabled \
		-Dwerror=true -Dc_args=-g1 "$@"
}

# Neither takes both cores, and only build/ looks for the programs.
set_up build-asan -Db_sanitize=address,undefined -Doptimization=1 -Dmpi=disabled &
setting_up=$!
unpack_programs "$logs/programs.log" "$root/.run/programs" nginx prometheus \
	openssh-server libwrap0
set_up build -Dmpi=enabled
wait "$setting_up" || exit 1

# run_tests NAME PROCESSES [OPTION...]: the results go to the build's meson-logs.
run_tests() {
	tested=$root/$1
	shift
	meson test -C "$tested" --no-rebuild --print-errorlogs --num-processes "$@"
}

# sanitize: build build-asan, and test it with the solver of build/. Those tests are
# short, so they are compiled faster, not better.
sanitize() {
	ninja -C "$root/build-asan" -j "$(nproc)" >"$logs/build-asan.log" 2>&1 || {
		tail -n 25 "$logs/build-asan.log"
		printf '%s\n' "The build in build-asan failed; the lines above end its log."
		return 1
	}
	export APSPD_SOLVER="$root/build/daemon/apsp-solve"
	run_tests build-asan $(($(nproc) + 1))
}

# The units boot in containers beside the tests, where that can be done: a Debian to
# boot is made while build/ is compiled.
rm -f "$logs/built" "$root/.run/boot/results"
sh "$root/tests/systemd/boot.sh" --quick --after "$logs/built" \
	>"$logs/systemd.log" 2>&1 </dev/null &
booting=$!
trap 'kill "$booting" 2>/dev/null || :' EXIT

say "Building build"
run_logged "$logs/build.log" "The build in build" ninja -C "$root/build" released
for source in "$root"/tests/test_*.c; do
	program=tests/$(basename "$source" .c)
	grep -q "^build $program:" "$root/build/build.ninja" ||
		die "$program.c is in no list of tests/meson.build."
done

: >"$logs/built"

# Many tests wait or use one core: the sanitized build is made and tested beside the tests of
# build/, and of each build one more test runs than there are CPUs. Tests of the suite `again` run
# only in the sanitized build (tests/meson.build).
failed=0
sanitize >"$logs/sanitized.log" 2>&1 </dev/null &
sanitizing=$!
trap 'pkill -P "$sanitizing"; kill "$sanitizing" "$booting" 2>/dev/null || :' EXIT
trap 'exit 130' INT TERM
say "Testing build, and building and testing build-asan beside it"
run_tests build $(($(nproc) + 1)) --no-suite again || failed=1
sanitized=0
wait "$sanitizing" || sanitized=$?
trap 'kill "$booting" 2>/dev/null || :' EXIT
say "Tested build-asan"
cat "$logs/sanitized.log"
[ "$sanitized" = 0 ] || failed=1

# 77: nothing could be booted here, and the log's last line says why
booted=0
wait "$booting" || booted=$?
trap - EXIT INT TERM
set -- "$root/build" "$root/build-asan"
if [ "$booted" = 77 ]; then
	say "systemd: $(tail -n 1 "$logs/systemd.log")"
else
	[ ! -s "$root/.run/boot/results" ] ||
		set -- "$@" "$root/.run/boot/results"
	[ "$booted" = 0 ] || tail -n 200 "$logs/systemd.log" >&2
fi
[ "$booted" = 77 ] || [ "$booted" = 0 ] || failed=1

python3 "$root/tests/summary.py" "$@" || failed=1
exit "$failed"
