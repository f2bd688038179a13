/*
 * Starts a child, listens to it, sends it lines, stops it and reaps it; see
 * child_process.h.
 *
 * A pidfd wakes us when the child ends. End of file on the child's pipes does
 * not show the child's end, because a process that the child left behind may
 * hold the pipes open for ever. If a sandbox or an old kernel refuses a pidfd,
 * we call waitid() every TICK_MS instead.
 */
#include "compute/worker/child_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "compute/line_reader.h"
#include "daemon/base/auto.h"
#include "daemon/base/program.h"

enum {
	TICK_MS = 100,
	LINGER_MS = 3000, /* time from the child's last line on stdout to
			     SIGTERM */
	/* time from SIGTERM to SIGKILL, if config.term_ms is 0 */
	TERM_MS = 2000,
	KILL_MS = 900,	  /* time from SIGKILL until we give up waiting for the
			     child's end */
	DRAIN_READS = 64, /* largest number of reads of each pipe after the
			     child has ended */
	/* time to wait for the end of a process group that got SIGKILL */
	GROUP_REAP_MS = 500,
	/* time to wait for the end of a process group that got SIGKILL if none
	   of its processes is our child: another process must reap them, and
	   may never do so */
	ORPHANS_MS = 100,
	OWNED_MAX = 16, /* largest number of children at one time */
};

enum stage {
	STAGE_RUNNING,
	STAGE_LINGERING, /* the child has printed the last line of its stdout */
	STAGE_TERM,	 /* SIGTERM was sent */
	STAGE_KILL,	 /* SIGKILL was sent */
};

struct apsp_child_process {
	/* copy of the caller's config; argv and env are not used after the
	   start */
	struct apsp_child_process_config config;
	const struct apsp_child_listener *listener;
	pid_t pid;
	int pidfd; /* -1: the child has no pidfd */
	int control_fd;
	int out_fd;
	int log_fd;
	enum stage stage;
	int64_t deadline_ms; /* the time at which the stage ends; INT64_MAX:
				never */
	/* the meaning of the line that ended the child's task;
	   APSP_CHILD_LINE_MORE: no line has ended the task yet */
	enum apsp_child_line heard;
	bool timed_out;
	struct apsp_line_reader out;
	struct apsp_line_reader log;
};

static void child_free(struct apsp_child_process *child)
{
	if (!child)
		return;
	apsp_close(&child->control_fd);
	apsp_close(&child->out_fd);
	apsp_close(&child->log_fd);
	apsp_close(&child->pidfd);
	free(child);
}

APSP_AUTO_DEFINE(child_auto, struct apsp_child_process, child_free);

static void out_line(void *ctx, const char *line)
{
	struct apsp_child_process *child = ctx;
	enum apsp_child_line heard = child->heard;

	/* After a line that means LAST, the listener gets no more lines. After
	   a line that means DONE, it gets more lines, but child->heard does not
	   change. */
	if (heard != APSP_CHILD_LINE_LAST)
		heard = child->listener->line(child->listener->ctx, line);
	if (child->heard == APSP_CHILD_LINE_MORE)
		child->heard = heard;
}

/* Handle a line of stderr, which may begin with a priority, as in "<4>text". */
static void log_line(void *ctx, const char *line)
{
	const struct apsp_child_process *child = ctx;
	const struct apsp_child_listener *listener = child->listener;
	enum apsp_log_level level = APSP_LOG_INFO;

	if (line[0] == '<' && line[1] >= '0' + APSP_LOG_ERROR &&
		line[1] <= '0' + APSP_LOG_DEBUG && line[2] == '>') {
		level = (enum apsp_log_level)(line[1] - '0');
		line += 3;
	}
	if (!listener->log || listener->log(listener->ctx, level, line))
		apsp_log(level, "%s: %s", child->config.name, line);
}

/* Return the error code for a start that failed with this errno. If descriptors
   or processes are lacking, the code is APSP_EBUSY, because this lack is
   temporary; otherwise it is APSP_ESOLVER. */
static enum apsp_code start_code(int errno_value)
{
	return errno_value == EMFILE || errno_value == ENFILE ||
			       errno_value == EAGAIN
		       ? APSP_EBUSY
		       : APSP_ESOLVER;
}

static int pipe_open(int *out_read, int *out_write, struct apsp_err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return apsp_fail(err, start_code(errno),
			"a pipe to a child cannot be made: %s",
			strerror(errno));
	*out_read = ends[0];
	*out_write = ends[1];
	return 0;
}

static int child_spawn(struct apsp_child_process *child,
	const struct apsp_child_process_config *config, struct apsp_err *err)
{
	APSP_AUTO(apsp_close) int in = -1;
	APSP_AUTO(apsp_close) int out = -1;
	APSP_AUTO(apsp_close) int log = -1;
	int r;

	r = pipe_open(&in, &child->control_fd, err);
	if (r == 0)
		r = pipe_open(&child->out_fd, &out, err);
	if (r == 0)
		r = pipe_open(&child->log_fd, &log, err);
	if (r < 0)
		return r;
	/* make only our ends of the pipes non-blocking; the child's ends have
	   flags of their own, so the child's reads and writes still block */
	fcntl(child->out_fd, F_SETFL, O_NONBLOCK);
	fcntl(child->log_fd, F_SETFL, O_NONBLOCK);
	fcntl(child->control_fd, F_SETFL, O_NONBLOCK);
	r = apsp_program_start(
		&(struct apsp_program){
			.path = config->argv[0],
			.argv = config->argv,
			.env = config->env,
			.fds = (const int[]){in, out, log, config->shared_fd},
			.n_fds = config->shared_fd > 0 ? 4 : 3,
			.leads_group = true,
		},
		&child->pid);
	if (r != 0)
		return apsp_fail(err, start_code(r),
			"the program '%s' cannot be started: %s",
			config->argv[0], strerror(r));
	child->pidfd = pidfd_open(child->pid, 0);
	return 0;
}

/* Whether the child has ended. This function does not reap the child: as long
   as the child is a zombie, Linux gives the id of the child's process group to
   no other process, so kill() reaches only this group. */
static bool child_ended(const struct apsp_child_process *child)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)child->pid, &info,
		    WEXITED | WNOHANG | WNOWAIT) < 0)
		return true; /* other code has reaped the child, so the child
				has ended */
	return info.si_pid == child->pid;
}

static void stage_enter(
	struct apsp_child_process *child, enum stage stage, int64_t limit_ms)
{
	child->stage = stage;
	child->deadline_ms = apsp_clock_ms() + limit_ms;
}

static void child_terminate(struct apsp_child_process *child)
{
	kill(-child->pid, SIGTERM);
	apsp_close(&child->control_fd);
	stage_enter(child, STAGE_TERM,
		child->config.term_ms ? child->config.term_ms : TERM_MS);
}

/*
 * Enter the next stage (enum stage) if the child has printed its last line, if
 * it must stop, or if the time limit of the present stage has passed. False:
 * the last time limit has passed, so the caller should give up.
 */
static bool child_advance(struct apsp_child_process *child)
{
	bool late = apsp_clock_ms() >= child->deadline_ms;

	switch (child->stage) {
	case STAGE_RUNNING:
		if (late || apsp_stop_reason(child->listener->stop)) {
			child->timed_out = late;
			child_terminate(child);
		} else if (child->heard == APSP_CHILD_LINE_LAST) {
			stage_enter(child, STAGE_LINGERING, LINGER_MS);
		}
		return true;
	case STAGE_LINGERING:
		if (late || apsp_stop_reason(child->listener->stop))
			child_terminate(child);
		return true;
	case STAGE_TERM:
		if (late) {
			kill(-child->pid, SIGKILL);
			stage_enter(child, STAGE_KILL, KILL_MS);
		}
		return true;
	case STAGE_KILL:
		return !late;
	}
	return true;
}

static void pipe_read(struct apsp_line_reader *reader, int *fd)
{
	if (apsp_line_reader_read(reader, *fd) == 0) {
		apsp_close(fd);
		*fd = -1;
	}
}

/* Wait until the child prints lines, something is written to wake_fd, the child
   ends, or the stage's deadline passes. Then read the lines. */
static void child_wait(struct apsp_child_process *child)
{
	struct pollfd fds[] = {
		{.fd = child->config.wake_fd, .events = POLLIN},
		{.fd = child->out_fd, .events = POLLIN},
		{.fd = child->log_fd, .events = POLLIN},
		{.fd = child->pidfd, .events = POLLIN},
	};
	int64_t left_ms = child->deadline_ms - apsp_clock_ms();
	int timeout_ms = child->pidfd < 0 ? TICK_MS : INT_MAX;
	eventfd_t count;

	if (left_ms < timeout_ms)
		timeout_ms = left_ms > 0 ? (int)left_ms : 0;
	if (child->config.pulse) {
		apsp_pulse_beat(child->config.pulse);
		timeout_ms = apsp_pulse_nap_ms(child->config.pulse, timeout_ms);
	}
	if (poll(fds, 4, timeout_ms) <= 0)
		return;
	if (fds[0].revents)
		/* this fails if another reader has already emptied the
		   eventfd */
		(void)eventfd_read(child->config.wake_fd, &count);
	if (fds[1].revents)
		pipe_read(&child->out, &child->out_fd);
	if (fds[2].revents)
		pipe_read(&child->log, &child->log_fd);
}

/* Read the lines that the child wrote before it ended. A process that the child
   left behind may write for ever, so the number of reads is limited. */
static void pipe_drain(struct apsp_line_reader *reader, int fd)
{
	for (int i = 0; fd >= 0 && i < DRAIN_READS; i++)
		if (apsp_line_reader_read(reader, fd) <= 0)
			break;
	apsp_line_reader_end(reader);
}

/* Reap the child, and wait for a short time until no process of its group is
   left. Processes of the group that became children of this process are reaped,
   too. All processes of the group got SIGKILL. They end at once, unless a
   driver blocks them. Returns false if other code has reaped the child. */
static bool group_reap(const struct apsp_child_process *child, int *out_status)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	int64_t began = apsp_clock_ms(), limit_ms = GROUP_REAP_MS;
	bool reaped = waitpid(child->pid, out_status, 0) == child->pid;

	while (kill(-child->pid, 0) == 0 &&
		apsp_clock_ms() - began < limit_ms) {
		pid_t found = waitpid(-child->pid, NULL, WNOHANG);

		if (found < 0)
			limit_ms = ORPHANS_MS;
		if (found <= 0)
			nanosleep(&nap, NULL);
	}
	return reaped;
}

/* Fill end->how. `status` is the status from waitpid(2), unless end->lost is
   true. */
static void end_describe(struct apsp_child_process_end *end, int status)
{
	char *out = end->how;
	size_t size = sizeof(end->how);

	if (end->lost)
		snprintf(out, size, "does not end, not even when killed");
	else if (end->timed_out)
		snprintf(out, size, "took too long and was ended");
	else if (WIFSIGNALED(status))
		snprintf(out, size, "was killed by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(
			out, size, "ended with status %d", WEXITSTATUS(status));
}

/* The children that have an owner. The owner of a child is the thread that
   listens to the child and will reap it. */
static struct {
	pthread_mutex_t lock;
	pid_t pids[OWNED_MAX]; /* 0: the element is free */
} owned = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Replace `from` by `to` in owned.pids. The caller holds owned.lock. */
static void owned_replace(pid_t from, pid_t to)
{
	for (int i = 0; i < OWNED_MAX; i++)
		if (owned.pids[i] == from) {
			owned.pids[i] = to;
			return;
		}
}

/* Whether a child has an owner. is_owned(0): whether owned.pids has a free
   element. The caller holds owned.lock. */
static bool is_owned(pid_t pid)
{
	for (int i = 0; i < OWNED_MAX; i++)
		if (owned.pids[i] == pid)
			return true;
	return false;
}

/* Reap dead children of this process that have no owner. Stop at the first dead
   child that has an owner, because waitid() would report this child again. The
   caller holds owned.lock. */
static void strays_reap(void)
{
	siginfo_t info = {0};

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid != 0 && !is_owned(info.si_pid))
		if (waitpid(info.si_pid, NULL, WNOHANG) <= 0)
			return;
}

int apsp_child_process_start(const struct apsp_child_process_config *config,
	struct apsp_child_process **out, struct apsp_err *err)
{
	APSP_AUTO(child_auto) struct apsp_child_process *child = NULL;
	int r;

	child = calloc(1, sizeof(*child));
	if (!child)
		return apsp_fail(err, APSP_ESOLVER, "no memory for the solver");
	child->config = *config;
	child->control_fd = -1;
	child->out_fd = -1;
	child->log_fd = -1;
	child->pidfd = -1;
	child->deadline_ms = INT64_MAX;
	child->out = (struct apsp_line_reader){.line = out_line, .ctx = child};
	child->log = (struct apsp_line_reader){
		.line = log_line, .cut_long = true, .ctx = child};
	pthread_mutex_lock(&owned.lock);
	strays_reap();
	r = is_owned(0) ? child_spawn(child, config, err)
			: apsp_fail(err, APSP_EBUSY,
				  "%d child processes run already", OWNED_MAX);
	if (r == 0)
		owned_replace(0, child->pid);
	pthread_mutex_unlock(&owned.lock);
	if (r == 0)
		*out = APSP_TAKE(child);
	return r;
}

void apsp_child_process_limit(struct apsp_child_process *child, int64_t ms)
{
	if (child->stage == STAGE_RUNNING)
		child->deadline_ms = ms > 0 ? apsp_clock_ms() + ms : INT64_MAX;
}

/*
 * Wait until the child has ended, or until the last time limit has passed. Then
 * read the child's last lines, reap it and free it, and return true. False: the
 * child has done its task and stays.
 */
static bool child_run(struct apsp_child_process *child,
	const struct apsp_child_listener *listener, enum apsp_child_line heard,
	struct apsp_child_process_end *out)
{
	bool kept = true;
	int status = 0;

	child->listener = listener;
	child->heard = heard;
	while (!child_ended(child) && kept) {
		if (child->heard == APSP_CHILD_LINE_DONE &&
			child->stage == STAGE_RUNNING)
			return false;
		kept = child_advance(child);
		child_wait(child);
	}
	kill(-child->pid, SIGKILL);
	pipe_drain(&child->out, child->out_fd);
	pipe_drain(&child->log, child->log_fd);
	*out = (struct apsp_child_process_end){
		.lost = !kept || !group_reap(child, &status),
		.timed_out = child->timed_out};
	end_describe(out, status);
	/* the child was reaped or given up, so this thread is no longer its
	   owner */
	pthread_mutex_lock(&owned.lock);
	owned_replace(child->pid, 0);
	pthread_mutex_unlock(&owned.lock);
	child_free(child);
	return true;
}

bool apsp_child_process_listen(struct apsp_child_process *child,
	const struct apsp_child_listener *listener,
	struct apsp_child_process_end *out)
{
	return child_run(child, listener, APSP_CHILD_LINE_MORE, out);
}

bool apsp_child_process_send(struct apsp_child_process *child, const char *text)
{
	size_t size = strlen(text);

	return write(child->control_fd, text, size) == (ssize_t)size;
}

int apsp_child_process_fd(const struct apsp_child_process *child)
{
	return child->out_fd;
}

bool apsp_child_process_read(struct apsp_child_process *child,
	const struct apsp_child_listener *listener)
{
	child->listener = listener;
	child->heard = APSP_CHILD_LINE_DONE;
	if (child->log_fd >= 0)
		pipe_read(&child->log, &child->log_fd);
	if (child->out_fd >= 0)
		pipe_read(&child->out, &child->out_fd);
	return child->out_fd >= 0 && !child_ended(child);
}

void apsp_child_process_end(struct apsp_child_process *child,
	const struct apsp_child_listener *listener)
{
	struct apsp_child_process_end ignored;

	if (!child)
		return;
	child_terminate(child);
	child_run(child, listener, APSP_CHILD_LINE_DONE, &ignored);
}
