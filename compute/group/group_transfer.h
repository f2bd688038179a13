/*
 * The transfers of group.h between processes that MPI connects:
 * group_transfer.c implements apsp_group_share(), apsp_group_unite(),
 * apsp_group_send() and apsp_group_receive(). The functions below prepare these
 * transfers, and wait for operations of MPI.
 */
#ifndef APSP_COMPUTE_GROUP_GROUP_TRANSFER_H
#define APSP_COMPUTE_GROUP_GROUP_TRANSFER_H

#include <mpi.h>

/* Sleep until a request has completed. MPI_Wait() would use all of a processor.
   Only the thread that called MPI_Init() is allowed to call this function. */
void apsp_wait_asleep(MPI_Request *request);

/* From now on, call waits() about ten times a second while this process sleeps
   in apsp_wait_asleep(). NULL: call nothing. */
void apsp_wait_hook(void (*waits)(void));

/* Let the processes of the group share memory if all of them are on one host
   and each of them can map the memory. Collective. */
void apsp_transfers_start(void);

void apsp_transfers_end(void);

#endif
