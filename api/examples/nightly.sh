#!/bin/sh
# Upload a graph each night, and do something only if it has changed:
#
#	sh nightly.sh edges.csv larva transform=inv -- sh matrix.sh larva
#
# The command runs once the graph answers from this upload, whose revision is in
# APSPD_REVISION: other examples insist on it. Further profiles may still be computed then.
#
# For cron: silent where nothing has changed. Where the file is refused or its tables
# fail, it says why, ends with 1, and the daemon goes on answering from the graph before.
set -eu
. "$(dirname "$0")/ask.sh"

# the words before -- go to upload, those behind it are the command
options=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options="$options $1"
	shift
done
[ $# = 0 ] || shift

# shellcheck disable=SC2086 # words on purpose
upload $options
# default's job; where its tables are there, those of other profiles that are not
jobs=$(printf '%s' "$receipt" | jq -r '.job // .jobs[]')
# nothing to compute: the same bytes and options as last night
[ -n "$jobs" ] || exit 0
for job in $jobs; do
	wait_for "$job"
done
APSPD_REVISION=$revision
export APSPD_REVISION
exec "$@"
