/*
 * Preparation of the transfers of group.h between processes that MPI connects:
 * apsp_group_share(), apsp_group_unite(), apsp_group_send() and
 * apsp_group_receive().
 */
#ifndef APSP_COMPUTE_GROUP_GROUP_TRANSFER_H
#define APSP_COMPUTE_GROUP_GROUP_TRANSFER_H

/* Let the processes of the group share memory if all of them are on one host
   and each of them can map the memory. Collective. */
void apsp_transfers_start(void);

void apsp_transfers_end(void);

#endif
