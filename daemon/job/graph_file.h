/*
 * The file `graph` in a job's directory: the graph of one upload, and the
 * profile from which the lengths of the arcs are computed. The store writes the
 * file and the solver maps it. Numbers have the host's byte order, because the
 * file never leaves the machine.
 *
 *	| struct apsp_graph_header | struct apsp_arc × n_arcs         |
 *	| u64 label offset × (n_vertices + 1)                         |
 *	| double total × n_vertices, if has_totals                    |
 *	| u64 × (n_vertices / 64 + 1), if has_left_out                |
 *	| label bytes, no NULs                                        |
 *
 * Label i is the bytes [offset[i], offset[i + 1]) of the label bytes. The
 * profile's option normalise_by names an attribute. The total of a vertex is
 * the number that the vertex has in this attribute, or NaN if it has none. Bit
 * v of the u64 words is set if the profile's option `without` leaves vertex v
 * out.
 */
#ifndef APSP_DAEMON_JOB_GRAPH_FILE_H
#define APSP_DAEMON_JOB_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

/* One arc as uploaded. In the database, the arcs of a chunk have the same
   layout. */
struct apsp_arc {
	uint32_t from;
	uint32_t to;
	double weight;
};

/* Whether a job computes its tables, or proves tables that came in a bundle (an
   archive of a graph and its tables). The tables from the bundle are the file
   `tables` in the job's directory. */
enum apsp_prove {
	APSP_PROVE_NONE, /* the job computes the tables */
	APSP_PROVE_ALL,	 /* every row is compared with all arcs */
	/* every cell is compared with the cell of its predecessor; rows that
	   the job's seed selects are compared with all arcs */
	APSP_PROVE_SEED,
	APSP_N_PROVES,
};

/* The names of the values of enum apsp_prove in requests: "all" and "seed"; ""
   for APSP_PROVE_NONE. */
extern const char *const apsp_prove_names[APSP_N_PROVES];

struct apsp_graph_header {
	char magic[8]; /* APSP_GRAPH_MAGIC */
	uint64_t n_vertices;
	uint64_t n_arcs;
	uint64_t label_bytes;
	uint32_t has_totals;   /* 1 if the file has totals, else 0 */
	uint32_t has_left_out; /* 1 if the file has bits of left-out vertices,
				  else 0 */
	uint32_t prove;	       /* enum apsp_prove */
	uint32_t zero;	       /* keeps the arcs aligned */
	/* For messages: the <hash> of tables/<hash>.apsp, which is the name of
	   the table file in the bundle. Empty if `prove` is APSP_PROVE_NONE. */
	char member[APSP_HASH_SIZE + 15];
	char profile[APSP_PROFILE_TEXT_SIZE]; /* canonical text, see
						 apsp_profile_format() */
};

#define APSP_GRAPH_MAGIC "apspgr2\n"

/* Return the size of a graph file in bytes, without its labels, its totals and
   the bits of its left-out vertices. UINT64_MAX: the size overflows. */
uint64_t apsp_graph_file_bytes(uint64_t n_vertices, uint64_t n_arcs);

/* A mapped graph file; every pointer except `map` points into the mapping. */
struct apsp_graph {
	uint32_t n_vertices;
	uint64_t n_arcs;
	const struct apsp_arc *arcs;
	const uint64_t *label_offsets;
	const double *totals;	  /* NULL: the file has no totals */
	const uint64_t *left_out; /* bit v is set if vertex v is left out; NULL:
				     no vertex is left out */
	const char *label_bytes;
	struct apsp_profile profile;
	enum apsp_prove prove;
	const char *member; /* the same hash as in struct apsp_graph_header */
	void *map;	    /* owned */
	size_t map_size;
};

/*
 * Map the file at `path`, and check every size and index in the file, except
 * the vertices of arcs: apsp_arc_rows_sort() checks these. The caller ends *out
 * with apsp_graph_done(). APSP_EIO: the file cannot be opened or mapped.
 * APSP_EDATA: the file is no graph file, or is damaged.
 */
int apsp_graph_open(
	const char *path, struct apsp_graph *out, struct apsp_err *err);
void apsp_graph_done(struct apsp_graph *graph);

/*
 * A walk over the arcs [begin, last) of a graph, window by window. The present
 * window has the arcs [first, end). To begin a walk, set the struct to {begin,
 * begin, last}.
 */
struct apsp_arc_window {
	uint64_t first;
	uint64_t end;
	uint64_t last;
};

/*
 * Move the window to the next arcs. Returns false if there are no more arcs. If
 * the graph is a mapped file, a walk keeps only its window in memory: this
 * function releases the pages of the previous window. If the caller uses a
 * released page, the operating system reads it from the file again.
 */
bool apsp_graph_window_next(
	const struct apsp_graph *graph, struct apsp_arc_window *window);

/*
 * Write *graph to a file at `path`. The members map and map_size are ignored.
 * Use this function for small graphs (--check, calibration, tests), because all
 * arcs must be in memory. The store writes its graph files with other code,
 * which does not need all arcs in memory. APSP_EIO, APSP_ENOSPACE.
 */
int apsp_graph_write(
	const char *path, const struct apsp_graph *graph, struct apsp_err *err);

/*
 * Copy the label of vertex v with a NUL, for a message. A label longer than
 * size - 1 bytes is cut between UTF-8 characters. If the graph has no labels
 * (label_offsets is NULL), the index v is written instead.
 */
void apsp_graph_label(
	const struct apsp_graph *graph, uint32_t v, char *out, size_t size);

#endif
