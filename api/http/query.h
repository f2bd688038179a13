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
 * Decode the percent-encoding (RFC 3986, section 2.1) of a text in place. If
 * `plus` is true, a '+' is decoded to a blank. The text is a part of a target
 * that the framing has accepted, so all its bytes are ASCII. APSP_EMALFORMED: a
 * '%' without two hexadecimal digits, a %00, or a result that is not UTF-8.
 */
int apsp_query_decode(char *text, bool plus, struct apsp_err *err);

/*
 * Split and decode the query of the request's target. guard.c calls this before
 * the handler. `names` lists the arguments that are allowed in the query, and
 * ends with NULL. Other arguments are refused, so that a misspelt option is
 * never ignored. If `names` is NULL, all arguments are allowed.
 * APSP_EMALFORMED: apsp_query_decode() fails, there are too many arguments, an
 * argument is unknown, or an argument that is not repeatable occurs twice.
 * APSP_ENOMEM.
 */
int apsp_query_parse(struct apsp_request *req, const char *const *names,
	struct apsp_err *err);

/* Returns the decoded value of an argument; NULL: the query does not have
   it. Borrowed. */
const char *apsp_query_get(const struct apsp_request *req, const char *name);

/*
 * Returns the next value of an argument that may occur several times
 * (`repeatable` in query.c), or NULL after the last one. Before the first call,
 * the caller sets *at to 0. Borrowed.
 */
const char *apsp_query_next(
	const struct apsp_request *req, const char *name, size_t *at);

/*
 * Store in *out a copy of the request's query, for a link to the same resource.
 * In this copy the argument `name` has the given value, and comes last; `name`
 * and `value` have no characters that a query must encode. The other arguments
 * are as the client wrote them: a longer form might exceed the limit of a head.
 * The caller frees *out. APSP_ENOMEM.
 */
int apsp_query_with(const struct apsp_request *req, const char *name,
	const char *value, char **out, struct apsp_err *err);

/*
 * Read an argument as an integer in [min, max]. If the query does not have the
 * argument, *out is `fallback`. APSP_EMALFORMED: the message has the argument's
 * name and the range.
 */
int apsp_query_uint(const struct apsp_request *req, const char *name,
	uint64_t min, uint64_t max, uint64_t fallback, uint64_t *out,
	struct apsp_err *err);

/*
 * Read an argument that must be one of two texts. *out is true if the argument
 * is the second text. *out is false if the argument is the first text or is
 * missing from the query. APSP_EMALFORMED: the message has the argument's name
 * and both texts.
 */
int apsp_query_choice(const struct apsp_request *req, const char *name,
	const char *first, const char *second, bool *out, struct apsp_err *err);

/*
 * Read an argument as a finite decimal number. If the query does not have the
 * argument, *out_has is false, and *out_value does not change. APSP_EMALFORMED:
 * the message has the argument's name and its text.
 */
int apsp_query_number(const struct apsp_request *req, const char *name,
	bool *out_has, double *out_value, struct apsp_err *err);

/* Read ?wait=, the seconds that the client wants to wait. *out_s is 0 if the
   query has no ?wait=. APSP_EMALFORMED: the value is not an integer of at most
   APSP_JOB_WAIT_MAX_S. */
int apsp_query_wait(
	const struct apsp_request *req, uint64_t *out_s, struct apsp_err *err);

/*
 * Store in *out_ns the time at which the wait of ?wait= ends. The wait begins
 * with the first call of this function for the request. Without ?wait=, or if
 * the client has closed its sending half, the wait ends at once. Fails as
 * apsp_query_wait() does.
 */
int apsp_query_deadline(
	const struct apsp_request *req, int64_t *out_ns, struct apsp_err *err);

#endif
