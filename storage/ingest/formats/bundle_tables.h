/*
 * The table files of a bundle, which are its last members. bundle.json names
 * them; profiles with the same rule share a file. With the option
 * recompute_tables, the bytes of the files are not read, and files may be
 * missing. Otherwise every file must come, in the order of the profiles, and is
 * stored (storage/ingest/received_table.h).
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
 * Begin with the first file, after bundle.json was read. APSP_EFORBIDDEN: the
 * bundle has tables, but the client is not allowed to send tables.
 */
int apsp_bundle_tables_begin(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

/*
 * Write the name that the next member must have, or "" if the bundle must have
 * no further member. `name` is the name of the member that has come. With
 * recompute_tables, skip missing files: move on to the file with this name, or
 * past the last file if no file has this name.
 */
void apsp_bundle_tables_expected(struct apsp_bundle_tables *tables,
	const char *name, char out[APSP_TAR_NAME_SIZE]);

/*
 * apsp_bundle_tables_open() begins the member with the expected name,
 * apsp_bundle_tables_feed() reads its next bytes, and
 * apsp_bundle_tables_close() ends it. APSP_EDATA: the file is refused; the
 * message names the member. Errors of apsp_received_table_new() and
 * apsp_received_table_feed().
 */
int apsp_bundle_tables_open(
	struct apsp_bundle_tables *tables, uint64_t size, struct apsp_err *err);
int apsp_bundle_tables_feed(struct apsp_bundle_tables *tables, const char *data,
	size_t size, struct apsp_err *err);
int apsp_bundle_tables_close(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

/* End the files, and choose how they are proved. APSP_EDATA: a file is
   missing. */
int apsp_bundle_tables_end(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

#endif
