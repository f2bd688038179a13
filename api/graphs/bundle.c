/*
 * A graph as one tar archive; see bundle.h.
 */
#include "api/graphs/bundle.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "api/graphs/bundle_manifest.h"
#include "daemon/base/hex.h"
#include "storage/ingest/tar.h"
#include "storage/attributes/attribute_records.h"
#include "storage/snapshots/graph_snapshot.h"
#include "storage/snapshots/held_uploads.h"
#include "storage/store.h"
#include "storage/stored_arcs.h"
#include "storage/tables/tables.h"

enum {
	/* a block of the reply has at most this many bytes of a mapped table
	   file */
	WINDOW_BYTES = 4 << 20,
	BUFFER_BYTES = APSP_ATTRIBUTE_RECORD_MAX,
	/* number of attribute records that one step reads */
	STEP_RECORDS = 4096,
};

_Static_assert(BUFFER_BYTES >= APSP_STORED_ARCS_MAX * sizeof(struct apsp_arc),
	"the buffer has room for the arcs of one read");

static const char zeros[APSP_TAR_END];

struct member {
	char name[APSP_TAR_NAME_SIZE];
	uint64_t begin; /* offset of the header in the archive */
	uint64_t size;
	/* Point *out to bytes of the member that begin at its offset `at`: at
	   least one byte, and at most the rest of the member. */
	int (*read)(struct apsp_bundle *bundle, const struct member *member,
		uint64_t at, struct apsp_stream_block *out,
		struct apsp_err *err);
	/* If the member is a table file, these are its tables. They are
	   borrowed from the snapshot and protected from deletion
	   (apsp_tables_hold()). NULL: the member is not a table file. */
	struct apsp_tables *tables;
};

struct apsp_bundle {
	struct apsp_bundle_source source; /* the snapshot is owned */
	struct apsp_bundle_choice choice;
	char id[APSP_HASH_SIZE];
	char *manifest; /* owned */
	size_t manifest_size;
	struct member *members; /* owned */
	size_t n_members;
	uint64_t size;
	struct sha256_ctx sha; /* hash of the attributes, while
				  apsp_bundle_step() reads them */
	struct apsp_attribute_records walk;
	uint64_t at, end; /* offsets in the archive: the bytes from `at` to
			     `end` - 1 must still be sent */
	/* the tables whose bytes are in the present block; NULL: the block has
	   no bytes of tables */
	struct apsp_tables *sent;
	_Alignas(struct apsp_arc) char buffer[BUFFER_BYTES];
};

void apsp_bundle_free(void *ctx)
{
	struct apsp_bundle *bundle = ctx;

	if (!bundle)
		return;
	for (size_t i = 0; i < bundle->n_members; i++)
		if (bundle->members[i].tables)
			apsp_tables_release(bundle->members[i].tables);
	free(bundle->members);
	free(bundle->manifest);
	apsp_held_uploads_remove(apsp_store_parts(bundle->source.store)->held,
		bundle->source.generation->id);
	apsp_graph_snapshot_unref(bundle->source.snapshot);
	free(bundle);
}

static int manifest_read(struct apsp_bundle *bundle,
	const struct member *member, uint64_t at, struct apsp_stream_block *out,
	struct apsp_err *err)
{
	(void)err;
	out->data = bundle->manifest + at;
	out->size = (size_t)(member->size - at);
	return 0;
}

static int labels_read(struct apsp_bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	size_t size;

	(void)err;
	out->data = apsp_labels_bytes(bundle->source.generation->labels, &size);
	out->data += at;
	out->size = (size_t)(member->size - at);
	return 0;
}

static int arcs_read(struct apsp_bundle *bundle, const struct member *member,
	uint64_t at, struct apsp_stream_block *out, struct apsp_err *err)
{
	size_t skipped = at % sizeof(struct apsp_arc);
	int n;

	(void)member;
	n = apsp_stored_arcs_read(bundle->source.store,
		bundle->source.generation, at / sizeof(struct apsp_arc),
		(struct apsp_arc *)bundle->buffer, err);
	if (n < 0)
		return n;
	out->data = bundle->buffer + skipped;
	out->size = (size_t)n * sizeof(struct apsp_arc) - skipped;
	return 0;
}

static int attributes_read(struct apsp_bundle *bundle,
	const struct member *member, uint64_t at, struct apsp_stream_block *out,
	struct apsp_err *err)
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

static int tables_read(struct apsp_bundle *bundle, const struct member *member,
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
	struct apsp_bundle *bundle, const char *name, uint64_t size)
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
	struct apsp_bundle *bundle, const struct apsp_profile_snapshot *profile)
{
	struct apsp_tables *tables = profile->tables;
	char name[APSP_BUNDLE_TABLES_SIZE];
	struct member *member;

	apsp_bundle_tables_name(&profile->rule, name);
	for (size_t i = 0; i < bundle->n_members; i++)
		if (strcmp(bundle->members[i].name, name) == 0)
			return;
	member = member_add(bundle, name, tables->header.file_size);
	member->read = tables_read;
	member->tables = tables;
	apsp_tables_hold(tables);
}

static int members_lay_out(struct apsp_bundle *bundle, struct apsp_err *err)
{
	const struct apsp_generation *generation = bundle->source.generation;
	struct sha256_ctx sha;
	unsigned char digest[SHA256_DIGEST_SIZE];
	size_t size;
	int r;

	r = apsp_bundle_manifest(bundle->source.snapshot->name, generation,
		&bundle->choice, &bundle->manifest, &bundle->manifest_size,
		err);
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
	apsp_labels_bytes(generation->labels, &size);
	member_add(bundle, "labels", size)->read = labels_read;
	member_add(bundle, "arcs", generation->n_arcs * sizeof(struct apsp_arc))
		->read = arcs_read;
	if (generation->attributes)
		member_add(bundle, "attributes", bundle->walk.at)->read =
			attributes_read;
	for (size_t i = 0; i < generation->n_profiles; i++)
		if (apsp_bundle_has_tables(
			    &bundle->choice, &generation->profiles[i]))
			tables_add(bundle, &generation->profiles[i]);
	bundle->size += APSP_TAR_END;
	return 0;
}

int apsp_bundle_new(const struct apsp_bundle_source *source,
	struct apsp_bundle **out, struct apsp_err *err)
{
	struct apsp_bundle *bundle;
	int r;

	if (source->profile &&
		!apsp_generation_profile(source->generation, source->profile))
		return apsp_graph_snapshot_no_profile(
			source->snapshot->name, source->profile, err);
	bundle = calloc(1, sizeof(*bundle));
	if (!bundle)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a bundle");
	r = apsp_held_uploads_add(apsp_store_parts(source->store)->held,
		source->generation->id, err);
	if (r < 0) {
		free(bundle);
		return r;
	}
	bundle->source = *source;
	bundle->choice.profile = source->profile;
	bundle->choice.no_tables = source->no_tables;
	bundle->walk.attributes = source->generation->attributes;
	bundle->walk.labels = source->generation->labels;
	sha256_init(&bundle->sha);
	*out = bundle;
	return 0;
}

int apsp_bundle_step(struct apsp_bundle *bundle, struct apsp_err *err)
{
	unsigned char digest[SHA256_DIGEST_SIZE];
	size_t size = 0;

	for (int i = 0; bundle->walk.attributes && i < STEP_RECORDS; i++) {
		size = apsp_attribute_records_size(&bundle->walk);
		if (size == 0)
			break;
		apsp_attribute_records_next(
			&bundle->walk, size, bundle->buffer);
		sha256_update(&bundle->sha, size, (void *)bundle->buffer);
	}
	if (size > 0)
		return 1;
	if (bundle->walk.attributes) {
		sha256_digest(&bundle->sha, sizeof(digest), digest);
		apsp_hex_write(digest, sizeof(digest),
			bundle->choice.attributes_sha256);
	}
	return members_lay_out(bundle, err);
}

uint64_t apsp_bundle_size(const struct apsp_bundle *bundle)
{
	return bundle->size;
}

const char *apsp_bundle_id(const struct apsp_bundle *bundle)
{
	return bundle->id;
}

/* Return the last member that begins at or before offset `at`. */
static const struct member *member_find(
	const struct apsp_bundle *bundle, uint64_t at)
{
	size_t i = bundle->n_members - 1;

	while (bundle->members[i].begin > at)
		i--;
	return &bundle->members[i];
}

static int block_make(struct apsp_bundle *bundle, uint64_t at,
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
	/* here the archive has only zeros: the padding of the member, or the
	   end of the archive */
	data_end = member->size + apsp_tar_padding(member->size);
	out->data = zeros;
	out->size = at < data_end ? (size_t)(data_end - at) : sizeof(zeros);
	return 0;
}

static int next(void *ctx, struct apsp_stream_block *out, struct apsp_err *err)
{
	struct apsp_bundle *bundle = ctx;
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
	struct apsp_bundle *bundle = ctx;

	return bundle->sent ? apsp_tables_trust(bundle->sent, err) : 0;
}

struct apsp_stream apsp_bundle_stream(
	struct apsp_bundle *bundle, uint64_t begin, uint64_t size)
{
	bundle->at = begin;
	bundle->end = begin + size;
	return (struct apsp_stream){
		.type = "application/x-tar",
		.size = size,
		.as_it_is = true,
		.uncoded = true,
		.mapped = true,
		.in_pool = true,
		.next = next,
		.trust = trust,
		.done = apsp_bundle_free,
		.ctx = bundle,
	};
}
