/*
 * A table's question; see table_question.h.
 */
#include "api/tables/table_question.h"

#include <stdlib.h>
#include <string.h>

enum {
	SMALL_CELLS = 16384, /* to be read where the request comes in */
};

void apsp_table_question_done(struct apsp_table_question *q)
{
	free(q->sources.vertices);
	free(q->targets.vertices);
	apsp_share_close(&q->share);
	apsp_reading_done(&q->reading);
	memset(q, 0, sizeof(*q));
}

bool apsp_table_question_is_long_work(const struct apsp_table_question *q)
{
	return (uint64_t)q->sources.n * q->reading.generation->n_vertices >
	       SMALL_CELLS;
}
