/*
 * Waiting for a command; see wait.h.
 */
#include "storage/database/wait.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct apsp_wait {
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t ended;
	bool done;
	int result;
	struct apsp_err err;
};

struct apsp_wait *apsp_wait_new(struct apsp_err *err)
{
	struct apsp_wait *wait = calloc(1, sizeof(*wait));

	if (!wait) {
		apsp_fail(err, APSP_ENOMEM, "no memory to wait");
		return NULL;
	}
	pthread_mutex_init(&wait->lock, NULL);
	pthread_cond_init(&wait->ended, NULL);
	return wait;
}

static void wait_end(void *ctx, int result, const struct apsp_err *err)
{
	struct apsp_wait *wait = ctx;

	pthread_mutex_lock(&wait->lock);
	wait->result = result;
	if (err)
		wait->err = *err;
	wait->done = true;
	pthread_cond_signal(&wait->ended);
	pthread_mutex_unlock(&wait->lock);
}

struct apsp_done apsp_wait_done(struct apsp_wait *wait)
{
	return (struct apsp_done){.fn = wait_end, .ctx = wait};
}

int apsp_wait_for(struct apsp_wait *wait, struct apsp_err *err)
{
	int result;

	pthread_mutex_lock(&wait->lock);
	while (!wait->done)
		pthread_cond_wait(&wait->ended, &wait->lock);
	result = wait->result;
	if (result < 0 && err)
		*err = wait->err;
	pthread_mutex_unlock(&wait->lock);
	pthread_cond_destroy(&wait->ended);
	pthread_mutex_destroy(&wait->lock);
	free(wait);
	return result;
}
