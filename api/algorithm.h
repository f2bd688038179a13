/*
 * Names of algorithms that clients ask for.
 */
#ifndef APSP_API_ALGORITHM_H
#define APSP_API_ALGORITHM_H

#include "api/request.h"
#include "daemon/base/err.h"

/*
 * APSP_EMALFORMED if there is no algorithm of the profile's name, which the
 * message lists, or if it takes hops only and the transform is another. ""
 * leaves the choice to the solver. Without a list in the server's configuration
 * any name will do.
 */
int apsp_algorithm_check(const struct apsp_request *req,
	const struct apsp_profile *profile, struct apsp_err *err);

#endif
