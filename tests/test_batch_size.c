/*
 * Sources that are solved together: what a batch of bits takes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/plan/batch_size.h"

/* A plane for every bit of V, whatever limit uploads have. */
static void test_planes(void **state)
{
	static const struct {
		uint64_t n_vertices;
		enum apsp_element element;
		uint32_t planes;
	} sizes[] = {
		{1, APSP_ELEMENT_U16, 15},
		{UINT64_C(1) << 31, APSP_ELEMENT_U16, 15},
		{1, APSP_ELEMENT_I32, 20},
		{1 << 20, APSP_ELEMENT_I32, 20},
		{(1 << 20) + 1, APSP_ELEMENT_I32, 21},
		{1 << 21, APSP_ELEMENT_F64, 21},
		{UINT32_MAX, APSP_ELEMENT_F64, 32},
	};

	(void)state;
	for (int gpu = 0; gpu < 2; gpu++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			struct apsp_lane_batch batch = apsp_batch_size_lanes(
				sizes[i].n_vertices, 9, sizes[i].element, true,
				UINT64_MAX, apsp_tuning_find("", gpu, NULL));

			assert_int_equal(batch.planes, sizes[i].planes);
			assert_int_equal(batch.d_bytes,
				sizes[i].n_vertices * (3 + batch.planes) *
					(batch.lanes / 8));
		}
}

static unsigned int n_processors = 1;

unsigned int __wrap_apsp_parallel_processors(void);

unsigned int __wrap_apsp_parallel_processors(void)
{
	return n_processors;
}

static uint32_t sources(uint64_t n_vertices, unsigned int processors)
{
	struct apsp_lane_batch batch;

	n_processors = processors;
	batch = apsp_batch_size_lanes(n_vertices, 9, APSP_ELEMENT_U16, true,
		UINT64_MAX, apsp_tuning_find("", false, NULL));
	assert_int_equal(batch.lanes, 512);
	return batch.sources;
}

/* Each processor has a batch, and none has more, smaller ones for nothing. */
static void test_sources(void **state)
{
	(void)state;
	/* 6 batches of 512 keep two processors busy, and 12 of 256 sixteen */
	assert_int_equal(sources(3013, 2), 512);
	assert_int_equal(sources(3013, 16), 256);
	/* 24 of 128 would be two for some */
	assert_int_equal(sources(2048, 16), 128);
	assert_int_equal(sources(12529, 16), 512);
	/* three of 256 take longer than two of 512 */
	assert_int_equal(sources(9000, 16), 512);
	assert_int_equal(sources(300, 1), 512);
	assert_int_equal(sources(300, 2), 256);
	assert_int_equal(sources(300, 64), 64);
	assert_int_equal(sources(1, 64), 64);
}

/* No more batches at a time than there are. */
static void test_together(void **state)
{
	static const struct {
		uint64_t n_vertices;
		unsigned int processors;
		uint64_t together;
	} sizes[] = {{1024, 8, 8}, {1024, 32, 16}, {1025, 32, 17}, {0, 8, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct apsp_lane_batch batch;
		uint64_t largest;

		n_processors = sizes[i].processors;
		batch = apsp_batch_size_lanes(sizes[i].n_vertices, 9,
			APSP_ELEMENT_U16, true, UINT64_MAX,
			apsp_tuning_find("", false, NULL));
		assert_int_equal(batch.n_together, sizes[i].together);
		/* a device with room for three batches in a buffer, or for less
		   than one */
		largest = 3 * batch.d_bytes;
		batch = apsp_batch_size_lanes(sizes[i].n_vertices, 9,
			APSP_ELEMENT_U16, true, largest,
			apsp_tuning_find("", false, NULL));
		assert_int_equal(batch.n_together,
			sizes[i].together < 3 ? sizes[i].together : 3);
		batch = apsp_batch_size_lanes(sizes[i].n_vertices, 9,
			APSP_ELEMENT_U16, true, 1,
			apsp_tuning_find("", false, NULL));
		assert_int_equal(batch.n_together, 1);
	}
}

/* What a processor's cache holds, but no less than two of its lines. */
static void test_lane_bytes(void **state)
{
	struct apsp_tuning tuning = *apsp_tuning_find("", false, NULL);

	(void)state;
	tuning.lane_bytes = 256;
	tuning.lanes_bytes = 1 << 20;
	assert_int_equal(apsp_batch_size_lane_bytes(4096, &tuning), 256);
	assert_int_equal(apsp_batch_size_lane_bytes(4097, &tuning), 128);
	assert_int_equal(apsp_batch_size_lane_bytes(UINT32_MAX, &tuning), 128);
	assert_int_equal(apsp_batch_size_lanes(4097, 9, APSP_ELEMENT_I32, false,
				 UINT64_MAX, &tuning)
				 .lanes,
		32);
	tuning.lane_bytes = 512;
	assert_int_equal(apsp_batch_size_lane_bytes(4096, &tuning), 256);
	tuning.lane_bytes = 64;
	assert_int_equal(apsp_batch_size_lane_bytes(4097, &tuning), 64);
	/* the cache of a GPU is for all batches */
	assert_int_equal(apsp_batch_size_lane_bytes(
				 UINT32_MAX, apsp_tuning_find("", true, NULL)),
		256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planes),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_lane_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
