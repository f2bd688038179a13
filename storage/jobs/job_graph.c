/*
 * Writing a job's graph file; see job_graph.h. The arcs are read chunk by chunk
 * through a read-only connection. The labels are copied from the graph's
 * snapshot.
 */
#include "storage/jobs/job_graph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/job/graph_file.h"
#include "storage/database/sql.h"
#include "storage/jobs/received_tables.h"
#include "storage/jobs/rule_key.h"
#include "storage/snapshots/rule_text.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/snapshots/store_core.h"

static int bytes_put(
	FILE *file, const void *data, size_t size, struct apsp_err *err)
{
	if (size && fwrite(data, size, 1, file) != 1)
		return apsp_fail_errno(
			err, errno, "write the graph for the solver");
	return 0;
}

static int gone(struct apsp_err *err)
{
	return apsp_fail(
		err, APSP_ECANCELLED, "nobody needs these tables any more");
}

/*
 * Write the arcs. Each chunk is read in a transaction of its own, because a
 * long transaction would keep the write-ahead log from being checkpointed. A
 * generation never changes, but it may be removed between two chunks.
 *
 * Labels and arcs are compared with the revision, which is a hash of both. The
 * hash takes 12 ms per 1,000,000 arcs: for the graph larva, 0.4 % of the time
 * from an upload to its tables.
 */
static int arcs_put(sqlite3 *db, const struct apsp_generation *generation,
	const struct apsp_stop *stop, FILE *file, struct apsp_err *err)
{
	uint64_t left = generation->n_arcs * sizeof(struct apsp_arc);
	struct apsp_arcs_digest digest = {.n_arcs = 0};

	for (int64_t number = 0; left > 0; number++) {
		APSP_AUTO(apsp_sql_done) sqlite3_stmt *stmt = NULL;
		size_t size;
		int r = apsp_stop_check(stop, err);

		if (r < 0)
			return r;
		r = apsp_sql_first(db,
			"SELECT data FROM chunks WHERE generation = ?1 AND"
			" kind = 'arcs' AND number = ?2",
			APSP_BIND(apsp_bind_id(generation->id),
				apsp_bind_int(number)),
			&stmt, err);
		if (r == 0)
			return gone(err);
		if (r < 0)
			return r;
		size = (size_t)sqlite3_column_bytes(stmt, 0);
		if (size == 0 || size > left || size % sizeof(struct apsp_arc))
			return apsp_fail(err, APSP_EDB,
				"the database holds a chunk of arcs that is "
				"not whole");
		r = bytes_put(file, sqlite3_column_blob(stmt, 0), size, err);
		if (r < 0)
			return r;
		apsp_arcs_digest_add(&digest, sqlite3_column_blob(stmt, 0),
			size / sizeof(struct apsp_arc));
		left -= size;
	}
	return apsp_generation_check_content(generation, &digest, err);
}

static int offsets_put(const struct apsp_generation *generation, FILE *file,
	struct apsp_err *err)
{
	uint64_t offset = 0;
	size_t size;
	int r;

	r = bytes_put(file, &offset, sizeof(offset), err);
	for (uint32_t i = 0; r == 0 && i < generation->n_vertices; i++) {
		apsp_labels_get(generation->labels, i, &size);
		offset += size;
		r = bytes_put(file, &offset, sizeof(offset), err);
	}
	return r;
}

/*
 * Find the live generation of which the job computes tables. Two generations of
 * one graph may have the same revision and different attributes. So if the
 * job's rule depends on attributes (rule_key.h), the hash of the rule with the
 * generation's attributes must also be the job's hash. APSP_ECANCELLED: there
 * is no such generation. Perhaps the attributes have changed since the job was
 * queued, and a new job replaces this job.
 */
static int generation_find(const struct apsp_graph_snapshot *snapshot,
	const struct apsp_job_spec *job, const struct apsp_generation **out,
	struct apsp_err *err)
{
	struct apsp_rule_key key;
	int r;

	for (size_t i = 0; i < snapshot->n_live; i++) {
		*out = &snapshot->live[i];
		if (strcmp((*out)->revision, job->revision) != 0)
			continue;
		if (!apsp_profile_chooses(&job->profile))
			return 0;
		r = apsp_rule_key_make(&job->profile, (*out)->labels,
			(*out)->attributes, &key, err);
		if (r < 0 || strcmp(key.hash, job->hash) == 0)
			return r;
	}
	return gone(err);
}

/*
 * Find the vertices that the job's rule leaves out, and the totals by which the
 * rule divides weights. APSP_EDATA: the rule does not fit the graph's labels
 * and attributes, so the job fails.
 */
static int choice_make(const struct apsp_generation *generation,
	const struct apsp_job_spec *job, struct apsp_rule_choice *out,
	struct apsp_err *err)
{
	int r;

	if (!apsp_profile_chooses(&job->profile))
		return 0;
	r = apsp_rule_choice_make(&job->profile, generation->labels,
		generation->attributes, out, err);
	/* replace the message by the longer message of
	   apsp_rule_choice_check(), which suggests other names */
	if (r == APSP_EDATA)
		r = apsp_rule_choice_check(&job->profile, generation->labels,
			generation->attributes, err);
	return r;
}

static int choice_put(
	const struct apsp_rule_choice *choice, FILE *file, struct apsp_err *err)
{
	size_t n = choice->n_vertices;
	int r = 0;

	if (choice->totals)
		r = bytes_put(
			file, choice->totals, n * sizeof(*choice->totals), err);
	if (r == 0 && choice->left_out)
		r = bytes_put(file, choice->left_out,
			(n / 64 + 1) * sizeof(*choice->left_out), err);
	return r;
}

static int graph_put(sqlite3 *db, const struct apsp_generation *generation,
	const struct apsp_job_spec *job, enum apsp_prove prove,
	const struct apsp_stop *stop, FILE *file, struct apsp_err *err)
{
	APSP_AUTO(apsp_rule_choice_done) struct apsp_rule_choice choice = {0};
	struct apsp_graph_header header = {
		.n_vertices = generation->n_vertices,
		.n_arcs = generation->n_arcs,
	};
	char member[APSP_HASH_SIZE];
	const char *labels;
	size_t size, length;
	int r;

	memcpy(header.magic, APSP_GRAPH_MAGIC, sizeof(header.magic));
	/* the labels in the graph file do not end in NUL, so subtract the
	   NULs */
	header.label_bytes =
		generation->labels->bytes_used - generation->n_vertices;
	apsp_rule_text_write(&job->profile, NULL, header.profile, member);
	header.prove = prove;
	/* if the job proves tables of a bundle, its messages name the member of
	   the bundle; so store the hash that is in the member's name */
	if (prove)
		strcpy(header.member, member);
	r = choice_make(generation, job, &choice, err);
	if (r < 0)
		return r;
	header.has_totals = choice.totals != NULL;
	header.has_left_out = choice.left_out != NULL;
	r = bytes_put(file, &header, sizeof(header), err);
	if (r == 0)
		r = arcs_put(db, generation, stop, file, err);
	if (r == 0)
		r = offsets_put(generation, file, err);
	if (r == 0)
		r = choice_put(&choice, file, err);
	labels = generation->labels->bytes;
	size = generation->labels->bytes_used;
	for (; r == 0 && size > 0; labels += length + 1, size -= length + 1) {
		length = strlen(labels);
		r = bytes_put(file, labels, length, err);
	}
	return r;
}

int apsp_job_graph_write(struct apsp_store *store,
	const struct apsp_job_spec *job, const char *path,
	const struct apsp_stop *stop, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_file_close) FILE *file = NULL;
	const struct apsp_generation *generation = NULL;
	APSP_AUTO(apsp_reader_end) struct apsp_reader reader = {0};
	APSP_AUTO(apsp_free) char *tables = NULL;
	enum apsp_prove prove;
	int r;

	r = apsp_snapshot_map_find(
		store->snapshots, job->graph, &snapshot, err);
	if (r < 0)
		return r == APSP_ENOGRAPH ? gone(err) : r;
	r = generation_find(snapshot, job, &generation, err);
	if (r < 0)
		return r;
	if (asprintf(&tables, "%.*stables",
		    (int)(strlen(path) - strlen("graph")), path) < 0) {
		tables = NULL;
		return apsp_fail(err, APSP_ENOMEM, "no memory for a path");
	}
	r = apsp_received_tables_link(store, job, tables, &prove, err);
	if (r < 0)
		return r;
	file = fopen(path, "we");
	if (!file)
		return apsp_fail_errno(err, errno, "make '%s'", path);
	r = apsp_reader_begin(store->readers, &reader, err);
	if (r == 0)
		r = graph_put(
			reader.db, generation, job, prove, stop, file, err);
	if (r == 0 && fclose(APSP_TAKE(file)) != 0)
		r = apsp_fail_errno(
			err, errno, "write the graph for the solver");
	return r;
}
