#!/bin/sh
# The checks that package.sh runs in the system that it boots. checks.service runs
# them as root. stdout has one line a check, stderr what happened. The checks go on
# from the state that the checks before them left.
set -u

url=http://127.0.0.1:8080
cd /results || exit 1
export DEBIAN_FRONTEND=noninteractive

# check SENTENCE COMMAND...
check() {
	sentence=$1
	shift
	echo "== $sentence" >&2
	if ("$@") >output 2>&1; then
		echo "ok $sentence"
	else
		echo "not ok $sentence: $(tail -n 1 output)"
		journalctl --quiet --no-pager --output cat --lines 20 --unit apspd.service >&2
	fi
	cat output >&2
}

fail() {
	echo "$*"
	exit 1
}

install() {
	apt-get install -qy --allow-downgrades "$@"
}

# answers STATUS: /readyz has this status within 10 s.
answers() {
	deadline=$(($(date +%s) + 10))
	until [ "$(curl -s -o ready -w '%{http_code}' "$url/readyz")" = "$1" ]; do
		[ "$(date +%s)" -le "$deadline" ] || fail "no status $1 within 10 s: $(cat ready)"
		sleep 0.2
	done
	cat ready
}

# the path from a to c, which the first upload has
path_is_right() {
	curl -s "$url/v1/graphs/g/path?from=a&to=c" >path
	grep -q '"path":\["a","b","c"\]' path || fail "the path is $(cat path)"
}

pid() {
	systemctl show --property MainPID --value apspd.service
}

installed() {
	install /debs/*.deb /packages/old/apspd_*.deb && answers 200
}

uploaded() {
	printf 'a,b,1\nb,c,1\na,c,5\n' |
		curl -s -X PUT -H 'Content-Type: text/csv' --data-binary @- \
			"$url/v1/graphs/g?transform=none" >upload
	cat upload
	job=$(sed -n 's/.*"job":"\([0-9]*\)".*/\1/p' upload)
	# PoCL compiles its kernels first
	deadline=$(($(date +%s) + 400))
	until curl -s "$url/v1/jobs/$job?wait=30" >job; cat job; grep -q succeeded job; do
		[ "$(date +%s)" -le "$deadline" ] || fail "the job has not ended: $(cat job)"
	done
	path_is_right
}

upgraded() {
	before=$(pid)
	install /packages/new/apspd_*.deb && answers 200 && path_is_right || exit 1
	[ "$(pid)" != "$before" ] || fail "the service was not restarted"
	# nothing was computed again
	curl -s "$url/v1/jobs" >jobs
	[ "$(grep -o '"id"' jobs | wc -l)" = 1 ] || fail "there are other jobs: $(cat jobs)"
}

# An older version either answers or says why it does not, and changes nothing.
downgraded() {
	install /packages/old/apspd_*.deb || :
	if [ "$(systemctl is-active apspd.service)" = active ]; then
		answers 200 && path_is_right
	else
		journalctl --quiet --no-pager --output cat --unit apspd.service --lines 5 |
			grep -i 'newer' || fail "the journal has no reason"
	fi
}

upgraded_again() {
	install /packages/new/apspd_*.deb && answers 200 && path_is_right
}

removed() {
	apt-get remove -qy apspd || exit 1
	[ "$(systemctl is-active apspd.service apspd.socket | grep -c '^active')" = 0 ] ||
		fail "a unit is active"
	[ -e /var/lib/private/apspd/apspd.sqlite ] || fail "the graphs are gone"
}

installed_again() {
	install /packages/new/apspd_*.deb && answers 200 && path_is_right
}

purged() {
	apt-get purge -qy apspd || exit 1
	for path in /var/lib/private/apspd /var/lib/apspd /var/cache/private/apspd \
		/var/cache/apspd /etc/default/apspd; do
		[ ! -e "$path" ] && [ ! -L "$path" ] || fail "$path is still there"
	done
}

check "the package is installed, and answers within 10 s" installed
check "the installed daemon computes tables" uploaded
check "an upgrade keeps the data and answers within 10 s" upgraded
check "a downgrade answers, or the journal has the reason" downgraded
check "after a downgrade, the newer version answers again" upgraded_again
check "removal ends the service and keeps the data" removed
check "the package is installed again and finds the data" installed_again
check "a purge removes all directories" purged
touch finished
