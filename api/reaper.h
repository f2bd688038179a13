/*
 * Who is connected, and until when: one slot a connection, from accept to the
 * closed-notification. libmicrohttpd's own timeout is for silence only, so a
 * client that drips lives for ever; we shut its socket down when its deadline
 * has passed (design.md, decision 13).
 *
 * A descriptor is shut only under the lock that apsp_reaper_closed() takes, and
 * libmicrohttpd notifies before it closes: never after reuse.
 *
 *	admit → started → (begin → end)* → closed
 */
#ifndef APSP_API_REAPER_H
#define APSP_API_REAPER_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

#define APSP_NO_DEADLINE INT64_MAX

struct apsp_reaper;
struct apsp_conn;

/* APSP_ENOMEM. The caller ends it with apsp_reaper_free(). */
int apsp_reaper_new(uint32_t max_connections, struct apsp_reaper **out,
	struct apsp_err *err);
void apsp_reaper_free(struct apsp_reaper *reaper);

/*
 * A slot for an accepted socket, before libmicrohttpd has it; NULL: the limit
 * is reached. A slot that still has this descriptor is stale (libmicrohttpd
 * dropped it without a word, for want of memory) and taken over.
 */
struct apsp_conn *apsp_reaper_admit(
	struct apsp_reaper *reaper, int fd, bool is_unix, int64_t deadline_ns);

/* libmicrohttpd did not take it. */
void apsp_reaper_forget(struct apsp_reaper *reaper, struct apsp_conn *conn);

/* The notifications of libmicrohttpd. */
struct apsp_conn *apsp_reaper_started(struct apsp_reaper *reaper, int fd);
void apsp_reaper_closed(struct apsp_reaper *reaper, struct apsp_conn *conn);

/* A request begins and ends on the connection. */
void apsp_reaper_begin(struct apsp_reaper *reaper, struct apsp_conn *conn);
void apsp_reaper_end(struct apsp_reaper *reaper, struct apsp_conn *conn);

/* Any thread; takes no lock. */
void apsp_conn_set_deadline(struct apsp_conn *conn, int64_t deadline_ns);
bool apsp_conn_is_unix(const struct apsp_conn *conn);

/* Close it in two steps, reading on for a while (api/accept.h). */
void apsp_conn_set_linger(struct apsp_conn *conn);
bool apsp_conn_linger(const struct apsp_conn *conn);

/*
 * Shut down what is past its deadline, and let libmicrohttpd see the end of
 * file of clients that have gone. Returns how many are connected.
 */
uint32_t apsp_reaper_sweep(struct apsp_reaper *reaper, int64_t now_ns);

/*
 * Shut down the connections without a request, wait until the others' requests
 * have ended or until_ns has come, shut down the rest.
 */
void apsp_reaper_drain(struct apsp_reaper *reaper, int64_t until_ns);

#endif
