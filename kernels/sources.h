/*
 * The kernels' sources, embedded at build by embed.py.
 */
#ifndef APSP_KERNELS_SOURCES_H
#define APSP_KERNELS_SOURCES_H

struct apsp_kernel_source {
	const char *name; /* name of the file, without ".cl" */
	const char *text;
};

/* Ends with a NULL name. */
extern const struct apsp_kernel_source apsp_kernel_sources[];

#endif
