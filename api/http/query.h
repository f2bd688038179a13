/*
 * The query of a request: its arguments by name.
 */
#ifndef APSP_API_HTTP_QUERY_H
#define APSP_API_HTTP_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Split and decode the query of the request's target; dispatch.c calls this
 * before the handler. APSP_EMALFORMED: bad percent-encoding, %00, not UTF-8,
 * too many arguments, or one that occurs twice and may not.
 */
int apsp_query_parse(struct apsp_request *req, struct apsp_err *err);

/*
 * APSP_EMALFORMED if the query has an argument that is none of names (NULL-
 * terminated), so that a misspelt option is never ignored. dispatch.c calls
 * this before the handler.
 */
int apsp_query_only(const struct apsp_request *req, const char *const *names,
	struct apsp_err *err);

/* An argument, decoded; NULL if it is missing. Borrowed. */
const char *apsp_query_get(const struct apsp_request *req, const char *name);

/*
 * An argument that may be repeated (`repeatable` in query.c): its next value,
 * or NULL. *at is 0 before the first call. Borrowed.
 */
const char *apsp_query_next(
	const struct apsp_request *req, const char *name, size_t *at);

/*
 * Write the request's query, encoded, with the argument name set to value at
 * its end: for a link to the same resource. The caller frees *out. APSP_ENOMEM.
 */
int apsp_query_with(const struct apsp_request *req, const char *name,
	const char *value, char **out, struct apsp_err *err);

/*
 * An argument as a number in [min, max]; fallback if it is missing.
 * APSP_EMALFORMED names the argument and the range.
 */
int apsp_query_uint(const struct apsp_request *req, const char *name,
	uint64_t min, uint64_t max, uint64_t fallback, uint64_t *out,
	struct apsp_err *err);

/*
 * An argument that is one of two texts: *out says whether it is the second, and
 * is false if the argument is missing. APSP_EMALFORMED names both texts.
 */
int apsp_query_choice(const struct apsp_request *req, const char *name,
	const char *first, const char *second, bool *out, struct apsp_err *err);

/*
 * An argument as a finite decimal number. If the argument is missing, *out_has
 * is false and *out_value untouched. APSP_EMALFORMED names the argument and the
 * text.
 */
int apsp_query_number(const struct apsp_request *req, const char *name,
	bool *out_has, double *out_value, struct apsp_err *err);

#endif
