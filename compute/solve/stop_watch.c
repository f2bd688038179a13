/*
 * SIGTERM and stdin; see stop_watch.h.
 */
#include "compute/solve/stop_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

/* Of the process, because signal handlers have no argument of ours. */
static atomic_bool stop_asked;

atomic_bool *apsp_stop_watch_flag(void)
{
	return &stop_asked;
}

static void stop_on_signal(int signal)
{
	(void)signal;
	atomic_store(&stop_asked, true);
}

static void *stdin_watch(void *arg)
{
	char ignored[64];

	(void)arg;
	while (read(STDIN_FILENO, ignored, sizeof(ignored)) > 0)
		;
	atomic_store(&stop_asked, true);
	return NULL;
}

int apsp_stop_watch_start(struct apsp_err *err)
{
	struct sigaction action = {.sa_handler = stop_on_signal};
	pthread_t thread;
	int r;

	sigaction(SIGTERM, &action, NULL);
	r = pthread_create(&thread, NULL, stdin_watch, NULL);
	if (r != 0)
		return apsp_fail_errno(err, r, "watch stdin");
	pthread_detach(thread);
	return 0;
}
