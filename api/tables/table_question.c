/*
 * What a request for a table asks for; see table_question.h.
 */
#include "api/tables/table_question.h"

#include <stdlib.h>
#include <string.h>

void apsp_table_question_done(struct apsp_table_question *q)
{
	free(q->sources.vertices);
	free(q->targets.vertices);
	free(q->steps);
	apsp_share_close(&q->share);
	apsp_reading_done(&q->reading);
	memset(q, 0, sizeof(*q));
}
