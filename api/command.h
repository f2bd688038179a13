/*
 * A request that changes the store: it sends a command to the store's writer,
 * waits for the result and replies.
 */
#ifndef APSP_API_COMMAND_H
#define APSP_API_COMMAND_H

#include "api/http/request.h"
#include "storage/snapshots/precondition.h"
#include "storage/store.h"

/*
 * A completion that stores a command's result in the request and resumes the
 * request. Suspend the request before the command is started. When the handler
 * is called again, apsp_request_result() gives the result.
 */
struct apsp_done apsp_command_done(struct apsp_request *req);

/*
 * Read the headers If-Match and If-None-Match of a request that changes
 * something. *out borrows the profile's name (the route's second parameter)
 * from the request. *out also points to the request's buffers for the log.
 * storage writes the graph's revision and rule into these buffers when it
 * checks the condition. APSP_EMALFORMED: a header is neither * nor, for
 * If-Match, one strong tag.
 */
int apsp_command_condition(struct apsp_request *req,
	enum apsp_precondition_subject subject, struct apsp_precondition *out,
	struct apsp_err *err);

/*
 * Do what all DELETE handlers have in common. A DELETE handler is called twice.
 * The first time, this function reads the condition headers, suspends the
 * request and returns 1. The handler then starts its command with *out, which
 * the request owns. The second time, this function replies and returns 0.
 * Errors: those of apsp_command_condition() and of the command.
 */
int apsp_command_delete(struct apsp_request *req,
	enum apsp_precondition_subject subject,
	const struct apsp_precondition **out, struct apsp_err *err);

#endif
