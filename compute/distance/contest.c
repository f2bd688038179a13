/*
 * Compares the pace of `multi-source` with the estimate for its rival; see
 * contest.h.
 */
#include "compute/distance/contest.h"

#include "daemon/base/clock.h"

/* The algorithm `multi-source` is not given up before it has run for this
   fraction of give_up_s. */
#define SOON 0.1

static double clock_s(const struct apsp_contest *contest)
{
	return contest->n_processors > 0
		       ? apsp_clock_process_s() / contest->n_processors
		       : apsp_clock_s();
}

void apsp_contest_go(struct apsp_contest *contest)
{
	if (contest)
		contest->since_s = clock_s(contest);
}

void apsp_contest_pause(struct apsp_contest *contest)
{
	if (contest)
		contest->spent_s += clock_s(contest) - contest->since_s;
}

/* Return which fraction of the work is done when the first n_sources sources
   are done. Work is measured by the number of pairs that have a path, because
   sources that reach few vertices take less time than others. */
static double share_of(struct apsp_contest *contest, double n_sources)
{
	const struct apsp_bits *closure = contest->closure;

	for (; contest->n_counted < closure->n_rows &&
		(double)contest->n_counted < n_sources;
		contest->n_counted++) {
		uint64_t at = contest->n_counted;
		const uint64_t *row = apsp_bits_row(closure,
			contest->order ? contest->order->vertices[at] : at);

		for (uint64_t w = 0; w < closure->row_words; w++)
			contest->n_pairs +=
				(uint64_t)__builtin_popcountll(row[w]);
	}
	return (double)contest->n_pairs / (double)contest->n_reachable;
}

int apsp_contest_check(
	struct apsp_contest *contest, double n_sources, struct apsp_err *err)
{
	double spent_s, least;

	if (!contest)
		return 0;
	spent_s = contest->spent_s + clock_s(contest) - contest->since_s;
	/* If less than this fraction of the work is done, the rest of the work
	   would take longer than give_up_s at the pace so far. */
	least = spent_s / (spent_s + contest->give_up_s);
	if (spent_s < SOON * contest->give_up_s ||
		share_of(contest, n_sources) >= least)
		return 0;
	contest->lost = true;
	contest->lost_s = spent_s;
	return apsp_fail(err, APSP_ECANCELLED, "multi-source is too slow here");
}
