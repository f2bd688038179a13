#!/bin/sh
# All measurements that need a GPU or many processors, on one host:
#
#	sh tests/bench/one_host.sh BUILD_DIR OUT [STEP...]
#
# BUILD_DIR has a build with tests and benchmarks. The output of each step goes to a file
# in OUT and to the standard output. These are the steps; all run if none is named:
#
#	uploads	 seconds from the last byte of an upload until the tables answer, with
#		 compiled kernels, and the state on the disk of /var/tmp or in /dev/shm
#	first	 the first job of a new daemon beside the next ones, as root
#	transfer the speed of copies from the device into a file on each of these
#	scaling	 the same uploads, and a solve in memory, by PoCL on 2 processors and on all,
#		 beside the speed of the processors without OpenCL
#	estimates  estimates for all graphs of the benchmark beside their jobs
#	engine	 every algorithm's rate beside the device's ceiling
#	latency	 paths at half load, alone and beside uploads and downloads
#	suite	 the tests on the device
#
# APSPD_DEVICE names the device (default: NVIDIA). If a step fails, the script names it and
# ends with status 1.

set -u
[ $# -ge 2 ] || { sed -n '2,/^$/s/^#[\t ]\{0,1\}//p' "$0"; exit 2; }
build=$(cd "$1" && pwd) && mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 1
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
device=${APSPD_DEVICE:-NVIDIA}
export APSP_BUILD_ROOT="$build" APSP_SOURCE_ROOT="${here%/tests/bench}"
larva=$APSP_SOURCE_ROOT/tests/data/larva_edges.csv
python=python3
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3 # Debian's
all=$(nproc)
failed=0

# note NAME COMMAND...: run the command and copy its output to OUT/NAME.
note() {
	name=$1
	shift
	echo "== $name: $*"
	"$@" >>"$out/$name" 2>&1 </dev/null || {
		echo "   status $?"
		failed=1
	}
	tail -n "${lines:-40}" "$out/$name"
}

uploads() {
	for dir in /var/tmp /dev/shm; do
		name=uploads$(echo "$dir" | tr / -)
		TMPDIR=$dir note "$name" "$python" "$here/estimates.py" --device "$device" \
			--rounds 5 --kernels "$out/kernels" --json "$out/$name.json" \
			"$larva" "$larva@inv" sparse:12529:100 sparse:32768:20
	done
}

first() {
	TMPDIR=/var/tmp note first "$python" "$here/first_job.py" --device "$device" \
		--kernels "$out/kernels" "$larva" sparse:12529:100 sparse:32768:20
}

transfer() {
	for dir in /var/tmp /dev/shm; do
		note transfer "$build/tests/bench/bench_transfer" "$device" "$dir" 4480 4
	done
}

scaling() {
	for n in 2 "$all" 2 "$all"; do
		note host taskset -c "0-$((n - 1))" "$build/tests/bench/bench_host"
	done
	for graph in "$larva@inv" "$larva@hops" sparse:12529:100; do
		"$build/tests/bench/make_graph" "$graph" "$out/graph" || {
			echo "   status $?: no $graph, which is left out"
			failed=1
			continue
		}
		for turn in 1 2 3; do
			for n in 2 "$all"; do
				echo "$graph, $n processors, turn $turn" >>"$out/scaling"
				lines=1 note scaling taskset -c "0-$((n - 1))" \
					"$build/tests/bench/bench_solve" cpu multi-source \
					"$out/graph" 15 8 "$out/kernels-$n"
			done
		done
	done
	rm -f "$out/graph"
	for n in 2 "$all" 2 "$all"; do
		lines=1 note scaling taskset -c "0-$((n - 1))" \
			"$build/tests/bench/bench_algorithm" cpu blocked-fw sparse:8192:50 i32 3
	done
	for n in 2 "$all"; do
		TMPDIR=/dev/shm note "scaling-jobs-$n" taskset -c "0-$((n - 1))" "$python" \
			"$here/estimates.py" --device cpu --rounds 5 --kernels "$out/kernels-$n" \
			"$larva@inv" "$larva@hops" sparse:12529:100
	done
}

estimates() {
	note estimates "$python" "$here/estimates.py" --device "$device" \
		--kernels "$out/kernels" --json "$out/estimates.json"
}

engine() {
	while read -r algorithm graph element; do
		lines=1 note engine "$build/tests/bench/bench_algorithm" "$device" \
			"$algorithm" "$graph" "$element" 5
	done <<-ROWS
		blocked-fw sparse:16384:50 u16
		blocked-fw sparse:16384:50 i32
		blocked-fw sparse:16384:50@inv i32
		multi-source sparse:16384:100 auto
		minplus-squaring sparse:4096:50 auto
		bf-dense-transposed sparse:2048:50 auto
		bf-edges sparse:4096:50 auto
		fw sparse:4096:50 auto
		bfs-levels rmat:14:32@hops auto
	ROWS
}

latency() {
	for threads in 4 8; do
		note latency "$python" "$here/latency.py" --threads "$threads" --seconds 4
	done
}

suite() {
	APSPD_DEVICE=$device lines=20 note suite meson test -C "$build" --no-rebuild \
		--no-suite e2e -t 1 --num-processes 10
}

[ $# -gt 0 ] || set -- uploads first transfer scaling estimates engine latency suite
for step in "$@"; do
	begun=$(date +%s)
	case $step in
	uploads) uploads ;;
	first) first ;;
	transfer) transfer ;;
	scaling) scaling ;;
	estimates) estimates ;;
	engine) engine ;;
	latency) latency ;;
	suite) suite ;;
	*) echo "There is no step $step." && exit 2 ;;
	esac
	echo "== $step took $(($(date +%s) - begun)) s"
done
exit $failed
