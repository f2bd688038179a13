/*
 * What many clients may hold together: places, memory, and room on a disk. Each
 * client has a share, which it asks before it takes more; so a limit is met
 * before the memory or the disk is (daemon/base/README.md, Budgets).
 *
 * Where a budget is full, the slowest client below the stated rate loses its
 * share to the one that asks. Clients are compared by rate alone, since behind
 * a proxy all of them have one address.
 *
 * Any thread may use a budget; a share belongs to its client's thread.
 */
#ifndef APSP_DAEMON_BASE_BUDGET_H
#define APSP_DAEMON_BASE_BUDGET_H

#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"

struct apsp_budget;

/* Who holds a share. Both functions are called with the budget's lock held. */
struct apsp_holder {
	/*
	 * The bytes a second that the client takes or sends. INT64_MAX: it
	 * keeps the stated rate, or it is not the client who is waited for.
	 */
	int64_t (*pace)(const struct apsp_holder *holder);
	/* End the client, whose share is given to another one. */
	void (*yield)(struct apsp_holder *holder);
};

struct apsp_budget_limits {
	const char *who; /* holds shares: "upload", for messages */
	/* who asks for more than one may have; 0: APSP_ETOOLARGE */
	enum apsp_code too_large;
	uint32_t max_shares;	       /* at once */
	uint64_t max_memory_bytes;     /* of all */
	uint64_t max_one_memory_bytes; /* of one */
	/* what stays free on the disk: this, or a sixteenth of a small one */
	uint64_t spare_disk_bytes;
};

/* How much of a budget is in use; shares that were lost do not count. */
struct apsp_budget_use {
	uint32_t n_shares;
	uint64_t memory_bytes;
	uint64_t disk_bytes; /* that is still to be written */
	uint64_t n_yielded;  /* shares lost to others since the start */
};

/*
 * dir is on the disk that is written to; NULL: none is. The caller ends *out
 * with …_free(). APSP_ENOMEM.
 */
int apsp_budget_new(const char *dir, const struct apsp_budget_limits *limits,
	struct apsp_budget **out, struct apsp_err *err);
void apsp_budget_free(struct apsp_budget *budget);
APSP_AUTO_DEFINE(apsp_budget_end, struct apsp_budget, apsp_budget_free);

const struct apsp_budget_limits *apsp_budget_limits(
	const struct apsp_budget *budget);
struct apsp_budget_use apsp_budget_used(struct apsp_budget *budget);

/* A share. One that is 0 has no budget: it may take anything. */
struct apsp_share {
	struct apsp_budget *budget;
	uint32_t place; /* among the budget's */
};

/*
 * Take a share; of a budget that is NULL, one without a budget. holder may be
 * NULL: it never loses the share; else it must outlive the share.
 * expected_bytes, for a disk, is what may be spooled. The caller ends *out with
 * apsp_share_close(). APSP_EBUSY: no place is free; APSP_ENOSPACE: the disk has
 * no room for the bytes twice, in the spool and in the database; APSP_EIO,
 * APSP_ENOMEM.
 */
int apsp_share_open(struct apsp_budget *budget, struct apsp_holder *holder,
	uint64_t expected_bytes, struct apsp_share *out, struct apsp_err *err);
void apsp_share_close(struct apsp_share *share);

/*
 * Before taking more memory. limits.too_large: one client may not have so much;
 * APSP_EBUSY: the others have it, or this share was lost. what names the memory
 * in the message.
 */
int apsp_share_grow(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err);
/* Memory was freed. */
void apsp_share_shrink(struct apsp_share *share, uint64_t bytes);

/* Grow or shrink to so many bytes of memory. */
int apsp_share_set(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err);

/*
 * The spool holds so many bytes now, which the database will hold, too.
 * APSP_ENOSPACE: the disk has no room for them; APSP_EIO.
 */
int apsp_share_spooled(
	struct apsp_share *share, uint64_t bytes, struct apsp_err *err);

#endif
