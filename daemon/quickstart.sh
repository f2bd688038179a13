#!/bin/sh
# From a fresh clone to a shortest path: install packages, build, start apspd on
# loopback, upload a graph and ask for a path. A later run replaces the daemon of the
# run before. All files are in build/ and .run/ of the clone.
set -eu

usage='Usage: sh daemon/quickstart.sh [FILE] [--port N] [--transform RULE] [--help]
Installs what is missing, builds, starts apspd on this machine, uploads FILE and asks
for a path. Without FILE it uploads the connectome of a fruit-fly larva.

  FILE              a graph: CSV, matrix, Matrix Market, NumPy, JSON, …; README.md
                    has the formats
  --port N          where to serve; the default is 8080, or a free port if that is
                    taken
  --transform RULE  what the weights of FILE mean: inv (strengths such as synapses,
                    length 1/weight), log, lognorm, none (lengths), hops (count arcs)

Variables APSPD_... count, as for apspd: APSPD_STATE_DIR, APSPD_DEVICE, APSPD_LISTEN
and so on. Where APSPD_TOKENS names a file with tokens, TOKEN holds one of scope write.'

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/daemon/setup.sh"

run=$root/.run
apspd=$root/build/daemon/apspd
data=
port=
transform=

wrong_use() {
	printf '%s\n\n%s\n' "$1" "$usage" >&2
	exit 2
}

# value OPTION NUMBER_OF_ARGUMENTS_LEFT: end if OPTION has no value.
value() {
	[ "$2" -ge 2 ] || wrong_use "$1 needs a value."
}

while [ $# -gt 0 ]; do
	case $1 in
	--help | -h)
		say "$usage"
		exit 0
		;;
	--port)
		value "$1" $#
		port=$2
		shift
		;;
	--transform)
		value "$1" $#
		transform=$2
		shift
		;;
	--port=*) port=${1#*=} ;;
	--transform=*) transform=${1#*=} ;;
	-*) wrong_use "'$1' is not an option of quickstart.sh." ;;
	*)
		[ -z "$data" ] || wrong_use "One FILE at a time: '$1' is one too many."
		data=$1
		;;
	esac
	shift
done
case $port in
*[!0-9]*) wrong_use "--port needs a number, not '$port'." ;;
esac
if [ -n "$data" ]; then
	if ! [ -f "$data" ] || ! [ -r "$data" ]; then
		die "There is no file '$data' that can be read."
	fi
	case $transform in
	'' | none | hops | inv | log | lognorm) ;;
	*) wrong_use "--transform needs inv, log, lognorm, none or hops, not '$transform'." ;;
	esac
	# a name has letters, digits and . _ ~ -, and begins with no dot
	graph=$(basename -- "$data" | sed 's/\.\(gz\|zst\)$//; s/\(.\)\.[^.]*$/\1/' |
		LC_ALL=C tr -c 'A-Za-z0-9._~\n-' - | sed 's/^\.*//' | cut -c 1-128)
	[ -n "$graph" ] || graph=graph
else
	[ -z "$transform" ] || wrong_use "--transform belongs to a FILE."
	graph=larva data=$root/tests/data/larva_edges.csv transform=inv
fi

# born PID: print when the process began, in ticks since the start of the machine. No
# later process with this number began at the same time. Prints nothing if there is no
# such process.
born() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

# daemon_pid: print the number of the daemon that an earlier run of this clone has started
# and that still runs; nothing if there is none.
daemon_pid() {
	[ -r "$run/apspd.pid" ] || return 0
	read -r pid began boot <"$run/apspd.pid" || return 0
	[ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] || return 0
	[ "$began" = "$(born "$pid")" ] || return 0
	printf '%s\n' "$pid"
}

# is_alive PID: whether the process runs. A zombie does not.
is_alive() {
	state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null) ||
		return 1
	[ -n "$state" ] && [ "$state" != Z ]
}

# wait_gone PID TENTHS: wait until the process has ended, for at most TENTHS tenths of a
# second.
wait_gone() {
	tenths=$2
	while is_alive "$1"; do
		[ "$tenths" -gt 0 ] || return 1
		tenths=$((tenths - 1))
		sleep 0.1
	done
}

stop_own_daemon() {
	old=$(daemon_pid)
	[ -n "$old" ] || return 0
	say "Replacing the daemon of the last run (process $old)."
	kill "$old" 2>/dev/null || return 0
	if ! wait_gone "$old" 100; then
		kill -KILL "$old" 2>/dev/null || :
		wait_gone "$old" 50 || die "The daemon of the last run (process $old) does not end."
	fi
}

# start_daemon [PORT]: start the daemon, and set $address when it listens. Returns 1 if
# the daemon has ended.
start_daemon() {
	: >"$run/listening"
	# The daemon must keep neither our lock nor our terminal open.
	setsid "$apspd" ${1:+--listen "127.0.0.1:$1"} </dev/null \
		>"$run/listening" 2>"$run/apspd.log" 9>&- &
	pid=$!
	printf '%s %s %s\n' "$pid" "$(born "$pid")" \
		"$(cat /proc/sys/kernel/random/boot_id)" >"$run/apspd.pid"
	tenths=300
	while :; do
		address=$(sed -n 's/^apspd listening \([^ ]*\).*/\1/p' "$run/listening")
		[ -z "$address" ] || return 0
		is_alive "$pid" || return 1
		[ "$tenths" -gt 0 ] || die "The daemon does not get ready; see $run/apspd.log."
		tenths=$((tenths - 1))
		sleep 0.1
	done
}

# did_not_start: print the daemon's last message and end.
did_not_start() {
	words=$(tail -n 1 "$run/apspd.log" | sed 's/^[0-9T:.-]*Z [a-z]*: //')
	die "The daemon does not start: ${words:-it says nothing; see $run/apspd.log}"
}

# member NAME: print a member of the JSON object on stdin; nothing for null.
member() {
	python3 -c '
import json, sys
value = json.load(sys.stdin).get(sys.argv[1])
if isinstance(value, dict):
    value = value.get("detail")
print("" if value is None else value)' "$1"
}

# bar PERCENT PHASE: draw the progress. On a terminal the line is replaced; otherwise one
# line is printed for each phase.
bar() {
	if [ -t 1 ]; then
		full=$(($1 * 40 / 100))
		printf '\r  [%-40s] %3d %%  %-12s' \
			"$(printf '%*s' "$full" '' | tr ' ' '#')" "$1" "$2"
	elif [ "$2" != "$last_phase" ]; then
		printf '  %3d %%  %s\n' "$1" "$2"
	fi
	last_phase=$2
}

# wait_for_job ID: show the job's progress until it has ended.
wait_for_job() {
	last_phase=
	while :; do
		reply=$(fetch --max-time 60 "$url/v1/jobs/$1?wait=1") ||
			die "The daemon no longer answers; see $run/apspd.log."
		state=$(printf '%s' "$reply" | member state)
		case $state in
		queued) bar 0 queued ;;
		running)
			percent=$(printf '%s' "$reply" | member progress |
				awk '{ printf "%d", $1 * 100 }')
			bar "$percent" "$(printf '%s' "$reply" | member phase)"
			;;
		succeeded)
			bar 100 'done'
			[ ! -t 1 ] || printf '\n'
			return 0
			;;
		*)
			[ ! -t 1 ] || printf '\n'
			die "The job ended as ${state:-unknown}: $(printf '%s' "$reply" | member error)"
			;;
		esac
	done
}

# ask URL: print the curl command of a request, and then the answer.
ask() {
	say ""
	say "\$ $curl '$1'"
	fetch --fail-with-body --max-time 60 "$1" ||
		die "The question failed; see $run/apspd.log."
}

# two_vertices: print "from=A&to=B" for the graph's first arc; nothing if the graph has no
# arc. Only the first arc of the answer is read.
two_vertices() {
	fetch --max-time 60 -H 'Accept: text/csv' "$url/v1/graphs/$graph/arcs" 2>/dev/null |
		python3 -c '
import csv, sys
from urllib.parse import quote
rows = csv.reader(sys.stdin)
next(rows)
for row in rows:
    print("from=%s&to=%s" % tuple(quote(label, safe="") for label in row[:2]))
    break'
}

mkdir -p "$run" || die "Cannot write in $root; the clone must belong to you."
chmod 700 "$run"
# shellcheck disable=SC2046,SC2086 # words on purpose
set -- $build_packages $(opencl_packages)
install_missing "$run/apt.log" "$@"
exec 9>"$run/lock"
flock -n 9 || die "Another quickstart of this clone is running."

say "Building (log: $run/build.log)"
[ -f "$root/build/build.ninja" ] || configure "$run/setup.log" "$root/build"
run_logged "$run/build.log" "The build" \
	ninja -C "$root/build" quickstart

# Requests to loopback must not go through a proxy.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
stop_own_daemon
export APSPD_STATE_DIR="${APSPD_STATE_DIR:-$run/state}"
export APSPD_CACHE_DIR="${APSPD_CACHE_DIR:-$run/cache}"
if [ -n "$port" ] || [ -n "${APSPD_LISTEN:-}" ]; then
	start_daemon "$port" || did_not_start
elif ! start_daemon 8080; then
	grep -q 'in use' "$run/apspd.log" || did_not_start
	say "Port 8080 is busy; taking a free one."
	start_daemon 0 || did_not_start
fi
# The command that a user would type. A token must not be among the arguments of a
# process.
curl='curl -sS' url=http://$address
case $address in
unix:*) curl="curl -sS --unix-socket '${address#unix:}'" url=http://localhost ;;
0.0.0.0:*) url=http://127.0.0.1:${address##*:} ;;
\[::\]:*) url="http://[::1]:${address##*:}" ;;
esac
[ -z "${APSPD_TOKENS:-}" ] || curl="$curl -H \"Authorization: Bearer \$TOKEN\""

# fetch ARGUMENT...: make a request to the daemon with curl.
fetch() {
	case $address in
	unix:*) set -- --unix-socket "${address#unix:}" "$@" ;;
	esac
	if [ -n "${APSPD_TOKENS:-}" ]; then
		printf 'header = "Authorization: Bearer %s"\n' "${TOKEN:-}" |
			curl -sS --config - "$@"
	else
		curl -sS "$@"
	fi
}
say "The daemon runs as process $pid at $url (log: $run/apspd.log)"

target="$url/v1/graphs/$graph${transform:+?transform=$transform}"
say ""
if [ "$data" = "$root/tests/data/larva_edges.csv" ]; then
	say "Uploading a connectome: the brain of a fruit-fly larva, 3013 neurons"
else
	say "Uploading $data as the graph $graph"
fi
say "\$ $curl -T '$data' '$target'"
reply=$(fetch --max-time 300 -T "$data" "$target") ||
	die "The upload failed; see $run/apspd.log."
say "$reply"
if [ -z "$(printf '%s' "$reply" | member revision)" ]; then
	say "The upload was refused: $(printf '%s' "$reply" | member detail)" >&2
	case $(printf '%s' "$reply" | member type) in
	/problems/transform-not-said)
		die "To say it here: --transform none, or --transform inv."
		;;
	/problems/bad-data)
		[ "$url" = http://localhost ] ||
			die "Where its columns have other names, $url/ shows them and asks which are meant; for curl, README.md has from_column. The daemon goes on running; to stop it: kill $pid"
		;;
	esac
	die "The daemon goes on running; to stop it: kill $pid"
fi
job=$(printf '%s' "$reply" | member job)
if [ "$(printf '%s' "$reply" | member state)" = succeeded ] || [ -z "$job" ]; then
	say "Its tables are there from an earlier run."
else
	say "Computing its tables"
	wait_for_job "$job"
fi

if [ "$graph" = larva ]; then
	ask "$url/v1/graphs/$graph/path?from=29&to=4059758"
	ask "$url/v1/graphs/$graph/reachable?from=29&to=37365"
else
	pair=$(two_vertices)
	[ -z "$pair" ] || ask "$url/v1/graphs/$graph/path?$pair"
fi
say ""
case $address in
unix:*) ;;
*) say "Open $url/ in a browser to look at it." ;;
esac
say "The daemon goes on running. To stop it: kill $pid"
