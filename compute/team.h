/*
 * Threads that stay between loops over the host's processors. To start threads
 * for each of many short loops (parallel.h) takes about as long as the loops
 * where there are 16 processors.
 */
#ifndef APSP_COMPUTE_TEAM_H
#define APSP_COMPUTE_TEAM_H

#include <stddef.h>

struct apsp_team;

/*
 * Make a team of as many threads as the processors that this process may run
 * on; the caller's own thread is one of them. The others start with the first
 * loop that has work for them, and sleep between loops. NULL: no memory; then
 * apsp_team_for() does the whole loop on the caller's thread.
 */
struct apsp_team *apsp_team_new(void);
void apsp_team_free(struct apsp_team *team);

/*
 * Threads of the team, as many as its loops may need of what each thread has of
 * its own. Stays as it is, unlike apsp_parallel_width(), which follows what the
 * process may run on. 1 for NULL.
 */
unsigned int apsp_team_width(const struct apsp_team *team);

/*
 * Call body(ctx, thread, i) for each i in [0, n), with thread in
 * [0, apsp_team_width(team)). Threads take one i at a time; if some cannot be
 * started, the others do their share. Blocks until all calls have returned. A
 * team does one loop at a time, for one caller.
 */
void apsp_team_for(struct apsp_team *team, size_t n,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

#endif
