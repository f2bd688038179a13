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
 * bundle has tables, and the client may not send any.
 */
int apsp_bundle_tables_begin(
	struct apsp_bundle_tables *tables, struct apsp_err *err);

/*
 * Write the name that the next member must have; "": no member may come. `name`
 * is the name of the member that has come. If files may be missing, skip files
 * until one has this name, or until no file is left.
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
