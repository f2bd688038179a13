/*
 * A second look at betweenness while it is made (compute/measures/README.md,
 * Proof): the shares of some sources found in another way, and the sums of some
 * vertices' shares. It shares no code with path_shares.
 */
#ifndef APSP_COMPUTE_MEASURES_SHARE_CHECK_H
#define APSP_COMPUTE_MEASURES_SHARE_CHECK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

struct apsp_share_vertex;

struct apsp_share_check {
	const struct apsp_lengths *lengths; /* borrowed */
	bool whole;			    /* distances are exact */
	uint32_t source_step;		    /* one source in each so many */
	uint32_t vertex_step;		    /* one vertex */
	uint32_t n_totals;
	double *totals; /* of one vertex in each step; owned, as the next */
	struct apsp_share_vertex *vertices;
	uint32_t *order;
	uint32_t n_ordered;
	bool told;	   /* the source's paths can be counted here */
	double *distances; /* for the caller: a row to be looked at */
};

/* APSP_ENOMEM. The caller ends *out with apsp_share_check_done() either way. */
int apsp_share_check_init(const struct apsp_lengths *lengths, bool whole,
	struct apsp_share_check *out, struct apsp_err *err);
void apsp_share_check_done(struct apsp_share_check *check);

/* Whether apsp_share_check_source() is to be called for the source. */
bool apsp_share_check_wants(
	const struct apsp_share_check *check, uint32_t source);

/*
 * Find the source's shares again, from its row of the table in
 * check->distances, and compare. A source is passed over where its paths cannot
 * be counted here, which may be so for real lengths alone. APSP_EPROOF;
 * APSP_ECANCELLED once *stop (may be NULL) is true.
 */
int apsp_share_check_source(struct apsp_share_check *check, uint32_t source,
	const double *shares, const atomic_bool *stop, struct apsp_err *err);

/* The shares of the next source, in the order of sources. */
void apsp_share_check_add(struct apsp_share_check *check, const double *shares);

/* The sums of all sources' shares. APSP_EPROOF. */
int apsp_share_check_sums(const struct apsp_share_check *check,
	const double *sums, struct apsp_err *err);

#endif
