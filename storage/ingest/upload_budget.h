/*
 * What all uploads that are under way may take together: places, memory for
 * labels and windows, and room on the disk of the state directory. Each upload
 * has a share, which it asks before it takes more; so a limit is met before the
 * memory or the disk is (storage/ingest/README.md, Uploads share a budget).
 *
 * Any thread may use a budget; a share belongs to its upload's thread.
 */
#ifndef APSP_STORAGE_INGEST_UPLOAD_BUDGET_H
#define APSP_STORAGE_INGEST_UPLOAD_BUDGET_H

#include <stdint.h>

#include "daemon/base/auto.h"
#include "daemon/base/err.h"

struct apsp_upload_budget;

struct apsp_upload_limits {
	uint32_t max_uploads;	       /* at once */
	uint64_t max_memory_bytes;     /* of all uploads */
	uint64_t max_one_memory_bytes; /* of one */
	/* what stays free on the disk: this, or a sixteenth of a small one */
	uint64_t spare_disk_bytes;
};

/* The limits where nobody sets others. */
extern const struct apsp_upload_limits apsp_upload_default_limits;

/* How much of a budget is in use. */
struct apsp_upload_use {
	uint32_t n_uploads;
	uint64_t memory_bytes;
	uint64_t disk_bytes; /* that uploads have still to write */
};

/* dir is where uploads go. The caller ends *out with …_free(). APSP_ENOMEM. */
int apsp_upload_budget_new(const char *dir,
	const struct apsp_upload_limits *limits,
	struct apsp_upload_budget **out, struct apsp_err *err);
void apsp_upload_budget_free(struct apsp_upload_budget *budget);
APSP_AUTO_DEFINE(apsp_upload_budget_end, struct apsp_upload_budget,
	apsp_upload_budget_free);

const struct apsp_upload_limits *apsp_upload_budget_limits(
	const struct apsp_upload_budget *budget);
struct apsp_upload_use apsp_upload_budget_use(
	struct apsp_upload_budget *budget);

/* An upload's share. One that is 0 has no budget: it may take anything. */
struct apsp_upload_share {
	struct apsp_upload_budget *budget;
	uint64_t memory_bytes;
	uint64_t expected_bytes; /* of arcs, as guessed from the body's size */
	uint64_t disk_bytes;	 /* due to the disk */
};

/*
 * Take a place for an upload whose arcs may come to expected_bytes. The caller
 * ends *out with apsp_upload_share_close(). APSP_EBUSY: no place is free;
 * APSP_ENOSPACE: the disk has no room for the arcs twice, in the spool and in
 * the database; APSP_EIO.
 */
int apsp_upload_share_open(struct apsp_upload_budget *budget,
	uint64_t expected_bytes, struct apsp_upload_share *out,
	struct apsp_err *err);
void apsp_upload_share_close(struct apsp_upload_share *share);

/*
 * Before taking more memory. APSP_ETOOLARGE: one upload may not have so much;
 * APSP_EBUSY: the others have it. what names the memory in the message.
 */
int apsp_upload_share_grow(struct apsp_upload_share *share, uint64_t bytes,
	const char *what, struct apsp_err *err);
/* Memory was freed. */
void apsp_upload_share_shrink(struct apsp_upload_share *share, uint64_t bytes);

/*
 * The spool holds so many bytes now, which the database will hold, too.
 * APSP_ENOSPACE: the disk has no room for them; APSP_EIO.
 */
int apsp_upload_share_spooled(
	struct apsp_upload_share *share, uint64_t bytes, struct apsp_err *err);

#endif
