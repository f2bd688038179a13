/*
 * Budgets and their shares; see budget.h. A budget has a list of holdings, one
 * for each share. A share only points to its holding, so the owner of a share
 * may move the share in memory.
 */
#include "daemon/base/budget.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "daemon/base/size.h"

enum {
	/* on a small disk, uploads must leave a sixteenth of the disk free */
	SPARE_PART = 16,
};

/* The memory and the disk space that one share holds. */
struct apsp_holding {
	/* the share was taken away from its holder, so the budget no longer
	   counts the share's memory and disk space */
	bool yielded;
	struct apsp_holder *holder; /* NULL: the share cannot be taken away */
	uint64_t memory_bytes;
	/* expected size in bytes of the spool (the temporary file of an
	   upload's arcs), computed from the size of the request's body */
	uint64_t expected_bytes;
	/* bytes that the share has reserved on the disk and not written yet */
	uint64_t disk_bytes;
	struct apsp_holding *next;
};

struct apsp_budget {
	pthread_mutex_t lock;
	struct apsp_budget_limits limits;
	struct apsp_budget_use use;
	char *dir;
	struct apsp_holding *first;
};

int apsp_budget_new(const char *dir, const struct apsp_budget_limits *limits,
	struct apsp_budget **out, struct apsp_err *err)
{
	struct apsp_budget *budget = calloc(1, sizeof(*budget));

	if (budget && dir)
		budget->dir = strdup(dir);
	if (!budget || (dir && !budget->dir)) {
		free(budget);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a budget");
	}
	pthread_mutex_init(&budget->lock, NULL);
	budget->limits = *limits;
	*out = budget;
	return 0;
}

void apsp_budget_free(struct apsp_budget *budget)
{
	if (!budget)
		return;
	pthread_mutex_destroy(&budget->lock);
	free(budget->dir);
	free(budget);
}

const struct apsp_budget_limits *apsp_budget_limits(
	const struct apsp_budget *budget)
{
	return &budget->limits;
}

struct apsp_budget_use apsp_budget_used(struct apsp_budget *budget)
{
	struct apsp_budget_use use;

	pthread_mutex_lock(&budget->lock);
	use = budget->use;
	pthread_mutex_unlock(&budget->lock);
	return use;
}

uint64_t apsp_budget_spare(const struct statvfs *fs, uint64_t most)
{
	uint64_t spare = (uint64_t)fs->f_blocks * fs->f_frsize / SPARE_PART;

	return spare < most ? spare : most;
}

/* With the lock held: change the space that a share reserves on the disk to
   `bytes` bytes. */
static int disk_reserve(struct apsp_budget *budget,
	struct apsp_holding *holding, uint64_t bytes, struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	uint64_t due, wanted, free_bytes, spare;
	struct statvfs fs;

	if (!budget->dir ||
		(bytes == 0 && budget->limits.spare_disk_bytes == 0))
		return 0;
	if (statvfs(budget->dir, &fs) < 0)
		return apsp_fail_errno(err, errno,
			"measure the free space of '%s'", budget->dir);
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	spare = apsp_budget_spare(&fs, budget->limits.spare_disk_bytes);
	due = budget->use.disk_bytes - holding->disk_bytes;
	if (__builtin_add_overflow(due, bytes, &due) ||
		__builtin_add_overflow(due, spare, &wanted))
		wanted = UINT64_MAX;
	if (wanted > free_bytes) {
		apsp_sizes_format(wanted, free_bytes, need, have);
		return apsp_fail(err, APSP_ESTATEFULL,
			"the uploads under way need %s on the state "
			"directory's disk ('%s') and %s are free; make room "
			"there, or choose another --state-dir",
			need, budget->dir, have);
	}
	budget->use.disk_bytes = due;
	holding->disk_bytes = bytes;
	return 0;
}

/* Return how many bytes are still to be written to the disk: the rest of the
   spool file, and the copy of the whole spool file in the database. */
static uint64_t disk_due(uint64_t expected, uint64_t spooled)
{
	uint64_t copy = expected > spooled ? expected : spooled, due;

	return __builtin_add_overflow(copy, copy - spooled, &due) ? UINT64_MAX
								  : due;
}

/* With the lock held: subtract a share, with its memory and disk space, from
   the budget's use. */
static void count_off(
	struct apsp_budget *budget, const struct apsp_holding *holding)
{
	budget->use.n_shares--;
	budget->use.memory_bytes -= holding->memory_bytes;
	budget->use.disk_bytes -= holding->disk_bytes;
}

/* Return the number of bytes per second that the holder of a share reads or
   sends. Return INT64_MAX if the share is `self`, was taken away already, or
   cannot be taken away. */
static int64_t pace_of(
	const struct apsp_holding *holding, const struct apsp_holding *self)
{
	if (holding->yielded || holding == self || !holding->holder)
		return INT64_MAX;
	return holding->holder->pace(holding->holder);
}

/*
 * With the lock held: take away the share of the slowest holder, but never the
 * share `self`. Only holders that are slower than yield_rate can lose their
 * share. If with_memory is set, shares without memory are skipped. Within
 * milliseconds, the holder's connection is closed, and then the holder's memory
 * is freed. False: no share can be taken away.
 */
static bool take_slowest(struct apsp_budget *budget,
	const struct apsp_holding *self, bool with_memory)
{
	struct apsp_holding *slowest = NULL;
	int64_t lowest = INT64_MAX;

	for (struct apsp_holding *h = budget->first; h; h = h->next) {
		int64_t pace = pace_of(h, self);

		if (pace >= lowest || (with_memory && h->memory_bytes == 0))
			continue;
		lowest = pace;
		slowest = h;
	}
	if (!slowest)
		return false;
	count_off(budget, slowest);
	budget->use.n_yielded++;
	slowest->yielded = true;
	slowest->holder->yield(slowest->holder);
	return true;
}

/* With the lock held: add a share to the budget's list, and reserve its space
   on the disk. */
static int place_take(struct apsp_budget *budget, struct apsp_holding *holding,
	struct apsp_err *err)
{
	int r = disk_reserve(
		budget, holding, disk_due(holding->expected_bytes, 0), err);

	if (r < 0)
		return r;
	/* check the number of shares last, so that no client loses its share to
	   a request that is refused for another reason */
	if (budget->use.n_shares >= budget->limits.max_shares &&
		!take_slowest(budget, NULL, false)) {
		budget->use.disk_bytes -= holding->disk_bytes;
		return apsp_fail(err, APSP_EBUSY,
			"%u %ss are under way already, the limit is %u",
			budget->use.n_shares, budget->limits.who,
			budget->limits.max_shares);
	}
	budget->use.n_shares++;
	holding->next = budget->first;
	budget->first = holding;
	return 0;
}

int apsp_share_open(struct apsp_budget *budget, struct apsp_holder *holder,
	uint64_t expected_bytes, struct apsp_share *out, struct apsp_err *err)
{
	struct apsp_holding *holding;
	int r;

	*out = (struct apsp_share){0};
	if (!budget)
		return 0;
	holding = calloc(1, sizeof(*holding));
	if (!holding)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a share");
	holding->holder = holder;
	holding->expected_bytes = expected_bytes;
	pthread_mutex_lock(&budget->lock);
	r = place_take(budget, holding, err);
	pthread_mutex_unlock(&budget->lock);
	if (r < 0)
		free(holding);
	else
		*out = (struct apsp_share){budget, holding};
	return r;
}

void apsp_share_close(struct apsp_share *share)
{
	struct apsp_budget *budget = share->budget;
	struct apsp_holding **at;

	if (!budget)
		return;
	pthread_mutex_lock(&budget->lock);
	if (!share->holding->yielded)
		count_off(budget, share->holding);
	for (at = &budget->first; *at != share->holding; at = &(*at)->next)
		;
	*at = share->holding->next;
	pthread_mutex_unlock(&budget->lock);
	free(share->holding);
	*share = (struct apsp_share){0};
}

/*
 * Make sure that `bytes` more bytes of memory fit the budget. If necessary,
 * take shares away from slow holders, but not the share `holding`. Returns
 * false without taking a share if the slow holders together have too little
 * memory. Also returns false if some holders became faster while shares were
 * taken away.
 */
static bool memory_free(struct apsp_budget *budget,
	const struct apsp_holding *holding, uint64_t bytes)
{
	const uint64_t max = budget->limits.max_memory_bytes;
	const struct apsp_budget_use *use = &budget->use;
	uint64_t found = max - use->memory_bytes;

	for (const struct apsp_holding *h = budget->first; h && found < bytes;
		h = h->next)
		if (pace_of(h, holding) < INT64_MAX)
			found += h->memory_bytes;
	if (bytes > found)
		return false;
	while (bytes > max - use->memory_bytes)
		if (!take_slowest(budget, holding, true))
			return false;
	return true;
}

/* With the lock held: add memory to a share. Fails with the errors of
   apsp_share_grow(). */
static int memory_take(struct apsp_budget *budget, struct apsp_holding *holding,
	uint64_t bytes, const char *what, struct apsp_err *err)
{
	const struct apsp_budget_limits *limits = &budget->limits;
	struct apsp_budget_use *use = &budget->use;
	char most[APSP_SIZE_TEXT_SIZE];

	if (holding->yielded)
		return apsp_fail(err, APSP_EBUSY,
			"%s: the %s was given up, because its client was slow "
			"and others waited",
			what, limits->who);
	if (bytes > limits->max_one_memory_bytes - holding->memory_bytes) {
		apsp_size_format(limits->max_one_memory_bytes, most);
		return apsp_fail(err,
			limits->too_large ? limits->too_large : APSP_ETOOLARGE,
			"%s: one %s may take %s of memory%s%s and needs more",
			what, limits->who, most, limits->set_by ? " " : "",
			limits->set_by ? limits->set_by : "");
	}
	if (!memory_free(budget, holding, bytes)) {
		apsp_size_format(limits->max_memory_bytes, most);
		return apsp_fail(err, APSP_EBUSY,
			"%s: the %ss under way take all %s of memory that %ss "
			"may have",
			what, limits->who, most, limits->who);
	}
	use->memory_bytes += bytes;
	holding->memory_bytes += bytes;
	return 0;
}

/* With the lock held: subtract memory from a share. */
static void memory_give(struct apsp_budget *budget,
	struct apsp_holding *holding, uint64_t bytes)
{
	if (!holding->yielded)
		budget->use.memory_bytes -= bytes;
	holding->memory_bytes -= bytes;
}

int apsp_share_grow(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err)
{
	int r;

	if (!share || !share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	r = memory_take(share->budget, share->holding, bytes, what, err);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}

void apsp_share_shrink(struct apsp_share *share, uint64_t bytes)
{
	if (!share || !share->budget)
		return;
	pthread_mutex_lock(&share->budget->lock);
	memory_give(share->budget, share->holding, bytes);
	pthread_mutex_unlock(&share->budget->lock);
}

int apsp_share_set(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err)
{
	struct apsp_holding *holding = share->holding;
	int r = 0;

	if (!share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	if (bytes > holding->memory_bytes)
		r = memory_take(share->budget, holding,
			bytes - holding->memory_bytes, what, err);
	else
		memory_give(
			share->budget, holding, holding->memory_bytes - bytes);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}

int apsp_share_spooled(
	struct apsp_share *share, uint64_t bytes, struct apsp_err *err)
{
	int r = 0;

	if (!share || !share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	if (!share->holding->yielded)
		r = disk_reserve(share->budget, share->holding,
			disk_due(share->holding->expected_bytes, bytes), err);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}
