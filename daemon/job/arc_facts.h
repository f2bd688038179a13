/*
 * Facts about an upload's arcs, collected while the upload is read. The facts
 * about weights give a lower bound of the size of the tables, because whole
 * distances may take fewer bytes than fractional distances. The fact
 * APSP_ARC_HUBS changes the estimate of a job's time: in a graph with hubs,
 * fewer arcs can be on a shortest path, and some algorithms visit only these
 * arcs.
 */
#ifndef APSP_DAEMON_JOB_ARC_FACTS_H
#define APSP_DAEMON_JOB_ARC_FACTS_H

#include <stdint.h>

#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

/* Each bit is one fact about the arcs or about their weights w. An integer
   holds a set of facts. The integer 0 means that nothing is known. */
enum apsp_arc_fact {
	APSP_ARC_FRACTION = 1,	       /* some w is not a whole number */
	APSP_ARC_NEGATIVE = 2,	       /* some w is below 0 */
	APSP_ARC_INVERSE_FRACTION = 4, /* some 1/w is not a whole number */
	APSP_ARC_NOT_ONE = 8,	       /* some w is not 1 */
	APSP_ARC_ABOVE_ONE = 16,       /* some w is above 1 */
	/* for some vertices a and b, the weights of all arcs from a to b add up
	   to more than 1; the sum exceeds 1 by more than the rounding error of
	   a plain sum */
	APSP_ARC_SUM_ABOVE_ONE = 32,
	/*
	 * A few vertices have most of the arcs: in a graph of n vertices and m
	 * arcs, the value n * (sum of squared out-degrees) / m² is
	 * APSP_ARC_HUBS_LEAST or more. The value is 1 if all out-degrees are
	 * equal. The table below gives the value of some graphs (rmat:14:32 is
	 * a random R-MAT graph of 2^14 vertices with 32 arcs for each vertex):
	 *
	 *	rmat:14:32	24	celegans		1.7
	 *	rmat:12:32	15	larva			1.6
	 *	rmat:9:32	8	rome99			1.1
	 *				random graphs, grids	1.0
	 *
	 * The bit is not set for uploads that older versions of apspd have
	 * stored.
	 */
	APSP_ARC_HUBS = 64,
	/* At most 255 arcs, counting duplicates, lead to each vertex. This bit
	   and APSP_ARC_IN_65535 are not set for uploads that older versions of
	   apspd have stored. */
	APSP_ARC_IN_255 = 128,
	/* at most 65,535 arcs, counting duplicates, lead to each vertex */
	APSP_ARC_IN_65535 = 1 << 30,
	/*
	 * Some |w| is at least 2 and less than 4. The next higher bit means
	 * that some |w| is at least 4 and less than 8, and so on. The last of
	 * these APSP_ARC_SIZES bits means that some |w| is 2^APSP_ARC_SIZES or
	 * more. These bits are not set for uploads that older versions of apspd
	 * have stored.
	 */
	APSP_ARC_FROM_TWO = 256,
};

enum {
	APSP_ARC_SIZES = 22,
	APSP_ARC_HUBS_LEAST = 4,
};

/* Return the facts that follow from one weight. The result never has
   APSP_ARC_SUM_ABOVE_ONE, because that fact depends on several arcs. */
unsigned int apsp_arc_facts_of_weight(double weight);

/* Return APSP_ARC_HUBS if there are hubs, else 0. `squares` is the sum of the
   squared out-degrees. Self-loops do not count in an out-degree. */
unsigned int apsp_arc_facts_of_degrees(
	uint64_t n_vertices, uint64_t n_arcs, double squares);

/*
 * Return those of the facts APSP_ARC_IN_255 and APSP_ARC_IN_65535 that are
 * true. max_in_degree is the largest number of arcs that lead to one vertex.
 */
unsigned int apsp_arc_facts_of_in_degree(uint64_t max_in_degree);

/*
 * Return the largest type that the elements of the predecessor table can have.
 * This function does not know the rule (profile.h) that turns weights into
 * lengths; with some rules, the type is smaller.
 */
enum apsp_element apsp_arc_facts_predecessor(
	unsigned int facts, uint64_t n_vertices, uint64_t n_arcs);

/*
 * Return a number that is larger than every |w|, and at most twice as large as
 * the largest |w|. There are two exceptions. If no |w| is known to be 2 or
 * more, return 0. If some |w| is 2^APSP_ARC_SIZES or more, return
 * 2^(APSP_ARC_SIZES + 1), although some |w| may be larger.
 */
double apsp_arc_facts_largest(unsigned int facts);

/*
 * Return the smallest type that the distances in the tables can have
 * (compute/graph/README.md, Widths). `rule` turns weights into lengths. If some
 * length is known to be fractional, the type is F32 or F64. Otherwise, if some
 * length is known to be negative, the type is I32. Otherwise the type is U16.
 *
 * If the rule makes shares, nothing is known about the lengths. If the rule may
 * drop arcs, or if the tables hold ranks (path=widest), the facts are ignored.
 * Without the facts, lengths are known to be fractional only if the rule has
 * transform=inv and a min_weight above 1.
 *
 * In rare cases, the result is larger than the type of the tables: for example,
 * fractional weights of several arcs from one vertex to another may have a
 * whole sum.
 */
enum apsp_element apsp_arc_facts_element(
	unsigned int facts, const struct apsp_profile *rule);

/*
 * Check whether a rule can give every arc a length. APSP_EDATA: the facts show
 * that some arc gets no length, so the job would fail. Otherwise returns 0.
 * Each line has a kind of rule, and the facts by which it is refused:
 *
 *	with shares                     some weight is negative
 *	transform=log, without shares   some weight exceeds 1
 *	the same with duplicates=sum    some sum of weights exceeds 1, and no
 *	                                weight is negative
 *
 * A rule is not refused if it has invalid=drop, or if it may spare such a
 * weight (apsp_profile_may_spare()).
 */
int apsp_arc_facts_check(unsigned int facts, const struct apsp_profile *rule,
	struct apsp_err *err);

#endif
