/*
 * The question that a circuit answers. There are sources, targets and a bound.
 * Which arcs lie on a walk that leads from a source to a target and is not
 * longer than the bound?
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_QUESTION_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

enum apsp_circuit_bound {
	APSP_CIRCUIT_SLACK,	   /* the bound is (1 + slack) · the pair's
				      distance */
	APSP_CIRCUIT_WITHIN,	   /* the bound is a length, the same for all
				      pairs */
	APSP_CIRCUIT_HOPS_MOST,	   /* a walk has at most n_arcs arcs */
	APSP_CIRCUIT_HOPS_EXACTLY, /* a walk has exactly n_arcs arcs */
};

enum {
	/* largest n_arcs for APSP_CIRCUIT_HOPS_EXACTLY. There is a limit
	   because each number of arcs takes one bit of a 64-bit word */
	APSP_CIRCUIT_WALK_MAX = 62,
	APSP_CIRCUIT_SLACK_MAX = 1000000,
};

struct apsp_circuit_question {
	const uint32_t *sources; /* no vertex twice; borrowed */
	uint32_t n_sources;
	const uint32_t *targets; /* no vertex twice; borrowed */
	uint32_t n_targets;
	enum apsp_circuit_bound bound;
	/* for APSP_CIRCUIT_SLACK, the slack, from 0 to APSP_CIRCUIT_SLACK_MAX;
	   for APSP_CIRCUIT_WITHIN, the length that is the bound */
	double value;
	/* for APSP_CIRCUIT_HOPS_MOST, the largest number of arcs of a walk;
	   for APSP_CIRCUIT_HOPS_EXACTLY, the number of arcs of each walk */
	uint32_t n_arcs;
	double tolerance; /* a length counts as within its bound if it exceeds
			     the bound by at most tolerance · bound */
	/* The group of each vertex, below n_groups. NULL: the answer has no
	   groups. Borrowed. */
	const uint32_t *groups;
	uint32_t n_groups;
	uint64_t max_arcs; /* largest number of arcs in the answer */
	bool stops_early;  /* stop as soon as the circuit has more than max_arcs
			      arcs; then the number of arcs that was found is
			      only a lower bound */
	uint32_t max_batch; /* largest number of targets in a batch; 0: as many
			       as memory allows */
};

/* Whether a circuit reads distances from tables: the rows of its sources and
   the columns of its targets. */
static inline bool apsp_circuit_reads_tables(
	const struct apsp_circuit_question *question)
{
	return question->bound < APSP_CIRCUIT_HOPS_MOST;
}

#endif
