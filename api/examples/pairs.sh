#!/bin/sh
# Pairs of vertices from a CSV to a CSV with their shortest paths:
#
#	sh pairs.sh larva pairs.csv paths.csv
#
# A header of pairs.csv says which columns count: from and to, pre and post, or another name
# that an edge list may have. Without a header, a line is FROM,TO. The path is a list in JSON.
# For a pair with a vertex that the graph does not have, the last column says so. paths.csv is
# written only when it is whole.
set -eu
. "$(dirname "$0")/ask.sh"

trap 'rm -f "$3.part"' EXIT
ask "v1/graphs/$1/paths?format=csv$insist" --data-binary "@$2" -H 'Content-Type: text/csv' \
	-o "$3.part" || refused "$(cat "$3.part" 2>/dev/null)"
mv "$3.part" "$3"
