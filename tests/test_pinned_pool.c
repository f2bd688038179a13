/*
 * Pinned buffers between jobs: what one has left, the next one gets, within a
 * bound, and what is transferred through it arrives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/device/device_buffer.h"
#include "compute/device/pinned_pool.h"
#include "compute/plan/host_room.h"
#include "tests/device_fixture.h"

enum {
	/* the pool keeps what is small beside the memory that is left */
	UNIT = 10 << 10,
	MOST = 10 * UNIT,
};

static int set_up(void **state)
{
	struct device_fixture *fixture;
	int r = device_fixture_setup(state);

	if (r < 0)
		return r;
	fixture = *state;
	/* a CPU has none of its own */
	apsp_pinned_pool_free(fixture->device.pinned);
	fixture->device.pinned =
		apsp_pinned_pool_new(fixture->device.queue, MOST);
	return fixture->device.pinned ? 0 : -1;
}

struct buffer {
	cl_mem buffer;
	void *bytes;
};

static struct buffer make(const struct apsp_device *device, size_t size)
{
	struct buffer b;

	assert_int_equal(apsp_device_pinned_make(
				 device, size, &b.buffer, &b.bytes, NULL),
		0);
	return b;
}

static void end(const struct apsp_device *device, struct buffer b)
{
	apsp_device_pinned_done(device, &b.buffer, &b.bytes);
	assert_null(b.buffer);
	assert_null(b.bytes);
}

/* Whether the pool keeps a buffer of so many bytes, exactly. */
static bool keeps(const struct apsp_device *device, size_t size)
{
	struct apsp_pinned pinned;
	bool found = apsp_pinned_pool_take(device->pinned, size, &pinned);

	if (!found)
		return false;
	assert_true(apsp_pinned_pool_give(device->pinned, &pinned));
	return pinned.size == size;
}

/* The smallest that is large enough, and nothing twice. */
static void test_kept(void **state)
{
	const struct apsp_device *device =
		&((struct device_fixture *)*state)->device;
	struct buffer small = make(device, UNIT);
	struct buffer large = make(device, 3 * UNIT);
	struct buffer first, second, third;

	end(device, large);
	end(device, small);
	first = make(device, UNIT / 2);
	second = make(device, UNIT / 2);
	third = make(device, UNIT / 2);
	assert_ptr_equal(first.buffer, small.buffer);
	assert_ptr_equal(first.bytes, small.bytes);
	assert_ptr_equal(second.buffer, large.buffer);
	assert_ptr_not_equal(third.bytes, small.bytes);
	assert_ptr_not_equal(third.bytes, large.bytes);
	end(device, first);
	end(device, second);
	end(device, third);
	/* too small for this */
	first = make(device, 4 * UNIT);
	assert_ptr_not_equal(first.bytes, large.bytes);
	end(device, first);
}

/* What would be too much is not kept, or smaller ones make room for it. */
static void test_bound(void **state)
{
	const struct apsp_device *device =
		&((struct device_fixture *)*state)->device;
	struct buffer too_large = make(device, MOST + 1);
	struct buffer a = make(device, 3 * UNIT), b = make(device, 4 * UNIT);
	struct buffer c = make(device, 6 * UNIT), d = make(device, UNIT);

	end(device, a);
	end(device, b);
	end(device, c);
	assert_false(keeps(device, 3 * UNIT));
	assert_true(keeps(device, 4 * UNIT));
	assert_true(keeps(device, 6 * UNIT));
	/* there is no room, and nothing smaller */
	end(device, d);
	assert_false(keeps(device, UNIT));
	end(device, too_large);
	assert_true(keeps(device, 4 * UNIT));
	assert_true(keeps(device, 6 * UNIT));
	assert_false(keeps(device, MOST + 1));
}

/* What is not kept anyway drives nothing out. */
static void test_in_vain(void **state)
{
	const struct apsp_device *device =
		&((struct device_fixture *)*state)->device;
	struct buffer small = make(device, UNIT),
		      large = make(device, 6 * UNIT);
	struct buffer middle = make(device, 5 * UNIT);

	end(device, small);
	end(device, large);
	end(device, middle);
	assert_true(keeps(device, UNIT));
	assert_false(keeps(device, 5 * UNIT));
	assert_true(keeps(device, 6 * UNIT));
}

/* As many buffers as there are places; the largest stay. */
static void test_places(void **state)
{
	const struct apsp_device *device =
		&((struct device_fixture *)*state)->device;
	struct buffer buffers[20];

	for (size_t i = 0; i < 20; i++)
		buffers[i] = make(device, 100 * (i + 1));
	for (size_t i = 0; i < 20; i++)
		end(device, buffers[i]);
	assert_false(keeps(device, 100));
	assert_false(keeps(device, 800));
	assert_true(keeps(device, 900));
	assert_true(keeps(device, 2000));
}

/* What the pool keeps is told apart from what else the process holds. */
static void test_held(void **state)
{
	const struct apsp_device *device =
		&((struct device_fixture *)*state)->device;
	struct buffer small = make(device, UNIT);
	struct buffer large = make(device, 3 * UNIT);
	struct apsp_held_memory held;
	uint64_t all;

	end(device, large);
	end(device, small);
	do { /* the driver has threads */
		all = apsp_host_room_held();
		apsp_pinned_pool_held(device->pinned, &held);
	} while (all != apsp_host_room_held());
	assert_int_equal(held.n_buffers, 2);
	assert_int_equal(held.buffers[0], UNIT);
	assert_int_equal(held.buffers[1], 3 * UNIT);
	assert_int_equal(held.own_bytes, all - 4 * UNIT);
	do {
		all = apsp_host_room_held();
		apsp_pinned_pool_held(NULL, &held);
	} while (all != apsp_host_room_held());
	assert_int_equal(held.n_buffers, 0);
	assert_int_equal(held.own_bytes, all);
}

static void test_transfer(void **state)
{
	const struct apsp_device *device =
		&((struct device_fixture *)*state)->device;
	uint8_t expected[5000];
	cl_mem on_device = NULL;

	for (int round = 0; round < 3; round++) {
		struct buffer pinned = make(device, sizeof(expected));

		for (size_t i = 0; i < sizeof(expected); i++)
			expected[i] = (uint8_t)(i * 7 + (size_t)round);
		assert_int_equal(
			apsp_device_buffer_make(device, sizeof(expected),
				expected, &on_device, NULL),
			0);
		assert_int_equal(clEnqueueReadBuffer(device->queue, on_device,
					 CL_TRUE, 0, sizeof(expected),
					 pinned.bytes, 0, NULL, NULL),
			CL_SUCCESS);
		assert_memory_equal(pinned.bytes, expected, sizeof(expected));
		apsp_device_buffer_done(&on_device);
		end(device, pinned);
		assert_true(keeps(device, sizeof(expected)));
	}
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, set_up, device_fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_kept),
		TEST(test_bound),
		TEST(test_in_vain),
		TEST(test_places),
		TEST(test_held),
		TEST(test_transfer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
