#!/bin/sh
# Pairs of vertices from a CSV to a CSV with their shortest paths:
#
#	sh pairs.sh larva pairs.csv paths.csv
#
# A header of pairs.csv says which columns count: from and to, pre and post, or source and
# target. Without a header, a line is FROM,TO. For a pair with a vertex that the graph does
# not have, the last column says so. paths.csv is written only when it is whole.
set -eu
. "$(dirname "$0")/ask.sh"

pairs=$(mktemp)
trap 'rm -f "$pairs" "$3.part"' EXIT
# shellcheck disable=SC2094 # the name of the file is an argument; nothing writes to it
jq -cRn --arg file "$2" '
	def cells:
		if contains("\"") | not then split(",")
		else ["," + . | match(",(?:\"((?:[^\"]|\"\")*)\"|([^,]*))"; "g").captures |
			(.[0].string | values | gsub("\"\""; "\"")) // .[1].string // ""]
		end;
	def place($names): . as $head |
		first($names[] as $name | $head | index($name) | values) // -1;
	[foreach inputs as $line ({at: 0}; {at: (.at + 1), $line})
		| .line |= (ltrimstr("\ufeff") | rtrimstr("\r"))
		| select(.line != "") | .cells = (.line | cells)]
	| (.[0].cells // [] | map(ascii_downcase)) as $head
	| ($head | place(["from", "pre", "source"])) as $from
	| ($head | place(["to", "post", "target"])) as $to
	| ([$from, $to] | min >= 0) as $named
	| (if $named then .[1:] | {from: $from, to: $to, width: ($head | length)}
		else {from: 0, to: 1, width: 2} end) as $of
	| {pairs: [(if $named then .[1:] else . end)[]
		| if (.cells | length) == $of.width then [.cells[$of.from], .cells[$of.to]]
		else "line \(.at) of \($file) has \(.cells | length) columns, not \($of.width)\n"
			| halt_error(1) end]}' <"$2" >"$pairs"

answer=$(ask "v1/graphs/$1/paths?$insist" -d "@$pairs" -H 'Content-Type: application/json') ||
	refused "$answer"
{
	echo from,to,distance,hops,path,problem
	printf '%s' "$answer" | jq -r --slurpfile asked "$pairs" '
		[.paths, $asked[0].pairs] | transpose[] | .[1] + (.[0] |
			if .detail then [null, null, null, .detail]
			elif .reachable then [.distance, .hops, (.path | join(" ")), null]
			else ["inf", null, null, null] end) | @csv'
} >"$3.part"
mv "$3.part" "$3"
