/*
 * The upload formats. The list below is the only one: the enum, the choice of
 * a parser, the Content-Types, the names in messages and those that /v1/info
 * tells are made from it (storage/ingest/formats/README.md, To add one more
 * format).
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_FORMAT_H
#define APSP_STORAGE_INGEST_FORMATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/ingest/file_options.h"
#include "storage/ingest/formats/parser.h"

/* What a format's files are, and so which options they take. */
enum {
	APSP_FILE_BINARY = 1,
	APSP_FILE_DENSE = 2,	/* may be a dense matrix: nonedge */
	APSP_FILE_LIST = 4,	/* lists arcs: undirected */
	APSP_FILE_COLUMNS = 8,	/* names columns: from_column, … */
	APSP_FILE_DECIMAL = 16, /* separated text: decimal */
};

/*
 * X(enumerator, parser, name, files, Content-Types …): the parser is
 * apsp_parser_<parser>; files is a set of the flags above; a Content-Type may
 * have one parameter that tells it from another format's, at most
 * APSP_FORMAT_TYPES_MAX of them.
 */
#define APSP_FORMATS(X)                                                        \
	X(CSV, csv, "csv",                                                     \
		APSP_FILE_LIST | APSP_FILE_COLUMNS | APSP_FILE_DECIMAL,        \
		"text/csv")                                                    \
	X(TSV, tsv, "tsv",                                                     \
		APSP_FILE_LIST | APSP_FILE_COLUMNS | APSP_FILE_DECIMAL,        \
		"text/tab-separated-values")                                   \
	X(CSV_MATRIX, csv_matrix, "csv-matrix",                                \
		APSP_FILE_DENSE | APSP_FILE_DECIMAL, "text/csv;layout=matrix") \
	X(MTX, mtx, "mtx", APSP_FILE_DENSE, "text/x-matrix-market",            \
		"application/x-matrix-market")                                 \
	X(GR, gr, "gr", APSP_FILE_LIST, "text/x-dimacs",                       \
		"application/x-dimacs")                                        \
	X(NPY, npy, "npy", APSP_FILE_DENSE | APSP_FILE_BINARY,                 \
		"application/x-npy")                                           \
	X(JSON, json, "json", APSP_FILE_LIST | APSP_FILE_COLUMNS,              \
		"application/json")

#define APSP_FORMAT_ENUMERATOR(enumerator, ...) APSP_FORMAT_##enumerator,
enum apsp_format { APSP_FORMATS(APSP_FORMAT_ENUMERATOR) APSP_N_FORMATS };
#undef APSP_FORMAT_ENUMERATOR

enum {
	APSP_FORMAT_TYPES_MAX = 2,
	APSP_FORMAT_NAMES_SIZE = 96, /* enough for apsp_format_names() */
};

/* "csv", "tsv", …, as in the list. */
const char *apsp_format_name(enum apsp_format format);

/* -1: no format has this name. */
int apsp_format_from_name(const char *name);

/* All names, "csv|tsv|…", for messages. size: APSP_FORMAT_NAMES_SIZE. */
void apsp_format_names(char *out, size_t size);

bool apsp_format_is_text(enum apsp_format format);

/*
 * APSP_EMALFORMED: the client said something of the file that the format has no
 * use for.
 */
int apsp_format_check(enum apsp_format format,
	const struct apsp_file_options *file, struct apsp_err *err);

const struct apsp_parser *apsp_format_parser(enum apsp_format format);

/* Content-Type number i of the format, NULL past the last. */
const char *apsp_format_type(enum apsp_format format, size_t i);

#endif
