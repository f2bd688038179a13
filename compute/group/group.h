/*
 * The group of processes that solve a job together. `mpirun` starts them, or
 * another launcher of MPI. Each process has a rank: a number from 0 to the
 * group's size - 1. Only the process of rank 0 talks to the daemon.
 *
 * The same declarations have two implementations. `apsp-solve` is linked with
 * group_alone.c: it is a group of one. `apsp-solve-mpi` is linked with
 * group_mpi.c. Only the thread that called apsp_group_start() may call the
 * other functions.
 *
 * A collective function returns when all processes of the group have called it,
 * and all of them must call the same collective functions in the same order.
 * Whoever waits in such a function sleeps, because another process may need the
 * processor.
 */
#ifndef APSP_COMPUTE_GROUP_GROUP_H
#define APSP_COMPUTE_GROUP_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/message.h"
#include "daemon/base/err.h"

/*
 * Join the group. A process that no launcher has started is a group of one. If
 * several processes of the group run on this host and may use the same
 * processors, the call divides the processors among them: afterwards the
 * process and all threads that it starts use its share. So call this before the
 * first thread starts. The call changes no argument of the program.
 * APSP_ESOLVER: the processes cannot reach each other.
 */
int apsp_group_start(struct apsp_err *err);

/* Leave the group. Collective, unless apsp_group_abort() was called. */
void apsp_group_end(void);

uint32_t apsp_group_size(void);
uint32_t apsp_group_rank(void);

/* The number of processes of the group on this host, and the number of this one
   among them, from 0. */
uint32_t apsp_group_host_size(void);
uint32_t apsp_group_host_rank(void);

/* Copy `size` bytes at `data` from the process of rank 0 to all others.
   Collective. */
void apsp_group_share(void *data, size_t size);

/* Return the least of the values that the processes pass. Collective. */
uint64_t apsp_group_least(uint64_t value);

/* Return the sum of the values that the processes pass. Collective. */
uint64_t apsp_group_sum(uint64_t value);

/*
 * Agree on a result: each process passes its own, and all get the same one. If
 * a result is negative, this is the negative result of the lowest rank, and
 * *err gets its error. Its message names the rank and the host, unless the rank
 * is 0. Otherwise it is the largest result. Collective.
 */
int apsp_group_agree(int result, struct apsp_err *err);

/* Begin to hand out tickets: the numbers 0, 1, 2, … Collective. */
void apsp_group_tickets_begin(void);

/* Take the next ticket. No other process gets the same one. */
uint32_t apsp_group_ticket(void);

enum {
	/* the least ticket after apsp_group_tickets_end() */
	APSP_GROUP_LAST_TICKET = 1 << 30,
};

/* The job has failed here: from now on, all tickets are
   APSP_GROUP_LAST_TICKET or more, which stand for no window. */
void apsp_group_tickets_end(void);

/* Send a message to the process of rank 0, which must call
   apsp_group_receive(). */
void apsp_group_send(const struct apsp_message *message);

/* Receive what the process of rank `rank` sends. The caller ends *out with
   apsp_message_done(). If there is no memory, out->failed is true. */
void apsp_group_receive(uint32_t rank, struct apsp_message *out);

/*
 * If the group's processes have divided the processors of this host
 * (apsp_group_start()): let all threads of this process use the share of all of
 * them, because they wait; or, if `all` is false, its own share again.
 */
void apsp_group_processors(bool all);

/* End all processes of the group at once, this one included, if there is more
   than one. */
void apsp_group_abort(void);

#endif
