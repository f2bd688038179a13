/*
 * A small HTTP client for tests: one request a connection, which is read to its
 * end; every wait is bounded.
 */
#ifndef APSP_TESTS_HTTP_CLIENT_H
#define APSP_TESTS_HTTP_CLIENT_H

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	HTTP_TIMEOUT_S = 60,
};

struct http_answer {
	int status;
	char *text; /* the whole response, NUL-terminated; owned */
	char *body; /* within text, its chunks joined */
	size_t body_size;
	json_t *json; /* NULL where the body is no JSON; owned */
};

static inline void http_answer_done(struct http_answer *answer)
{
	free(answer->text);
	json_decref(answer->json);
	memset(answer, 0, sizeof(*answer));
}

/* Join a chunked body in place. */
static inline size_t http_join(char *body)
{
	char *in = body, *out = body;
	size_t size;

	while ((size = strtoul(in, &in, 16)) > 0) {
		in = strstr(in, "\r\n") + 2;
		memmove(out, in, size);
		out += size;
		in += size + 2;
	}
	*out = '\0';
	return (size_t)(out - body);
}

/* Copy a header's value to out; false: there is no such header. */
static inline bool http_header(const struct http_answer *answer,
	const char *name, char *out, size_t size)
{
	for (const char *line = strstr(answer->text, "\r\n");
		line && line < answer->body; line = strstr(line, "\r\n")) {
		size_t n = strlen(name);

		line += 2;
		if (strncasecmp(line, name, n) != 0 || line[n] != ':')
			continue;
		line += n + 1 + strspn(line + n + 1, " ");
		snprintf(out, size, "%.*s", (int)strcspn(line, "\r"), line);
		return true;
	}
	return false;
}

static inline int http_connect(unsigned int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval timeout = {.tv_sec = HTTP_TIMEOUT_S};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	assert(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	r = connect(fd, (struct sockaddr *)&address, sizeof(address));
	assert(r == 0);
	return fd;
}

/*
 * Read exactly size bytes. SIGCHLD may interrupt read(), which the kernel does
 * not restart on a socket with a time limit.
 */
static inline bool http_read_bytes(int fd, char *out, size_t size)
{
	while (size > 0) {
		ssize_t n = read(fd, out, size);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		out += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Read up to the end of the connection and take the response apart. */
static inline void http_read(int fd, struct http_answer *out)
{
	size_t used = 0, capacity = 1 << 16;
	char value[32];
	ssize_t n;

	out->text = malloc(capacity);
	assert(out->text);
	while ((n = read(fd, out->text + used, capacity - used - 1)) > 0 ||
		(n < 0 && errno == EINTR)) {
		used += n > 0 ? (size_t)n : 0;
		if (capacity - used < 1024) {
			capacity *= 2;
			out->text = realloc(out->text, capacity);
			assert(out->text);
		}
	}
	out->text[used] = '\0';
	/* step over an interim reply */
	if (strncmp(out->text, "HTTP/1.1 100", 12) == 0) {
		const char *rest = strstr(out->text, "\r\n\r\n") + 4;

		memmove(out->text, rest, strlen(rest) + 1);
		used -= (size_t)(rest - out->text);
	}
	if (sscanf(out->text, "HTTP/1.1 %d", &out->status) != 1)
		out->status = -1;
	out->body = strstr(out->text, "\r\n\r\n");
	if (!out->body) {
		out->body = out->text + used;
		return;
	}
	out->body += 4;
	out->body_size = used - (size_t)(out->body - out->text);
	if (http_header(out, "Transfer-Encoding", value, sizeof(value)))
		out->body_size = http_join(out->body);
	out->json =
		json_loadb(out->body, out->body_size, JSON_DECODE_ANY, NULL);
}

/*
 * Send a request and read its answer. headers are lines that end in CRLF; body
 * may be NULL.
 */
static inline struct http_answer http_ask(unsigned int port, const char *method,
	const char *target, const char *headers, const void *body,
	size_t body_size)
{
	struct http_answer answer = {0};
	int fd = http_connect(port);
	char *head = NULL;
	char length[48] = "";
	int n;

	if (body)
		snprintf(length, sizeof(length), "Content-Length: %zu\r\n",
			body_size);
	n = asprintf(&head,
		"%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
		"%s%s\r\n",
		method, target, headers ? headers : "", length);
	assert(n > 0);
	n = (int)send(fd, head, (size_t)n, MSG_NOSIGNAL);
	assert(n > 0);
	free(head);
	while (body_size > 0) {
		ssize_t sent = send(fd, body, body_size, MSG_NOSIGNAL);

		if (sent <= 0)
			break; /* refused early: the answer says why */
		body = (const char *)body + sent;
		body_size -= (size_t)sent;
	}
	http_read(fd, &answer);
	close(fd);
	return answer;
}

#endif
