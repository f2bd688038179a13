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
#include <unistd.h>

#include "compute/group/group_transfer.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

/* The word SHARE (below) is an integer, so it counts the sum of the reported
   shares in units of 1 / WHOLE. */
#define WHOLE 1e9

/* The words in the memory of rank 0 that all processes change through MPI. */
enum {
	TICKET, /* the next ticket */
	STEPS,	/* number of reports of progress */
	/* each process reports its share of all rows that are done; the sum of
	   these shares */
	SHARE,
	N_WORDS,
};

/* A set of processors. */
struct cpus {
	cpu_set_t sets[APSP_PARALLEL_CPUS / CPU_SETSIZE];
};

static struct {
	bool runs; /* MPI_Init was called */
	int size;
	int rank;
	/* MPI reads and changes the N_WORDS words through this window. The
	   words are in the memory of rank 0. */
	MPI_Win window;
	int64_t *words;
	int64_t advanced; /* number that this process has added to the word
			     SHARE */
	/* the progress that counts the rows of all processes; borrowed; NULL:
	   there is none */
	struct apsp_progress *progress;
	int64_t steps;	/* the word STEPS, as rank 0 last read it */
	uint32_t alone; /* if the group has only one process: the next number
			   that apsp_group_ticket() returns */
	/* this process has called apsp_group_tickets_begin(), but not
	   apsp_group_tickets_end() */
	bool takes;
	/* true: the processors in `all` are divided among the group's processes
	   on this host, and this process uses the processors in `share` */
	bool divided;
	struct cpus all;
	struct cpus share;
	struct apsp_group_host host;
} group = {.size = 1, .host = {.size = 1, .sets = 1}};

/* The result that one process contributes to apsp_group_agree(). */
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

/* Store the name of this host, and return it. */
static const char *host_name(char out[MPI_MAX_PROCESSOR_NAME])
{
	int size;

	if (MPI_Get_processor_name(out, &size) != MPI_SUCCESS)
		strcpy(out, "an unknown host");
	return out;
}

/*
 * Let this process use only its share of the processors. This division has two
 * conditions: all processes of the group on this host are allowed to use the
 * same processors, and there is at least one processor for each process. If
 * different processes are allowed to use different processors, the launcher has
 * already divided the processors.
 */
static void processors_divide(void)
{
	APSP_AUTO(apsp_free) struct cpus *all = NULL;
	char name[MPI_MAX_PROCESSOR_NAME];
	struct cpus own = {0}, any = {0};
	MPI_Comm host;
	int n, rank, count, turn = 0;
	bool same = true;

	MPI_Comm_split_type(
		MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
	MPI_Comm_size(host, &n);
	MPI_Comm_rank(host, &rank);
	sched_getaffinity(0, sizeof(own), own.sets);
	count = CPU_COUNT_S(sizeof(own), own.sets);
	all = calloc((size_t)n, sizeof(*all));
	if (!all)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	MPI_Allgather(
		&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, host);
	MPI_Comm_free(&host);
	for (int i = 0; i < n; i++) {
		same = same && CPU_EQUAL_S(sizeof(own), all[i].sets, own.sets);
		CPU_OR_S(sizeof(any), any.sets, any.sets, all[i].sets);
	}
	group.host = (struct apsp_group_host){(uint32_t)n, (uint32_t)rank,
		(uint32_t)CPU_COUNT_S(sizeof(any), any.sets),
		/* Number of sets of processors. If the processes may use
		   different processors, the launcher has divided the
		   processors, and each process counts as a set. Otherwise each
		   host counts as a set. */
		(uint32_t)(same ? group.size / n : group.size)};
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
	for (size_t cpu = 0; cpu < APSP_PARALLEL_CPUS; cpu++)
		if (CPU_ISSET_S(cpu, sizeof(own), own.sets)) {
			if ((long)turn * n / count == rank)
				CPU_SET_S(cpu, sizeof(own), group.share.sets);
			turn++;
		}
	sched_setaffinity(0, sizeof(group.share), group.share.sets);
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
	/* Set all words in the memory of rank 0 to 0. The
	   other processes change no word before rank 0 calls its first
	   collective function of group.h, so they need no message about it. */
	if (group.rank == 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, group.window);
		memset(group.words, 0, N_WORDS * sizeof(*group.words));
		MPI_Win_unlock(0, group.window);
	}
	processors_divide();
	apsp_transfers_start();
	return 0;
}

void apsp_group_end(void)
{
	if (!group.runs)
		return;
	group.runs = false;
	apsp_transfers_end();
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

struct apsp_group_host apsp_group_host(void)
{
	struct apsp_group_host host = group.host;

	if (!group.runs)
		host.processors = apsp_parallel_processors();
	return host;
}

uint64_t apsp_group_least(uint64_t value)
{
	uint64_t least = value;
	MPI_Request request;

	if (group.size > 1) {
		MPI_Iallreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN,
			MPI_COMM_WORLD, &request);
		apsp_wait_asleep(&request);
	}
	return least;
}

uint32_t apsp_group_alike(uint64_t value, uint32_t *out_different)
{
	size_t n = (size_t)group.size;
	APSP_AUTO(apsp_free) uint64_t *all = calloc(n, sizeof(*all));
	uint32_t alike = 0;
	MPI_Request request;

	*out_different = 0;
	if (!all)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	all[0] = value;
	if (n > 1) {
		MPI_Iallgather(&value, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T,
			MPI_COMM_WORLD, &request);
		apsp_wait_asleep(&request);
	}
	for (size_t i = 0, j; i < n; i++) {
		alike += all[i] == value;
		for (j = 0; all[j] != all[i]; j++)
			continue;
		*out_different += j == i;
	}
	return alike;
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
	apsp_wait_asleep(&request);
	for (int i = 0; i < group.size; i++) {
		if (all[i].result < 0) {
			*err = all[i].err;
			/* name the rank and the host, unless the rank is 0: the
			   message of rank 0 is the same as in a group of one
			   process */
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

/* Change the next ticket by the operation `op` with `value`. Return the next
   ticket as it was before the change. */
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
	/* wait for all processes, so that no process takes a ticket before rank
	   0 has set the next ticket to 0 */
	apsp_group_least(0);
	group.takes = true;
}

uint32_t apsp_group_ticket(void)
{
	return group.runs ? (uint32_t)ticket_change(1, MPI_SUM) : group.alone++;
}

void apsp_group_tickets_end(bool failed)
{
	group.takes = false;
	if (failed)
		group.alone = APSP_GROUP_LAST_TICKET;
	if (failed && group.runs)
		ticket_change(APSP_GROUP_LAST_TICKET, MPI_REPLACE);
}

/* Report to rank 0, by changing words in its memory, that this process has
   computed the part `share` of all rows. `share` is a number from 0 to 1. It
   may be less than in the last report, because each job and each new attempt
   begins at 0. Returns false if another process has failed. */
static bool report(double share)
{
	int64_t part = (int64_t)(share * WHOLE), none = 0, ticket = 0;
	const int64_t more[2] = {1, part - group.advanced};

	group.advanced = part;
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, group.window);
	MPI_Accumulate(more, 2, MPI_INT64_T, 0, STEPS, 2, MPI_INT64_T, MPI_SUM,
		group.window);
	MPI_Fetch_and_op(&none, &ticket, MPI_INT64_T, 0, TICKET, MPI_NO_OP,
		group.window);
	MPI_Win_unlock(0, group.window);
	return !group.takes || ticket < APSP_GROUP_LAST_TICKET;
}

/* Add up the parts of all rows that the processes last reported. Return the
   sum, but at most 1. Store the number of all reports in group.steps. */
static double reports_read(void)
{
	const int64_t nothing[2] = {0};
	int64_t found[2] = {0};
	double share;

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, group.window);
	MPI_Get_accumulate(nothing, 2, MPI_INT64_T, found, 2, MPI_INT64_T, 0,
		STEPS, 2, MPI_INT64_T, MPI_NO_OP, group.window);
	MPI_Win_unlock(0, group.window);
	group.steps = found[0];
	share = (double)found[1] / WHOLE;
	return share < 1 ? share : 1;
}

/* Called as the member advance() of struct apsp_progress. Only rank 0 reports
   to the daemon, so only rank 0 needs the share of all processes. */
static bool advance(double share, double *out_all)
{
	bool goes_on = report(share);

	*out_all = group.rank > 0 ? share : reports_read();
	return goes_on;
}

/* Called while rank 0 waits. Report the progress again if some process has
   advanced since the last call. Otherwise report nothing: if no process
   advances for too long, the daemon then ends the group. */
static void waits(void)
{
	int64_t steps = group.steps;

	reports_read();
	if (steps != group.steps)
		apsp_progress_again(group.progress);
}

void apsp_group_progress_begin(struct apsp_progress *progress)
{
	if (group.size == 1)
		return;
	/* Set this process's share of the rows to 0, and wait until all
	   processes have done so. Before that, the word SHARE contains shares
	   of the previous job. */
	report(0);
	apsp_group_least(0);
	progress->advance = advance;
	group.progress = progress;
	group.steps = 0;
	if (group.rank == 0)
		apsp_wait_hook(waits);
}

void apsp_group_progress_end(void)
{
	if (group.progress)
		group.progress->advance = NULL;
	group.progress = NULL;
	apsp_wait_hook(NULL);
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
				sizeof(struct cpus),
				all ? group.all.sets : group.share.sets);
	if (tasks)
		closedir(tasks);
}

void apsp_group_abort(void)
{
	if (group.size > 1)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}
