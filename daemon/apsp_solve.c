/*
 * apsp-solve: the process that owns the device (compute/worker/README.md, A
 * child owns the device). The daemon's worker starts it; compute/solver_event.h
 * has the lines that it prints.
 *
 *	apsp-solve [--device D] [--cache-dir C] [--device-memory BYTES]
 *		[--room BYTES] [--stay SECONDS] JOBDIR
 *	apsp-solve --devices [--device D] [--cache-dir C]
 *	apsp-solve --trial WHAT --forms FORMS [--device D] [--cache-dir C]
 *
 * The last is for its own use (compute/solve/trial_process.h).
 *
 * Status 0: done; 1: failed, and an `error` line says why, if someone reads it;
 * 2: wrong options.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compute/solve/solver_main.h"
#include "daemon/base/auto.h"

enum {
	STATUS_FAILED = 1,
	STATUS_WRONG = 2,
	STAY_MOST_S = 86400,
	LARGE_BYTES =
		1 << 20, /* such a block returns to the system when freed */
};

static const char usage[] =
	"Usage: apsp-solve [OPTION]... JOBDIR\n"
	"       apsp-solve --devices|--calibrate [OPTION]...\n"
	"Computes the tables of the graph file in JOBDIR, or lists the "
	"devices, or\nmeasures how fast one is, which plans are made with.\n\n"
	"  --device auto|cpu|gpu|SUBSTRING\n"
	"                          the OpenCL device, by type or part of its "
	"name (auto)\n"
	"  --cache-dir DIR         compiled kernels go below it (JOBDIR, .)\n"
	"  --device-memory BYTES   use no more of the device's memory\n"
	"  --room BYTES            make no larger table file\n"
	"  --stay SECONDS          then wait for another job on stdin: a line\n"
	"                          with its room in bytes (0: any) and its "
	"directory\n"
	"  --version\n"
	"  --help\n";

struct request {
	struct apsp_solver_options options;
	bool list_devices;
	bool calibrate;
	bool answered; /* --help or --version */
};

/* Let the kernel kill us first when memory is short: a job can be tried again.
 */
static void offer_to_die_first(void)
{
	static const char most[] = "1000";
	APSP_AUTO(apsp_close) int fd = -1;

	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, most, sizeof(most) - 1) < 0)
		return; /* not allowed: the kernel chooses by size alone */
}

/*
 * Ask the kernel to kill us when the parent dies: a solver that hangs in a
 * driver does not see the end of its stdin. The parent is the worker's thread,
 * which lives as long as the daemon. False: the parent died before we asked,
 * which only the end of stdin tells.
 */
static bool die_with_parent(void)
{
	struct pollfd control = {.fd = STDIN_FILENO};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return poll(&control, 1, 0) <= 0 || !(control.revents & POLLHUP);
}

/* A measurement is nobody's hurry: run only where a processor is idle. Threads
   of drivers inherit it. */
static void yield_to_others(void)
{
	const struct sched_param none = {0};

	sched_setscheduler(0, SCHED_IDLE, &none);
	setpriority(PRIO_PROCESS, 0, 19);
}

static bool bytes_read(const char *option, const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno == 0 && end != text && !*end && *text != '-')
		return true;
	fprintf(stderr, "apsp-solve: %s needs a number of bytes, not '%s'\n",
		option, text);
	return false;
}

static bool seconds_read(
	const char *option, const char *text, unsigned int *out)
{
	char *end;
	unsigned long found;

	errno = 0;
	found = strtoul(text, &end, 10);
	*out = (unsigned int)found;
	if (errno == 0 && end != text && !*end && *text != '-' &&
		found <= STAY_MOST_S)
		return true;
	fprintf(stderr, "apsp-solve: %s needs seconds, %d at most, not '%s'\n",
		option, STAY_MOST_S, text);
	return false;
}

/* False: the options are wrong, and stderr says how. */
static bool request_parse(int argc, char **argv, struct request *out)
{
	static const struct option longs[] = {
		{"devices", no_argument, NULL, 'l'},
		{"calibrate", no_argument, NULL, 'r'},
		{"device", required_argument, NULL, 'd'},
		{"cache-dir", required_argument, NULL, 'c'},
		{"device-memory", required_argument, NULL, 'm'},
		{"room", required_argument, NULL, 'o'},
		{"stay", required_argument, NULL, 's'},
		{"trial", required_argument, NULL, 't'},
		{"forms", required_argument, NULL, 'f'},
		{"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int found;

	*out = (struct request){.options.device = "auto"};
	while ((found = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (found) {
		case 'l':
			out->list_devices = true;
			break;
		case 'r':
			out->calibrate = true;
			break;
		case 'd':
			out->options.device = optarg;
			break;
		case 'c':
			out->options.cache_dir = optarg;
			break;
		case 'm':
			if (!bytes_read("--device-memory", optarg,
				    &out->options.device_memory))
				return false;
			break;
		case 'o':
			if (!bytes_read(
				    "--room", optarg, &out->options.room_bytes))
				return false;
			break;
		case 's':
			if (!seconds_read(
				    "--stay", optarg, &out->options.stay_s))
				return false;
			break;
		case 't':
			out->options.trial = optarg;
			break;
		case 'f':
			out->options.forms = optarg;
			break;
		case 'v':
			puts("apsp-solve " APSP_VERSION);
			out->answered = true;
			return true;
		case 'h':
			fputs(usage, stdout);
			out->answered = true;
			return true;
		default:
			return false; /* getopt_long has printed why */
		}
	}
	if (argc - optind !=
		!(out->list_devices || out->calibrate || out->options.trial)) {
		fputs(usage, stderr);
		return false;
	}
	out->options.job_dir = argv[optind];
	if (!out->options.cache_dir)
		out->options.cache_dir =
			out->options.job_dir ? out->options.job_dir : ".";
	return true;
}

/*
 * Events get a pipe of their own and descriptor 1 becomes stderr, before a
 * driver is loaded: what drivers print then goes to the log, and never between
 * or onto the lines of events. Programs that a driver starts inherit stderr
 * only. Returns NULL if that fails.
 */
static FILE *events_open(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return NULL;
	return fdopen(fd, "w");
}

int main(int argc, char **argv)
{
	struct request request;
	struct apsp_err err;
	int r;

	if (!request_parse(argc, argv, &request))
		return STATUS_WRONG;
	if (request.answered)
		return EXIT_SUCCESS;
	request.options.events = events_open();
	if (!request.options.events) {
		fprintf(stderr,
			"apsp-solve: stdout cannot be used for events: %s\n",
			strerror(errno));
		return STATUS_FAILED;
	}
	offer_to_die_first();
	if (request.calibrate)
		yield_to_others();
	if (!die_with_parent())
		return STATUS_FAILED;
	/* by default glibc raises this to 32 MB and keeps freed arrays */
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	/* when the daemon is gone, stdin ends: that is how we notice */
	signal(SIGPIPE, SIG_IGN);
	if (request.list_devices)
		r = apsp_solver_main_list_devices(&request.options, &err);
	else if (request.calibrate)
		r = apsp_solver_main_calibrate(&request.options, &err);
	else if (request.options.trial)
		return apsp_solver_main_try(&request.options);
	else
		r = apsp_solver_main_run(&request.options, &err);
	return r < 0 ? STATUS_FAILED : EXIT_SUCCESS;
}
