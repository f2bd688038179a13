/*
 * The file `graph` in a job's directory: one generation as uploaded, with the
 * profile to apply. storage writes it, the solver maps it. Host byte order: it
 * never leaves the machine.
 *
 *	| struct apsp_graph_header | struct apsp_arc × n_arcs         |
 *	| u64 label offset × (n_vertices + 1) | label bytes, no NULs  |
 *
 * Label i is the bytes [offset[i], offset[i + 1]) of the label bytes.
 */
#ifndef APSP_BASE_GRAPH_FILE_H
#define APSP_BASE_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/profile.h"

/* One arc as uploaded; also the stored form in storage's chunks. */
struct apsp_arc {
	uint32_t from;
	uint32_t to;
	double weight;
};

struct apsp_graph_header {
	char magic[8]; /* APSP_GRAPH_MAGIC */
	uint64_t n_vertices;
	uint64_t n_arcs;
	uint64_t label_bytes;
	char profile[APSP_PROFILE_TEXT_SIZE]; /* apsp_profile_format() */
};

#define APSP_GRAPH_MAGIC "apspgr1\n"

/* A graph file in memory; every pointer is borrowed from the mapping. */
struct apsp_graph {
	uint32_t n_vertices;
	uint64_t n_arcs;
	const struct apsp_arc *arcs;
	const uint64_t *label_offsets;
	const char *label_bytes;
	struct apsp_profile profile;
	void *map; /* owned */
	size_t map_size;
};

/*
 * Map the file at path, checking every size and index. On success the caller
 * owns *out and ends it with apsp_graph_done(). APSP_EIO: cannot be opened.
 * APSP_EDATA: not a graph file.
 */
int apsp_graph_open(
	const char *path, struct apsp_graph *out, struct apsp_err *err);
void apsp_graph_done(struct apsp_graph *graph);

/* The arcs [first, end) of a graph; {0} before the first window. */
struct apsp_arc_window {
	uint64_t first;
	uint64_t end;
};

/*
 * Go on to the next arcs, all of them in the end, so that few are in memory at
 * a time: those of the window before are given back to the file, where they
 * come from when they are looked at again. False: there are no more.
 */
bool apsp_graph_window_next(
	const struct apsp_graph *graph, struct apsp_arc_window *window);

/*
 * Write a whole graph in memory as a file at path; map and map_size are not
 * looked at. The store streams its arcs and does not need this. APSP_EIO,
 * APSP_ENOSPACE.
 */
int apsp_graph_write(
	const char *path, const struct apsp_graph *graph, struct apsp_err *err);

/*
 * Copy the label of vertex v for a message: NUL-terminated, cut between UTF-8
 * characters where size bytes do not hold it.
 */
void apsp_graph_label(
	const struct apsp_graph *graph, uint32_t v, char *out, size_t size);

#endif
