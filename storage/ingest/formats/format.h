/*
 * The list of upload formats. Several things are generated from this list: the
 * enum, the table of parsers, the Content-Types, and the names in messages and
 * in /v1/info (storage/ingest/formats/README.md, To add one more format).
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_FORMAT_H
#define APSP_STORAGE_INGEST_FORMATS_FORMAT_H

#include "storage/ingest/formats/parser.h"

/* Flags for the contents of a format's files. The flags decide which options
   the format accepts. */
enum {
	APSP_FILE_BINARY = 1,
	/* a file may be a dense matrix; the format accepts the option
	   `nonedge` */
	APSP_FILE_DENSE = 2,
	/* a file is a list of arcs; the format accepts the option
	   `undirected` */
	APSP_FILE_LIST = 4,
	/* a file has named columns; the format accepts the options
	   `from_column`, … */
	APSP_FILE_COLUMNS = 8,
	/* a file is separated text; the format accepts the option `decimal` */
	APSP_FILE_DECIMAL = 16,
	/* a file has the rules of its profiles; the format accepts no option of
	   a rule, but accepts the options `recompute_tables` and `prove` */
	APSP_FILE_RULES = 32,
};

/*
 * The list has X(enumerator, parser, name, files, Content-Types …) for each
 * format. The parser is apsp_parser_<parser>, and `files` is a set of flags:
 * APSP_FILE_BINARY, …. A format has at most APSP_FORMAT_TYPES_MAX
 * Content-Types. A Content-Type has at most one parameter, which distinguishes
 * the format from another format with the same media type.
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
		"application/json")                                            \
	X(BUNDLE, bundle, "bundle", APSP_FILE_BINARY | APSP_FILE_RULES,        \
		"application/x-tar")

#define APSP_FORMAT_ENUMERATOR(enumerator, ...) APSP_FORMAT_##enumerator,
enum apsp_format { APSP_FORMATS(APSP_FORMAT_ENUMERATOR) APSP_N_FORMATS };
#undef APSP_FORMAT_ENUMERATOR

enum {
	APSP_FORMAT_TYPES_MAX = 2,
};

/* One format of the list. */
struct apsp_format_row {
	const char *name;   /* "csv", "tsv", … */
	unsigned int files; /* a set of flags: APSP_FILE_BINARY, … */
	const struct apsp_parser *parser;
	const char *types[APSP_FORMAT_TYPES_MAX]; /* Content-Types, then NULL */
};

extern const struct apsp_format_row apsp_formats[APSP_N_FORMATS];

/* Return the format with this name, or -1 if there is none. */
int apsp_format_from_name(const char *name);

/* All names, for messages: "csv|tsv|…". */
extern const char *const apsp_format_names;

#endif
