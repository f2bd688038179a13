/*
 * The body of a batch, parsed as it arrives. A batch is a list of pairs, a CSV
 * of pairs, or all pairs of a source and a target (api/vertex_set.h):
 *
 *	{"pairs":[["a","b"],…]}
 *	{"sources":["a"],"targets":{"match":["type:KC"]}}
 *
 * A line of a CSV is a pair. Separators, quotes, comments and a byte order mark
 * are read as in an upload (storage/ingest/formats/csv_reader.h). The first
 * line is a header if it has a column name for each end of a pair. The names
 * are those of an edge list, such as from and to, or pre and post. Other
 * columns are ignored. Without a header, a line has two columns, from and to.
 * Every line has as many columns as the first.
 *
 * Memory holds 8 bytes for each listed pair, 4 bytes for each vertex of a set,
 * and the beginnings of unknown labels.
 *
 * A body of another form is refused as a whole. If only a pair is wrong, its
 * error is stored, and the pair's row of the answer reports this error.
 */
#ifndef APSP_API_PATHS_PAIRS_READER_H
#define APSP_API_PATHS_PAIRS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/body.h"
#include "api/vertex_set.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/ingest/formats/csv_reader.h"
#include "storage/ingest/formats/kept_record.h"

/* The two ends of a pair; pairs_reader.c explains the encoding. */
struct apsp_kept_pair {
	uint32_t ends[2];
};

/* This struct must be the first member of the handler's struct in
   req->state. */
struct apsp_pairs_reader {
	struct apsp_body_stream body;
	const struct apsp_generation *generation; /* borrowed */
	struct apsp_share *share; /* counts the memory of the pairs; borrowed */
	uint32_t max; /* largest number of pairs; a longer list is refused */
	bool is_csv;  /* the body is a CSV; otherwise it is JSON */
	size_t n; /* number of pairs; if the body has sets, 0 until the body has
		     ended */

	/* The following members are private to pairs_reader.c. */
	struct apsp_csv_reader *csv;   /* owned; NULL if the body is JSON or has
					  ended */
	struct apsp_kept_record first; /* the first line of the CSV */
	bool started;		       /* the first line was parsed */
	bool has_header;	       /* the first line is a header */
	size_t columns[2]; /* indices of the columns of from and to */
	size_t n_fields;   /* number of columns of the first line */
	struct apsp_vertex_set_reader set_readers[2];
	/* the sources and the targets; unused if the body has a list of pairs;
	   owned */
	struct apsp_vertex_set sets[2];
	bool in_list;  /* the JSON value of the present pair is a list */
	size_t n_ends; /* number of ends of the present pair that were read so
			  far */
	struct apsp_kept_pair current; /* the present pair */
	struct apsp_kept_pair *pairs;  /* owned */
	size_t room;
	char *text; /* owned */
	size_t text_size, text_room;
};

enum apsp_pair_fault {
	APSP_PAIR_GOOD,
	APSP_PAIR_NO_PAIR,   /* the pair is not a list of two items */
	APSP_PAIR_NO_STRING, /* this end of the pair is not a string; `text` is
				the kind of its value, such as "a number" */
	APSP_PAIR_NO_VERTEX, /* this end of the pair is a label that no vertex
				has; `text` is the label, cut to at most 200
				bytes of UTF-8 */
};

struct apsp_pair_end {
	enum apsp_pair_fault fault;
	uint32_t vertex;  /* valid only if fault is APSP_PAIR_GOOD */
	const char *text; /* borrowed from the reader */
};

/* Find out from Content-Type whether the body is a CSV. A body of any other
   type is read as JSON. APSP_EMEDIATYPE: the body is a CSV in an unknown
   form. */
int apsp_pairs_reader_type(
	const struct apsp_request *req, bool *out_csv, struct apsp_err *err);

/*
 * Begin to read the body, which apsp_body_stream_feed() then parses. The caller
 * has set `generation`, `share` and `is_csv`. APSP_ENOMEM.
 *
 * After this call, apsp_body_stream_feed() may also return APSP_ETOOLARGE (too
 * many pairs, or too many bytes of unknown labels) or APSP_EBUSY (no memory is
 * left in the budget of `share`).
 */
int apsp_pairs_reader_begin(struct apsp_request *req, struct apsp_err *err);
void apsp_pairs_reader_done(struct apsp_pairs_reader *reader);

/*
 * End the parsing of a complete body. May be called again after any result.
 * APSP_EMALFORMED: the body has neither pairs nor sets, or both.
 * APSP_ETOOLARGE: the sets make more than `max` pairs. Fails as
 * apsp_body_stream_end() and apsp_vertex_set_end() do.
 */
int apsp_pairs_reader_end(struct apsp_request *req, struct apsp_err *err);

/*
 * Store the ends of pair i. If the pair was not a list of two items, the fault
 * of both ends is APSP_PAIR_NO_PAIR.
 */
void apsp_pairs_reader_get(const struct apsp_pairs_reader *reader, size_t i,
	struct apsp_pair_end out[2]);

/*
 * List the first vertex of each pair that has no fault, in the order of the
 * pairs. The list may contain a vertex several times. The caller frees *out.
 * APSP_ENOMEM. Also fails as apsp_share_grow() does.
 */
int apsp_pairs_reader_sources(const struct apsp_pairs_reader *reader,
	uint32_t **out, size_t *out_n, struct apsp_err *err);

#endif
