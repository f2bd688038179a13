/*
 * The cache as JSON; see cache_json.h. To find what may be deleted, one row for
 * each profile that serves tables, sorted by tables, shows which are shared.
 */
#include "api/cache_json.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/graphs.h"
#include "storage/jobs/cache_limit.h"

enum {
	PAGE = 64,     /* graphs that are looked at together */
	ROWS_MAX = 8,  /* in the answer */
	ROWS_MIN = 64, /* room for rows at first */
};

/* No disk is larger than what a JSON integer holds here. */
static json_t *bytes_json(uint64_t bytes)
{
	return json_integer(bytes > INT64_MAX ? INT64_MAX : (json_int_t)bytes);
}

json_t *apsp_cache_json(const struct apsp_request *req)
{
	struct apsp_cache_room space;

	if (apsp_cache_limit_read(req->config->store, &space, NULL) < 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "limit_bytes",
		bytes_json(space.limit_bytes), "used_bytes",
		bytes_json(space.used_bytes), "left_bytes",
		bytes_json(space.left_bytes));
}

/* A profile and the tables that it serves. */
struct row {
	char graph[APSP_NAME_SIZE];
	char profile[APSP_NAME_SIZE]; /* "": the graph as a whole */
	uint64_t size_bytes;	      /* of the tables */
	char tables[APSP_TABLES_ID_SIZE];
};

struct rows {
	struct row *rows; /* owned */
	size_t n;
	size_t room;
};

static void rows_done(struct rows *rows)
{
	free(rows->rows);
}

/* A new row, all 0; NULL: no memory. */
static struct row *row_add(struct rows *rows)
{
	size_t room = rows->room ? 2 * rows->room : ROWS_MIN;
	struct row *larger;

	if (rows->n == rows->room) {
		larger = reallocarray(rows->rows, room, sizeof(*larger));
		if (!larger)
			return NULL;
		rows->rows = larger;
		rows->room = room;
	}
	memset(&rows->rows[rows->n], 0, sizeof(*rows->rows));
	return &rows->rows[rows->n++];
}

static bool generation_add(struct rows *rows, const char *graph,
	const struct apsp_generation *generation)
{
	for (size_t i = 0; generation && i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];
		struct row *row;

		if (!profile->tables)
			continue;
		row = row_add(rows);
		if (!row)
			return false;
		memcpy(row->graph, graph, strlen(graph) + 1);
		memcpy(row->profile, profile->name, sizeof(row->profile));
		row->size_bytes = profile->tables->header.file_size;
		memcpy(row->tables, profile->tables->id, sizeof(row->tables));
	}
	return true;
}

static bool all_add(struct rows *rows, struct apsp_store *store)
{
	const struct apsp_graph_snapshot *page[PAGE];
	char after[APSP_NAME_SIZE] = "";
	bool whole = true;
	size_t n;

	do {
		n = apsp_graphs_list(store, after, page, PAGE);
		for (size_t i = 0; i < n; i++) {
			whole = whole &&
				generation_add(rows, page[i]->name,
					page[i]->current) &&
				generation_add(
					rows, page[i]->name, page[i]->pending);
			memcpy(after, page[i]->name, sizeof(after));
			apsp_graph_snapshot_unref(page[i]);
		}
	} while (n == PAGE && whole);
	return whole;
}

static int by_tables(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->tables, y->tables);

	if (order == 0)
		order = strcmp(x->graph, y->graph);
	return order ? order : strcmp(x->profile, y->profile);
}

static int by_deletion(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->graph, y->graph);

	return order ? order : strcmp(x->profile, y->profile);
}

static int by_size(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? 1 : -1;
	return by_deletion(a, b);
}

/*
 * Add the deletions that free one set of tables, whose rows are first to last:
 * of the graph, if only one graph has the tables; and of the profile, if only
 * one profile has them. The profile `default` cannot be deleted by itself.
 */
static bool deletions_add(
	struct rows *out, const struct row *first, const struct row *last)
{
	struct row *row;

	if (strcmp(first->graph, last->graph) != 0)
		return true;
	row = row_add(out);
	if (!row)
		return false;
	*row = *first;
	row->profile[0] = '\0';
	if (strcmp(first->profile, last->profile) != 0 ||
		strcmp(first->profile, "default") == 0)
		return true;
	row = row_add(out);
	if (row)
		*row = *first;
	return row != NULL;
}

static bool deletions_find(const struct rows *rows, struct rows *out)
{
	for (size_t i = 0, end; i < rows->n; i = end) {
		for (end = i + 1; end < rows->n; end++)
			if (strcmp(rows->rows[end].tables,
				    rows->rows[i].tables) != 0)
				break;
		if (!deletions_add(out, &rows->rows[i], &rows->rows[end - 1]))
			return false;
	}
	return true;
}

/* Join the rows that have the same deletion, and sort all by size. */
static void deletions_merge(struct rows *rows)
{
	size_t n = 0;

	qsort(rows->rows, rows->n, sizeof(*rows->rows), by_deletion);
	for (size_t i = 0; i < rows->n; i++) {
		if (n > 0 &&
			by_deletion(&rows->rows[n - 1], &rows->rows[i]) == 0)
			rows->rows[n - 1].size_bytes +=
				rows->rows[i].size_bytes;
		else
			rows->rows[n++] = rows->rows[i];
	}
	rows->n = n;
	qsort(rows->rows, rows->n, sizeof(*rows->rows), by_size);
}

/* Names need no percent-encoding (daemon/base/name.h). */
static json_t *row_json(const struct apsp_request *req, const struct row *row)
{
	const char *base = req->config->settings->base_path;
	const bool whole = !row->profile[0];

	return json_pack("{s:s, s:s*, s:I, s:o}", "graph", row->graph,
		"profile", whole ? NULL : row->profile, "bytes",
		(json_int_t)row->size_bytes, "delete",
		json_sprintf("%s/v1/graphs/%s%s%s", base ? base : "",
			row->graph, whole ? "" : "/profiles/", row->profile));
}

json_t *apsp_cache_json_deletable(const struct apsp_request *req)
{
	APSP_AUTO(rows_done) struct rows rows = {0};
	APSP_AUTO(rows_done) struct rows deletions = {0};
	json_t *list;

	if (!all_add(&rows, req->config->store))
		return NULL;
	if (rows.n > 0)
		qsort(rows.rows, rows.n, sizeof(*rows.rows), by_tables);
	if (!deletions_find(&rows, &deletions))
		return NULL;
	if (deletions.n > 0)
		deletions_merge(&deletions);
	list = json_array();
	for (size_t i = 0; list && i < deletions.n && i < ROWS_MAX; i++)
		json_array_append_new(list, row_json(req, &deletions.rows[i]));
	return list;
}
