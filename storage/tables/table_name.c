/*
 * Makes and recognises the names of table files; see table_name.h.
 */
#include "storage/tables/table_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENDING ".apsp"

enum {
	NAME_SIZE = 32, /* with its NUL */
};

static void name_format(uint64_t id, char out[NAME_SIZE])
{
	snprintf(out, NAME_SIZE, "%" PRIu64 ENDING, id);
}

bool apsp_table_name_matches(const char *file_name)
{
	char name[NAME_SIZE];
	uint64_t id;

	if (*file_name < '1' || *file_name > '9')
		return false;
	id = strtoull(file_name, NULL, 10);
	name_format(id, name);
	return id <= INT64_MAX && strcmp(name, file_name) == 0;
}

char *apsp_table_name_path(const char *dir, uint64_t id)
{
	char name[NAME_SIZE];
	char *path;

	name_format(id, name);
	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}
