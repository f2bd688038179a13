#!/bin/sh
# Paths a second from two replicas, beside those from one of them:
#
#	sh tests/bench/replicas.sh BUILD_DIR
#
# The writer, the two replicas and the two clients (wrk) each have processors of their own: two for
# a daemon, four for a client, so at least 14 are needed. The graph is larva. Everything is on
# loopback and in a temporary directory.
set -u

[ $# -eq 1 ] || { sed -n '2,/^[^#]/s/^#[\t ]\{0,1\}//p' "$0"; exit 2; }
[ "$(nproc)" -ge 14 ] || { echo "14 processors are needed."; exit 2; }
apspd=$(cd "$1" && pwd)/daemon/apspd || exit 1
larva=$(dirname -- "$0")/../data/larva_edges.csv
question='v1/graphs/larva/path?from=29&to=8835968'
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$dir"' EXIT INT TERM

# daemon NUMBER OPTION...: on the processors 2·NUMBER and 2·NUMBER + 1
daemon() {
	n=$1
	shift
	mkdir -p "$dir/$n/state" "$dir/$n/cache"
	taskset -c $((2 * n)),$((2 * n + 1)) "$apspd" --state-dir "$dir/$n/state" \
		--cache-dir "$dir/$n/cache" --device cpu --listen "127.0.0.1:1900$n" "$@" \
		2>>"$dir/log" &
}

# answers NUMBER: wait, for a minute, until the daemon answers the question.
answers() {
	i=0
	until curl -sf "localhost:1900$1/$question" >"$dir/answer"; do
		i=$((i + 1))
		[ $i -lt 120 ] || { cat "$dir/log"; exit 1; }
		sleep 0.5
	done
}

# load NUMBER PROCESSORS: print the answers a second.
load() {
	taskset -c "$2" wrk -t 4 -c 50 -d 5 "http://127.0.0.1:1900$1/$question" |
		sed -n 's|^Requests/sec: *||p'
}

daemon 0
i=0
until curl -sf -T "$larva" 'localhost:19000/v1/graphs/larva?transform=inv' >"$dir/receipt"; do
	i=$((i + 1))
	[ $i -lt 120 ] || exit 1
	sleep 0.5
done
for n in 1 2; do daemon $n --follow http://127.0.0.1:19000; done
for n in 0 1 2; do answers $n; done
for turn in 1 2 3; do
	one=$(load 1 6-9)
	load 2 10-13 >"$dir/second" &
	loading=$!
	first=$(load 1 6-9)
	wait $loading
	echo "$one $first $(cat "$dir/second")" |
		awk -v turn=$turn '{printf "turn %d: one replica %.0f a second; two %.0f, %.2f times\n",
			turn, $1, $2 + $3, ($2 + $3) / $1}'
done
