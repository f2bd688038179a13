/*
 * The group of processes that solve a job together. `mpirun` or another
 * launcher of MPI starts these processes. Each process has a rank: a number
 * from 0 to the group's size - 1. Only the process of rank 0 talks to the
 * daemon.
 *
 * This header has two implementations. `apsp-solve` is linked with
 * group_alone.c, and is a group of one process. `apsp-solve-mpi` is linked with
 * group_mpi.c. Any thread is allowed to call the functions that return a size
 * or a rank. Only the thread that called apsp_group_start() is allowed to call
 * the other functions.
 *
 * A collective function returns when all processes of the group have called it.
 * All processes must call the same collective functions in the same order. In
 * all of these functions except apsp_group_end(), a waiting process sleeps,
 * because another process may need the processor.
 */
#ifndef APSP_COMPUTE_GROUP_GROUP_H
#define APSP_COMPUTE_GROUP_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/message.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

/*
 * Join the group. A process that no launcher has started is a group of one.
 * This function may divide the processors of this host among the processes of
 * the group that run on this host. It divides them if all these processes are
 * allowed to use the same processors, and if there is at least one processor
 * for each process. After the division, the calling process, with all threads
 * that it starts, uses only its share of the processors. So call this function
 * before the first thread starts. APSP_ESOLVER: MPI cannot be initialised, or
 * it does not support processes with several threads; or a launcher has started
 * several processes of apsp-solve, which cannot form a group (only
 * apsp-solve-mpi can). An exception: apsp-solve does not notice if srun has
 * started several processes through PMIx.
 */
int apsp_group_start(struct apsp_err *err);

/* Leave the group. Collective. */
void apsp_group_end(void);

uint32_t apsp_group_size(void);
uint32_t apsp_group_rank(void);

/* The processes of the group on one host. */
struct apsp_group_host {
	uint32_t size; /* number of these processes */
	/* number of the calling process among these processes, counted from
	   0 */
	uint32_t rank;
	/* number of the host's processors that at least one of these processes
	   is allowed to use */
	uint32_t processors;
	/* Number of sets of processors on which the whole group runs. If the
	   launcher has bound each process to processors of its own, each
	   process has a set. Otherwise each host has one set. */
	uint32_t sets;
};

/* Describe the processes of the group on this host. */
struct apsp_group_host apsp_group_host(void);

/* Copy `size` bytes at `data` from the process of rank `from` to all other
   processes. If the processes share memory, up to `threads` threads of each
   process copy the bytes. Collective. */
void apsp_group_share(
	uint32_t from, void *data, size_t size, unsigned int threads);

/* Replace each of the `size` bytes at `marks` by the bitwise or of the bytes
   that the processes pass at the same index. Collective. */
void apsp_group_unite(uint8_t *marks, size_t size);

/* Return the least of the values that the processes pass. Collective. */
uint64_t apsp_group_least(uint64_t value);

/*
 * Each process passes a value. Return how many processes pass the same value as
 * this process, including this process. Store in *out_different how many
 * different values the processes pass. Collective.
 */
uint32_t apsp_group_alike(uint64_t value, uint32_t *out_different);

/*
 * Agree on a result: each process passes its own result, and the function
 * returns the same result in all processes. If no process passes a negative
 * result, the function returns the largest result. Otherwise it returns the
 * result of the failed process with the lowest rank, and *err gets the error of
 * that process. The message of the error names the process's rank and host,
 * unless the rank is 0. Collective.
 */
int apsp_group_agree(int result, struct apsp_err *err);

/* Find out whether any process has failed; `result` is the result of the
   calling process so far. Returns `result` if no process has failed or if the
   calling process has failed; otherwise returns 1. Collective. */
static inline int apsp_group_check(int result)
{
	bool well = apsp_group_least(result >= 0) > 0;

	return well || result < 0 ? result : 1;
}

/* Begin to hand out the tickets 0, 1, 2, … to the processes. A ticket is the
   number of a window of rows, which one process computes (row_windows.h).
   Collective. */
void apsp_group_tickets_begin(void);

/* Take the next ticket. No other process gets the same ticket. */
uint32_t apsp_group_ticket(void);

enum {
	/* After a process has failed, all tickets (numbers of windows) are at
	   least this number (apsp_group_tickets_end()). No window has this
	   number. */
	APSP_GROUP_LAST_TICKET = 1 << 30,
};

/*
 * Call this when this process takes no more tickets. `failed` is true if this
 * process has stopped before all windows were computed. In this case, all later
 * tickets are at least APSP_GROUP_LAST_TICKET, and no window has such a number.
 * In the processes that still compute, apsp_progress_step() fails.
 */
void apsp_group_tickets_end(bool failed);

/*
 * From now on until apsp_group_progress_end(), *progress counts the rows of all
 * processes. Each process tells rank 0 which part of the rows it has computed.
 * Rank 0 reports the sum of these parts to the daemon, even while it waits for
 * other processes. If a process has failed (apsp_group_tickets_end()), the
 * other processes stop at their next step (progress.h), because their rows are
 * not needed. If rank 0 runs on another host, a step may wait until rank 0
 * calls any function of the group. Until apsp_group_progress_end(), the memory
 * of *progress must not move, and only the thread that called
 * apsp_group_start() may report progress. In a group of one, both functions do
 * nothing. apsp_group_progress_begin() is collective.
 */
void apsp_group_progress_begin(struct apsp_progress *progress);
void apsp_group_progress_end(void);

/* Send a message to the process of rank 0, which must call
   apsp_group_receive(). */
void apsp_group_send(const struct apsp_message *message);

/* Receive one message from the process of rank `rank`. The caller ends *out
   with apsp_message_done(). If the sender's message is marked as failed or is
   empty, out->failed becomes true. If there is no memory for the message, all
   processes of the group end. */
void apsp_group_receive(uint32_t rank, struct apsp_message *out);

/*
 * apsp_group_start() may have given each process on this host a part of the
 * host's processors. If so, choose which processors the threads of this process
 * use. If `all` is true, they use the parts of all processes on the host,
 * otherwise only the part of this process. Pass true while the other processes
 * wait, or to count the processors.
 */
void apsp_group_processors(bool all);

/* End all processes of the group at once, including the calling process. In a
   group of one, do nothing. */
void apsp_group_abort(void);

#endif
