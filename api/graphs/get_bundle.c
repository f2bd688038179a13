/*
 * GET /v1/graphs/{graph}/bundle?profile=&tables=none: the graph with its tables
 * as one tar archive. With a Range, the answer has only a part of the archive's
 * bytes. The archive is made while it is sent. The members, in this order:
 *
 *	bundle.json          the manifest: the list of the contents, in JSON
 *	labels               labels in index order, each with a NUL at its end
 *	arcs                 struct apsp_arc × n_arcs, in upload order
 *	attributes           the stored form (storage/ingest/bundled.h);
 *	                     only if the graph has attributes
 *	tables/<hash>.apsp   a table file as it lies on the disk, for each rule
 *	                     that has tables, in the order of the profiles
 *
 * The manifest determines all bytes of the archive: it has the graph's
 * revision, which determines the labels and arcs, and a checksum of every other
 * member. Any byte of the archive can be made on its own, so a transfer that
 * broke off can be resumed. Memory does not grow with the graph.
 */
#include <inttypes.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/graphs/graph_json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/range.h"
#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "daemon/base/hex.h"
#include "storage/ingest/tar.h"
#include "storage/attributes/attributes.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/held_uploads.h"
#include "storage/snapshots/rule_text.h"
#include "storage/store.h"
#include "storage/stored_arcs.h"
#include "storage/tables/tables.h"

enum {
	/* a block of the reply has at most this many bytes of a mapped table
	   file */
	WINDOW_BYTES = 4 << 20,
	BUFFER_BYTES = APSP_ATTRIBUTE_RECORD_MAX,
	BUNDLE_VERSION = 1,
	/* size of the text "tables/<hash>.apsp" in bytes, with its NUL */
	TABLES_NAME_SIZE = sizeof("tables/.apsp") + APSP_HASH_SIZE - 1,
};

_Static_assert(BUFFER_BYTES >= APSP_STORED_ARCS_MAX * sizeof(struct apsp_arc),
	"the buffer has room for the arcs of one read");

static const char zeros[APSP_TAR_END];

struct bundle;

struct member {
	char name[APSP_TAR_NAME_SIZE];
	uint64_t begin; /* offset of the header in the archive */
	uint64_t size;
	/* Point *out to bytes of this member from its byte `at` on, at most to
	   the member's end. If *out stays empty, the function must be called
	   again. */
	int (*read)(struct bundle *bundle, const struct member *member,
		uint64_t at, struct apsp_stream_block *out,
		struct apsp_err *err);
	/* If the member is a table file, these are its tables. They are
	   borrowed from the snapshot and protected from deletion
	   (apsp_tables_hold()). NULL: the member is not a table file. */
	struct apsp_tables *tables;
};

/* The state of the request. The request owns this struct until the reply
   begins; then the stream owns it. */
struct bundle {
	struct apsp_store *store;
	const struct apsp_graph_snapshot *snapshot; /* owned */
	const struct apsp_generation *generation; /* the upload to send; belongs
						     to `snapshot` */
	bool held; /* the arcs are protected from deletion
		      (apsp_held_uploads_add()) */
	/* the profile whose tables the bundle has; NULL: the tables of all
	   profiles. Borrowed */
	const char *profile;
	bool no_tables;
	char id[APSP_HASH_SIZE];
	char *manifest; /* owned */
	size_t manifest_size;
	struct member *members; /* owned */
	size_t n_members;
	uint64_t size;
	struct apsp_attribute_records walk;
	struct apsp_arcs_digest digest; /* digest of the arcs that were read so
					   far; used only if the range that the
					   request asks for has the last arc */
	uint64_t at, end; /* offsets in the archive: the bytes from `at` to
			     `end` - 1 must still be sent */
	/* the tables whose bytes are in the present block; NULL: the block has
	   no bytes of tables */
	struct apsp_tables *sent;
	_Alignas(struct apsp_arc) char buffer[BUFFER_BYTES];
};

static void bundle_free(void *ctx)
{
	struct bundle *bundle = ctx;

	if (!bundle)
		return;
	for (size_t i = 0; i < bundle->n_members; i++)
		if (bundle->members[i].tables)
			apsp_tables_release(bundle->members[i].tables);
	free(bundle->members);
	free(bundle->manifest);
	if (bundle->held)
		apsp_held_uploads_remove(apsp_store_parts(bundle->store)->held,
			bundle->generation->id);
	apsp_graph_snapshot_unref(bundle->snapshot);
	free(bundle);
}

APSP_AUTO_DEFINE(bundle_end, struct bundle, bundle_free);

/* Whether the profile has tables from which it answers, and the rule of these
   tables can be read. */
static bool answers(const struct apsp_profile_snapshot *profile)
{
	return profile->tables && profile->tables_transform;
}

/* Return the rule of the tables from which the profile answers. If there are no
   such tables, return the rule that the profile would keep after a later
   upload. Borrowed. */
static const struct apsp_profile *rule_get(
	const struct apsp_profile_snapshot *profile)
{
	return answers(profile) ? &profile->tables_rule
				: apsp_profile_kept_rule(profile);
}

/* Whether the bundle has the tables of this profile. */
static bool has_tables(const struct bundle *bundle,
	const struct apsp_profile_snapshot *profile)
{
	return answers(profile) && !bundle->no_tables &&
	       (!bundle->profile ||
		       strcmp(profile->name, bundle->profile) == 0);
}

/*
 * Write the name of the member that holds the table file of a profile. The name
 * contains the SHA-256 of the rule's text. The daemon finds tables by another
 * hash, which can also depend on attributes (storage/jobs/rule_key.h).
 */
static void tables_name(
	const struct apsp_profile_snapshot *profile, char out[TABLES_NAME_SIZE])
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];

	apsp_rule_text_write(rule_get(profile), NULL, text, hash);
	snprintf(out, TABLES_NAME_SIZE, "tables/%s.apsp", hash);
}

static const char *byte_order(void)
{
	const uint16_t one = 1;

	return *(const unsigned char *)&one ? "little" : "big";
}

static json_t *tables_json(const struct bundle *bundle,
	const struct apsp_profile_snapshot *profile)
{
	const struct apsp_table_header *header;
	char name[TABLES_NAME_SIZE], checksum[17];

	if (!has_tables(bundle, profile))
		return json_null();
	header = &profile->tables->header;
	tables_name(profile, name);
	snprintf(checksum, sizeof(checksum), "%016" PRIx64,
		header->header_checksum);
	return json_pack("{s:s, s:I, s:i, s:s}", "member", name, "bytes",
		(json_int_t)header->file_size, "version", (int)header->version,
		"checksum", checksum);
}

static json_t *profile_json(const struct bundle *bundle,
	const struct apsp_profile_snapshot *profile)
{
	char text[APSP_PROFILE_TEXT_SIZE], hash[APSP_HASH_SIZE];

	apsp_rule_text_write(rule_get(profile), NULL, text, hash);
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", profile->name,
		"rule", text, "hash", hash, "state",
		answers(profile) ? "ready"
				 : apsp_profile_snapshot_state(profile),
		"tables", tables_json(bundle, profile));
}

static json_t *attributes_json(const struct apsp_attributes *attributes)
{
	json_t *names;

	if (!attributes)
		return json_null();
	names = json_array();
	for (uint32_t c = 0; c < attributes->n_columns; c++)
		json_array_append_new(
			names, json_string(attributes->columns[c].name));
	return json_pack(
		"{s:o, s:s}", "columns", names, "sha256", attributes->sha256);
}

/* Make the text of bundle.json. APSP_EROW: the rule of a profile cannot be
   read. APSP_ENOMEM. */
static int manifest_make(struct bundle *bundle, struct apsp_err *err)
{
	const struct apsp_generation *generation = bundle->generation;
	const struct apsp_origin *origin = &generation->origin;
	json_t *profiles = json_array(), *all;

	for (size_t i = 0; i < generation->n_profiles; i++) {
		const struct apsp_profile_snapshot *p =
			&generation->profiles[i];

		if (bundle->profile && strcmp(p->name, bundle->profile) != 0 &&
			strcmp(p->name, "default") != 0)
			continue;
		if (p->unreadable.code) {
			json_decref(profiles);
			return apsp_fail(err, APSP_EROW,
				"the rule of profile '%s' cannot be read (%s); "
				"delete the profile, or choose another one by "
				"profile=",
				p->name, p->unreadable.message);
		}
		json_array_append_new(profiles, profile_json(bundle, p));
	}
	all = json_pack("{s:s, s:i, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o}",
		"format", "apspd bundle", "version", (int)BUNDLE_VERSION,
		"byte_order", byte_order(), "graph", bundle->snapshot->name,
		"revision", generation->revision, "vertices",
		(json_int_t)generation->n_vertices, "arcs",
		(json_int_t)generation->n_arcs, "derived_from",
		!origin->question
			? json_null()
			: json_pack("{s:s, s:s, s:s}", "graph", origin->graph,
				  "revision", origin->revision, "question",
				  origin->question),
		"attributes", attributes_json(generation->attributes),
		"profiles", profiles);
	if (*generation->weight_unit)
		json_object_set_new(all, "weight_unit",
			json_string(generation->weight_unit));
	bundle->manifest = all ? json_dumps(all, JSON_INDENT(1)) : NULL;
	json_decref(all);
	if (!bundle->manifest)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a bundle");
	bundle->manifest_size = strlen(bundle->manifest);
	return 0;
}

static int manifest_read(struct bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	(void)err;
	out->data = bundle->manifest + at;
	out->size = (size_t)(member->size - at);
	return 0;
}

static int labels_read(struct bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	(void)err;
	out->data = bundle->generation->labels->bytes + at;
	out->size = (size_t)(member->size - at);
	return 0;
}

/*
 * Read arcs, and point *out to their bytes from `at` on. If the requested range
 * has the last arc, the digest of all arcs is checked before this arc is sent.
 * For this digest, the arcs before the range are read, too. A call that reads
 * only such arcs leaves *out empty.
 */
static int arcs_read(struct bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	bool has_last = bundle->end - bundle->at >= member->size - at;
	uint64_t first =
		has_last ? bundle->digest.n_arcs : at / sizeof(struct apsp_arc);
	uint64_t skipped = at - first * sizeof(struct apsp_arc);
	uint64_t size;
	int n;

	n = apsp_stored_arcs_read(bundle->store, bundle->generation, first,
		has_last ? &bundle->digest : NULL,
		(struct apsp_arc *)bundle->buffer, err);
	if (n < 0)
		return n;
	size = (uint64_t)n * sizeof(struct apsp_arc);
	if (skipped >= size)
		return 0;
	out->data = bundle->buffer + skipped;
	out->size = (size_t)(size - skipped);
	return 0;
}

static int attributes_read(struct bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct apsp_attribute_records *walk = &bundle->walk;
	size_t size = apsp_attribute_records_size(walk);
	uint64_t begin;
	size_t used = 0;

	(void)member;
	(void)err;
	if (walk->at > at || size == 0) {
		walk->next = walk->at = 0;
		size = apsp_attribute_records_size(walk);
	}
	while (walk->at + size <= at) {
		apsp_attribute_records_next(walk, size, NULL);
		size = apsp_attribute_records_size(walk);
	}
	begin = walk->at;
	while (size > 0 && size <= sizeof(bundle->buffer) - used) {
		apsp_attribute_records_next(walk, size, bundle->buffer + used);
		used += size;
		size = apsp_attribute_records_size(walk);
	}
	out->data = bundle->buffer + (at - begin);
	out->size = used - (size_t)(at - begin);
	return 0;
}

static int tables_read(struct bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	uint64_t left = member->size - at;
	const unsigned char *data;
	int r;

	out->size = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
	r = apsp_table_bytes_file(member->tables, at, out->size, &data, err);
	out->data = (const char *)data;
	bundle->sent = member->tables;
	return r;
}

/* Append a member; bundle->members has room for it. */
static struct member *member_add(
	struct bundle *bundle, const char *name, uint64_t size)
{
	struct member *member = &bundle->members[bundle->n_members++];

	strcpy(member->name, name);
	member->begin = bundle->size;
	member->size = size;
	bundle->size +=
		apsp_tar_header_size(size) + size + apsp_tar_padding(size);
	return member;
}

/* Append the table file of a profile, unless an earlier profile has the same
   rule. */
static void tables_add(
	struct bundle *bundle, const struct apsp_profile_snapshot *profile)
{
	struct apsp_tables *tables = profile->tables;
	char name[TABLES_NAME_SIZE];
	struct member *member;

	tables_name(profile, name);
	for (size_t i = 0; i < bundle->n_members; i++)
		if (strcmp(bundle->members[i].name, name) == 0)
			return;
	member = member_add(bundle, name, tables->header.file_size);
	member->read = tables_read;
	member->tables = tables;
	apsp_tables_hold(tables);
}

static int members_lay_out(struct bundle *bundle, struct apsp_err *err)
{
	const struct apsp_generation *generation = bundle->generation;
	struct sha256_ctx sha;
	unsigned char digest[SHA256_DIGEST_SIZE];
	int r;

	r = manifest_make(bundle, err);
	if (r < 0)
		return r;
	bundle->members =
		calloc(generation->n_profiles + 4, sizeof(*bundle->members));
	if (!bundle->members)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a bundle");
	sha256_init(&sha);
	sha256_update(&sha, bundle->manifest_size, (void *)bundle->manifest);
	sha256_digest(&sha, sizeof(digest), digest);
	apsp_hex_write(digest, sizeof(digest), bundle->id);
	member_add(bundle, "bundle.json", bundle->manifest_size)->read =
		manifest_read;
	member_add(bundle, "labels", generation->labels->bytes_used)->read =
		labels_read;
	member_add(bundle, "arcs", generation->n_arcs * sizeof(struct apsp_arc))
		->read = arcs_read;
	if (generation->attributes)
		member_add(bundle, "attributes",
			generation->attributes->records_size)
			->read = attributes_read;
	for (size_t i = 0; i < generation->n_profiles; i++)
		if (has_tables(bundle, &generation->profiles[i]))
			tables_add(bundle, &generation->profiles[i]);
	bundle->size += APSP_TAR_END;
	return 0;
}

/* Begin a bundle in req->state. Protect its arcs from deletion until it has
   been sent. */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	const char *profile = apsp_query_get(req, "profile");
	const char *tables = apsp_query_get(req, "tables");
	struct bundle *bundle;
	int r;

	if (tables && strcmp(tables, "none") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"tables: found '%s', expected none", tables);
	bundle = apsp_request_state(req, sizeof(*bundle), bundle_free, err);
	if (!bundle)
		return APSP_ENOMEM;
	bundle->store = req->config->store;
	bundle->profile = profile;
	bundle->no_tables = tables != NULL;
	r = apsp_reading_shown(
		req, &bundle->snapshot, &bundle->generation, err);
	if (r < 0)
		return r;
	if (profile && !apsp_generation_profile(bundle->generation, profile))
		return apsp_graph_snapshot_no_profile(
			bundle->snapshot->name, profile, err);
	bundle->walk.attributes = bundle->generation->attributes;
	bundle->walk.labels = bundle->generation->labels;
	r = apsp_held_uploads_add(apsp_store_parts(bundle->store)->held,
		bundle->generation->id, err);
	bundle->held = r == 0;
	return r;
}

/* Return the last member that begins at or before offset `at`. */
static const struct member *member_find(
	const struct bundle *bundle, uint64_t at)
{
	size_t i = bundle->n_members - 1;

	while (bundle->members[i].begin > at)
		i--;
	return &bundle->members[i];
}

static int block_make(struct bundle *bundle, uint64_t at,
	struct apsp_stream_block *out, struct apsp_err *err)
{
	const struct member *member = member_find(bundle, at);
	size_t header_size = apsp_tar_header_size(member->size);
	uint64_t data_end;

	at -= member->begin;
	if (at < header_size) {
		apsp_tar_header_write(
			member->name, member->size, bundle->buffer);
		out->data = bundle->buffer + at;
		out->size = header_size - (size_t)at;
		return 0;
	}
	at -= header_size;
	if (at < member->size)
		return member->read(bundle, member, at, out, err);
	/* `at` is behind the member's data, where the archive has only zeros:
	   the padding of the member, or the end of the archive */
	data_end = member->size + apsp_tar_padding(member->size);
	out->data = zeros;
	out->size = at < data_end ? (size_t)(data_end - at) : sizeof(zeros);
	return 0;
}

static int next(void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct bundle *bundle = ctx;
	int r;

	if (bundle->at == bundle->end)
		return 0;
	bundle->sent = NULL;
	r = block_make(bundle, bundle->at, out, err);
	if (r < 0)
		return r;
	if (out->size > bundle->end - bundle->at)
		out->size = (size_t)(bundle->end - bundle->at);
	bundle->at += out->size;
	return bundle->at < bundle->end;
}

static int trust(void *ctx, struct apsp_err *err)
{
	struct bundle *bundle = ctx;

	return bundle->sent ? apsp_tables_trust(bundle->sent, err) : 0;
}

/* Reply with the range of the archive that the request asks for. The reply owns
   the bundle. */
static int reply(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(bundle_end) struct bundle *bundle = req->state;
	char name[sizeof("attachment; filename=\".apspd.tar\"") +
		  APSP_NAME_SIZE];
	struct apsp_stream stream = {
		.type = "application/x-tar",
		.as_it_is = true,
		.uncoded = true,
		.mapped = true,
		.in_pool = true,
		.next = next,
		.trust = trust,
		.done = bundle_free,
	};
	struct apsp_range range;
	int r;

	req->state = NULL;
	snprintf(name, sizeof(name), "attachment; filename=\"%s.apspd.tar\"",
		req->params[0]);
	r = apsp_reply_etag(req, bundle->id, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_range_read(req, bundle->size, &range, err);
	if (r == 0)
		r = apsp_reply_header(req, "Content-Disposition", name, err);
	if (r < 0)
		return r;
	bundle->at = range.begin;
	bundle->end = range.begin + range.size;
	stream.size = range.size;
	stream.ctx = APSP_TAKE(bundle);
	return apsp_stream_reply(req, range.status, &stream, err);
}

int apsp_api_get_bundle(struct apsp_request *req, struct apsp_err *err)
{
	int r = apsp_request_move(req, err);

	if (r == 0)
		r = begin(req, err);
	if (r == 0)
		r = members_lay_out(req->state, err);
	return r < 0 ? r : reply(req, err);
}
