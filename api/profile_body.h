/*
 * A profile's rule as clients send it in a body: a JSON object.
 */
#ifndef APSP_API_PROFILE_BODY_H
#define APSP_API_PROFILE_BODY_H

#include "api/body_json.h"
#include "api/request.h"
#include "daemon/base/profile.h"

/*
 * The rule in req's body. APSP_EMALFORMED: it is none, or names an algorithm
 * that there is not; pointer ("" at the call) then says where, for
 * apsp_body_refuse().
 */
int apsp_body_profile(const struct apsp_request *req, struct apsp_profile *out,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err);

#endif
