#!/bin/sh
# All distances as a NumPy array, and the labels of its rows and columns:
#
#	sh matrix.sh larva
#	>>> distance = numpy.load("larva.npy", mmap_mode="r")
#	>>> labels = open("larva.labels").read().splitlines()
#
# Both files are written only if the graph was not replaced in between.
set -eu
. "$(dirname "$0")/ask.sh"

graph=$1
trap 'rm -f "$graph.npy.part" "$graph.labels.part"' EXIT

# page CURSOR: sets $page and $revision
page() {
	page=$(ask "v1/graphs/$graph/vertices?limit=10000&cursor=$1") || refused "$page"
	revision=$(printf '%s' "$page" | jq -r .revision)
}

ask "v1/graphs/$graph/matrices/distance" -o "$graph.npy.part" ||
	refused "$(cat "$graph.npy.part")"
page 0
first=$revision
: >"$graph.labels.part"
while :; do
	printf '%s' "$page" | jq -r '.vertices[]' >>"$graph.labels.part"
	next=$(printf '%s' "$page" | jq -r '.next // empty')
	[ -n "$next" ] || break
	page "$next"
done

# the array's own rows: its file is a header of 128 bytes and 4 or 8 bytes a cell
n=$(wc -l <"$graph.labels.part")
cells=$(($(wc -c <"$graph.npy.part") - 128))
page 0
if [ "$first" != "$revision" ] ||
	{ [ "$cells" != $((4 * n * n)) ] && [ "$cells" != $((8 * n * n)) ]; }; then
	refused "$graph was replaced meanwhile; try again"
fi
mv "$graph.npy.part" "$graph.npy"
mv "$graph.labels.part" "$graph.labels"
