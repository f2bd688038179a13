#!/bin/sh
# The checks that package.sh runs in the system that it boots. checks.service runs
# them as root. stdout has one line a check, stderr what happened. The checks go on
# from the state that the checks before them left.
set -u

url=http://127.0.0.1:8080
replica_files=/usr/share/doc/apspd
. /replica_checks.sh
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

# version BYTE: set the format of the database, in octal, while no daemon runs. It is
# the last byte of a number at offset 60 of the file.
version() {
	# shellcheck disable=SC2059 # an escape of printf on purpose
	printf "\\$1" | dd of=/var/lib/private/apspd/apspd.sqlite bs=1 seek=63 \
		conv=notrunc status=none
}

# The database of a newer version: the service runs and says why it does not answer.
refused_newer() {
	present=$(od -An -to1 -j63 -N1 /var/lib/private/apspd/apspd.sqlite | tr -d ' ')
	systemctl stop apspd.service
	version 143
	systemctl start apspd.service && answers 503 || exit 1
	for target in /readyz /v1/graphs "/v1/graphs/g/path?from=a&to=c"; do
		curl -s "$url$target" >refusal
		grep -q 'written by a newer apspd (format 99' refusal || fail "$(cat refusal)"
	done
	journalctl --quiet --no-pager --output cat --unit apspd.service --lines 5 |
		grep -q 'written by a newer apspd (format 99' || fail "the journal has no reason"
	systemctl stop apspd.service
	version "$present"
	systemctl start apspd.service && answers 200 && path_is_right
}

# README's lines: a copy beside the running service, and its restoration.
restored() {
	mkdir -p /backup
	copy=$(sed -n "s/^    sudo \(sqlite3 .*VACUUM INTO.*\)/\1/p" /README.md)
	# not the function install
	restore=$(sed -n "/^    sudo .*install -D/{s/sudo install/command install/
		s/sudo //g; p;}" /README.md)
	[ -n "$copy" ] && [ -n "$restore" ] || fail "README.md has no such lines"
	eval "$copy" || exit 1
	systemctl stop apspd.service
	rm -rf /var/lib/private/apspd
	eval "$restore" || exit 1
	systemctl start apspd.service && answers 200 && path_is_right
}

complete() {
	for file in /usr/bin/apspd /usr/libexec/apspd/apsp-solve \
		/usr/libexec/apspd/apspd-follow /usr/share/doc/apspd/replicas.md \
		/usr/share/apspd/apspd.py /usr/share/apspd/apspd.R; do
		[ -s "$file" ] || fail "there is no $file"
	done
	for page in apspd.8 apsp-solve.8 apspd-follow.8; do
		dpkg -L apspd | grep -q "/man8/$page" || fail "there is no page $page"
	done
}

# The steps of the installed replicas.md, with the files beside it.
followed() {
	replicas_follow && replicas_are_balanced || exit 1
	replicas_end
	answers 200 && path_is_right
}

# computes ENDING: a job of the service, whose solvers Open MPI starts, ends like this.
computes() {
	printf 'a,b,1\nb,c,%s\n' "$(($(date +%s%N) / 1000000 % 100000000 + 1))" |
		curl -s -T - -H 'Content-Type: text/csv' "$url/v1/graphs/shared?transform=none" >upload
	job=$(sed -n 's/.*"job":"\([0-9]*\)".*/\1/p' upload)
	within 300 "job $job ends" sh -c "curl -s '$url/v1/jobs/$job?wait=30' | tee job |
		grep -E '\"state\":\"(succeeded|failed)\"'"
	grep -q "\"state\":\"$1\"" job || fail "$(cat job)"
}

# Two processes compute; without the drop-in for Open MPI, they cannot connect.
computes_together() {
	mkdir -p "$drop_ins"
	printf '%s\n' '[Service]' "Environment='APSPD_SOLVER_COMMAND=mpirun --bind-to none \
--oversubscribe -n 2 apsp-solve-mpi'" >"$drop_ins/99-check.conf"
	systemctl daemon-reload
	systemctl restart apspd.service && answers 200 && computes succeeded || exit 1
	journalctl --quiet --no-pager --output cat --unit apspd.service |
		grep -q 'rank [01]: ' || fail "the journal has no group of processes"
	ln -s /dev/null "$drop_ins/60-mpi.conf"
	systemctl daemon-reload
	systemctl restart apspd.service && answers 200 && computes failed
}

computed_together() {
	drop_ins=/etc/systemd/system/apspd.service.d
	install /packages/new/apspd-mpi_*.deb || exit 1
	together=0
	(computes_together) || together=1
	journalctl --quiet --no-pager --output cat --unit apspd.service --lines 30
	rm -r "$drop_ins"
	apt-get remove -qy apspd-mpi || exit 1
	systemctl daemon-reload
	systemctl restart apspd.service && answers 200 || exit 1
	[ "$together" = 0 ] || fail "the job was $(cat job)"
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
check "the package has the programs, the clients and the man pages" complete
check "two replicas of the package follow the writer behind nginx, as the files are" followed
check "with apspd-mpi, two processes compute within the service" computed_together
check "with the database of a newer version, every answer says why" refused_newer
check "README's lines copy the database beside the service, and restore it" restored
check "removal ends the service and keeps the data" removed
check "the package is installed again and finds the data" installed_again
check "a purge removes all directories" purged
touch finished
