/*
 * Headers of tar archives; see tar.h.
 */
#include "storage/ingest/tar.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"

/* The fields of a header (POSIX.1-2001, pax, ustar Interchange Format). */
struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char device_major[8];
	char device_minor[8];
	char prefix[155];
	char unused[12];
};

_Static_assert(sizeof(struct header) == APSP_TAR_BLOCK, "a header is a block");

size_t apsp_tar_header_size(uint64_t size)
{
	return size < APSP_TAR_LARGE ? APSP_TAR_BLOCK : APSP_TAR_HEADER_MAX;
}

size_t apsp_tar_padding(uint64_t size)
{
	return (size_t)(-size % APSP_TAR_BLOCK);
}

/* Write a number in octal digits with leading zeros, and a NUL at the end of
   the field. */
static void octal_write(char *field, size_t field_size, uint64_t value)
{
	field[--field_size] = '\0';
	while (field_size > 0) {
		field[--field_size] = (char)('0' + value % 8);
		value /= 8;
	}
}

/* Return the sum of all bytes of a header, with blanks in place of the
   checksum. */
static unsigned int checksum(const struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	unsigned int sum = 0;

	for (size_t i = 0; i < sizeof(*header); i++)
		sum += bytes[i];
	for (size_t i = 0; i < sizeof(header->checksum); i++)
		sum += ' ' - (unsigned char)header->checksum[i];
	return sum;
}

static void block_write(char *out, const char *name, char type, uint64_t size)
{
	struct header header = {.type = type};

	memcpy(header.name, name, strnlen(name, sizeof(header.name)));
	octal_write(header.mode, sizeof(header.mode), 0644);
	octal_write(header.uid, sizeof(header.uid), 0);
	octal_write(header.gid, sizeof(header.gid), 0);
	octal_write(header.size, sizeof(header.size), size);
	octal_write(header.mtime, sizeof(header.mtime), 0);
	memcpy(header.magic, "ustar", sizeof("ustar"));
	memcpy(header.version, "00", 2);
	octal_write(header.device_major, sizeof(header.device_major), 0);
	octal_write(header.device_minor, sizeof(header.device_minor), 0);
	/* the field of the checksum ends with a NUL and a blank */
	octal_write(header.checksum, sizeof(header.checksum) - 1,
		checksum(&header));
	header.checksum[sizeof(header.checksum) - 1] = ' ';
	memcpy(out, &header, sizeof(header));
}

size_t apsp_tar_header_write(
	const char *name, uint64_t size, char out[APSP_TAR_HEADER_MAX])
{
	char *record = out + APSP_TAR_BLOCK;
	int length;

	if (size < APSP_TAR_LARGE) {
		block_write(out, name, APSP_TAR_FILE, size);
		return APSP_TAR_BLOCK;
	}
	memset(record, 0, APSP_TAR_BLOCK);
	/* The record is "LL size=N\n". LL is the length of the record, and N is
	   the size, which has 10 to 20 digits, because it is at least 8 GiB. So
	   the record has 19 to 29 bytes, and LL has two digits. */
	length =
		snprintf(record, APSP_TAR_BLOCK, "00 size=%" PRIu64 "\n", size);
	record[0] = (char)('0' + length / 10);
	record[1] = (char)('0' + length % 10);
	block_write(out, "pax", APSP_TAR_PAX, (uint64_t)length);
	/* readers replace this size by the size in the record */
	block_write(record + APSP_TAR_BLOCK, name, APSP_TAR_FILE, 0);
	return APSP_TAR_HEADER_MAX;
}

/*
 * Read a number of octal digits. Blanks may precede the digits, and a blank, a
 * NUL or the end of the field ends them. If a number is too large for the
 * field, GNU tar writes it as bytes in big-endian order, and sets the first
 * bit. Returns false if the field has neither form, or if the number has more
 * than 63 bits.
 */
static bool number_read(const char *field, size_t size, uint64_t *out)
{
	const unsigned char *p = (const unsigned char *)field;
	const unsigned char *end = p + size;
	uint64_t value = 0;
	bool is_octal = *p != 0x80, any = !is_octal;

	if (!is_octal)
		p++;
	while (is_octal && p < end && *p == ' ')
		p++;
	for (; p < end; p++) {
		if (is_octal && (*p < '0' || *p > '7'))
			break;
		if (value >> (is_octal ? 60 : 55))
			return false;
		value = is_octal ? value * 8 + (uint64_t)(*p - '0')
				 : value << 8 | *p;
		any = true;
	}
	for (; p < end; p++)
		if (*p != ' ' && *p != '\0')
			return false;
	*out = value;
	return any;
}

static int type_check(char type, const char *name, struct apsp_err *err)
{
	const char *what = "of an unknown type";

	if (type == APSP_TAR_FILE || type == APSP_TAR_DIRECTORY ||
		type == APSP_TAR_PAX)
		return 0;
	if (type == '1' || type == '2')
		what = "a link";
	if (type >= '3' && type <= '6')
		what = "a device or a pipe";
	if (type == 'S')
		what = "a sparse file";
	return apsp_fail(err, APSP_EDATA,
		"the member '%s' is %s, expected a plain file",
		apsp_excerpt_of(name, strlen(name)).text, what);
}

int apsp_tar_header_read(const char block[APSP_TAR_BLOCK],
	struct apsp_tar_header *out, struct apsp_err *err)
{
	struct apsp_tar_header read = {0};
	struct header header;
	uint64_t sum;
	bool is_posix, is_gnu;
	int r;

	memcpy(&header, block, sizeof(header));
	is_posix = memcmp(header.magic,
			   "ustar\0"
			   "00",
			   8) == 0;
	is_gnu = memcmp(header.magic, "ustar  \0", 8) == 0;
	if ((!is_posix && !is_gnu) ||
		!number_read(header.checksum, sizeof(header.checksum), &sum) ||
		sum != checksum(&header))
		return apsp_fail(err, APSP_EDATA,
			"found no header of a tar archive where a member "
			"should "
			"begin; the archive is damaged");
	memcpy(read.name, header.name, sizeof(header.name));
	read.type = header.type == '\0' ? (char)APSP_TAR_FILE : header.type;
	r = type_check(read.type, read.name, err);
	if (r < 0)
		return r;
	/* the field `prefix` is used only for names of more than 100 bytes */
	if (is_posix && header.prefix[0] != '\0')
		return apsp_fail(err, APSP_EDATA,
			"the name of the member '%s' is too long",
			apsp_excerpt_of(read.name, strlen(read.name)).text);
	if (!number_read(header.size, sizeof(header.size), &read.size))
		return apsp_fail(err, APSP_EDATA,
			"the size of the member '%s' is no number",
			apsp_excerpt_of(read.name, strlen(read.name)).text);
	*out = read;
	return 0;
}
