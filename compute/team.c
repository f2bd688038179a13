/*
 * A loop gives out tickets, one for each thread that may help. Who wakes and
 * finds a ticket takes part and wakes the next ones, so that the caller's own
 * thread, which begins at once, does not wake all. When it finds no more to do,
 * it takes the tickets that are left back, so that it waits for nobody who has
 * not begun.
 */
#include "compute/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "compute/parallel.h"

enum {
	WOKEN = 2, /* by each who begins */
};

struct hand {
	struct apsp_team *team;
	unsigned int thread;
	pthread_t id;
};

struct apsp_team {
	pthread_mutex_t mutex;
	pthread_cond_t work; /* there are tickets, or the end has come */
	pthread_cond_t rest; /* nobody works */
	unsigned int width;
	unsigned int started; /* hands that run, from 1 on */
	unsigned int tickets;
	unsigned int working;
	bool end;
	/* the loop; written by the caller while nobody works */
	size_t n;
	atomic_size_t next;
	void (*body)(void *ctx, unsigned int thread, size_t i);
	void *ctx;
	struct hand hands[APSP_PARALLEL_MAX];
};

struct apsp_team *apsp_team_new(void)
{
	struct apsp_team *team = calloc(1, sizeof(*team));

	if (!team)
		return NULL;
	team->width = apsp_parallel_width();
	team->started = 1; /* the caller */
	pthread_mutex_init(&team->mutex, NULL);
	pthread_cond_init(&team->work, NULL);
	pthread_cond_init(&team->rest, NULL);
	return team;
}

void apsp_team_free(struct apsp_team *team)
{
	if (!team)
		return;
	pthread_mutex_lock(&team->mutex);
	team->end = true;
	pthread_cond_broadcast(&team->work);
	pthread_mutex_unlock(&team->mutex);
	for (unsigned int t = 1; t < team->started; t++)
		pthread_join(team->hands[t].id, NULL);
	pthread_cond_destroy(&team->rest);
	pthread_cond_destroy(&team->work);
	pthread_mutex_destroy(&team->mutex);
	free(team);
}

unsigned int apsp_team_width(const struct apsp_team *team)
{
	return team ? team->width : 1;
}

static void share_do(struct apsp_team *team, unsigned int thread)
{
	size_t i;

	while ((i = atomic_fetch_add(&team->next, 1)) < team->n)
		team->body(team->ctx, thread, i);
}

/* Wake a few of those who have a ticket; the mutex is held. */
static void some_wake(struct apsp_team *team)
{
	for (unsigned int t = 0; t < WOKEN && t < team->tickets; t++)
		pthread_cond_signal(&team->work);
}

static void *hand_run(void *arg)
{
	struct hand *hand = arg;
	struct apsp_team *team = hand->team;

	pthread_mutex_lock(&team->mutex);
	for (;;) {
		while (team->tickets == 0 && !team->end)
			pthread_cond_wait(&team->work, &team->mutex);
		if (team->end)
			break;
		team->tickets--;
		team->working++;
		some_wake(team);
		pthread_mutex_unlock(&team->mutex);
		share_do(team, hand->thread);
		pthread_mutex_lock(&team->mutex);
		if (--team->working == 0)
			pthread_cond_signal(&team->rest);
	}
	pthread_mutex_unlock(&team->mutex);
	return NULL;
}

/* Start what is missing of `wanted` threads. */
static void hands_start(struct apsp_team *team, unsigned int wanted)
{
	while (team->started < wanted) {
		struct hand *hand = &team->hands[team->started];

		*hand = (struct hand){.team = team, .thread = team->started};
		if (pthread_create(&hand->id, NULL, hand_run, hand) != 0)
			return;
		team->started++;
	}
}

void apsp_team_for(struct apsp_team *team, size_t n,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	unsigned int wanted;

	if (!team) {
		apsp_parallel_for(n, 1, body, ctx);
		return;
	}
	wanted = n < team->width ? (unsigned int)n : team->width;
	hands_start(team, wanted);
	pthread_mutex_lock(&team->mutex);
	team->n = n;
	atomic_store(&team->next, 0);
	team->body = body;
	team->ctx = ctx;
	team->tickets = wanted > 1 ? wanted - 1 : 0;
	some_wake(team);
	pthread_mutex_unlock(&team->mutex);
	share_do(team, 0);
	pthread_mutex_lock(&team->mutex);
	team->tickets = 0;
	while (team->working > 0)
		pthread_cond_wait(&team->rest, &team->mutex);
	pthread_mutex_unlock(&team->mutex);
}
