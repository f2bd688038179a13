/*
 * The table of closures.
 */
#include "compute/closure.h"

#include <stddef.h>
#include <string.h>

/* The first is the default. */
static const struct apsp_closure closures[] = {
	{"closure-order", apsp_closure_order_run},
	{"closure-squaring", apsp_closure_squaring_run},
	{"closure-warshall", apsp_closure_warshall_run},
};

const struct apsp_closure *apsp_closure_find(const char *name)
{
	if (!name[0])
		return &closures[0];
	for (size_t i = 0; i < sizeof(closures) / sizeof(*closures); i++)
		if (strcmp(closures[i].name, name) == 0)
			return &closures[i];
	return NULL;
}
