/*
 * The budget of uploads; see upload_budget.h.
 */
#include "storage/ingest/upload_budget.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "daemon/base/size.h"

enum {
	SPARE_PART = 16, /* of a disk: no more than this part of it is spared */
};

const struct apsp_upload_limits apsp_upload_default_limits = {
	.max_uploads = 16,
	.max_memory_bytes = (uint64_t)256 << 20,
	.max_one_memory_bytes = (uint64_t)128 << 20,
	.spare_disk_bytes = (uint64_t)64 << 20,
};

struct apsp_upload_budget {
	pthread_mutex_t lock;
	struct apsp_upload_limits limits;
	struct apsp_upload_use use;
	char *dir;
};

int apsp_upload_budget_new(const char *dir,
	const struct apsp_upload_limits *limits,
	struct apsp_upload_budget **out, struct apsp_err *err)
{
	struct apsp_upload_budget *budget = calloc(1, sizeof(*budget));

	if (budget)
		budget->dir = strdup(dir);
	if (!budget || !budget->dir) {
		free(budget);
		return apsp_fail(err, APSP_ENOMEM, "no memory for uploads");
	}
	pthread_mutex_init(&budget->lock, NULL);
	budget->limits = *limits;
	*out = budget;
	return 0;
}

void apsp_upload_budget_free(struct apsp_upload_budget *budget)
{
	if (!budget)
		return;
	pthread_mutex_destroy(&budget->lock);
	free(budget->dir);
	free(budget);
}

const struct apsp_upload_limits *apsp_upload_budget_limits(
	const struct apsp_upload_budget *budget)
{
	return &budget->limits;
}

struct apsp_upload_use apsp_upload_budget_use(struct apsp_upload_budget *budget)
{
	struct apsp_upload_use use;

	pthread_mutex_lock(&budget->lock);
	use = budget->use;
	pthread_mutex_unlock(&budget->lock);
	return use;
}

/* With the lock held: let the share owe the disk so many bytes. */
static int disk_owe(
	struct apsp_upload_share *share, uint64_t bytes, struct apsp_err *err)
{
	struct apsp_upload_budget *budget = share->budget;
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	uint64_t due, wanted, free_bytes, spare;
	struct statvfs fs;

	if (bytes == 0 && budget->limits.spare_disk_bytes == 0)
		return 0;
	if (statvfs(budget->dir, &fs) < 0)
		return apsp_fail_errno(err, errno,
			"measure the free space of '%s'", budget->dir);
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	/* a small disk spares less */
	spare = (uint64_t)fs.f_blocks * fs.f_frsize / SPARE_PART;
	if (spare > budget->limits.spare_disk_bytes)
		spare = budget->limits.spare_disk_bytes;
	due = budget->use.disk_bytes - share->disk_bytes;
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
	share->disk_bytes = bytes;
	return 0;
}

/* What is due: the rest of the spool, and the database's copy of all of it. */
static uint64_t disk_due(uint64_t expected, uint64_t spooled)
{
	uint64_t copy = expected > spooled ? expected : spooled, due;

	return __builtin_add_overflow(copy, copy - spooled, &due) ? UINT64_MAX
								  : due;
}

int apsp_upload_share_open(struct apsp_upload_budget *budget,
	uint64_t expected_bytes, struct apsp_upload_share *out,
	struct apsp_err *err)
{
	struct apsp_upload_share share = {
		.budget = budget,
		.expected_bytes = expected_bytes,
	};
	int r;

	pthread_mutex_lock(&budget->lock);
	if (budget->use.n_uploads >= budget->limits.max_uploads)
		r = apsp_fail(err, APSP_EBUSY,
			"%u uploads are under way already, the limit is %u",
			budget->use.n_uploads, budget->limits.max_uploads);
	else
		r = disk_owe(&share, disk_due(expected_bytes, 0), err);
	if (r == 0) {
		budget->use.n_uploads++;
		*out = share;
	}
	pthread_mutex_unlock(&budget->lock);
	return r;
}

void apsp_upload_share_close(struct apsp_upload_share *share)
{
	struct apsp_upload_budget *budget = share->budget;

	if (!budget)
		return;
	pthread_mutex_lock(&budget->lock);
	budget->use.n_uploads--;
	budget->use.memory_bytes -= share->memory_bytes;
	budget->use.disk_bytes -= share->disk_bytes;
	pthread_mutex_unlock(&budget->lock);
	memset(share, 0, sizeof(*share));
}

static int memory_take(struct apsp_upload_share *share, uint64_t bytes,
	const char *what, struct apsp_err *err)
{
	const struct apsp_upload_limits *limits = &share->budget->limits;
	struct apsp_upload_use *use = &share->budget->use;

	if (bytes > limits->max_one_memory_bytes - share->memory_bytes)
		return apsp_fail(err, APSP_ETOOLARGE,
			"%s: one upload may take %llu MiB of memory and needs "
			"more",
			what,
			(unsigned long long)limits->max_one_memory_bytes >> 20);
	if (bytes > limits->max_memory_bytes - use->memory_bytes)
		return apsp_fail(err, APSP_EBUSY,
			"%s: the uploads under way take all %llu MiB of memory "
			"that uploads may have",
			what,
			(unsigned long long)limits->max_memory_bytes >> 20);
	use->memory_bytes += bytes;
	share->memory_bytes += bytes;
	return 0;
}

int apsp_upload_share_grow(struct apsp_upload_share *share, uint64_t bytes,
	const char *what, struct apsp_err *err)
{
	int r;

	if (!share || !share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	r = memory_take(share, bytes, what, err);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}

void apsp_upload_share_shrink(struct apsp_upload_share *share, uint64_t bytes)
{
	if (!share || !share->budget)
		return;
	pthread_mutex_lock(&share->budget->lock);
	share->budget->use.memory_bytes -= bytes;
	share->memory_bytes -= bytes;
	pthread_mutex_unlock(&share->budget->lock);
}

int apsp_upload_share_spooled(
	struct apsp_upload_share *share, uint64_t bytes, struct apsp_err *err)
{
	int r;

	if (!share || !share->budget)
		return 0;
	pthread_mutex_lock(&share->budget->lock);
	r = disk_owe(share, disk_due(share->expected_bytes, bytes), err);
	pthread_mutex_unlock(&share->budget->lock);
	return r;
}
