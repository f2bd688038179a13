/* Copies rows of distances and predecessors from a device to the host. The rows
   and the columns are in the order of the vertices in the uploaded graph. The
   device has proved these rows (compute/tables/README.md, Predecessors). */
#ifndef APSP_COMPUTE_TABLES_DOWNLOAD_H
#define APSP_COMPUTE_TABLES_DOWNLOAD_H

#include <stdint.h>

#include "compute/device/panels.h"
#include "compute/progress.h"
#include "compute/tables/predecessors.h"
#include "compute/tables/table_rows.h"
#include "compute/tables/verdict.h"
#include "daemon/base/err.h"

struct apsp_download;

/*
 * Prepare to copy rows from the device and to append them to *rows. The rows
 * are copied in chunks, whose size apsp_download_chunk() chooses. The arguments
 * must outlive *out, which the caller frees. APSP_ELIMIT: a buffer does not fit
 * the device; APSP_EPROOF: the arcs that were read back from the device are not
 * arcs of the graph; APSP_ENOMEM, APSP_EDEVICE.
 */
int apsp_download_open(struct apsp_predecessors *predecessors,
	struct apsp_progress *progress, struct apsp_table_rows *rows,
	struct apsp_download **out, struct apsp_err *err);
void apsp_download_free(struct apsp_download *download);

/*
 * Append the rows that are in `panels` (the distance matrix on the device,
 * panels.h) to the tables. They must be the next rows of the tables. While the
 * host works on one chunk of rows, the device works on the next chunk. Add to
 * *finite the number of finite distances that the device has counted in these
 * rows.
 *
 * Returns an enum apsp_verdict or an error. APSP_EPROOF: distances or
 * predecessors are wrong, because a kernel, a driver or the card has a defect;
 * APSP_ECANCELLED; APSP_EDEVICE; the errors of apsp_table_rows_append().
 */
int apsp_download_rows(struct apsp_download *download,
	const struct apsp_panels *panels, uint64_t *finite,
	struct apsp_err *err);

#endif
