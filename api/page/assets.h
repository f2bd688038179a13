/*
 * The files of the page, which api/embed.py embeds at build time.
 */
#ifndef APSP_API_PAGE_ASSETS_H
#define APSP_API_PAGE_ASSETS_H

#include "api/packed_file.h"

/* An entry with the name NULL ends the list. */
extern const struct apsp_packed_file apsp_page_files[];

/* A hash of all files. In URLs, the hash is the name of the files' folder. */
extern const char apsp_page_set[];

#endif
