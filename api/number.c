/*
 * Real numbers in query arguments.
 */
#include "api/number.h"

#include <string.h>

#include "daemon/base/number.h"

int apsp_request_query_number(const struct apsp_request *req, const char *name,
	bool *out_has, double *out_value, struct apsp_err *err)
{
	const char *text = apsp_request_query(req, name);

	if (text && apsp_number_parse(text, strlen(text), out_value) !=
			    APSP_NUMBER_FINITE)
		return apsp_fail(err, APSP_EMALFORMED,
			"%s is '%s'; expected a finite decimal number", name,
			text);
	*out_has = text != NULL;
	return 0;
}
