/*
 * The page's files, embedded at build by api/embed.py.
 */
#ifndef APSP_API_PAGE_ASSETS_H
#define APSP_API_PAGE_ASSETS_H

#include "api/packed_file.h"

/* Ends with a NULL name. */
extern const struct apsp_packed_file apsp_page_files[];

/* The folder's name in URLs: a hash of all files. */
extern const char apsp_page_set[];

#endif
