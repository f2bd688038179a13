/*
 * Reads the arcs of a stored upload; see stored_arcs.h. Each call reads only
 * the wanted part of a chunk of arcs, because a whole chunk takes 4 MiB of
 * memory. No transaction stays open between two calls.
 */
#include "storage/stored_arcs.h"

#include <sqlite3.h>

#include "daemon/base/auto.h"
#include "storage/database/sql.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/store_core.h"

static void blob_close(sqlite3_blob **blob)
{
	sqlite3_blob_close(*blob);
}

static int arcs_read(sqlite3 *db, const struct apsp_generation *generation,
	uint64_t first, struct apsp_arc *out, size_t n, struct apsp_err *err)
{
	APSP_AUTO(blob_close) sqlite3_blob *blob = NULL;
	uint64_t size = n * sizeof(*out);
	uint64_t offset = first % APSP_STORED_ARCS_CHUNK * sizeof(*out);
	int64_t id = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT id FROM chunks WHERE generation = ?1 AND"
		" kind = 'arcs' AND number = ?2",
		APSP_BIND(apsp_bind_id(generation->id),
			apsp_bind_int(
				(int64_t)(first / APSP_STORED_ARCS_CHUNK))),
		&id, err);
	if (r == 0)
		return apsp_fail(err, APSP_ECANCELLED,
			"the upload was replaced or deleted meanwhile");
	if (r < 0)
		return r;
	if (sqlite3_blob_open(db, "main", "chunks", "data", id, 0, &blob) !=
		SQLITE_OK)
		return apsp_sql_fail(db, err);
	if (offset + size > (uint64_t)sqlite3_blob_bytes(blob))
		return apsp_fail(err, APSP_EDB,
			"the database holds a chunk of arcs that is not whole");
	if (sqlite3_blob_read(blob, out, (int)size, (int)offset) != SQLITE_OK)
		return apsp_sql_fail(db, err);
	for (size_t i = 0; i < n; i++)
		if (out[i].from >= generation->n_vertices ||
			out[i].to >= generation->n_vertices)
			return apsp_generation_changed(generation, err);
	return (int)n;
}

/* Add n arcs, from number `first` on, to the digest. If these are the last
   arcs, check that the hash of labels and arcs equals the generation's
   revision. */
static int arcs_digest(struct apsp_arcs_digest *digest,
	const struct apsp_generation *generation, uint64_t first,
	const struct apsp_arc *arcs, size_t n, struct apsp_err *err)
{
	if (first == 0)
		digest->n_arcs = 0;
	apsp_arcs_digest_add(digest, arcs, n);
	return digest->n_arcs < generation->n_arcs
		       ? 0
		       : apsp_generation_check_content(generation, digest, err);
}

int apsp_stored_arcs_read(struct apsp_store *store,
	const struct apsp_generation *generation, uint64_t first,
	struct apsp_arcs_digest *digest,
	struct apsp_arc out[APSP_STORED_ARCS_MAX], struct apsp_err *err)
{
	uint64_t left = generation->n_arcs - first;
	uint64_t in_chunk =
		APSP_STORED_ARCS_CHUNK - first % APSP_STORED_ARCS_CHUNK;
	size_t n = APSP_STORED_ARCS_MAX;
	APSP_AUTO(apsp_reader_end) struct apsp_reader reader = {0};
	int r;

	if (first >= generation->n_arcs)
		return 0;
	if (n > left)
		n = (size_t)left;
	if (n > in_chunk)
		n = (size_t)in_chunk;
	r = apsp_reader_begin(store->readers, &reader, err);
	if (r == 0)
		r = arcs_read(reader.db, generation, first, out, n, err);
	if (r > 0 && digest)
		r = arcs_digest(digest, generation, first, out, n, err);
	return r < 0 ? r : (int)n;
}
