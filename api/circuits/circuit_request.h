/*
 * A request for a circuit: the question in its body, and the circuit that
 * answers the question. A circuit consists of the arcs of all walks from
 * sources to targets that are within a bound. The HTTP request owns this struct
 * until the reply begins; then the reply owns it.
 */
#ifndef APSP_API_CIRCUITS_CIRCUIT_REQUEST_H
#define APSP_API_CIRCUITS_CIRCUIT_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "api/body.h"
#include "api/encode/json_writer.h"
#include "api/http/request.h"
#include "api/reading.h"
#include "api/vertex_set.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/circuits/circuit.h"
#include "storage/circuits/circuit_fit.h"

/* The members of the request's body. */
enum apsp_circuit_member {
	APSP_CIRCUIT_SOURCES,
	APSP_CIRCUIT_TARGETS,
	APSP_CIRCUIT_MEMBER_SLACK,
	APSP_CIRCUIT_MEMBER_WITHIN,
	APSP_CIRCUIT_MEMBER_HOPS,
	APSP_CIRCUIT_MEMBER_TOLERANCE,
	APSP_CIRCUIT_MEMBER_BY,
	APSP_CIRCUIT_MEMBER_MAX_ARCS,
};

struct apsp_circuit_request {
	struct apsp_body_stream body;
	struct apsp_vertex_set_reader readers[2];
	struct apsp_reading reading;
	struct apsp_share share;
	uint32_t by_column; /* column of the attribute that `by` names */
	struct apsp_vertex_set sets[2];
	uint32_t *groups; /* the group of each vertex, if the body has `by`;
			     owned */
	/*
	 * The members `bound`, `value`, `n_arcs`, `tolerance` and `max_arcs` of
	 * the question are set while the body is read.
	 * apsp_circuit_request_complete() sets the question's other members,
	 * and the tolerance if the body does not have it.
	 */
	struct apsp_circuit_question question;
	bool complete; /* `question` is complete, and the memory for the search
			  is reserved */
	/* The following members are for the search. `circuit` is the result,
	   which answers the question. */
	struct apsp_shared_adjacency *shared; /* owned */
	bool begun;			      /* the search for `circuit` has
						 begun */
	bool ended;
	struct apsp_circuit circuit;
	struct apsp_circuit_fit fit; /* if `circuit` has too many arcs: the
					search for the largest bound on walks
					whose circuit has few enough arcs */
};

/* Whether the body has a member. */
static inline bool apsp_circuit_request_has(
	const struct apsp_circuit_request *request,
	enum apsp_circuit_member member)
{
	return request->body.seen >> member & 1;
}

void apsp_circuit_request_free(void *request); /* accepts NULL */

/*
 * Complete the question after the body was read, and reserve memory. The
 * handler must run on the pool, and is allowed to call this function again
 * after any result. Fails as apsp_share_grow() and the functions of body.h and
 * vertex_set.h do. APSP_EMALFORMED: two members exclude each other.
 * APSP_ESEARCH: the circuit would exceed the limit of steps.
 */
int apsp_circuit_request_complete(
	struct apsp_request *req, struct apsp_err *err);

/* Append the question as a JSON object. A client can send this object as the
   body of another request. */
void apsp_circuit_request_write(
	const struct apsp_circuit_request *request, struct apsp_json_writer *w);

#endif
