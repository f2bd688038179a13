/*
 * Snapshots of graphs; see graph_snapshot.h.
 */
#include "storage/snapshots/graph_snapshot.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/database/sql.h"
#include "storage/snapshots/row.h"
#include "storage/tables/open_tables.h"

/* A snapshot and what it borrows from. */
struct body {
	struct apsp_graph_snapshot shown;
	atomic_uint refs;
	struct apsp_generation generations[2];
	struct apsp_profile_snapshot *profiles[2]; /* owned */
	struct apsp_labels *labels[2];		   /* one reference each */
	struct apsp_attributes *attributes[2];	   /* the same; or NULL */
	size_t n_generations;
};

/* Every snapshot outside this file is the first member of a struct body. */
static struct body *body_of(const struct apsp_graph_snapshot *shown)
{
	return (struct body *)(uintptr_t)shown;
}

static void body_free(struct body *body)
{
	for (size_t i = 0; i < body->n_generations; i++) {
		for (size_t k = 0; k < body->generations[i].n_profiles; k++)
			apsp_tables_unref(body->profiles[i][k].tables);
		free(body->profiles[i]);
		apsp_labels_unref(body->labels[i]);
		apsp_attributes_unref(body->attributes[i]);
	}
	free(body);
}

const struct apsp_graph_snapshot *apsp_graph_snapshot_ref(
	const struct apsp_graph_snapshot *shown)
{
	atomic_fetch_add_explicit(
		&body_of(shown)->refs, 1, memory_order_relaxed);
	return shown;
}

void apsp_graph_snapshot_unref(const struct apsp_graph_snapshot *shown)
{
	if (shown && atomic_fetch_sub_explicit(&body_of(shown)->refs, 1,
			     memory_order_acq_rel) == 1)
		body_free(body_of(shown));
}

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

	r = apsp_labels_new(&labels, err);
	if (r < 0)
		return r;
	r = apsp_sql_again(reader->db,
		"SELECT data FROM chunks WHERE generation = ?1 AND"
		" kind = 'labels' ORDER BY number",
		APSP_BIND(apsp_bind_id(generation)), &reader->labels, err);
	while (r >= 0 && (r = apsp_sql_step(reader->labels, err)) > 0)
		r = labels_chunk_add(labels,
			sqlite3_column_blob(reader->labels, 0),
			(size_t)sqlite3_column_bytes(reader->labels, 0), err);
	if (r < 0)
		return r;
	if (apsp_labels_count(labels) != n_vertices)
		return apsp_fail(err, APSP_EROW,
			"it has %u labels where %u are due",
			apsp_labels_count(labels), n_vertices);
	*out = APSP_TAKE(labels);
	return 0;
}

/* Find or read the labels; generations of one revision have the same. */
static int labels_find(struct apsp_graph_reader *reader,
	const struct apsp_graph_snapshot_sources *sources,
	const struct apsp_generation *generation, struct apsp_labels **out,
	struct apsp_err *err)
{
	struct body *old = sources->old ? body_of(sources->old) : NULL;

	if (sources->fresh &&
		strcmp(sources->fresh_revision, generation->revision) == 0) {
		*out = apsp_labels_ref(sources->fresh);
		return 0;
	}
	for (size_t i = 0; old && i < old->n_generations; i++)
		if (strcmp(old->generations[i].revision,
			    generation->revision) == 0) {
			*out = apsp_labels_ref(old->labels[i]);
			return 0;
		}
	return labels_load(
		reader, generation->id, generation->n_vertices, out, err);
}

/* Find or read the attributes of set id for the generation's labels. */
static int attributes_find(sqlite3 *db,
	const struct apsp_graph_snapshot_sources *sources,
	const struct apsp_generation *generation, uint64_t id,
	struct apsp_attributes **out, struct apsp_err *err)
{
	struct body *old = sources->old ? body_of(sources->old) : NULL;

	for (size_t i = 0; old && i < old->n_generations; i++)
		if (old->attributes[i] &&
			apsp_attributes_id(old->attributes[i]) == id &&
			strcmp(old->generations[i].revision,
				generation->revision) == 0) {
			*out = apsp_attributes_ref(old->attributes[i]);
			return 0;
		}
	return apsp_attribute_rows_load(db, id, generation->labels, out, err);
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

/*
 * The tables that the row names. Their file tells whose they are, so they are
 * served under a rule that cannot be read, too, if its text is what was
 * written.
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
	out->tables_rule_known = apsp_row_rule(stmt, COL_SERVED_RULE,
					 &out->tables_rule, NULL) == 0;
	if (!out->tables_rule_known &&
		!apsp_row_rule_has_hash(stmt, COL_SERVED_RULE, served))
		return 0;
	entry = apsp_open_tables_find(open_tables, revision, served);
	out->tables_newest = strcmp(served, out->hash) == 0;
	if (entry && entry->tables)
		out->tables = apsp_tables_ref(entry->tables);
	else if (entry) /* it is told to clients, and will pass */
		apsp_fail(&out->tables_trouble, APSP_ENOTREADY, "%s",
			entry->trouble.message);
	return 0;
}

/* The state and the error of the profile's job, if it has one. */
static int job_read(sqlite3_stmt *stmt, struct apsp_profile_snapshot *out,
	struct apsp_err *err)
{
	char code[32];
	int r;

	out->job = (uint64_t)sqlite3_column_int64(stmt, COL_JOB);
	out->job_state = APSP_JOB_SUCCEEDED;
	if (!out->job)
		return 0;
	r = apsp_row_job_state(stmt, COL_STATE, &out->job_state, err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, COL_ERROR_CODE, code, sizeof(code), err);
	if (r < 0 || !*code)
		return r;
	out->job_error.code = apsp_code_from_name(code);
	apsp_sql_message(stmt, COL_ERROR_MESSAGE, &out->job_error);
	out->job_error.line =
		(uint64_t)sqlite3_column_int64(stmt, COL_ERROR_LINE);
	out->job_error.column =
		(uint64_t)sqlite3_column_int64(stmt, COL_ERROR_COLUMN);
	return 0;
}

static int profile_read(sqlite3_stmt *stmt,
	const struct apsp_open_tables *open_tables, const char *revision,
	struct apsp_profile_snapshot *out, struct apsp_err *err)
{
	int r;

	r = apsp_sql_text(stmt, COL_NAME, out->name, sizeof(out->name), err);
	if (r == 0)
		r = apsp_sql_text(
			stmt, COL_HASH, out->hash, sizeof(out->hash), err);
	if (r < 0)
		return r;
	apsp_row_rule(stmt, COL_RULE, &out->rule, &out->unreadable);
	r = served_read(stmt, open_tables, revision, out, err);
	return r < 0 ? r : job_read(stmt, out, err);
}

/* Fill body->profiles[i], which is freed with the body, also on failure. */
static int profiles_load(struct apsp_graph_reader *reader, struct body *body,
	size_t i, struct apsp_err *err)
{
	struct apsp_generation *generation = &body->generations[i];
	int64_t n;
	int r;

	r = apsp_sql_again(reader->db,
		"SELECT count(*) FROM profiles WHERE generation = ?1",
		APSP_BIND(apsp_bind_id(generation->id)), &reader->n_profiles,
		err);
	if (r == 0)
		r = apsp_sql_step(reader->n_profiles, err);
	if (r < 0)
		return r;
	n = sqlite3_column_int64(reader->n_profiles, 0);
	body->profiles[i] =
		calloc((size_t)n + 1, sizeof(struct apsp_profile_snapshot));
	if (!body->profiles[i])
		return apsp_fail(err, APSP_ENOMEM, "no memory for profiles");
	generation->profiles = body->profiles[i];
	r = apsp_sql_again(reader->db,
		"SELECT p.name, p.rule, p.hash, p.job, p.served_rule,"
		" p.served_hash, j.state, j.error_code, j.error_message,"
		" j.error_line, j.error_column"
		" FROM profiles p LEFT JOIN jobs j ON j.id = p.job"
		" WHERE p.generation = ?1 ORDER BY p.name != 'default', p.name",
		APSP_BIND(apsp_bind_id(generation->id)), &reader->profiles,
		err);
	if (r < 0)
		return r;
	for (int64_t k = 0; k < n; k++) {
		r = apsp_sql_step(reader->profiles, err);
		if (r <= 0)
			break;
		generation->n_profiles++;
		r = profile_read(reader->profiles, reader->open_tables,
			generation->revision, &body->profiles[i][k], err);
		if (r < 0)
			return r;
	}
	if (r >= 0 && !apsp_generation_profile(generation, "default"))
		return apsp_fail(err, APSP_EROW, "it has no profile 'default'");
	return r < 0 ? r : 0;
}

static int generation_load(struct apsp_graph_reader *reader, struct body *body,
	const struct apsp_graph_snapshot_sources *sources, struct apsp_err *err)
{
	sqlite3_stmt *stmt = reader->generations;
	size_t i = body->n_generations++;
	struct apsp_generation *generation = &body->generations[i];
	uint64_t attributes;
	char state[16];
	int r;

	generation->id = (uint64_t)sqlite3_column_int64(stmt, 0);
	r = apsp_sql_text(stmt, 1, state, sizeof(state), err);
	if (r == 0)
		r = apsp_sql_text(stmt, 2, generation->revision,
			sizeof(generation->revision), err);
	if (r == 0)
		r = apsp_row_format(stmt, 5, &generation->format, err);
	if (r < 0)
		return r;
	generation->n_vertices = (uint32_t)sqlite3_column_int64(stmt, 3);
	generation->n_arcs = (uint64_t)sqlite3_column_int64(stmt, 4);
	generation->uploaded_at_ms = sqlite3_column_int64(stmt, 6);
	generation->weights = (unsigned int)sqlite3_column_int(stmt, 7);
	if (strcmp(state, "current") == 0)
		body->shown.current = generation;
	else
		body->shown.pending = generation;
	r = labels_find(reader, sources, generation, &body->labels[i], err);
	if (r < 0)
		return r;
	generation->labels = body->labels[i];
	attributes = (uint64_t)sqlite3_column_int64(stmt, 8);
	if (attributes)
		r = attributes_find(reader->db, sources, generation, attributes,
			&body->attributes[i], err);
	if (r < 0)
		return r;
	generation->attributes = body->attributes[i];
	return profiles_load(reader, body, i, err);
}

void apsp_graph_reader_done(struct apsp_graph_reader *reader)
{
	apsp_sql_done(&reader->generations);
	apsp_sql_done(&reader->labels);
	apsp_sql_done(&reader->n_profiles);
	apsp_sql_done(&reader->profiles);
}

int apsp_graph_snapshot_load(struct apsp_graph_reader *reader, const char *name,
	const struct apsp_graph_snapshot_sources *sources,
	const struct apsp_graph_snapshot **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *shown = NULL;
	struct body *body;
	int r;

	body = calloc(1, sizeof(*body));
	if (!body)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a graph");
	atomic_init(&body->refs, 1);
	shown = &body->shown;
	if (!apsp_fixed_text_set(
		    body->shown.name, sizeof(body->shown.name), name))
		return apsp_fail(err, APSP_EROW, "its name is too long");
	r = apsp_sql_again(reader->db,
		"SELECT id, state, revision, n_vertices, n_arcs, format,"
		" uploaded_at_ms, weights, attributes FROM generations"
		" WHERE graph = ?1 LIMIT 2",
		APSP_BIND(apsp_bind_text(name)), &reader->generations, err);
	if (r < 0)
		return r;
	while ((r = apsp_sql_step(reader->generations, err)) > 0) {
		r = generation_load(reader, body, sources, err);
		if (r < 0)
			return r;
	}
	if (r < 0)
		return r;
	*out = body->n_generations ? APSP_TAKE(shown) : NULL;
	return 0;
}

const struct apsp_generation *apsp_graph_snapshot_newest(
	const struct apsp_graph_snapshot *snapshot)
{
	return snapshot->pending ? snapshot->pending : snapshot->current;
}

const struct apsp_profile_snapshot *apsp_generation_profile(
	const struct apsp_generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->n_profiles; i++)
		if (strcmp(generation->profiles[i].name, name) == 0)
			return &generation->profiles[i];
	return NULL;
}

const struct apsp_generation *apsp_graph_snapshot_coming(
	const struct apsp_graph_snapshot *snapshot)
{
	const struct apsp_profile_snapshot *base = NULL;

	if (snapshot->pending)
		base = apsp_generation_profile(snapshot->pending, "default");
	return base && apsp_job_state_active(base->job_state)
		       ? snapshot->pending
		       : NULL;
}

const struct apsp_generation *apsp_graph_snapshot_shown(
	const struct apsp_graph_snapshot *snapshot)
{
	return snapshot->current ? snapshot->current : snapshot->pending;
}

/*
 * The profile with the job that a profile waits for, or that has failed. It is
 * its own, of the upload that jobs run for; or `default`, with which an upload
 * begins to answer.
 */
static const struct apsp_profile_snapshot *profile_awaited(
	const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation,
	const struct apsp_profile_snapshot *profile)
{
	const struct apsp_generation *coming =
		apsp_graph_snapshot_coming(snapshot);
	const struct apsp_profile_snapshot *own = NULL;

	if (!coming && generation == snapshot->current)
		return profile;
	if (coming)
		own = apsp_generation_profile(coming, profile->name);
	if (own && apsp_job_state_active(own->job_state))
		return own;
	return apsp_generation_profile(snapshot->pending, "default");
}

static int profile_find(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation, const char *name,
	const struct apsp_profile_snapshot **out, struct apsp_err *err)
{
	*out = apsp_generation_profile(generation, name);
	if (*out)
		return 0;
	return apsp_fail(err, APSP_ENOPROFILE,
		"the graph '%s' has no profile '%s'", snapshot->name, name);
}

/* Say why a profile of a generation does not answer. */
static int profile_unready(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_generation *generation,
	const struct apsp_profile_snapshot *profile, uint64_t *out_job,
	struct apsp_err *err)
{
	const char *name = profile->name;

	if (profile->tables_trouble.code)
		return apsp_fail(err, APSP_ENOTREADY,
			"the tables of '%s' with the profile '%s' cannot be "
			"opened at present, and are tried again: %s",
			snapshot->name, name, profile->tables_trouble.message);
	if (profile->unreadable.code && !profile->tables)
		return apsp_fail(err, APSP_EROW,
			"the profile '%s' of graph '%s' cannot be read; define "
			"it again: %s",
			name, snapshot->name, profile->unreadable.message);
	profile = profile_awaited(snapshot, generation, profile);
	*out_job = profile->job;
	if (apsp_job_state_active(profile->job_state))
		return apsp_fail(err, APSP_ENOTREADY,
			"the tables of '%s' with the profile '%s' are not "
			"ready yet: they wait for job %llu",
			snapshot->name, name, (unsigned long long)*out_job);
	return apsp_fail(err, APSP_ETABLES, "job %llu %s: %s",
		(unsigned long long)profile->job,
		profile->job_state == APSP_JOB_CANCELLED ? "was cancelled"
							 : "failed",
		profile->job_error.message);
}

int apsp_graph_snapshot_tables(const struct apsp_graph_snapshot *snapshot,
	const char *name, const struct apsp_generation **out_generation,
	const struct apsp_profile_snapshot **out_profile, uint64_t *out_job,
	struct apsp_err *err)
{
	const struct apsp_generation *generation =
		apsp_graph_snapshot_shown(snapshot);
	const struct apsp_profile_snapshot *profile;
	int r = profile_find(snapshot, generation, name, &profile, err);

	if (r < 0)
		return r;
	if (!snapshot->current || !profile->tables)
		return profile_unready(
			snapshot, generation, profile, out_job, err);
	*out_generation = generation;
	*out_profile = profile;
	return 0;
}

int apsp_graph_snapshot_serves(const struct apsp_graph_snapshot *snapshot,
	const char *revision, const char *name, uint64_t *out_job,
	struct apsp_err *err)
{
	const struct apsp_generation *generation =
		apsp_graph_snapshot_newest(snapshot);
	const struct apsp_profile_snapshot *profile;
	int r;

	/* uploads of one revision may differ in their rules: the newest first
	 */
	if (strcmp(generation->revision, revision) != 0)
		generation = apsp_graph_snapshot_shown(snapshot);
	r = apsp_generation_check_revision(generation, revision, err);
	if (r == 0)
		r = profile_find(snapshot, generation, name, &profile, err);
	if (r < 0)
		return r;
	if (generation == snapshot->current && profile->tables &&
		profile->tables_newest)
		return 0;
	return profile_unready(snapshot, generation, profile, out_job, err);
}

int apsp_generation_check_revision(const struct apsp_generation *generation,
	const char *revision, struct apsp_err *err)
{
	if (strcmp(generation->revision, revision) == 0)
		return 0;
	return apsp_fail(err, APSP_EREVISION,
		"the revision is %s, and not %.64s as asked for",
		generation->revision, revision);
}
