/*
 * As many of the process's threads (thread_pool.h) as there were processors
 * when the team was made: what holds memory for each thread takes part in no
 * wider loop, even if the process may run on more processors since.
 */
#ifndef APSP_COMPUTE_TEAM_H
#define APSP_COMPUTE_TEAM_H

#include <stddef.h>

struct apsp_team;

/* NULL: no memory; then its loops are done by their caller alone. */
struct apsp_team *apsp_team_new(void);
void apsp_team_free(struct apsp_team *team);

/*
 * What apsp_parallel_width() was when the team was made, 1 for NULL: for so
 * many threads its users hold memory.
 */
unsigned int apsp_team_width(const struct apsp_team *team);

/* apsp_parallel_for() with thread in [0, apsp_team_width(team)). */
void apsp_team_for(struct apsp_team *team, size_t n,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

/* One of the loops that run side by side. */
struct apsp_team_part {
	size_t n;
	void (*body)(void *ctx, unsigned int thread, size_t i);
	void *ctx;
};

/*
 * The same for n_parts loops, without a wait between them: who finds nothing
 * more to do in one goes on with the next.
 */
void apsp_team_parts(struct apsp_team *team, const struct apsp_team_part *parts,
	size_t n_parts);

#endif
