/*
 * Requests to our own daemon over pairs of sockets; see local.h.
 */
#include "daemon/follow/fetch/local.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/auto.h"
#include "daemon/follow/fetch/graph_list.h"

enum {
	CONTROL_FD = 3,
	/* a request fails if the daemon neither receives nor sends a byte for
	   this number of milliseconds. The limit is high, because a daemon is
	   silent while it stores gigabytes */
	SILENCE_MS = 15 * 60 * 1000,
	HEAD_MAX = 16384,
	ANSWER_MAX = APSP_GRAPH_LIST_PAGE_BYTES + HEAD_MAX,
};

void apsp_local_answer_done(struct apsp_local_answer *answer)
{
	free(answer->body);
	*answer = (struct apsp_local_answer){0};
}

/* Send one end of a new pair of sockets to the daemon, and return the other
   end, or -1 with errno. */
static int connect_local(void)
{
	char space[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
	struct iovec part = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int ends[2];
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &ends[1], sizeof(int));
	n = sendmsg(CONTROL_FD, &message, MSG_NOSIGNAL);
	close(ends[1]);
	if (n == 1) {
		puts("connect");
		if (fflush(stdout) == 0)
			return ends[0];
	}
	close(ends[0]);
	return -1;
}

/* Send all bytes. Returns false if the daemon has already sent an answer, or
   does not read the bytes. */
static bool send_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		struct pollfd io = {fd, POLLIN | POLLOUT, 0};
		ssize_t n;

		if (poll(&io, 1, SILENCE_MS) <= 0 || io.revents & POLLIN)
			return false;
		n = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN)
			return false;
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

int apsp_local_begin(const char *method, const char *target,
	uint64_t body_bytes, struct apsp_local_request *out,
	struct apsp_err *err)
{
	char head[APSP_LOCAL_TARGET_SIZE + 256];
	int size;

	size = snprintf(head, sizeof(head),
		"%s %s HTTP/1.0\r\nHost: localhost\r\n", method, target);
	if (body_bytes > 0)
		size += snprintf(head + size, sizeof(head) - (size_t)size,
			"Content-Type: application/x-tar\r\n"
			"Content-Length: %" PRIu64 "\r\n",
			body_bytes);
	size += snprintf(head + size, sizeof(head) - (size_t)size, "\r\n");
	*out = (struct apsp_local_request){.fd = connect_local()};
	if (out->fd < 0)
		return apsp_fail_errno(err, errno, "connect to our daemon");
	/* ignore a failure, because apsp_local_finish() will report the
	   reason */
	send_all(out->fd, head, (size_t)size);
	return 0;
}

bool apsp_local_send(
	struct apsp_local_request *request, const char *data, size_t size)
{
	request->is_cut = !send_all(request->fd, data, size);
	return !request->is_cut;
}

/*
 * Read until the daemon closes the connection. An error of read() counts as the
 * end of the answer: if the daemon has not read the whole request, the socket
 * reports ECONNRESET after the answer. This process has no signal handlers, so
 * no call ends with EINTR. The caller frees *out.
 */
static int read_all(int fd, char **out, size_t *out_size, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *bytes = NULL;
	size_t size = 0, capacity = 0;
	ssize_t n = 1;

	while (n > 0) {
		struct pollfd io = {fd, POLLIN, 0};

		if (size == capacity) {
			char *larger = realloc(bytes, 2 * capacity + 4096 + 1);

			if (!larger)
				return apsp_fail(err, APSP_ENOMEM,
					"no memory for an answer");
			bytes = larger;
			capacity = 2 * capacity + 4096;
		}
		if (size > ANSWER_MAX)
			return apsp_fail(err, APSP_EIO,
				"our daemon's answer is too large");
		if (poll(&io, 1, SILENCE_MS) <= 0)
			return apsp_fail(
				err, APSP_EIO, "our daemon does not answer");
		n = read(fd, bytes + size, capacity - size);
		size += n > 0 ? (size_t)n : 0;
	}
	bytes[size] = '\0';
	*out = APSP_TAKE(bytes);
	*out_size = size;
	return 0;
}

/* Copy the value of the header `name` to `out`; "" if there is no such header.
   `head` has the status line and all headers, and ends with an empty line. */
static void header_get(
	const char *head, const char *name, char *out, size_t size)
{
	size_t n = strlen(name), length;

	out[0] = '\0';
	for (const char *line = strstr(head, "\r\n"); line;
		line = strstr(line, "\r\n")) {
		line += 2;
		if (strncasecmp(line, name, n) != 0 || line[n] != ':')
			continue;
		line += n + 1;
		line += strspn(line, " ");
		length = strcspn(line, "\r");
		if (length < size) {
			memcpy(out, line, length);
			out[length] = '\0';
		}
		return;
	}
}

int apsp_local_finish(struct apsp_local_request *request,
	struct apsp_local_answer *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *bytes = NULL;
	size_t size = 0;
	char *body;
	int r, minor;

	/* end the incomplete body, so that the daemon does not wait for the
	   rest of it */
	if (request->is_cut)
		shutdown(request->fd, SHUT_WR);
	r = read_all(request->fd, &bytes, &size, err);
	apsp_close(&request->fd);
	request->fd = -1;
	if (r < 0)
		return r;
	body = strstr(bytes, "\r\n\r\n");
	if (!body || sscanf(bytes, "HTTP/1.%d %d", &minor, &out->status) != 2)
		return apsp_fail(err, APSP_EIO,
			"our daemon ended the connection without an answer");
	body[2] = '\0';
	header_get(bytes, "ETag", out->etag, sizeof(out->etag));
	body += 4;
	out->body_size = size - (size_t)(body - bytes);
	memmove(bytes, body, out->body_size + 1);
	out->body = APSP_TAKE(bytes);
	return 0;
}

int apsp_local_ask(const char *method, const char *target,
	struct apsp_local_answer *out, struct apsp_err *err)
{
	struct apsp_local_request request;
	int r = apsp_local_begin(method, target, 0, &request, err);

	return r < 0 ? r : apsp_local_finish(&request, out, err);
}
