/*
 * The table writer: what it writes is read back byte for byte, whatever the
 * sizes of the pieces; its checksums are those of the blocks; refusals.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/tables/table_writer.h"
#include "daemon/base/checksum.h"
#include "daemon/base/size.h"
#include "daemon/base/auto.h"

/* so many that the file is mapped, on any machine */
unsigned int __wrap_apsp_parallel_processors(void);
unsigned int __wrap_apsp_parallel_processors(void)
{
	return 8;
}

enum {
	N = 500,
	M = 70000,
	PATH_SIZE = 256,
};

static char dir[PATH_SIZE];
static char path[PATH_SIZE + 16];

static int set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/apsp-writer-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/tables", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

static struct apsp_table_header example(void)
{
	struct apsp_table_header header = {
		.n_vertices = N,
		.n_arcs = M,
		.distance_kind = APSP_DISTANCE_SCALED,
		.scale = N,
		.sections[APSP_SECTION_BETWEENNESS] =
			{.element = APSP_ELEMENT_F64},
		.algorithm = "reference",
	};

	assert_int_equal(
		apsp_table_header_layout(&header, APSP_ELEMENT_I32, NULL), 0);
	return header;
}

static unsigned char byte_of(enum apsp_section section, uint64_t i)
{
	return (unsigned char)(i * 2654435761U >> 13 ^ i ^ section);
}

static unsigned char *section_bytes(
	const struct apsp_table_header *header, enum apsp_section section)
{
	uint64_t size = header->sections[section].size;
	unsigned char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	for (uint64_t i = 0; i < size; i++)
		bytes[i] = byte_of(section, i);
	return bytes;
}

struct filler {
	struct apsp_table_writer *writer;
	const struct apsp_table_header *header;
	enum apsp_section section;
	size_t piece; /* bytes an append; 0: growing pieces */
	int result;
};

static void *fill_section(void *ctx)
{
	struct filler *f = ctx;
	APSP_AUTO(apsp_free) unsigned char *bytes = NULL;
	uint64_t size = f->header->sections[f->section].size;
	size_t piece = f->piece ? f->piece : 1;

	bytes = section_bytes(f->header, f->section);
	for (uint64_t at = 0; at < size && f->result == 0;) {
		size_t step = piece < size - at ? piece : size - at;

		f->result = apsp_table_writer_append(
			f->writer, f->section, bytes + at, step, NULL);
		at += step;
		if (f->piece == 0)
			piece = piece * 3 + 1;
	}
	return NULL;
}

static unsigned char *read_file(uint64_t size)
{
	APSP_AUTO(apsp_close) int fd = -1;
	unsigned char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, bytes, size + 1), size);
	return bytes;
}

static void check_file(const struct apsp_table_header *header)
{
	APSP_AUTO(apsp_free) unsigned char *file = NULL;
	struct apsp_table_header written;
	uint64_t *sums;
	uint64_t n_blocks = header->data_end / APSP_TABLE_BLOCK;

	file = read_file(header->file_size);
	memcpy(&written, file, sizeof(written));
	assert_int_equal(apsp_table_header_check(
				 &written, header->file_size, false, NULL),
		0);
	assert_memory_equal(written.magic, "\0\0\0\0\0\0\0\0", 8);
	for (size_t i = sizeof(written); i < APSP_TABLE_BLOCK; i++)
		assert_int_equal(file[i], 0);
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		const struct apsp_section_place *p = &header->sections[s];
		uint64_t next = s + 1 < APSP_N_SECTIONS
					? header->sections[s + 1].offset
					: header->data_end;

		for (uint64_t i = 0; i < p->size; i++)
			assert_int_equal(file[p->offset + i], byte_of(s, i));
		for (uint64_t i = p->offset + p->size; i < next; i++)
			assert_int_equal(file[i], 0);
	}
	sums = (void *)(file + header->data_end);
	assert_int_equal(sums[0], 0);
	for (uint64_t b = 1; b < n_blocks; b++)
		assert_int_equal(
			sums[b], apsp_checksum(file + b * APSP_TABLE_BLOCK,
					 APSP_TABLE_BLOCK));
	assert_int_equal(
		written.blocks_checksum, apsp_checksum(sums, n_blocks * 8));
}

static void test_pieces(void **state)
{
	static const size_t pieces[] = {
		0,
		997,
		6026,
		APSP_TABLE_BLOCK - 1,
		APSP_TABLE_BLOCK,
		APSP_TABLE_BLOCK + 1,
		3 * APSP_TABLE_BLOCK,
		SIZE_MAX,
	};
	struct apsp_table_header header = example();

	(void)state;
	for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
		struct apsp_table_writer *writer = NULL;

		assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
					 &header, 1, 1, &writer, NULL),
			0);
		for (int s = APSP_N_SECTIONS - 1; s >= 0; s--) {
			struct filler f = {writer, &header, s, pieces[p], 0};

			fill_section(&f);
			assert_int_equal(f.result, 0);
		}
		assert_int_equal(
			apsp_table_writer_finish(writer, NULL, NULL), 0);
		apsp_table_writer_free(writer);
		check_file(&header);
	}
}

static void test_threads(void **state)
{
	struct apsp_table_header header = example();
	struct apsp_table_writer *writer = NULL;
	struct filler fillers[APSP_N_SECTIONS];
	pthread_t threads[APSP_N_SECTIONS];

	(void)state;
	assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
				 &header, 1, 1, &writer, NULL),
		0);
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		fillers[s] = (struct filler){writer, &header, s, 12345, 0};
		assert_int_equal(pthread_create(&threads[s], NULL, fill_section,
					 &fillers[s]),
			0);
	}
	for (int s = 0; s < APSP_N_SECTIONS; s++) {
		pthread_join(threads[s], NULL);
		assert_int_equal(fillers[s].result, 0);
	}
	assert_int_equal(apsp_table_writer_finish(writer, NULL, NULL), 0);
	apsp_table_writer_free(writer);
	check_file(&header);
}

/* Fill a section by pieces, of which each writer appends every third one: its
   own, so that the writers share most blocks. */
static void fill_share(struct apsp_table_writer *writer,
	const struct apsp_table_header *header, enum apsp_section section,
	size_t piece, unsigned int own, unsigned int n)
{
	uint64_t size = header->sections[section].size;
	APSP_AUTO(apsp_free) unsigned char *bytes = NULL;
	unsigned int turn = 0;

	bytes = section_bytes(header, section);
	for (uint64_t at = 0; at < size; at += piece, turn++) {
		size_t step = piece < size - at ? piece : size - at;

		if (turn % n != own)
			continue;
		assert_int_equal(
			apsp_table_writer_seek(writer, section, at, NULL), 0);
		/* in two appends, of which the second one continues */
		assert_int_equal(apsp_table_writer_append(writer, section,
					 bytes + at, step / 3, NULL),
			0);
		assert_int_equal(
			apsp_table_writer_append(writer, section,
				bytes + at + step / 3, step - step / 3, NULL),
			0);
	}
}

static void test_shared(void **state)
{
	static const size_t pieces[] = {997, 50000, APSP_TABLE_BLOCK,
		APSP_TABLE_BLOCK + 1, 5 * APSP_TABLE_BLOCK - 7};
	struct apsp_table_header header = example();
	enum { N_WRITERS = 3 };

	(void)state;
	for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
		struct apsp_table_writer *writers[N_WRITERS];

		assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_FIRST,
					 &header, 1, 1, &writers[0], NULL),
			0);
		for (unsigned int w = 1; w < N_WRITERS; w++)
			/* one by calls, and one by a mapping */
			assert_int_equal(
				apsp_table_writer_open(path, APSP_WRITER_JOINED,
					&header, 2, w == 1 ? 0 : 8, &writers[w],
					NULL),
				0);
		for (int s = 0; s < APSP_N_SECTIONS; s++) {
			struct filler f = {writers[0], &header, s, 997, 0};

			if (s != APSP_SECTION_DISTANCE &&
				s != APSP_SECTION_PREDECESSOR)
				fill_section(&f);
			else
				for (unsigned int w = N_WRITERS; w-- > 0;)
					fill_share(writers[w], &header, s,
						pieces[p], w, N_WRITERS);
		}
		for (unsigned int w = 1; w < N_WRITERS; w++) {
			struct apsp_message message = {.bytes = NULL};

			assert_int_equal(apsp_table_writer_pack(
						 writers[w], &message, NULL),
				0);
			assert_int_equal(apsp_table_writer_unpack(
						 writers[0], &message, NULL),
				0);
			assert_false(message.failed);
			assert_int_equal(message.at, message.size);
			apsp_message_done(&message);
			apsp_table_writer_free(writers[w]);
		}
		assert_int_equal(apsp_table_writer_gather(writers[0], NULL), 0);
		assert_int_equal(
			apsp_table_writer_finish(writers[0], NULL, NULL), 0);
		apsp_table_writer_free(writers[0]);
		check_file(&header);
	}
}

/* What has been appended is read again before the file is finished. */
static void test_read(void **state)
{
	static const uint64_t places[] = {0, 1, 65535, 65536, 70000, 131072};
	struct apsp_table_header header = example();
	const struct apsp_section_place *place =
		&header.sections[APSP_SECTION_DISTANCE];
	struct apsp_table_writer *writer = NULL;
	struct filler f;
	unsigned char *out = malloc(place->size);
	unsigned char byte;
	int fd;

	(void)state;
	assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
				 &header, 1, 1, &writer, NULL),
		0);
	f = (struct filler){writer, &header, APSP_SECTION_DISTANCE, 12345, 0};
	fill_section(&f);
	for (size_t p = 0; p < sizeof(places) / sizeof(*places); p++)
		for (size_t size = 1; size <= place->size - places[p];
			size = size * 40 + 3) {
			assert_int_equal(apsp_table_writer_read(writer,
						 APSP_SECTION_DISTANCE,
						 places[p], out, size, NULL),
				0);
			for (size_t i = 0; i < size; i++)
				assert_int_equal(
					out[i], byte_of(APSP_SECTION_DISTANCE,
							places[p] + i));
		}
	/* the last bytes, too, which wait for a whole block */
	assert_int_equal(apsp_table_writer_read(writer, APSP_SECTION_DISTANCE,
				 place->size - 100, out, 100, NULL),
		0);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(out[i],
			byte_of(APSP_SECTION_DISTANCE, place->size - 100 + i));
	fd = open(path, O_RDWR);
	assert_int_equal(pread(fd, &byte, 1, (off_t)place->offset + 70001), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)place->offset + 70001), 1);
	close(fd);
	assert_int_equal(apsp_table_writer_read(writer, APSP_SECTION_DISTANCE,
				 131000, out, 100, NULL),
		APSP_EPROOF);
	assert_int_equal(apsp_table_writer_read(writer, APSP_SECTION_DISTANCE,
				 0, out, 65536, NULL),
		0);
	apsp_table_writer_free(writer);
	free(out);
}

static void test_misuse(void **state)
{
	struct apsp_table_header header = example();
	struct apsp_table_writer *writer = NULL;
	APSP_AUTO(apsp_free) char *bytes = NULL;
	uint64_t size = header.sections[APSP_SECTION_ON_CYCLE].size;
	struct stat st;

	(void)state;
	bytes = calloc(1, size + 1);
	assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
				 &header, 1, 1, &writer, NULL),
		0);
	/* space is reserved before any write, not merely announced */
	assert_int_equal(apsp_table_writer_append(
				 writer, APSP_SECTION_ON_CYCLE, bytes, 0, NULL),
		0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, header.file_size);
	assert_true((uint64_t)st.st_blocks * 512 >= header.file_size);
	assert_int_equal(apsp_table_writer_append(writer, APSP_SECTION_ON_CYCLE,
				 bytes, size + 1, NULL),
		APSP_EBUG);
	assert_int_equal(apsp_table_writer_append(writer, APSP_SECTION_ON_CYCLE,
				 bytes, size, NULL),
		0);
	assert_int_equal(apsp_table_writer_append(
				 writer, APSP_SECTION_ON_CYCLE, bytes, 1, NULL),
		APSP_EBUG);
	assert_int_equal(
		apsp_table_writer_finish(writer, NULL, NULL), APSP_EBUG);
	apsp_table_writer_free(writer);
	apsp_table_writer_free(NULL);
}

/* A table larger than the disk: the message has both figures, no file stays. */
static void test_no_space(void **state)
{
	struct apsp_table_header header = {.scale = 1};
	struct apsp_table_writer *writer = NULL;
	struct apsp_err err;
	struct statvfs fs;
	char needed[APSP_SIZE_TEXT_SIZE];

	(void)state;
	assert_int_equal(statvfs(dir, &fs), 0);
	/* the arcs alone need more than is free; the rest is small */
	header.n_vertices = 10;
	header.n_arcs = (uint64_t)fs.f_bavail * fs.f_frsize / 8 + 1;
	header.distance_kind = APSP_DISTANCE_HOPS;
	assert_int_equal(
		apsp_table_header_layout(&header, APSP_ELEMENT_U16, NULL), 0);
	assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
				 &header, 1, 1, &writer, &err),
		APSP_ENOSPACE);
	assert_null(writer);
	apsp_size_format(header.file_size, needed);
	assert_non_null(strstr(err.message, needed));
	assert_non_null(strstr(err.message, "are free"));
	assert_int_equal(access(path, F_OK), -1);
}

/* The first look at the free space passes, and the reservation fails later. */
static void test_space_taken(void **state)
{
	struct apsp_table_header header = example();
	struct apsp_table_writer *writer = NULL;
	struct rlimit before, small;
	struct apsp_err err = {0};
	struct stat file;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = header.file_size / 2;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
				 &header, 1, 1, &writer, NULL),
		0);
	for (int again = 0; again < 2; again++)
		assert_int_equal(
			apsp_table_writer_append(writer, APSP_SECTION_DISTANCE,
				"12345678", 8, &err),
			APSP_ENOSPACE);
	assert_int_equal(
		apsp_table_writer_finish(writer, NULL, NULL), APSP_ENOSPACE);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(err.message, "reserve"));
	assert_int_equal(stat(path, &file), 0);
	assert_int_equal(file.st_size, 0);
	apsp_table_writer_free(writer);
}

/*
 * Pages that cannot be had although they were reserved: somebody cut the file.
 * Blocks go there by calls, whose errors are the writer's.
 */
static void test_pages_missing(void **state)
{
	struct apsp_table_header header = example();
	const struct apsp_section_place *place =
		&header.sections[APSP_SECTION_DISTANCE];
	struct apsp_table_writer *writer = NULL;
	APSP_AUTO(apsp_free) unsigned char *bytes = NULL;
	APSP_AUTO(apsp_free) unsigned char *file = NULL;
	size_t half = 4 * APSP_TABLE_BLOCK;
	struct rlimit before, small;
	struct apsp_err err = {0};

	(void)state;
	assert_true(place->size > 2 * half);
	bytes = section_bytes(&header, APSP_SECTION_DISTANCE);
	assert_int_equal(apsp_table_writer_open(path, APSP_WRITER_ALONE,
				 &header, 1, 1, &writer, NULL),
		0);
	assert_int_equal(apsp_table_writer_append(writer, APSP_SECTION_DISTANCE,
				 bytes, half, NULL),
		0);
	assert_int_equal(truncate(path, (off_t)(place->offset + half)), 0);
	assert_int_equal(apsp_table_writer_append(writer, APSP_SECTION_DISTANCE,
				 bytes + half, half, NULL),
		0);
	file = read_file(place->offset + 2 * half);
	assert_memory_equal(file + place->offset, bytes, 2 * half);

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = place->offset + 2 * half;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(apsp_table_writer_append(writer, APSP_SECTION_DISTANCE,
				 bytes + 2 * half, APSP_TABLE_BLOCK, &err),
		APSP_ENOSPACE);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(err.message, "write the table file"));
	apsp_table_writer_free(writer);
}

static void test_no_place(void **state)
{
	struct apsp_table_header header = example();
	struct apsp_table_writer *writer = NULL;
	struct apsp_err err;

	(void)state;
	assert_int_equal(
		apsp_table_writer_open("/nonexistent/tables", APSP_WRITER_ALONE,
			&header, 1, 1, &writer, &err),
		APSP_EIO);
	assert_null(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pieces, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_misuse, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_no_space, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_space_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_pages_missing, set_up, tear_down),
		cmocka_unit_test(test_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
