/*
 * Writing through a mapping; see file_map.h.
 */
#include "compute/tables/file_map.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "compute/parallel.h"
#include "daemon/base/table_file.h"

enum {
	SHARE = APSP_FILE_MAP_SHARE,
	/* more wait for each other in the kernel; the solve wants some, too */
	POPULATE_THREADS = 4,
};

/* Globals, because a process has one disposition for each signal. */
static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;

/* Where this thread continues after a fault; NULL: it touches no mapping. */
static _Thread_local sigjmp_buf *volatile way_out;

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (way_out && info->si_code > 0)
		siglongjmp(*way_out, 1);
	/* a fault comes again when this handler returns */
	sigaction(number, &previous, NULL);
	if (info->si_code <= 0)
		raise(number);
}

/* Install the handler, unless it is the one that is installed. */
static void handler_install(void)
{
	struct sigaction now;
	struct sigaction action = {
		.sa_sigaction = on_sigbus,
		.sa_flags = SA_SIGINFO | SA_ONSTACK,
	};

	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&handler_lock);
	sigaction(SIGBUS, NULL, &now);
	if (now.sa_sigaction != on_sigbus) {
		/* before the handler can run, which reads it */
		previous = now;
		sigaction(SIGBUS, &action, NULL);
	}
	pthread_mutex_unlock(&handler_lock);
}

bool apsp_file_map_open(int fd, uint64_t size, struct apsp_file_map *out)
{
	void *bytes;

	handler_install();
	if (size == 0 || size > SIZE_MAX)
		return false;
	bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	*out = (struct apsp_file_map){bytes, size};
	return true;
}

void apsp_file_map_close(struct apsp_file_map *map)
{
	if (map->bytes)
		munmap(map->bytes, map->size);
	*map = (struct apsp_file_map){0};
}

struct populating {
	const struct apsp_file_map *map;
	const struct apsp_page_making *making;
	atomic_size_t next; /* in making->shares */
	atomic_bool failed;
};

static void *shares_populate(void *arg)
{
	struct populating *all = arg;
	const struct apsp_page_making *making = all->making;
	size_t size = all->map->size, i;

	while ((i = atomic_fetch_add(&all->next, 1)) < making->n &&
		!apsp_stop_reason(making->stop) && !atomic_load(&all->failed)) {
		size_t at = making->shares[i] * (size_t)SHARE;

		if (madvise(all->map->bytes + at,
			    size - at < SHARE ? size - at : SHARE,
			    MADV_POPULATE_WRITE) == 0)
			making->made(making->ctx, making->shares[i]);
		else
			atomic_store(&all->failed, true);
	}
	return NULL;
}

bool apsp_file_map_populate(
	const struct apsp_file_map *map, const struct apsp_page_making *making)
{
	struct populating all = {.map = map, .making = making};
	/* our own threads: the pool runs one loop at a time, the solve's */
	pthread_t others[POPULATE_THREADS - 1];
	unsigned int width = apsp_parallel_width(), n = 0;

	if (width > POPULATE_THREADS)
		width = POPULATE_THREADS;
	while (n + 1 < width && n + 1 < making->n &&
		pthread_create(&others[n], NULL, shares_populate, &all) == 0)
		n++;
	shares_populate(&all);
	while (n > 0)
		pthread_join(others[--n], NULL);
	return !atomic_load(&all.failed) && !apsp_stop_reason(making->stop);
}

bool apsp_file_map_write(const struct apsp_file_map *map, uint64_t offset,
	const unsigned char *data, size_t n)
{
	sigjmp_buf out;

	if (sigsetjmp(out, 1) != 0) {
		way_out = NULL;
		return false;
	}
	way_out = &out;
	memcpy(map->bytes + offset, data, n * APSP_TABLE_BLOCK);
	way_out = NULL;
	return true;
}
