/*
 * A group of processes that MPI connects; see group.h.
 */
#include "compute/group/group.h"

#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/auto.h"

enum {
	/* A waiting process looks again and again whether its operation has
	   completed, and sleeps in between. The first sleep takes NAP_NS
	   nanoseconds. Each sleep is longer than the one before it, up to about
	   NAP_MOST_NS nanoseconds. */
	NAP_NS = 20000,
	NAP_MOST_NS = 2000000,
	/* used instead of NAP_MOST_NS while a process waits until another
	   process sends or receives a message */
	NAP_BRIEF_NS = 50000,
	/* To transfer at least this number of bytes, the processes first sleep
	   until all of them are ready. Then they stay awake during the
	   transfer. */
	LARGE = 1 << 16,
	/* the largest number of bytes that one call of MPI transfers, because
	   MPI counts in int */
	MESSAGE = 1 << 30,
	/* nanoseconds between two calls of waits() */
	WAITS_EVERY_NS = 100000000,
};

/* The word SHARE counts in units of 1 / WHOLE. */
#define WHOLE 1e9

/* The words in the memory of rank 0 that all processes change through MPI. */
enum {
	TICKET, /* the next ticket */
	STEPS,	/* number of calls of apsp_group_advance() */
	SHARE,	/* sum of the shares that the processes reported */
	N_WORDS,
};

static struct {
	bool runs; /* MPI_Init was called */
	int size;
	int rank;
	/* MPI reads and changes the N_WORDS words through this window. The
	   words are in the memory of rank 0. */
	MPI_Win window;
	int64_t *words;
	int64_t advanced; /* what this process has added to SHARE */
	/* rank 0 calls this function while it waits (apsp_group_on_wait()) */
	void (*waits)(void *ctx);
	void *waits_ctx;
	uint32_t alone; /* the next ticket of a group of one */
	/* true: the group's processes on this host have divided the processors
	   in `all` among them, and this process has those in `share` */
	bool divided;
	cpu_set_t all;
	cpu_set_t share;
	bool bound; /* the launcher has divided the processors of this host */
	int host_size; /* number of processes on this host */
	int host_rank;
} group = {.size = 1, .host_size = 1};

/* One process's part in apsp_group_agree(). */
struct vote {
	int result;
	char host[64];
	struct apsp_err err;
};

/* Whether a launcher has started this process. Open MPI's mpirun, MPICH's
   mpirun, and srun with PMI 2 or PMIx each set one of these environment
   variables. */
static bool launched(void)
{
	static const char *const names[] = {
		"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_FD"};
	bool found = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		found = found || getenv(names[i]);
	return found;
}

/* Wait until a request has completed, and sleep for at most about most_ns
   nanoseconds at a time. MPI_Wait() would use all of a processor meanwhile. */
static void wait_asleep(MPI_Request *request, long most_ns)
{
	struct timespec nap = {.tv_nsec = NAP_NS};
	long slept_ns = 0;
	int done = 0;

	for (;;) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		nanosleep(&nap, NULL);
		slept_ns += nap.tv_nsec;
		if (slept_ns >= WAITS_EVERY_NS) {
			slept_ns = 0;
			if (group.waits)
				group.waits(group.waits_ctx);
		}
		if (nap.tv_nsec < most_ns)
			nap.tv_nsec += nap.tv_nsec / 4;
	}
}

/*
 * Wait awake until a transfer has completed. All processes of the transfer must
 * already take part in it. Open MPI moves bytes between the processes of a host
 * in pieces of 32 KiB, a few in each call of MPI_Test(). With sleeps between
 * the calls, blocked-fw took 7 s instead of 1.5 s (n = 8192, two processes of 8
 * processors each).
 */
static void wait_awake(MPI_Request *request)
{
	int done = 0;

	while (!done) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (!done)
			sched_yield();
	}
}

/* Wait asleep until all processes have called this function. */
static void meet(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	wait_asleep(&request, NAP_MOST_NS);
}

/* Store the name of this host, and return it. */
static const char *host_name(char out[MPI_MAX_PROCESSOR_NAME])
{
	int size;

	if (MPI_Get_processor_name(out, &size) != MPI_SUCCESS)
		strcpy(out, "an unknown host");
	return out;
}

/*
 * If all processes of the group on this host may use the same processors, and
 * can have at least one processor each, let this process use only its share of
 * them. If the processes may use different processors, the launcher has already
 * divided the processors.
 */
static void processors_divide(void)
{
	APSP_AUTO(apsp_free) cpu_set_t *all = NULL;
	char name[MPI_MAX_PROCESSOR_NAME];
	cpu_set_t own;
	MPI_Comm host;
	int n, rank, count, turn = 0;
	bool same = true;

	MPI_Comm_split_type(
		MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
	MPI_Comm_size(host, &n);
	MPI_Comm_rank(host, &rank);
	group.host_size = n;
	group.host_rank = rank;
	CPU_ZERO(&own);
	sched_getaffinity(0, sizeof(own), &own);
	count = CPU_COUNT(&own);
	all = calloc((size_t)n, sizeof(*all));
	if (!all)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	MPI_Allgather(
		&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, host);
	MPI_Comm_free(&host);
	for (int i = 0; i < n; i++)
		same = same && CPU_EQUAL(&all[i], &own);
	group.bound = !same;
	if ((!same || n == 1) && count < sysconf(_SC_NPROCESSORS_ONLN) / n)
		fprintf(stderr,
			"<4>rank %d is bound to %d of the processors of %s, "
			"which is less than its share; mpirun binds to none "
			"with --bind-to none\n",
			group.rank, count, host_name(name));
	if (!same || n == 1 || count < n)
		return;
	group.all = own;
	group.divided = true;
	CPU_ZERO(&group.share);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &own)) {
			if ((long)turn * n / count == rank)
				CPU_SET(cpu, &group.share);
			turn++;
		}
	sched_setaffinity(0, sizeof(group.share), &group.share);
}

/* Set all words to 0. Call this in rank 0 before its first collective call of
   this header. No other process changes a word before that collective call. */
static void words_clear(void)
{
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, group.window);
	memset(group.words, 0, N_WORDS * sizeof(*group.words));
	MPI_Win_unlock(0, group.window);
}

int apsp_group_start(struct apsp_err *err)
{
	int provided;

	if (!launched())
		return 0;
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) !=
			MPI_SUCCESS ||
		provided < MPI_THREAD_FUNNELED)
		return apsp_fail(err, APSP_ESOLVER,
			"MPI cannot start in a process with threads");
	group.runs = true;
	MPI_Comm_size(MPI_COMM_WORLD, &group.size);
	MPI_Comm_rank(MPI_COMM_WORLD, &group.rank);
	MPI_Win_allocate(group.rank == 0 ? N_WORDS * sizeof(*group.words) : 0,
		sizeof(*group.words), MPI_INFO_NULL, MPI_COMM_WORLD,
		&group.words, &group.window);
	if (group.rank == 0)
		words_clear();
	processors_divide();
	return 0;
}

void apsp_group_end(void)
{
	if (!group.runs)
		return;
	group.runs = false;
	MPI_Win_free(&group.window);
	MPI_Finalize();
}

uint32_t apsp_group_size(void)
{
	return (uint32_t)group.size;
}

uint32_t apsp_group_rank(void)
{
	return (uint32_t)group.rank;
}

uint32_t apsp_group_host_size(void)
{
	return (uint32_t)group.host_size;
}

uint32_t apsp_group_host_rank(void)
{
	return (uint32_t)group.host_rank;
}

uint32_t apsp_group_processor_sets(void)
{
	return (uint32_t)(group.bound ? group.size
				      : group.size / group.host_size);
}

void apsp_group_share(uint32_t from, void *data, size_t size)
{
	bool large = size >= LARGE;
	char *bytes = data;

	if (group.size > 1 && large)
		meet();
	while (group.size > 1 && size > 0) {
		size_t step = size < MESSAGE ? size : MESSAGE;
		MPI_Request request;

		MPI_Ibcast(bytes, (int)step, MPI_BYTE, (int)from,
			MPI_COMM_WORLD, &request);
		if (large)
			wait_awake(&request);
		else
			wait_asleep(&request, NAP_MOST_NS);
		bytes += step;
		size -= step;
	}
}

void apsp_group_unite(uint8_t *marks, size_t size)
{
	if (group.size > 1)
		meet();
	while (group.size > 1 && size > 0) {
		size_t step = size < MESSAGE ? size : MESSAGE;
		MPI_Request request;

		MPI_Iallreduce(MPI_IN_PLACE, marks, (int)step, MPI_BYTE,
			MPI_BOR, MPI_COMM_WORLD, &request);
		wait_awake(&request);
		marks += step;
		size -= step;
	}
}

static uint64_t reduced(uint64_t value, MPI_Op op)
{
	uint64_t result = value;
	MPI_Request request;

	if (group.size > 1) {
		MPI_Iallreduce(&value, &result, 1, MPI_UINT64_T, op,
			MPI_COMM_WORLD, &request);
		wait_asleep(&request, NAP_MOST_NS);
	}
	return result;
}

uint64_t apsp_group_least(uint64_t value)
{
	return reduced(value, MPI_MIN);
}

uint64_t apsp_group_sum(uint64_t value)
{
	return reduced(value, MPI_SUM);
}

int apsp_group_agree(int result, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) struct vote *all = NULL;
	struct vote own = {.result = result};
	MPI_Request request;
	char name[MPI_MAX_PROCESSOR_NAME];

	if (group.size == 1)
		return result;
	all = calloc((size_t)group.size, sizeof(*all));
	if (!all)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	if (result < 0)
		own.err = *err;
	snprintf(own.host, sizeof(own.host), "%.60s", host_name(name));
	MPI_Iallgather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE,
		MPI_COMM_WORLD, &request);
	wait_asleep(&request, NAP_MOST_NS);
	for (int i = 0; i < group.size; i++) {
		if (all[i].result < 0) {
			*err = all[i].err;
			/* the message of rank 0 stays as it would be in a
			   group of one */
			if (i > 0)
				apsp_fail(err, all[i].err.code,
					"rank %d on %s: %.380s", i, all[i].host,
					all[i].err.message);
			return all[i].result;
		}
		if (all[i].result > result)
			result = all[i].result;
	}
	return result;
}

/* Change the next ticket by the operation `op` with `value`. Return the ticket
   as it was before. */
static int64_t ticket_change(int64_t value, MPI_Op op)
{
	/* MPI allows two processes to change the ticket at the same time only
	   if both use the same operation */
	int lock = op == MPI_SUM ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
	int64_t was = 0;

	MPI_Win_lock(lock, 0, 0, group.window);
	MPI_Fetch_and_op(
		&value, &was, MPI_INT64_T, 0, TICKET, op, group.window);
	MPI_Win_unlock(0, group.window);
	return was;
}

void apsp_group_tickets_begin(void)
{
	group.alone = 0;
	if (group.rank == 0 && group.runs)
		ticket_change(0, MPI_REPLACE);
	/* wait, so that no process takes a ticket before the next ticket is
	   0 */
	apsp_group_least(0);
}

uint32_t apsp_group_ticket(void)
{
	return group.runs ? (uint32_t)ticket_change(1, MPI_SUM) : group.alone++;
}

void apsp_group_tickets_end(void)
{
	group.alone = APSP_GROUP_LAST_TICKET;
	if (group.runs)
		ticket_change(APSP_GROUP_LAST_TICKET, MPI_REPLACE);
}

void apsp_group_advance(double share)
{
	int64_t part = (int64_t)(share * WHOLE);
	const int64_t more[2] = {1, part - group.advanced};

	if (!group.runs)
		return;
	group.advanced = part;
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, group.window);
	MPI_Accumulate(more, 2, MPI_INT64_T, 0, STEPS, 2, MPI_INT64_T, MPI_SUM,
		group.window);
	MPI_Win_unlock(0, group.window);
}

double apsp_group_advanced(uint64_t *out_steps)
{
	const int64_t nothing[2] = {0};
	int64_t found[2] = {0};
	double share;

	if (group.runs) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, group.window);
		MPI_Get_accumulate(nothing, 2, MPI_INT64_T, found, 2,
			MPI_INT64_T, 0, STEPS, 2, MPI_INT64_T, MPI_NO_OP,
			group.window);
		MPI_Win_unlock(0, group.window);
	}
	*out_steps = (uint64_t)found[0];
	share = (double)found[1] / WHOLE;
	return share < 1 ? share : 1;
}

void apsp_group_on_wait(void (*waits)(void *ctx), void *ctx)
{
	group.waits = group.rank == 0 ? waits : NULL;
	group.waits_ctx = ctx;
}

void apsp_group_send(const struct apsp_message *message)
{
	uint64_t size = message->failed ? 0 : message->size;
	MPI_Request request;

	MPI_Isend(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
	wait_asleep(&request, NAP_BRIEF_NS);
	/* wait for the answer, because rank 0 may still be receiving the
	   message of another process */
	MPI_Irecv(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
	wait_asleep(&request, NAP_BRIEF_NS);
	for (uint64_t at = 0; at < size; at += MESSAGE) {
		int step = size - at < MESSAGE ? (int)(size - at) : MESSAGE;

		MPI_Isend(message->bytes + at, step, MPI_BYTE, 0, 0,
			MPI_COMM_WORLD, &request);
		wait_awake(&request);
	}
}

void apsp_group_receive(uint32_t rank, struct apsp_message *out)
{
	MPI_Request request;
	uint64_t size;

	MPI_Irecv(
		&size, 1, MPI_UINT64_T, (int)rank, 0, MPI_COMM_WORLD, &request);
	wait_asleep(&request, NAP_BRIEF_NS);
	*out = (struct apsp_message){.bytes = malloc(size + 1), .size = size};
	/* if this process did not receive the bytes, the sender would wait for
	   ever */
	if (!out->bytes)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	out->failed = size == 0;
	/* the sender waits for this message before it sends its bytes */
	MPI_Isend(
		&size, 1, MPI_UINT64_T, (int)rank, 0, MPI_COMM_WORLD, &request);
	wait_asleep(&request, NAP_BRIEF_NS);
	for (uint64_t at = 0; at < size; at += MESSAGE) {
		int step = size - at < MESSAGE ? (int)(size - at) : MESSAGE;

		MPI_Irecv(out->bytes + at, step, MPI_BYTE, (int)rank, 0,
			MPI_COMM_WORLD, &request);
		wait_awake(&request);
	}
}

void apsp_group_processors(bool all)
{
	struct dirent *entry;
	DIR *tasks;

	if (!group.divided)
		return;
	tasks = opendir("/proc/self/task");
	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			sched_setaffinity((pid_t)atoi(entry->d_name),
				sizeof(cpu_set_t),
				all ? &group.all : &group.share);
	if (tasks)
		closedir(tasks);
}

void apsp_group_abort(void)
{
	if (group.size > 1)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}
