#!/bin/sh
# Every algorithm next to scipy and igraph, side by side in one run; prints a
# table of ratios.
#
#   sh tests/bench/run.sh [--quick] [--json FILE] [--device D]
#                         [--graph NAME]... [--algorithm NAME]...
#
# NAME of a graph is one of compare.py's or a word of bench_graph.h, such as
# sparse:12529:100.
#
# Builds what it needs in build/, or in $APSP_BUILD_ROOT. The peers are Debian's
# python3-scipy and python3-igraph; what is missing is named.
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

# Debian's packages are seen by Debian's interpreter only
peer_python=python3
for python in /usr/bin/python3 python3; do
	if "$python" -c 'import scipy' 2>/dev/null; then
		peer_python=$python
		break
	fi
done

exec python3 "$root/tests/bench/compare.py" --build "$build" \
	--peer-python "$peer_python" "$@"
