/*
 * A received table file that no job can prove is dropped before its upload
 * ends.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unistd.h>

#include "storage/ingest/received_table.h"

static void header_make(struct apsp_table_header *out)
{
	static const char hash[APSP_HASH_SIZE] =
		"0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcdef";

	*out = (struct apsp_table_header){
		.n_vertices = 3,
		.distance_kind = APSP_DISTANCE_HOPS,
		.scale = 1,
		.algorithm = "blocked-fw",
	};
	/* as with tables=distance */
	out->sections[APSP_SECTION_PREDECESSOR].absent = APSP_ABSENT;
	assert_int_equal(
		apsp_table_header_layout(out, APSP_ELEMENT_U16, NULL), 0);
	apsp_table_header_seal(out, hash, hash);
}

static int no_limit(const struct apsp_store *store, uint64_t *out_bytes,
	struct apsp_err *err)
{
	(void)store;
	(void)err;
	*out_bytes = UINT64_MAX;
	return 0;
}

/* The number of the dropped file's descriptor may belong to another file
   before the table is freed. */
static void test_closed_once(void **state)
{
	char dir[] = "/tmp/apsp-received-XXXXXX";
	struct apsp_received_place place = {.dir = dir, .room = no_limit};
	struct apsp_received_table *table;
	struct apsp_table_header header;
	char block[APSP_TABLE_BLOCK] = {0};
	struct apsp_err err;
	int other;

	(void)state;
	assert_non_null(mkdtemp(dir));
	header_make(&header);
	memcpy(block, &header, sizeof(header));
	assert_int_equal(apsp_received_table_new(
				 &place, header.file_size, NULL, &table, &err),
		0);
	if (apsp_received_table_feed(table, block, sizeof(block), &err) < 0)
		fail_msg("%s", err.message);
	assert_non_null(table->reason);
	assert_null(table->path);
	other = open("/dev/null", O_RDONLY);
	assert_true(other >= 0);
	apsp_received_table_free(table);
	assert_int_equal(fcntl(other, F_GETFD), 0);
	close(other);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
