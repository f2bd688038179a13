/*
 * Reads bundle.json, the first file of a bundle, in pieces of any size. Each
 * known key must occur once. Unknown keys are refused, because a bundle with an
 * unknown key may have contents that this version of apspd would not store.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_BUNDLE_TEXT_H
#define APSP_STORAGE_INGEST_FORMATS_BUNDLE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "storage/ingest/bundled.h"
#include "storage/ingest/json_reader.h"

enum {
	/* largest size in bytes of the text */
	APSP_BUNDLE_TEXT_MAX = 1 << 20,
	APSP_BUNDLE_PATH_MAX = 64,
	APSP_BUNDLE_NAMES_MAX =
		APSP_ATTRIBUTE_COLUMNS_MAX * (APSP_ATTRIBUTE_NAME_MAX + 1),
};

struct apsp_bundle_text {
	struct apsp_bundled *out; /* borrowed */
	/* The reader of the text, which apsp_bundle_text_open() makes. The
	   caller passes the bytes to apsp_json_reader_feed(). If the text is no
	   bundle.json, that function fails with APSP_EDATA, and the message
	   names the member of the text. */
	struct apsp_json_reader *json;
	/* the names of the attributes, each with a NUL */
	char names[APSP_BUNDLE_NAMES_MAX];
	size_t names_size;
	bool has_attributes;
	char attributes_sha256[APSP_HASH_SIZE];

	/* The following members are private to bundle_text.c. */
	/* The keys that lead to the current value, outermost first, with a dot
	   before each, such as ".profiles.name". The keys of the d outermost
	   containers take the first ends[d] bytes. */
	char path[APSP_BUNDLE_PATH_MAX];
	size_t ends[APSP_JSON_DEPTH_MAX + 2];
	char value[APSP_JSON_TEXT_MAX + 1]; /* text of the JSON event that is
					       being read, with a NUL */
	bool no_memory; /* a value was refused because memory was short */
	uint32_t seen;	/* a bit for each member in `rows` of bundle_text.c; set
			   when the member's key was read */
};

/* Open the reader. Before this call, the caller sets text->out, and all other
   members to 0. The caller frees text->json with free(). APSP_ENOMEM. */
int apsp_bundle_text_open(struct apsp_bundle_text *text, struct apsp_err *err);

/* End the text. Fails as apsp_json_reader_feed() does. */
int apsp_bundle_text_end(struct apsp_bundle_text *text, struct apsp_err *err);

#endif
