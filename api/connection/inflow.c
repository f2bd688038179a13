/*
 * The recv() that libmicrohttpd calls. A bad byte is a byte that the framing
 * refuses (framing.h).
 *
 * Each request gets exactly one answer. If whole requests precede a bad byte,
 * they are passed on to libmicrohttpd. The answer to the last of these requests
 * has "Connection: close", and the bytes behind that request get no answer. If
 * no whole request precedes the bad byte, recv() itself sends the refusal,
 * unless the present request already has its answer. In any case libmicrohttpd
 * then sees the end of the stream instead of the bad byte.
 */
#include "api/connection/inflow.h"

#include <errno.h>
#include <sys/socket.h>

#include "api/connection/connection.h"
#include "api/connection/answer.h"
#include "daemon/base/clock.h"

/*
 * The connection of each descriptor. This is a mutable global, because recv()
 * gets only the descriptor. An entry is set before libmicrohttpd gets the
 * socket, and cleared before libmicrohttpd closes the socket.
 */
static _Atomic(struct apsp_connection *) connections[APSP_INFLOW_FDS];

bool apsp_inflow_start(
	struct apsp_connection *conn, const struct apsp_upward *upward)
{
	if (conn->fd < 0 || conn->fd >= APSP_INFLOW_FDS)
		return false;
	apsp_framing_init(&conn->framing);
	conn->upward = upward;
	conn->head_since_ns = apsp_clock_ns();
	atomic_store(&connections[conn->fd], conn);
	return true;
}

void apsp_inflow_stop(int fd)
{
	if (fd >= 0 && fd < APSP_INFLOW_FDS)
		atomic_store(&connections[fd], NULL);
}

/* If the client has begun a head and the time for this head is not running yet,
   set conn->head_since_ns to the present time. If the client has sent all heads
   completely, set conn->head_since_ns to 0. */
static void keep_time(struct apsp_connection *conn)
{
	bool in_head = !conn->ended && apsp_framing_in_head(&conn->framing);

	if (in_head != (conn->head_since_ns != 0))
		conn->head_since_ns = in_head ? apsp_clock_ns() : 0;
}

/*
 * Returns the result for recv() when no further byte will come. libmicrohttpd
 * closes a connection at the end of its stream, even while one of our threads
 * still works on the body of the last request. So recv() reports the end only
 * when all whole requests are completed, or when the answer to the present
 * request has begun.
 */
static ssize_t end_of_stream(const struct apsp_connection *conn)
{
	if (conn->replying_since_ns != 0 ||
		conn->n_completed == conn->framing.n_requests)
		return 0;
	errno = EAGAIN;
	return -1;
}

/*
 * Let api/http try to answer a request without libmicrohttpd. `bytes` are
 * exactly this request. Returns true if api/http has answered the request.
 */
static bool answer(struct apsp_connection *conn, const char *bytes, size_t size)
{
	const struct apsp_upward *upward = conn->upward;

	if (conn->framing.n_requests != conn->n_completed + 1 ||
		!upward->answer(upward->ctx, conn, bytes, size))
		return false;
	conn->n_begun++;
	conn->n_completed++;
	return true;
}

/*
 * End the stream, and send a refusal unless the present request already has its
 * answer. If libmicrohttpd has begun the present request, the refusal is
 * counted and logged when that request ends; otherwise it is counted and logged
 * now. Returns the result for recv().
 */
static ssize_t refuse(struct apsp_connection *conn, const struct apsp_err *err)
{
	const struct apsp_upward *upward = conn->upward;
	bool begun = conn->n_begun > conn->n_completed;
	int code;

	conn->ended = true;
	if (conn->replying_since_ns != 0 ||
		conn->n_completed != conn->framing.n_requests)
		return end_of_stream(conn);
	code = apsp_refusal_send(
		upward, conn->fd, begun ? conn->request_id : NULL, err);
	if (!begun)
		upward->count(upward->ctx, code);
	else if (code != 0)
		conn->refusal = *err;
	return 0;
}

/*
 * Refuse a request whose body is not complete. Its client has lost its share of
 * a budget to another client (api/connection/README.md, The slowest yields).
 * Returns the result for recv().
 */
static ssize_t refuse_slow(struct apsp_connection *conn)
{
	struct apsp_err err;
	ssize_t n;

	conn->ended = true;
	if (conn->n_begun == conn->n_completed)
		return end_of_stream(
			conn); /* the request has already been answered, so it
				  is too late to refuse it */
	apsp_fail(&err, APSP_EBUSY,
		"the body came at less than %u bytes a second, and another "
		"request needed the memory or place that this request held",
		conn->pace.stated_rate);
	n = refuse(conn, &err);
	if (n == 0 && conn->refusal.code == 0 && conn->replying_since_ns == 0)
		apsp_connection_reset(conn);
	conn->refusal = err;
	return n;
}

/*
 * Run the framing over the bytes that recvfrom() has read. If `filled` is true,
 * the bytes fill libmicrohttpd's buffer, so the socket may have more bytes.
 * Returns the result for recv().
 */
static ssize_t judge(struct apsp_connection *conn, const char *bytes,
	size_t size, bool filled)
{
	const struct apsp_framing *framing = &conn->framing;
	/* true: no other request is under way, and `bytes` are all bytes that
	   have arrived */
	bool alone = framing->n_started == conn->n_completed &&
		     framing->n_requests == conn->n_completed && !filled;
	struct apsp_err err;
	size_t whole;
	int r;

	r = apsp_framing_read(&conn->framing, bytes, size, &whole, &err);
	conn->ended = r < 0;
	keep_time(conn);
	if (r == 0 && alone && whole == size && answer(conn, bytes, size)) {
		/*
		 * with EAGAIN libmicrohttpd waits for epoll. The bytes did not
		 * fill the buffer, so epoll will report the socket when the
		 * next bytes come
		 */
		errno = EAGAIN;
		return -1;
	}
	if (r == 0)
		return (ssize_t)size;
	return whole > 0 ? (ssize_t)whole : refuse(conn, &err);
}

/* Replaces libc's recv(). For a descriptor that belongs to no connection, this
   function does the same as libc's recv(). */
ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
	struct apsp_connection *conn = NULL;
	ssize_t n;

	if (fd >= 0 && fd < APSP_INFLOW_FDS)
		conn = atomic_load_explicit(
			&connections[fd], memory_order_acquire);
	if (conn && conn->ended)
		return end_of_stream(conn);
	if (conn && atomic_load_explicit(&conn->yielded, memory_order_acquire))
		return refuse_slow(conn);
	n = recvfrom(fd, buffer, size, flags, NULL, NULL);
	if (conn && n == 0) {
		conn->ended = true;
		keep_time(conn);
		return end_of_stream(conn);
	}
	if (!conn || n < 0)
		return n;
	return judge(conn, buffer, (size_t)n, (size_t)n == size);
}
