/*
 * The writer thread; see writer.h. It alternates between a short command and a
 * step of a long command, so that neither kind of command starves.
 */
#include "storage/database/writer.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/base/clock.h"
#include "daemon/base/pulse.h"

enum {
	IDLE_MS = 100, /* milliseconds without commands before background work
			  begins */
	/* A step that takes more than this number of milliseconds counts as
	   stalled. The limit is high, because a slow or busy disk may delay the
	   step's commit. */
	STEP_MS = 600000,
};

struct lane {
	struct apsp_command *first;
	struct apsp_command **end;
};

struct apsp_writer {
	struct apsp_writer_config config;
	pthread_t thread;
	struct apsp_pulse pulse;
	pthread_mutex_t lock; /* guards the members below */
	pthread_cond_t wake;
	struct lane brief;
	struct lane lengthy;
	bool stop;
};

static void lane_push(struct lane *lane, struct apsp_command *command)
{
	command->next = NULL;
	*lane->end = command;
	lane->end = &command->next;
}

static struct apsp_command *lane_remove(
	struct lane *lane, struct apsp_command **place)
{
	struct apsp_command *command = *place;

	*place = command->next;
	if (lane->end == &command->next)
		lane->end = place;
	command->next = NULL;
	return command;
}

void apsp_command_end(
	struct apsp_command *command, int result, const struct apsp_err *err)
{
	struct apsp_done done = command->done;

	/* call free() before done.fn(), because the command may lie on the
	   stack of a waiting thread, and done.fn() wakes that thread */
	if (command->free)
		command->free(command);
	if (done.fn)
		done.fn(done.ctx, result, err);
}

/* Run one step of a command. Returns whether the command needs more steps. */
static bool command_step(struct apsp_command *command)
{
	struct apsp_err err = {0};
	int r = command->run(command, &err);

	if (r > 0)
		return true;
	apsp_command_end(command, r, r < 0 ? &err : NULL);
	return false;
}

/*
 * Wait until a command is posted, the writer is asked to stop, or the monotonic
 * clock reaches due_ms. If due_ms is -1, background work is never due. Returns
 * whether background work is due.
 */
static bool writer_wait(struct apsp_writer *writer, int64_t due_ms)
{
	while (!writer->brief.first && !writer->lengthy.first &&
		!writer->stop) {
		int64_t now = apsp_clock_ms(), until_ms;
		struct timespec until;
		int nap_ms = -1;

		apsp_pulse_beat(&writer->pulse);
		if (due_ms >= 0 && now >= due_ms)
			return true;
		if (due_ms >= 0)
			nap_ms = due_ms - now < INT_MAX ? (int)(due_ms - now)
							: INT_MAX;
		nap_ms = apsp_pulse_nap_ms(&writer->pulse, nap_ms);
		until_ms = now + nap_ms;
		until = (struct timespec){.tv_sec = until_ms / 1000,
			.tv_nsec = until_ms % 1000 * 1000000};
		if (nap_ms < 0)
			pthread_cond_wait(&writer->wake, &writer->lock);
		else
			pthread_cond_timedwait(
				&writer->wake, &writer->lock, &until);
	}
	return due_ms >= 0 && apsp_clock_ms() >= due_ms;
}

/*
 * Move the command to the end of the lane (a queue). Then move the other
 * commands with the same key behind this command, and keep their order.
 */
static void lengthy_rotate(struct lane *lane, struct apsp_command *command)
{
	struct apsp_command **place = &lane->first;

	lane_push(lane, command);
	while (*place != command) {
		if (strcmp((*place)->key, command->key) == 0)
			lane_push(lane, lane_remove(lane, place));
		else
			place = &(*place)->next;
	}
}

static struct apsp_command *lane_pop(
	struct apsp_writer *writer, struct lane *lane)
{
	struct apsp_command *command;

	pthread_mutex_lock(&writer->lock);
	command = lane->first ? lane_remove(lane, &lane->first) : NULL;
	pthread_mutex_unlock(&writer->lock);
	return command;
}

static void *writer_main(void *arg)
{
	struct apsp_writer *writer = arg;
	int64_t due_ms = apsp_clock_ms();

	for (;;) {
		struct apsp_command *brief, *lengthy;
		bool background, stop;

		pthread_mutex_lock(&writer->lock);
		background = writer_wait(writer, due_ms);
		stop = writer->stop;
		pthread_mutex_unlock(&writer->lock);
		apsp_pulse_allow(&writer->pulse, STEP_MS);

		brief = lane_pop(writer, &writer->brief);
		if (brief)
			command_step(brief);
		lengthy = lane_pop(writer, &writer->lengthy);
		if (lengthy && command_step(lengthy)) {
			pthread_mutex_lock(&writer->lock);
			lengthy_rotate(&writer->lengthy, lengthy);
			pthread_mutex_unlock(&writer->lock);
		}
		if (stop && !brief && !lengthy)
			return NULL;
		if (background) {
			int ms = writer->config.background(
				writer->config.ctx, lengthy);

			due_ms = ms < 0 ? -1 : apsp_clock_ms() + ms;
		} else if (brief || lengthy) {
			int64_t idle_ms = apsp_clock_ms() + IDLE_MS;

			if (due_ms < 0 || due_ms > idle_ms)
				due_ms = idle_ms;
		}
	}
}

int apsp_writer_start(const struct apsp_writer_config *config,
	struct apsp_writer **out, struct apsp_err *err)
{
	struct apsp_writer *writer = calloc(1, sizeof(*writer));
	pthread_condattr_t attr;
	int r;

	if (!writer)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the writer");
	writer->config = *config;
	writer->brief.end = &writer->brief.first;
	writer->lengthy.end = &writer->lengthy.first;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&writer->wake, &attr);
	pthread_condattr_destroy(&attr);
	apsp_pulse_init(&writer->pulse, "writer", config->beat_ms);
	/* *out is set before the thread starts, because background work may
	   post commands to the writer */
	*out = writer;
	r = pthread_create(&writer->thread, NULL, writer_main, writer);
	if (r != 0) {
		*out = NULL;
		pthread_cond_destroy(&writer->wake);
		pthread_mutex_destroy(&writer->lock);
		free(writer);
		return apsp_fail_errno(err, r, "start the writer thread");
	}
	pthread_setname_np(writer->thread, "writer");
	return 0;
}

int apsp_writer_alive(const struct apsp_writer *writer, int64_t limit_ms,
	struct apsp_err *err)
{
	return apsp_pulse_check(&writer->pulse, limit_ms, err);
}

void apsp_writer_stop(struct apsp_writer *writer)
{
	if (!writer)
		return;
	pthread_mutex_lock(&writer->lock);
	writer->stop = true;
	pthread_cond_signal(&writer->wake);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	pthread_cond_destroy(&writer->wake);
	pthread_mutex_destroy(&writer->lock);
	free(writer);
}

static void command_free(struct apsp_command *command)
{
	free(command);
}

void *apsp_command_new(size_t size,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_done done)
{
	struct apsp_command *command = calloc(1, size);
	struct apsp_err err;

	if (command) {
		command->run = run;
		command->free = command_free;
		command->done = done;
	} else if (done.fn) {
		apsp_fail(&err, APSP_ENOMEM, "no memory for a command");
		done.fn(done.ctx, APSP_ENOMEM, &err);
	}
	return command;
}

void apsp_writer_post(struct apsp_writer *writer, struct apsp_command *command)
{
	struct apsp_err err;
	bool stop;

	pthread_mutex_lock(&writer->lock);
	stop = writer->stop;
	if (!stop) {
		lane_push(command->key ? &writer->lengthy : &writer->brief,
			command);
		pthread_cond_signal(&writer->wake);
	}
	pthread_mutex_unlock(&writer->lock);
	if (stop) {
		apsp_fail(&err, APSP_ESTOPPING, "the daemon is stopping");
		apsp_command_end(command, APSP_ESTOPPING, &err);
	}
}

/* A thread that waits for the end of a command gets the result through this
   struct. */
struct wait {
	pthread_mutex_t lock; /* guards the members below */
	pthread_cond_t ended;
	bool done;
	int result;
	struct apsp_err *err; /* set on failure; may be NULL */
};

static void wait_end(void *ctx, int result, const struct apsp_err *err)
{
	struct wait *wait = ctx;

	pthread_mutex_lock(&wait->lock);
	wait->result = result;
	if (err && wait->err)
		*wait->err = *err;
	wait->done = true;
	pthread_cond_signal(&wait->ended);
	pthread_mutex_unlock(&wait->lock);
}

int apsp_writer_run(struct apsp_writer *writer, struct apsp_command *command,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_err *err)
{
	struct wait wait = {.err = err};

	pthread_mutex_init(&wait.lock, NULL);
	pthread_cond_init(&wait.ended, NULL);
	command->run = run;
	command->free = NULL;
	command->done = (struct apsp_done){wait_end, &wait};
	apsp_writer_post(writer, command);
	pthread_mutex_lock(&wait.lock);
	while (!wait.done)
		pthread_cond_wait(&wait.ended, &wait.lock);
	pthread_mutex_unlock(&wait.lock);
	pthread_cond_destroy(&wait.ended);
	pthread_mutex_destroy(&wait.lock);
	return wait.result;
}
