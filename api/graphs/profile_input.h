/*
 * A profile's rule as clients send it, the JSON object of a body: the options
 * that daemon/base/profile.h lists. upload_input.h reads them from a query.
 */
#ifndef APSP_API_GRAPHS_PROFILE_INPUT_H
#define APSP_API_GRAPHS_PROFILE_INPUT_H

#include "api/body_json.h"
#include "api/http/request.h"
#include "daemon/base/profile.h"
#include "storage/snapshots/graph_snapshot.h"

/*
 * The transform of a rule for the graph that does not say one: that of its
 * profile default, or NULL. Borrowed.
 */
const char *apsp_profile_input_transform(
	const struct apsp_graph_snapshot *snapshot);

/*
 * Read the rule from the body; transform is meant where the body says none
 * (NULL: none, lengths as they are). APSP_EMALFORMED: the body is not such an
 * object, or the algorithm is refused (apsp_profile_input_algorithm()); pointer
 * ("" at the call) then says which member is wrong, for apsp_body_refuse().
 */
int apsp_profile_input_body(const struct apsp_request *req,
	const char *transform, struct apsp_profile *out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err);

/* The same of an object that was read from a body. */
int apsp_profile_input_json(const struct apsp_request *req, json_t *body,
	const char *transform, struct apsp_profile *out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err);

/*
 * APSP_EMALFORMED if no algorithm has the name that the profile asks for, where
 * the message lists the names, or if the algorithm takes hops only and the
 * transform is another. "" is right: the solver chooses.
 */
int apsp_profile_input_algorithm(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err);

#endif
