/*
 * What a request asks of a path besides its ends: ?ties=, ?k=, ?avoid=, ?hops=.
 */
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
	APSP_PATH_AVOID,  /* the shortest that avoids something */
	APSP_PATH_K,	  /* the k shortest */
	APSP_PATH_TIES,	  /* the graph of all shortest paths */
	APSP_PATH_WITHIN, /* of at most so many arcs, or exactly so many */
};

enum {
	APSP_PATH_K_MAX = 1000,
	APSP_PATH_ARCS_DEFAULT = 10000, /* told of a graph of ties */
	APSP_PATH_ARCS_MAX = 100000,
};

struct apsp_path_options {
	enum apsp_path_kind kind;
	uint32_t k;
	uint32_t n_arcs; /* of WITHIN */
	bool exactly;	 /* … so many */
	bool has_tolerance;
	double tolerance;  /* of TIES, a share of the distance */
	uint32_t max_arcs; /* of TIES: told at most */
};

/*
 * Read the query. APSP_EMALFORMED: an argument is unknown, missing or no such
 * value, or two of them make no sense together.
 */
int apsp_path_options_read(const struct apsp_request *req,
	struct apsp_path_options *out, struct apsp_err *err);

/*
 * Read all ?avoid=: a vertex, or an arc as tail>head. A text that is a label is
 * a vertex, whatever it holds. The caller ends *out with apsp_avoided_done().
 * APSP_EBADVERTEX: no vertex or arc of the graph's vertices; APSP_EMALFORMED:
 * an end of the path. APSP_ENOMEM.
 */
int apsp_path_options_avoided(struct apsp_request *req,
	const struct apsp_reading *reading, uint32_t from, uint32_t to,
	struct apsp_avoided *out, struct apsp_err *err);

#endif
