/*
 * Transfers of bytes between the processes of a group; see group.h and
 * group_transfer.h.
 */
#include "compute/group/group_transfer.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/group/group.h"
#include "compute/group/group_wait.h"
#include "compute/group/host_memory.h"

enum {
	/* A transfer of at least this number of bytes goes through memory that
	   the processes share, in pieces of HALF bytes. If they cannot share
	   memory, they first sleep until all of them are ready, and stay awake
	   during the transfer. */
	LARGE = 1 << 16,
	HALF = 1 << 24,
	/* the largest number of bytes that one call of MPI transfers, because
	   MPI counts in int */
	MESSAGE = 1 << 30,
};

/* Memory that all processes of the group share; empty if they cannot share
   memory. It consists of two halves of HALF bytes. Pieces of transfers use the
   halves in turn, because a slow process may still read one half when the next
   piece begins. */
static struct {
	struct apsp_host_memory memory;
	uint32_t turn; /* number of pieces so far */
} shared = {.memory = {.fd = -1}};

void apsp_transfers_start(void)
{
	struct apsp_host_memory_name name = {.size = 0};

	if (apsp_group_host_size() < apsp_group_size())
		return;
	if (apsp_group_rank() == 0)
		apsp_host_memory_make(2 * HALF, &shared.memory, &name);
	MPI_Bcast(&name, sizeof(name), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (apsp_group_rank() != 0)
		apsp_host_memory_map(&name, &shared.memory);
	if (apsp_group_least(shared.memory.bytes != NULL) == 0)
		apsp_host_memory_done(&shared.memory);
}

void apsp_transfers_end(void)
{
	apsp_host_memory_done(&shared.memory);
}

/* Return the half of the shared memory that the next piece of a transfer
   uses. */
static uint8_t *half_next(void)
{
	return shared.memory.bytes + shared.turn++ % 2 * HALF;
}

/* Copy at most HALF bytes through shared memory. Collective. */
static void memory_share(uint32_t from, void *data, size_t size)
{
	uint8_t *half = half_next();

	if (apsp_group_rank() == from)
		memcpy(half, data, size);
	apsp_wait_for_all();
	if (apsp_group_rank() != from)
		memcpy(data, half, size);
}

/* Copy at most MESSAGE bytes by MPI. Collective. */
static void message_share(uint32_t from, void *data, size_t size, bool awake)
{
	MPI_Request request;

	MPI_Ibcast(
		data, (int)size, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
	if (awake)
		apsp_wait_awake(&request);
	else
		apsp_wait_asleep(&request);
}

void apsp_group_share(uint32_t from, void *data, size_t size)
{
	bool large = size >= LARGE, shares = large && shared.memory.bytes;
	size_t most = shares ? HALF : MESSAGE;
	char *bytes = data;

	if (apsp_group_size() == 1)
		return;
	if (large && !shares)
		apsp_wait_for_all();
	for (size_t at = 0, step; at < size; at += step) {
		step = size - at < most ? size - at : most;
		if (shares)
			memory_share(from, bytes + at, step);
		else
			message_share(from, bytes + at, step, large);
	}
}

/* Unite at most HALF marks through shared memory. In each step, each process
   adds its marks of another part. Collective. */
static void memory_unite(uint8_t *marks, size_t size)
{
	size_t n = apsp_group_size(), part = (size + n - 1) / n;
	uint8_t *half = half_next();

	for (size_t step = 0; step < n; step++) {
		size_t first = (apsp_group_rank() + step) % n * part;
		size_t end = first + part < size ? first + part : size;

		for (size_t i = first; i < end; i++)
			half[i] = step == 0 ? marks[i]
					    : (uint8_t)(half[i] | marks[i]);
		apsp_wait_for_all();
	}
	memcpy(marks, half, size);
}

/* Unite at most MESSAGE marks by MPI. Collective. */
static void message_unite(uint8_t *marks, size_t size)
{
	MPI_Request request;

	MPI_Iallreduce(MPI_IN_PLACE, marks, (int)size, MPI_BYTE, MPI_BOR,
		MPI_COMM_WORLD, &request);
	apsp_wait_awake(&request);
}

void apsp_group_unite(uint8_t *marks, size_t size)
{
	bool shares = shared.memory.bytes;
	size_t most = shares ? HALF : MESSAGE;

	if (apsp_group_size() == 1)
		return;
	if (!shares)
		apsp_wait_for_all();
	for (size_t at = 0, step; at < size; at += step) {
		step = size - at < most ? size - at : most;
		if (shares)
			memory_unite(marks + at, step);
		else
			message_unite(marks + at, step);
	}
}

void apsp_group_send(const struct apsp_message *message)
{
	uint64_t size = message->failed ? 0 : message->size;
	MPI_Request request;

	MPI_Isend(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
	/* wait for the answer, because rank 0 may still be receiving the
	   message of another process */
	MPI_Irecv(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
	for (uint64_t at = 0; at < size; at += MESSAGE) {
		int step = size - at < MESSAGE ? (int)(size - at) : MESSAGE;

		MPI_Isend(message->bytes + at, step, MPI_BYTE, 0, 0,
			MPI_COMM_WORLD, &request);
		apsp_wait_awake(&request);
	}
}

void apsp_group_receive(uint32_t rank, struct apsp_message *out)
{
	MPI_Request request;
	uint64_t size;

	MPI_Irecv(
		&size, 1, MPI_UINT64_T, (int)rank, 0, MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
	*out = (struct apsp_message){.bytes = malloc(size + 1), .size = size};
	/* if this process did not receive the bytes, the sender would wait for
	   ever */
	if (!out->bytes)
		MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
	out->failed = size == 0;
	/* the sender waits for this message before it sends its bytes */
	MPI_Isend(
		&size, 1, MPI_UINT64_T, (int)rank, 0, MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
	for (uint64_t at = 0; at < size; at += MESSAGE) {
		int step = size - at < MESSAGE ? (int)(size - at) : MESSAGE;

		MPI_Irecv(out->bytes + at, step, MPI_BYTE, (int)rank, 0,
			MPI_COMM_WORLD, &request);
		apsp_wait_awake(&request);
	}
}
