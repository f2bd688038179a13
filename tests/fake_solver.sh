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
		echo 'found type cpu units 2 memory 4000 largest_buffer 1000 group_items 4096 local 512 double 1 wide_atomics 1 chosen 0 name slow platform Portable version OpenCL%203.0'
		echo 'found type gpu units 132 memory 140000 largest_buffer 35000 group_items 1024 local 49152 double 1 wide_atomics 1 chosen 1 name fa|st platform Vendor version OpenCL%203.0'
		;;
	large) echo 'found type gpu units 132 memory 140000000000 largest_buffer 35000000000 group_items 1024 local 49152 double 1 wide_atomics 1 chosen 1 name large platform Vendor version 3' ;;
	narrow) echo 'found type gpu units 132 memory 50000 largest_buffer 50000 group_items 1024 local 49152 double 1 wide_atomics 1 chosen 1 name narrow platform Vendor version 3' ;;
	tiny) echo 'found type gpu units 132 memory 14000 largest_buffer 3500 group_items 1024 local 49152 double 1 wide_atomics 1 chosen 1 name tiny platform Vendor version 3' ;;
	unchosen) echo 'found type cpu units 2 memory 4000 largest_buffer 1000 group_items 4096 local 512 double 1 wide_atomics 1 chosen 0 name slow platform Portable version OpenCL%203.0' ;;
	error)
		echo 'error code device-failed text nothing%20here'
		exit 1
		;;
	cut)
		echo 'found type gpu units 132 memory 140000 largest_buffer 35000 group_items 1024 local 49152 double 1 wide_atomics 1 chosen 1 name fast platform Vendor version 3'
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
	trap 'echo "error code cancelled text the%20computation%20was%20cancelled"; exit 1' TERM
	echo $$ >"$FAKE_DEVICES.calibrates"
	[ -s "$FAKE_DEVICES.rates" ] || sleep 1000
	echo "rates $(cat "$FAKE_DEVICES.rates")"
	leave
fi

finish() {
	echo table >"$dir/tables"
	echo 'job share 1.0 left 0'
	echo done
}

job() {
case $(cat "$dir/graph") in
success)
	echo 'job device fa|st'
	echo 'job algorithm blocked-fw'
	echo 'job plan blocked-fw:%20it%20is%20quick'
	echo 'job element u16'
	echo 'job phase distance'
	echo 'job share 0.5 left 3'
	finish
	;;
surroundings)
	ls /proc/self/fd | wc -l >"$dir/../../fds"
	cut -d' ' -f5 /proc/self/stat >"$dir/../../group"
	echo $$ >"$dir/../../pid"
	finish
	;;
falls)
	echo 'job share 0.6 left 1'
	echo 'job share 0.4 left 2'
	echo 'error code bad-data text stop%20here'
	exit 1
	;;
emptied)
	rm -r "$dir"
	echo 'error code io-error text no%20such%20file'
	;;
cycle)
	echo 'cycle vertex a'
	echo 'cycle vertex b%25'
	echo 'error code negative-cycle text a,%20b%25,%20a'
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
	echo 'error code device-failed text the%20device%20is%20gone'
	exit 1
	;;
garbage)
	head -c 300000 /dev/urandom
	echo
	echo 'doneness'
	echo 'job share 7 left 1'
	echo 'job share nan left 1'
	echo 'error'
	printf 'error code bad-data text '
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
	echo 'job phase distance'
	while :; do sleep 1; done
	;;
polite)
	trap '' TERM
	echo 'job phase distance'
	cat >/dev/null
	echo yes >"$dir/../../noticed"
	echo 'error code cancelled text asked%20to%20stop'
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
	echo 'job phase distance'
	echo 'job share 0.5 left 3'
	while :; do
		echo 'a driver goes on talking'
		sleep 0.1
	done
	;;
patient)
	echo "within seconds 60"
	sleep 5
	finish
	;;
tries)
	echo "within seconds 60"
	echo "trial seconds 1"
	sleep 4
	echo "within seconds 1"
	echo "trial seconds 60"
	sleep 4
	finish
	;;
tried)
	echo "within seconds 1"
	echo "trial seconds 60"
	echo 'job share 0.5 left 3'
	exec sleep 1000
	;;
halfway)
	echo 'job phase distance'
	echo 'job share 0.5 left 3'
	exec sleep 1000
	;;
sleeps)
	echo 'job phase distance'
	exec sleep 1000
	;;
cancelled)
	echo 'error code cancelled text by%20whom'
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
	stays-host) echo 'job device host' ;;
	stays-open) echo 'job device fast' ;;
	esac
	echo $$ >>"$dir/../../pids"
	echo "stay ${stay:-none}" >"$dir/../../stay"
	echo 'cost read 0.5 distance 0.5 rate blocked-fw element u16'
	echo 'stages distance 1'
	finish
	[ -n "$stay" ] || exit 0
	echo 'held own 500000000 buffer 100000000 buffer 300000000'
	while read -r _ _ _ dir; do
		job
	done
	exit 0
	;;
vanishes) exit 0 ;;
vanishes-late)
	echo $$ >>"$dir/../../pids"
	echo 'job phase distance'
	exit 0
	;;
esac
}

job

