/*
 * Names of table files; see table_name.h.
 */
#include "storage/tables/table_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ENDING ".apsp"

void apsp_table_name_format(uint64_t id, char out[APSP_TABLE_NAME_SIZE])
{
	snprintf(out, APSP_TABLE_NAME_SIZE, "%" PRIu64 ENDING, id);
}

bool apsp_table_name_matches(const char *file_name)
{
	size_t size = strlen(file_name), ending = strlen(ENDING);

	return size > ending && strcmp(file_name + size - ending, ENDING) == 0;
}

char *apsp_table_name_path(const char *dir, uint64_t id)
{
	char name[APSP_TABLE_NAME_SIZE];
	char *path;

	apsp_table_name_format(id, name);
	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}
