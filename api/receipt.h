/*
 * The receipt: what a client gets for a graph or a profile that it has put.
 */
#ifndef APSP_API_RECEIPT_H
#define APSP_API_RECEIPT_H

#include <stdint.h>

#include "api/request.h"
#include "daemon/base/err.h"
#include "storage/graphs.h"

struct apsp_receipt {
	const char *graph;   /* borrowed */
	const char *profile; /* borrowed */
	char revision[APSP_HASH_SIZE];
	uint32_t n_vertices;
	uint64_t n_arcs; /* as uploaded */
	struct apsp_put_result result;
};

/*
 * Reply 202 with Location and Retry-After, or 200 where there is no job since
 * the tables are there.
 */
int apsp_receipt_reply(struct apsp_request *req,
	const struct apsp_receipt *receipt, struct apsp_err *err);

#endif
