/*
 * What is asked of one vertex: which others, which values.
 */
#ifndef APSP_API_TABLES_VERTEX_QUESTION_H
#define APSP_API_TABLES_VERTEX_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "api/reading.h"
#include "api/tables/pair_filter.h"
#include "api/tables/table_body.h"
#include "daemon/base/budget.h"
#include "storage/tables/reach_set.h"

/* What is asked. Zero is an empty question. */
struct apsp_vertex_question {
	struct apsp_reading reading; /* owned */
	struct apsp_share share;     /* owned */
	uint32_t vertex;
	enum apsp_direction direction;
	struct apsp_vertex_list others; /* owned */
	uint32_t *steps;     /* arcs walked to each of others; or NULL. Owned */
	unsigned int values; /* the answer has */
	struct apsp_pair_filter filter;
	bool is_set; /* a reach set: tells whether the vertex is on a cycle */
	bool on_cycle;
};

void apsp_vertex_question_done(struct apsp_vertex_question *question);

#endif
