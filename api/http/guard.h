/*
 * The guard refuses hosts and origins that are not ours (api/http/README.md, A
 * browser is not a friend), and targets that are neither a path nor a URL of
 * the Host.
 */
#ifndef APSP_API_HTTP_GUARD_H
#define APSP_API_HTTP_GUARD_H

#include <stdbool.h>

#include "api/http/request.h"

/*
 * Judge a request by its headers and its raw target.
 * APSP_EMALFORMED: the connection must be closed, because nobody knows where
 * the next request on it begins. APSP_EMISDIRECTED: the Host is
 * not ours. APSP_EFORBIDDEN: the Origin is not ours.
 */
int apsp_guard_check(const struct apsp_request *req, const char *method,
	bool is_unix, struct apsp_err *err);

/*
 * The path of a target that apsp_guard_check() has let through; the caller
 * frees it. APSP_ENOMEM.
 */
int apsp_guard_path(const char *target, char **out_path, struct apsp_err *err);

/* Whether a Host, with or without a port, names loopback or is allowed. */
bool apsp_guard_host(
	const char *host, const char *const *allowed, size_t n_allowed);

/* Whether a request's headers announce a body; *out_size is -1 if chunked. */
bool apsp_guard_body(const struct apsp_request *req, int64_t *out_size);

#endif
