/*
 * For LD_PRELOAD: a time of day that a test sets while the program runs. The
 * file APSP_CLOCK begins with the seconds to add to the machine's, an int64_t
 * in the host's byte order. The time that passes stays the machine's
 * (tests/e2e/test_clock.py).
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const int64_t none;
/* libraries that begin before this one ask for the time, too */
static const volatile int64_t *ahead_s = &none;

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("APSP_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *map = fd < 0 ? MAP_FAILED
			   : mmap(NULL, sizeof(*ahead_s), PROT_READ, MAP_SHARED,
				     fd, 0);

	if (map == MAP_FAILED)
		abort();
	close(fd);
	ahead_s = map;
}

int clock_gettime(clockid_t id, struct timespec *out)
{
	int r = (int)syscall(SYS_clock_gettime, id, out);

	if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		out->tv_sec += *ahead_s;
	return r;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
	return 0;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}
