/*
 * The reply to the PUT of a graph or a profile.
 */
#ifndef APSP_API_GRAPHS_PUT_REPLY_H
#define APSP_API_GRAPHS_PUT_REPLY_H

#include <jansson.h>

#include "api/graphs/estimate.h"
#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/graphs.h"
#include "storage/jobs/job_queue.h"

struct apsp_put_reply {
	const char *graph;   /* borrowed */
	const char *profile; /* borrowed */
	/*
	 * The revision of the upload. If a profile was put, this is "" until
	 * apsp_put_reply_send() copies the revision from `result`.
	 */
	char revision[APSP_HASH_SIZE];
	struct apsp_estimate_graph facts;
	struct apsp_profile rule;
	struct apsp_put_result result; /* owned */
	json_t *receipt; /* owned; the members that only the reply to an upload
			    has. NULL in the reply to the PUT of a profile */
};

void apsp_put_reply_done(struct apsp_put_reply *reply);

/*
 * Reply after the store's command has ended: 202 with Location and Retry-After,
 * or 200 if the tables exist. If the query has wait=, the request first waits
 * for the job; the handler is then called again, and must call this function
 * again. If the job fails during the wait, the reply is a problem. Fails with
 * the error of the command. For APSP_ENOSPACE, the error reply (problem) has
 * the members that apsp_estimate_explain() adds. For APSP_ERULE, it has the
 * graph's rule and the refused rule.
 */
int apsp_put_reply_send(struct apsp_request *req, struct apsp_put_reply *reply,
	struct apsp_err *err);

#endif
