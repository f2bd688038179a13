/*
 * Waiting for operations of MPI. Only the thread that called MPI_Init() may
 * call these functions.
 */
#ifndef APSP_COMPUTE_GROUP_GROUP_WAIT_H
#define APSP_COMPUTE_GROUP_GROUP_WAIT_H

#include <mpi.h>

/* Wait until a request has completed, and sleep meanwhile. MPI_Wait() would use
   all of a processor. */
void apsp_wait_asleep(MPI_Request *request);

/*
 * Wait awake until a transfer has completed. All processes of the transfer must
 * already take part in it. Open MPI moves bytes between the processes of a host
 * in pieces of 32 KiB, a few in each call of MPI_Test(). With sleeps between
 * the calls, blocked-fw took 7 s instead of 1.5 s (n = 8192, two processes of 8
 * processors each).
 */
void apsp_wait_awake(MPI_Request *request);

/* Wait asleep until all processes of the group have called this function. */
void apsp_wait_for_all(void);

#endif
