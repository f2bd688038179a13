/*
 * The files of the page, which api/embed.py embeds at build time.
 */
#ifndef APSP_API_PAGE_ASSETS_H
#define APSP_API_PAGE_ASSETS_H

#include "api/packed_file.h"

/* The last file has the name NULL. */
extern const struct apsp_packed_file apsp_page_files[];

/* A hash of all files: the name of their folder in URLs. */
extern const char apsp_page_set[];

#endif
