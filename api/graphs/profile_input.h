/*
 * A profile's rule as clients send it in a JSON object. daemon/job/profile.h
 * lists the options. upload_input.h reads these options from a query.
 */
#ifndef APSP_API_GRAPHS_PROFILE_INPUT_H
#define APSP_API_GRAPHS_PROFILE_INPUT_H

#include <jansson.h>
#include <stdbool.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "daemon/job/profile.h"

/* Whether a client's options ask for widest paths. */
bool apsp_profile_input_is_widest(const struct apsp_profile_texts *said);

/*
 * Make a rule from the options that a client sent. `kept` is the present rule
 * of the graph's profile `default`, or NULL. If the client sent a transform or
 * path=widest, which has no transform, nothing is taken from `kept`. Otherwise
 * a rule for `default` takes all missing options from `kept`, and a rule for
 * another profile takes only the transform and the path, which say together
 * what weights mean. APSP_EMALFORMED: an option has a bad value.
 */
int apsp_profile_input_parse(const struct apsp_profile_texts *said,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Read the options in the request's body and make a rule from them
 * (apsp_profile_input_parse()). APSP_EMALFORMED: a member is wrong, and the
 * error reply (problem) then has a JSON pointer to this member; or the
 * algorithm is refused.
 */
int apsp_profile_input_json(struct apsp_request *req, json_t *body,
	const struct apsp_profile *kept, bool is_default,
	struct apsp_profile *out, struct apsp_err *err);

/*
 * Check the name of the profile's algorithm. APSP_EMALFORMED: there is no such
 * algorithm (the message lists all), or the algorithm can only count arcs and
 * the transform is not hops. The name "" is accepted; with it, the solver
 * chooses the algorithm.
 */
int apsp_profile_input_algorithm(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err);

#endif
