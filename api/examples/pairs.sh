#!/bin/sh
# Pairs of vertices from a CSV to a CSV with their shortest paths:
#
#	sh pairs.sh larva <pairs.csv >paths.csv
#
# A line of pairs.csv is FROM,TO, without quotes. A pair with a vertex that the graph does not
# have gets its reason in the last column.
set -eu
. "$(dirname "$0")/ask.sh"

pairs=$(mktemp)
trap 'rm -f "$pairs"' EXIT
jq -cRn '{pairs: [inputs | rtrimstr("\r") | select(. != "") | split(",")]}' >"$pairs"

answer=$(ask "v1/graphs/$1/paths" -d "@$pairs" -H 'Content-Type: application/json') ||
	refused "$answer"
echo from,to,distance,hops,path,problem
printf '%s' "$answer" | jq -r --slurpfile asked "$pairs" '
	[.paths, $asked[0].pairs] | transpose[] | .[1] + (.[0] |
		if .detail then [null, null, null, .detail]
		elif .reachable then [.distance, .hops, (.path | join(" ")), null]
		else ["inf", null, null, null] end) | @csv'
