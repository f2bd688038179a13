#!/bin/sh
# From a fresh clone to a shortest path: install, build, start apspd on loopback,
# upload a connectome, ask. Run it again and it replaces the daemon it started.
# Everything it makes lies in build/ and .run/ of the clone.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/daemon/setup.sh"

run=$root/.run
apspd=$root/build/daemon/apspd
graph=larva
data=$root/tests/data/larva_edges.csv
port=8080

# daemon_pid: the running daemon of an earlier run of this clone, or nothing. A
# pid alone may be somebody else's by now, so its executable and its directory
# must be ours.
daemon_pid() {
	pid=$(cat "$run/apspd.pid" 2>/dev/null) || return 0
	exe=$(readlink "/proc/$pid/exe" 2>/dev/null) || return 0
	[ "${exe% (deleted)}" = "$apspd" ] || return 0
	tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null |
		grep -qxF -- "$run/state" || return 0
	printf '%s\n' "$pid"
}

# is_alive PID: a zombie counts as gone.
is_alive() {
	state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null) ||
		return 1
	[ -n "$state" ] && [ "$state" != Z ]
}

# wait_gone PID TENTHS
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

# start_daemon PORT: sets $address once it listens. Returns 1 if it ended.
start_daemon() {
	: >"$run/listening"
	# Nothing of ours may stay open in the daemon: neither lock nor terminal.
	setsid "$apspd" --listen "127.0.0.1:$1" --state-dir "$run/state" \
		--cache-dir "$run/cache" </dev/null >"$run/listening" \
		2>"$run/apspd.log" 9>&- &
	pid=$!
	printf '%s\n' "$pid" >"$run/apspd.pid"
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

# did_not_start: ends with what the daemon said last.
did_not_start() {
	words=$(tail -n 1 "$run/apspd.log" | sed 's/^<[0-9]>//')
	die "The daemon does not start: ${words:-it says nothing; see $run/apspd.log}"
}

# member NAME: a member of the JSON object on stdin; nothing for null.
member() {
	python3 -c '
import json, sys
value = json.load(sys.stdin).get(sys.argv[1])
if isinstance(value, dict):
    value = value.get("detail")
print("" if value is None else value)' "$1"
}

# bar PERCENT PHASE: in place on a terminal, else one line a phase.
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

# wait_for_job ID
wait_for_job() {
	last_phase=
	while :; do
		reply=$(curl -sS --max-time 60 "$url/v1/jobs/$1?wait=1") ||
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

# ask COMMAND...: shows a command, then what it prints.
ask() {
	say ""
	say "\$ curl -sS '$1'"
	curl -sS --fail-with-body --max-time 60 "$1" ||
		die "The question failed; see $run/apspd.log."
}

mkdir -p "$run/state" "$run/cache" ||
	die "Cannot write in $root; the clone must belong to you."
chmod 700 "$run"
# shellcheck disable=SC2046,SC2086 # words on purpose
set -- $build_packages $(opencl_packages)
install_missing "$run/apt.log" "$@"
exec 9>"$run/lock"
flock -n 9 || die "Another quickstart of this clone is running."

say "Building (log: $run/build.log)"
[ -f "$root/build/build.ninja" ] || configure "$run/setup.log" "$root/build"
run_logged "$run/build.log" "The build" \
	ninja -C "$root/build" daemon/apspd daemon/apsp-solve

# A proxy has no business with loopback.
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
stop_own_daemon
unset APSPD_SOLVER
if ! start_daemon "$port"; then
	grep -q 'in use' "$run/apspd.log" || did_not_start
	say "Port $port is busy; taking a free one."
	start_daemon 0 || did_not_start
fi
url=http://$address
say "The daemon runs as process $pid at $url (log: $run/apspd.log)"

say ""
say "Uploading a connectome: the brain of a fruit-fly larva, 3013 neurons"
say "\$ curl -sS -T '$data' -H 'Content-Type: text/csv' '$url/v1/graphs/$graph?transform=inv'"
reply=$(curl -sS --max-time 300 -T "$data" -H 'Content-Type: text/csv' \
	"$url/v1/graphs/$graph?transform=inv") ||
	die "The upload failed; see $run/apspd.log."
say "$reply"
[ -n "$(printf '%s' "$reply" | member revision)" ] ||
	die "The upload was refused: $(printf '%s' "$reply" | member detail)"
job=$(printf '%s' "$reply" | member job)
if [ "$(printf '%s' "$reply" | member state)" = succeeded ] || [ -z "$job" ]; then
	say "Its tables are there from an earlier run."
else
	say "Computing its tables"
	wait_for_job "$job"
fi

ask "$url/v1/graphs/$graph/path?from=29&to=4059758"
ask "$url/v1/graphs/$graph/reachable?from=29&to=37365"
say ""
say "The daemon goes on running. To stop it: kill $pid"
