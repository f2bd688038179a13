/*
 * Reads snapshots of graphs from rows; see graph_reader.h.
 */
#include "storage/snapshots/graph_reader.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "daemon/base/array.h"
#include "daemon/base/auto.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/database/sql.h"
#include "storage/snapshots/row.h"
#include "storage/snapshots/rule_text.h"
#include "storage/tables/open_tables.h"

static int labels_chunk_add(struct apsp_labels *labels, const char *text,
	size_t size, struct apsp_err *err)
{
	struct apsp_err why;
	uint32_t index;
	int r;

	while (size > 0) {
		size_t length = strnlen(text, size);

		if (length == size)
			return apsp_fail(
				err, APSP_EROW, "one of its labels is cut");
		r = apsp_labels_intern(labels, text, length, &index, &why);
		if (r < 0)
			return apsp_fail(err,
				r == APSP_ENOMEM ? APSP_ENOMEM : APSP_EROW,
				"%s", why.message);
		text += length + 1;
		size -= length + 1;
	}
	return 0;
}

static int labels_load(struct apsp_graph_reader *reader, uint64_t generation,
	uint32_t n_vertices, struct apsp_labels **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_labels_end) struct apsp_labels *labels = NULL;
	int r;

	r = apsp_labels_new(NULL, &labels, err);
	if (r < 0)
		return r;
	r = apsp_sql_prepare(reader->db,
		"SELECT data FROM chunks WHERE generation = ?1 AND"
		" kind = 'labels' ORDER BY number",
		APSP_BIND(apsp_bind_id(generation)), &reader->labels, err);
	while (r >= 0 && (r = apsp_sql_step(reader->labels, err)) > 0)
		r = labels_chunk_add(labels,
			sqlite3_column_blob(reader->labels, 0),
			(size_t)sqlite3_column_bytes(reader->labels, 0), err);
	if (r < 0)
		return r;
	if (labels->count != n_vertices)
		return apsp_fail(err, APSP_EROW,
			"it has %u labels where %u are due", labels->count,
			n_vertices);
	*out = APSP_TAKE(labels);
	return 0;
}

/*
 * Find the labels of a generation and, if it has any, its attributes. If they
 * are not in memory, read them from rows. Generations of the same revision
 * share their labels, and also their attributes if the attributes have the same
 * id.
 */
static int vertices_find(struct apsp_graph_reader *reader,
	struct apsp_generation *generation, uint64_t attributes,
	struct apsp_err *err)
{
	const struct apsp_graph_snapshot *old = reader->old;
	const struct apsp_generation *same = NULL;
	int r = 0;

	for (size_t i = 0; old && i < old->n_live && !same; i++)
		if (strcmp(old->live[i].revision, generation->revision) == 0)
			same = &old->live[i];
	if (reader->fresh &&
		strcmp(reader->fresh_revision, generation->revision) == 0)
		generation->labels = apsp_labels_ref(reader->fresh);
	else if (same)
		generation->labels = apsp_labels_ref(same->labels);
	else
		r = labels_load(reader, generation->id, generation->n_vertices,
			&generation->labels, err);
	if (r < 0 || !attributes)
		return r;
	if (!same || !same->attributes || same->attributes->id != attributes)
		return apsp_attribute_rows_load(reader->db, attributes,
			generation->labels, &generation->attributes, err);
	generation->attributes = apsp_attributes_ref(same->attributes);
	return 0;
}

int apsp_graph_reader_vertices(struct apsp_graph_reader *reader, uint64_t id,
	struct apsp_graph_vertices *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
	struct apsp_generation generation = {.id = id};
	APSP_AUTO(apsp_graph_vertices_done)
	struct apsp_graph_vertices vertices = {0};
	int r;

	r = apsp_sql_first(reader->db,
		"SELECT revision, n_vertices, attributes FROM generations"
		" WHERE id = ?1",
		APSP_BIND(apsp_bind_id(id)), &stmt, err);
	if (r == 0)
		r = apsp_fail(err, APSP_EROW, "its upload has no row");
	if (r > 0)
		r = apsp_sql_text(stmt, 0, generation.revision,
			sizeof(generation.revision), err);
	if (r < 0)
		return r;
	generation.n_vertices = (uint32_t)sqlite3_column_int64(stmt, 1);
	r = vertices_find(reader, &generation,
		(uint64_t)sqlite3_column_int64(stmt, 2), err);
	vertices.labels = generation.labels;
	vertices.attributes = generation.attributes;
	if (r == 0)
		*out = APSP_TAKE(vertices);
	return r;
}

void apsp_graph_vertices_done(struct apsp_graph_vertices *vertices)
{
	apsp_labels_unref(vertices->labels);
	apsp_attributes_unref(vertices->attributes);
	*vertices = (struct apsp_graph_vertices){0};
}

/* The columns of the query in profiles_load(). */
enum {
	COL_NAME,
	COL_RULE,
	COL_HASH,
	COL_JOB,
	COL_SERVED_RULE,
	COL_SERVED_HASH,
	COL_STATE,
	/* the first of the four columns that apsp_row_job_error() reads */
	COL_ERROR,
};

/*
 * Find the tables to which the profile's row refers. The row has the text and
 * the hash of the rule by which the tables were computed. Requests can use the
 * tables if this rule is the profile's newest rule, which was read before, or
 * if apsp_row_rule() can read the text. If it cannot, another version of apspd
 * may have written the text; then requests can use the tables if the text has
 * the hash. Otherwise the row is damaged, and the profile gets no tables.
 */
static int served_read(sqlite3_stmt *stmt,
	const struct apsp_open_tables *open_tables, const char *revision,
	struct apsp_profile_snapshot *out, struct apsp_err *err)
{
	const struct apsp_open_tables_entry *entry;
	char served[APSP_HASH_SIZE];
	int r;

	r = apsp_sql_text(stmt, COL_SERVED_HASH, served, sizeof(served), err);
	if (r < 0 || !*served)
		return r;
	out->tables_newest = strcmp(served, out->hash) == 0;
	if (out->tables_newest && !out->unreadable.code)
		out->tables_rule = out->rule;
	else
		r = apsp_row_rule(stmt, COL_SERVED_RULE, COL_SERVED_HASH,
			&out->tables_rule, NULL);
	if (r == 0)
		out->tables_transform =
			apsp_transform_name(out->tables_rule.transform);
	else if (!apsp_row_rule_has_hash(
			 stmt, COL_SERVED_RULE, COL_SERVED_HASH))
		return 0;
	entry = apsp_open_tables_find(open_tables, revision, served);
	if (entry && entry->tables)
		out->tables = apsp_tables_ref(entry->tables);
	/* the table file is not open: requests that need the tables get
	   APSP_ENOTREADY, so that clients try again later */
	else if (entry)
		apsp_fail(&out->tables_trouble, APSP_ENOTREADY,
			"%s; apspd will try to open them again",
			entry->trouble.message);
	return 0;
}

/* Read the state and the error of the profile's job, if the profile has a
   job. */
static int job_read(sqlite3_stmt *stmt, struct apsp_profile_snapshot *out,
	struct apsp_err *err)
{
	int r;

	out->job = (uint64_t)sqlite3_column_int64(stmt, COL_JOB);
	out->job_state = APSP_JOB_SUCCEEDED;
	if (!out->job)
		return 0;
	r = apsp_row_job_state(stmt, COL_STATE, &out->job_state, err);
	return r < 0 ? r
		     : apsp_row_job_error(
			       stmt, COL_ERROR, &out->job_error, err);
}

/*
 * Find the vertices and totals that the rule of the profile's tables takes from
 * attributes: the choice of the rule (rule_choice.h). The tables were normally
 * computed with this choice, because a change of attributes that changes the
 * choice also removes the tables from the profile (storage/graphs.c). But an
 * older version of apspd, which knew no choices, may have changed the
 * attributes. Then the profile gets no tables, and requests fail until the
 * profile is defined again.
 */
static int choice_read(const struct apsp_generation *generation,
	struct apsp_profile_snapshot *out, struct apsp_err *err)
{
	uint8_t digest[APSP_CHOICE_DIGEST_SIZE];
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	int r;

	if (!out->tables || !apsp_profile_chooses(&out->tables_rule))
		return 0;
	r = apsp_rule_choice_make(&out->tables_rule, generation->labels,
		generation->attributes, &out->choice, err);
	if (r == APSP_ENOMEM)
		return r;
	if (r == 0) {
		apsp_rule_choice_digest(
			&out->choice, generation->labels, digest);
		apsp_rule_text_write(&out->tables_rule, digest, text, hash);
	}
	if (r == 0 && strcmp(hash, out->tables->header.profile_hash) == 0)
		return 0;
	apsp_rule_choice_done(&out->choice);
	apsp_tables_unref(out->tables);
	out->tables = NULL;
	apsp_fail(&out->tables_trouble, APSP_ETABLES,
		"they were computed with other attributes; define the profile "
		"again");
	return 0;
}

static int profile_read(sqlite3_stmt *stmt,
	const struct apsp_open_tables *open_tables,
	const struct apsp_generation *generation,
	struct apsp_profile_snapshot *out, struct apsp_err *err)
{
	int r;

	r = apsp_sql_text(stmt, COL_NAME, out->name, sizeof(out->name), err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, COL_HASH, out->hash, sizeof(out->hash), err);
	if (r < 0)
		return r;
	apsp_row_rule(stmt, COL_RULE, COL_HASH, &out->rule, &out->unreadable);
	r = served_read(stmt, open_tables, generation->revision, out, err);
	if (r == 0)
		r = choice_read(generation, out, err);
	return r < 0 ? r : job_read(stmt, out, err);
}

static int profiles_load(struct apsp_graph_reader *reader,
	struct apsp_generation *generation, struct apsp_err *err)
{
	struct apsp_profile_snapshot *profile;
	size_t capacity = 0;
	int r;

	r = apsp_sql_prepare(reader->db,
		"SELECT p.name, p.rule, p.hash, p.job, p.served_rule,"
		" p.served_hash, j.state, j.error_code, j.error_message,"
		" j.error_line, j.error_column"
		" FROM profiles p LEFT JOIN jobs j ON j.id = p.job"
		" WHERE p.generation = ?1 ORDER BY p.name != 'default', p.name",
		APSP_BIND(apsp_bind_id(generation->id)), &reader->profiles,
		err);
	while (r >= 0 && (r = apsp_sql_step(reader->profiles, err)) > 0) {
		r = apsp_array_reserve(&generation->profiles,
			generation->n_profiles + 1, &capacity,
			&(struct apsp_array_growth){
				sizeof(*profile), 2, "profiles", NULL},
			err);
		if (r < 0)
			return r;
		profile = &generation->profiles[generation->n_profiles++];
		*profile = (struct apsp_profile_snapshot){0};
		r = profile_read(reader->profiles, reader->open_tables,
			generation, profile, err);
	}
	if (r == 0 && !apsp_generation_profile(generation, "default"))
		return apsp_fail(err, APSP_EROW, "it has no profile 'default'");
	return r;
}

/* Read the origin of the generation: the graph from which it was made, if any.
   The row is damaged if a text is longer than its buffer. */
static int origin_read(
	sqlite3_stmt *stmt, struct apsp_origin *out, struct apsp_err *err)
{
	const char *question = (const char *)sqlite3_column_text(stmt, 11);
	int r = apsp_sql_text(stmt, 9, out->graph, sizeof(out->graph), err);

	if (r == 0)
		r = apsp_sql_text(
			stmt, 10, out->revision, sizeof(out->revision), err);
	if (r < 0 || !*out->graph || !question)
		return r;
	out->question = strdup(question);
	return out->question
		       ? 0
		       : apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
}

/* Read the column that holds the name of the upload's format. */
static int format_read(
	sqlite3_stmt *stmt, enum apsp_format *out, struct apsp_err *err)
{
	char word[16];
	int r = apsp_sql_text(stmt, 5, word, sizeof(word), err);
	int format = r < 0 ? r : apsp_format_from_name(word);

	if (r == 0 && format < 0)
		return apsp_fail(
			err, APSP_EROW, "'%s' is no format of a graph", word);
	if (r == 0)
		*out = (enum apsp_format)format;
	return r;
}

/* Add a generation to the snapshot. The statement reader->generations is at the
   row of the generation. If this function fails, the caller frees the
   snapshot. */
static int generation_load(struct apsp_graph_reader *reader,
	struct apsp_graph_snapshot *snapshot, struct apsp_err *err)
{
	sqlite3_stmt *stmt = reader->generations;
	struct apsp_generation *generation =
		&snapshot->live[snapshot->n_live++];
	char state[16];
	int r;

	generation->id = (uint64_t)sqlite3_column_int64(stmt, 0);
	generation->graph = snapshot->name;
	r = apsp_sql_text(stmt, 1, state, sizeof(state), err);
	if (r == 0)
		r = apsp_sql_text(stmt, 2, generation->revision,
			sizeof(generation->revision), err);
	if (r == 0)
		r = format_read(stmt, &generation->format, err);
	if (r == 0)
		r = origin_read(stmt, &generation->origin, err);
	if (r == 0)
		r = apsp_sql_text(stmt, 12, generation->weight_unit,
			sizeof(generation->weight_unit), err);
	if (r < 0)
		return r;
	generation->n_vertices = (uint32_t)sqlite3_column_int64(stmt, 3);
	generation->n_arcs = (uint64_t)sqlite3_column_int64(stmt, 4);
	generation->uploaded_at_ms = sqlite3_column_int64(stmt, 6);
	generation->weights = (unsigned int)sqlite3_column_int(stmt, 7);
	if (strcmp(state, "current") == 0)
		snapshot->current = generation;
	else
		snapshot->pending = generation;
	r = vertices_find(reader, generation,
		(uint64_t)sqlite3_column_int64(stmt, 8), err);
	return r < 0 ? r : profiles_load(reader, generation, err);
}

void apsp_graph_reader_done(struct apsp_graph_reader *reader)
{
	apsp_sql_done(&reader->generations);
	apsp_sql_done(&reader->labels);
	apsp_sql_done(&reader->profiles);
}

static int generations_load(struct apsp_graph_reader *reader,
	struct apsp_graph_snapshot *snapshot, struct apsp_err *err)
{
	int r;

	/* load the newest upload first: a search by revision uses the first
	   match, and the rows of an older upload with the same revision may be
	   damaged */
	r = apsp_sql_prepare(reader->db,
		"SELECT id, state, revision, n_vertices, n_arcs, format,"
		" uploaded_at_ms, weights, attributes, origin_graph,"
		" origin_revision, origin_question, weight_unit"
		" FROM generations"
		" WHERE graph = ?1 ORDER BY id DESC LIMIT 2",
		APSP_BIND(apsp_bind_text(snapshot->name)), &reader->generations,
		err);
	while (r >= 0 && (r = apsp_sql_step(reader->generations, err)) > 0)
		r = generation_load(reader, snapshot, err);
	return r;
}

static struct apsp_graph_snapshot *snapshot_new(
	const char name[APSP_NAME_SIZE], struct apsp_err *err)
{
	struct apsp_graph_snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot) {
		apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
		return NULL;
	}
	atomic_init(&snapshot->n_refs, 1);
	memcpy(snapshot->name, name, APSP_NAME_SIZE);
	return snapshot;
}

int apsp_graph_reader_unusable(const char name[APSP_NAME_SIZE],
	const struct apsp_err *why, const struct apsp_graph_snapshot **out,
	struct apsp_err *err)
{
	struct apsp_graph_snapshot *snapshot = snapshot_new(name, err);

	if (!snapshot)
		return APSP_ENOMEM;
	snapshot->unreadable = *why;
	*out = snapshot;
	return 0;
}

int apsp_graph_reader_load(struct apsp_graph_reader *reader,
	const char name[APSP_NAME_SIZE], const struct apsp_graph_snapshot **out,
	struct apsp_err *err)
{
	struct apsp_graph_snapshot *snapshot = snapshot_new(name, err);
	struct apsp_err why, unreadable;
	int r;

	if (!snapshot)
		return APSP_ENOMEM;
	r = generations_load(reader, snapshot, &why);
	if (r == 0 && snapshot->n_live > 0) {
		*out = snapshot;
		return 0;
	}
	apsp_graph_snapshot_unref(snapshot);
	*out = NULL;
	if (r == 0)
		return 0;
	if (r != APSP_EROW)
		return apsp_fail(err, (enum apsp_code)r, "%s", why.message);
	apsp_fail(&unreadable, APSP_EROW,
		"the graph '%s' is stored, but cannot be read; upload it again "
		"or delete it: %s",
		name, why.message);
	return apsp_graph_reader_unusable(name, &unreadable, out, err);
}
