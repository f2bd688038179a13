/*
 * Counts the readers of uploads; see held_uploads.h.
 */
#include "storage/snapshots/held_uploads.h"

#include <stdlib.h>

#include "daemon/base/array.h"
#include "daemon/base/clock.h"

void apsp_held_uploads_init(struct apsp_held_uploads *held)
{
	pthread_mutex_init(&held->mutex, NULL);
}

void apsp_held_uploads_done(struct apsp_held_uploads *held)
{
	pthread_mutex_destroy(&held->mutex);
	free(held->all);
}

/* Find the entry of a generation; NULL: the generation has no reader. The
   caller has locked the mutex. */
static struct apsp_held_upload *find(
	struct apsp_held_uploads *held, uint64_t id)
{
	for (size_t i = 0; i < held->n; i++)
		if (held->all[i].id == id)
			return &held->all[i];
	return NULL;
}

int apsp_held_uploads_add(
	struct apsp_held_uploads *held, uint64_t id, struct apsp_err *err)
{
	struct apsp_held_upload *one;
	int r = 0;

	pthread_mutex_lock(&held->mutex);
	one = find(held, id);
	if (!one)
		r = apsp_array_reserve(&held->all, held->n + 1, &held->room,
			&(struct apsp_array_growth){
				sizeof(*one), 8, "a reader", NULL},
			err);
	if (r == 0 && !one) {
		one = &held->all[held->n++];
		*one = (struct apsp_held_upload){.id = id};
	}
	if (r == 0) {
		one->n_readers++;
		one->until_ms = apsp_clock_ms() + APSP_HELD_UPLOADS_MS;
	}
	pthread_mutex_unlock(&held->mutex);
	return r;
}

void apsp_held_uploads_remove(struct apsp_held_uploads *held, uint64_t id)
{
	struct apsp_held_upload *one;

	pthread_mutex_lock(&held->mutex);
	one = find(held, id);
	if (one && --one->n_readers == 0)
		*one = held->all[--held->n];
	pthread_mutex_unlock(&held->mutex);
}

bool apsp_held_uploads_has(struct apsp_held_uploads *held, uint64_t id)
{
	int64_t now = apsp_clock_ms();
	bool found = false;

	pthread_mutex_lock(&held->mutex);
	for (size_t i = 0; i < held->n; i++)
		found |= (id == 0 || held->all[i].id == id) &&
			 now < held->all[i].until_ms;
	pthread_mutex_unlock(&held->mutex);
	return found;
}
