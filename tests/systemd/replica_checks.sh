# shellcheck shell=sh
# One writer and two replicas behind nginx, by systemd/replicas.md: the unit and nginx's file
# as they are. checks.sh and package_checks.sh source this file, with $url, fail() and check()
# set. $replica_files is the directory of both files. The writer is apspd.service.

replica_unit=/etc/systemd/system/apspd-replica@.service

# asked ADDRESS TARGET [ARGUMENT...]: print the answer's body; fails unless it is a 2xx.
asked() {
	address=$1 path=$2
	shift 2
	curl -sS --fail-with-body --max-time 90 "$@" "http://localhost:$address$path" 2>&1
}

# within SECONDS WHAT COMMAND...: repeat the command until it succeeds.
within() {
	until_s=$(($(date +%s) + $1)) awaited=$2
	shift 2
	until "$@" >said 2>&1; do
		[ "$(date +%s)" -le "$until_s" ] ||
			fail "waited in vain until $awaited: $(tail -n 1 said)"
		sleep 0.2
	done
}

# far PORT DISTANCE: whether the server at this port answers this distance.
far() {
	asked "$1" '/v1/graphs/followed/path?from=a&to=c' >far
	cat far
	grep -q "\"distance\":$2[,}]" far
}

# put_followed PORT LENGTH: upload a graph in which c is twice this length from a.
put_followed() {
	printf 'a,b,%s\nb,c,%s\n' "$2" "$2" | asked "$1" \
		"/v1/graphs/followed?transform=none${any-}" -T - -H 'Content-Type: text/csv'
}

replicas_start() {
	cp "$replica_files/apspd-replica@.service" "$replica_unit"
	[ -x /usr/bin/apspd ] || ln -s "$(command -v apspd)" /usr/bin/apspd
	systemctl daemon-reload
	systemctl start apspd-replica@1 apspd-replica@2 ||
		fail "$(systemctl --no-pager --lines 20 status 'apspd-replica@*' | tail -n 1)"
}

replicas_end() {
	systemctl stop 'apspd-replica@*.service'
	rm -f "$replica_unit"
	systemctl daemon-reload
}

# The replicas follow the writer: they have its graph and its changes, and refuse others.
replicas_follow() {
	put_followed 8080 1 || fail "the upload"
	within 300 "the writer answers" far 8080 2
	replicas_start
	for port in 8081 8082; do
		# without a device, no daemon is ready, but replicas prove tables
		[ "${any-}" ] || within 120 "the replica $port is ready" asked "$port" /readyz
		within 120 "the replica $port answers" far "$port" 2
		[ "$(put_followed "$port" 7 | grep -c read-only)" = 1 ] ||
			fail "the replica $port accepts a change"
	done
	process=/proc/$(systemctl show --value --property MainPID apspd-replica@1)/status
	! grep '^Uid:[[:space:]]*0[[:space:]]' "$process" || fail "the replica's user is root"
}

# What replicas.md says of nginx.
replicas_are_balanced() {
	cp "$replica_files/nginx-replicas.conf" /etc/nginx/conf.d/
	systemctl restart nginx || fail "nginx does not start"
	within 30 "nginx answers" far 80 2
	put_followed 80 2 || fail "the upload by nginx"
	for port in 8081 8082 80; do
		within 300 "$port answers from the new upload" far "$port" 4
	done
	systemctl stop apspd.socket apspd.service
	for _ in 1 2 3 4; do
		far 80 4 || fail "without the writer: $(cat far)"
	done
	put_followed 80 3 >said
	grep -q '502 Bad Gateway' said || fail "a change without the writer: $(cat said)"
	systemctl kill --signal KILL --kill-who main apspd-replica@1.service
	for _ in 1 2 3 4; do
		far 80 4 || fail "without a replica: $(cat far)"
	done
	within 60 "the killed replica is started again" far 8081 4
	systemctl start apspd.socket
	put_followed 80 5 || fail "an upload to the writer that is back"
	for port in 8081 8082; do
		within 300 "$port answers from the last upload" far "$port" 10
	done
	asked 8080 /v1/graphs/followed -X DELETE || fail "the graph cannot be deleted"
	within 60 "it goes" sh -c '! curl -sf http://127.0.0.1:8081/v1/graphs/followed'
	systemctl stop nginx
}
