/*
 * A vertex's question; see vertex_question.h.
 */
#include "api/tables/vertex_question.h"

#include <stdlib.h>
#include <string.h>

void apsp_vertex_question_done(struct apsp_vertex_question *q)
{
	free(q->others.vertices);
	free(q->steps);
	apsp_share_close(&q->share);
	apsp_reading_done(&q->reading);
	memset(q, 0, sizeof(*q));
}
