/*
 * Widths that are tried: a scale takes the room that distances leave it, and no
 * more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/graph/v_element.h"
#include "compute/graph/width_candidates.h"

/* The first width of `element` in the list, or one with the scale 0. */
static struct apsp_width find(
	const struct apsp_width_facts *facts, enum apsp_element element)
{
	struct apsp_width list[APSP_WIDTHS_MAX];
	int n = apsp_width_candidates_list(facts, list);

	for (int w = 0; w < n; w++)
		if (list[w].element == element)
			return list[w];
	return (struct apsp_width){element, 0};
}

/* A vertex near to all others has short paths of few arcs, where others' paths
   may be long and have many. */
static void test_room_divided(void **state)
{
	static const struct {
		int64_t vertices, largest;
		uint32_t hops;
		int64_t u16, i32; /* scales; 0: no such width */
	} rows[] = {
		/* 46 random copies of the larva have distances up to 139 and
		   paths of up to 69 arcs */
		{138598, 26, 13, 128, 138598},
		/* one more doubling would be above n */
		{300, 1, 3, 256, 300},
		{5, 1, 1, 4, 5},
		/* the paths that are known have a distance of 0; another has a
		   distance of 1 or more, and most scales would be past it */
		{300, 0, 2, 256, 300},
		{65536, 0, 2, 256, 65536},
		{1 << 20, 0, 12000, 0, 1 << 20},
		/* the first guess stays where distances have less room */
		{138598, 1500, 7, 16, 138598},
		{138598, 2048, 7, 0, 138598},
		{138598, 1 << 20, 7, 0, 64},
		{1 << 20, 1 << 24, 7, 0, 16},
		{1 << 20, 1 << 26, 7, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct apsp_width_facts facts = {.kind = APSP_DISTANCE_SCALED,
			.scale = rows[i].vertices,
			.largest = rows[i].largest,
			.hops = rows[i].hops};

		assert_int_equal(
			find(&facts, APSP_ELEMENT_U16).scale, rows[i].u16);
		assert_int_equal(
			find(&facts, APSP_ELEMENT_I32).scale, rows[i].i32);
		assert_true(find(&facts, APSP_ELEMENT_F64).scale > 0);
		/* only with the scale n hops can be above n */
		facts.negative = true;
		assert_int_equal(find(&facts, APSP_ELEMENT_U16).scale, 0);
		assert_int_equal(
			find(&facts, APSP_ELEMENT_F64).scale, rows[i].vertices);
	}
}

/* The bounds themselves fit with each scale of the list, and so does the scale
   alone: it is the least integer of a distance above 0. */
static void test_bounds_fit(void **state)
{
	(void)state;
	for (int64_t largest = 0; largest < INT64_C(1) << 40;
		largest = 3 * largest + 1)
		for (uint32_t hops = 1; hops < 1 << 15; hops *= 2) {
			struct apsp_width_facts facts = {
				.kind = APSP_DISTANCE_SCALED,
				.scale = 100000,
				.largest = largest,
				.hops = hops};
			struct apsp_width list[APSP_WIDTHS_MAX];
			int n = apsp_width_candidates_list(&facts, list);

			for (int w = 0; w < n; w++) {
				int64_t infinity = apsp_v_element_infinity(
					list[w].element);

				assert_true(list[w].scale > hops);
				assert_true(list[w].scale <= facts.scale);
				assert_true(list[w].scale < infinity);
				if (list[w].element != APSP_ELEMENT_F64)
					assert_true(
						largest * list[w].scale + hops <
						infinity);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_room_divided),
		cmocka_unit_test(test_bounds_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
