/*
 * Whole uploads for tests: bytes go in, in pieces of a chosen size; an upload
 * or an error comes out.
 */
#ifndef APSP_TESTS_UPLOAD_RUN_H
#define APSP_TESTS_UPLOAD_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage/ingest/upload/upload.h"
#include "tests/upload_write.h"

#define PIECES_RANDOM SIZE_MAX

static inline struct apsp_upload_options options_of(enum apsp_format format)
{
	return (struct apsp_upload_options){.format = format,
		.profile = {.duplicates = APSP_DUPLICATES_MIN},
		.limits.max_bytes = 1 << 28,
		.max_arcs = 1 << 24};
}

static inline const char *scratch_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir ? dir : "/tmp";
}

/* The caller frees *out, which is NULL after an error. */
static inline int upload_run(const struct apsp_upload_options *options,
	const char *data, size_t size, size_t piece, struct apsp_upload **out,
	struct apsp_err *err)
{
	struct apsp_upload *upload = NULL;
	uint32_t random = 12345;
	size_t n;
	int r = apsp_upload_open(scratch_dir(), options, &upload, err);

	*out = NULL;
	for (size_t at = 0; at < size && r == 0; at += n) {
		random = random * 1664525 + 1013904223;
		n = piece == PIECES_RANDOM ? 1 + (random >> 16) % 97 : piece;
		if (n > size - at)
			n = size - at;
		r = upload_write(upload, data + at, n, err);
	}
	if (r == 0)
		r = apsp_upload_end(upload, err);
	if (r == 0)
		*out = upload;
	else
		apsp_upload_free(upload);
	return r;
}

/*
 * "a>b:2.5 b>b:1 | c" : the arcs in order, then all labels that no arc named.
 * The caller frees it.
 */
static inline char *upload_text(const struct apsp_upload *upload)
{
	const struct apsp_labels *labels = upload->result.labels;
	const uint32_t n = labels->count;
	char *named = calloc(n, 1), *text = NULL;
	struct apsp_arc arcs[64];
	uint64_t first = 0;
	int64_t got;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	while ((got = apsp_arc_spool_read(
			upload->result.arcs, first, arcs, 64, NULL)) > 0) {
		for (int64_t i = 0; i < got; i++) {
			fprintf(f, "%s%s>%s:%.17g", first + i ? " " : "",
				apsp_labels_get(labels, arcs[i].from, NULL),
				apsp_labels_get(labels, arcs[i].to, NULL),
				arcs[i].weight);
			named[arcs[i].from] = named[arcs[i].to] = 1;
		}
		first += (uint64_t)got;
	}
	for (uint32_t v = 0; v < n; v++)
		if (!named[v])
			fprintf(f, " | %s", apsp_labels_get(labels, v, NULL));
	fclose(f);
	free(named);
	return text;
}

/* A whole file; the caller frees it. NULL if it cannot be read. */
static inline char *data_read(const char *name, size_t *out_size)
{
	const char *root = getenv("APSP_SOURCE_ROOT");
	char path[4096];
	char *data = NULL;
	FILE *f;
	long size;

	snprintf(path, sizeof(path), "%s/tests/data/%s", root ? root : ".",
		name);
	f = fopen(path, "rb");
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	data = malloc((size_t)size + 1);
	if (data)
		*out_size = fread(data, 1, (size_t)size, f);
	fclose(f);
	return data;
}

#endif
