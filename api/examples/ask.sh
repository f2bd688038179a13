# shellcheck shell=sh
# What the examples share: how to ask the daemon of APSPD_URL (http://localhost:8080,
# https://lab.example/prefix, unix:/run/apspd.sock), with the token of APSPD_TOKEN where it
# wants one. If APSPD_REVISION is set, as it is by nightly.sh, the daemon
# refuses to answer from any other upload.

url=${APSPD_URL:-http://localhost:8080}
socket=
case $url in
unix:*) socket=${url#unix:} url=http://localhost ;;
esac

# shellcheck disable=SC2034 # scripts that ask about a graph add it to their queries
insist=${APSPD_REVISION:+&revision=$APSPD_REVISION}

# ask PATH [OPTION OF CURL]...: writes the answer to stdout. The token goes through a pipe,
# because everybody on the machine sees a program's arguments. If the daemon is
# busy or has no tables yet, it is asked again after the time that it names.
ask() {
	path=$1
	shift
	{
		[ -z "${APSPD_TOKEN-}" ] ||
			printf 'header = "Authorization: Bearer %s"\n' "$APSPD_TOKEN"
	} | curl -s --fail-with-body --retry 10 -K - \
		${socket:+--unix-socket "$socket"} "$@" "${url%/}/$path"
}

# refused ANSWER: says what the daemon says is wrong, and ends the script.
refused() {
	[ -n "$1" ] || set -- "no apspd answers at ${APSPD_URL:-$url}"
	printf '%s\n' "$1" | jq -r '.detail // .' >&2 2>/dev/null ||
		printf '%s\n' "$1" >&2
	exit 1
}

# wait_for JOB: waits until the job has succeeded, so that its tables are served.
wait_for() {
	while :; do
		record=$(ask "v1/jobs/$1?wait=30") || refused "$record"
		case $(printf '%s' "$record" | jq -r .state) in
		queued | running) ;;
		succeeded) return 0 ;;
		*) refused "$(printf '%s' "$record" |
			jq '{detail: (.error.detail // "the job was \(.state)")}')" ;;
		esac
	done
}

# upload FILE GRAPH [OPTION=VALUE]...: uploads, and sets $receipt and $revision.
upload() {
	file=$1 graph=$2
	shift 2
	query=$(
		IFS='&'
		printf '%s' "$*"
	)
	receipt=$(ask "v1/graphs/$graph?$query" -T "$file" \
		-H 'Content-Type: application/octet-stream') || refused "$receipt"
	printf '%s' "$receipt" | jq -r '.warnings[]' >&2
	# shellcheck disable=SC2034 # for nightly.sh
	revision=$(printf '%s' "$receipt" | jq -r .revision)
}
