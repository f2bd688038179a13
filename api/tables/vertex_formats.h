/*
 * The values of one vertex in every format.
 */
#ifndef APSP_API_TABLES_VERTEX_FORMATS_H
#define APSP_API_TABLES_VERTEX_FORMATS_H

#include "api/tables/vertex_internal.h"

/* Append what comes next to values->text; sets ended after the last. */
void apsp_vertex_formats_tell(struct apsp_vertex_values *values);

#endif
