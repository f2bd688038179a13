/*
 * The cache as JSON; see cache_json.h. To find the deletions that would free
 * space, we make a row for each profile that has tables, and sort the rows by
 * the tables' ids. Rows with the same tables are then neighbours.
 */
#include "api/cache_json.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/jobs/cache_limit.h"

enum {
	PAGE = 64,     /* number of graphs that are read at a time */
	ROWS_MAX = 8,  /* largest number of deletions that one answer lists */
	ROWS_MIN = 64, /* number of rows in the first allocation */
};

/* A number of bytes as JSON. No disk is larger than INT64_MAX bytes, so a
   larger number is written as INT64_MAX. */
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

/* A profile and its tables. */
struct row {
	char graph[APSP_NAME_SIZE];
	char profile[APSP_NAME_SIZE];
	uint64_t size_bytes; /* size of the tables */
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

/* For each profile of an upload, append a row if the profile has tables.
   Returns false if there is no memory. */
static bool generation_add(struct rows *rows, const char *graph,
	const struct apsp_generation *generation)
{
	for (size_t i = 0; generation && i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *profile =
			&generation->profiles[i];
		size_t room = rows->room ? 2 * rows->room : ROWS_MIN;
		struct row *row;

		if (!profile->tables)
			continue;
		if (rows->n == rows->room) {
			row = reallocarray(rows->rows, room, sizeof(*row));
			if (!row)
				return false;
			rows->rows = row;
			rows->room = room;
		}
		row = &rows->rows[rows->n++];
		*row = (struct row){
			.size_bytes = profile->tables->header.file_size};
		memcpy(row->graph, graph, strlen(graph) + 1);
		memcpy(row->profile, profile->name, sizeof(row->profile));
		memcpy(row->tables, profile->tables->id, sizeof(row->tables));
	}
	return true;
}

static bool all_add(struct rows *rows, struct apsp_snapshot_map *graphs)
{
	const struct apsp_graph_snapshot *page[PAGE];
	char after[APSP_NAME_SIZE] = "";
	bool whole = true;
	size_t n;

	do {
		n = apsp_snapshot_map_list(graphs, after, page, PAGE);
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

/*
 * Add the size of a row's tables to the bytes that one deletion frees. If
 * `profile` is NULL, the deletion removes the row's graph; otherwise it removes
 * only this profile. The keys of `deletions` are the URL paths for the DELETE
 * requests. The names of graphs and profiles need no percent-encoding in these
 * paths (daemon/base/name.h).
 */
static void deletion_add(json_t *deletions, const struct apsp_request *req,
	const struct row *row, const char *profile)
{
	const char *base = req->config->settings->base_path;
	json_t *path = json_sprintf("%s/v1/graphs/%s%s%s", base ? base : "",
		row->graph, profile ? "/profiles/" : "",
		profile ? profile : "");
	const char *key = json_string_value(path);
	json_t *deletion = key ? json_object_get(deletions, key) : NULL;
	json_int_t bytes = (json_int_t)row->size_bytes;

	if (deletion) {
		bytes += json_integer_value(json_object_get(deletion, "bytes"));
		json_object_set_new(deletion, "bytes", json_integer(bytes));
	} else if (key) {
		json_object_set_new(deletions, key,
			json_pack("{s:s, s:s*, s:I, s:O}", "graph", row->graph,
				"profile", profile, "bytes", bytes, "delete",
				path));
	}
	json_decref(path);
}

/*
 * Find the deletions that free tables. Deleting a graph frees the tables that
 * no other graph has; deleting a profile frees the tables that no other profile
 * of any graph has. The profile `default` cannot be deleted by itself.
 */
static void deletions_find(json_t *deletions, const struct apsp_request *req,
	const struct rows *rows)
{
	for (size_t i = 0, end; i < rows->n; i = end) {
		const struct row *first = &rows->rows[i], *last = first;

		for (end = i + 1; end < rows->n; end++) {
			if (strcmp(rows->rows[end].tables, first->tables) != 0)
				break;
			last = &rows->rows[end];
		}
		if (strcmp(first->graph, last->graph) != 0)
			continue;
		deletion_add(deletions, req, first, NULL);
		if (strcmp(first->profile, last->profile) == 0 &&
			strcmp(first->profile, "default") != 0)
			deletion_add(deletions, req, first, first->profile);
	}
}

/* Return the URL path of the deletion that frees the most bytes, or NULL if
   `deletions` is empty. */
static const char *largest(json_t *deletions)
{
	json_int_t most = -1, bytes;
	const char *found = NULL, *path;
	json_t *deletion;

	json_object_foreach(deletions, path, deletion)
	{
		bytes = json_integer_value(json_object_get(deletion, "bytes"));
		if (bytes > most ||
			(bytes == most && strcmp(path, found) < 0)) {
			most = bytes;
			found = path;
		}
	}
	return found;
}

json_t *apsp_cache_json_deletable(const struct apsp_request *req)
{
	APSP_AUTO(rows_done) struct rows rows = {0};
	json_t *deletions, *list;
	const char *path;

	if (!all_add(&rows, req->config->graphs))
		return NULL;
	if (rows.n > 0)
		qsort(rows.rows, rows.n, sizeof(*rows.rows), by_tables);
	deletions = json_object();
	list = json_array();
	deletions_find(deletions, req, &rows);
	while (json_array_size(list) < ROWS_MAX &&
		(path = largest(deletions))) {
		json_array_append(list, json_object_get(deletions, path));
		json_object_del(deletions, path);
	}
	json_decref(deletions);
	return list;
}
