/*
 * Transfers of bytes between the processes of a group, and waiting for them;
 * see group.h and group_transfer.h.
 */
#include "compute/group/group_transfer.h"

#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "compute/group/group.h"
#include "compute/parallel.h"

enum {
	/* A waiting process looks again and again whether its operation has
	   completed, and sleeps in between. Each sleep takes 1/NAP_PART of the
	   time for which the process has already waited, but at least NAP_NS
	   and at most NAP_MOST_NS nanoseconds. */
	NAP_PART = 64,
	NAP_NS = 20000,
	NAP_MOST_NS = 2000000,
	/* nanoseconds between two calls of on_wait() */
	WAITS_EVERY_NS = 100000000,
};

/* The function that rank 0 calls while it waits, or NULL. */
static void (*on_wait)(void);

void apsp_wait_asleep(MPI_Request *request)
{
	struct timespec nap = {0};
	int64_t slept_ns = 0, called_ns = 0;
	int done = 0;

	for (;;) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		nap.tv_nsec = slept_ns / NAP_PART;
		nap.tv_nsec = nap.tv_nsec < NAP_NS	  ? NAP_NS
			      : nap.tv_nsec > NAP_MOST_NS ? NAP_MOST_NS
							  : nap.tv_nsec;
		nanosleep(&nap, NULL);
		slept_ns += nap.tv_nsec;
		if (on_wait && slept_ns - called_ns >= WAITS_EVERY_NS) {
			called_ns = slept_ns;
			on_wait();
		}
	}
}

/*
 * Wait without sleeping until a transfer has completed. All processes of the
 * transfer must already take part in it. Open MPI moves bytes between the
 * processes of a host in pieces of 32 KiB. Each call of MPI_Test() moves a few
 * pieces. With sleeps between the calls, blocked-fw took 7 s instead of 1.5 s
 * (n = 8192, two processes of 8 processors each).
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

/* Sleep until all processes of the group have called this function. */
static void wait_for_all(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
}

void apsp_wait_hook(void (*waits)(void))
{
	on_wait = waits;
}

/* The data by which another process on the same host finds and maps shared
   memory. The memory has no name in a file system. It exists until each process
   has released it, has ended or was killed. */
struct host_memory_name {
	uint64_t size; /* size of the memory in bytes; 0: there is no memory */
	/* random bytes; the memory begins with the same bytes, so that a
	   process recognises it */
	uint64_t key[2];
	int32_t pid; /* id of the process that has made the memory */
	int32_t fd;  /* file descriptor of the memory in the process `pid` */
};

struct host_memory {
	int fd; /* file descriptor of the memory; -1: none is open */
	void *map;
	uint64_t map_size;
	uint8_t *bytes; /* NULL: there is no memory */
	uint64_t size;
};

enum {
	HEAD = 4096, /* number of bytes before `bytes`; the key is stored
			there */
};

/* Map the file `fd`, and take ownership of `fd`. */
static void file_map(int fd, uint64_t size, struct host_memory *out)
{
	void *map = mmap(NULL, HEAD + size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, fd, 0);

	*out = (struct host_memory){.fd = fd};
	if (map == MAP_FAILED)
		return;
	out->map = map;
	out->map_size = HEAD + size;
	out->bytes = (uint8_t *)map + HEAD;
	out->size = size;
}

/* Unmap and close the memory in this process. Accepts an empty struct. */
static void host_memory_done(struct host_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->map_size);
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = (struct host_memory){.fd = -1};
}

/*
 * Make shared memory of `size` bytes, with undefined contents. The system has
 * reserved the memory when this function returns. If the system has too little
 * memory, out->bytes is NULL, and out_name->size is 0. The caller ends *out
 * with host_memory_done().
 */
static void host_memory_make(uint64_t size, struct host_memory *out,
	struct host_memory_name *out_name)
{
	int fd = memfd_create("apspd group", MFD_CLOEXEC);

	*out = (struct host_memory){.fd = fd};
	*out_name = (struct host_memory_name){.size = 0};
	if (fd < 0 || fallocate(fd, 0, 0, (off_t)(HEAD + size)) < 0 ||
		getrandom(out_name->key, sizeof(out_name->key), 0) !=
			sizeof(out_name->key))
		return;
	file_map(fd, size, out);
	if (!out->bytes)
		return;
	memcpy(out->map, out_name->key, sizeof(out_name->key));
	out_name->size = size;
	out_name->pid = getpid();
	out_name->fd = fd;
}

/* Map shared memory that another process has made and has not yet released. If
   this process is not allowed to map the memory, or if the memory is on another
   host, out->bytes is NULL. The caller ends *out with host_memory_done(). */
static void host_memory_map(
	const struct host_memory_name *name, struct host_memory *out)
{
	char path[64];
	int fd;

	*out = (struct host_memory){.fd = -1};
	if (name->size == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)name->pid,
		(int)name->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	/* Map the file only if it has the right size. If the process that made
	   the memory is on another host or in another container, pid and fd
	   name an unrelated file of this host, which can be too short. */
	if (lseek(fd, 0, SEEK_END) == (off_t)(HEAD + name->size))
		file_map(fd, name->size, out);
	else
		close(fd);
	if (out->map && memcmp(out->map, name->key, sizeof(name->key)) != 0)
		host_memory_done(out);
}

enum {
	/* apsp_group_share() transfers at least this number of bytes through
	   shared memory, in pieces of HALF bytes. Without shared memory, MPI
	   transfers the bytes: the processes sleep until all of them are ready,
	   and then do not sleep during the transfer (wait_awake()). */
	LARGE = 1 << 16,
	HALF = 1 << 24,
	/* number of bytes that one thread copies at a time */
	CHUNK = 1 << 19,
	/* the largest number of bytes that one call of MPI transfers, because
	   MPI counts in int */
	MESSAGE = 1 << 30,
};

/* Memory that all processes of the group share, or no memory if the processes
   cannot share any. The memory consists of two halves of HALF bytes. Pieces of
   transfers use the halves in turn, because a slow process may still read one
   half when the next piece begins. */
static struct {
	struct host_memory memory;
	/* number of pieces of transfers so far, each of which used one half */
	uint32_t turn;
} shared = {.memory = {.fd = -1}};

void apsp_transfers_start(void)
{
	struct host_memory_name name = {.size = 0};

	if (apsp_group_host().size < apsp_group_size())
		return;
	if (apsp_group_rank() == 0)
		host_memory_make(2 * HALF, &shared.memory, &name);
	MPI_Bcast(&name, sizeof(name), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (apsp_group_rank() != 0)
		host_memory_map(&name, &shared.memory);
	if (apsp_group_least(shared.memory.bytes != NULL) == 0)
		host_memory_done(&shared.memory);
}

void apsp_transfers_end(void)
{
	host_memory_done(&shared.memory);
}

/* Return the half of the shared memory that the next piece of a transfer
   uses. */
static uint8_t *half_next(void)
{
	return shared.memory.bytes + shared.turn++ % 2 * HALF;
}

struct copy {
	uint8_t *to;
	const uint8_t *from;
	size_t size;
};

static void chunk_copy(void *ctx, unsigned int thread, size_t i)
{
	const struct copy *copy = ctx;
	size_t at = i * CHUNK;
	size_t n = copy->size - at < CHUNK ? copy->size - at : CHUNK;

	(void)thread;
	memcpy(copy->to + at, copy->from + at, n);
}

static void parallel_copy(
	uint8_t *to, const uint8_t *from, size_t size, unsigned int threads)
{
	struct copy copy = {to, from, size};

	apsp_parallel_for(
		(size + CHUNK - 1) / CHUNK, threads, chunk_copy, &copy);
}

/* Do the work of apsp_group_share() for at most HALF bytes, through shared
   memory. Collective. */
static void memory_share(
	uint32_t from, uint8_t *data, size_t size, unsigned int threads)
{
	uint8_t *half = half_next();

	if (apsp_group_rank() == from)
		parallel_copy(half, data, size, threads);
	wait_for_all();
	if (apsp_group_rank() != from)
		parallel_copy(data, half, size, threads);
}

/* Do the work of apsp_group_share() for at most MESSAGE bytes, by MPI.
   Collective. */
static void message_share(uint32_t from, void *data, size_t size, bool awake)
{
	MPI_Request request;

	MPI_Ibcast(
		data, (int)size, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
	if (awake)
		wait_awake(&request);
	else
		apsp_wait_asleep(&request);
}

void apsp_group_share(
	uint32_t from, void *data, size_t size, unsigned int threads)
{
	bool large = size >= LARGE, shares = large && shared.memory.bytes;
	size_t most = shares ? HALF : MESSAGE;
	uint8_t *bytes = data;

	if (apsp_group_size() == 1)
		return;
	if (large && !shares)
		wait_for_all();
	for (size_t at = 0, step; at < size; at += step) {
		step = size - at < most ? size - at : most;
		if (shares)
			memory_share(from, bytes + at, step, threads);
		else
			message_share(from, bytes + at, step, large);
	}
}

/*
 * Do the work of apsp_group_unite() for at most HALF marks, through shared
 * memory. The half of the memory is divided into one part for each process. In
 * each step, each process ORs its marks into one part of the half, and no two
 * processes write to the same part. After n steps, each of the n processes has
 * done this for all parts. Collective.
 */
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
		wait_for_all();
	}
	memcpy(marks, half, size);
}

/* Do the work of apsp_group_unite() for at most MESSAGE marks, by MPI.
   Collective. */
static void message_unite(uint8_t *marks, size_t size)
{
	MPI_Request request;

	MPI_Iallreduce(MPI_IN_PLACE, marks, (int)size, MPI_BYTE, MPI_BOR,
		MPI_COMM_WORLD, &request);
	wait_awake(&request);
}

void apsp_group_unite(uint8_t *marks, size_t size)
{
	bool shares = shared.memory.bytes;
	size_t most = shares ? HALF : MESSAGE;

	if (apsp_group_size() == 1)
		return;
	if (!shares)
		wait_for_all();
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
	/* wait for the reply of rank 0, which may still be receiving the
	   message of another process */
	MPI_Irecv(&size, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
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
	apsp_wait_asleep(&request);
	*out = (struct apsp_message){.bytes = malloc(size + 1), .size = size};
	/* if there is no memory, end all processes, because the sender would
	   wait for ever for this process to receive the bytes */
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
		wait_awake(&request);
	}
}
