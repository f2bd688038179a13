/*
 * The newest view of every graph by name: what requests look at. Any thread; a
 * lookup is a short lock, a search and one counter (design.md, decision 5).
 */
#ifndef APSP_STORAGE_REGISTRY_H
#define APSP_STORAGE_REGISTRY_H

#include <stddef.h>

#include "storage/graphs.h"

struct apsp_registry;

int apsp_registry_new(struct apsp_registry **out, struct apsp_err *err);
void apsp_registry_free(struct apsp_registry *registry);

/* One reference more for the caller, or NULL. */
const struct apsp_graph_view *apsp_registry_get(
	struct apsp_registry *registry, const char *name);

/* See apsp_graphs_list(). */
size_t apsp_registry_list(struct apsp_registry *registry, const char *after,
	const struct apsp_graph_view **out, size_t max);

/* Make room for n more graphs, so that apsp_registry_set() cannot fail. */
int apsp_registry_reserve(
	struct apsp_registry *registry, size_t n, struct apsp_err *err);

/*
 * Show view (whose reference is taken over) as graph name from now on, or
 * nothing where it is NULL. The writer only.
 */
void apsp_registry_set(struct apsp_registry *registry, const char *name,
	const struct apsp_graph_view *view);

#endif
