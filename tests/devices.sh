#!/bin/sh
# Run the device tests on every OpenCL device of this machine, with the fast forms of
# kernels and with the plain ones:
#
#	sh tests/devices.sh [BUILD_DIR [TEST...]]
#
# Debian's mesa-opencl-icd brings llvmpipe as one more device. Status 1: a test failed.
set -u

build=$(cd "${1:-build}" && pwd) || exit 1
[ $# -eq 0 ] || shift
chosen="$*"
everywhere="device kernel_form"
# these have graphs that need doubles
wide="multi_source bf_dense edges closure streamed sums_device stats_device windows algorithm_limits
	algorithms"
export RUSTICL_ENABLE="${RUSTICL_ENABLE:-llvmpipe}"
export APSP_BUILD_ROOT="$build" APSP_SOURCE_ROOT="${0%/tests/*}"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
"$build/daemon/apsp-solve" --devices </dev/zero 2>"$logs/list" |
	sed -n 's/^found \([^%]*\)%09\([^%]*\)%09\([^%]*\)%09.*/\1\t\2 \3/p' >"$logs/devices"
[ -s "$logs/devices" ] || {
	cat "$logs/list"
	echo "No OpenCL device is here."
	exit 1
}

passed=0 failed=0
while IFS="$(printf '\t')" read -r numbers device; do
	tests=${chosen:-$everywhere $wide}
	case "$numbers" in
	*" 0 "[01]" "[01]) tests=${chosen:-$everywhere} ;; # no doubles
	esac
	for form in fast plain; do
		for name in $tests; do
			if APSPD_DEVICE=$device APSP_TEST_FORM=$form \
				"$build/tests/test_$name" >"$logs/test" 2>&1 </dev/null; then
				passed=$((passed + 1))
				echo "$device, $form forms: $name passes"
			else
				failed=$((failed + 1))
				echo "$device, $form forms: $name FAILS"
				tail -n 25 "$logs/test"
			fi
		done
	done
done <"$logs/devices"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
