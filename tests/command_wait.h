/*
 * Waits for the end of a command of the store.
 *
 *	wait = command_wait_new();
 *	apsp_graphs_delete(store, …, command_wait_done(wait));
 *	return command_wait_for(wait, err);
 */
#ifndef APSP_TESTS_COMMAND_WAIT_H
#define APSP_TESTS_COMMAND_WAIT_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "storage/database/writer.h"

struct command_wait {
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t ended;
	bool done;
	int result;
	struct apsp_err err;
};

static inline struct command_wait *command_wait_new(void)
{
	struct command_wait *wait = calloc(1, sizeof(*wait));

	assert(wait);
	pthread_mutex_init(&wait->lock, NULL);
	pthread_cond_init(&wait->ended, NULL);
	return wait;
}

static inline void command_wait_end(
	void *ctx, int result, const struct apsp_err *err)
{
	struct command_wait *wait = ctx;

	pthread_mutex_lock(&wait->lock);
	wait->result = result;
	if (err)
		wait->err = *err;
	wait->done = true;
	pthread_cond_signal(&wait->ended);
	pthread_mutex_unlock(&wait->lock);
}

/* The completion that ends the wait. It is for one command. */
static inline struct apsp_done command_wait_done(struct command_wait *wait)
{
	return (struct apsp_done){.fn = command_wait_end, .ctx = wait};
}

/* Block until the command has ended, free wait, return the command's result. */
static inline int command_wait_for(
	struct command_wait *wait, struct apsp_err *err)
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

#endif
