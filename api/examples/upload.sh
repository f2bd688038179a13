#!/bin/sh
# Upload a graph and wait until questions are answered from it:
#
#	sh upload.sh edges.csv larva transform=inv min_weight=5
set -eu
. "$(dirname "$0")/ask.sh"

upload "$@"
job=$(printf '%s' "$receipt" | jq -r '.job // empty')
[ -z "$job" ] || wait_for "$job"
printf '%s' "$receipt" | jq -r '"\(.graph): \(.vertices) vertices, \(.arcs) arcs, \(.transform)"'
