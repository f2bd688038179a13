/* The options of a path: ?ties=, ?k=, ?avoid=, ?hops=. */
#ifndef APSP_API_PATHS_PATH_OPTIONS_H
#define APSP_API_PATHS_PATH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/http/request.h"
#include "api/reading.h"
#include "daemon/base/err.h"
#include "storage/search/avoided.h"

enum apsp_path_kind {
	APSP_PATH_ONE,	  /* the path of the tables */
	APSP_PATH_AVOID,  /* the shortest path that avoids something */
	APSP_PATH_K,	  /* the k shortest paths */
	APSP_PATH_TIES,	  /* the graph of all shortest paths */
	APSP_PATH_WITHIN, /* a path of at most n_arcs arcs, or a walk of exactly
			     so many */
};

/*
 * The largest values of the options. Limits of a search's work are elsewhere:
 * arcs looked at in storage/search/search_work.h, memory of the k paths in
 * k_paths.c, arcs of hops= in path_cost.h.
 */
enum {
	APSP_PATH_K_MAX = 1000,
	APSP_PATH_ARCS_DEFAULT =
		10000, /* arcs of a graph of ties in the answer */
	APSP_PATH_ARCS_MAX = 100000,
};

struct apsp_path_options {
	enum apsp_path_kind kind;
	uint32_t k;
	uint32_t n_arcs; /* of WITHIN */
	bool exactly;	 /* … so many */
	bool has_tolerance;
	double tolerance;  /* for ties=all, a fraction of the distance */
	uint32_t max_arcs; /* for ties=all, arcs in the answer */
};

/*
 * Read the options from the query. APSP_EMALFORMED: a bad value, or two options
 * that exclude each other.
 */
int apsp_path_options_read(const struct apsp_request *req,
	struct apsp_path_options *out, struct apsp_err *err);

/*
 * Read all ?avoid=: a vertex, or an arc as tail>head. A text that is a label is
 * a vertex, even if it contains >. The caller ends *out with
 * apsp_avoided_done(). APSP_EBADVERTEX: the graph has no such vertex, or the
 * profile no such arc; APSP_EMALFORMED: the text is an end of the path;
 * APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_path_options_avoided(struct apsp_request *req,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	struct apsp_avoided *out, struct apsp_err *err);

#endif
