/*
 * The vertices that rules leave out, and the totals that rules use, against all
 * vertices of a small graph; rules that are refused; and choices that have the
 * same digest.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "storage/attributes/rule_choice.h"

#define RECORD(label, type, side, post) label "\0" type "\0" side "\0" post "\0"

static const char stored[] =
	RECORD("label", "type", "side", "post") RECORD("a", "KC", "L", "12")
		RECORD("b", "KC", "R", " 7") RECORD("c", "PN", "", "0.5")
			RECORD("d", "", "L", "") RECORD("gone", "LN", "L", "9");

struct world {
	struct apsp_labels *labels;
	struct apsp_attributes *attributes;
};

static int world_make(void **state)
{
	static struct world world;
	const struct apsp_attribute_text text = {
		.bytes = (char *)(uintptr_t)stored,
		.size = sizeof(stored) - 1,
		.n_columns = 3,
		.n_rows = 5};
	uint32_t index;

	assert_int_equal(apsp_labels_new(NULL, &world.labels, NULL), 0);
	for (const char *c = "abcde"; *c; c++)
		assert_int_equal(
			apsp_labels_intern(world.labels, c, 1, &index, NULL),
			0);
	assert_int_equal(apsp_attributes_new(&text, 1, world.labels,
				 &world.attributes, NULL),
		0);
	*state = &world;
	return 0;
}

static int world_end(void **state)
{
	struct world *world = *state;

	apsp_attributes_unref(world->attributes);
	apsp_labels_unref(world->labels);
	return 0;
}

static int make(const struct world *world, const char *without,
	struct apsp_rule_choice *out, struct apsp_err *err)
{
	struct apsp_profile rule = {0};

	assert_true(apsp_conditions_canonical(without, rule.without));
	return apsp_rule_choice_make(
		&rule, world->labels, world->attributes, out, err);
}

static void test_left_out(void **state)
{
	static const struct {
		const char *without, *left_out;
	} cases[] = {
		{"type:KC", "ab"},
		{"type:KC,type:PN", "abc"},
		{"type:KC,side:L", "a"},
		{"type:KC,type:PN,side:L,side:", "ac"},
		{"type:", "de"},
		{"side:", "ce"},
		{"type:,side:", "e"},
		{"label:b", "b"},
		{"label:b,label:e", "be"},
		{"label:b,label:c,type:KC", "b"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_rule_choice choice;
		struct apsp_err err;

		if (make(*state, cases[i].without, &choice, &err) != 0)
			fail_msg("%s", err.message);
		assert_null(choice.totals);
		assert_int_equal(choice.n_left_out, strlen(cases[i].left_out));
		for (uint32_t v = 0; v < 5; v++)
			assert_int_equal(
				apsp_rule_choice_leaves_out(&choice, v),
				strchr(cases[i].left_out, 'a' + (int)v) !=
					NULL);
		apsp_rule_choice_done(&choice);
	}
}

static void test_refusals(void **state)
{
	static const struct {
		const char *without, *part;
	} cases[] = {
		{"kind:KC", "attribute 'kind', which the graph does not have"},
		{"type:MBON", "without=type:MBON chooses nobody"},
		/* only a vertex of an older upload has this value */
		{"type:LN,side:R", "chooses nobody"},
		{"label:x", "no vertex has this label"},
		{"label:", "no vertex has this label"},
		{"type:PN,side:L", "chooses nobody"},
		{"label:a,label:b,label:c,label:d,label:e",
			"chooses every vertex"},
	};
	const struct world bare = {.labels = ((struct world *)*state)->labels};
	struct apsp_rule_choice choice;
	struct apsp_err err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(make(*state, cases[i].without, &choice, &err),
			APSP_EDATA);
		if (!strstr(err.message, cases[i].part))
			fail_msg("%s", err.message);
	}
	assert_int_equal(make(&bare, "type:KC", &choice, &err), APSP_EDATA);
	assert_int_equal(make(&bare, "label:a", &choice, &err), 0);
	apsp_rule_choice_done(&choice);
}

/* The message of a check says what to try. The message of the choice does not,
   because hashes are made of it. */
static void test_explained(void **state)
{
	static const struct {
		const char *without, *wanted;
	} cases[] = {
		{"kind:KC", "without names the attribute 'kind', which the "
			    "graph does not have; send it with PUT "
			    "…/attributes, or change the rule; the graph has "
			    "type, side, post"},
		{"type:KX", "without=type:KX chooses nobody: no vertex has "
			    "this value; did you mean 'KC'?"},
		{"type:kc", "without=type:kc chooses nobody: no vertex has "
			    "this value; did you mean 'KC'?"},
		{"type:MBON", "without=type:MBON chooses nobody: no vertex has "
			      "this value; 'type' has 2 values, such as 'KC', "
			      "'PN'"},
		{"side:KC", "without=side:KC chooses nobody: no vertex has "
			    "this value; it is a value of 'type'"},
		{"type:a", "without=type:a chooses nobody: no vertex has this "
			   "value; it is a value of 'label'"},
		{"label:PN", "without=label:PN chooses nobody: no vertex has "
			     "this label; it is a value of 'type'"},
		{"label:xyz", "without=label:xyz chooses nobody: no vertex has "
			      "this label"},
		{"type:PN,side:L",
			"without=side:L,type:PN chooses nobody, so there is "
			"nothing to leave out; change the rule or the "
			"attributes; conditions with different names must all "
			"hold for the same vertex"},
	};
	const struct world *world = *state;
	struct apsp_err err, plain;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct apsp_profile rule = {0};
		struct apsp_rule_choice choice;

		assert_true(apsp_conditions_canonical(
			cases[i].without, rule.without));
		assert_int_equal(apsp_rule_choice_check(&rule, world->labels,
					 world->attributes, &err),
			APSP_EDATA);
		assert_string_equal(err.message, cases[i].wanted);
		assert_int_equal(make(world, cases[i].without, &choice, &plain),
			APSP_EDATA);
		assert_null(strstr(plain.message, "; the graph has"));
		assert_null(strstr(plain.message, "did you mean"));
		assert_null(strstr(plain.message, "such as"));
		assert_null(strstr(plain.message, "must all hold"));
		assert_null(strstr(plain.message, "it is a value"));
	}
}

static void test_totals(void **state)
{
	struct world *world = *state;
	struct apsp_profile rule = {.normalise_by = "post"};
	struct apsp_rule_choice choice;
	struct apsp_err err;

	assert_int_equal(apsp_rule_choice_make(&rule, world->labels,
				 world->attributes, &choice, NULL),
		0);
	assert_null(choice.left_out);
	assert_true(choice.totals[0] == 12);
	assert_true(isnan(choice.totals[1])); /* " 7" */
	assert_true(choice.totals[2] == 0.5);
	assert_true(isnan(choice.totals[3]) && isnan(choice.totals[4]));
	apsp_rule_choice_done(&choice);
	strcpy(rule.normalise_by, "pre");
	assert_int_equal(apsp_rule_choice_make(&rule, world->labels,
				 world->attributes, &choice, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "normalise_by names"));
}

/* The digest depends on the vertices, and not on the conditions. */
static void test_digest(void **state)
{
	static const char *const withouts[] = {"type:KC", "label:a,label:b",
		"label:a", "label:b", "type:KC,side:L"};
	uint8_t digests[5][APSP_CHOICE_DIGEST_SIZE];
	struct world *world = *state;

	for (size_t i = 0; i < 5; i++) {
		struct apsp_rule_choice choice;

		assert_int_equal(make(world, withouts[i], &choice, NULL), 0);
		apsp_rule_choice_digest(&choice, world->labels, digests[i]);
		apsp_rule_choice_done(&choice);
	}
	assert_memory_equal(digests[0], digests[1], APSP_CHOICE_DIGEST_SIZE);
	assert_memory_equal(digests[2], digests[4], APSP_CHOICE_DIGEST_SIZE);
	assert_memory_not_equal(
		digests[0], digests[2], APSP_CHOICE_DIGEST_SIZE);
	assert_memory_not_equal(
		digests[2], digests[3], APSP_CHOICE_DIGEST_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_explained),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_digest),
	};

	return cmocka_run_group_tests(tests, world_make, world_end);
}
