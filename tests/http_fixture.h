/*
 * A server on a free loopback port, and clients that speak raw sockets.
 */
#ifndef APSP_TESTS_HTTP_FIXTURE_H
#define APSP_TESTS_HTTP_FIXTURE_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/connection/listen.h"
#include "api/http/reply.h"
#include "api/http/route.h"
#include "api/http/server.h"
#include "tests/settings_fixture.h"

#define HOST "Host: localhost\r\n"
#define END HOST "\r\n"
#define PUT "PUT /v1/graphs/g HTTP/1.1\r\n"
#define GET "GET /healthz HTTP/1.1\r\n"

struct http_fixture {
	struct apsp_settings settings;
	struct apsp_listener listener;
	struct apsp_server *server;
};

/* GET /healthz, for a test's routes. */
static inline int fixture_healthz(
	struct apsp_request *req, struct apsp_err *err)
{
	return apsp_reply_json(
		req, MHD_HTTP_OK, json_pack("{s:s}", "status", "ok"), err);
}

/* An upload's bytes, which nobody needs. */
static inline int fixture_drop(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	(void)req;
	(void)data;
	(void)size;
	(void)err;
	return 0;
}

/* 202, whatever was asked. */
static inline int fixture_accept(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_reply_json(req, MHD_HTTP_ACCEPTED, json_object(), err);
}

/* Serve the routes, with limits (NULL: the default ones), at f->listener. */
static inline void fixture_serve(struct http_fixture *f,
	const struct apsp_route *routes, const struct apsp_limits *limits)
{
	struct apsp_server_config config = {
		.routes = routes,
		.listeners = &f->listener.fd,
		.n_listeners = 1,
		.settings = &f->settings,
		.version = "1.2.3",
		.limits = limits ? *limits : apsp_default_limits,
	};
	static const char *const hosts[] = {"apsp.example", "b.example:81"};
	struct apsp_err err = {0};

	settings_fixture_init(&f->settings, NULL, NULL);
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		if (apsp_settings_set(&f->settings,
			    &apsp_settings_list[APSP_SETTING_ID_allowed_hosts],
			    "--allowed-host", hosts[i], &err) < 0)
			fail_msg("%s", err.message);
	if (apsp_server_start(&config, &f->server, &err) < 0)
		fail_msg("%s", err.message);
}

/* The same, at spec. */
static inline void fixture_start_at(struct http_fixture *f,
	const struct apsp_route *routes, const char *spec,
	const struct apsp_limits *limits)
{
	struct apsp_err err = {0};

	if (apsp_listener_open(spec, &(struct apsp_listen_rules){0},
		    &f->listener, &err) < 0)
		fail_msg("%s", err.message);
	fixture_serve(f, routes, limits);
}

static inline void fixture_start(struct http_fixture *f,
	const struct apsp_route *routes, const struct apsp_limits *limits)
{
	fixture_start_at(f, routes, "127.0.0.1:0", limits);
}

static inline void fixture_stop(struct http_fixture *f)
{
	apsp_server_stop(f->server, 10000);
	apsp_settings_done(&f->settings);
	apsp_listener_close(&f->listener);
}

static inline int client_open(const struct http_fixture *f)
{
	struct sockaddr_storage address;
	const struct timeval patience = {.tv_sec = 120};
	socklen_t size = sizeof(address);
	int fd;

	assert_return_code(
		getsockname(f->listener.fd, (struct sockaddr *)&address, &size),
		0);
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_return_code(fd, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	assert_return_code(connect(fd, (struct sockaddr *)&address, size), 0);
	return fd;
}

/* False if the server does not take all of text. */
static inline bool client_send(int fd, const char *text)
{
	size_t size = strlen(text), done = 0;

	while (done < size) {
		ssize_t n = send(fd, text + done, size - done, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Read up to the end of the connection; NUL-terminated. */
static inline size_t client_read_all(int fd, char *out, size_t size)
{
	size_t done = 0;

	while (done < size - 1) {
		ssize_t n = recv(fd, out + done, size - 1 - done, 0);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	out[done] = '\0';
	return done;
}

/*
 * Read one head and as much body as its Content-Length says. Returns the
 * status, or 0 at the end of the connection.
 */
static inline int client_read(int fd, char *out, size_t size, bool has_body)
{
	size_t done = 0, want = size - 1;
	int status = 0;

	out[0] = '\0';
	while (done < want) {
		char *end, *length;
		ssize_t n = recv(fd, out + done, 1, 0);

		if (n <= 0)
			return 0;
		out[++done] = '\0';
		end = want == size - 1 ? strstr(out, "\r\n\r\n") : NULL;
		if (!end)
			continue;
		length = strcasestr(out, "Content-Length: ");
		want = done;
		if (has_body && length)
			want += strtoul(length + 16, NULL, 10);
	}
	if (sscanf(out, "HTTP/1.1 %d", &status) != 1)
		return 0;
	return status;
}

/* One request on its own connection, read to the end if that is announced. */
static inline int ask(
	const struct http_fixture *f, const char *text, char *out, size_t size)
{
	int fd = client_open(f);
	int status;
	size_t done;

	client_send(fd, text);
	status = client_read(fd, out, size, true);
	done = strlen(out);
	if (strstr(out, "Connection: close"))
		client_read_all(fd, out + done, size - done);
	close(fd);
	return status;
}

#endif
