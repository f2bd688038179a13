/*
 * Lets a child process compute rows; see row_worker.h. The child stores rows in
 * memory that both processes have mapped. The thread copies each row out of
 * this memory, and checks the copy against the checksum that the child has
 * computed. So nothing that the child does later can change the row.
 */
#include "compute/worker/row_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compute/plan/plan_bytes.h"
#include "compute/solver_event.h"
#include "compute/worker/child_process.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/fields.h"
#include "daemon/base/log.h"
#include "daemon/base/settings.h"
#include "daemon/base/stop.h"

enum {
	/* a batch is tried at most twice; the second try can succeed if the
	   batch was not the reason why the child died */
	TRIES = 2,
	/* a child is ended if it prints nothing for this number of
	   milliseconds, plus a time that grows with the size of its file
	   (silence_ms()) */
	SILENCE_MS = 60000,
	/* Two assumptions about the time for which a child may print nothing
	   (silence_ms()): the child reads at least READ_BYTES_MS bytes of its
	   file in a millisecond; and computing the next row takes the child at
	   most ROW_READS times as long as reading the whole file. */
	READ_BYTES_MS = 20000,
	ROW_READS = 4,
};

struct apsp_row_worker {
	struct apsp_row_ops ops;
	const struct apsp_settings *settings;
	char *solver;
	int wake_fd;
	struct apsp_stop stop;
	pthread_t thread;

	/* the child, and the file that it has loaded */
	struct apsp_child_process *child; /* NULL: no child runs */
	char tables[APSP_ROW_BATCH_ID_SIZE];
	char path[PATH_MAX];
	unsigned char *shared; /* the mapped memory in which the child stores
				  rows */
	size_t shared_bytes;
	int shared_fd;

	struct apsp_row_batch batch;
	bool given[APSP_ROW_BATCH_MAX];
	uint32_t first;	     /* The child computes rows of the batch from this
				index on: slot i of the shared memory gets row
				first + i. */
	struct apsp_err why; /* the error that the child reported, or how the
				child ended */
};

/* Return for how many milliseconds the child may print nothing while it reads
   the file of the batch `reads` times. */
static int64_t silence_ms(const struct apsp_row_worker *worker, uint64_t reads)
{
	uint64_t ms = worker->batch.file_bytes / READ_BYTES_MS * reads;

	return SILENCE_MS + (int64_t)(ms < INT32_MAX ? ms : INT32_MAX);
}

/* Return the number of slots: how many rows fit into the memory that this
   process and the child share. */
static uint32_t n_slots(const struct apsp_row_worker *worker)
{
	return (uint32_t)(worker->shared_bytes / worker->batch.row_bytes);
}

/* Copy a row that the child has computed, and check the copy. */
static unsigned char *row_copy(struct apsp_row_worker *worker, uint32_t slot,
	uint64_t checksum, struct apsp_err *err)
{
	size_t size = worker->batch.row_bytes;
	unsigned char *bytes = malloc(size);

	if (!bytes) {
		apsp_fail(err, APSP_ENOMEM, "no memory for a row");
		return NULL;
	}
	memcpy(bytes, worker->shared + slot * size, size);
	if (apsp_checksum(bytes, size) == checksum)
		return bytes;
	free(bytes);
	apsp_fail(err, APSP_EPROOF,
		"a row changed on its way from the solver's memory");
	return NULL;
}

static void row_give(struct apsp_row_worker *worker, uint32_t i,
	unsigned char *bytes, const struct apsp_err *why)
{
	worker->given[i] = true;
	worker->ops.give(worker->ops.cache, &worker->batch, i, bytes, why);
}

static void row_read(struct apsp_row_worker *worker, const char *fields)
{
	struct apsp_err own = {0};
	char text[24];
	unsigned char *bytes;
	uint32_t slot, row;

	if (!apsp_fields_get(fields, "slot", text, sizeof(text)))
		return;
	slot = (uint32_t)strtoul(text, NULL, 10);
	row = worker->first + slot;
	if (slot >= n_slots(worker) || row >= worker->batch.n ||
		worker->given[row])
		return;
	if (!apsp_fields_get(fields, "checksum", text, sizeof(text))) {
		apsp_solver_event_read_error(fields, &own);
		row_give(worker, row, NULL, &own);
		return;
	}
	bytes = row_copy(worker, slot, strtoull(text, NULL, 10), &own);
	row_give(worker, row, bytes, &own);
}

static enum apsp_child_line child_line(void *ctx, const char *line)
{
	struct apsp_row_worker *worker = ctx;
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (!apsp_solver_event_parse(line, &kind, &fields))
		return APSP_CHILD_LINE_MORE;
	switch (kind) {
	case APSP_SOLVER_EVENT_ROW:
		row_read(worker, fields);
		apsp_child_process_limit(
			worker->child, silence_ms(worker, ROW_READS));
		return APSP_CHILD_LINE_MORE;
	case APSP_SOLVER_EVENT_ERROR:
		apsp_solver_event_read_error(fields, &worker->why);
		return APSP_CHILD_LINE_LAST;
	case APSP_SOLVER_EVENT_DONE:
		return APSP_CHILD_LINE_DONE;
	default:
		return APSP_CHILD_LINE_MORE;
	}
}

static struct apsp_child_listener listener_of(struct apsp_row_worker *worker)
{
	return (struct apsp_child_listener){
		worker, &worker->stop, child_line, NULL};
}

static void child_end(struct apsp_row_worker *worker)
{
	const struct apsp_child_listener listener = listener_of(worker);

	apsp_child_process_end(APSP_TAKE(worker->child), &listener);
	if (worker->shared)
		munmap(worker->shared, worker->shared_bytes);
	worker->shared = NULL;
	apsp_close(&worker->shared_fd);
	worker->shared_fd = -1;
	worker->tables[0] = '\0';
}

/* Listen to the child until it has done its task. If the child has ended, this
   function fails with the error that the child reported, or with APSP_ESOLVER.
   APSP_ECANCELLED: a stop was requested. */
static int child_listen(struct apsp_row_worker *worker, int64_t silence_ms,
	struct apsp_err *err)
{
	const struct apsp_child_listener listener = listener_of(worker);
	struct apsp_child_process_end end;

	worker->why = (struct apsp_err){0};
	apsp_child_process_limit(worker->child, silence_ms);
	if (!apsp_child_process_listen(worker->child, &listener, &end))
		return 0;
	worker->child = NULL;
	child_end(worker);
	if (apsp_stop_reason(&worker->stop))
		return apsp_stop_check(&worker->stop, err);
	if (worker->why.code == 0)
		apsp_fail(&worker->why, APSP_ESOLVER,
			"the process that computes rows %s", end.how);
	*err = worker->why;
	return worker->why.code;
}

/* Make the memory in which the child will store rows. */
static int shared_make(struct apsp_row_worker *worker, struct apsp_err *err)
{
	size_t size = apsp_plan_bytes_rows_shared(worker->batch.most_bytes);
	void *bytes;
	int fd = memfd_create("rows", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	worker->shared_fd = fd;
	/* the seal keeps the child from making the file shorter; otherwise
	   reading the file here could raise SIGBUS */
	if (fd < 0 || ftruncate(fd, (off_t)size) < 0 ||
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		return apsp_fail_errno(err, errno, "memory for rows");
	bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return apsp_fail_errno(err, errno, "memory for rows");
	worker->shared = bytes;
	worker->shared_bytes = size;
	return 0;
}

/* Start a child, and wait until it has loaded the table file of the batch. */
static int child_start(struct apsp_row_worker *worker, struct apsp_err *err)
{
	const char *const argv[] = {worker->solver, "--cache-dir",
		worker->settings->cache_dir, "--rows", worker->batch.path,
		NULL};
	struct apsp_child_process_config config = {
		.argv = argv,
		.env = environ,
		.name = "rows",
		.wake_fd = worker->wake_fd,
	};
	int r;

	child_end(worker);
	r = shared_make(worker, err);
	config.shared_fd = worker->shared_fd;
	if (r == 0)
		r = apsp_child_process_start(&config, &worker->child, err);
	if (r < 0)
		return r;
	r = child_listen(worker, silence_ms(worker, 1), err);
	if (r < 0)
		return r;
	memcpy(worker->tables, worker->batch.tables, sizeof(worker->tables));
	memcpy(worker->path, worker->batch.path, sizeof(worker->path));
	return 0;
}

/* Let the child compute rows of the batch, from row `first` on: as many rows as
   fit into the shared memory. */
static int rows_compute(
	struct apsp_row_worker *worker, uint32_t first, struct apsp_err *err)
{
	const struct apsp_row_batch *batch = &worker->batch;
	char list[APSP_ROW_BATCH_MAX * 12] = "", line[PIPE_BUF] = "";
	size_t used = 0;
	uint32_t n = 0;

	worker->first = first;
	for (; n < n_slots(worker) && first + n < batch->n; n++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
			"%s%" PRIu32, n > 0 ? "," : "",
			batch->vertices[first + n]);
	apsp_fields_add(
		line, sizeof(line) - 1, "demand", "%d", (int)batch->demand);
	apsp_fields_add(line, sizeof(line) - 1, "vertices", "%s", list);
	if (!apsp_child_process_send(worker->child, strcat(line, "\n")))
		return apsp_fail(err, APSP_ESOLVER,
			"the process that computes rows does not read "
			"requests");
	return child_listen(worker, silence_ms(worker, ROW_READS), err);
}

/* Let the child compute all rows of the batch. On the second try, the child
   computes all of them again, and row_read() ignores the rows that the first
   try gave back to the cache. */
static int batch_compute(struct apsp_row_worker *worker, struct apsp_err *err)
{
	int r = 0;

	if (!worker->child || strcmp(worker->tables, worker->batch.tables) != 0)
		r = child_start(worker, err);
	for (uint32_t i = 0; r == 0 && i < worker->batch.n;
		i += n_slots(worker))
		r = rows_compute(worker, i, err);
	/* give the memory of all slots back to Linux; if this fails, the memory
	   stays, and the next batch uses it again */
	if (r == 0)
		(void)fallocate(worker->shared_fd,
			FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			(off_t)worker->shared_bytes);
	return r;
}

/* Whether a file was removed. */
static bool is_removed(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

/* Compute the batch. If the child dies, try once more. Each row that was not
   computed gets the last error, or APSP_ENOROUTE if the tables were removed. */
static void batch_run(struct apsp_row_worker *worker)
{
	struct apsp_err why = {0};
	int r = APSP_ESOLVER;

	memset(worker->given, 0, sizeof(worker->given));
	for (int i = 0; r == APSP_ESOLVER && i < TRIES; i++) {
		r = batch_compute(worker, &why);
		if (r < 0) {
			child_end(worker);
			apsp_log(APSP_LOG_WARNING, "rows: %s", why.message);
		}
	}
	if (r < 0 && is_removed(worker->batch.path))
		apsp_fail(&why, APSP_ENOROUTE,
			"the tables were removed before their rows were "
			"computed");
	for (uint32_t i = 0; i < worker->batch.n; i++) {
		if (worker->given[i])
			continue;
		if (why.code == 0)
			apsp_fail(&why, APSP_ESOLVER,
				"the process that computes rows has left out a "
				"row");
		row_give(worker, i, NULL, &why);
	}
}

/* Sleep until apsp_row_worker_wake() is called, but at most ms milliseconds
   (-1: without limit). False: the time has passed without a call. */
static bool sleep_ms(struct apsp_row_worker *worker, int ms)
{
	struct pollfd wake = {.fd = worker->wake_fd, .events = POLLIN};
	eventfd_t count;

	return poll(&wake, 1, ms) > 0 &&
	       eventfd_read(worker->wake_fd, &count) == 0;
}

static void *worker_main(void *arg)
{
	struct apsp_row_worker *worker = arg;

	while (!apsp_stop_reason(&worker->stop)) {
		int idle_ms = (int)worker->settings->solver_idle * 1000;

		if (worker->ops.take(worker->ops.cache, &worker->batch))
			batch_run(worker);
		else if (worker->child && is_removed(worker->path))
			child_end(worker); /* end the child, because Linux frees
					      the disk space of a removed file
					      only when no process maps the file
					    */
		else if (!sleep_ms(worker, worker->child ? idle_ms : -1))
			child_end(worker);
	}
	child_end(worker);
	return NULL;
}

static void worker_free(struct apsp_row_worker *worker)
{
	if (!worker)
		return;
	apsp_close(&worker->wake_fd);
	free(worker->solver);
	free(worker);
}

APSP_AUTO_DEFINE(worker_end, struct apsp_row_worker, worker_free);

int apsp_row_worker_start(const struct apsp_row_worker_config *config,
	struct apsp_row_worker **out, struct apsp_err *err)
{
	APSP_AUTO(worker_end)
	struct apsp_row_worker *worker = calloc(1, sizeof(*worker));
	int r;

	if (!worker)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	worker->ops = config->ops;
	worker->settings = config->settings;
	worker->solver = strdup(config->solver);
	worker->shared_fd = -1;
	worker->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!worker->solver || worker->wake_fd < 0)
		return apsp_fail_errno(err, errno, "start the worker of rows");
	r = pthread_create(&worker->thread, NULL, worker_main, worker);
	if (r != 0)
		return apsp_fail_errno(err, r, "start the worker of rows");
	pthread_setname_np(worker->thread, "rows");
	*out = APSP_TAKE(worker);
	return 0;
}

void apsp_row_worker_wake(struct apsp_row_worker *worker)
{
	/* this fails if the eventfd is full; then earlier writes wake the
	   thread */
	(void)eventfd_write(worker->wake_fd, 1);
}

void apsp_row_worker_ask_stop(struct apsp_row_worker *worker)
{
	apsp_stop_ask(&worker->stop, APSP_STOP_END);
	apsp_row_worker_wake(worker);
}

void apsp_row_worker_stop(struct apsp_row_worker *worker)
{
	if (!worker)
		return;
	apsp_row_worker_ask_stop(worker);
	pthread_join(worker->thread, NULL);
	worker_free(worker);
}
