/*
 * GET /metrics: counts and sizes in Prometheus' text format 0.0.4.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/access/tokens.h"
#include "api/handlers.h"
#include "api/http/request_end.h"
#include "api/http/reply.h"
#include "api/service/device_json.h"
#include "compute/worker/worker.h"
#include "daemon/base/auto.h"
#include "daemon/follow/follower.h"
#include "storage/rows/row_cache.h"
#include "storage/snapshots/snapshot_map.h"
#include "storage/jobs/jobs.h"
#include "storage/store.h"
#include "storage/tables/open_tables.h"

enum {
	GRAPHS_PAGE = 256,
};

static void number(struct apsp_text *out, const char *type, const char *name,
	const char *help, uint64_t value)
{
	apsp_text_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n",
		name, help, name, type, name, value);
}

static void gauge(struct apsp_text *out, const char *name, const char *help,
	uint64_t value)
{
	number(out, "gauge", name, help, value);
}

static void counter(struct apsp_text *out, const char *name, const char *help,
	uint64_t value)
{
	number(out, "counter", name, help, value);
}

static void seconds(
	struct apsp_text *out, const char *name, const char *help, double value)
{
	apsp_text_printf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %.3f\n", name,
		help, name, name, value);
}

/*
 * Write the value of a Prometheus label: \ and " are escaped, and control
 * characters become blanks.
 */
static void label_text(const char *text, char out[2 * APSP_DEVICE_NAME_SIZE])
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			out[n++] = '\\';
		out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
	}
	out[n] = '\0';
}

static int jobs_write(
	struct apsp_store *store, struct apsp_text *out, struct apsp_err *err)
{
	uint64_t counts[APSP_N_JOB_STATES];
	int r = apsp_jobs_count(store, counts, err);

	if (r < 0)
		return r;
	apsp_text_printf(out, "# HELP apspd_jobs Jobs on record, by state.\n"
			      "# TYPE apspd_jobs gauge\n");
	for (int s = 0; s < APSP_N_JOB_STATES; s++)
		apsp_text_printf(out, "apspd_jobs{state=\"%s\"} %" PRIu64 "\n",
			apsp_job_state_names[s], counts[s]);
	return 0;
}

/*
 * Write the phase of the running job. The solver reports one of a few names;
 * until its first report, the phase is "starting".
 */
static void phase_write(struct apsp_worker *worker, struct apsp_text *out)
{
	struct apsp_job_present now;
	char phase[2 * APSP_DEVICE_NAME_SIZE];

	apsp_text_printf(out,
		"# HELP apspd_job_phase The phase of the job that runs; "
		"starting: its solver has reported none yet.\n"
		"# TYPE apspd_job_phase gauge\n");
	apsp_worker_present(worker, &now);
	if (!now.id)
		return;
	label_text(
		now.progress.phase[0] ? now.progress.phase : "starting", phase);
	apsp_text_printf(out, "apspd_job_phase{phase=\"%s\"} 1\n", phase);
}

static void tables_write(
	const struct apsp_open_tables *tables, struct apsp_text *out)
{
	const struct apsp_scrub *scrub = &tables->scrub;

	gauge(out, "apspd_tables", "Tables that are served.",
		atomic_load(&tables->n_served));
	gauge(out, "apspd_table_bytes", "Bytes of the tables that are served.",
		atomic_load(&tables->served_bytes));
	counter(out, "apspd_scrub_bytes_total",
		"Bytes of table files that the scrub has checked.",
		atomic_load(&scrub->n_blocks) * APSP_TABLE_BLOCK);
	counter(out, "apspd_scrub_passes_total",
		"Passes of the scrub over all table files.",
		atomic_load(&scrub->n_passes));
	seconds(out, "apspd_scrub_last_pass_timestamp_seconds",
		"When the last whole pass ended, in Unix time; 0: none has.",
		(double)atomic_load(&scrub->pass_ended_at_ms) / 1000);
	counter(out, "apspd_damaged_tables_total",
		"Table files found damaged or absent: by the scrub, by a "
		"reader, or when opened.",
		atomic_load(&scrub->n_damaged));
}

static void graphs_write(
	const struct apsp_server_config *config, struct apsp_text *out)
{
	const struct apsp_graph_snapshot *page[GRAPHS_PAGE];
	char after[APSP_NAME_SIZE] = "";
	uint64_t n_graphs = 0;
	size_t n;

	do {
		n = apsp_snapshot_map_list(
			config->graphs, after, page, GRAPHS_PAGE);
		if (n > 0)
			memcpy(after, page[n - 1]->name, sizeof(after));
		for (size_t i = 0; i < n; i++) {
			/* count only stored graphs. A lost graph
			   (APSP_ENOGRAPH) has no rows in the database of this
			   daemon */
			n_graphs += page[i]->unreadable.code != APSP_ENOGRAPH;
			apsp_graph_snapshot_unref(page[i]);
		}
	} while (n == GRAPHS_PAGE);
	gauge(out, "apspd_graphs", "Graphs that are stored.", n_graphs);
}

static void device_write(struct apsp_worker *worker, struct apsp_text *out)
{
	struct apsp_device_info device;
	char name[2 * APSP_DEVICE_NAME_SIZE];

	if (!apsp_device_chosen(worker, &device))
		return;
	label_text(device.name, name);
	apsp_text_printf(out,
		"# HELP apspd_device_memory_bytes Memory of the OpenCL device "
		"that computes.\n"
		"# TYPE apspd_device_memory_bytes gauge\n"
		"apspd_device_memory_bytes{name=\"%s\",type=\"%s\"} "
		"%" PRIu64 "\n",
		name, device.type, device.memory_bytes);
}

/*
 * Write the gauges of troubles (stored things that cannot be used) and of
 * tokens. If `tokens` is NULL, the daemon requires no tokens.
 */
static void troubles_write(
	struct apsp_tokens *tokens, size_t n_troubles, struct apsp_text *out)
{
	int64_t since_ms = tokens ? apsp_tokens_trouble(tokens, NULL) : 0;

	gauge(out, "apspd_troubles",
		"Stored things that cannot be used at present; /readyz names "
		"them.",
		n_troubles + (since_ms != 0));
	gauge(out, "apspd_tokens", "Valid tokens.",
		tokens ? apsp_tokens_count(tokens) : 0);
	seconds(out, "apspd_tokens_unread_since_timestamp_seconds",
		"Since when the tokens' file cannot be read, in Unix time; 0: "
		"it can.",
		(double)since_ms / 1000);
}

static void rows_write(struct apsp_row_cache *rows, struct apsp_text *out)
{
	struct apsp_row_cache_counts counts;

	apsp_row_cache_count(rows, &counts);
	counter(out, "apspd_rows_computed_total",
		"Rows of graphs without tables that were computed.",
		counts.computed);
	counter(out, "apspd_rows_reused_total",
		"Rows of graphs without tables that were there when a request "
		"wanted them.",
		counts.reused);
	gauge(out, "apspd_rows_wanted",
		"Rows of graphs without tables that are computed or wait.",
		counts.wanted);
	gauge(out, "apspd_row_bytes",
		"Memory of the rows of graphs without tables.", counts.bytes);
}

static void follow_write(struct apsp_follower *follower, struct apsp_text *out)
{
	struct apsp_follower_status status;

	if (!follower)
		return;
	apsp_follower_get(follower, &status);
	gauge(out, "apspd_follow_reachable",
		"Whether the daemon that this one follows has answered.",
		status.reachable);
	gauge(out, "apspd_follow_graphs_behind",
		"Graphs that differ from the writer's last complete list.",
		status.graphs_behind);
	counter(out, "apspd_follow_tables_refused_total",
		"Bundles of the writer whose tables failed their proof, so "
		"that they were computed here.",
		status.tables_refused);
	seconds(out, "apspd_follow_seconds_behind",
		"Seconds since the last complete list of the writer's graphs.",
		status.seconds_behind);
}

int apsp_api_get_metrics(struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_server_config *config = req->config;
	struct apsp_store *store = req->config->store;
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	const struct apsp_store_parts *parts = apsp_store_parts(store);
	const struct apsp_budget_use uploads = apsp_budget_used(parts->uploads);
	const struct apsp_budget_use answers = apsp_budget_used(parts->answers);
	int r;

	apsp_text_printf(&text,
		"# HELP apspd_info The daemon's version.\n"
		"# TYPE apspd_info gauge\napspd_info{version=\"%s\"} 1\n",
		config->version);
	apsp_request_counts_write(req, &text);
	r = jobs_write(store, &text, err);
	if (r < 0)
		return r;
	phase_write(req->config->worker, &text);
	graphs_write(config, &text);
	tables_write(parts->tables, &text);
	gauge(&text, "apspd_uploads", "Uploads under way.", uploads.n_shares);
	gauge(&text, "apspd_upload_memory_bytes",
		"Memory of uploads under way.", uploads.memory_bytes);
	gauge(&text, "apspd_answer_memory_bytes",
		"Memory of answers that are not yet sent, and of their "
		"searches.",
		answers.memory_bytes);
	rows_write(parts->rows, &text);
	troubles_write(config->tokens,
		apsp_snapshot_map_troubles(config->graphs, NULL, 0), &text);
	device_write(req->config->worker, &text);
	follow_write(config->follower, &text);
	return apsp_reply_bytes(req, MHD_HTTP_OK,
		"text/plain; version=0.0.4; charset=utf-8", &text, err);
}
