#!/bin/sh
# The checks that boot.sh runs in each system it boots. checks.service runs them
# as root. stdout has one line a check, stderr what happened.
#
# A check is a function. It succeeds, or fails with a reason as the last line of
# its output. It begins with a stopped service, a socket that listens and the
# units as installed: prepare() undoes what the check before it did.
set -u

url=http://127.0.0.1:8080
settings=/etc/default/apspd
drop_in=/run/systemd/system/apspd.service.d/99-check.conf
socket_drop_in=/run/systemd/system/apspd.socket.d/99-check.conf
no_gpu=/etc/systemd/system/apspd.service.d/50-gpu.conf
tokens=/etc/apspd-tokens
cache=/var/cache/apspd
replica_files=/replica
. /replica_checks.sh
cd /results || exit 1
# Without an OpenCL device only the reference computes.
any='' slow=fw
[ -e /etc/OpenCL/vendors/pocl.icd ] || any='&algorithm=reference' slow=reference

# check SENTENCE FUNCTION
check() {
	echo "== $1" >&2
	prepare >&2
	rm -f cursor
	journalctl --quiet --no-pager --lines 1 --cursor-file cursor >/dev/null
	if ("$2") >output 2>&1; then
		echo "ok $1"
	else
		echo "not ok $1: $(tail -n 1 output)"
		log >&2
	fi
	cat output >&2
}

prepare() {
	systemctl stop apspd.socket apspd.service
	replicas_end
	systemctl stop nginx
	systemctl unmask --runtime apspd.socket
	rm -f "$drop_in" "$socket_drop_in" "$settings" "$tokens" "$no_gpu"
	systemctl daemon-reload
	! mountpoint --quiet "$cache/" || umount "$(readlink -f "$cache")"
	systemctl reset-failed
	systemctl start apspd.socket
}

fail() {
	echo "$*"
	exit 1
}

# log: what the service and systemd said of it in this check.
log() {
	journalctl --quiet --no-pager --output cat --unit apspd.service \
		--unit apspd.socket --unit 'apspd-replica@*' --after-cursor "$(cat cursor)"
}

# unit_lines LINE...: more lines of [Service] in this check.
unit_lines() {
	mkdir -p "${drop_in%/*}"
	printf '%s\n' '[Service]' "$@" >"$drop_in"
	systemctl daemon-reload
}

# socket_lines LINE...: more lines of [Socket] in this check. The socket listens anew.
socket_lines() {
	systemctl stop apspd.socket apspd.service
	mkdir -p "${socket_drop_in%/*}"
	printf '%s\n' '[Socket]' "$@" >"$socket_drop_in"
	systemctl daemon-reload
	systemctl start apspd.socket
}

# token SCOPE: a new one in $tokens, on stdout.
token() {
	apspd --tokens "$tokens" --new-token "$1" 2>/dev/null
}

# status TARGET [ARGUMENT...]: the status of the answer.
status() {
	target=$1
	shift
	curl -sS --max-time 90 -o answer -w '%{http_code}' "$@" "$url$target"
}

# property NAME: of the service.
property() {
	systemctl show --value --property "$1" apspd.service
}

# has NAME VALUE: whether the service's property has this value.
has() {
	[ "$(property "$1")" = "$2" ]
}

# must_have NAME VALUE
must_have() {
	found=$(property "$1")
	[ "$found" = "$2" ] || fail "$1 is '$found' instead of '$2'"
}

# wait_until SECONDS WHAT COMMAND...
wait_until() {
	deadline=$(($(date +%s) + $1)) what=$2
	shift 2
	while ! "$@"; do
		[ "$(date +%s)" -le "$deadline" ] || fail "waited in vain until $what"
		sleep 0.1
	done
}

# ask TARGET [ARGUMENT...]: print the answer's body, or curl's complaint; fails
# unless the status is a 2xx.
ask() {
	target=$1
	shift
	curl -sS --fail-with-body --max-time 90 "$@" "$url$target" 2>&1
}

must_serve() {
	ask /healthz >answer || fail "$(tail -n 1 answer); Result is" \
		"'$(property Result)', ExecMainStatus '$(property ExecMainStatus)'"
}

# member NAME: a text or number of the JSON object on stdin.
member() {
	sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

# upload FILE NAME[?QUERY]: sets $job.
upload() {
	ask "/v1/graphs/$2" -T "$1" -H 'Content-Type: text/csv' >answer ||
		fail "the upload of $2: $(cat answer)"
	job=$(member job <answer)
}

# job_is STATE...: whether $job is in one of these states. Waits up to 1 s.
job_is() {
	ask "/v1/jobs/$job?wait=1" >answer || fail "job $job: $(cat answer)"
	state=$(member state <answer)
	case " $* " in
	*" $state "*) return 0 ;;
	esac
	case $state in
	succeeded | failed | cancelled) fail "job $job: $(cat answer)" ;;
	esac
	return 1
}

must_answer_path() {
	ask '/v1/graphs/tri/path?from=a&to=c' >answer || fail "$(cat answer)"
	[ "$(member distance <answer)" = 2 ] || fail "$(cat answer)"
}

# A ring of 4000 vertices with chords: a job of many seconds.
large_graph() {
	awk 'BEGIN {
		for (i = 0; i < 4000; i++)
			for (k = 1; k <= 200; k++)
				print i "," (i + k) % 4000 "," k % 7 + 1
	}'
}

solver_runs() {
	readlink /proc/[0-9]*/exe | grep -q '/apsp-solve$'
}

is_what_it_is_called() {
	if [ -x /lib/systemd/systemd-udevd ]; then
		grep '^render:' /etc/group || fail "udev made no group render"
	else
		! grep '^render:' /etc/group || fail "the group render exists"
	fi
}

units_are_understood() {
	journalctl --no-pager --output cat _PID=1 |
		grep 'apspd[^ ]*:[0-9]*: \|apspd.*generator' >said || return 0
	fail "$(tail -n 1 said)"
}

first_connection_starts() {
	must_have ActiveState inactive
	must_serve
	# systemd hears of it after the first answer, perhaps
	wait_until 60 "it is active" has ActiveState active
	must_have StatusText "Serving 127.0.0.1:8080"
}

has_its_own_user_and_the_groups() {
	must_serve
	process=/proc/$(property MainPID)/status
	! grep '^Uid:[[:space:]]*0[[:space:]]' "$process" || fail "its user is root"
	groups=$(sed -n 's/^Groups://p' "$process")
	for name in video render; do
		gid=$(sed -n "s/^$name:[^:]*:\([0-9]*\):.*/\1/p" /etc/group)
		case " $groups " in
		*[[:space:]]"${gid:-none}"[[:space:]]*) ;;
		*) [ -z "$gid" ] || fail "the groups$groups lack $name, $gid" ;;
		esac
	done
}

graph_is_computed() {
	printf 'a,b,1\nb,c,1\na,c,5\n' >graph
	upload graph "tri?transform=none$any"
	wait_until 240 "the job succeeds" job_is succeeded
	must_answer_path
}

killed_comes_back() {
	must_answer_path
	jobs=$(ask /v1/jobs)
	systemctl kill --signal KILL --kill-who main apspd.service
	wait_until 60 "it is started again" has NRestarts 1
	must_answer_path
	[ "$(ask /v1/jobs)" = "$jobs" ] || fail "another job: $(ask /v1/jobs)"
}

stops_under_a_job() {
	large_graph >graph
	upload graph "large?transform=none&algorithm=$slow"
	wait_until 240 "the job runs" job_is running
	wait_until 60 "the solver runs" solver_runs
	solver_comes_last
	began=$(date +%s%3N)
	systemctl stop apspd.socket apspd.service
	took=$(($(date +%s%3N) - began))
	echo "it took $took ms" >&2
	must_have Result success
	must_have ExecMainStatus 0
	# else systemd would have ended it: TimeoutStopSec= is 10 s
	! log | grep 'SIGKILL' || fail "systemd killed a process"
	! solver_runs || fail "the solver runs on"
	systemctl start apspd.socket
	job_is queued running || fail "then the job is $(cat answer)"
	ask /v1/graphs/large -X DELETE || fail "the graph cannot be deleted"
}

# What the solver and the pool of threads ask of the kernel passes the walls.
solver_comes_last() {
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe") in
		*/apsp-solve) solver=${exe%/exe} ;;
		esac
	done
	[ "$(cat "$solver/oom_score_adj")" = 1000 ] ||
		fail "the solver's oom_score_adj is $(cat "$solver/oom_score_adj")"
	cut -d ' ' -f 19 "/proc/$(property MainPID)"/task/*/stat | grep -qx '[1-9][0-9]*' ||
		fail "no thread of the pool has a lower priority"
}

# What a process of the service finds: probe prints a line for each wall that has a hole,
# and then the end.
walls_stand() {
	cat >/probe.sh <<-'END'
		hole() { echo "hole: $*"; }
		! [ -e /proc/1 ] || hole "the processes of others"
		grep -q '^MemAvailable:' /proc/meminfo || hole "no MemAvailable"
		for tree in /sys/fs/cgroup /sys/fs/cgroup/*/; do
			ls "$tree" >/dev/null || hole "$tree cannot be read"
			! mkdir "$tree/hole" 2>/dev/null || hole "$tree can be written"
		done
		! (: >/usr/hole) 2>/dev/null || hole "/usr can be written"
		! mount -t tmpfs tmpfs /mnt 2>/dev/null || hole "it mounts"
		! unshare --user true 2>/dev/null || hole "it makes namespaces"
		! chown 0 "$STATE_DIRECTORY" 2>/dev/null || hole "it gives files away"
		! chrt --fifo 1 true 2>/dev/null || hole "it runs in real time"
		! date --set "$(date)" >/dev/null 2>&1 || hole "it sets the clock"
		nice -n 5 true || hole "no nice"
		[ "$(ls /sys/class/net)" = lo ] || hole "a network: $(ls /sys/class/net)"
		! curl -sS -m 5 http://127.0.0.1:8080/healthz 2>/dev/null || hole "it connects"
		echo "the probe ends"
	END
	unit_lines 'ExecStartPost=/bin/sh /probe.sh'
	must_serve
	wait_until 60 "the probe has ended" has ActiveState active
	log >said
	! grep '^hole: ' said || fail "$(grep '^hole: ' said)"
	grep -qx 'the probe ends' said || fail "the probe did not run: $(tail -n 3 said)"
	process=/proc/$(property MainPID)
	for line in 'NoNewPrivs: 1' 'Seccomp: 2' 'CapEff: 0000000000000000' \
		'CapBnd: 0000000000000000'; do
		tr -s '\t ' ' ' <"$process/status" | grep -qx "$line" || fail "no '$line'"
	done
	for kind in user net ipc mnt; do
		[ "$(readlink "$process/ns/$kind")" != "$(readlink "/proc/1/ns/$kind")" ] ||
			fail "its $kind namespace is the machine's"
	done
	most=$(property MemoryMax) all=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
	[ "$most" -lt $((all * 1024)) ] && [ "$most" -gt $((all * 512)) ] ||
		fail "MemoryMax is '$most' of $all kB"
}

# Behind all walls, which the drop-in for GPUs, that is always installed, opens in part.
computes_without_the_drop_in() {
	mkdir -p "${no_gpu%/*}"
	ln -s /dev/null "$no_gpu"
	systemctl daemon-reload
	must_have PrivateDevices yes
	printf 'a,b,2\nb,c,2\n' >graph
	upload graph "closed?transform=none$any"
	wait_until 240 "the job succeeds" job_is succeeded
	! [ -e "/proc/$(property MainPID)/root/dev/kmsg" ] || fail "it has devices"
}

# The file is as before, so that nothing but the reload has it read.
reload_reads_the_tokens() {
	token read >/dev/null && chmod 644 "$tokens"
	echo "APSPD_TOKENS=$tokens" >"$settings"
	must_serve
	process=$(property MainPID)
	for n in 1 2; do
		systemctl reload apspd.service || fail "it cannot be reloaded"
		read_again() {
			log >said
			[ "$(grep -c '^changed tokens .*before=1 after=1$' said)" = "$n" ]
		}
		wait_until 30 "the tokens are read again" read_again
	done
	[ "$(status /v1/graphs)" = 401 ] || fail "without a token: $(cat answer)"
	wait_until 30 "it is active" has ActiveState active
	must_have MainPID "$process"
	must_have NRestarts 0
}

# One thread hangs, and all others, main's too, go on.
hanging_is_started_again() {
	[ "$(property WatchdogUSec)" != 0 ] || fail "the unit has no watchdog"
	unit_lines WatchdogSec=8 TimeoutAbortSec=1
	must_serve
	mkfifo hold
	/stop_thread "$(property MainPID)" accept 0 <hold >stopped &
	exec 4>hold # it ends when this shell does
	wait_until 60 "the thread is stopped" grep -q stopped stopped
	wait_until 60 "it is started again" has NRestarts 1
	log | grep 'the accept thread has shown no sign of life' ||
		fail "the log does not name the thread"
	log | grep -q 'Watchdog timeout' || fail "the watchdog did not do that"
	must_answer_path
}

# A disk with errors becomes read-only as a file system, not only as a mount,
# which systemd would make writable again.
make_cache_read_only() {
	mount -t tmpfs -o mode=700 tmpfs /mnt &&
		chown --reference="$cache/" /mnt &&
		cp -a "$cache/." /mnt/ &&
		mount -o remount,ro /mnt &&
		mount --bind /mnt "$(readlink -f "$cache")" &&
		umount /mnt
}

read_only_cache_is_named() {
	make_cache_read_only || fail "the cache cannot be made read-only"
	must_answer_path
	! ask /readyz >answer || fail "/readyz: $(cat answer)"
	grep -q "'$cache': Read-only file system" answer || fail "$(cat answer)"
	log | grep -q "^the cache.*'$cache': Read-only file system" ||
		fail "the log does not say so"
	echo a,b,2 >graph
	upload graph 'other?transform=none'
	wait_until 240 "the job fails" job_is failed
	grep 'Read-only file system' answer || fail "$(cat answer)"
}

mistyped_option_ends_it_once() {
	echo APSPD_THREADS=many >"$settings"
	! ask /healthz || fail "it serves"
	sleep 3 # time to be started again
	log >said
	grep "APSPD_THREADS needs a number .*'many'" said ||
		fail "the log does not say what is wrong"
	must_have ExecMainStatus 78
	n=$(grep -c '^Starting apspd.service' said)
	[ "$n" = 1 ] || fail "it was started $n times"
	systemctl is-active apspd.socket || fail "the socket is closed"
	rm "$settings"
	must_serve
}

refused_address_ends_it_once() {
	systemctl mask --runtime --now apspd.socket
	echo APSPD_LISTEN=0.0.0.0:8080 >"$settings"
	! systemctl start apspd.service || fail "it serves"
	sleep 3 # time to be started again
	must_have ExecMainStatus 78
	must_have NRestarts 0
}

credential_brings_tokens() {
	read=$(token read) write=$(token write) || fail "no token can be made"
	unit_lines "LoadCredential=tokens:$tokens"
	[ "$(stat -c %U:%a "$tokens")" = root:600 ] || fail "not root's alone"
	[ "$(status /healthz)" = 200 ] || fail "$(cat answer)"
	[ "$(status /v1/graphs)" = 401 ] || fail "without a token: $(cat answer)"
	printf 'a,b,1\n' >graph
	set -- -T graph -H 'Content-Type: text/csv'
	for case in "$read 403" "$write 202 200" "$write.x 401"; do
		header="Authorization: Bearer ${case%% *}"
		code=$(status '/v1/graphs/secret?transform=none' "$@" -H "$header")
		case " ${case#* } " in
		*" $code "*) ;;
		*) fail "$code instead of ${case#* }: $(cat answer)" ;;
		esac
	done
	[ "$(status /v1/graphs/secret -H "Authorization: Bearer $read")" = 200 ] ||
		fail "$(cat answer)"
	journalctl --quiet --no-pager --output export --after-cursor "$(cat cursor)" >all
	! grep -a -e "$read" -e "$write" all || fail "a token is in the journal"
	! grep -a -e "$read" -e "$write" /proc/[0-9]*/environ ||
		fail "a token is in an environment"
}

# Nothing but the group opens the socket: another user of it, and nobody else. Without
# apspd.socket the service needs holes in its walls (systemd/README.md).
group_opens_the_socket() {
	groupadd -f lab
	id member >/dev/null 2>&1 || useradd -G lab member
	id stranger >/dev/null 2>&1 || useradd stranger
	systemctl mask --runtime --now apspd.socket
	echo APSPD_SOCKET_GROUP=lab >"$settings"
	echo APSPD_LISTEN=unix:/run/apspd/http.sock >>"$settings"
	unit_lines RuntimeDirectory=apspd RuntimeDirectoryMode=0755 \
		SupplementaryGroups=lab PrivateUsers=no SystemCallFilter=@chown
	systemctl start apspd.service || fail "it does not start"
	found=$(stat -c '%G %a' /run/apspd/http.sock)
	[ "$found" = 'lab 660' ] || fail "the socket is '$found'"
	set -- curl -sS --max-time 60 --unix-socket /run/apspd/http.sock \
		http://localhost/healthz
	runuser -u member -- "$@" | grep -qx '{"status":"ok"}' ||
		fail "a member cannot connect"
	! runuser -u stranger -- "$@" || fail "a stranger can connect"
}

# The same for a socket of systemd, as systemd/nginx.md has it.
socket_unit_has_a_group() {
	groupadd -f lab
	socket_lines ListenStream= ListenStream=/run/apspd/http.sock SocketGroup=lab \
		SocketMode=0660
	found=$(stat -c '%G %a' /run/apspd/http.sock)
	[ "$found" = 'lab 660' ] || fail "the socket is '$found'"
	curl -sS --max-time 60 --unix-socket /run/apspd/http.sock \
		http://localhost/healthz | grep -qx '{"status":"ok"}' ||
		fail "it does not answer there"
	! log | grep 'everybody may connect' || fail "it warns"
}

drop_in_moves_the_port() {
	socket_lines ListenStream= ListenStream=127.0.0.1:8099
	url=http://127.0.0.1:8099
	must_serve
	wait_until 60 "it is active" has ActiveState active
	must_have StatusText "Serving 127.0.0.1:8099"
	url=http://127.0.0.1:8080
	! ask /healthz || fail "it serves the port of before, too"
}

# field NAME FILE: of each entry of the journal's export format.
field() {
	grep -a "^$1=" "$2" | cut -d = -f 2-
}

# What the journal has of a request: one entry, with the unit, the priority, the id that
# the client got, and no second time.
requests_are_in_the_journal() {
	echo APSPD_ACCESS_LOG=on >"$settings"
	ask /healthz -D heads >answer || fail "$(cat answer)"
	id=$(tr -d '\r' <heads | sed -n 's/^X-Request-Id: //p')
	[ -n "$id" ] || fail "no X-Request-Id: $(cat heads)"
	entry() {
		journalctl --quiet --no-pager --output export --unit apspd.service \
			--after-cursor "$(cat cursor)" --grep "request id=$id" >entry
		[ -s entry ]
	}
	wait_until 30 "the request is in the journal" entry
	[ "$(grep -ac '^MESSAGE=' entry)" = 1 ] || fail "more than one entry"
	for want in PRIORITY=6 _SYSTEMD_UNIT=apspd.service SYSLOG_IDENTIFIER=apspd \
		_TRANSPORT=stdout; do
		[ "$(field "${want%%=*}" entry)" = "${want#*=}" ] ||
			fail "no $want: $(tr -d '\000' <entry)"
	done
	field MESSAGE entry | grep -Eqx \
		"request id=$id method=GET target=/healthz status=200 ms=[0-9.]+ .*" ||
		fail "MESSAGE is '$(field MESSAGE entry)'"
	journalctl --quiet --no-pager --output export --unit apspd.service \
		--after-cursor "$(cat cursor)" --grep 'apspd started' >entry
	[ "$(field PRIORITY entry)" = 5 ] || fail "the start is no notice: $(cat entry)"
}

# As systemd/README.md (The log of changes) finds them, although nothing less than an error is to be logged.
changes_are_in_the_journal() {
	echo APSPD_LOG_LEVEL=error >"$settings"
	printf 'a,b,1\n' >graph
	upload graph "kept?transform=none$any"
	wait_until 240 "the job succeeds" job_is succeeded
	revision=$(member revision <answer)
	ask /v1/graphs/kept -X DELETE -D heads >answer || fail "$(cat answer)"
	id=$(tr -d '\r' <heads | sed -n 's/^X-Request-Id: //p')
	entry() {
		journalctl --quiet --no-pager --output export -u apspd \
			--after-cursor "$(cat cursor)" -g '^change' >entries
		[ "$(grep -ac '^MESSAGE=changed id=' entries)" = 2 ]
	}
	wait_until 30 "both changes are in the journal" entry
	field MESSAGE entries | grep -Eq \
		"^changed id=$id token=- peer=127.0.0.1 graph=kept before=$revision after=- status=204 " ||
		fail "MESSAGE is '$(field MESSAGE entries | tail -n 1)'"
	[ "$(field PRIORITY entries | sort -u)" = 5 ] || fail "they are no notices"
}

# Asked as the service would run, beside it. (systemd-run --pipe wants a bus, which these
# systems do not have.)
check_says_what_is_right() {
	must_serve
	wait_until 60 "it is active" has ActiveState active
	printf '%s\n' '[Service]' Type=oneshot DynamicUser=yes User=apspd \
		StateDirectory=apspd StateDirectoryMode=0700 CacheDirectory=apspd \
		CacheDirectoryMode=0700 EnvironmentFile=-/etc/default/apspd \
		ExecStart="$(command -v apspd) --check" \
		StandardOutput=truncate:/results/said \
		>/run/systemd/system/check-apspd.service
	systemctl daemon-reload
	systemctl start check-apspd.service
	status=$(systemctl show --value --property ExecMainStatus check-apspd.service)
	cat said
	for line in 'ok *options' 'ok *tokens' 'ok *address *apspd serves 127.0.0.1:8080' \
		'ok *state *.* is used by the apspd' 'ok *cache *.* is used by the apspd'; do
		grep -q "^$line" said || fail "no line '$line'"
	done
	if [ -z "$any" ]; then
		grep -q '^ok *solve .*every distance is right' said || fail "no solve"
		[ "$status" = 0 ] || fail "its status is $status"
	else
		grep -q '^wrong *device .*no OpenCL .*pocl-opencl-icd' said || fail "no device line"
		[ "$status" = 1 ] || fail "its status is $status"
	fi
}

failing_is_given_up() {
	unit_lines ExecStart= 'ExecStart=/bin/sh -c "sleep 2.2; exit 1"'
	systemctl stop apspd.socket
	systemctl start --no-block apspd.service
	wait_until 120 "it is given up" has ActiveState failed
}

# The writer has computed a graph before, so kernels are compiled.
replicas_serve() {
	replicas_follow && replicas_are_balanced
}

systemctl enable apspd.socket >&2
check "the system is what it is called" is_what_it_is_called
check "systemd understands every line of the units" units_are_understood
check "the first connection starts the service, which says that it is ready" \
	first_connection_starts
check "it has a user of its own and those groups of GPUs that exist" \
	has_its_own_user_and_the_groups
check "it computes a graph and answers a path" graph_is_computed
check "killed, it comes back with the graph and its tables" killed_comes_back
check "stopped under a job, it ends in time and queues the job again" \
	stops_under_a_job
check "its walls stand: files, devices, network, processes, system calls" walls_stand
check "behind all walls, without the drop-in for GPUs, it computes" \
	computes_without_the_drop_in
check "a reload has it read its tokens again, and it goes on" reload_reads_the_tokens
check "a process one thread of which hangs is started again" hanging_is_started_again
check "a cache that is read-only is named by /readyz and the log" \
	read_only_cache_is_named
check "a mistyped option ends it once and leaves the socket open" \
	mistyped_option_ends_it_once
check "an address that is refused ends it once" refused_address_ends_it_once
check "a credential brings tokens, which are nowhere in the journal" \
	credential_brings_tokens
check "--socket-group opens the socket to a group" group_opens_the_socket
check "a socket unit's group opens it, as nginx wants it" socket_unit_has_a_group
check "a drop-in for the socket moves the port" drop_in_moves_the_port
check "the journal has each request once, with its id, unit and priority" \
	requests_are_in_the_journal
check "the journal has each change, whatever the log level" changes_are_in_the_journal
check "apspd --check, as the service's user, says what is right" \
	check_says_what_is_right
check "a service that always fails is given up" failing_is_given_up
check "two replicas of the unit follow the writer behind nginx, as it is, whoever ends" \
	replicas_serve

journalctl --no-pager >journal
touch finished
