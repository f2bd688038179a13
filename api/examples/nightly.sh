#!/bin/sh
# Upload a graph each night, and do something only if it has changed:
#
#	sh nightly.sh edges.csv larva transform=inv -- sh matrix.sh larva
# The command runs once questions are answered from this upload. Its revision is in
# APSPD_REVISION, so the other examples accept answers only from it. Other profiles may
# still be computed then.
#
# For cron: silent where nothing has changed. Where the file is refused or its tables
# fail, it says why and ends with 1, and the daemon goes on answering from the upload before.
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
# the job of `default` or, if its tables exist already, the jobs of the other profiles
jobs=$(printf '%s' "$receipt" | jq -r '.job // .jobs[]')
# no job: the bytes and options are the same as last night
[ -n "$jobs" ] || exit 0
for job in $jobs; do
	wait_for "$job"
done
APSPD_REVISION=$revision
export APSPD_REVISION
exec "$@"
