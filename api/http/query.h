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
 * Decode percent-encoding (RFC 3986, section 2.1) in place; with plus, a '+' is
 * a blank. The text is of a target that the framing has accepted, so it has
 * only ASCII characters. APSP_EMALFORMED: a '%' without two hexadecimal digits,
 * %00, or not UTF-8.
 */
int apsp_query_decode(char *text, bool plus, struct apsp_err *err);

/*
 * Split and decode the query of the request's target; guard.c calls this before
 * the handler. names (NULL-terminated) lists the arguments that the query may
 * have, so that a misspelt option is never ignored; NULL: it may have any.
 * APSP_EMALFORMED: bad percent-encoding, %00, not UTF-8, too many arguments, an
 * argument that is none of names, or one that occurs twice and may not.
 */
int apsp_query_parse(struct apsp_request *req, const char *const *names,
	struct apsp_err *err);

/* An argument, decoded; NULL if it is missing. Borrowed. */
const char *apsp_query_get(const struct apsp_request *req, const char *name);

/*
 * The next value of an argument that may be repeated (`repeatable` in query.c),
 * or NULL. *at is 0 before the first call. Borrowed.
 */
const char *apsp_query_next(
	const struct apsp_request *req, const char *name, size_t *at);

/*
 * Encode the request's query for a link to the same resource, with the argument
 * `name` set to value at its end. The caller frees *out. APSP_ENOMEM.
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
 * An argument that is one of two texts. *out is whether it is the second, and
 * false if the argument is missing. APSP_EMALFORMED names both texts.
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
