/*
 * Plans for devices without 64-bit atomics.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/plan_fixture.h"

/* bf-edges in 64 bits needs a device with 64-bit atomics. */
static void test_atomics(void **state)
{
	struct apsp_plan_facts facts = facts_of(1000, 5000);

	(void)state;
	facts.work.element = APSP_ELEMENT_F64;
	expect_feasible(&facts, "bf-edges");
	facts.device.lacks_wide_atomics = true;
	expect_refusal(&facts, "bf-edges", APSP_ELIMIT,
		"in f64: distances past 2^30 units need 64-bit atomic minima "
		"here, which the device does not have; algorithm=");
	expect_feasible(&facts, "blocked-fw");
	facts.work.element = APSP_ELEMENT_I32;
	expect_feasible(&facts, "bf-edges");
	/* items of CPUs have their rows to themselves */
	facts.work.element = APSP_ELEMENT_F64;
	facts.device.tuning = apsp_tuning_find("", false, NULL);
	expect_feasible(&facts, "bf-edges");
}

/*
 * Where 8 bytes may be read half-written, nothing runs that reads 64-bit values
 * while others lower them.
 */
static void test_torn(void **state)
{
	struct apsp_plan_facts facts = facts_of(1000, 5000);

	(void)state;
	facts.device.tears_doubles = true;
	expect_feasible(&facts, "blocked-fw");
	facts.work.element = APSP_ELEMENT_F64;
	expect_refusal(&facts, "blocked-fw", APSP_ELIMIT, "half-written");
	expect_refusal(&facts, "multi-source", APSP_ELIMIT, "half-written");
	expect_choice(&facts, "fw");
	facts.device.tuning = apsp_tuning_find("", false, NULL);
	expect_refusal(&facts, "streamed-fw", APSP_ELIMIT, "half-written");
	expect_choice(&facts, "multi-source");
}

/* Atomics of 64 bits, or a processor of 64 bits, read 8 bytes whole. */
static void test_who_tears(void **state)
{
	static const struct {
		const char *type;
		bool atomics, tears;
	} devices[] = {
		{"gpu", true, false},
		{"gpu", false, true},
		{"cpu", false, sizeof(void *) < 8},
		{"other", false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		struct apsp_device_info info = {
			.has_wide_atomics = devices[i].atomics};
		struct apsp_plan_device device;

		strcpy(info.type, devices[i].type);
		apsp_plan_device_init(&info, NULL, 0, &device);
		assert_int_equal(device.tears_doubles, devices[i].tears);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_torn),
		cmocka_unit_test(test_who_tears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
