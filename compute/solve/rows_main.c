/*
 * Computes rows for the worker; see rows_main.h.
 */
#include "compute/solve/rows_main.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "compute/rows/row_graph.h"
#include "compute/rows/row_solve.h"
#include "compute/solve/stop_watch.h"
#include "compute/solver_event.h"
#include "daemon/base/auto.h"
#include "daemon/base/fields.h"
#include "daemon/job/row_batch.h"

enum {
	ROWS_FD = 3, /* file descriptor of the memory for rows (rows_main.h) */
	WAIT_MS = 3600000, /* time limit of one wait for a line; when it is
			      over, another wait begins */
};

struct rows {
	FILE *events;
	struct apsp_row_graph graph;
	struct apsp_row_solver *solver;
	unsigned char *out; /* the memory for rows: the mapped file of
			       descriptor 3 */
	size_t out_size;
	struct apsp_row_order orders[APSP_ROW_BATCH_MAX];
};

/* The fields of a line from the worker (rows_main.h). */
struct line {
	uint32_t demand;
	char vertices[APSP_FIELD_VALUE_SIZE];
};

static void rows_free(struct rows *rows)
{
	if (!rows)
		return;
	if (rows->out)
		munmap(rows->out, rows->out_size);
	apsp_row_solver_free(rows->solver);
	apsp_row_graph_done(&rows->graph);
	free(rows);
}

APSP_AUTO_DEFINE(rows_end, struct rows, rows_free);

static int out_map(struct rows *rows, struct apsp_err *err)
{
	struct stat status;
	void *bytes;

	if (fstat(ROWS_FD, &status) < 0)
		return apsp_fail_errno(err, errno, "the descriptor for rows");
	rows->out_size = (size_t)status.st_size;
	bytes = mmap(NULL, rows->out_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		ROWS_FD, 0);
	if (bytes == MAP_FAILED)
		return apsp_fail_errno(err, errno, "the memory for rows");
	rows->out = bytes;
	return 0;
}

/* Read the vertices of a line, and give each vertex a slot of the memory for
   rows. Returns the number of vertices. APSP_EDATA: the line is malformed, or
   its rows do not fit into this memory. */
static int line_read(struct rows *rows, const char *text, struct apsp_err *err)
{
	static const struct apsp_member fields[] = {
		APSP_MEMBER(struct line, demand, "demand", U32),
		APSP_MEMBER(struct line, vertices, "vertices", TEXT),
	};
	struct line line = {.demand = APSP_N_DEMANDS};
	const char *at = line.vertices;
	size_t n = 0, size;
	char *end;

	if (apsp_fields_read(text, fields, 2, &line) != 2 ||
		line.demand >= APSP_N_DEMANDS)
		return apsp_fail(err, APSP_EDATA, "no rows are '%s'", text);
	size = apsp_demand_bytes(&rows->graph.header, line.demand);
	do {
		unsigned long vertex = strtoul(at, &end, 10);

		if (*at < '0' || *at > '9' || (*end && *end != ',') ||
			vertex >= rows->graph.header.n_vertices ||
			n == APSP_ROW_BATCH_MAX ||
			(n + 1) * size > rows->out_size)
			return apsp_fail(
				err, APSP_EDATA, "no rows are '%s'", text);
		rows->orders[n] = (struct apsp_row_order){.demand = line.demand,
			.vertex = (uint32_t)vertex,
			.out = rows->out + n * size};
		n++;
		at = end + 1;
	} while (*end);
	return (int)n;
}

static void row_report(void *ctx, const struct apsp_row_order *order)
{
	const struct rows *rows = ctx;
	size_t slot = (size_t)(order - rows->orders);
	char fields[APSP_SOLVER_EVENT_LINE - 8] = "";

	apsp_fields_add(fields, sizeof(fields), "slot", "%zu", slot);
	if (order->result < 0) {
		apsp_fields_add(fields, sizeof(fields), "code", "%s",
			apsp_code_name(order->err.code));
		apsp_fields_add(fields, sizeof(fields), "text", "%s",
			order->err.message);
	} else {
		apsp_fields_add(fields, sizeof(fields), "checksum", "%" PRIu64,
			order->checksum);
	}
	apsp_solver_event_write(rows->events, APSP_SOLVER_EVENT_ROW, fields);
}

static int lines_answer(struct rows *rows, struct apsp_err *err)
{
	const struct apsp_stop *stop = apsp_stop_watch_token();
	char text[APSP_SOLVER_EVENT_LINE];
	int n;

	while (!apsp_stop_reason(stop)) {
		if (!apsp_stop_watch_line(WAIT_MS, text))
			continue;
		n = line_read(rows, text, err);
		if (n < 0)
			return n;
		apsp_row_solve(rows->solver, rows->orders, (size_t)n,
			row_report, rows);
		apsp_solver_event_write(
			rows->events, APSP_SOLVER_EVENT_DONE, "");
	}
	return 0;
}

int apsp_rows_main_run(const struct apsp_solver_options *options)
{
	APSP_AUTO(rows_end) struct rows *rows = calloc(1, sizeof(*rows));
	struct apsp_err err;
	int r = rows ? apsp_stop_watch_start(&err)
		     : apsp_fail(&err, APSP_ENOMEM, "no memory for rows");

	if (r >= 0) {
		rows->events = options->events;
		r = apsp_row_graph_open(options->rows, &rows->graph, &err);
	}
	if (r >= 0)
		r = apsp_row_solver_new(&rows->graph, &rows->solver, &err);
	if (r >= 0)
		r = out_map(rows, &err);
	if (r >= 0) {
		apsp_solver_event_write(
			options->events, APSP_SOLVER_EVENT_DONE, "");
		r = lines_answer(rows, &err);
	}
	if (r < 0)
		apsp_solver_event_error(options->events, &err);
	return r;
}
