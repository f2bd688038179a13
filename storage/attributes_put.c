/*
 * Stores attributes; see attributes_put.h. Each step is a short transaction. A
 * set of attributes is in use as soon as a generation of the graph (a stored
 * upload) refers to it. Housekeeping removes sets to which no generation refers
 * (storage/database/README.md, One connection writes).
 *
 *	row of the set → chunks of the set … → generations refer to the set
 */
#include "storage/attributes_put.h"

#include <string.h>

#include "daemon/base/auto.h"
#include "storage/attributes/attribute_rows.h"
#include "storage/graphs.h"
#include "storage/jobs/profile_rows.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/snapshots/transaction.h"

struct put {
	struct apsp_command base;
	struct apsp_store *store;
	char graph[APSP_NAME_SIZE];
	/* The new attributes; owned. If the text has no bytes, the graph's
	   attributes are removed. */
	struct apsp_attribute_text text;
	const struct apsp_precondition *precondition; /* borrowed */
	struct apsp_attributes **out;
	uint64_t id;   /* id of the new attributes in the database; 0: none of
			  their rows is stored yet */
	size_t stored; /* number of bytes of the text that are already stored */
};

static void put_free(struct apsp_command *base)
{
	struct put *put = (struct put *)base;

	apsp_attribute_text_done(&put->text);
	free(put);
}

static int graph_check(struct put *put, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const struct apsp_generation *upload;
	int r;

	r = apsp_snapshot_map_find(
		put->store->snapshots, put->graph, &snapshot, err);
	if (r == 0)
		r = apsp_precondition_check(
			snapshot, put->graph, put->precondition, err);
	if (r < 0)
		return r;
	/* all uploads get the attributes */
	for (size_t i = 0; r == 0 && i < snapshot->n_live; i++)
		r = apsp_attributes_size_check(
			put->text.n_columns, snapshot->live[i].n_vertices, err);
	upload = apsp_graph_snapshot_changed(snapshot, NULL);
	if (r < 0 || !put->text.bytes || put->id)
		return r;
	return apsp_attribute_text_check(&put->text, upload->labels, err);
}

/* Store the row that describes the new attributes or, if this row exists, the
   next chunk of the attributes. Returns 1, or 0 if no chunk is left to
   store. */
static int part_store(struct put *put, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	/* before the first row is stored, start housekeeping: if a later step
	   fails, housekeeping removes the rows that were stored */
	tx.sweep = !put->id;
	r = apsp_transaction_begin(&tx, put->store, err);
	if (r == 0)
		r = apsp_attribute_rows_add(
			tx.db, &put->text, &put->id, &put->stored, err);
	if (r <= 0)
		return r;
	r = apsp_transaction_commit(&tx, err);
	return r < 0 ? r : 1;
}

static int put_finish(struct put *put, struct apsp_err *err)
{
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *old = NULL;
	struct apsp_attributes *stored;
	int r;

	r = apsp_transaction_begin(&tx, put->store, err);
	if (r == 0)
		r = apsp_sql_run(tx.db,
			"UPDATE generations SET attributes = ?1"
			" WHERE graph = ?2",
			APSP_BIND(apsp_bind_id(put->id),
				apsp_bind_text(put->graph)),
			err);
	if (r == 0)
		r = apsp_transaction_touch(&tx, put->graph, err);
	old = apsp_snapshot_map_get(put->store->snapshots, put->graph);
	if (r == 0 && old)
		r = apsp_profile_rows_rekey(&tx, old, err);
	tx.sweep = true;
	if (r == 0)
		r = apsp_transaction_commit(&tx, err);
	if (r < 0)
		return r;
	snapshot = apsp_snapshot_map_get(put->store->snapshots, put->graph);
	stored = snapshot ? apsp_graph_snapshot_changed(snapshot, NULL)
				    ->attributes
			  : NULL;
	if (stored && put->out)
		*put->out = apsp_attributes_ref(stored);
	return 0;
}

static int put_run(struct apsp_command *base, struct apsp_err *err)
{
	struct put *put = (struct put *)base;
	int r;

	r = graph_check(put, err);
	if (r == 0 && put->text.bytes)
		r = part_store(put, err);
	return r != 0 ? r : put_finish(put, err);
}

void apsp_attributes_put(struct apsp_store *store, const char *graph,
	struct apsp_attribute_text *text,
	const struct apsp_precondition *precondition,
	struct apsp_attributes **out, struct apsp_done done)
{
	struct put *put = apsp_command_new(sizeof(*put), put_run, done);
	struct apsp_err err;
	int r;

	if (!put) {
		if (text)
			apsp_attribute_text_done(text);
		return;
	}
	put->base.free = put_free;
	put->base.key = put->graph;
	put->store = store;
	put->precondition = precondition;
	put->out = out;
	if (text) {
		put->text = *text;
		memset(text, 0, sizeof(*text));
	}
	r = apsp_graphs_name(put->graph, graph, &err);
	if (r < 0)
		apsp_command_end(&put->base, r, &err);
	else
		apsp_writer_post(store->writer, &put->base);
}
