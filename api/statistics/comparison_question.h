/*
 * The question of a request for a comparison: the two tables, the rule by which
 * their vertices are matched, and the contents of the answer.
 */
#ifndef APSP_API_STATISTICS_COMPARISON_QUESTION_H
#define APSP_API_STATISTICS_COMPARISON_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/reading.h"

struct apsp_comparison_question {
	struct apsp_reading here; /* the tables that the URL names; owned */
	struct apsp_reading with; /* the tables that the body names; owned */
	/* true: vertices with the same value of an attribute are matched;
	   false: vertices with the same label are matched */
	bool has_key;
	/* the columns, in each of the two graphs, of the attribute by whose
	   values vertices are matched */
	uint32_t key_here, key_with;
	/* whether the vertices of `here` are grouped by the values of an
	   attribute */
	bool has_groups;
	/* column of the attribute by whose values vertices are grouped */
	uint32_t by;
	uint32_t top, bins;
	bool has_top, has_bins; /* the body has these members */
	/* true: both sides have widest paths, and widths are compared instead
	   of distances; false: both sides have shortest paths */
	bool widths;
	/* Whether the lengths or widths of the two rules can be compared. If
	   not, `why_not` gives the reason. */
	bool lengths;
	char why_not[192];
	double tolerance;
};

/* Returns the name of the attribute in a column of a reading's graph.
   Borrowed. */
static inline const char *apsp_comparison_column(
	const struct apsp_reading *reading, uint32_t column)
{
	return reading->generation->attributes->columns[column].name;
}

#endif
