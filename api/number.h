/*
 * Real numbers in query arguments.
 */
#ifndef APSP_API_NUMBER_H
#define APSP_API_NUMBER_H

#include <stdbool.h>

#include "api/request.h"
#include "daemon/base/err.h"

/*
 * A query argument as a finite decimal number; *out_has is false, and
 * *out_value untouched, where it is missing. APSP_EMALFORMED names the argument
 * and what was found.
 */
int apsp_request_query_number(const struct apsp_request *req, const char *name,
	bool *out_has, double *out_value, struct apsp_err *err);

#endif
