/*
 * Ids of requests: every answer has one, and the log names a failure by it.
 */
#ifndef APSP_API_CONNECTION_REQUEST_ID_H
#define APSP_API_CONNECTION_REQUEST_ID_H

#include <stdatomic.h>

enum {
	APSP_REQUEST_ID_SIZE = 17, /* 16 digits and NUL */
};

struct apsp_request_ids {
	atomic_uint_fast64_t next;
};

/* Another start in each run. */
void apsp_request_ids_init(struct apsp_request_ids *ids);

/* Store the next id. Any thread. */
void apsp_request_id_next(
	struct apsp_request_ids *ids, char out[APSP_REQUEST_ID_SIZE]);

#endif
