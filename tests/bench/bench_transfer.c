/*
 * Speed of each way to copy bytes from a device into a new file, which the
 * download of tables should reach (compute/tables/README.md).
 *
 *	bench_transfer DEVICE DIR [MB [THREADS]]
 *
 * DEVICE is as for --device of apspd; DIR is on the file system to be measured.
 * The program prints a line for each way: GB/s of allocating the file, and of
 * copying bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "compute/device/device.h"
#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "compute/parallel.h"

enum {
	MB = 1 << 20,
	PIECE = 16 * MB, /* as staging_bytes of the tuning table on GPUs */
	SHARE = 4 * MB,	 /* bytes that a thread populates or writes at once */
	SLOTS = 2,
};

struct bench {
	struct apsp_device device;
	cl_mem source; /* PIECE bytes */
	cl_mem pinned[SLOTS];
	void *staging[SLOTS];
	const char *dir;
	size_t size;
	unsigned int threads;
	int fd;
	char *map;
	size_t at; /* bytes of the piece that is copied */
	const char *from;
	bool pwrites;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(int bad, const char *what)
{
	if (!bad)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void file_make(struct bench *b)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/bench-transfer-XXXXXX", b->dir);
	b->fd = mkstemp(path);
	must(b->fd < 0, path);
	unlink(path);
}

static void file_map(struct bench *b)
{
	b->map = mmap(
		NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	must(b->map == MAP_FAILED, "mmap");
}

static void share_populate(void *ctx, unsigned int thread, size_t i)
{
	struct bench *b = ctx;

	(void)thread;
	must(madvise(b->map + i * SHARE, SHARE, MADV_POPULATE_WRITE) < 0,
		"populate");
}

static void share_move(void *ctx, unsigned int thread, size_t i)
{
	struct bench *b = ctx;
	size_t share = PIECE / b->threads, at = i * share;

	(void)thread;
	if (b->pwrites)
		must(pwrite(b->fd, b->from + at, share, (off_t)(b->at + at)) !=
				(ssize_t)share,
			"pwrite");
	else
		memcpy(b->map + b->at + at, b->from + at, share);
}

static void enqueue(struct bench *b, void *to, cl_event *event)
{
	must(clEnqueueReadBuffer(b->device.queue, b->source, CL_FALSE, 0, PIECE,
		     to, 0, NULL, event) != CL_SUCCESS,
		"read");
	clFlush(b->device.queue);
}

/* Through two slots of pinned memory, as tables are downloaded. */
static void staged(struct bench *b)
{
	cl_event events[SLOTS];

	enqueue(b, b->staging[0], &events[0]);
	for (b->at = 0; b->at < b->size; b->at += PIECE) {
		size_t slot = b->at / PIECE % SLOTS, next = (slot + 1) % SLOTS;

		if (b->at + PIECE < b->size)
			enqueue(b, b->staging[next], &events[next]);
		clWaitForEvents(1, &events[slot]);
		clReleaseEvent(events[slot]);
		b->from = b->staging[slot];
		apsp_parallel_for(b->threads, b->threads, share_move, b);
	}
}

static void straight(struct bench *b)
{
	for (b->at = 0; b->at < b->size; b->at += PIECE)
		enqueue(b, b->map + b->at, NULL);
	clFinish(b->device.queue);
}

/* Use the mapping as a buffer of the runtime, which may pin it. */
static void adopted(struct bench *b)
{
	cl_int status;
	double begin = now();
	cl_mem whole = clCreateBuffer(b->device.context,
		CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, b->size, b->map,
		&status);
	void *bytes;

	if (status != CL_SUCCESS) {
		printf("(adopting fails: %d) ", (int)status);
		return;
	}
	bytes = clEnqueueMapBuffer(b->device.queue, whole, CL_TRUE,
		CL_MAP_READ | CL_MAP_WRITE, 0, b->size, 0, NULL, NULL, &status);
	printf("(%.3f s to adopt) ", now() - begin);
	straight(b);
	clEnqueueUnmapMemObject(b->device.queue, whole, bytes, 0, NULL, NULL);
	clFinish(b->device.queue);
	clReleaseMemObject(whole);
}

static void way(struct bench *b, const char *name, bool reserve, bool populate,
	void (*move)(struct bench *b))
{
	double begin = now(), reserved, populated, end;

	file_make(b);
	if (reserve)
		must(posix_fallocate(b->fd, 0, (off_t)b->size), "fallocate");
	else
		must(ftruncate(b->fd, (off_t)b->size), "ftruncate");
	reserved = now();
	file_map(b);
	if (populate)
		apsp_parallel_for(
			b->size / SHARE, b->threads, share_populate, b);
	populated = now();
	move(b);
	end = now();
	printf("%-44s %2u threads: reserve %.3f s, populate %.3f s, move "
	       "%.3f s, %.1f GB/s\n",
		name, b->threads, reserved - begin, populated - reserved,
		end - populated, (double)b->size / 1e9 / (end - populated));
	fflush(stdout);
	munmap(b->map, b->size);
	close(b->fd);
}

static void ways(struct bench *b)
{
	b->pwrites = true;
	way(b, "pinned, pwrite", true, false, staged);
	b->pwrites = false;
	way(b, "pinned, copied into the mapping", true, true, staged);
	way(b, "the same, not reserved", false, true, staged);
	way(b, "read straight into the mapping", true, true, straight);
	way(b, "read into the adopted mapping", true, true, adopted);
}

int main(int argc, char **argv)
{
	struct bench b = {.dir = argc > 2 ? argv[2] : "."};
	const struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "", .kernel_dir = b.dir};
	struct apsp_err err;
	size_t pieces =
		(argc > 3 ? strtoul(argv[3], NULL, 10) : 1024) * MB / PIECE;
	int r = apsp_device_open(&options, &b.device, &err);

	b.size = pieces * PIECE;
	b.threads = argc > 4 ? (unsigned int)atoi(argv[4])
			     : apsp_parallel_processors();
	if (r >= 0)
		r = apsp_device_buffer_make(
			&b.device, PIECE, NULL, &b.source, &err);
	for (int s = 0; r >= 0 && s < SLOTS; s++)
		r = apsp_device_pinned_make(
			&b.device, PIECE, &b.pinned[s], &b.staging[s], &err);
	if (r < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	ways(&b);
	for (int s = 0; s < SLOTS; s++)
		apsp_device_pinned_done(&b.device, &b.pinned[s], &b.staging[s]);
	apsp_device_buffer_done(&b.source);
	apsp_device_close(&b.device);
	return 0;
}
