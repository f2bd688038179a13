/*
 * The name of a table file in its directory: "<id>.apsp", where id is the job
 * that made the tables.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_NAME_H
#define APSP_STORAGE_TABLES_TABLE_NAME_H

#include <stdbool.h>
#include <stdint.h>

enum {
	APSP_TABLE_NAME_SIZE = 32, /* with its NUL */
};

void apsp_table_name_format(uint64_t id, char out[APSP_TABLE_NAME_SIZE]);

/* Whether this is a name that apsp_table_name_format() makes. */
bool apsp_table_name_matches(const char *file_name);

/* dir/<id>.apsp in malloc()'s memory; NULL: no memory. */
char *apsp_table_name_path(const char *dir, uint64_t id);

#endif
