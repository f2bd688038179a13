/*
 * The kernels' sources, embedded at build by embed.py.
 */
#ifndef APSP_KERNELS_SOURCES_H
#define APSP_KERNELS_SOURCES_H

struct apsp_kernel_source {
	const char *name; /* name of the file, without ".cl" */
	const char *text;
};

/* The list of sources; in the entry after the last one, `name` is NULL. */
extern const struct apsp_kernel_source apsp_kernel_sources[];

#endif
