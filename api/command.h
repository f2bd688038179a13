/*
 * Functions for requests that change the store. Such a request sends a command
 * to the store's writer thread, waits for the result and replies.
 */
#ifndef APSP_API_COMMAND_H
#define APSP_API_COMMAND_H

#include "api/http/request.h"
#include "storage/snapshots/precondition.h"
#include "storage/store.h"

/*
 * Returns a callback for the end of a command. The callback stores the
 * command's result in the request and resumes the request. The caller must
 * suspend the request before it starts the command. When the handler is called
 * again, apsp_request_result() returns the result.
 */
struct apsp_done apsp_command_done(struct apsp_request *req);

/*
 * Read If-Match, If-None-Match and ?revision= of a request that changes
 * something. *out borrows the profile's name (the route's second parameter) and
 * the revision from the request. *out also points to two buffers in the
 * request. When the store checks the condition, it writes the graph's revision
 * and rule into these buffers. The request's line in the log shows their
 * contents. APSP_EMALFORMED: If-None-Match is not *, or If-Match is neither *
 * nor one strong ETag.
 */
int apsp_command_condition(struct apsp_request *req,
	enum apsp_precondition_subject subject, struct apsp_precondition *out,
	struct apsp_err *err);

/*
 * Check the condition before the body is read. The command checks the condition
 * again. APSP_EPRECONDITION: If-Match or If-None-Match is not fulfilled.
 * APSP_EREVISION: the graph does not have the revision that ?revision= names.
 */
int apsp_command_check(struct apsp_request *req,
	const struct apsp_precondition *wanted, struct apsp_err *err);

/*
 * Do the common work of all DELETE handlers. A DELETE handler is called twice.
 * The first time, this function reads the condition, suspends the
 * request and returns 1. The handler then starts its command with *out, which
 * the request owns. The second time, this function replies and returns 0. Fails
 * as apsp_command_condition() does, and with the errors of the command.
 */
int apsp_command_delete(struct apsp_request *req,
	enum apsp_precondition_subject subject,
	const struct apsp_precondition **out, struct apsp_err *err);

#endif
