/*
 * Removal of chunks in steps; see chunk_sweep.h.
 */
#include "storage/database/chunk_sweep.h"

#include "storage/database/database.h"
#include "storage/database/sql.h"

enum {
	STEP_CHUNKS = 4, /* number of chunks that one transaction removes: up to
			    16 MiB */
};

int apsp_chunk_sweep_step(sqlite3 *db, const struct apsp_chunk_sweep *sweep,
	int64_t owner, struct apsp_err *err)
{
	int64_t chunk;
	int r = apsp_sql_script(db, "BEGIN IMMEDIATE", err);

	if (r == 0)
		r = apsp_sql_run(db, sweep->remove_chunks,
			APSP_BIND(apsp_bind_int(owner),
				apsp_bind_int(STEP_CHUNKS)),
			err);
	if (r == 0)
		r = apsp_sql_int(db, sweep->find_chunk,
			APSP_BIND(apsp_bind_int(owner)), &chunk, err);
	if (r == 0)
		r = apsp_sql_run(db, sweep->remove_owner,
			APSP_BIND(apsp_bind_int(owner)), err);
	if (r >= 0)
		r = apsp_sql_script(db, "COMMIT", err);
	if (r < 0)
		apsp_database_rollback(db);
	return r < 0 ? r : 1;
}
