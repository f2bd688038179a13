/*
 * The origin of a graph: the stored graph from which it was made
 * (storage/derivation.h). The record of the new graph names the origin. The new
 * graph does not change when its origin changes.
 */
#ifndef APSP_STORAGE_INGEST_ORIGIN_H
#define APSP_STORAGE_INGEST_ORIGIN_H

#include "daemon/base/name.h"
#include "daemon/job/table_file.h"

struct apsp_origin {
	char graph[APSP_NAME_SIZE]; /* "": the graph was uploaded */
	char revision[APSP_HASH_SIZE];
	/* the question that made the graph from its origin, as a JSON object:
	   {"by":"type"} adds up the arcs between values of the attribute
	   `type`; {"match":[…]} keeps chosen vertices. NULL: the graph was
	   uploaded. Owned by the struct that has the origin */
	char *question;
};

#endif
