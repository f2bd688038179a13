/*
 * The condensation of a graph: the steps in which a device makes the rows of a
 * closure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/closure/condensation.h"
#include "tests/closure_shapes.h"

/* Levels are cut into steps that keep their bounds and every row's order. */
static void check_steps(const struct apsp_condensation *levels,
	uint32_t n_vertices, uint64_t most)
{
	uint32_t *step_of = malloc(n_vertices * sizeof(*step_of));
	uint32_t *place_of = malloc(n_vertices * sizeof(*place_of));
	uint32_t place = 0;

	for (uint32_t s = 0; s < levels->n_steps; s++) {
		const struct apsp_condensation_step *step = &levels->steps[s];
		uint64_t successors = 0;

		assert_int_equal(step->first, place);
		for (; place < step->first + step->n; place++) {
			uint32_t k = levels->order[place];
			uint32_t row = levels->rows[k];

			step_of[row] = s;
			place_of[row] = place;
			successors +=
				levels->offsets[k + 1] - levels->offsets[k];
			for (uint64_t i = levels->offsets[k];
				i < levels->offsets[k + 1]; i++) {
				uint32_t to = levels->successors[i];

				assert_true(place_of[to] < place);
				assert_true(step->chain || step_of[to] < s);
			}
		}
		assert_int_equal(successors, step->n_successors);
		assert_true(step->n == 1 || successors <= most);
	}
	assert_int_equal(place, levels->n);
	free(step_of);
	free(place_of);
}

static void check_levels(enum shape shape, uint32_t narrow, uint64_t most)
{
	struct apsp_lengths g = graph_make(shape, 400, 3);
	struct apsp_components components;
	struct apsp_condensation levels;
	const struct apsp_condensation_wanted wanted = {
		shape % 2 == 0, narrow, most};

	assert_int_equal(apsp_components_build(&g, &components, NULL), 0);
	assert_int_equal(apsp_condensation_build(
				 &g, &components, &wanted, &levels, NULL),
		0);
	assert_int_equal(levels.n, components.n_components);
	check_steps(&levels, g.n_vertices, most);
	if (shape == PATH && narrow > 1)
		assert_true(levels.n_steps < 400);
	apsp_condensation_done(&levels);
	apsp_components_done(&components);
	graph_free(&g);
}

static void test_levels(void **state)
{
	(void)state;
	for (int shape = 0; shape < N_SHAPES; shape++)
		for (uint32_t narrow = 0; narrow < 12; narrow += 4)
			for (uint64_t most = 10; most < 1000; most *= 9)
				check_levels(shape, narrow, most);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
