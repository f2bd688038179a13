#!/bin/sh
# A stand-in for apsp-solve: the job's `graph` file holds the behaviour's name.
dir=
stay=
devices=
calibrate=
while [ $# -gt 0 ]; do
	case $1 in
	--devices) devices=1 ;;
	--calibrate) calibrate=1 ;;
	--device | --cache-dir | --device-memory | --room) shift ;;
	--stay)
		stay=$2
		shift
		;;
	*) dir=$1 ;;
	esac
	shift
done

# The last line of --devices and --calibrate, and what a driver does at exit.
leave() {
	echo done
	case $(cat "$FAKE_DEVICES") in
	*-crashes) kill -ABRT $$ ;;
	*-lingers) exec sleep 1000 ;;
	esac
	exit 0
}

if [ -n "$devices" ]; then
	case $(cat "$FAKE_DEVICES") in
	two | two-*)
		echo 'a driver says hello on stdout'
		echo 'found cpu 2 4000 1000 4096 512 1 1 0%09slow%09Portable%09OpenCL 3.0'
		echo 'found gpu 132 140000 35000 1024 49152 1 1 1%09fa|st%09Vendor%09OpenCL 3.0'
		;;
	large) echo 'found gpu 132 140000000000 35000000000 1024 49152 1 1 1%09large%09Vendor%093' ;;
	narrow) echo 'found gpu 132 50000 50000 1024 49152 1 1 1%09narrow%09Vendor%093' ;;
	tiny) echo 'found gpu 132 14000 3500 1024 49152 1 1 1%09tiny%09Vendor%093' ;;
	unchosen) echo 'found cpu 2 4000 1000 4096 512 1 1 0%09slow%09Portable%09OpenCL 3.0' ;;
	error)
		echo 'error device-failed nothing here'
		exit 1
		;;
	cut)
		echo 'found gpu 132 140000 35000 1024 49152 1 1 1%09fast%09Vendor%093'
		exit 0
		;;
	slow)
		sleep 2
		exit 7
		;;
	*) exit 7 ;;
	esac
	leave
fi

if [ -n "$calibrate" ]; then
	trap 'echo "error cancelled the computation was cancelled"; exit 1' TERM
	echo $$ >"$FAKE_DEVICES.calibrates"
	[ -s "$FAKE_DEVICES.rates" ] || sleep 1000
	echo "rates $(cat "$FAKE_DEVICES.rates")"
	leave
fi

finish() {
	echo table >"$dir/tables"
	echo 'progress 1.0 0'
	echo done
}

job() {
case $(cat "$dir/graph") in
success)
	echo 'device fa|st'
	echo 'algorithm blocked-fw'
	echo 'plan blocked-fw: it is quick'
	echo 'element u16'
	echo 'phase distance'
	echo 'progress 0.5 3'
	finish
	;;
env)
	echo "$PATH" >"$dir/../../path"
	echo "$POCL_CACHE_DIR|$XDG_CACHE_HOME|$NOTIFY_SOCKET" >"$dir/../../caches"
	echo "$GLIBC_TUNABLES" >"$dir/../../tunables"
	ls /proc/self/fd | wc -l >"$dir/../../fds"
	cut -d' ' -f5 /proc/self/stat >"$dir/../../group"
	echo $$ >"$dir/../../pid"
	finish
	;;
falls)
	echo 'progress 0.6 1'
	echo 'progress 0.4 2'
	echo 'error bad-data stop here'
	exit 1
	;;
cycle)
	echo 'cycle a'
	echo 'cycle b%25'
	echo 'error negative-cycle a, b%25, a'
	exit 1
	;;
crash)
	echo 'first words' >&2
	printf 'caf\351 went wrong' >&2
	kill -SEGV $$
	;;
status) exit 3 ;;
silent)
	printf 'done\000x\n'
	exit 0
	;;
device)
	echo 'error device-failed the device is gone'
	exit 1
	;;
garbage)
	head -c 300000 /dev/urandom
	echo
	echo 'doneness'
	echo 'progress 7 1'
	echo 'progress nan 1'
	echo 'error'
	printf 'error bad-data '
	head -c 9000 /dev/zero | tr '\0' 'x'
	echo
	head -c 9000 /dev/zero | tr '\0' 'y' >&2
	finish
	;;
late-crash)
	finish
	kill -ABRT $$
	;;
lingers)
	finish
	exec sleep 1000
	;;
hang)
	trap '' TERM
	echo $$ >"$dir/../../pid"
	echo 'phase distance'
	while :; do sleep 1; done
	;;
polite)
	trap '' TERM
	echo 'phase distance'
	cat >/dev/null
	echo yes >"$dir/../../noticed"
	echo 'error cancelled asked to stop'
	exit 1
	;;
warns)
	echo '<4>the fast form fails' >&2
	echo '<9>no priority' >&2
	finish
	;;
floods)
	# whichever line is the first that is left out, a warning comes beside it
	for i in $(seq 150); do
		printf 'line %d\n<4>warning %d\n' "$i" "$i"
	done >&2
	for i in $(seq 100); do
		printf '<4>late %d\nmore %d\n' "$i" "$i"
	done >&2
	finish
	;;
stalls)
	trap '' TERM
	echo $$ >"$dir/../../pid"
	echo 'phase distance'
	echo 'progress 0.5 3'
	while :; do
		echo 'a driver goes on talking'
		sleep 0.1
	done
	;;
patient)
	echo "within 60"
	sleep 5
	finish
	;;
tries)
	echo "within 60"
	echo "trial 1"
	sleep 4
	echo "within 1"
	echo "trial 60"
	sleep 4
	finish
	;;
tried)
	echo "within 1"
	echo "trial 60"
	echo 'progress 0.5 3'
	exec sleep 1000
	;;
halfway)
	echo 'phase distance'
	echo 'progress 0.5 3'
	exec sleep 1000
	;;
sleeps)
	echo 'phase distance'
	exec sleep 1000
	;;
cancelled)
	echo 'error cancelled by whom'
	exit 1
	;;
grandchildren)
	sleep 1000 &
	echo $! >"$dir/../../grandchild"
	finish
	;;
litter)
	mkdir -p "$dir/a/b"
	echo x >"$dir/a/b/c"
	ln -s / "$dir/a/root"
	finish
	;;
stays | stays-host | stays-open)
	case $(cat "$dir/graph") in
	stays-host) echo 'device host' ;;
	stays-open) echo 'device fast' ;;
	esac
	echo $$ >>"$dir/../../pids"
	echo "stay ${stay:-none}" >"$dir/../../stay"
	echo 'cost blocked-fw.u16 read 0.5 distance 0.5'
	echo 'stages distance 1'
	finish
	[ -n "$stay" ] || exit 0
	echo 'held 500000000 100000000 300000000'
	while read -r _ dir; do
		job
	done
	exit 0
	;;
vanishes) exit 0 ;;
vanishes-late)
	echo $$ >>"$dir/../../pids"
	echo 'phase distance'
	exit 0
	;;
esac
}

job

