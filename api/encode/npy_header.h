/*
 * The header of a NumPy file, version 1.0 (NumPy Enhancement Proposal 1). The
 * elements follow the header in C order.
 */
#ifndef APSP_API_ENCODE_NPY_HEADER_H
#define APSP_API_ENCODE_NPY_HEADER_H

#include <stdint.h>

enum {
	APSP_NPY_HEADER_SIZE = 128, /* bytes of every header */
	APSP_NPY_DIMENSIONS_MAX = 3,
};

/*
 * Write a header. `kind` and `width` are the two parts of NumPy's name for the
 * element type, such as 'f' and 4. The byte order is the host's. n_dimensions
 * is 1 to 3.
 */
void apsp_npy_header_write(char kind, unsigned int width,
	const uint64_t *dimensions, unsigned int n_dimensions,
	char out[APSP_NPY_HEADER_SIZE]);

#endif
