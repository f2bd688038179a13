/*
 * The name of a table file in its directory: "<id>.apsp", where id is the id of
 * the job that made the tables.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_NAME_H
#define APSP_STORAGE_TABLES_TABLE_NAME_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a file name has the form "<id>.apsp". */
bool apsp_table_name_matches(const char *file_name);

/* Return the path dir/<id>.apsp, which the caller frees; NULL: out of
   memory. */
char *apsp_table_name_path(const char *dir, uint64_t id);

#endif
