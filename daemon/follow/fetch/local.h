/*
 * Requests to our own daemon. apspd has passed a control socket to this process
 * as descriptor 3. For each request, this process makes a pair of connected
 * sockets, sends one socket of the pair over the control socket, and prints the
 * line "connect" on stdout. The daemon serves this socket as a connection that
 * is allowed to change graphs. A request is HTTP/1.0, so the daemon ends its
 * answer by closing the connection.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_LOCAL_H
#define APSP_DAEMON_FOLLOW_FETCH_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_LOCAL_TARGET_SIZE = 512,
};

/* A request whose body is being sent. */
struct apsp_local_request {
	int fd;	     /* -1: there is no connection */
	bool is_cut; /* the body was not sent completely */
};

struct apsp_local_answer {
	int status;
	char etag[128]; /* with its quotes; "": the answer has no ETag */
	char *body;	/* NUL-terminated; owned */
	size_t body_size;
};

void apsp_local_answer_done(struct apsp_local_answer *answer);

/*
 * Send the head of a request with body_bytes bytes of body. The caller ends
 * *out with apsp_local_finish(), or closes out->fd before the body is complete,
 * so that the daemon drops the request. APSP_EIO: the daemon does not accept
 * the connection.
 */
int apsp_local_begin(const char *method, const char *target,
	uint64_t body_bytes, struct apsp_local_request *out,
	struct apsp_err *err);

/* Send a piece of the body. Returns false if the daemon has already answered or
   closed the connection; then call apsp_local_finish(). */
bool apsp_local_send(
	struct apsp_local_request *request, const char *data, size_t size);

/* Receive the answer, and end the request. APSP_EIO: the answer is incomplete,
   or is larger than the largest page of a list (graph_list.h). APSP_ENOMEM. */
int apsp_local_finish(struct apsp_local_request *request,
	struct apsp_local_answer *out, struct apsp_err *err);

/* Send a request without a body, and receive the answer. Fails as the functions
   above do. */
int apsp_local_ask(const char *method, const char *target,
	struct apsp_local_answer *out, struct apsp_err *err);

#endif
