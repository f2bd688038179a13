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

#include "storage/ingest/formats/parser.h"

/*
 * X(enumerator, parser, name, contents, Content-Types …): the parser is
 * apsp_parser_<parser>; a Content-Type may have one parameter that tells it
 * from another format's, at most APSP_FORMAT_TYPES_MAX of them.
 */
#define APSP_FORMATS(X)                                                        \
	X(CSV, csv, "csv", APSP_CONTENTS_ARCS, "text/csv")                     \
	X(TSV, tsv, "tsv", APSP_CONTENTS_ARCS, "text/tab-separated-values")    \
	X(CSV_MATRIX, csv_matrix, "csv-matrix", APSP_CONTENTS_DENSE,           \
		"text/csv;layout=matrix")                                      \
	X(MTX, mtx, "mtx", APSP_CONTENTS_DENSE, "text/x-matrix-market",        \
		"application/x-matrix-market")                                 \
	X(GR, gr, "gr", APSP_CONTENTS_ARCS, "text/x-dimacs",                   \
		"application/x-dimacs")                                        \
	X(NPY, npy, "npy", APSP_CONTENTS_BINARY, "application/x-npy")          \
	X(JSON, json, "json", APSP_CONTENTS_ARCS, "application/json")

#define APSP_FORMAT_ENUMERATOR(enumerator, ...) APSP_FORMAT_##enumerator,
enum apsp_format { APSP_FORMATS(APSP_FORMAT_ENUMERATOR) APSP_N_FORMATS };
#undef APSP_FORMAT_ENUMERATOR

enum apsp_contents {
	APSP_CONTENTS_ARCS,   /* text, arc by arc */
	APSP_CONTENTS_DENSE,  /* text that is or may be a dense matrix */
	APSP_CONTENTS_BINARY, /* a dense matrix in binary */
};

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

/* Whether its files are or may be dense matrices, so that nonedge counts. */
bool apsp_format_is_dense(enum apsp_format format);

const struct apsp_parser *apsp_format_parser(enum apsp_format format);

/* Content-Type number i of the format, NULL past the last. */
const char *apsp_format_type(enum apsp_format format, size_t i);

#endif
