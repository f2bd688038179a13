/*
 * Gets the rows (such as the distances from one vertex) that an answer needs if
 * the graph has no tables; see reading.h. (Such a graph has a table file, too.
 * This file has the arcs, but no distances.) A request waits until all rows are
 * ready. Meanwhile, req->awaited keeps the rows that are ready already, because
 * the handler may begin again with a new reading.
 */
#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/rows/row_cache.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/store.h"
#include "storage/tables/lookup.h"

static void awaited_free(void *awaited)
{
	apsp_row_hold_close(awaited);
}

/* Return the rows that are ready already: the rows of the reading, or else
   the rows that req->awaited kept while the request waited. The caller owns
   these rows. NULL: no rows are ready. */
static struct apsp_row_hold *held_take(
	struct apsp_request *req, struct apsp_reading *reading)
{
	struct apsp_row_hold *awaited = req->awaited;

	req->awaited = NULL;
	if (!reading->rows)
		return awaited;
	apsp_row_hold_close(awaited);
	return APSP_TAKE(reading->rows);
}

/* Fail because the table file was removed while the request waited for rows. If
   the graph or its profile was deleted, the error says so. If the profile waits
   for new tables, the error names their job. If the profile has new tables, the
   client may ask again. If the profile still has these tables, another program
   removed the file, so the tables are computed again. */
static int removed_explain(struct apsp_request *req,
	const struct apsp_reading *reading, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_generation *generation;
	const struct apsp_profile_snapshot *profile;
	uint64_t job = 0;
	int r = apsp_snapshot_map_find(
		req->config->graphs, reading->snapshot->name, &snapshot, err);

	if (r < 0)
		return r;
	r = apsp_graph_snapshot_tables(snapshot, reading->profile->name,
		&generation, &profile, &job, err);
	if (r < 0) {
		apsp_reading_name_job(req, snapshot, job);
		return r;
	}
	if (profile->tables == reading->tables)
		return apsp_tables_condemn(
			reading->tables, "their file was removed", err);
	return apsp_fail(err, APSP_EBUSY,
		"the tables were replaced before the rows of this question "
		"were computed; ask again");
}

int apsp_reading_rows(struct apsp_request *req, struct apsp_reading *reading,
	enum apsp_demand demand, const uint32_t *vertices, size_t n,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_row_hold_end) struct apsp_row_hold *hold = NULL;
	struct apsp_row_cache *cache;
	struct apsp_err why;
	int r;

	if (!apsp_table_on_demand(&reading->tables->header) || n == 0)
		return 0;
	cache = apsp_store_parts(req->config->store)->rows;
	hold = held_take(req, reading);
	r = apsp_row_cache_hold(cache, reading->tables,
		apsp_request_holder(req), demand, vertices, n, &hold, &why);
	if (r == APSP_EBUSY) {
		/* the rows of other requests fill the memory. So wait: if one
		   of these requests has a slow client, its rows may be released
		   within a second */
		r = apsp_request_wait_rows(req, err);
		return req->in_pool ? apsp_fail(err, r, "%s", why.message) : r;
	}
	if (r == APSP_ENOROUTE)
		return removed_explain(req, reading, err);
	if (r < 0) {
		*err = why;
		return r;
	}
	if (r > 0) {
		reading->rows = APSP_TAKE(hold);
		return 0;
	}
	req->awaited = APSP_TAKE(hold);
	req->awaited_free = awaited_free;
	return apsp_request_wait_rows(req, err);
}

void apsp_reading_let_go(struct apsp_reading *reading)
{
	apsp_row_hold_close(APSP_TAKE(reading->rows));
}

int apsp_reading_pair_row(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err)
{
	int r;

	if (!apsp_table_on_demand(&reading->tables->header) ||
		reading->from == reading->to)
		return 0;
	r = apsp_lookup_by_component(
		reading->tables, reading->from, reading->to, err);
	if (r < 0 || r == APSP_UNREACHABLE)
		return r < 0 ? r : 0;
	return apsp_reading_rows(
		req, reading, APSP_DEMAND_FROM, &reading->from, 1, err);
}

int apsp_reading_reachable_row(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err)
{
	int r = apsp_table_on_demand(&reading->tables->header)
			? apsp_lookup_by_component(reading->tables,
				  reading->from, reading->to, err)
			: APSP_REACHABLE;

	if (r == APSP_UNDECIDED)
		r = apsp_reading_pair_row(req, reading, err);
	return r < 0 ? r : 0;
}

int apsp_reading_all_pairs(const struct apsp_reading *reading, const char *what,
	struct apsp_err *err)
{
	if (!apsp_table_on_demand(&reading->tables->header))
		return 0;
	if (reading->transform &&
		reading->profile->tables_rule.tables == APSP_TABLES_AUTO)
		return apsp_fail(err, APSP_ETABLES,
			"%s needs all pairs, and this profile has no tables, "
			"because the cache was too small for tables when the "
			"job ran; start apspd with a larger --cache-limit, "
			"then PUT the graph or the profile (of a replica: at "
			"the writer) with tables=distance",
			what);
	return apsp_fail(err, APSP_ETABLES,
		"%s needs all pairs, and this profile has no tables "
		"(tables=none); PUT the graph or the profile with "
		"tables=distance or tables=all",
		what);
}
