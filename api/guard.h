/*
 * What libmicrohttpd 0.9.75 lets in and we do not (design.md, decisions 13 and
 * 14): requests that two programs can read in two ways, and hosts and origins
 * that are not ours.
 */
#ifndef APSP_API_GUARD_H
#define APSP_API_GUARD_H

#include <stdbool.h>

#include "api/request.h"

/*
 * Judge a request by its headers and its raw target.
 * APSP_EMALFORMED: the connection must be closed, for what follows on it cannot
 * be told apart. APSP_EMISDIRECTED: the Host. APSP_EFORBIDDEN: the Origin.
 */
int apsp_guard_check(const struct apsp_request *req, const char *method,
	const char *version, bool is_unix, struct apsp_err *err);

/*
 * The path of a target that apsp_guard_check() has let through; memory is the
 * caller's. APSP_ENOMEM.
 */
int apsp_guard_path(const char *target, char **out_path, struct apsp_err *err);

/* Whether a Host, with or without a port, is loopback's or an allowed one. */
bool apsp_guard_host(
	const char *host, const char *const *allowed, size_t n_allowed);

/* Whether a request's headers announce a body; *out_size is -1 if chunked. */
bool apsp_guard_body(const struct apsp_request *req, int64_t *out_size);

#endif
