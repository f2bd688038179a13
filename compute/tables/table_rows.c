/*
 * From rows of V to the table file; see table_rows.h.
 */
#include "compute/tables/table_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/measures/betweenness.h"
#include "compute/plan/footprint.h"
#include "compute/tables/closure_check.h"
#include "compute/tables/row_proof.h"
#include "compute/statistics/row_stats.h"
#include "compute/statistics/stat_samples.h"
#include "compute/tables/table_writer.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

enum {
	ONES = 512, /* lengths written at a time */
};

struct apsp_table_rows {
	struct apsp_table_rows_config config;
	struct apsp_team *team; /* NULL: there was no memory */
	struct apsp_table_writer *writer;
	struct apsp_row_check check;
	struct apsp_row_proof *proof;
	struct apsp_row_stats *stats;
	struct apsp_stat_samples samples;
	uint32_t next; /* the source whose row is next */
};

APSP_AUTO_DEFINE(rows_auto, struct apsp_table_rows, apsp_table_rows_free);

enum apsp_element apsp_table_rows_element(const struct apsp_table_rows *rows)
{
	return rows->config.distance;
}

struct apsp_team *apsp_table_rows_team(const struct apsp_table_rows *rows)
{
	return rows->team;
}

struct apsp_row_stats *apsp_table_rows_stats(const struct apsp_table_rows *rows)
{
	return rows->stats;
}

const struct apsp_lengths *apsp_table_rows_lengths(
	const struct apsp_table_rows *rows)
{
	return rows->config.integers->kind == APSP_DISTANCE_SUM
		       ? rows->config.lengths
		       : NULL;
}

const struct apsp_integers *apsp_table_rows_integers(
	const struct apsp_table_rows *rows)
{
	return rows->config.integers;
}

/* The daemon told how much of what the cache may hold is left. */
static int room_check(
	uint64_t room_bytes, uint64_t file_size, struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];

	if (room_bytes == 0 || file_size <= room_bytes)
		return 0;
	apsp_sizes_format(file_size, room_bytes, need, have);
	return apsp_fail(err, APSP_ENOSPACE,
		"the tables need %s and the cache has room for %s "
		"(--cache-limit); delete tables that nobody needs",
		need, have);
}

int apsp_table_rows_open(const struct apsp_table_rows_config *config,
	struct apsp_table_rows **out, struct apsp_err *err)
{
	APSP_AUTO(rows_auto) struct apsp_table_rows *rows = NULL;
	struct apsp_table_header header = {
		.n_vertices = config->lengths->n_vertices,
		.n_arcs = config->lengths->n_arcs,
		.distance_kind = config->integers->kind,
		.scale = config->integers->kind == APSP_DISTANCE_SCALED
				 ? config->integers->scale
				 : 1,
	};
	int r;

	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "write tables");
	rows->config = *config;
	rows->team = apsp_team_new();
	rows->check = (struct apsp_row_check){.lengths = config->lengths,
		.integers = config->integers,
		.closure = config->closure,
		.v = config->element,
		.distance = config->distance};
	if (config->betweenness)
		header.sections[APSP_SECTION_BETWEENNESS].element =
			APSP_ELEMENT_F64;
	strncpy(header.algorithm, config->algorithm,
		sizeof(header.algorithm) - 1);
	r = apsp_row_check_open(&rows->check, err);
	if (r >= 0)
		r = apsp_row_proof_new(config->lengths, config->integers,
			config->element, rows->check.distance,
			config->proof_seed, rows->team, &rows->proof, err);
	if (r >= 0)
		r = apsp_row_stats_new(config->lengths, config->integers,
			rows->check.distance, rows->team, &rows->stats, err);
	if (r >= 0)
		r = apsp_stat_samples_init(config->lengths->n_vertices,
			config->integers, rows->check.distance, rows->team,
			&rows->samples, err);
	if (r >= 0)
		r = apsp_table_header_layout(
			&header, rows->check.distance, err);
	if (r >= 0)
		r = room_check(config->room_bytes, header.file_size, err);
	if (r >= 0)
		r = apsp_table_writer_open(
			config->path, &header, rows->team, &rows->writer, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(rows);
	return 0;
}

void apsp_table_rows_free(struct apsp_table_rows *rows)
{
	if (!rows)
		return;
	apsp_table_writer_free(rows->writer);
	apsp_row_proof_free(rows->proof);
	apsp_row_stats_free(rows->stats);
	apsp_stat_samples_done(&rows->samples);
	apsp_row_check_done(&rows->check);
	apsp_team_free(rows->team);
	free(rows);
}

void apsp_table_rows_kept(struct apsp_table_rows *rows, const uint8_t *kept)
{
	rows->check.kept = kept;
}

/* A strip on its way, in parts that threads do side by side. */
struct passing {
	struct apsp_team_part check;
	struct apsp_team_part proof;
	struct apsp_row_checking checking;
	struct apsp_table_append distances;
	struct apsp_table_append predecessors;
};

static int passing_begin(struct apsp_table_rows *rows,
	const struct apsp_row_strip *strip, struct passing *out,
	struct apsp_err *err)
{
	uint32_t n = rows->config.lengths->n_vertices;
	size_t cells = (size_t)strip->n_rows * n;
	int r;

	if (strip->first != rows->next)
		return apsp_fail(err, APSP_EBUG,
			"the row of source %u came instead of that of %u",
			strip->first, rows->next);
	apsp_row_check_begin(&rows->check, strip, &out->checking);
	out->check = out->checking.part;
	if (apsp_row_check_changes(&rows->check)) {
		/* what follows takes the rows as they will be then */
		apsp_team_parts(rows->team, &out->check, 1);
		out->check.n = 0;
	}
	apsp_row_proof_begin(rows->proof, strip, &out->proof);
	r = apsp_table_writer_begin(rows->writer, APSP_SECTION_DISTANCE,
		strip->distances,
		cells * apsp_element_size(apsp_table_rows_element(rows)),
		&out->distances, err);
	if (r >= 0)
		r = apsp_table_writer_begin(rows->writer,
			APSP_SECTION_PREDECESSOR, strip->predecessors,
			cells * apsp_element_size(apsp_predecessor_element(n)),
			&out->predecessors, err);
	return r;
}

static int passing_end(struct apsp_table_rows *rows,
	const struct passing *passing, struct apsp_err *err)
{
	int r = apsp_row_check_end(&passing->checking, err);

	if (r == 0)
		r = apsp_row_proof_end(rows->proof, err);
	if (r == 0)
		r = apsp_table_writer_end(
			rows->writer, &passing->distances, err);
	if (r == 0)
		r = apsp_table_writer_end(
			rows->writer, &passing->predecessors, err);
	return r;
}

/*
 * Rows are written while they are checked: what is wrong fails the job, and its
 * file goes with it.
 */
int apsp_table_rows_append(struct apsp_table_rows *rows,
	const struct apsp_row_strip *strip, struct apsp_err *err)
{
	struct apsp_stat_reading samples;
	struct passing passing;
	int r = passing_begin(rows, strip, &passing, err);

	if (r < 0)
		return r;
	apsp_team_parts(rows->team,
		(const struct apsp_team_part[]){passing.proof, passing.check,
			passing.distances.part, passing.predecessors.part},
		4);
	r = passing_end(rows, &passing, err);
	if (r == 0 && strip->made)
		r = apsp_row_stats_made(rows->stats, strip, err);
	if (r != 0)
		return r;
	if (apsp_row_stats_are_made(strip)) {
		apsp_stat_samples_rows(&rows->samples, strip);
	} else {
		apsp_stat_samples_begin(&rows->samples, strip, &samples);
		r = apsp_row_stats_rows(rows->stats, strip, &samples.part, err);
	}
	if (r < 0)
		return r;
	rows->next += strip->n_rows;
	return 0;
}

static int bits_write(struct apsp_table_rows *rows, enum apsp_section section,
	const struct apsp_bits *bits, struct apsp_err *err)
{
	return apsp_table_writer_append(rows->writer, section, bits->words,
		bits->n_rows * bits->row_words * sizeof(*bits->words), err);
}

/* Lengths that are all 1 have no array in memory. */
static int ones_write(
	struct apsp_table_writer *writer, uint64_t n, struct apsp_err *err)
{
	double ones[ONES];
	int r = 0;

	for (int i = 0; i < ONES; i++)
		ones[i] = 1;
	while (r >= 0 && n > 0) {
		uint64_t step = n < ONES ? n : ONES;

		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_LENGTHS,
			ones, step * sizeof(*ones), err);
		n -= step;
	}
	return r;
}

static int arcs_write(struct apsp_table_rows *rows, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = rows->config.lengths;
	struct apsp_table_writer *writer = rows->writer;
	size_t m = lengths->n_arcs;
	int r = apsp_table_writer_append(writer, APSP_SECTION_ARC_OFFSETS,
		lengths->offsets,
		((size_t)lengths->n_vertices + 1) * sizeof(*lengths->offsets),
		err);

	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_HEADS,
			lengths->heads, m * sizeof(*lengths->heads), err);
	if (r >= 0)
		r = apsp_table_writer_append(writer, APSP_SECTION_ARC_WEIGHTS,
			lengths->weights, m * sizeof(*lengths->weights), err);
	if (r < 0)
		return r;
	if (!lengths->lengths)
		return ones_write(writer, m, err);
	return apsp_table_writer_append(writer, APSP_SECTION_ARC_LENGTHS,
		lengths->lengths, m * sizeof(*lengths->lengths), err);
}

static int closure_write(struct apsp_table_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits transposed = {0};
	const struct apsp_bits *closure = rows->config.closure;
	const struct apsp_bits *on_cycle = rows->config.on_cycle;
	int r = bits_write(rows, APSP_SECTION_CLOSURE, closure, err);

	if (r >= 0)
		r = apsp_bits_transpose(closure, &transposed, err);
	if (r >= 0)
		r = apsp_closure_check(rows->config.lengths, closure,
			&transposed, on_cycle, err);
	if (r >= 0)
		r = bits_write(rows, APSP_SECTION_CLOSURE_TRANSPOSED,
			&transposed, err);
	if (r >= 0)
		r = bits_write(rows, APSP_SECTION_ON_CYCLE, on_cycle, err);
	return r;
}

int apsp_table_rows_write_graph(
	struct apsp_table_rows *rows, struct apsp_err *err)
{
	int r = arcs_write(rows, err);

	return r < 0 ? r : closure_write(rows, err);
}

static int stats_write(struct apsp_table_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *memory = NULL;
	size_t n = rows->config.lengths->n_vertices;
	size_t size = 2 * sizeof(struct apsp_histogram);
	const double *vertices;
	int r;

	memory = malloc(size);
	if (!memory)
		return apsp_fail(err, APSP_ENOMEM, "write statistics");
	r = apsp_row_stats_finish(rows->stats,
		apsp_bits_count(rows->config.closure), &vertices, memory, err);
	if (r >= 0)
		r = apsp_stat_samples_check(&rows->samples, vertices, err);
	if (r >= 0)
		r = apsp_table_writer_append(rows->writer,
			APSP_SECTION_VERTEX_STATS, vertices,
			n * APSP_N_VERTEX_STATS * sizeof(*vertices), err);
	if (r >= 0)
		r = apsp_table_writer_append(rows->writer,
			APSP_SECTION_HISTOGRAMS, memory, size, err);
	return r;
}

/* Rows out of the file; read() of struct apsp_distance_rows. */
static int rows_read(void *ctx, uint32_t first, uint32_t n_rows, void *out,
	struct apsp_err *err)
{
	const struct apsp_table_rows *rows = ctx;
	uint64_t row = rows->config.lengths->n_vertices *
		       apsp_element_size(apsp_table_rows_element(rows));

	return apsp_table_writer_read(rows->writer, APSP_SECTION_DISTANCE,
		first * row, out, n_rows * row, err);
}

int apsp_table_rows_betweenness(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *memory = NULL;
	const struct apsp_table_rows_config *config = &rows->config;
	const struct apsp_distance_rows distances = {
		.n_vertices = config->lengths->n_vertices,
		.kind = config->integers->kind,
		.element = apsp_table_rows_element(rows),
		.scale = config->integers->scale,
		.read = rows_read,
		.ctx = rows};
	size_t size = distances.n_vertices * sizeof(double);
	int r;

	memory = malloc(size);
	if (!memory)
		return apsp_fail(err, APSP_ENOMEM, "no memory for betweenness");
	r = apsp_betweenness_run(
		config->lengths, &distances, rows->team, progress, memory, err);
	return r < 0 ? r
		     : apsp_table_writer_append(rows->writer,
			       APSP_SECTION_BETWEENNESS, memory, size, err);
}

int apsp_table_rows_finish(struct apsp_table_rows *rows,
	struct apsp_file_map *out_left, struct apsp_err *err)
{
	int r = apsp_row_proof_finish(rows->proof, err);

	if (r >= 0)
		r = stats_write(rows, err);
	if (r >= 0)
		r = apsp_table_writer_finish(rows->writer, err);
	if (r >= 0 && out_left)
		*out_left = apsp_table_writer_take_map(rows->writer);
	return r;
}
