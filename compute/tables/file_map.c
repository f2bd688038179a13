/*
 * Writes a file through a shared mapping; see file_map.h.
 */
#include "compute/tables/file_map.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon/job/table_file.h"

/* The lock and the previous handler of SIGBUS are globals, because a process
   has only one handler for each signal. */
static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction previous;

/* The place in the code at which this thread continues if it gets SIGBUS while
   it writes to a mapping. NULL: the thread is not writing to a mapping. */
static _Thread_local sigjmp_buf *volatile way_out;

static void on_sigbus(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (way_out && info->si_code > 0)
		siglongjmp(*way_out, 1);
	/* The process got SIGBUS, but not because of a copy into a mapping.
	   Leave the signal to the previous handler: when on_sigbus() returns,
	   the faulty access is repeated and raises SIGBUS again. */
	sigaction(number, &previous, NULL);
	if (info->si_code <= 0)
		raise(number);
}

/* Make on_sigbus() the handler of SIGBUS, unless it already is. */
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
		/* `previous` is set before the handler is installed, because
		   the handler reads it */
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
