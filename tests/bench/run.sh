#!/bin/sh
# Every algorithm beside scipy and igraph in one run; prints a table of ratios.
#
#   sh tests/bench/run.sh [--quick] [--json FILE] [--device D]
#                         [--graph NAME]... [--algorithm NAME]...
#
# The NAME of a graph is a name of compare.py or a word of bench_graph.h, such as
# sparse:12529:100.
#
# Builds the programs in build/, or in $APSP_BUILD_ROOT. scipy and igraph are Debian's
# python3-scipy and python3-igraph; the script names missing packages.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
# shellcheck source=daemon/setup.sh
. "$root/daemon/setup.sh"

build=${APSP_BUILD_ROOT:-$root/build}
logs=$root/.run/bench
mkdir -p "$logs" || die "Cannot write in $root."
[ -f "$build/build.ninja" ] || configure "$logs/setup.log" "$build"
run_logged "$logs/build.log" "The build in $build" \
	ninja -C "$build" tests/bench/bench_solve tests/bench/make_graph

# only Debian's interpreter finds Debian's packages
peer_python=python3
for python in /usr/bin/python3 python3; do
	if "$python" -c 'import scipy' 2>/dev/null; then
		peer_python=$python
		break
	fi
done

exec python3 "$root/tests/bench/compare.py" --build "$build" \
	--peer-python "$peer_python" "$@"
