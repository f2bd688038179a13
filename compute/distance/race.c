/*
 * The pace of a race; see race.h.
 */
#include "compute/distance/race.h"

#include "daemon/base/clock.h"

/* The share of the other algorithm's time before which the pace is not judged.
   A lost race costs little more than that. */
#define SOON 0.1

static double clock_s(const struct apsp_race *race)
{
	return race->width > 0 ? apsp_clock_process_s() / race->width
			       : apsp_clock_s();
}

void apsp_race_go(struct apsp_race *race)
{
	if (race)
		race->since_s = clock_s(race);
}

void apsp_race_pause(struct apsp_race *race)
{
	if (race)
		race->spent_s += clock_s(race) - race->since_s;
}

/* The share of the pairs with a path that the first n_sources have. Sources of
   a small component take less time than those of a large one. */
static double share_of(struct apsp_race *race, double n_sources)
{
	const struct apsp_bits *closure = race->closure;

	for (; race->n_counted < closure->n_rows &&
		(double)race->n_counted < n_sources;
		race->n_counted++) {
		uint64_t at = race->n_counted;
		const uint64_t *row = apsp_bits_row(
			closure, race->order ? race->order->vertices[at] : at);

		for (uint64_t w = 0; w < closure->row_words; w++)
			race->pairs += (uint64_t)__builtin_popcountll(row[w]);
	}
	return (double)race->pairs / (double)race->n_reachable;
}

int apsp_race_check(
	struct apsp_race *race, double n_sources, struct apsp_err *err)
{
	double spent_s, worth;

	if (!race)
		return 0;
	spent_s = race->spent_s + clock_s(race) - race->since_s;
	/* the least share that must be done to make it worth going on */
	worth = spent_s / (spent_s + race->limit_s);
	if (spent_s < SOON * race->limit_s ||
		share_of(race, n_sources) >= worth)
		return 0;
	race->lost = true;
	race->lost_s = spent_s;
	return apsp_fail(err, APSP_ECANCELLED, "multi-source is too slow here");
}
