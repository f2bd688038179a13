/*
 * Watches SIGTERM and stdin; see stop_watch.h.
 */
#include "compute/solve/stop_watch.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compute/group/group.h"
#include "compute/line_reader.h"
#include "daemon/base/clock.h"

/* These variables are static, because a signal handler has no argument that
   could point to them. */
static struct apsp_stop token;
static sem_t said; /* posted when a line arrives and when a stop is requested */
static pthread_mutex_t lock =
	PTHREAD_MUTEX_INITIALIZER; /* protects last_line and line_waits */
static char last_line[APSP_SOLVER_EVENT_LINE];
static bool line_waits;

struct apsp_stop *apsp_stop_watch_token(void)
{
	return &token;
}

static void stop_on_signal(int signal)
{
	int kept = errno;

	(void)signal;
	apsp_stop_ask(&token, APSP_STOP_END);
	sem_post(&said);
	errno = kept;
}

static void line_note(void *ctx, const char *line)
{
	(void)ctx;
	pthread_mutex_lock(&lock);
	strcpy(last_line, line);
	line_waits = true;
	pthread_mutex_unlock(&lock);
	sem_post(&said);
}

static void *stdin_watch(void *arg)
{
	struct apsp_line_reader reader = {.line = line_note};

	(void)arg;
	while (apsp_line_reader_read(&reader, STDIN_FILENO) != 0)
		continue;
	apsp_stop_ask(&token, APSP_STOP_END);
	sem_post(&said);
	return NULL;
}

int apsp_stop_watch_start(struct apsp_err *err)
{
	struct sigaction action = {.sa_handler = stop_on_signal};
	pthread_t thread;
	int r;

	sem_init(&said, 0, 0);
	sigaction(SIGTERM, &action, NULL);
	/* the daemon writes only to the process of rank 0, so the other
	   processes do not watch stdin */
	if (apsp_group_rank() > 0)
		return 0;
	r = pthread_create(&thread, NULL, stdin_watch, NULL);
	if (r != 0)
		return apsp_fail_errno(err, r, "watch stdin");
	pthread_detach(thread);
	return 0;
}

static bool line_take(char out[APSP_SOLVER_EVENT_LINE])
{
	bool taken;

	pthread_mutex_lock(&lock);
	taken = line_waits;
	if (taken)
		strcpy(out, last_line);
	line_waits = false;
	pthread_mutex_unlock(&lock);
	return taken;
}

bool apsp_stop_watch_line(int64_t timeout_ms, char out[APSP_SOLVER_EVENT_LINE])
{
	int64_t until_ms = apsp_clock_ms() + timeout_ms;
	const struct timespec until = {.tv_sec = until_ms / 1000,
		.tv_nsec = until_ms % 1000 * 1000000};

	while (!apsp_stop_reason(&token)) {
		if (line_take(out))
			return true;
		if (sem_clockwait(&said, CLOCK_MONOTONIC, &until) < 0 &&
			errno == ETIMEDOUT)
			return false;
	}
	return false;
}
