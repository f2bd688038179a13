/*
 * Room on disk; see disk_space.h.
 */
#include "storage/jobs/disk_space.h"

#include <errno.h>
#include <sys/statvfs.h>

#include "daemon/base/auto.h"
#include "daemon/base/graph_file.h"
#include "daemon/base/size.h"
#include "daemon/base/weights.h"
#include "storage/database/sql.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/transaction.h"

static uint64_t sum(uint64_t a, uint64_t b)
{
	uint64_t c;

	return __builtin_add_overflow(a, b, &c) ? UINT64_MAX : c;
}

uint64_t apsp_disk_space_needed(
	uint64_t n_vertices, uint64_t n_arcs, enum apsp_element distance)
{
	struct apsp_table_header header = {
		.n_vertices = n_vertices,
		.n_arcs = n_arcs,
		.scale = 1,
	};
	uint64_t arcs;

	if (__builtin_mul_overflow(n_arcs, sizeof(struct apsp_arc), &arcs) ||
		apsp_table_header_layout(&header, distance, NULL) < 0)
		return UINT64_MAX;
	return sum(header.file_size, arcs);
}

int apsp_disk_space_free(
	const struct apsp_store *store, uint64_t *out, struct apsp_err *err)
{
	struct statvfs fs;

	if (statvfs(store->cache_dir, &fs) < 0)
		return apsp_fail_errno(err, errno,
			"measure the free space of '%s'", store->cache_dir);
	*out = (uint64_t)fs.f_bavail * fs.f_frsize;
	return 0;
}

int apsp_disk_space_check(
	const struct apsp_store *store, uint64_t needed, struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	uint64_t free;
	int r = apsp_disk_space_free(store, &free, err);

	if (r < 0)
		return r;
	if (needed <= free)
		return 0;
	apsp_sizes_format(needed, free, need, have);
	return apsp_fail(err, APSP_ENOSPACE,
		"the tables need at least %s on the cache's disk and %s are "
		"free",
		need, have);
}

/* The bytes that one row of apsp_disk_space_admit()'s query needs. */
static void row_needed(sqlite3_stmt *stmt, uint64_t *out)
{
	struct apsp_profile rule;

	/* a job whose rule cannot be read fails when its turn comes */
	*out = 0;
	if (apsp_row_rule(stmt, 3, &rule, NULL) < 0)
		return;
	*out = apsp_disk_space_needed((uint64_t)sqlite3_column_int64(stmt, 0),
		(uint64_t)sqlite3_column_int64(stmt, 1),
		apsp_weights_least(
			(unsigned int)sqlite3_column_int(stmt, 2), &rule));
}

int apsp_disk_space_admit(struct apsp_transaction *tx, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	uint64_t needed = 0, one;
	int r;

	if (tx->n_new_jobs == 0)
		return 0;
	r = apsp_sql_prepare(tx->db,
		"SELECT g.n_vertices, g.n_arcs, g.weights, j.rule FROM jobs j"
		" JOIN generations g ON g.id = j.generation"
		" WHERE j.state = 'queued'",
		NULL, &stmt, err);
	while (r >= 0 && (r = apsp_sql_step(stmt, err)) > 0) {
		row_needed(stmt, &one);
		needed = sum(needed, one);
	}
	return r < 0 ? r : apsp_disk_space_check(tx->store, needed, err);
}
