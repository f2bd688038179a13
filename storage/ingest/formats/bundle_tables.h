/*
 * The table files of a bundle are its last members. bundle.json lists them.
 * Profiles with the same rule share a file. If the option recompute_tables is
 * set, the bytes of the files are not read, and files may be missing. Otherwise
 * every file must be present, in the order of the profiles, and is stored
 * (storage/ingest/received_table.h).
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_BUNDLE_TABLES_H
#define APSP_STORAGE_INGEST_FORMATS_BUNDLE_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/ingest/tar.h"
#include "storage/ingest/graph_builder.h"

struct apsp_bundle_tables {
	struct apsp_graph_builder *builder; /* borrowed */
	/* number of the profile whose file comes next, or is being read; equal
	   to the number of profiles if no more files come */
	size_t next;
};

/*
 * Call this after bundle.json was read, and before the first table file.
 * APSP_EFORBIDDEN: the bundle has tables, but the client is not allowed to send
 * tables.
 */
int apsp_bundle_tables_begin(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

/*
 * Three functions read a table file. apsp_bundle_tables_open() begins the
 * member `name` of the archive, which must be the next table file; *header is
 * the member's header. With recompute_tables, earlier table files may be
 * missing. apsp_bundle_tables_feed() reads the next bytes of the member, and
 * apsp_bundle_tables_close() ends it. APSP_EDATA: another member must come
 * here, or the file is refused; the message names the member. Errors of
 * apsp_received_table_new() and apsp_received_table_feed().
 */
int apsp_bundle_tables_open(struct apsp_bundle_tables *tables, const char *name,
	const struct apsp_tar_header *header, struct apsp_err *err);
int apsp_bundle_tables_feed(struct apsp_bundle_tables *tables, const char *data,
	size_t size, struct apsp_err *err);
int apsp_bundle_tables_close(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

/* Call this after the last file. Chooses how a job proves that the tables are
   right (enum apsp_prove). APSP_EDATA: a file is missing. */
int apsp_bundle_tables_end(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

#endif
