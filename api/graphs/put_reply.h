/*
 * The reply to the PUT of a graph or a profile.
 */
#ifndef APSP_API_GRAPHS_PUT_REPLY_H
#define APSP_API_GRAPHS_PUT_REPLY_H

#include <jansson.h>
#include <stdint.h>

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/graphs.h"
#include "storage/jobs/job_queue.h"

struct apsp_put_reply {
	const char *graph;   /* borrowed */
	const char *profile; /* borrowed */
	char revision[APSP_HASH_SIZE];
	uint32_t n_vertices;
	uint64_t n_arcs; /* as uploaded */
	enum apsp_transform transform;
	struct apsp_put_result result; /* owned */
	json_t *receipt; /* of an upload: more members; NULL: of a profile */
};

/*
 * Reply 202 with Location and Retry-After, or 200 if there is no job because
 * the tables are there.
 */
int apsp_put_reply_send(struct apsp_request *req,
	const struct apsp_put_reply *reply, struct apsp_err *err);

#endif
