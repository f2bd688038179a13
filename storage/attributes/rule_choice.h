/*
 * The choice of a rule: the vertices and totals that the rule finds in the
 * labels and attributes of one upload (daemon/job/profile.h). The option
 * `without` names the vertices that are left out. The option normalise_by names
 * the attribute that holds the totals; the rule divides weights by these
 * totals.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_RULE_CHOICE_H
#define APSP_STORAGE_ATTRIBUTES_RULE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/bit_set.h"
#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "storage/attributes/attributes.h"

enum {
	APSP_CHOICE_DIGEST_SIZE = 32, /* bytes of a SHA-256 digest */
};

struct apsp_rule_choice {
	uint32_t n_vertices;
	uint32_t n_left_out;
	uint64_t *left_out; /* bit v: vertex v is left out; NULL: the rule
			       leaves no vertex out; owned */
	double *totals; /* the total of each vertex; NaN: the text of the vertex
			   is no number; owned. NULL: the rule has no
			   normalise_by */
};

/*
 * Make the choice of a rule: find the vertices and totals that the rule names.
 * `attributes` may be NULL. The caller ends *out with apsp_rule_choice_done().
 * APSP_EDATA: the graph lacks the attribute that the rule names; no vertex has
 * a label or value that a condition names; or all conditions together choose no
 * vertex or every vertex. APSP_ENOMEM.
 */
int apsp_rule_choice_make(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, struct apsp_rule_choice *out,
	struct apsp_err *err);
void apsp_rule_choice_done(struct apsp_rule_choice *choice);

/*
 * Fail if apsp_rule_choice_make() would fail. The message of this function also
 * suggests other attributes, values or labels. The call takes at most 30 ms,
 * plus the time of one search through all labels. The message of
 * apsp_rule_choice_make() suggests nothing: it is a part of a hash
 * (storage/jobs/rule_key.c), so it must depend on the rule alone.
 */
int apsp_rule_choice_check(const struct apsp_profile *rule,
	const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, struct apsp_err *err);

/* Whether the rule names an attribute, but the graph has no attributes yet
   (`attributes` is NULL). */
bool apsp_rule_choice_awaits_attributes(const struct apsp_profile *rule,
	const struct apsp_attributes *attributes);

/*
 * Compute a digest of the labels that are left out and of the totals. If two
 * choices of a rule have equal digests, and their uploads have equal revisions
 * (hashes of labels and arcs), both choices give each arc the same length.
 */
void apsp_rule_choice_digest(const struct apsp_rule_choice *choice,
	const struct apsp_labels *labels, uint8_t out[APSP_CHOICE_DIGEST_SIZE]);

static inline bool apsp_rule_choice_leaves_out(
	const struct apsp_rule_choice *choice, uint32_t v)
{
	return choice->left_out && apsp_bit_set_has(choice->left_out, v);
}

#endif
