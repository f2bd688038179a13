/*
 * Matches the vertices of two graphs for a comparison: by label, or by the
 * values of an attribute. A label or a value that both graphs have is a key:
 * the vertices of both graphs that have it are compared with each other.
 */
#ifndef APSP_API_STATISTICS_COMPARISON_KEYS_H
#define APSP_API_STATISTICS_COMPARISON_KEYS_H

#include <stdint.h>

#include "api/statistics/comparison_question.h"
#include "daemon/base/err.h"
#include "storage/ingest/labels.h"

struct apsp_comparison_keys {
	const struct apsp_comparison_question *question; /* borrowed */
	/* for each vertex of the two graphs, the index of its key (a label or
	   value that both graphs have), or APSP_NO_KEY; owned */
	uint32_t *of_here, *of_with;
	uint32_t n_keys;
	/* The name of key k is the text with the index names[k] in `labels`. It
	   is the label of a vertex of the graph `here`, or a value of this
	   graph's attribute. `names` is owned. */
	const struct apsp_labels *labels;
	uint32_t *names;
	/* for each key, the group of its vertices, or APSP_NO_KEY if they are
	   in no group; NULL: the question has no groups; owned */
	uint32_t *groups;
	/*
	 * Bit k is 1 if the vertices of key k are left out: the rule of one
	 * graph leaves out all of this graph's vertices with key k. If a rule
	 * leaves out only some vertices of a key, these vertices have no key.
	 * NULL: no rule leaves vertices out. Owned.
	 */
	uint64_t *left_out;
	const struct apsp_labels *group_labels; /* the names of groups */
	uint32_t n_groups;
	/* numbers of labels or values that only one of the graphs has */
	uint32_t only_here, only_with;
	/* for each graph, the number of vertices that have no value of the
	   attribute */
	uint32_t without_here, without_with;
	/* name of the body's member to which an error message refers, if the
	   vertices cannot be matched or grouped; otherwise NULL */
	const char *refused;

	/* private: for each value of the attribute, in the graphs `here` and
	   `with`, the index of its key; owned */
	uint32_t *values_here, *values_with;
	uint32_t next; /* index of the label or value that is matched next */
};

/* Returns an upper bound, in bytes, of the memory that struct
   apsp_comparison_keys needs. */
uint64_t apsp_comparison_keys_bytes(const struct apsp_comparison_question *q);

/* Begin to match the vertices of the two graphs of the question `q`. `q` is
   borrowed. The caller ends *out with apsp_comparison_keys_done(), also after a
   failure. APSP_ENOMEM. */
int apsp_comparison_keys_begin(const struct apsp_comparison_question *q,
	struct apsp_comparison_keys *out, struct apsp_err *err);
void apsp_comparison_keys_done(struct apsp_comparison_keys *self);

/*
 * Match the next few thousand labels or values. Returns 1 if more labels or
 * values are left, else 0. APSP_EMALFORMED: nothing matches, or the vertices of
 * a key are in several groups; `refused` then names a member of the question.
 * APSP_ENOMEM.
 */
int apsp_comparison_keys_step(
	struct apsp_comparison_keys *self, struct apsp_err *err);

#endif
