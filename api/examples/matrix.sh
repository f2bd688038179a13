#!/bin/sh
# All distances as a NumPy array, and the labels of its rows and columns:
#
#	sh matrix.sh larva
#	>>> distance = numpy.load("larva.npy", mmap_mode="r")
#	>>> labels = open("larva.labels").read().splitlines()
#
# Both files are of one upload, or neither is written.
set -eu
. "$(dirname "$0")/ask.sh"

graph=$1
trap 'rm -f "$graph.npy.part" "$graph.labels.part"' EXIT

# page CURSOR: sets $page, and has all later questions refused if another upload answers
page() {
	page=$(ask "v1/graphs/$graph/vertices?limit=10000&cursor=$1$insist") || refused "$page"
	insist="&revision=$(printf '%s' "$page" | jq -r .revision)"
}

page 0
: >"$graph.labels.part"
while :; do
	printf '%s' "$page" | jq -r '.vertices[]' >>"$graph.labels.part"
	next=$(printf '%s' "$page" | jq -r '.next // empty')
	[ -n "$next" ] || break
	page "$next"
done
ask "v1/graphs/$graph/matrices/distance?$insist" -o "$graph.npy.part" ||
	refused "$(cat "$graph.npy.part")"
mv "$graph.npy.part" "$graph.npy"
mv "$graph.labels.part" "$graph.labels"
