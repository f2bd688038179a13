/*
 * Room for tables on the cache's disk, judged before their job is queued
 * (storage/jobs/README.md, Life of a table set). Free space is what the file
 * system says, so the tables that are still served count as used.
 */
#ifndef APSP_STORAGE_JOBS_DISK_SPACE_H
#define APSP_STORAGE_JOBS_DISK_SPACE_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_store;
struct apsp_transaction;

/*
 * Bytes on disk that a job takes at least: its table file, and the graph file
 * of n_arcs uploaded arcs that the solver reads. UINT64_MAX: too many for a
 * file.
 *
 * distance is the smallest element that the weights allow
 * (daemon/base/weights.h). Only the solver can tell whether the paths fit it;
 * it reserves the true size before it computes.
 */
uint64_t apsp_disk_space_needed(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance);

/* Bytes that are free on the cache's disk. APSP_EIO. */
int apsp_disk_space_free(
	const struct apsp_store *store, uint64_t *out, struct apsp_err *err);

/*
 * Whether `needed` bytes are free. APSP_ENOSPACE: they are not, and the message
 * has both sizes; APSP_EIO.
 */
int apsp_disk_space_check(
	const struct apsp_store *store, uint64_t needed, struct apsp_err *err);

/*
 * If the transaction queued a job: whether all queued jobs together fit the
 * disk. Called after apsp_generations_settle(). Errors as
 * apsp_disk_space_check(), and APSP_EDB.
 */
int apsp_disk_space_admit(struct apsp_transaction *tx, struct apsp_err *err);

#endif
