/*
 * Views; see view.h.
 */
#include "storage/view.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "storage/sql.h"

struct view {
	struct apsp_graph_view shown;
	atomic_uint refs;
	struct apsp_generation generations[2];
	struct apsp_profile_view *profiles[2]; /* owned */
	struct apsp_label_box *boxes[2];
	size_t n_generations;
};

/* Every view that leaves this file is the first member of a struct view. */
static struct view *view_of(const struct apsp_graph_view *shown)
{
	return (struct view *)(uintptr_t)shown;
}

int apsp_label_box_new(struct apsp_labels *labels, struct apsp_label_box **out,
	struct apsp_err *err)
{
	struct apsp_label_box *box = calloc(1, sizeof(*box));

	if (!box)
		return apsp_fail(err, APSP_ENOMEM, "no memory for labels");
	atomic_init(&box->refs, 1);
	box->labels = labels;
	*out = box;
	return 0;
}

struct apsp_label_box *apsp_label_box_ref(struct apsp_label_box *box)
{
	atomic_fetch_add_explicit(&box->refs, 1, memory_order_relaxed);
	return box;
}

void apsp_label_box_unref(struct apsp_label_box *box)
{
	if (!box || atomic_fetch_sub_explicit(
			    &box->refs, 1, memory_order_acq_rel) > 1)
		return;
	apsp_labels_free(box->labels);
	free(box);
}

static void view_free(struct view *view)
{
	for (size_t i = 0; i < view->n_generations; i++) {
		for (size_t k = 0; k < view->generations[i].n_profiles; k++)
			apsp_tables_unref(view->profiles[i][k].tables);
		free(view->profiles[i]);
		apsp_label_box_unref(view->boxes[i]);
	}
	free(view);
}

const struct apsp_graph_view *apsp_graph_view_ref(
	const struct apsp_graph_view *shown)
{
	atomic_fetch_add_explicit(
		&view_of(shown)->refs, 1, memory_order_relaxed);
	return shown;
}

void apsp_graph_view_unref(const struct apsp_graph_view *shown)
{
	if (shown && atomic_fetch_sub_explicit(&view_of(shown)->refs, 1,
			     memory_order_acq_rel) == 1)
		view_free(view_of(shown));
}

APSP_AUTO_DEFINE(
	view_unref, const struct apsp_graph_view, apsp_graph_view_unref);
APSP_AUTO_DEFINE(labels_free, struct apsp_labels, apsp_labels_free);

static int labels_chunk_add(struct apsp_labels *labels, const char *text,
	size_t size, struct apsp_err *err)
{
	uint32_t index;
	int r;

	while (size > 0) {
		size_t length = strnlen(text, size);

		if (length == size)
			return apsp_fail(err, APSP_EDB,
				"the database holds a label that is cut");
		r = apsp_labels_intern(labels, text, length, &index, err);
		if (r < 0)
			return r;
		text += length + 1;
		size -= length + 1;
	}
	return 0;
}

static int labels_load(sqlite3 *db, uint64_t generation, uint32_t n_vertices,
	struct apsp_label_box **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	APSP_AUTO(labels_free) struct apsp_labels *labels = NULL;
	int r;

	r = apsp_labels_new(&labels, err);
	if (r < 0)
		return r;
	r = apsp_sql_prepare(db,
		"SELECT data FROM chunks WHERE generation = ?1 AND"
		" kind = 'labels' ORDER BY number",
		APSP_BIND(apsp_bind_id(generation)), &stmt, err);
	if (r < 0)
		return r;
	for (;;) {
		r = apsp_sql_step(stmt, err);
		if (r > 0)
			r = labels_chunk_add(labels,
				sqlite3_column_blob(stmt, 0),
				(size_t)sqlite3_column_bytes(stmt, 0), err);
		else
			break;
		if (r < 0)
			break;
	}
	if (r < 0)
		return r;
	if (apsp_labels_count(labels) != n_vertices)
		return apsp_fail(err, APSP_EDB,
			"the database holds %u labels where %u are due",
			apsp_labels_count(labels), n_vertices);
	r = apsp_label_box_new(labels, out, err);
	if (r == 0)
		labels = NULL;
	return r;
}

/* The labels of one revision are the same, whichever generation has them. */
static int labels_find(sqlite3 *db, const struct apsp_view_sources *sources,
	const struct apsp_generation *generation, struct apsp_label_box **out,
	struct apsp_err *err)
{
	struct view *old = sources->old ? view_of(sources->old) : NULL;

	if (sources->fresh &&
		strcmp(sources->fresh_revision, generation->revision) == 0) {
		*out = apsp_label_box_ref(sources->fresh);
		return 0;
	}
	for (size_t i = 0; old && i < old->n_generations; i++)
		if (strcmp(old->generations[i].revision,
			    generation->revision) == 0) {
			*out = apsp_label_box_ref(old->boxes[i]);
			return 0;
		}
	return labels_load(
		db, generation->id, generation->n_vertices, out, err);
}

/* The columns of profiles_load()'s query. */
enum {
	COL_NAME,
	COL_RULE,
	COL_HASH,
	COL_JOB,
	COL_SERVED_RULE,
	COL_SERVED_HASH,
	COL_STATE,
	COL_ERROR_CODE,
	COL_ERROR_MESSAGE,
	COL_ERROR_LINE,
	COL_ERROR_COLUMN,
};

static int profile_read(sqlite3_stmt *stmt, const struct apsp_shelf *shelf,
	const char *revision, struct apsp_profile_view *out,
	struct apsp_err *err)
{
	char rule[APSP_PROFILE_TEXT_SIZE], served[APSP_HASH_SIZE];
	char state[16], code[32];
	int r;

	apsp_sql_text(stmt, COL_NAME, out->name, sizeof(out->name));
	apsp_sql_text(stmt, COL_HASH, out->hash, sizeof(out->hash));
	apsp_sql_text(stmt, COL_RULE, rule, sizeof(rule));
	r = apsp_profile_scan(rule, &out->rule, err);
	if (r < 0)
		return r;
	apsp_sql_text(stmt, COL_SERVED_HASH, served, sizeof(served));
	if (*served) {
		apsp_sql_text(stmt, COL_SERVED_RULE, rule, sizeof(rule));
		r = apsp_profile_scan(rule, &out->tables_rule, err);
		if (r < 0)
			return r;
		out->tables = apsp_shelf_get(shelf, revision, served);
	}
	out->job = (uint64_t)sqlite3_column_int64(stmt, COL_JOB);
	out->job_state = APSP_JOB_SUCCEEDED;
	if (!out->job)
		return 0;
	apsp_sql_text(stmt, COL_STATE, state, sizeof(state));
	out->job_state = (enum apsp_job_state)apsp_job_state_from_name(state);
	apsp_sql_text(stmt, COL_ERROR_CODE, code, sizeof(code));
	if (!*code)
		return 0;
	out->job_error.code = apsp_code_from_name(code);
	apsp_sql_text(stmt, COL_ERROR_MESSAGE, out->job_error.message,
		sizeof(out->job_error.message));
	out->job_error.line =
		(uint64_t)sqlite3_column_int64(stmt, COL_ERROR_LINE);
	out->job_error.column =
		(uint64_t)sqlite3_column_int64(stmt, COL_ERROR_COLUMN);
	return 0;
}

/* Fill view->profiles[i]; what was read is freed with the view. */
static int profiles_load(sqlite3 *db, const struct apsp_shelf *shelf,
	struct view *view, size_t i, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_generation *generation = &view->generations[i];
	int64_t n = 0;
	int r;

	r = apsp_sql_int(db,
		"SELECT count(*) FROM profiles WHERE generation = ?1",
		APSP_BIND(apsp_bind_id(generation->id)), &n, err);
	if (r < 0)
		return r;
	view->profiles[i] =
		calloc((size_t)n + 1, sizeof(struct apsp_profile_view));
	if (!view->profiles[i])
		return apsp_fail(err, APSP_ENOMEM, "no memory for profiles");
	generation->profiles = view->profiles[i];
	r = apsp_sql_prepare(db,
		"SELECT p.name, p.rule, p.hash, p.job, p.served_rule,"
		" p.served_hash, j.state, j.error_code, j.error_message,"
		" j.error_line, j.error_column"
		" FROM profiles p LEFT JOIN jobs j ON j.id = p.job"
		" WHERE p.generation = ?1 ORDER BY p.name != 'default', p.name",
		APSP_BIND(apsp_bind_id(generation->id)), &stmt, err);
	if (r < 0)
		return r;
	for (int64_t k = 0; k < n; k++) {
		r = apsp_sql_step(stmt, err);
		if (r <= 0)
			break;
		generation->n_profiles++;
		r = profile_read(stmt, shelf, generation->revision,
			&view->profiles[i][k], err);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int generation_load(sqlite3_stmt *stmt, sqlite3 *db,
	const struct apsp_shelf *shelf, struct view *view,
	const struct apsp_view_sources *sources, struct apsp_err *err)
{
	size_t i = view->n_generations++;
	struct apsp_generation *generation = &view->generations[i];
	char state[16], format[16];
	int r;

	generation->id = (uint64_t)sqlite3_column_int64(stmt, 0);
	apsp_sql_text(stmt, 1, state, sizeof(state));
	apsp_sql_text(
		stmt, 2, generation->revision, sizeof(generation->revision));
	generation->n_vertices = (uint32_t)sqlite3_column_int64(stmt, 3);
	generation->n_arcs = (uint64_t)sqlite3_column_int64(stmt, 4);
	apsp_sql_text(stmt, 5, format, sizeof(format));
	generation->format = (enum apsp_format)apsp_format_from_name(format);
	generation->uploaded_at_ms = sqlite3_column_int64(stmt, 6);
	generation->weights = (unsigned int)sqlite3_column_int(stmt, 7);
	if (strcmp(state, "current") == 0)
		view->shown.current = generation;
	else
		view->shown.pending = generation;
	r = labels_find(db, sources, generation, &view->boxes[i], err);
	if (r < 0)
		return r;
	generation->labels = view->boxes[i]->labels;
	return profiles_load(db, shelf, view, i, err);
}

int apsp_view_load(sqlite3 *db, const struct apsp_shelf *shelf,
	const char *name, const struct apsp_view_sources *sources,
	const struct apsp_graph_view **out, struct apsp_err *err)
{
	APSP_AUTO(view_unref) const struct apsp_graph_view *shown = NULL;
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct view *view;
	int r;

	view = calloc(1, sizeof(*view));
	if (!view)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
	atomic_init(&view->refs, 1);
	shown = &view->shown;
	strncpy(view->shown.name, name, sizeof(view->shown.name) - 1);
	r = apsp_sql_prepare(db,
		"SELECT id, state, revision, n_vertices, n_arcs, format,"
		" uploaded_at_ms, weights FROM generations WHERE graph = ?1 "
		"LIMIT 2",
		APSP_BIND(apsp_bind_text(name)), &stmt, err);
	if (r < 0)
		return r;
	while ((r = apsp_sql_step(stmt, err)) > 0) {
		r = generation_load(stmt, db, shelf, view, sources, err);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	*out = view->n_generations ? APSP_TAKE(shown) : NULL;
	return 0;
}

const struct apsp_generation *apsp_graph_view_newest(
	const struct apsp_graph_view *view)
{
	return view->pending ? view->pending : view->current;
}

const struct apsp_profile_view *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->n_profiles; i++)
		if (strcmp(generation->profiles[i].name, name) == 0)
			return &generation->profiles[i];
	return NULL;
}
