/*
 * Completions of commands; see command.h.
 */
#include "api/command.h"

static void finish(void *ctx, int result, const struct apsp_err *err)
{
	apsp_request_finish(ctx, result, err);
}

struct apsp_done apsp_command_done(struct apsp_request *req)
{
	return (struct apsp_done){.fn = finish, .ctx = req};
}
