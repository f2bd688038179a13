/*
 * Headers of NumPy files; see npy_header.h. The header is filled up with
 * blanks, so that the elements begin at a multiple of 64 bytes.
 */
#include "api/encode/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	PREFIX = 10, /* bytes before the text: magic string, version and length
			of the text */
};

void apsp_npy_header_write(char kind, unsigned int width,
	const uint64_t *dimensions, unsigned int n_dimensions,
	char out[APSP_NPY_HEADER_SIZE])
{
	const size_t length = APSP_NPY_HEADER_SIZE - PREFIX;
	char text[APSP_NPY_HEADER_SIZE];
	char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
	size_t n;

	n = (size_t)snprintf(text, sizeof(text),
		"{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
		width == 1 ? '|' : order, kind, width);
	/* `text` is large enough for three numbers of 20 digits */
	for (unsigned int i = 0; i < n_dimensions; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%" PRIu64 ",", dimensions[i]);
	n -= n_dimensions > 1; /* drop the last comma, unless the shape
				  has only one dimension: (3,) */
	n += (size_t)snprintf(text + n, sizeof(text) - n, "), }");
	memset(out, ' ', APSP_NPY_HEADER_SIZE);
	memcpy(out, "\x93NUMPY\x01\x00", 8);
	out[8] = (char)(length & 0xff);
	out[9] = (char)(length >> 8);
	memcpy(out + PREFIX, text, n);
	out[APSP_NPY_HEADER_SIZE - 1] = '\n';
}
