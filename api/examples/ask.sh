# shellcheck shell=sh
# What the examples share: how to ask the daemon of APSPD_URL (http://localhost:8080,
# https://lab.example/prefix, unix:/run/apspd.sock), with the token of APSPD_TOKEN where it
# wants one. With APSPD_REVISION, which nightly.sh sets, answers are about that upload, or
# the script is refused.

url=${APSPD_URL:-http://localhost:8080}
socket=
case $url in
unix:*) socket=${url#unix:} url=http://localhost ;;
esac

# shellcheck disable=SC2034 # those that ask about a graph add it to their queries
insist=${APSPD_REVISION:+&revision=$APSPD_REVISION}

# ask PATH [OPTION OF CURL]...: the answer, on stdout. The token goes through a pipe,
# because everybody on the machine sees a program's arguments. A daemon that is busy, or
# has no tables yet, is asked again when it says.
ask() {
	path=$1
	shift
	{
		[ -z "${APSPD_TOKEN-}" ] ||
			printf 'header = "Authorization: Bearer %s"\n' "$APSPD_TOKEN"
	} | curl -s --fail-with-body --retry 10 -K - \
		${socket:+--unix-socket "$socket"} "$@" "${url%/}/$path"
}

# refused ANSWER: ends with what the daemon says is wrong.
refused() {
	[ -n "$1" ] || set -- "no apspd answers at ${APSPD_URL:-$url}"
	printf '%s\n' "$1" | jq -r '.detail // .' >&2 2>/dev/null ||
		printf '%s\n' "$1" >&2
	exit 1
}

# wait_for JOB: until the tables answer.
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

# upload FILE GRAPH [OPTION=VALUE]...: sets $receipt and $revision.
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
