/*
 * A command to the store, for which a request waits.
 */
#ifndef APSP_API_COMMAND_H
#define APSP_API_COMMAND_H

#include "api/http/request.h"
#include "storage/store.h"

/*
 * A completion that stores the command's result in the request and resumes it:
 * suspend the request first, then hand this to the command. When the handler is
 * called again, apsp_request_result() gives the result.
 */
struct apsp_done apsp_command_done(struct apsp_request *req);

#endif
