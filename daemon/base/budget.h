/*
 * Budgets. A budget limits how much memory and disk space all clients together
 * may use, and how many clients there may be. Each client has a share of the
 * budget. The share must grow before the client uses more memory or disk space.
 * So a request is refused before memory or the disk is full
 * (daemon/base/README.md, Budgets).
 *
 * If a budget is full and a client asks for more, the slowest client loses its
 * share. But a client with a rate of at least yield_rate (limits.def) never
 * loses its share. Clients are compared only by rate, because clients behind a
 * proxy all have the proxy's address.
 *
 * Any thread may use a budget. A share belongs to its client's thread.
 */
#ifndef APSP_DAEMON_BASE_BUDGET_H
#define APSP_DAEMON_BASE_BUDGET_H

#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"

struct apsp_budget;
struct statvfs;

/*
 * The holder of a share: a client. Both functions are called with the budget's
 * lock held, and must not block.
 */
struct apsp_holder {
	/*
	 * Return the bytes per second that the client reads or sends. Return
	 * INT64_MAX if the client is at least as fast as yield_rate, or if the
	 * daemon is not waiting for the client.
	 */
	int64_t (*pace)(const struct apsp_holder *holder);
	/* Close the client's connection, because the client's share goes to
	   another client. */
	void (*yield)(struct apsp_holder *holder);
};

struct apsp_budget_limits {
	/* a word for the holder of a share, such as "upload"; used in
	   messages */
	const char *who;
	/*
	 * the error code if one client asks for more memory than
	 * max_one_memory_bytes; 0: the code is APSP_ETOOLARGE
	 */
	enum apsp_code too_large;
	uint32_t max_shares; /* limit of the number of shares */
	/* limit of the memory of all shares together */
	uint64_t max_memory_bytes;
	uint64_t max_one_memory_bytes; /* limit of the memory of one share */
	/* a remark in parentheses, for messages: the option that sets
	   max_one_memory_bytes, or the place where clients can read this limit;
	   may be NULL */
	const char *set_by;
	/* number of bytes that must stay free on the disk; on a small disk,
	   only a sixteenth of the disk must stay free */
	uint64_t spare_disk_bytes;
};

/* The part of a budget that is in use. Shares that were taken away do not
   count. */
struct apsp_budget_use {
	uint32_t n_shares;
	uint64_t memory_bytes;
	/* bytes that shares have reserved on the disk and not written yet */
	uint64_t disk_bytes;
	/* number of shares that were taken away for other clients since the
	   daemon started */
	uint64_t n_yielded;
};

/*
 * Make a budget. The budget limits the space that shares take on the disk of
 * the directory `dir`. If `dir` is NULL, the budget does not limit disk space.
 * The caller ends *out with apsp_budget_free(). APSP_ENOMEM.
 */
int apsp_budget_new(const char *dir, const struct apsp_budget_limits *limits,
	struct apsp_budget **out, struct apsp_err *err);
void apsp_budget_free(struct apsp_budget *budget);
APSP_AUTO_DEFINE(apsp_budget_end, struct apsp_budget, apsp_budget_free);

const struct apsp_budget_limits *apsp_budget_limits(
	const struct apsp_budget *budget);
struct apsp_budget_use apsp_budget_used(struct apsp_budget *budget);

/* A share of a budget. A struct of zeros has no budget, and so no limit. */
struct apsp_share {
	struct apsp_budget *budget;
	/* the memory and the disk space of the share; owned, and an entry of
	   the budget's list */
	struct apsp_holding *holding;
};

/*
 * Open a share. If `budget` is NULL, the share has no limit. `holder` must
 * outlive the share; if it is NULL, the share is never taken away.
 * expected_bytes is the expected size of the spool file, the temporary file of
 * an upload. The caller ends *out with apsp_share_close(). APSP_EBUSY:
 * max_shares shares are open; APSP_ESTATEFULL: the disk has no space for the
 * spool file and for the copy of its content in the database; APSP_EIO: the
 * free space is unknown; APSP_ENOMEM.
 */
int apsp_share_open(struct apsp_budget *budget, struct apsp_holder *holder,
	uint64_t expected_bytes, struct apsp_share *out, struct apsp_err *err);
void apsp_share_close(struct apsp_share *share);

/*
 * Add memory to the share. Call this function before the memory is allocated.
 * `what` is the purpose of the memory, for messages. APSP_EBUSY: other clients
 * hold the memory, or this share was taken away. If the share would exceed
 * max_one_memory_bytes, the code is the member `too_large` of the budget's
 * limits.
 */
int apsp_share_grow(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err);
/* Subtract `bytes` bytes of memory from the share. Call this function after the
   memory was freed. */
void apsp_share_shrink(struct apsp_share *share, uint64_t bytes);

/* Grow or shrink the share to `bytes` bytes of memory. Fails with the errors of
   apsp_share_grow(). */
int apsp_share_set(struct apsp_share *share, uint64_t bytes, const char *what,
	struct apsp_err *err);

/*
 * Record that the spool file now has `bytes` bytes. The content of the file
 * will also be copied to the database. APSP_ESTATEFULL: the disk has no space
 * for the rest of the file and for the copy; APSP_EIO: the free space is
 * unknown.
 */
int apsp_share_spooled(
	struct apsp_share *share, uint64_t bytes, struct apsp_err *err);

/* Return how many bytes of a disk uploads must leave free: a sixteenth of the
   disk, but at most `most`. */
uint64_t apsp_budget_spare(const struct statvfs *fs, uint64_t most);

#endif
