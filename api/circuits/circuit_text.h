/*
 * Writes the answer about a circuit (the arcs of all walks, within a bound,
 * from sources to targets), part by part: a head, the vertices, the arcs, a
 * tail. A format of the answer has a function for each part.
 */
#ifndef APSP_API_CIRCUITS_CIRCUIT_TEXT_H
#define APSP_API_CIRCUITS_CIRCUIT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "api/circuits/circuit_request.h"
#include "api/encode/cells.h"
#include "api/encode/json_writer.h"
#include "api/encode/text.h"
#include "api/http/request.h"
#include "daemon/base/err.h"
#include "daemon/job/profile.h"
#include "daemon/job/unit.h"

/* An answer that is being written. */
struct apsp_circuit_text {
	const struct apsp_circuit_request *request; /* borrowed */
	struct apsp_text *text;	    /* the block that is being written;
				       borrowed */
	struct apsp_json_writer *w; /* appends JSON to `text`; borrowed */
	/* JSON of the question, for formats that write the question as a text;
	   owned */
	struct apsp_text question;
	char rule[APSP_PROFILE_TEXT_SIZE]; /* the rule of the tables (the
					      options by which they were
					      computed), as text */
	const char *weight_unit;	   /* "" if it is not known; borrowed */
	char length_unit[APSP_LENGTH_UNIT_SIZE]; /* "" if lengths have no
						    unit */
	/* The circuit consists of groups of vertices: a group for each value of
	   the attribute that the request's member `by` names. */
	bool is_rolled;
	double least_weight, most_weight; /* least and greatest weight of the
					     circuit's arcs */
	/* The names under which the answer shows the attributes of vertices;
	   owned. The list is empty if the circuit has groups of vertices, or if
	   the format has no own_names. */
	char **attributes;
	uint32_t n_attributes;
};

/* A format of the answer. The function for a part is NULL if the format does
   not have this part. */
struct apsp_circuit_format {
	/* Check that the format can hold the answer. */
	int (*check)(const struct apsp_circuit_text *t, struct apsp_err *err);
	void (*head)(struct apsp_circuit_text *t);
	void (*vertex)(struct apsp_circuit_text *t,
		const struct apsp_circuit_vertex *vertex);
	/* appends the text between the vertices and the arcs */
	void (*between)(struct apsp_circuit_text *t);
	void (*arc)(struct apsp_circuit_text *t,
		const struct apsp_circuit_arc *arc);
	void (*tail)(struct apsp_circuit_text *t);
	/* names of the format's own values. An attribute with one of these
	   names gets a prefix (apsp_attribute_name()). NULL: the format does
	   not use t->attributes */
	const char *const *own_names;
};

extern const struct apsp_circuit_format apsp_circuit_json;
extern const struct apsp_circuit_format apsp_circuit_csv_arcs;
extern const struct apsp_circuit_format apsp_circuit_csv_vertices;
extern const struct apsp_circuit_format apsp_circuit_cyjs;
extern const struct apsp_circuit_format apsp_circuit_dot;
extern const struct apsp_circuit_format apsp_circuit_graphml;

/* Return the label of a vertex. If the circuit has groups in place of vertices,
   return the attribute's value for the group, or "" for the group of vertices
   without a value. The text is borrowed. */
const char *apsp_circuit_text_label(const struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex, size_t *out_size);

/* Return the number of pairs (source, target) that use a vertex, divided by the
   number of pairs of the whole circuit. */
double apsp_circuit_text_share(const struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex);

/* Append members to an open object of JSON: revision, profile, transform,
   graph, rule, units, question, the numbers of pairs, and the number of
   left-out vertices. The question is an object, or a text if question_is_text
   is true. */
void apsp_circuit_text_head(struct apsp_circuit_text *t, bool question_is_text);

/* Append the numbers about a vertex or an arc, such as `pairs`, to the vertex's
   or arc's row of cells. */
void apsp_circuit_text_vertex(const struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex, struct apsp_cells *cells);
void apsp_circuit_text_arc(const struct apsp_circuit_text *t,
	const struct apsp_circuit_arc *arc, struct apsp_cells *cells);

/* Return the value of an attribute, or "" if the vertex has no value. The text
   is borrowed. */
const char *apsp_circuit_text_value(const struct apsp_circuit_text *t,
	uint32_t column, const struct apsp_circuit_vertex *vertex);

/*
 * Reply with the circuit in req->state; the reply then owns the circuit.
 * `format` has the functions for the format req->format. The thread pool writes
 * a long answer block by block, each block when the client is ready for it.
 * Fails as format->check() and apsp_rows_reply() do.
 */
int apsp_circuit_text_reply(struct apsp_request *req,
	const struct apsp_circuit_format *format, struct apsp_err *err);

#endif
