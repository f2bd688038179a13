/*
 * The line in the log of a request that changes something: who did it, from
 * where, to which graph (api/http/README.md, Changes are logged).
 *
 *	changed id=… token="the nightly upload" peer=192.0.2.7 graph=larva
 *	before=effc6f4b… after=9f31… status=202 ms=812.4 end=0 method=PUT
 *	target=/v1/graphs/larva?transform=inv
 */
#ifndef APSP_API_HTTP_CHANGE_H
#define APSP_API_HTTP_CHANGE_H

#include <stdbool.h>

#include "api/http/request.h"

/*
 * Write the line of a request that has ended, at every log level, if its route
 * changes something: its method is not GET, and its scope is more than read. It
 * begins with "changed", or with "change refused" where nothing was changed.
 * end: how the request ended.
 *
 * False: the request is another one, or was refused for want of a token.
 * Nothing was written.
 */
bool apsp_change_log(
	const struct apsp_request *req, double ms, const char *end);

#endif
