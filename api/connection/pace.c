/*
 * The pace of a client; see pace.h.
 */
#include "api/connection/pace.h"

#include <stdatomic.h>

#define SECOND_NS INT64_C(1000000000)
#define WINDOW_NS (5 * SECOND_NS)

void apsp_pace_reset(struct apsp_pace *pace)
{
	atomic_store(&pace->since_ns, 0);
	atomic_store(&pace->waited_ns, 0);
	atomic_store(&pace->bytes, 0);
}

void apsp_pace_wait(struct apsp_pace *pace, int64_t now_ns)
{
	atomic_store(&pace->since_ns, now_ns);
}

void apsp_pace_moved(struct apsp_pace *pace, uint64_t bytes, int64_t now_ns)
{
	int64_t most = 2 * (int64_t)pace->stated_rate * (WINDOW_NS / SECOND_NS);
	int64_t since_ns = atomic_exchange(&pace->since_ns, 0);
	int64_t waited_ns = atomic_load(&pace->waited_ns);
	int64_t sum = atomic_load(&pace->bytes);

	if (since_ns != 0)
		waited_ns += now_ns - since_ns;
	sum = bytes < (uint64_t)most ? sum + (int64_t)bytes : most;
	/* if we have waited for longer than WINDOW_NS, reduce the waited time
	   to WINDOW_NS, and the bytes by the same factor */
	if (waited_ns > WINDOW_NS) {
		sum = (int64_t)((double)sum * WINDOW_NS / (double)waited_ns);
		waited_ns = WINDOW_NS;
	}
	atomic_store(&pace->bytes, sum < most ? sum : most);
	atomic_store(&pace->waited_ns, waited_ns);
}

int64_t apsp_pace_rate(
	const struct apsp_pace *pace, int64_t now_ns, int64_t least_wait_ns)
{
	int64_t since_ns = atomic_load(&pace->since_ns);
	int64_t waited_ns = atomic_load(&pace->waited_ns);

	if (since_ns == 0)
		return INT64_MAX;
	waited_ns += now_ns - since_ns;
	if (waited_ns < least_wait_ns)
		return INT64_MAX;
	return (int64_t)((double)atomic_load(&pace->bytes) * SECOND_NS /
			 (double)waited_ns);
}
