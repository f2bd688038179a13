/*
 * Starts, watches and ends the process of a trial; see trial_process.h.
 */
#include "compute/solve/trial_process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compute/group/group.h"
#include "compute/solve/stop_watch.h"
#include "compute/solver_event.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/program.h"

enum {
	PATIENCE_MS = 60000, /* time limit of a trial, in elapsed time */
	/* time between two checks whether the process has ended or a stop was
	   requested */
	TICK_MS = 10,
	/* the longest time until the next event, in seconds; announced to the
	   worker before a trial */
	WITHIN_S = 4 * PATIENCE_MS / 1000,
};

extern char **environ;

/* Start the process of the trial. Returns its process id, or a negative error
   code. APSP_EBUSY: Linux cannot start a process. */
static pid_t trial_start(const struct apsp_solver_options *options,
	const char *what, const char *forms, struct apsp_err *err)
{
	char memory[32], turn[16];
	const char *argv[] = {"apsp-solve", "--trial", what, "--forms", forms,
		"--device", options->device, "--cache-dir", options->cache_dir,
		"--device-memory", memory, "--turn", turn, NULL};
	APSP_AUTO(apsp_close) int nothing = -1;
	pid_t pid;
	int r;

	snprintf(memory, sizeof(memory), "%" PRIu64, options->device_memory);
	/* because of this number, the trial opens the same device as this
	   process of the group */
	snprintf(turn, sizeof(turn), "%" PRIu32, apsp_group_host().rank);
	/* the trial's process need not watch stdin, because Linux kills it when
	   this process dies (program.h) */
	nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	r = nothing < 0 ? errno
			: apsp_program_start(
				  &(struct apsp_program){
					  .path = "/proc/self/exe",
					  .argv = argv,
					  .env = environ,
					  .fds = (const int[]){nothing,
						  STDOUT_FILENO, STDERR_FILENO},
					  .n_fds = 3,
				  },
				  &pid);
	return r == 0 ? pid
		      : apsp_fail(err, APSP_EBUSY, "try a kernel: %s",
				strerror(r));
}

/* Whether this process measures rates. If so, it and its trials run only while
   a processor is idle, so a trial may wait for a long time. */
static bool is_idle_process(void)
{
	return sched_getscheduler(0) == SCHED_IDLE;
}

/*
 * Wait until the trial's process `pid` ends. *end gets its exit status. False:
 * a stop was requested, or the trial has not ended within PATIENCE_MS. If the
 * calling process measures rates, there is no time limit.
 */
static bool trial_ends(pid_t pid, siginfo_t *end)
{
	int64_t until_ms = apsp_clock_ms() + PATIENCE_MS;

	while (is_idle_process() || apsp_clock_ms() < until_ms) {
		poll(NULL, 0, TICK_MS);
		if (waitid(P_PID, (id_t)pid, end, WEXITED | WNOHANG) == 0 &&
			end->si_pid == pid)
			return true;
		if (apsp_stop_reason(apsp_stop_watch_token()))
			return false;
	}
	return false;
}

static int end_judge(const siginfo_t *end, struct apsp_err *err)
{
	if (end->si_code == CLD_EXITED && end->si_status == EXIT_SUCCESS)
		return 0;
	if (end->si_code == CLD_EXITED)
		return end->si_status == APSP_TRIAL_UNOPENED
			       ? apsp_fail(err, APSP_ELIMIT,
					 "cannot open the device a second time")
			       : apsp_fail(err, APSP_EDEVICE,
					 "fails in a process of its own");
	switch (end->si_status) {
	/* Linux sends SIGKILL when memory is short; other programs send
	   SIGTERM, SIGINT and SIGHUP. None of these signals shows that the form
	   is bad */
	case SIGKILL:
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
		return apsp_fail(err, APSP_EBUSY, "was ended");
	case SIGXCPU:
		return apsp_fail(err, APSP_EDEVICE, "does not end");
	default:
		return apsp_fail(err, APSP_EDEVICE, "crashes (%s)",
			strsignal(end->si_status));
	}
}

static int trial_run(
	void *ctx, const char *what, const char *forms, struct apsp_err *err)
{
	const struct apsp_solver_options *options = ctx;
	siginfo_t end = {0};
	bool ended;
	pid_t pid;
	int r;

	if (!is_idle_process())
		apsp_solver_event_field(options->events,
			APSP_SOLVER_EVENT_TRIAL, "seconds", "%d", WITHIN_S);
	pid = trial_start(options, what, forms, err);
	if (pid < 0)
		return pid;
	ended = trial_ends(pid, &end);
	if (!ended) {
		kill(pid, SIGKILL);
		while (waitid(P_PID, (id_t)pid, &end, WEXITED) < 0 &&
			errno == EINTR)
			continue;
	}
	/* check for a stop before the exit status is judged, because a SIGTERM
	   to the whole process group requests a stop and also ends the trial */
	r = apsp_stop_check(apsp_stop_watch_token(), err);
	if (r < 0)
		return r;
	/*
	 * A trial that does not end in time does not show that the form is bad,
	 * because other programs may have slowed the trial. If the form itself
	 * computes for too long, Linux ends the trial at the limit of processor
	 * time.
	 */
	if (!ended)
		return apsp_fail(err, APSP_EBUSY, "does not end in time");
	return end_judge(&end, err);
}

struct apsp_trial_ops apsp_trial_process(
	const struct apsp_solver_options *options)
{
	return (struct apsp_trial_ops){trial_run, (void *)(uintptr_t)options};
}
