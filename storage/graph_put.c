/*
 * The command that stores an upload: in short transactions under the state
 * `loading`, a step each, and made real in the last (design.md, decisions 3 and
 * 5). Other commands run between the steps.
 *
 *	begin → labels chunk … → arcs chunk … → finish
 */
#include "storage/graph_put.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/weights.h"
#include "storage/generations.h"
#include "storage/room.h"
#include "storage/sql.h"

enum {
	CHUNK_ARCS = 4 << 20 >> 4, /* 4 MiB of struct apsp_arc */
	CHUNK_BYTES = 4 << 20,
};

APSP_AUTO_DEFINE(
	view_unref, const struct apsp_graph_view, apsp_graph_view_unref);

struct put {
	struct apsp_command base;
	struct apsp_store *store;
	char name[APSP_NAME_SIZE];
	struct apsp_upload *upload;		      /* owned */
	const struct apsp_precondition *precondition; /* borrowed */
	struct apsp_put_result *out;
	struct apsp_arc *arcs; /* one chunk; owned */
	uint64_t generation;   /* 0: not begun */
	uint64_t n_arcs_stored;
	size_t label_bytes_stored;
	int64_t n_label_chunks;
	int64_t n_arc_chunks;
};

static void put_free(struct apsp_command *base)
{
	struct put *put = (struct put *)base;

	apsp_upload_free(put->upload);
	free(put->arcs);
	free(put);
}

/* Whether the upload is what the newest generation is already. */
static bool put_same(const struct put *put, const struct apsp_graph_view *view)
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	const struct apsp_generation *newest;
	const struct apsp_profile_view *base;

	if (!view)
		return false;
	newest = apsp_graph_view_newest(view);
	base = apsp_generation_profile(newest, "default");
	apsp_profile_hash(apsp_upload_profile(put->upload), text, hash);
	return base && strcmp(base->hash, hash) == 0 &&
	       strcmp(newest->revision, apsp_upload_revision(put->upload)) == 0;
}

/* The tables are there, or their job runs, or it failed and is queued again. */
static int put_again(struct put *put, const struct apsp_graph_view *view,
	struct apsp_change *change, struct apsp_err *err)
{
	const struct apsp_generation *newest = apsp_graph_view_newest(view);
	struct apsp_profile_place place = {
		.generation = newest->id,
		.revision = newest->revision,
		.graph = put->name,
		.name = "default",
	};
	struct apsp_put_result result;
	int r;

	r = apsp_profile_define(
		change, &place, apsp_upload_profile(put->upload), &result, err);
	if (r == 0 && put->generation)
		r = apsp_generation_give_up(change, put->generation, err);
	if (r == 0)
		r = apsp_generations_settle(change, err);
	if (r == 0)
		r = apsp_room_admit(change, err);
	if (r == 0)
		r = apsp_change_commit(change, err);
	if (r == 0)
		*put->out = result;
	return r;
}

/* No use in storing what could not be queued; asked again at the end. */
static int put_admit(struct put *put, struct apsp_err *err)
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];
	int r;

	apsp_profile_hash(apsp_upload_profile(put->upload), text, hash);
	if (apsp_shelf_find(&put->store->shelf,
		    apsp_upload_revision(put->upload), hash))
		return 0;
	r = apsp_graphs_admit(put->store, err);
	if (r < 0)
		return r;
	return apsp_room_check(put->store,
		apsp_room_needed(
			apsp_labels_count(apsp_upload_labels(put->upload)),
			apsp_upload_n_arcs(put->upload),
			apsp_weights_least(apsp_upload_weights(put->upload),
				apsp_upload_profile(put->upload))),
		err);
}

static int put_begin(struct put *put, const struct apsp_graph_view *view,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	int r;

	if (put_same(put, view)) {
		r = apsp_change_begin(&change, put->store, err);
		return r < 0 ? r : put_again(put, view, &change, err);
	}
	r = put_admit(put, err);
	if (r < 0)
		return r;
	put->arcs = malloc(CHUNK_ARCS * sizeof(*put->arcs));
	if (!put->arcs)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	r = apsp_change_begin(&change, put->store, err);
	if (r == 0)
		r = apsp_sql_run(change.db,
			"INSERT INTO generations (state, revision, n_vertices,"
			" n_arcs, format, uploaded_at_ms, weights)"
			" VALUES ('loading', ?1, ?2, ?3, ?4, ?5, ?6)",
			APSP_BIND(apsp_bind_text(
					  apsp_upload_revision(put->upload)),
				apsp_bind_int(apsp_labels_count(
					apsp_upload_labels(put->upload))),
				apsp_bind_int((int64_t)apsp_upload_n_arcs(
					put->upload)),
				apsp_bind_text(apsp_format_name(
					apsp_upload_format(put->upload))),
				apsp_bind_int(apsp_store_now_ms()),
				apsp_bind_int(
					apsp_upload_weights(put->upload))),
			err);
	if (r < 0)
		return r;
	put->generation = (uint64_t)sqlite3_last_insert_rowid(change.db);
	/* whatever becomes of it, half of it must not stay */
	change.sweep = true;
	r = apsp_change_commit(&change, err);
	return r < 0 ? r : 1;
}

static int chunk_store(struct put *put, const char *kind, int64_t number,
	const void *data, size_t size, struct apsp_err *err)
{
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	int r;

	r = apsp_change_begin(&change, put->store, err);
	if (r == 0)
		r = apsp_sql_run(change.db,
			"INSERT INTO chunks (generation, kind, number, data)"
			" VALUES (?1, ?2, ?3, ?4)",
			APSP_BIND(apsp_bind_id(put->generation),
				apsp_bind_text(kind), apsp_bind_int(number),
				apsp_bind_blob(data, size)),
			err);
	if (r == 0)
		r = apsp_change_commit(&change, err);
	return r;
}

/* The next labels, cut behind a NUL. Returns 1 if it stored some, else 0. */
static int labels_store(struct put *put, struct apsp_err *err)
{
	const char *bytes;
	size_t size, length;
	int r;

	bytes = apsp_labels_bytes(apsp_upload_labels(put->upload), &size);
	bytes += put->label_bytes_stored;
	length = size - put->label_bytes_stored;
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

	if (put->n_arcs_stored == apsp_upload_n_arcs(put->upload))
		return 0;
	n = apsp_upload_arcs(
		put->upload, put->n_arcs_stored, put->arcs, CHUNK_ARCS, err);
	if (n < 0)
		return (int)n;
	if (n == 0)
		return apsp_fail(
			err, APSP_EBUG, "the spool file has too few arcs");
	r = chunk_store(put, "arcs", put->n_arc_chunks, put->arcs,
		(size_t)n * sizeof(*put->arcs), err);
	if (r < 0)
		return r;
	put->n_arc_chunks++;
	put->n_arcs_stored += (uint64_t)n;
	return 1;
}

/* `default` as uploaded, the others as the graph had them. */
static int profiles_define(struct put *put, const struct apsp_graph_view *view,
	struct apsp_change *change, struct apsp_put_result *out,
	struct apsp_err *err)
{
	const struct apsp_generation *old =
		view ? apsp_graph_view_newest(view) : NULL;
	struct apsp_profile_place place = {
		.generation = put->generation,
		.revision = apsp_upload_revision(put->upload),
		.graph = put->name,
		.name = "default",
	};
	struct apsp_put_result ignored;
	int r;

	r = apsp_profile_define(
		change, &place, apsp_upload_profile(put->upload), out, err);
	/* these were let in when they were first defined */
	change->unbounded = true;
	for (size_t i = 0; r == 0 && old && i < old->n_profiles; i++) {
		place.name = old->profiles[i].name;
		if (strcmp(place.name, "default") != 0)
			r = apsp_profile_define(change, &place,
				&old->profiles[i].rule, &ignored, err);
	}
	return r;
}

static int put_finish(struct put *put, const struct apsp_graph_view *view,
	struct apsp_change *change, struct apsp_err *err)
{
	struct apsp_put_result result = {0};
	int r = 0;

	if (view && view->pending)
		r = apsp_generation_give_up(change, view->pending->id, err);
	if (r == 0)
		r = apsp_sql_run(change->db,
			"UPDATE generations SET state = 'pending', graph = ?2"
			" WHERE id = ?1",
			APSP_BIND(apsp_bind_id(put->generation),
				apsp_bind_text(put->name)),
			err);
	if (r == 0)
		r = profiles_define(put, view, change, &result, err);
	if (r == 0)
		r = apsp_generations_settle(change, err);
	if (r == 0)
		r = apsp_room_admit(change, err);
	if (r == 0)
		r = apsp_change_commit(change, err);
	if (r < 0)
		return r;
	result.created = !view;
	*put->out = result;
	return 0;
}

static void box_unref(struct apsp_label_box **box)
{
	apsp_label_box_unref(*box);
}

static int put_end(struct put *put, const struct apsp_graph_view *view,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_change_done) struct apsp_change change = {0};
	APSP_AUTO(box_unref) struct apsp_label_box *box = NULL;
	int r;

	r = apsp_change_begin(&change, put->store, err);
	if (r < 0)
		return r;
	if (put_same(put, view))
		return put_again(put, view, &change, err);
	r = apsp_label_box_new(NULL, &box, err);
	if (r < 0)
		return r;
	box->labels = apsp_upload_take_labels(put->upload);
	change.fresh = box;
	change.fresh_revision = apsp_upload_revision(put->upload);
	return put_finish(put, view, &change, err);
}

static int put_run(struct apsp_command *base, struct apsp_err *err)
{
	struct put *put = (struct put *)base;
	APSP_AUTO(view_unref) const struct apsp_graph_view *view = NULL;
	int r;

	view = apsp_registry_get(put->store->registry, put->name);
	r = apsp_precondition_check(view, put->name, put->precondition, err);
	if (r < 0)
		return r;
	if (!put->generation)
		return put_begin(put, view, err);
	r = labels_store(put, err);
	if (r == 0)
		r = arcs_store(put, err);
	return r != 0 ? r : put_end(put, view, err);
}

void apsp_graphs_put(struct apsp_store *store, const char *name,
	struct apsp_upload *upload,
	const struct apsp_precondition *precondition,
	struct apsp_put_result *out, struct apsp_done done)
{
	struct put *put = apsp_command_new(sizeof(*put), put_run, done);

	if (!put) {
		apsp_upload_free(upload);
		return;
	}
	put->base.free = put_free;
	put->base.key = put->name;
	put->store = store;
	strncpy(put->name, name, sizeof(put->name) - 1);
	put->upload = upload;
	put->precondition = precondition;
	put->out = out;
	apsp_writer_post(store->writer, &put->base);
}
