/*
 * A width that stays; see team.h.
 */
#include "compute/team.h"

#include <stdint.h>
#include <stdlib.h>

#include "compute/parallel.h"

struct apsp_team {
	unsigned int width;
};

struct apsp_team *apsp_team_new(void)
{
	struct apsp_team *team = malloc(sizeof(*team));

	if (team)
		team->width = apsp_parallel_width();
	return team;
}

void apsp_team_free(struct apsp_team *team)
{
	free(team);
}

unsigned int apsp_team_width(const struct apsp_team *team)
{
	return team ? team->width : 1;
}

void apsp_team_for(struct apsp_team *team, size_t n,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	apsp_parallel_for(n, apsp_team_width(team), body, ctx);
}

static void parts_body(void *ctx, unsigned int thread, size_t i)
{
	const struct apsp_team_part *part = ctx;

	for (; i >= part->n; part++)
		i -= part->n;
	part->body(part->ctx, thread, i);
}

void apsp_team_parts(struct apsp_team *team, const struct apsp_team_part *parts,
	size_t n_parts)
{
	size_t n = 0;

	for (size_t p = 0; p < n_parts; p++)
		n += parts[p].n;
	apsp_team_for(team, n, parts_body, (void *)(uintptr_t)parts);
}
