/*
 * Stores an upload; see graph_put.h. Each step is a short transaction. The new
 * generation (stored upload) is `loading` until the last step makes it pending
 * (storage/database/README.md, One connection writes). Other commands run
 * between the steps.
 *
 *	begin → attributes … → labels chunk … → arcs chunk … → finish
 *
 * Only a bundle has attributes.
 */
#include "storage/graph_put.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/job/profile_text.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/database/database.h"
#include "storage/database/sql.h"
#include "storage/jobs/cache_limit.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/profile_rows.h"
#include "storage/jobs/received_tables.h"
#include "storage/jobs/rule_key.h"
#include "storage/snapshots/default_rule.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/stored_arcs.h"

enum {
	CHUNK_BYTES = 4 << 20,
};

struct put {
	struct apsp_command base;
	struct apsp_store *store;
	char name[APSP_NAME_SIZE];
	struct apsp_upload *upload; /* owned */
	/* the result of `upload` */
	const struct apsp_upload_result *result;
	const struct apsp_precondition *precondition; /* borrowed */
	unsigned int n_reserved; /* number of places in the job queue that the
				    caller has reserved */
	struct apsp_put_result *out;
	struct apsp_arc *arcs; /* memory for one chunk of arcs; owned */
	uint64_t generation;   /* id of the new generation; 0: it does not exist
				  yet */
	/* the id of the graph's newest generation, if it has the same
	   revision and rule as this upload. The stored arcs are then read,
	   and the hash of them and of the labels in memory is compared with the
	   revision, to find damage. `digest` has the arcs that were read so far
	 */
	uint64_t compared;
	struct apsp_arcs_digest digest;
	bool damaged; /* the comparison has failed */
	uint64_t n_arcs_stored;
	size_t label_bytes_stored;
	int64_t n_label_chunks;
	/* if the upload is a bundle with attributes: the id of these attributes
	   in the database; 0: none are stored */
	uint64_t attributes;
	size_t attribute_bytes_stored;
};

static void put_free(struct apsp_command *base)
{
	struct put *put = (struct put *)base;

	apsp_upload_free(put->upload);
	free(put->arcs);
	free(put);
}

bool apsp_graph_put_same(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_upload *upload)
{
	const struct apsp_upload_result *result = &upload->result;
	const struct apsp_generation *newest;
	const struct apsp_profile_snapshot *base;

	/* a bundle never counts as the same upload, because its profiles and
	   attributes may differ from the graph's profiles and attributes */
	if (!snapshot || result->bundled->is_bundle)
		return false;
	newest = apsp_graph_snapshot_newest(snapshot);
	base = apsp_generation_profile(newest, "default");
	return base && !base->unreadable.code &&
	       apsp_profile_equal(&base->rule, &result->profile) &&
	       strcmp(newest->revision, result->revision) == 0;
}

/* Whether a bundle has a profile of this name. */
static bool is_bundled(const struct apsp_bundled *bundled, const char *name)
{
	for (size_t i = 0; i < bundled->n_profiles; i++)
		if (strcmp(bundled->profiles[i].name, name) == 0)
			return true;
	return false;
}

/*
 * Define the profiles of a generation. The profile `default` gets the uploaded
 * rule, and each profile of a bundle gets its rule in the bundle. Other
 * profiles keep the rules that they have in the graph's newest generation. If
 * the job of a profile's newest rule failed or was cancelled, and the profile
 * has tables of an earlier rule, it keeps the earlier rule. If this job has not
 * ended, it keeps both rules.
 */
static int profiles_define(struct put *put,
	const struct apsp_profile_place *base,
	const struct apsp_generation *newest, struct apsp_transaction *tx,
	struct apsp_err *err)
{
	const struct apsp_bundled *bundled = put->result->bundled;
	struct apsp_profile_place place = *base;
	int r;

	r = apsp_profile_rows_define(tx, base, &put->result->profile, err);
	for (size_t i = 0; r == 0 && i < bundled->n_profiles; i++) {
		place.name = bundled->profiles[i].name;
		if (strcmp(place.name, base->name) != 0)
			r = apsp_profile_rows_define(
				tx, &place, &bundled->profiles[i].rule, err);
	}
	for (size_t i = 0; r == 0 && newest && i < newest->n_profiles; i++) {
		const struct apsp_profile_snapshot *old = &newest->profiles[i];

		place.name = old->name;
		if (strcmp(place.name, base->name) == 0 ||
			is_bundled(bundled, place.name))
			continue;
		if (!old->unreadable.code)
			r = apsp_profile_rows_define(
				tx, &place, apsp_profile_kept_rule(old), err);
		else if (place.generation != newest->id)
			r = apsp_profile_rows_keep(tx, &place, newest->id, err);
		if (r == 0 && !old->unreadable.code)
			r = apsp_profile_rows_earlier(tx, &place, old, err);
	}
	return r;
}

/* If the graph keeps its attributes, check that they are not too large for the
   number of vertices of the upload. */
static int kept_attributes_check(const struct put *put,
	const struct apsp_graph_snapshot *snapshot, struct apsp_err *err)
{
	const struct apsp_attributes *kept =
		snapshot ? apsp_graph_snapshot_newest(snapshot)->attributes
			 : NULL;
	struct apsp_err why;
	int r;

	if (!kept || put->result->attributes ||
		put->result->bundled->attributes.bytes)
		return 0;
	r = apsp_attributes_size_check(
		kept->n_columns, put->result->labels->count, &why);
	return r < 0 ? apsp_fail(err, (enum apsp_code)r,
			       "the graph keeps its attributes, but %s; "
			       "DELETE …/attributes removes them",
			       why.message)
		     : 0;
}

/*
 * Record the upload's origin and its unit of weights in a generation. Also give
 * the generation the attributes of the origin; from then on, they are not
 * removed, because a generation refers to them. APSP_ECANCELLED: the attributes
 * were removed meanwhile.
 */
static int origin_set(const struct put *put, uint64_t generation,
	struct apsp_transaction *tx, struct apsp_err *err)
{
	const struct apsp_origin *origin = put->result->origin;
	int r = apsp_sql_run(tx->db,
		"UPDATE generations SET origin_graph = ?2,"
		" origin_revision = ?3, origin_question = ?4,"
		" attributes = coalesce(?5, attributes),"
		" weight_unit = coalesce(?6, weight_unit) WHERE id = ?1"
		" AND (?5 IS NULL OR EXISTS"
		"  (SELECT 1 FROM generations WHERE attributes = ?5))",
		APSP_BIND(apsp_bind_id(generation),
			apsp_bind_text(origin->graph),
			apsp_bind_text(origin->revision),
			apsp_bind_text(
				origin->question ? origin->question : ""),
			apsp_bind_id(put->result->attributes),
			apsp_bind_text(put->result->weight_unit)),
		err);

	if (r < 0 || sqlite3_changes(tx->db) > 0)
		return r;
	return apsp_fail(err, APSP_ECANCELLED,
		"the attributes of '%s' were replaced meanwhile",
		origin->graph);
}

/*
 * Handle an upload that is stored already: define its profiles once more, so
 * that failed jobs are queued again.
 */
static int put_again(struct put *put,
	const struct apsp_graph_snapshot *snapshot, struct apsp_transaction *tx,
	struct apsp_err *err)
{
	const struct apsp_generation *newest =
		apsp_graph_snapshot_newest(snapshot);
	const struct apsp_profile_place place = {
		.generation = newest->id,
		.revision = newest->revision,
		.graph = put->name,
		.name = "default",
	};
	int r;

	tx->n_reserved = put->n_reserved;
	tx->since_s = put->result->ended_s;
	r = origin_set(put, newest->id, tx, err);
	if (r == 0 && put->result->attributes)
		r = apsp_profile_rows_rekey_one(tx, snapshot, newest, err);
	if (r == 0)
		r = profiles_define(put, &place, newest, tx, err);
	if (r == 0 && put->generation)
		r = apsp_generations_give_up(tx, put->generation, NULL, err);
	return r < 0 ? r : apsp_profile_rows_commit(tx, &place, put->out, err);
}

/* Return the size of the tables that a bundle has brought for its profile
   `default`; 0: there are none. The bundle may list the file of these tables at
   another profile, because profiles with equal rules share one file. */
static uint64_t received_bytes(const struct put *put)
{
	const struct apsp_bundled *bundled = put->result->bundled;

	for (size_t i = 0; i < bundled->n_profiles; i++) {
		const struct apsp_bundled_profile *profile =
			&bundled->profiles[i];

		if (profile->received && profile->received->path &&
			apsp_profile_equal(
				&profile->rule, &put->result->profile))
			return profile->tables_size;
	}
	return 0;
}

/*
 * Before anything is stored, check that the queue has a place and the disk has
 * space. The last step checks the queue and the disk again.
 */
static int put_admit(struct put *put, struct apsp_err *err)
{
	const struct apsp_job_size size = {
		.n_vertices = put->result->labels->count,
		.n_arcs = put->result->n_arcs,
		.weights = put->result->weights,
	};
	struct apsp_rule_key key;
	int r = 0;

	/* if the tables exist already, no job is needed. Tables are found by
	   the hash of the rule. If the rule chooses vertices or totals by
	   attributes, the hash depends on the attributes of the new generation.
	   So for such a rule, only the last step can look for tables */
	if (!apsp_profile_chooses(&put->result->profile)) {
		r = apsp_rule_key_make(
			&put->result->profile, NULL, NULL, &key, err);
		if (r < 0)
			return r;
		if (apsp_open_tables_find(&put->store->open_tables,
			    put->result->revision, key.hash))
			return 0;
	}
	if (!put->n_reserved) {
		r = apsp_job_queue_reserve(put->store, 1, err);
		if (r < 0)
			return r;
		apsp_job_queue_release(put->store, 1);
	}
	return apsp_cache_limit_check(put->store, &size, &put->result->profile,
		received_bytes(put), err);
}

static int generation_insert(
	struct put *put, struct apsp_transaction *tx, struct apsp_err *err)
{
	const struct apsp_upload_result *result = put->result;
	int r = apsp_sql_run(tx->db,
		"INSERT INTO generations (state, revision, n_vertices,"
		" n_arcs, format, uploaded_at_ms, weights)"
		" VALUES ('loading', ?1, ?2, ?3, ?4, ?5, ?6)",
		APSP_BIND(apsp_bind_text(result->revision),
			apsp_bind_int(result->labels->count),
			apsp_bind_int((int64_t)result->n_arcs),
			apsp_bind_text(apsp_formats[result->format].name),
			apsp_bind_int(apsp_clock_utc_ms()),
			apsp_bind_int(result->weights)),
		err);
	uint64_t id = (uint64_t)sqlite3_last_insert_rowid(tx->db);

	if (r == 0)
		r = origin_set(put, id, tx, err);
	if (r == 0)
		put->generation = id;
	return r;
}

/* Read the next arcs of the stored upload. When all arcs are read, the hash
   of labels and arcs is compared with the revision. Returns whether arcs are
   left. If the stored arcs are damaged or cannot be read, sets put->damaged;
   then the upload is stored anew. */
static bool compare(struct put *put, const struct apsp_graph_snapshot *snapshot)
{
	const struct apsp_generation *newest =
		apsp_graph_snapshot_newest(snapshot);
	int n;

	if (put->compared != newest->id)
		put->digest.n_arcs = 0;
	put->compared = newest->id;
	n = apsp_stored_arcs_read(put->store, newest, put->digest.n_arcs,
		&put->digest, put->arcs, NULL);
	put->damaged = n < 0;
	return n > 0;
}

static int put_begin(struct put *put,
	const struct apsp_graph_snapshot *snapshot, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	bool same;
	int r;

	if (!put->arcs)
		put->arcs = malloc(APSP_STORED_ARCS_CHUNK * sizeof(*put->arcs));
	if (!put->arcs)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	same = apsp_graph_put_same(snapshot, put->upload);
	if (same && compare(put, snapshot))
		return 1;
	if (same && !put->damaged) {
		r = apsp_transaction_begin(&tx, put->store, err);
		return r < 0 ? r : put_again(put, snapshot, &tx, err);
	}
	/* this commit does not wait for the disk, but the commit of the last
	   step does. Until the last commit, a power cut may undo all steps of
	   this upload */
	tx.lazy = true;
	r = put_admit(put, err);
	if (r < 0)
		return r;
	r = apsp_transaction_begin(&tx, put->store, err);
	if (r == 0)
		r = generation_insert(put, &tx, err);
	if (r < 0)
		return r;
	/* if a later step fails, apsp_generations_sweep() will remove this
	   generation's rows */
	tx.sweep = true;
	r = apsp_transaction_commit(&tx, err);
	return r < 0 ? r : 1;
}

static int chunk_store(struct put *put, const char *kind, int64_t number,
	const void *data, size_t size, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done)
	struct apsp_transaction tx = {.lazy = true};
	int r;

	r = apsp_transaction_begin(&tx, put->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"INSERT INTO chunks (generation, kind, number, data)"
			" VALUES (?1, ?2, ?3, ?4)",
			APSP_BIND(apsp_bind_id(put->generation),
				apsp_bind_text(kind), apsp_bind_int(number),
				apsp_bind_blob(data, size)),
			err);
	if (r == 0)
		r = apsp_transaction_commit(&tx, err);
	if (r == 0)
		apsp_database_log_write_back(put->store->database_file.path);
	return r;
}

/* Store the next row of a bundle's attributes. Returns 1, or 0 if no row is
   left. */
static int attributes_store(struct put *put, struct apsp_err *err)
{
	const struct apsp_attribute_text *text =
		&put->result->bundled->attributes;
	APSP_AUTO(apsp_transaction_done)
	struct apsp_transaction tx = {.lazy = true};
	int r;

	if (!text->bytes)
		return 0;
	r = apsp_transaction_begin(&tx, put->store, err);
	if (r == 0)
		r = apsp_attribute_rows_add(tx.db, text, &put->attributes,
			&put->attribute_bytes_stored, err);
	if (r <= 0)
		return r;
	r = apsp_transaction_commit(&tx, err);
	return r < 0 ? r : 1;
}

/* Store the next chunk of labels. Each chunk ends at the end of a label (after
   its NUL). Returns 1, or 0 if no labels are left. */
static int labels_store(struct put *put, struct apsp_err *err)
{
	const struct apsp_labels *labels = put->result->labels;
	const char *bytes;
	size_t length;
	int r;

	bytes = labels->bytes + put->label_bytes_stored;
	length = labels->bytes_used - put->label_bytes_stored;
	if (length == 0)
		return 0;
	if (length > CHUNK_BYTES) {
		length = CHUNK_BYTES;
		while (bytes[length - 1] != '\0')
			length--;
	}
	r = chunk_store(put, "labels", put->n_label_chunks, bytes, length, err);
	if (r < 0)
		return r;
	put->n_label_chunks++;
	put->label_bytes_stored += length;
	return 1;
}

static int arcs_store(struct put *put, struct apsp_err *err)
{
	int64_t n;
	int r;

	if (put->n_arcs_stored == put->result->n_arcs)
		return 0;
	n = apsp_arc_spool_read(put->result->arcs, put->n_arcs_stored,
		put->arcs, APSP_STORED_ARCS_CHUNK, err);
	if (n < 0)
		return (int)n;
	if (n == 0)
		return apsp_fail(
			err, APSP_EBUG, "the spool file has too few arcs");
	r = chunk_store(put, "arcs",
		(int64_t)(put->n_arcs_stored / APSP_STORED_ARCS_CHUNK),
		put->arcs, (size_t)n * sizeof(*put->arcs), err);
	if (r < 0)
		return r;
	put->n_arcs_stored += (uint64_t)n;
	return 1;
}

static int put_end(struct put *put, const struct apsp_graph_snapshot *snapshot,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	/* the graph's newest generation before this upload; its profiles and
	   attributes are copied to the new generation */
	const struct apsp_generation *newest =
		snapshot ? apsp_graph_snapshot_newest(snapshot) : NULL;
	const struct apsp_profile_place place = {
		.generation = put->generation,
		.revision = put->result->revision,
		.graph = put->name,
		.name = "default",
	};
	int r;

	r = apsp_transaction_begin(&tx, put->store, err);
	if (r < 0)
		return r;
	if (!put->damaged && apsp_graph_put_same(snapshot, put->upload))
		return put_again(put, snapshot, &tx, err);
	tx.since_s = put->result->ended_s;
	tx.n_reserved = put->n_reserved;
	tx.fresh = put->result->labels;
	tx.fresh_revision = put->result->revision;
	/* A graph whose rows cannot be read has no snapshot, but it exists. The
	   upload then replaces it. */
	if (!snapshot)
		r = apsp_generations_give_up(&tx, 0, put->name, err);
	else if (snapshot->pending)
		r = apsp_generations_give_up(
			&tx, snapshot->pending->id, NULL, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE generations SET state = 'pending', graph = ?2,"
			" attributes = CASE WHEN ?4 > 0 THEN ?4 ELSE"
			"  coalesce(attributes, (SELECT attributes"
			"   FROM generations WHERE id = ?3)) END,"
			" weight_unit = coalesce(?5, (SELECT weight_unit"
			"  FROM generations WHERE id = ?3), '')"
			" WHERE id = ?1",
			APSP_BIND(apsp_bind_id(put->generation),
				apsp_bind_text(put->name),
				apsp_bind_id(newest ? newest->id : 0),
				apsp_bind_id(put->attributes),
				apsp_bind_text(put->result->weight_unit)),
			err);
	if (r == 0)
		r = profiles_define(put, &place, newest, &tx, err);
	if (r == 0)
		r = apsp_received_tables_keep(
			&tx, &place, put->result->bundled, err);
	if (r == 0)
		r = apsp_profile_rows_commit(&tx, &place, put->out, err);
	if (r == 0)
		apsp_received_tables_kept(put->result->bundled);
	return r;
}

static int put_run(struct apsp_command *base, struct apsp_err *err)
{
	struct put *put = (struct put *)base;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	int r;

	snapshot = apsp_snapshot_map_get(put->store->snapshots, put->name);
	r = apsp_precondition_check(
		snapshot, put->name, put->precondition, err);
	if (r == 0)
		r = apsp_default_rule_check_kept(
			snapshot, put->result->kept_rule, err);
	if (r == 0)
		r = apsp_default_rule_check(snapshot, &put->result->profile,
			put->precondition, err);
	if (r == 0)
		r = kept_attributes_check(put, snapshot, err);
	if (r < 0)
		return r;
	if (!put->generation)
		return put_begin(put, snapshot, err);
	r = attributes_store(put, err);
	if (r == 0)
		r = labels_store(put, err);
	if (r == 0)
		r = arcs_store(put, err);
	return r != 0 ? r : put_end(put, snapshot, err);
}

void apsp_graph_put(struct apsp_store *store, const char *name,
	struct apsp_upload *upload,
	const struct apsp_precondition *precondition, unsigned int n_reserved,
	struct apsp_put_result *out, struct apsp_done done)
{
	struct put *put = apsp_command_new(sizeof(*put), put_run, done);
	struct apsp_err err;
	int r;

	if (!put) {
		apsp_upload_free(upload);
		return;
	}
	put->base.free = put_free;
	put->base.key = put->name;
	put->store = store;
	put->upload = upload;
	put->result = &upload->result;
	put->precondition = precondition;
	put->n_reserved = n_reserved;
	put->out = out;
	r = apsp_name_set(put->name, "graph", name, &err);
	if (r < 0)
		apsp_command_end(&put->base, r, &err);
	else
		apsp_writer_post(store->writer, &put->base);
}
