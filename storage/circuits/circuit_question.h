/*
 * The question that a circuit answers: which arcs lie on walks from sources to
 * targets, if the walks are not longer than a bound?
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_QUESTION_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

enum apsp_circuit_bound {
	APSP_CIRCUIT_SLACK,	/* (1 + slack) · distance of the pair */
	APSP_CIRCUIT_WITHIN,	/* a total length */
	APSP_CIRCUIT_HOPS_MOST, /* at most so many arcs */
	APSP_CIRCUIT_HOPS_EXACTLY,
};

enum {
	/* largest number of arcs for APSP_CIRCUIT_HOPS_EXACTLY; walks of each
	   number of arcs take a bit */
	APSP_CIRCUIT_WALK_MAX = 62,
};

struct apsp_circuit_question {
	const uint32_t *sources; /* no vertex twice; borrowed */
	uint32_t n_sources;
	const uint32_t *targets; /* no vertex twice; borrowed */
	uint32_t n_targets;
	enum apsp_circuit_bound bound;
	double value;	  /* of slack or within */
	uint32_t n_arcs;  /* of hops */
	double tolerance; /* a sum may exceed its bound by this share of it */
	/* If the circuit is rolled up: the group of each vertex, below
	   n_groups. Otherwise NULL. Borrowed. */
	const uint32_t *groups;
	uint32_t n_groups;
	uint64_t max_arcs;  /* the answer has no more arcs than this */
	bool stops_early;   /* if the circuit has more arcs, stop: n_arcs is
			       then a lower bound */
	uint32_t max_batch; /* targets of a batch; 0: as memory allows */
};

#endif
