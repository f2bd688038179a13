/*
 * apsp-solve: the program that opens the OpenCL device and computes tables. The
 * daemon's worker starts apsp-solve as a child process
 * (compute/worker/README.md, A child owns the device). compute/solver_event.h
 * describes the lines that apsp-solve prints.
 *
 *	apsp-solve [--device D] [--cache-dir C] [--device-memory BYTES]
 *		[--room BYTES] [--proof-seed N] [--stay SECONDS] JOBDIR
 *	apsp-solve --devices|--calibrate [--device D] [--cache-dir C]
 *	apsp-solve --rows FILE
 *	apsp-solve --trial WHAT --forms FORMS [--turn N] [--device D]
 *		[--cache-dir C]
 *	apsp-solve --launch LAUNCHER [WORD]...
 *
 * Only apsp-solve itself uses --trial: it starts a second apsp-solve with this
 * option (compute/solve/trial_process.h). Only the daemon uses --launch, to
 * start the launcher that its option --solver-command names.
 *
 * The exit status is 0 after success, 1 after a failure and 2 if the options
 * are wrong. After a failure, an `error` line gives the reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute/group/group.h"
#include "compute/solve/heap.h"
#include "compute/solve/solver_environment.h"
#include "compute/solve/solver_main.h"
#include "daemon/base/auto.h"
#include "daemon/base/number.h"
#include "daemon/base/program.h"

enum {
	STATUS_FAILED = 1,
	STATUS_WRONG = 2,
	STAY_MOST_S = 86400,
	LAUNCHER_END_S = 4, /* time from SIGTERM to SIGKILL for a launcher after
			       the daemon's death, as in
			       compute/worker/solver_process.c */
};

static const char usage[] =
	"Usage: apsp-solve [OPTION]... JOBDIR\n"
	"       apsp-solve --devices|--calibrate [OPTION]...\n"
	"Computes the tables of the graph file in JOBDIR, or lists the "
	"devices, or\nmeasures the speed of a device, for plans.\n\n"
	"  --device auto|cpu|gpu|SUBSTRING\n"
	"                          the OpenCL device, by type or part of its "
	"name (auto)\n"
	"  --cache-dir DIR         compiled kernels go below it (JOBDIR, .)\n"
	"  --device-memory BYTES   use no more of the device's memory\n"
	"  --room BYTES            make no larger table file\n"
	"  --proof-seed N          walk the rows that a job with this "
	"proof_seed\n"
	"                          walked; 0: others in each job (0)\n"
	"  --stay SECONDS          then wait for another job on stdin: a line\n"
	"                          \"room BYTES dir PATH\" (0: any room)\n"
	"  --version\n"
	"  --help\n";

struct request {
	struct apsp_solver_options options;
	bool answered; /* --help or --version was given, and its text was
			  printed */
};

/* If memory is short, the kernel kills a process. Make the kernel kill this
   process first, because the daemon can try the job again. */
static void offer_to_die_first(void)
{
	static const char most[] = "1000";
	APSP_AUTO(apsp_close) int fd = -1;

	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, most, sizeof(most) - 1) < 0)
		/* ignore the failure: the kernel then chooses the process to
		   kill by memory use alone */
		return;
}

/*
 * Ask Linux to kill this process when its parent dies. The daemon has already
 * made this request for each process that it starts (daemon/base/program.h).
 * But mpirun does not make this request for the processes that it starts. The
 * end of stdin is not enough, because a process that hangs in a driver does not
 * notice the end of stdin. Returns false if stdin has already ended, because
 * then the daemon or mpirun died before this call.
 */
static bool die_with_parent(void)
{
	struct pollfd control = {.fd = STDIN_FILENO};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return poll(&control, 1, 0) <= 0 || !(control.revents & POLLHUP);
}

/*
 * Wait for the end of a launcher, and return its status (waitpid(2)). The
 * signals are blocked:
 *
 *	SIGTERM	 the daemon ends this process group
 *	SIGUSR1	 the daemon has died; sent again for each of its threads
 *	SIGALRM	 the launcher has not ended in time
 *
 * If the daemon has died, end the group, but send no second SIGTERM. Linux
 * reports SIGUSR1 before SIGTERM if both are pending.
 */
static int launched_wait(pid_t pid, sigset_t signals)
{
	bool terminated = false;
	sigset_t pending;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0)
		switch (sigwaitinfo(&signals, NULL)) {
		case SIGTERM:
			terminated = true;
			break;
		case SIGUSR1:
			sigdelset(&signals, SIGUSR1);
			sigpending(&pending);
			if (!terminated && !sigismember(&pending, SIGTERM))
				kill(0, SIGTERM);
			alarm(LAUNCHER_END_S);
			break;
		case SIGALRM:
			kill(0, SIGKILL);
			break;
		}
	return status;
}

/*
 * Run a launcher, such as mpirun, and end as the launcher ends. This process
 * leads a process group, to which the launcher belongs. To end a launcher, the
 * daemon sends SIGTERM to this group. If the daemon dies, this process sends
 * SIGTERM to the group, so that the launcher ends the processes that it has
 * started.
 *
 * A second SIGTERM can make mpirun hang. But Linux can send the signal of the
 * daemon's death several times: whenever a thread of the dying daemon ends, and
 * another of its threads becomes the parent. Therefore this process asks Linux
 * for SIGUSR1 instead, and sends SIGTERM only once. If this process is killed,
 * Linux kills the launcher (daemon/base/program.h).
 */
static int launch(char **argv)
{
	sigset_t signals, none;
	int status, r;
	pid_t pid;

	sigemptyset(&none);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGALRM);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	r = apsp_program_start(
		&(struct apsp_program){
			.path = argv[0],
			.argv = (const char *const *)argv,
			.env = environ,
			.fds = (const int[]){STDIN_FILENO, STDOUT_FILENO,
				STDERR_FILENO},
			.n_fds = 3,
		},
		&pid);
	if (r != 0) {
		fprintf(stderr, "apsp-solve: '%s' cannot be started: %s\n",
			argv[0], strerror(r));
		return STATUS_FAILED;
	}
	/* a SIGTERM before this line kills this process and so the launcher,
	   which has just begun */
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	status = launched_wait(pid, signals);
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	/* end by the signal that ended the launcher, but do not write a core
	   dump: the launcher may have written one */
	prctl(PR_SET_DUMPABLE, 0);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise(WTERMSIG(status));
	return STATUS_FAILED;
}

/*
 * Parse a decimal number that is at most `most`. If `text` is not such a
 * number, print a message that the option needs `unit`, for example "a number
 * of bytes".
 */
static bool number_read(const char *option, const char *text, uint64_t most,
	const char *unit, uint64_t *out)
{
	if (apsp_number_parse_count(text, most, out))
		return true;
	fprintf(stderr, "apsp-solve: %s needs %s up to %" PRIu64 ", not '%s'\n",
		option, unit, most, text);
	return false;
}

/* Handle one option of the command line. `letter` is the result of
   getopt_long(). */
static bool option_take(int letter, char *text, struct request *out)
{
	struct apsp_solver_options *options = &out->options;
	uint64_t seconds;

	switch (letter) {
	case 'l':
		options->list_devices = true;
		return true;
	case 'r':
		options->calibrate = true;
		return true;
	case 'd':
		options->device = text;
		return true;
	case 'c':
		options->cache_dir = text;
		return true;
	case 'm':
		return number_read("--device-memory", text, UINT64_MAX,
			"a number of bytes", &options->device_memory);
	case 'o':
		return number_read("--room", text, UINT64_MAX,
			"a number of bytes", &options->room_bytes);
	case 'p':
		return number_read("--proof-seed", text, UINT32_MAX, "a number",
			&options->proof_seed);
	case 's':
		if (!number_read("--stay", text, STAY_MOST_S,
			    "a number of seconds", &seconds))
			return false;
		options->stay_s = (unsigned int)seconds;
		return true;
	case 'w':
		options->rows = text;
		return true;
	case 't':
		options->trial = text;
		return true;
	case 'n':
		return number_read(
			"--turn", text, UINT32_MAX, "a number", &options->turn);
	case 'f':
		options->forms = text;
		return true;
	case 'v':
		puts("apsp-solve " APSP_VERSION);
		out->answered = true;
		return true;
	case 'h':
		fputs(usage, stdout);
		out->answered = true;
		return true;
	default:
		return false; /* getopt_long() has printed what is wrong */
	}
}

/* Parse the command line. False: the options are wrong, and a message was
   printed. */
static bool request_parse(int argc, char **argv, struct request *out)
{
	static const struct option longs[] = {
		{"devices", no_argument, NULL, 'l'},
		{"calibrate", no_argument, NULL, 'r'},
		{"device", required_argument, NULL, 'd'},
		{"cache-dir", required_argument, NULL, 'c'},
		{"device-memory", required_argument, NULL, 'm'},
		{"room", required_argument, NULL, 'o'},
		{"proof-seed", required_argument, NULL, 'p'},
		{"stay", required_argument, NULL, 's'},
		{"rows", required_argument, NULL, 'w'},
		{"trial", required_argument, NULL, 't'},
		{"forms", required_argument, NULL, 'f'},
		{"turn", required_argument, NULL, 'n'},
		{"version", no_argument, NULL, 'v'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int letter;

	*out = (struct request){.options.device = "auto"};
	while ((letter = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (!option_take(letter, optarg, out))
			return false;
		if (out->answered)
			return true;
	}
	if (argc - optind !=
		!(out->options.list_devices || out->options.calibrate ||
			out->options.rows || out->options.trial)) {
		fputs(usage, stderr);
		return false;
	}
	out->options.job_dir = argv[optind];
	return true;
}

/*
 * Open a new descriptor for events, and make descriptor 1 a copy of stderr.
 * Call this function before a driver is loaded, so that the driver's output
 * goes to the log and never mixes with the events. Programs that a driver
 * starts do not inherit the new descriptor. If a group of processes solves the
 * job (compute/group/group.h), only the process of rank 0 reports to the
 * daemon. The events of the other processes go to /dev/null. Returns NULL on
 * failure.
 */
static FILE *events_open(void)
{
	int fd = apsp_group_rank() > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC)
				       : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC,
						 STDERR_FILENO + 1);

	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return NULL;
	return fdopen(fd, "w");
}

int main(int argc, char **argv)
{
	struct request request;
	struct apsp_err err;
	int status;

	if (argc > 2 && strcmp(argv[1], "--launch") == 0)
		return launch(argv + 2);
	if (!request_parse(argc, argv, &request))
		return STATUS_WRONG;
	if (request.answered)
		return EXIT_SUCCESS;
	/* call this before MPI starts, so that this process ends if mpirun dies
	   while MPI starts */
	if (!die_with_parent())
		return STATUS_FAILED;
	if (request.options.job_dir && apsp_group_start(&err) < 0) {
		fprintf(stderr, "apsp-solve: %s\n", err.message);
		return STATUS_FAILED;
	}
	request.options.events = events_open();
	if (!request.options.events) {
		fprintf(stderr,
			"apsp-solve: stdout cannot be used for events: %s\n",
			strerror(errno));
		return STATUS_FAILED;
	}
	apsp_solver_environment_set(request.options.cache_dir);
	if (!request.options.cache_dir)
		request.options.cache_dir =
			request.options.job_dir ? request.options.job_dir : ".";
	offer_to_die_first();
	/*
	 * measurements are not urgent, so take the lowest priority and run only
	 * on processors that are idle; threads that drivers start inherit the
	 * priority
	 */
	if (request.options.calibrate) {
		sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
		setpriority(PRIO_PROCESS, 0, 19);
	}
	apsp_heap_prepare();
	/* ignore SIGPIPE, because the end of stdin already shows that the
	   daemon has ended */
	signal(SIGPIPE, SIG_IGN);
	status = apsp_solver_main_run(&request.options);
	/* apsp_group_end() waits for other processes without a look at the stop
	   token. So from now on SIGTERM, which mpirun sends before it kills its
	   processes, ends this process at once */
	signal(SIGTERM, SIG_DFL);
	apsp_group_end();
	return status;
}
