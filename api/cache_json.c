/*
 * The cache as JSON; see cache_json.h. To find the deletions that would free
 * space, we first find the graph and the profile of each set of tables.
 */
#include "api/cache_json.h"

#include <string.h>

#include "storage/snapshots/snapshot_map.h"
#include "storage/jobs/cache_limit.h"

enum {
	PAGE = 64,    /* number of graphs that are read at a time */
	ROWS_MAX = 8, /* largest number of deletions that one answer lists */
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

static const char *text_of(json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

/*
 * Add the tables of an upload to `users`. This JSON object maps the id of each
 * set of tables to an object with the name of the graph that has them, the name
 * of the profile, and the size in bytes. If several graphs have the tables, the
 * graph's name is ""; if several profiles have them, the profile's name is "".
 * Returns false if there is no memory.
 */
static bool generation_add(json_t *users, const char *graph,
	const struct apsp_generation *generation)
{
	int r = 0;

	for (size_t i = 0; generation && i < generation->n_profiles; i++) {
		const char *profile = generation->profiles[i].name;
		const struct apsp_tables *tables =
			generation->profiles[i].tables;
		json_t *user =
			tables ? json_object_get(users, tables->id) : NULL;

		if (user && strcmp(text_of(user, "graph"), graph) != 0)
			r |= json_object_set_new(
				user, "graph", json_string(""));
		if (user && strcmp(text_of(user, "profile"), profile) != 0)
			r |= json_object_set_new(
				user, "profile", json_string(""));
		if (tables && !user)
			r |= json_object_set_new(users, tables->id,
				json_pack("{s:s, s:s, s:I}", "graph", graph,
					"profile", profile, "bytes",
					(json_int_t)tables->header.file_size));
	}
	return r == 0;
}

static bool all_add(json_t *users, struct apsp_snapshot_map *graphs)
{
	const struct apsp_graph_snapshot *page[PAGE];
	char after[APSP_NAME_SIZE] = "";
	bool whole = true;
	size_t n;

	do {
		n = apsp_snapshot_map_list(graphs, after, page, PAGE);
		for (size_t i = 0; i < n; i++) {
			whole = whole &&
				generation_add(users, page[i]->name,
					page[i]->current) &&
				generation_add(
					users, page[i]->name, page[i]->pending);
			memcpy(after, page[i]->name, sizeof(after));
			apsp_graph_snapshot_unref(page[i]);
		}
	} while (n == PAGE && whole);
	return whole;
}

/*
 * Add the bytes of tables to the bytes that one deletion frees. If `profile` is
 * NULL, the deletion removes the graph; otherwise it removes only this profile.
 * The keys of `deletions` are the URL paths for the DELETE requests. The names
 * of graphs and profiles need no percent-encoding in these paths
 * (daemon/base/name.h).
 */
static void deletion_add(json_t *deletions, const struct apsp_request *req,
	const char *graph, const char *profile, json_int_t bytes)
{
	const char *base = req->config->settings->base_path;
	json_t *path = json_sprintf("%s/v1/graphs/%s%s%s", base ? base : "",
		graph, profile ? "/profiles/" : "", profile ? profile : "");
	const char *key = json_string_value(path);
	json_t *deletion = key ? json_object_get(deletions, key) : NULL;

	if (deletion) {
		bytes += json_integer_value(json_object_get(deletion, "bytes"));
		json_object_set_new(deletion, "bytes", json_integer(bytes));
	} else if (key) {
		json_object_set_new(deletions, key,
			json_pack("{s:s, s:s*, s:I, s:O}", "graph", graph,
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
static void deletions_find(
	json_t *deletions, const struct apsp_request *req, json_t *users)
{
	const char *id;
	json_t *user;

	json_object_foreach(users, id, user)
	{
		const char *graph = text_of(user, "graph");
		const char *profile = text_of(user, "profile");
		json_int_t bytes =
			json_integer_value(json_object_get(user, "bytes"));

		if (!*graph)
			continue;
		deletion_add(deletions, req, graph, NULL, bytes);
		if (*profile && strcmp(profile, "default") != 0)
			deletion_add(deletions, req, graph, profile, bytes);
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
	json_auto_t *users = json_object(), *deletions = json_object();
	json_t *list;
	const char *path;

	if (!users || !all_add(users, req->config->graphs))
		return NULL;
	deletions_find(deletions, req, users);
	list = json_array();
	while (json_array_size(list) < ROWS_MAX &&
		(path = largest(deletions))) {
		json_array_append(list, json_object_get(deletions, path));
		json_object_del(deletions, path);
	}
	return list;
}
