/*
 * apspd: starts the parts of the daemon, waits for a signal that asks it to
 * stop, and stops the parts.
 *
 *	server → worker → store
 *
 * A part calls the parts to its right: the server calls the worker and the
 * store directly, and the worker calls the store through functions named ops. A
 * part calls the parts to its left through functions named hooks. Ops and hooks
 * are in links.h. So the worker need not include the store's headers, and the
 * store need not include the headers of the other parts.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

#include "api/access/tokens.h"
#include "api/connection/listen.h"
#include "api/endpoints/endpoints.h"
#include "api/http/server.h"
#include "compute/plan/algorithm.h"
#include "compute/worker/worker.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/check.h"
#include "daemon/check_report.h"
#include "daemon/links.h"
#include "daemon/command_line.h"
#include "daemon/process_setup.h"
#include "daemon/service_manager.h"
#include "daemon/token_file.h"
#include "daemon/follow/follower.h"
#include "storage/database/writer.h"
#include "storage/graphs.h"
#include "storage/rows/row_cache.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/store.h"

enum {
	STATUS_FAILED = 1,
	/* systemd does not restart apspd after this exit status */
	STATUS_WRONG = EX_CONFIG,
	/* after a stop signal, the server gets this number of milliseconds to
	   complete its requests */
	DRAIN_MS = 2000,
	/* if stopping takes more than this number of milliseconds, the process
	   ends at once */
	STOP_MS = 4700,
};

struct parts {
	struct apsp_listener listeners[APSP_LISTENERS_MAX];
	int listener_fds[APSP_LISTENERS_MAX];
	size_t n_listeners;
	struct apsp_token_file token_file;
	/* If the code is APSP_ENEWER, the store could not be opened, because a
	   newer apspd has written the database. Then the server runs without
	   store and worker, and answers requests with this error. */
	struct apsp_err refusal;
	struct apsp_store *store;
	struct apsp_worker *worker;
	struct apsp_row_worker *rows;
	struct apsp_server *server;
	struct apsp_follower *follower; /* NULL: no other daemon is followed */
	struct apsp_links links;
	struct apsp_watchdog watchdog;
};

static int store_start(struct parts *parts,
	const struct apsp_settings *settings, struct apsp_err *err)
{
	const struct apsp_store_config config = {
		.settings = settings,
		.max_queued_jobs = apsp_default_limits.max_queued_jobs,
		.hooks = apsp_links_hooks(&parts->links),
		.beat_ms = parts->watchdog.beat_ms,
	};
	int r = apsp_store_open(&config, &parts->store, err);

	parts->links.store = parts->store;
	if (r != APSP_ENEWER)
		return r;
	parts->refusal = *err;
	apsp_log(APSP_LOG_ERROR, "%s", err->message);
	return 0;
}

static int worker_start(struct parts *parts,
	const struct apsp_settings *settings, struct apsp_err *err)
{
	char solver[PATH_MAX];
	const struct apsp_worker_config config = {
		.solver = solver,
		.settings = settings,
		.ops = apsp_links_ops(&parts->links),
		.beat_ms = parts->watchdog.beat_ms,
	};
	const struct apsp_row_worker_config rows = {.solver = solver,
		.settings = settings,
		.ops = {.cache = apsp_store_parts(parts->store)->rows,
			.take = apsp_row_cache_take,
			.give = apsp_row_cache_give}};
	int r;

	r = apsp_process_find_solver(solver, err);
	if (r == 0)
		r = apsp_worker_start(&config, &parts->worker, err);
	if (r == 0)
		r = apsp_row_worker_start(&rows, &parts->rows, err);
	if (r < 0)
		return r;
	apsp_links_set(&parts->links, parts->worker, parts->rows, NULL);
	/* wake the worker once, because a job may have been queued before
	   apsp_links_set() let hooks call the worker */
	apsp_worker_wake(parts->worker);
	return 0;
}

static int server_start(struct parts *parts,
	const struct apsp_settings *settings, struct apsp_err *err)
{
	const struct apsp_store_parts *shared =
		parts->store ? apsp_store_parts(parts->store) : NULL;
	const struct apsp_server_config config = {
		.routes = apsp_endpoints,
		.store = parts->store,
		.worker = parts->worker,
		.follower = parts->follower,
		.graphs = shared ? shared->graphs : NULL,
		.answers = shared ? shared->answers : NULL,
		.refusal = shared ? NULL : &parts->refusal,
		.listeners = parts->listener_fds,
		.n_listeners = parts->n_listeners,
		.settings = settings,
		.tokens = parts->token_file.tokens,
		.version = APSP_VERSION,
		.algorithms = apsp_algorithm_names,
		.hops_only = apsp_algorithm_hops_only,
		.shortest_only = apsp_algorithm_shortest_only,
		.limits = apsp_default_limits,
		.beat_ms = parts->watchdog.beat_ms,
	};
	int r;

	for (size_t i = 0; i < parts->n_listeners; i++)
		parts->listener_fds[i] = parts->listeners[i].fd;
	r = apsp_server_start(&config, &parts->server, err);
	if (r < 0)
		return r;
	apsp_links_set(
		&parts->links, parts->worker, parts->rows, parts->server);
	return 0;
}

/* Whether there is a graph whose rows in the database can be read. */
static bool has_graphs(struct apsp_snapshot_map *graphs)
{
	const struct apsp_graph_snapshot *graph;
	char name[APSP_NAME_SIZE] = "";
	bool found = false;

	while (!found && apsp_snapshot_map_list(graphs, name, &graph, 1) == 1) {
		found = graph->unreadable.code == 0;
		memcpy(name, graph->name, sizeof(name));
		apsp_graph_snapshot_unref(graph);
	}
	return found;
}

/* If the settings name another daemon to follow, prepare the follower. */
static int follower_prepare(struct parts *parts,
	const struct apsp_settings *settings, struct apsp_err *err)
{
	char program[PATH_MAX];
	struct apsp_follower_config config = {
		.program = program,
		.writer = settings->follow,
		.token_file = settings->follow_token,
	};
	int r;

	if (!settings->follow || !parts->store)
		return 0;
	r = apsp_process_find_follow(program, err);
	if (r < 0)
		return r;
	config.has_graphs = has_graphs(apsp_store_parts(parts->store)->graphs);
	return apsp_follower_new(&config, &parts->follower, err);
}

static void follower_adopt(void *ctx, int fd)
{
	const struct parts *parts = ctx;

	apsp_server_adopt(parts->server, fd);
}

static void follower_lost(void *ctx, const char *name)
{
	const struct parts *parts = ctx;
	struct apsp_err err;

	if (apsp_graphs_name_lost(parts->store, name, &err) < 0)
		apsp_log(APSP_LOG_WARNING,
			"a lost graph cannot be named in the list of graphs: "
			"%s",
			err.message);
}

/* Start all parts. Each part starts after the parts that it calls. */
static int parts_start(struct parts *parts,
	const struct apsp_settings *settings, struct apsp_err *err)
{
	struct apsp_listen_rules rules;
	bool inherits;
	int r;

	r = apsp_token_file_load(settings, &parts->token_file, err);
	if (r < 0)
		return r;
	if (parts->token_file.tokens)
		apsp_process_hide();
	rules = (struct apsp_listen_rules){
		.any_address = parts->token_file.tokens != NULL,
		.socket_group = settings->socket_group,
	};
	/* call this function while the process has only one thread, because it
	   changes the environment */
	r = apsp_listeners_inherit(
		parts->listeners, APSP_LISTENERS_MAX, &rules, err);
	if (r < 0)
		return r;
	parts->n_listeners = (size_t)r;
	inherits = r > 0;
	r = inherits ? 0 : apsp_listen_repeats_check(&settings->listen, err);
	if (r == 0)
		r = store_start(parts, settings, err);
	for (size_t i = 0; r == 0 && !inherits && i < settings->listen.n; i++) {
		r = apsp_listener_open(settings->listen.items[i], &rules,
			&parts->listeners[i], err);
		parts->n_listeners += r == 0;
	}
	if (r == 0 && parts->store)
		r = worker_start(parts, settings, err);
	if (r == 0)
		r = follower_prepare(parts, settings, err);
	if (r == 0)
		r = server_start(parts, settings, err);
	if (r == 0 && parts->follower)
		r = apsp_follower_start(parts->follower, follower_adopt,
			follower_lost, parts, err);
	return r;
}

/*
 * Disable the hooks first, so that no part calls a part that has already
 * stopped. Then stop the follower, the server, the workers and the store, in
 * this order, so that each part stops before the parts that it calls. The
 * worker is asked to end its solver before the server stops: the solver takes
 * up to 2 s to end, a launcher up to 4 s, and during this time the server
 * completes its requests. Requests that wait for rows fail at once: otherwise
 * their connections would end without an answer. Parts that did not start are
 * skipped.
 */
static void parts_stop(struct parts *parts)
{
	apsp_links_set(&parts->links, NULL, NULL, NULL);
	if (parts->worker)
		apsp_worker_ask_stop(parts->worker);
	if (parts->rows) {
		apsp_row_cache_stop(apsp_store_parts(parts->store)->rows);
		apsp_row_worker_ask_stop(parts->rows);
	}
	apsp_follower_stop(parts->follower);
	if (parts->server)
		apsp_server_stop(parts->server, DRAIN_MS);
	apsp_follower_free(parts->follower);
	apsp_row_worker_stop(parts->rows);
	if (parts->worker)
		/* this call puts the worker's running job back into the queue
		 */
		apsp_worker_stop(parts->worker);
	if (parts->store)
		apsp_store_close(parts->store); /* writes all queued changes */
	for (size_t i = 0; i < parts->n_listeners; i++)
		apsp_listener_close(&parts->listeners[i]);
	apsp_token_file_done(&parts->token_file);
}

/*
 * Log warnings about settings that have no effect, and about sockets to which
 * every user is allowed to connect.
 */
static void warn(
	const struct parts *parts, const struct apsp_command_line *options)
{
	char name[128];
	size_t at = 0;

	while (apsp_command_line_unknown_variable(
		environ, &at, name, sizeof(name)))
		apsp_log(APSP_LOG_WARNING,
			"%s is set and means nothing to apspd; is it mistyped?",
			name);
	if (parts->listeners[0].inherited && options->listens)
		apsp_log(APSP_LOG_WARNING,
			"--listen or APSPD_LISTEN is ignored: the sockets come "
			"from the service manager");
	for (size_t i = 0; i < parts->n_listeners; i++)
		if (parts->listeners[i].open_to_all)
			apsp_log(APSP_LOG_WARNING,
				"everybody may connect to %s; SocketMode=0660 "
				"in its unit restricts it to owner and group",
				parts->listeners[i].address);
}

static void notify(const char *state)
{
	struct apsp_err err;

	if (apsp_service_manager_send(state, &err) < 0)
		apsp_log(APSP_LOG_WARNING, "%s", err.message);
}

/* Report the addresses at which we listen. They are printed on stdout (for
   scripts), logged, and sent to the service manager. */
static void announce(
	const struct parts *parts, const struct apsp_settings *settings)
{
	char line[APSP_LISTENERS_MAX * (sizeof(parts->listeners->address) + 1)];
	char state[sizeof(line) + 64];
	struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
	size_t used = 0;
	struct apsp_err err;

	line[0] = '\0';
	for (size_t i = 0; i < parts->n_listeners; i++)
		used += (size_t)snprintf(line + used, sizeof(line) - used,
			" %s", parts->listeners[i].address);
	/* if nobody reads stdout, skip the line: a write would block */
	if (poll(&out, 1, 0) == 1) {
		printf("apspd listening%s\n", line);
		fflush(stdout);
	}
	apsp_log(APSP_LOG_NOTICE,
		"apspd started version=%s state_dir=\"%s\" cache_dir=\"%s\" "
		"device=\"%s\" threads=%u listen=\"%s\"",
		APSP_VERSION, settings->state_dir, settings->cache_dir,
		settings->device, settings->n_threads, line + (used > 0));
	snprintf(state, sizeof(state), "READY=1\nSTATUS=Serving%s", line);
	notify(parts->store ? state : "READY=1\nSTATUS=Refusing all requests");
	/* only warn, because existing tables can be used even if the cache
	   cannot be written */
	if (parts->store && apsp_store_check_cache(parts->store, &err) < 0)
		apsp_log(APSP_LOG_WARNING,
			"the cache directory cannot be used: %s", err.message);
}

static int parts_alive(void *ctx, int64_t limit_ms, struct apsp_err *err)
{
	const struct parts *parts = ctx;
	int r = 0;

	if (parts->store)
		r = apsp_writer_alive(
			apsp_store_parts(parts->store)->writer, limit_ms, err);
	if (r == 0 && parts->worker)
		r = apsp_worker_alive(parts->worker, limit_ms, err);
	if (r == 0)
		r = apsp_server_alive(parts->server, limit_ms, err);
	return r;
}

/* Read the tokens again. Called after SIGHUP, if the process has no controlling
   terminal. */
static void reload(struct parts *parts)
{
	char state[64];

	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		apsp_clock_ns() / 1000);
	notify(state);
	apsp_token_file_tend(&parts->token_file, true);
	notify("READY=1");
}

/*
 * Wait for a signal that asks us to stop, and return the number of this signal.
 * Meanwhile send signs of life to the service manager, and read the tokens
 * again when their file has changed or when SIGHUP asks us to read them.
 * signals_fd comes from signalfd(2).
 */
static int stop_wait(struct parts *parts, int signals_fd, const sigset_t *stops)
{
	const int tick_ms = parts->watchdog.tick_ms;
	struct pollfd fd = {.fd = signals_fd, .events = POLLIN};
	struct signalfd_siginfo found;
	double tick_s = apsp_clock_s() + tick_ms / 1e3;

	for (;;) {
		double left_s = tick_s - apsp_clock_s();
		int wait_ms = tick_ms > 0 ? (int)(left_s * 1e3) + 1 : -1;

		if (tick_ms > 0 && left_s <= 0) {
			apsp_watchdog_tick(
				&parts->watchdog, parts_alive, parts);
			tick_s = apsp_clock_s() + tick_ms / 1e3;
			continue;
		}
		if (parts->token_file.tokens &&
			(wait_ms < 0 || wait_ms > APSP_TOKEN_FILE_MS))
			wait_ms = APSP_TOKEN_FILE_MS;
		poll(&fd, 1, wait_ms);
		if (read(signals_fd, &found, sizeof(found)) == sizeof(found)) {
			if (sigismember(stops, (int)found.ssi_signo))
				return (int)found.ssi_signo;
			reload(parts);
		}
		apsp_token_file_tend(&parts->token_file, false);
	}
}

static int complain(const struct apsp_err *err)
{
	fprintf(stderr, "apspd: %s\n", err->message);
	return apsp_check_is_refusal(err) ? STATUS_WRONG : STATUS_FAILED;
}

static int serve(const struct apsp_command_line *options)
{
	const struct apsp_settings *settings = &options->settings;
	APSP_AUTO(apsp_close) int signals_fd = -1;
	APSP_AUTO(parts_stop)
	struct parts parts = {.links.mutex = PTHREAD_MUTEX_INITIALIZER};
	struct apsp_err err;
	sigset_t stops, signals;

	apsp_log_start((enum apsp_log_level)settings->log_level);
	apsp_watchdog_init(&parts.watchdog);
	apsp_process_block_signals(&signals, &stops);
	signals_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals_fd < 0) {
		apsp_fail_errno(&err, errno, "signalfd");
		return complain(&err);
	}
	if (parts_start(&parts, settings, &err) < 0)
		return complain(&err);
	warn(&parts, options);
	announce(&parts, settings);
	apsp_log(APSP_LOG_NOTICE, "apspd stops signal=%s",
		sigabbrev_np(stop_wait(&parts, signals_fd, &stops)));
	notify("STOPPING=1");
	apsp_process_limit_stop(&stops, STOP_MS);
	return EXIT_SUCCESS; /* on return, parts_stop() runs as the destructor
				of `parts` */
}

/* Handle --new-token. Only the token goes to stdout, so that a script can use
   it. */
static int token_make(const struct apsp_command_line *options)
{
	const char *path = options->settings.tokens;
	char token[APSP_TOKEN_SIZE];
	struct apsp_err err;
	int r;

	if (!path)
		r = apsp_fail(&err, APSP_EMALFORMED,
			"--new-token needs --tokens FILE, to which the new "
			"token is added");
	else
		r = apsp_token_make(path, options->new_token, token, &err);
	if (r < 0)
		return complain(&err);
	puts(token);
	fprintf(stderr,
		"Send this token as \"Authorization: Bearer TOKEN\". It is "
		"shown only now, because %s has only its digest. A running "
		"apspd that reads this file accepts the token within a "
		"second.\n",
		path);
	return fflush(stdout) == 0 ? EXIT_SUCCESS : STATUS_FAILED;
}

/* Whether --check is among the arguments. This also works if another argument
   is wrong and cannot be parsed. */
static bool is_check(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--check") == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	APSP_AUTO(apsp_command_line_done)
	struct apsp_command_line options = {0};
	struct apsp_err err;

	apsp_process_prepare();
	if (apsp_command_line_parse(
		    argc, argv, geteuid() == 0, &options, &err) < 0)
		return is_check(argc, argv)
			       ? apsp_check_run(&options, &err, stdout)
			       : complain(&err);
	if (options.help) {
		apsp_command_line_help(stdout);
		return EXIT_SUCCESS;
	}
	if (options.version) {
		puts("apspd " APSP_VERSION);
		return EXIT_SUCCESS;
	}
	if (options.check)
		return apsp_check_run(&options, NULL, stdout);
	if (options.new_token)
		return token_make(&options);
	return serve(&options);
}
