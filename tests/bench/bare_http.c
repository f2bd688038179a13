/*
 * A bare libmicrohttpd server. It answers every request with the same bytes and
 * the headers of an answer of apspd, on as many threads.
 *
 *	bare_http THREADS FILE
 *
 * FILE has the body. The program prints the port, and serves until stdin ends.
 */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct body {
	char *bytes;
	size_t size;
};

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version,
	const char *data, size_t *size, void **state)
{
	static const char *const headers[][2] = {
		{"Content-Type", "application/json"},
		{"ETag", "\"0123456789abcdef0123456789abcdef\""},
		{"X-Request-Id", "0123456789abcdef"},
		{"Cache-Control", "no-cache"},
		{"X-Content-Type-Options", "nosniff"},
		{"Vary", "Accept, Accept-Encoding"},
	};
	const struct body *body = ctx;
	struct MHD_Response *response;
	enum MHD_Result result;
	static int seen;

	(void)url;
	(void)method;
	(void)version;
	(void)data;
	(void)size;
	/* a reply to the first call would end the connection */
	if (!*state) {
		*state = &seen;
		return MHD_YES;
	}
	response = MHD_create_response_from_buffer(
		body->size, body->bytes, MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static int body_read(const char *path, struct body *out)
{
	FILE *file = fopen(path, "rbe");
	long size;

	if (!file)
		return -1;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	out->bytes = malloc((size_t)size + 1);
	out->size = out->bytes ? fread(out->bytes, 1, (size_t)size, file) : 0;
	fclose(file);
	return out->size == (size_t)size ? 0 : -1;
}

int main(int argc, char **argv)
{
	const union MHD_DaemonInfo *info;
	struct MHD_Daemon *daemon;
	struct body body = {0};
	unsigned int n_threads;
	char byte;

	if (argc != 3 || body_read(argv[2], &body) < 0)
		return 2;
	n_threads = (unsigned int)strtoul(argv[1], NULL, 10);
	/* a pool has two threads or more */
	daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0, NULL,
		NULL, answer, &body,
		n_threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END,
		n_threads, MHD_OPTION_END);
	info = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)
		      : NULL;
	if (!info)
		return 1;
	printf("%u\n", (unsigned int)info->port);
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	MHD_stop_daemon(daemon);
	free(body.bytes);
	return 0;
}
