/*
 * Devices as texts, as the solver tells of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compute/plan/device_info.h"

static void round_trip(
	const struct apsp_device_info *in, struct apsp_device_info *out)
{
	char text[APSP_DEVICE_INFO_TEXT_SIZE];

	apsp_device_info_format(in, text);
	assert_true(apsp_device_info_parse(text, out));
	assert_string_equal(out->platform, in->platform);
	assert_string_equal(out->version, in->version);
	assert_string_equal(out->type, in->type);
	assert_true(out->memory_bytes == in->memory_bytes);
	assert_true(out->largest_buffer_bytes == in->largest_buffer_bytes);
	assert_int_equal(out->compute_units, in->compute_units);
	assert_true(out->limits.group_items == in->limits.group_items);
	assert_true(out->limits.local_bytes == in->limits.local_bytes);
	assert_int_equal(out->has_double, in->has_double);
	assert_int_equal(out->has_wide_atomics, in->has_wide_atomics);
	assert_int_equal(out->chosen, in->chosen);
}

static void test_round_trip(void **state)
{
	struct apsp_device_info in = {.name = "a|b % c",
		.platform = "P",
		.version = "OpenCL 3.0 (x)",
		.type = "gpu",
		.memory_bytes = UINT64_C(150000000000),
		.largest_buffer_bytes = 35,
		.compute_units = 132,
		.limits = {1024, 49152},
		.has_double = true,
		.has_wide_atomics = true,
		.chosen = true};
	struct apsp_device_info out;

	(void)state;
	round_trip(&in, &out);
	assert_string_equal(out.name, in.name);
	in.has_double = false;
	in.version[0] = '\0'; /* a driver may leave it empty */
	round_trip(&in, &out);
	in.has_wide_atomics = false;
	in.chosen = false;
	memset(in.name, 'x', sizeof(in.name) - 1);
	round_trip(&in, &out);
	assert_string_equal(out.name, in.name);
	strcpy(in.name, "a\tb\nc"); /* would end the name, or the line */
	round_trip(&in, &out);
	assert_string_equal(out.name, "a b c");
}

static void test_refused(void **state)
{
	static const char *const texts[] = {"", "gpu", "gpu 1 2 3 4 5 1 1 1",
		"gpu 1 2 3 4 5 1 1 1\ta\tb", "gpu 1 2 3 4 5 1 1 1 a\tb\tc",
		"GPU 1 2 3 4 5 1 1 1\ta\tb\tc", "gpu 1 2 3 4 5 1 1\ta\tb\tc",
		"gpu 1 2 3 4 5 1 1 1\ta\tb\tc\td", "cpu 1 2 3 1\ta\tb\tc"};
	struct apsp_device_info out = {.compute_units = 42};
	char text[2 * APSP_DEVICE_INFO_TEXT_SIZE] = "gpu 1 2 3 4 5 1 1 1\t";

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(apsp_device_info_parse(texts[i], &out));
	memset(text + strlen(text), 'x', APSP_DEVICE_NAME_SIZE);
	strcat(text, "\tb\tc");
	assert_false(apsp_device_info_parse(text, &out)); /* too long a name */
	assert_int_equal(out.compute_units, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
