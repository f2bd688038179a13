/*
 * The thread that runs apspd-follow; see follower.h. The child asks for
 * connections over a control socket (daemon/follow/fetch/local.h) and reports
 * by lines on stdout (daemon/follow/fetch/fetch_main.h).
 */
#include "daemon/follow/follower.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "compute/worker/child_process.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/fields.h"
#include "daemon/base/host.h"
#include "daemon/base/log.h"
#include "daemon/base/stop.h"

enum {
	RESTART_FIRST_MS = 250,
	RESTART_MOST_MS = 60000,
	/* a child that prints nothing for this number of milliseconds is ended.
	   A child prints a line after each wait for the writer's list, after
	   each graph, and each minute while a bundle is transferred. The limit
	   is high, because the daemon can take long to store a bundle */
	SILENCE_MS = 60 * 60 * 1000,
	URL_MAX = 1024,
};

struct apsp_follower {
	struct apsp_follower_config config; /* `program` is owned */
	apsp_follower_adopt *adopt;
	apsp_follower_lost *lost;
	void *ctx;
	int wake_fd;
	struct apsp_stop stop;
	pthread_t thread;
	bool runs;

	/* only the follower's thread uses the members from here to `mutex` */
	struct apsp_child_process *child;
	int control_fd;
	int restart_ms;

	pthread_mutex_t mutex; /* guards the members below */
	struct apsp_follower_status status;
	/* time at which the writer last sent its whole list of graphs or said
	   that the list is unchanged; before the first list, the time of the
	   start */
	int64_t listed_ns;
};

int apsp_follower_check_url(const char *url, struct apsp_err *err)
{
	const char *host = apsp_host_in_url(url);
	char authority[URL_MAX + 1];

	if (host && strlen(url) <= URL_MAX && !strpbrk(host, "@?#\\\"<> ")) {
		snprintf(authority, sizeof(authority), "%.*s",
			(int)strcspn(host, "/"), host);
		for (; *host > ' ' && *host < 0x7f; host++)
			continue;
		if (*host == '\0' && apsp_host_size(authority) > 0)
			return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"--follow is the address of another apspd, such as "
		"https://writer.example/ or http://writer:8080/apspd, without "
		"a password, not '%.80s'",
		url);
}

int apsp_follower_new(const struct apsp_follower_config *config,
	struct apsp_follower **out, struct apsp_err *err)
{
	struct apsp_follower *follower;
	int r = apsp_follower_check_url(config->writer, err);

	if (r < 0)
		return r;
	follower = calloc(1, sizeof(*follower));
	if (!follower)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	pthread_mutex_init(&follower->mutex, NULL);
	follower->config = *config;
	follower->config.program = strdup(config->program);
	follower->status.writer = config->writer;
	follower->status.ready = config->has_graphs;
	follower->listed_ns = apsp_clock_ns();
	follower->control_fd = -1;
	follower->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!follower->config.program || follower->wake_fd < 0) {
		r = apsp_fail_errno(err, errno, "prepare to follow");
		apsp_follower_free(follower);
		return r;
	}
	*out = follower;
	return 0;
}

/* Receive the socket that the child has sent, and pass it to the server. */
static void connection_take(struct apsp_follower *follower)
{
	char space[CMSG_SPACE(sizeof(int))] = {0}, byte;
	struct iovec part = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = space,
		/* if the child sends several descriptors, the kernel closes all
		   but one */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *head;
	int fd;

	if (recvmsg(follower->control_fd, &message,
		    MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
		return;
	head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_level != SOL_SOCKET ||
		head->cmsg_type != SCM_RIGHTS ||
		head->cmsg_len != CMSG_LEN(sizeof(int)))
		return;
	memcpy(&fd, CMSG_DATA(head), sizeof(int));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	follower->adopt(follower->ctx, fd);
}

static bool flag_get(const char *fields, const char *name)
{
	double value;

	return apsp_fields_get_real(fields, name, &value) && value != 0;
}

/* Parse the fields of a line "state" of the child, and update
   follower->status. */
static void state_take(struct apsp_follower *follower, const char *fields)
{
	struct apsp_follower_status old = follower->status, now = old;
	char why[APSP_MESSAGE_SIZE] = "";
	double behind;

	now.reachable = flag_get(fields, "reachable");
	now.why = (struct apsp_err){0};
	apsp_fields_get(fields, "why", why, sizeof(why));
	if (*why)
		apsp_fail(&now.why, APSP_EIO, "%s", why);
	if (flag_get(fields, "listed"))
		now.listed = true;
	if (apsp_fields_get_real(fields, "behind", &behind) && behind >= 0)
		now.graphs_behind = (uint64_t)behind;
	now.tables_refused += flag_get(fields, "refused");
	if (flag_get(fields, "complete"))
		now.complete = now.ready = true;
	if (now.why.code && strcmp(old.why.message, now.why.message) != 0)
		apsp_log(APSP_LOG_WARNING, "follow %s: %s", now.writer,
			now.why.message);
	else if (now.reachable && !old.reachable)
		apsp_log(APSP_LOG_NOTICE, "follow %s: the writer answers",
			now.writer);
	pthread_mutex_lock(&follower->mutex);
	follower->status = now;
	if (flag_get(fields, "listed"))
		follower->listed_ns = apsp_clock_ns();
	pthread_mutex_unlock(&follower->mutex);
	if (now.reachable)
		follower->restart_ms = RESTART_FIRST_MS;
}

static enum apsp_child_line child_line(void *ctx, const char *line)
{
	struct apsp_follower *follower = ctx;

	if (strcmp(line, "connect") == 0)
		connection_take(follower);
	else if (strncmp(line, "lost ", 5) == 0 &&
		 !apsp_stop_reason(&follower->stop))
		follower->lost(follower->ctx, line + 5);
	else if (strncmp(line, "state ", 6) == 0)
		state_take(follower, line + 6);
	apsp_child_process_limit(follower->child, SILENCE_MS);
	return APSP_CHILD_LINE_MORE;
}

/* Start one child, and handle its lines until it ends. */
static int child_run(struct apsp_follower *follower, struct apsp_err *err)
{
	const struct apsp_follower_config *config = &follower->config;
	const char *const argv[] = {config->program, "--writer", config->writer,
		config->token_file ? "--token" : NULL, config->token_file,
		NULL};
	const struct apsp_child_listener listener = {
		follower, &follower->stop, child_line, NULL};
	struct apsp_child_process_config start = {
		.argv = argv,
		.env = environ,
		.name = "follow",
		.wake_fd = follower->wake_fd,
		/* the child has little time to end, because a stop of the
		   daemon first waits for the child, and the server finishes its
		   requests only after that */
		.term_ms = 1000,
	};
	struct apsp_child_process_end end;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return apsp_fail_errno(err, errno, "a control socket");
	start.shared_fd = ends[1];
	r = apsp_child_process_start(&start, &follower->child, err);
	close(ends[1]);
	follower->control_fd = ends[0];
	if (r == 0) {
		apsp_child_process_limit(follower->child, SILENCE_MS);
		apsp_child_process_listen(follower->child, &listener, &end);
		follower->child = NULL;
		r = apsp_fail(err, APSP_EIO, "apspd-follow %s", end.how);
	}
	apsp_close(&follower->control_fd);
	return r;
}

static void *follower_main(void *arg)
{
	struct apsp_follower *follower = arg;
	struct pollfd wake = {.fd = follower->wake_fd, .events = POLLIN};
	struct apsp_err err;

	follower->restart_ms = RESTART_FIRST_MS;
	while (!apsp_stop_reason(&follower->stop)) {
		int pause_ms;

		child_run(follower, &err);
		if (apsp_stop_reason(&follower->stop))
			break;
		pause_ms = follower->restart_ms;
		apsp_log(APSP_LOG_WARNING, "%s; it is started again in %d ms",
			err.message, pause_ms);
		/* until another child runs, the writer counts as not
		   reachable */
		pthread_mutex_lock(&follower->mutex);
		follower->status.reachable = false;
		follower->status.why = err;
		pthread_mutex_unlock(&follower->mutex);
		follower->restart_ms =
			apsp_pause_double(pause_ms, RESTART_MOST_MS);
		/* apsp_follower_stop() ends this pause */
		poll(&wake, 1, pause_ms);
	}
	return NULL;
}

int apsp_follower_start(struct apsp_follower *follower,
	apsp_follower_adopt *adopt, apsp_follower_lost *lost, void *ctx,
	struct apsp_err *err)
{
	int r;

	follower->adopt = adopt;
	follower->lost = lost;
	follower->ctx = ctx;
	r = pthread_create(&follower->thread, NULL, follower_main, follower);
	if (r != 0)
		return apsp_fail_errno(err, r, "start to follow");
	pthread_setname_np(follower->thread, "follow");
	follower->runs = true;
	return 0;
}

void apsp_follower_stop(struct apsp_follower *follower)
{
	if (!follower || !follower->runs)
		return;
	apsp_stop_ask(&follower->stop, APSP_STOP_END);
	(void)eventfd_write(follower->wake_fd, 1);
	pthread_join(follower->thread, NULL);
	follower->runs = false;
}

void apsp_follower_free(struct apsp_follower *follower)
{
	if (!follower)
		return;
	apsp_close(&follower->wake_fd);
	free((char *)(uintptr_t)follower->config.program);
	pthread_mutex_destroy(&follower->mutex);
	free(follower);
}

void apsp_follower_get(
	struct apsp_follower *follower, struct apsp_follower_status *out)
{
	pthread_mutex_lock(&follower->mutex);
	*out = follower->status;
	out->seconds_behind =
		(double)(apsp_clock_ns() - follower->listed_ns) / 1e9;
	pthread_mutex_unlock(&follower->mutex);
}
