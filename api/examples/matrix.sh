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

page 0
first=$revision
ask "v1/graphs/$graph/matrices/distance" -o "$graph.npy.part" ||
	refused "$(cat "$graph.npy.part")"
: >"$graph.labels.part"
while :; do
	printf '%s' "$page" | jq -r '.vertices[]' >>"$graph.labels.part"
	next=$(printf '%s' "$page" | jq -r '.next // empty')
	[ -n "$next" ] || break
	page "$next"
done

page 0
[ "$first" = "$revision" ] || refused "$graph was replaced meanwhile; try again"
mv "$graph.npy.part" "$graph.npy"
mv "$graph.labels.part" "$graph.labels"
