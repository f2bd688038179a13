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
	assert_string_equal(out.name, in.name);
}

static void test_refused(void **state)
{
	static const char whole[] = "type gpu name a platform b version c "
				    "units 1 memory 2 largest_buffer 3 "
				    "group_items 4 local 5 double 1 "
				    "wide_atomics 1 chosen 1";
	static const char *const texts[] = {"", "gpu", "type gpu",
		"type gpu name a platform b version c units 1 memory 2"};
	struct apsp_device_info out = {.compute_units = 42};
	char text[sizeof(whole) + APSP_DEVICE_NAME_SIZE];
	char *flag;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(apsp_device_info_parse(texts[i], &out));
	strcpy(text, whole);
	flag = strstr(text, "chosen ") + strlen("chosen ");
	strcpy(flag, "2");
	assert_false(apsp_device_info_parse(text, &out));
	strcpy(flag, "yes");
	assert_false(apsp_device_info_parse(text, &out));
	*strstr(text, "local") = 'L';
	strcpy(flag, "1");
	assert_false(apsp_device_info_parse(text, &out));
	assert_int_equal(out.compute_units, 42);
	assert_true(apsp_device_info_parse(whole, &out));
	assert_int_equal(out.compute_units, 1);
}

/* The message names the devices that there are, as many as fit. */
static void test_none_fits(void **state)
{
	enum { N = 40 };
	struct apsp_device_info devices[N] = {
		{.name = "NVIDIA H200"}, {.name = "llvmpipe"}};
	struct apsp_err err;

	(void)state;
	assert_int_equal(
		apsp_device_info_refuse("tpu", devices, 0, &err), APSP_EDEVICE);
	assert_string_equal(err.message, "there is no OpenCL device");
	assert_int_equal(
		apsp_device_info_refuse("tpu", devices, 2, &err), APSP_EDEVICE);
	assert_string_equal(err.message,
		"no OpenCL device fits 'tpu'; there is 'NVIDIA H200', "
		"'llvmpipe'");
	for (size_t i = 0; i < N; i++)
		memset(devices[i].name, 'x', sizeof(devices[i].name) - 1);
	assert_int_equal(
		apsp_device_info_refuse("tpu", devices, N, &err), APSP_EDEVICE);
	assert_non_null(strstr(err.message, "fits 'tpu'; there is 'xxx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_none_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
