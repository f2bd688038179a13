/*
 * Budgets and their shares; see budget.h. The budget keeps what each share
 * holds in an array, because owners move their shares in memory.
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
	SPARE_PART = 16, /* of a disk: no more than this part of it is spared */
};

/* What one share holds. */
struct holding {
	bool used;    /* a share has this place */
	bool yielded; /* lost: its holder is being ended, nothing counts */
	struct apsp_holder *holder;
	uint64_t memory_bytes;
	uint64_t expected_bytes; /* of arcs, as guessed from a body's size */
	uint64_t disk_bytes;	 /* due to the disk */
};

struct apsp_budget {
	pthread_mutex_t lock;
	struct apsp_budget_limits limits;
	struct apsp_budget_use use;
	char *dir;
	struct holding *holdings;
	uint32_t n_holdings;
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
	free(budget->holdings);
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

static struct holding *holding_of(const struct apsp_share *share)
{
	return &share->budget->holdings[share->place];
}

/* With the lock held: let the share owe the disk so many bytes. */
static int disk_owe(struct apsp_budget *budget, struct holding *holding,
	uint64_t bytes, struct apsp_err *err)
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
	/* a small disk spares less */
	spare = (uint64_t)fs.f_blocks * fs.f_frsize / SPARE_PART;
	if (spare > budget->limits.spare_disk_bytes)
		spare = budget->limits.spare_disk_bytes;
	due = budget->use.disk_bytes - holding->disk_bytes;
	if (__builtin_add_overflow(due, bytes, &due) ||
		__builtin_add_overflow(due, spare, &wanted))
		wanted = UINT64_MAX;
	if (wanted > free_bytes) {
		apsp_sizes_format(wanted, free_bytes, need, have);
		return apsp_fail(err, APSP_ENOSPACE,
			"the uploads under way need %s on the state "
			"directory's disk and %s are free",
			need, have);
	}
	budget->use.disk_bytes = due;
	holding->disk_bytes = bytes;
	return 0;
}

/* What is due: the rest of the spool, and the database's copy of all of it. */
static uint64_t disk_due(uint64_t expected, uint64_t spooled)
{
	uint64_t copy = expected > spooled ? expected : spooled, due;

	return __builtin_add_overflow(copy, copy - spooled, &due) ? UINT64_MAX
								  : due;
}

/* With the lock held: what it held counts no more. */
static void count_off(struct apsp_budget *budget, const struct holding *holding)
{
	budget->use.n_shares--;
	budget->use.memory_bytes -= holding->memory_bytes;
	budget->use.disk_bytes -= holding->disk_bytes;
}

/* The pace of a holder whose share may be taken; INT64_MAX: it may not. */
static int64_t pace_of(
	const struct holding *holding, const struct holding *self)
{
	if (!holding->used || holding->yielded || holding == self ||
		!holding->holder)
		return INT64_MAX;
	return holding->holder->pace(holding->holder);
}

/* The memory of all shares that may be taken for `self`. */
static uint64_t slow_bytes(
	const struct apsp_budget *budget, const struct holding *self)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < budget->n_holdings; i++)
		if (pace_of(&budget->holdings[i], self) < INT64_MAX)
			bytes += budget->holdings[i].memory_bytes;
	return bytes;
}

/*
 * With the lock held: take the share of the slowest holder below the stated
 * rate, other than `self`; with_memory: one that holds some. Its client ends
 * within milliseconds, and its memory is free then. False: there is none.
 */
static bool take_slowest(struct apsp_budget *budget, const struct holding *self,
	bool with_memory)
{
	struct holding *slowest = NULL;
	int64_t lowest = INT64_MAX;

	for (uint32_t i = 0; i < budget->n_holdings; i++) {
		struct holding *holding = &budget->holdings[i];
		int64_t pace = pace_of(holding, self);

		if (pace >= lowest ||
			(with_memory && holding->memory_bytes == 0))
			continue;
		lowest = pace;
		slowest = holding;
	}
	if (!slowest)
		return false;
	count_off(budget, slowest);
	budget->use.n_yielded++;
	slowest->yielded = true;
	slowest->holder->yield(slowest->holder);
	return true;
}

/* With the lock held: a place in the array. NULL: no memory. */
static struct holding *place_find(struct apsp_budget *budget)
{
	struct holding *holdings;
	uint32_t n = budget->n_holdings;

	for (uint32_t i = 0; i < n; i++)
		if (!budget->holdings[i].used)
			return &budget->holdings[i];
	holdings = realloc(budget->holdings, (2 * n + 16) * sizeof(*holdings));
	if (!holdings)
		return NULL;
	memset(holdings + n, 0, (n + 16) * sizeof(*holdings));
	budget->holdings = holdings;
	budget->n_holdings = 2 * n + 16;
	return &holdings[n];
}

/* With the lock held. */
static int place_take(struct apsp_budget *budget, struct apsp_holder *holder,
	uint64_t expected_bytes, struct apsp_share *out, struct apsp_err *err)
{
	struct holding *holding;
	int r;

	holding = place_find(budget);
	if (!holding)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a share");
	*holding = (struct holding){
		.holder = holder, .expected_bytes = expected_bytes};
	r = disk_owe(budget, holding, disk_due(expected_bytes, 0), err);
	if (r < 0)
		return r;
	/* last, so that nobody's place is taken for a request that is refused
	 */
	if (budget->use.n_shares >= budget->limits.max_shares &&
		!take_slowest(budget, NULL, false)) {
		budget->use.disk_bytes -= holding->disk_bytes;
		return apsp_fail(err, APSP_EBUSY,
			"%u %ss are under way already, the limit is %u",
			budget->use.n_shares, budget->limits.who,
			budget->limits.max_shares);
	}
	holding->used = true;
	budget->use.n_shares++;
	*out = (struct apsp_share){
		budget, (uint32_t)(holding - budget->holdings)};
	return 0;
}

int apsp_share_open(struct apsp_budget *budget, struct apsp_holder *holder,
	uint64_t expected_bytes, struct apsp_share *out, struct apsp_err *err)
{
	int r;

	*out = (struct apsp_share){0};
	if (!budget)
		return 0;
	pthread_mutex_lock(&budget->lock);
	r = place_take(budget, holder, expected_bytes, out, err);
	pthread_mutex_unlock(&budget->lock);
	return r;
}

void apsp_share_close(struct apsp_share *share)
{
	struct apsp_budget *budget = share->budget;
	struct holding *holding;

	if (!budget)
		return;
	pthread_mutex_lock(&budget->lock);
	holding = holding_of(share);
	if (!holding->yielded)
		count_off(budget, holding);
	holding->used = false;
	pthread_mutex_unlock(&budget->lock);
	*share = (struct apsp_share){0};
}

/*
 * Have so many bytes free for a holding, by the shares of slow holders if need
 * be. False: all of them together are too little, and none was taken; or some
 * of them have become faster meanwhile.
 */
static bool memory_free(struct apsp_budget *budget,
	const struct holding *holding, uint64_t bytes)
{
	const uint64_t max = budget->limits.max_memory_bytes;
	const struct apsp_budget_use *use = &budget->use;
	uint64_t left = max - use->memory_bytes;

	if (bytes > left && bytes - left > slow_bytes(budget, holding))
		return false;
	while (bytes > max - use->memory_bytes)
		if (!take_slowest(budget, holding, true))
			return false;
	return true;
}

/* With the lock held. */
static int memory_take(struct apsp_budget *budget, struct holding *holding,
	uint64_t bytes, const char *what, struct apsp_err *err)
{
	const struct apsp_budget_limits *limits = &budget->limits;
	struct apsp_budget_use *use = &budget->use;

	if (holding->yielded)
		return apsp_fail(err, APSP_EBUSY,
			"%s: the %s was given up, because its client was slow "
			"and others waited",
			what, limits->who);
	if (bytes > limits->max_one_memory_bytes - holding->memory_bytes)
		return apsp_fail(err,
			limits->too_large ? limits->too_large : APSP_ETOOLARGE,
			"%s: one %s may take %llu MiB of memory and needs "
			"more",
			what, limits->who,
			(unsigned long long)limits->max_one_memory_bytes >> 20);
	if (!memory_free(budget, holding, bytes))
		return apsp_fail(err, APSP_EBUSY,
			"%s: the %ss under way take all %llu MiB of memory "
			"that %ss may have",
			what, limits->who,
			(unsigned long long)limits->max_memory_bytes >> 20,
			limits->who);
	use->memory_bytes += bytes;
	holding->memory_bytes += bytes;
	return 0;
}

/* With the lock held. */
static void memory_give(
	struct apsp_budget *budget, struct holding *holding, uint64_t bytes)
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
	r = memory_take(share->budget, holding_of(share), bytes, what, err);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}

void apsp_share_shrink(struct apsp_share *share, uint64_t bytes)
{
	if (!share || !share->budget)
		return;
	pthread_mutex_lock(&share->budget->lock);
	memory_give(share->budget, holding_of(share), bytes);
	pthread_mutex_unlock(&share->budget->lock);
}

int apsp_share_set(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err)
{
	struct holding *holding;
	int r = 0;

	if (!share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	holding = holding_of(share);
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
	struct holding *holding;
	int r = 0;

	if (!share || !share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	holding = holding_of(share);
	if (!holding->yielded)
		r = disk_owe(share->budget, holding,
			disk_due(holding->expected_bytes, bytes), err);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}
