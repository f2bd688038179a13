/*
 * Ids of requests: every answer has one, and the log names a failure by it.
 */
#ifndef APSP_API_HTTP_REQUEST_ID_H
#define APSP_API_HTTP_REQUEST_ID_H

struct apsp_server;

enum {
	APSP_REQUEST_ID_SIZE = 17, /* 16 digits and NUL */
};

/* Store the next id. Any thread. */
void apsp_request_id_next(
	struct apsp_server *server, char out[APSP_REQUEST_ID_SIZE]);

#endif
