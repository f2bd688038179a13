/*
 * Marks of vertices; see vertex_marks.h.
 */
#include "storage/ingest/vertex_marks.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/array.h"

enum {
	FIRST_WORDS = 64,
};

int apsp_vertex_marks_add(
	struct apsp_vertex_marks *marks, uint32_t v, struct apsp_err *err)
{
	const size_t before = marks->n_words;

	if (v / 64 >= before) {
		/* the marks take at most 8 MiB, which the budget of uploads
		   does not count */
		int r = apsp_array_reserve(&marks->words, v / 64 + 1,
			&marks->n_words,
			&(struct apsp_array_growth){sizeof(*marks->words),
				FIRST_WORDS, "marks of vertices", NULL},
			err);

		if (r < 0)
			return r;
		memset(marks->words + before, 0,
			(marks->n_words - before) * sizeof(*marks->words));
	}
	apsp_bit_set_add(marks->words, v);
	return 0;
}
