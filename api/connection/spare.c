/*
 * The rank of a connection, by how long it has been without use and by the
 * kernel's counts of what its client has taken; see spare.h. <linux/tcp.h> has
 * members of struct tcp_info that <netinet/tcp.h> of glibc 2.36 lacks.
 */
#include "api/connection/spare.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

enum {
	SPEAKING_MS = 10,
	RESTING_MS = 1000,
	READING_MS = 1000,
	SLOW_PACE = 1 << 20, /* bytes a second */
	/* before a pace is one: the kernel counts in ticks of up to 10 ms */
	PACE_US = 10000,
};

/*
 * The bytes that a client has taken over its connection's life, by each second
 * in which some were on their way to it. INT64_MAX: not known.
 */
static int64_t pace(int fd)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);
	uint64_t scaled;

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 ||
		size < offsetof(struct tcp_info, tcpi_busy_time) +
				sizeof(info.tcpi_busy_time) ||
		info.tcpi_busy_time < PACE_US ||
		__builtin_mul_overflow(
			info.tcpi_bytes_acked, UINT64_C(1000000), &scaled))
		return INT64_MAX;
	return (int64_t)(scaled / info.tcpi_busy_time);
}

static bool has_lasted(int64_t since_ns, int64_t now_ns, int ms)
{
	return since_ns + (int64_t)ms * 1000000 <= now_ns;
}

struct apsp_spare apsp_spare_judge(const struct apsp_use *use, int64_t now_ns)
{
	int64_t taken;

	if (!use->busy) {
		enum apsp_spare_rank rank = APSP_SPARE_PAUSE;

		if (has_lasted(use->idle_since_ns, now_ns, RESTING_MS))
			rank = APSP_SPARE_RESTING;
		if (!use->asked &&
			has_lasted(use->idle_since_ns, now_ns, SPEAKING_MS))
			rank = APSP_SPARE_SILENT;
		return (struct apsp_spare){rank, use->idle_since_ns};
	}
	if (use->replying_since_ns == 0)
		return (struct apsp_spare){APSP_SPARE_STAYS, 0};
	taken = pace(use->fd);
	if (taken < SLOW_PACE)
		return (struct apsp_spare){APSP_SPARE_SLOW, taken};
	if (has_lasted(use->replying_since_ns, now_ns, READING_MS))
		return (struct apsp_spare){
			APSP_SPARE_READING, use->replying_since_ns};
	return (struct apsp_spare){APSP_SPARE_STAYS, 0};
}

bool apsp_spare_before(
	const struct apsp_spare *one, const struct apsp_spare *other)
{
	if (one->rank != other->rank)
		return one->rank < other->rank;
	return one->order < other->order;
}
