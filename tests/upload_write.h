/*
 * All steps of an upload for a piece of its body.
 */
#ifndef APSP_TESTS_UPLOAD_WRITE_H
#define APSP_TESTS_UPLOAD_WRITE_H

#include "storage/ingest/upload/upload.h"

static inline int upload_write(struct apsp_upload *upload, const char *data,
	size_t size, struct apsp_err *err)
{
	int r = 1;

	while (r > 0)
		r = apsp_upload_step(upload, &data, &size, err);
	return r;
}

#endif
