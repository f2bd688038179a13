#!/bin/sh
# Run the device tests on every OpenCL device of this machine, with the fast forms of
# kernels and with the plain ones, and end with one table of all:
#
#	sh tests/devices.sh [BUILD_DIR [TEST...]]
#
# APSPD_DEVICE=TEXT takes the devices alone whose name or platform has TEXT. Debian's
# mesa-opencl-icd brings llvmpipe as one more device. Its oclgrind interprets kernels and
# looks for memory errors, of which one is a failure: it gets `tiny` alone, whose graphs
# have 9 vertices. Stopped by a signal, the table has what was run. Status 1: a test failed,
# or not all were run.
set -u

build=$(cd "${1:-build}" && pwd) || exit 1
[ $# -eq 0 ] || shift
tests=${*:-tiny device kernel_form self_test algorithms algorithm_limits multi_source widest
	bf_dense edges closure streamed sums_device stats_device windows}
wanted=${APSPD_DEVICE:-}
tab=$(printf '\t')
row='%-34.34s %-5s %-16s %-7s %6s %6s %7s  %s\n'
export RUSTICL_ENABLE="${RUSTICL_ENABLE:-llvmpipe}"
export APSP_BUILD_ROOT="$build" APSP_SOURCE_ROOT="${0%/tests/*}"

logs=$(mktemp -d)
stopped=0
: >"$logs/table"

count() {
	grep -c "$1" "$2"
}

# What a test passed over, and how often: "doubles: 12 cases", or nothing.
lacks() {
	sed -n 's/^passed over: //p' "$logs/test" | sort | uniq -c |
		while read -r times what; do
			printf '%s: %s cases ' "$what" "$times"
		done
}

# run DEVICE FORM TEST COMMAND...: one test by that command, and its row. The form is
# "only" where the device has no fast one.
run() {
	device=$1 form=$2 name=$3
	shift 3
	: >"$logs/memory"
	started=$(date +%s)
	APSP_TEST_FORM=$form "$@" "$build/tests/test_$name" >"$logs/test" 2>&1 </dev/null
	status=$?
	seconds=$(($(date +%s) - started))
	! grep -q '^no fast form$' "$logs/test" || form=only
	ok=$(count '^\[       OK \]' "$logs/test")
	errors=$(count '^Invalid \|^Uninitialized ' "$logs/memory")
	result=passes
	if [ $status -ne 0 ] || [ "$errors" != 0 ]; then
		result=FAILS
		tail -n 25 "$logs/test"
		head -n 25 "$logs/memory"
	fi
	all=$(sed -n 's/^\[==========\].* Running \([0-9]*\) test.*/\1/p' "$logs/test")
	# shellcheck disable=SC2059
	printf "$row" "$device" "$form" "$name" $result "$ok" "$((${all:-1} - ok))" \
		$seconds "$(lacks)" | tee -a "$logs/table"
}

# The end: the day, the drivers, the table.
finish() {
	trap - EXIT
	[ -s "$logs/table" ] || {
		cat "$logs/list"
		[ $stopped = 1 ] || echo "No such OpenCL device is here."
		rm -rf "$logs"
		exit 1
	}
	printf '\n%s, %s processors\n' "$(date -u +%F)" "$(nproc)"
	while IFS=$tab read -r device platform version; do
		echo "$device: $platform, $version"
	done <"$logs/devices"
	dpkg-query -W libpocl2 mesa-opencl-icd oclgrind 2>/dev/null
	echo
	# shellcheck disable=SC2059
	printf "$row" device form test result passed failed seconds \
		"passed over for the lack of"
	cat "$logs/table"
	result=$stopped
	! grep -q ' FAILS ' "$logs/table" || result=1
	rm -rf "$logs"
	exit "$result"
}
trap finish EXIT
trap 'stopped=1; exit 1' INT TERM

"$build/daemon/apsp-solve" --devices </dev/zero 2>"$logs/list" |
	sed -n 's/^found .*name \([^ ]*\) platform \([^ ]*\) version \([^ ]*\).*/\1\t\2\t\3/p' |
	sed 's/%20/ /g' |
	grep -iF -e "$wanted" >"$logs/devices"
while IFS=$tab read -r device _; do
	for name in $tests; do
		run "$device" fast "$name" env APSPD_DEVICE="$device"
		[ "$form" = only ] ||
			run "$device" plain "$name" env APSPD_DEVICE="$device"
	done
done <"$logs/devices"
# unoptimized: Oclgrind 21.10 has no popcount, which its compiler makes of tests for powers
# of two, and widens comparisons of vectors to 255 in place of 1
if [ -n "$(command -v oclgrind)" ] && echo "$tests" | grep -qw tiny &&
	echo oclgrind | grep -qiF -e "$wanted"; then
	run "Oclgrind Simulator" plain tiny \
		env APSPD_DEVICE=oclgrind APSP_TEST_CPU_KERNELS=1 \
		oclgrind --build-options -cl-opt-disable \
		--log "$logs/memory" --local-mem-size 65536
fi
