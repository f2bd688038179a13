/*
 * Requests, through libcurl, to the writer: the daemon that is followed.
 * Redirects are not followed, so the token reaches no other host. TLS is
 * verified with the system's certificates, or with the file that SSL_CERT_FILE
 * names.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_WRITER_H
#define APSP_DAEMON_FOLLOW_FETCH_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/follow/fetch/graph_list.h"

struct apsp_writer;

enum {
	/* bytes of an ETag with its quotes and NUL */
	APSP_WRITER_TAG_SIZE = 128,
	/* longest wait for a change of the list, in seconds */
	APSP_WRITER_WAIT_S = 10,
};

/* Prepare requests to `url`, which must not end with a slash. token_file is
   read before each request; NULL: no token is sent. `url` and token_file are
   borrowed. *out lives until the process ends. APSP_ENOMEM. */
int apsp_writer_new(const char *url, const char *token_file,
	struct apsp_writer **out, struct apsp_err *err);

/*
 * Read the whole list of graphs. If `tag` is the ETag of an earlier list, wait
 * up to wait_s seconds until the list differs from the earlier list. Returns 1
 * if *out and `tag` have a new list, 0 if the list is still the same. The list
 * may change while its pages are read; then `tag` is the ETag of the first
 * page. The caller ends *out with apsp_graph_list_done(). APSP_EIO: the writer
 * cannot be reached, or refuses the request; APSP_EDATA: the answer is no list;
 * APSP_ENOMEM.
 */
int apsp_writer_list(struct apsp_writer *writer, int wait_s,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_graph_list *out,
	struct apsp_err *err);

/* The receiver of a bundle. If begin() or bytes() returns false, the transfer
   ends. */
struct apsp_writer_sink {
	void *ctx;
	/* Called once, before the first byte of the bundle. */
	bool (*begin)(void *ctx, uint64_t size);
	bool (*bytes)(void *ctx, const char *data, size_t size);
};

/*
 * Pass the bundle at `target` (/v1/graphs/NAME/bundle…) to the sink. `known`
 * has ETags for If-None-Match, or is "". If the connection breaks, the transfer
 * continues at the next byte, unless the bundle has changed or the break is too
 * long (BREAK_MS in writer.c). Returns 1 if the sink has received the whole
 * bundle; then `tag` is the bundle's ETag. Returns 0 if the ETag of the
 * writer's bundle is in `known`. APSP_ENOGRAPH: the writer does not have the
 * graph. APSP_EREVISION: the writer has another upload of the graph.
 * APSP_ECANCELLED: the sink ended the transfer. APSP_EIO: the writer cannot be
 * reached, redirects, or wants a token. APSP_EDATA: the writer refuses this
 * bundle, the answer is no bundle, or the bundle has changed.
 */
int apsp_writer_bundle(struct apsp_writer *writer, const char *target,
	const char *known, const struct apsp_writer_sink *sink,
	char tag[APSP_WRITER_TAG_SIZE], struct apsp_err *err);

#endif
