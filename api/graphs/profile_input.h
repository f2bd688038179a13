/*
 * A profile's rule as clients send it, the JSON object of a body: the options
 * that daemon/base/profile.h lists. upload_input.h reads them from a query.
 */
#ifndef APSP_API_GRAPHS_PROFILE_INPUT_H
#define APSP_API_GRAPHS_PROFILE_INPUT_H

#include "api/body_json.h"
#include "api/http/request.h"
#include "daemon/base/profile.h"

/*
 * Read the rule from the options that a client said. Where it says no transform
 * and the graph has a rule (kept; or NULL), `default` keeps the options that
 * are not said, and another profile gets the transform alone, since it is a
 * rule of its own. APSP_EMALFORMED: an option's text is none of its values.
 */
int apsp_profile_input_parse(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Read the rule from the body, by apsp_profile_input_parse(). APSP_EMALFORMED:
 * the body is no such object, or the algorithm is refused
 * (apsp_profile_input_algorithm()); pointer ("" at the call) then says which
 * member is wrong, for apsp_body_refuse().
 */
int apsp_profile_input_body(const struct apsp_request *req,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, char pointer[APSP_POINTER_SIZE],
	struct apsp_err *err);

/* The same of an object that was read from a body. */
int apsp_profile_input_json(const struct apsp_request *req, json_t *body,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, char pointer[APSP_POINTER_SIZE],
	struct apsp_err *err);

/*
 * APSP_EMALFORMED if no algorithm has the name that the profile asks for, where
 * the message lists the names, or if the algorithm takes hops only and the
 * transform is another. "" is right: the solver chooses.
 */
int apsp_profile_input_algorithm(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err);

#endif
