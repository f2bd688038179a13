/*
 * The page's files, embedded at build by embed.py.
 */
#ifndef APSP_API_PAGE_ASSETS_H
#define APSP_API_PAGE_ASSETS_H

#include <stddef.h>

struct apsp_page_asset {
	const char *name;	     /* without folders */
	const char *type;	     /* Content-Type */
	const unsigned char *packed; /* by gzip */
	size_t packed_size;
	size_t size; /* unpacked */
};

/* Ends with a NULL name. */
extern const struct apsp_page_asset apsp_page_assets[];

/* The folder's name in URLs: a hash of all files. */
extern const char apsp_page_set[];

#endif
