/*
 * Copies the widths of the paths from the root and to the root to a device; see
 * root_buffers.h.
 */
#include "compute/device/root_buffers.h"

#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/graph/v_element.h"
#include "daemon/base/auto.h"

void apsp_root_buffers_done(struct apsp_root_buffers *buffers)
{
	apsp_device_buffer_done(&buffers->to);
	apsp_device_buffer_done(&buffers->from);
}

/* Make one of the two buffers. For each vertex, `values` has the width of the
   path to the root, or of the path from the root, as a rank: weights are
   numbered from the largest, which has rank 1. If `values` is NULL, all
   elements of the buffer are infinite. */
static int side_make(const struct apsp_device *device, const void *values,
	enum apsp_element element, const uint32_t *vertices, uint32_t n,
	cl_mem *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *copy = NULL;
	size_t size = apsp_element_size(element);

	copy = malloc((n + (size_t)1) * size);
	if (!copy)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the widths of paths of %u vertices", n);
	for (size_t i = 0; i < n; i++) {
		uint32_t v = vertices ? vertices[i] : (uint32_t)i;
		int64_t value = values ? apsp_root_widths_at(element, values, v)
				       : APSP_V_NOWHERE;

		apsp_v_element_store(element, &value, 1, copy + i * size);
	}
	return apsp_device_copy_make(device, n * size, copy, out, err);
}

int apsp_root_buffers_make(const struct apsp_device *device,
	const struct apsp_root_widths *root, enum apsp_element element,
	const uint32_t *vertices, uint32_t n, struct apsp_root_buffers *out,
	struct apsp_err *err)
{
	int r = side_make(device, root ? root->to : NULL, element, vertices, n,
		&out->to, err);

	return r < 0 ? r
		     : side_make(device, root ? root->from : NULL, element,
			       vertices, n, &out->from, err);
}
