/*
 * Compares the checksums and the header of a finished table file; see
 * file_comparison.h.
 */
#include "compute/tables/file_comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "daemon/base/file.h"

enum apsp_section apsp_section_at(
	const struct apsp_table_header *header, uint64_t offset)
{
	int s = APSP_N_SECTIONS - 1;

	while (s > 0 && (header->sections[s].size == 0 ||
				offset < header->sections[s].offset))
		s--;
	return (enum apsp_section)s;
}

int apsp_file_part_read(
	int fd, void *out, size_t size, uint64_t offset, struct apsp_err *err)
{
	ssize_t n = apsp_file_read(fd, out, size, offset);

	return n == (ssize_t)size
		       ? 0
		       : apsp_fail_errno(err, n < 0 ? errno : EIO,
				 "read the table file from byte %" PRIu64,
				 offset);
}

/* Compare the checksums that the file stores with the argument `checksums`. */
static int blocks_compare(int fd, const struct apsp_table_header *header,
	const uint64_t *checksums, struct apsp_err *err)
{
	uint64_t n = header->data_end / APSP_TABLE_BLOCK, sums[512], step;
	int r = 0;

	for (uint64_t at = 0; r == 0 && at < n; at += step) {
		step = n - at < 512 ? n - at : 512;
		r = apsp_file_part_read(fd, sums, step * sizeof(*sums),
			header->data_end + at * sizeof(*sums), err);
		for (uint64_t i = 0; r == 0 && i < step; i++)
			if (sums[i] != checksums[at + i])
				r = apsp_fail(err, APSP_EPROOF,
					"its section %s differs from the "
					"section that was made from its arcs",
					apsp_section_name(apsp_section_at(
						header,
						(at + i) * APSP_TABLE_BLOCK)));
	}
	return r;
}

/* Store the revision and the profile hash of the file's header in *header, and
   seal *header with them (apsp_table_header_seal()). Then compare *header with
   the file's header. */
static int header_compare(
	int fd, struct apsp_table_header *header, struct apsp_err *err)
{
	struct apsp_table_header found;
	int r = apsp_file_part_read(fd, &found, sizeof(found), 0, err);

	if (r < 0)
		return r;
	apsp_table_header_seal(header, found.revision, found.profile_hash);
	return memcmp(&found, header, sizeof(found)) == 0
		       ? 0
		       : apsp_fail(err, APSP_EPROOF,
				 "its header differs from the header that was "
				 "made from its arcs");
}

int apsp_file_comparison_run(int fd, struct apsp_table_header *header,
	const uint64_t *checksums, struct apsp_err *err)
{
	int r = blocks_compare(fd, header, checksums, err);

	return r < 0 ? r : header_compare(fd, header, err);
}
