/*
 * Proves rows, adds them to the statistics and writes them; see table_rows.h.
 */
#include "compute/tables/table_rows.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/measures/betweenness.h"
#include "compute/graph/in_arcs.h"
#include "compute/tables/arc_sections.h"
#include "compute/tables/closure_proof.h"
#include "compute/tables/every_row_proof.h"
#include "compute/tables/sampled_rows_proof.h"
#include "compute/statistics/made_stats.h"
#include "compute/statistics/row_stats.h"
#include "compute/source_block.h"
#include "compute/statistics/stat_samples.h"
#include "compute/statistics/stats_pieces.h"
#include "compute/tables/table_writer.h"
#include "compute/tables/vertex_proof.h"
#include "daemon/base/auto.h"
#include "daemon/base/size.h"

struct apsp_table_rows {
	struct apsp_table_rows_config config;
	unsigned int width; /* number of threads that prove and write rows */
	struct apsp_table_writer *writer;
	/* the table that is absent from the file: DISTANCE or PREDECESSOR;
	   APSP_N_SECTIONS: the file holds both tables */
	enum apsp_section absent;
	struct apsp_every_row_proof every;
	struct apsp_sampled_rows_proof *sampled;
	struct apsp_row_stats *stats;
	struct apsp_stat_samples samples;
	/* made with the transpose of the closure, and compared with the
	   statistics */
	struct apsp_vertex_facts facts;
	/* for each arc of a received file, 1 if the arc is tight: not longer
	   than the distance between its ends; else 0; owned */
	uint8_t *tight;
	uint32_t next; /* the source of the row that must be appended next */
};

APSP_AUTO_DEFINE(rows_auto, struct apsp_table_rows, apsp_table_rows_free);

struct apsp_sums_config apsp_table_rows_sums(const struct apsp_table_rows *rows)
{
	return (struct apsp_sums_config){.lengths = rows->config.lengths,
		.integers = rows->config.integers,
		.v = rows->config.element,
		.distance = rows->config.distance,
		.width = rows->width,
		.stats = rows->stats,
		.weights = &rows->every.weights};
}

/* Decide which table, if any, is left out of the file. Then fill the members of
   the header from which the layout of the file is computed, and compute the
   layout. */
static int header_fill(struct apsp_table_rows *rows,
	struct apsp_table_header *header, struct apsp_err *err)
{
	const struct apsp_table_rows_config *config = &rows->config;
	enum apsp_element predecessor = apsp_in_arcs_element(config->lengths);

	if (config->betweenness)
		header->sections[APSP_SECTION_BETWEENNESS].element =
			APSP_ELEMENT_F64;
	header->sections[APSP_SECTION_PREDECESSOR].element = predecessor;
	rows->absent = APSP_N_SECTIONS;
	header->sections[APSP_SECTION_WIDTHS].size =
		config->lengths->n_ranks * sizeof(double);
	if (config->tables == APSP_TABLES_DISTANCE ||
		config->integers->kind == APSP_DISTANCE_WIDTH) {
		rows->absent = apsp_table_dispensable(
			config->integers->kind, config->distance, predecessor);
		/* betweenness reads distances from the file, so the file must
		   hold them */
		if (config->betweenness &&
			config->integers->kind != APSP_DISTANCE_SUM)
			rows->absent = APSP_SECTION_PREDECESSOR;
		header->sections[rows->absent].absent = APSP_ABSENT;
	}
	if (config->betweenness && rows->absent == APSP_SECTION_DISTANCE)
		return apsp_fail(err, APSP_EDATA,
			"betweenness reads real distances from the tables; "
			"leave out tables=distance or the measure");
	strncpy(header->algorithm, config->algorithm,
		sizeof(header->algorithm) - 1);
	return apsp_table_header_layout(header, config->distance, err);
}

/* Make the objects that prove the rows and compute their statistics. */
static int proofs_make(struct apsp_table_rows *rows, struct apsp_err *err)
{
	const struct apsp_table_rows_config *config = &rows->config;
	/* The number of groups in which sampled rows are proved
	   (sampled_rows_proof.h). In a received file many rows may have to be
	   proved, so there is a group for each thread. */
	unsigned int hands = config->received ? rows->width
					      : apsp_sampled_rows_proof_hands();
	int r = apsp_row_weights_init(
		&rows->every.weights, config->lengths->n_vertices, err);

	if (r >= 0 && config->integers->kind == APSP_DISTANCE_WIDTH)
		r = apsp_tail_tree_init(config->lengths, config->root,
			rows->width, &rows->every.tree, err);
	if (r >= 0)
		r = apsp_sampled_rows_proof_new(config->lengths,
			config->integers, config->root, config->element,
			config->distance, config->proof_seed, rows->width,
			hands, &rows->sampled, err);
	if (r >= 0 && config->received)
		apsp_sampled_rows_proof_draw(rows->sampled, config->samples);
	if (r >= 0)
		r = apsp_row_stats_new(config->lengths, config->integers,
			config->distance, rows->width, &rows->stats, err);
	if (r >= 0 && config->shared)
		apsp_stats_pieces_keep(rows->stats);
	if (r >= 0)
		r = apsp_stat_samples_init(config->lengths->n_vertices,
			config->integers, config->distance, config->shared,
			&rows->samples, err);
	return r;
}

static int room_check(
	const struct apsp_table_rows *rows, uint64_t size, struct apsp_err *err)
{
	char need[APSP_SIZE_TEXT_SIZE], have[APSP_SIZE_TEXT_SIZE];
	uint64_t room_bytes = rows->config.room_bytes;

	if (room_bytes == 0 || size <= room_bytes)
		return 0;
	apsp_sizes_format(size, room_bytes, need, have);
	return apsp_fail(err, APSP_ENOSPACE,
		"the tables need %s and the cache has room for %s "
		"(--cache-limit); delete tables that nobody needs",
		need, have);
}

static enum apsp_writer_role role_of(
	const struct apsp_table_rows_config *config)
{
	if (config->received)
		return APSP_WRITER_COMPARES;
	if (config->joins)
		return APSP_WRITER_JOINED;
	return config->shared ? APSP_WRITER_FIRST : APSP_WRITER_ALONE;
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
	rows->width = apsp_parallel_processors();
	rows->every = (struct apsp_every_row_proof){.lengths = config->lengths,
		.integers = config->integers,
		.closure = config->closure,
		.v = config->element,
		.distance = config->distance,
		.bare = config->received != NULL};
	r = header_fill(rows, &header, err);
	if (r >= 0)
		r = proofs_make(rows, err);
	if (r >= 0)
		r = room_check(rows, header.file_size, err);
	if (r >= 0)
		r = apsp_table_writer_open(config->path, role_of(config),
			&header, rows->width, config->processors, &rows->writer,
			err);
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
	apsp_sampled_rows_proof_free(rows->sampled);
	apsp_row_stats_free(rows->stats);
	apsp_stat_samples_done(&rows->samples);
	apsp_vertex_facts_done(&rows->facts);
	apsp_row_weights_done(&rows->every.weights);
	apsp_tail_tree_done(&rows->every.tree);
	free(rows->tight);
	free(rows);
}

/* The rows of a received file, and the arcs with which they are compared. */
struct selection {
	const struct apsp_every_row_proof *every;
	const struct apsp_row_strip *strip;
	uint8_t *kept;
};

static void row_select(void *ctx, unsigned int thread, size_t row)
{
	const struct selection *selection = ctx;
	const struct apsp_row_strip *strip = selection->strip;
	const struct apsp_lengths *lengths = selection->every->lengths;
	size_t at = row * lengths->n_vertices;

	(void)thread;
	apsp_every_row_proof_keep(selection->every, (uint32_t)row,
		(const char *)strip->distances +
			at * apsp_element_size(selection->every->distance),
		(const char *)strip->predecessors +
			at * apsp_element_size(apsp_in_arcs_element(lengths)),
		selection->kept);
}

int apsp_table_rows_select(struct apsp_table_rows *rows,
	const struct apsp_row_strip *all, struct apsp_err *err)
{
	struct selection selection = {.every = &rows->every, .strip = all};

	if (rows->config.samples < rows->config.lengths->n_vertices)
		return 0;
	rows->tight = malloc(rows->config.lengths->n_arcs + 1);
	if (!rows->tight)
		return apsp_fail(err, APSP_ENOMEM, "select arcs");
	selection.kept = rows->tight;
	apsp_parallel_for(rows->config.lengths->n_vertices, rows->width,
		row_select, &selection);
	apsp_table_rows_kept(rows, rows->tight);
	return apsp_sampled_rows_proof_select(rows->sampled, rows->tight, err);
}

void apsp_table_rows_kept(struct apsp_table_rows *rows, const uint8_t *kept)
{
	rows->every.kept = kept;
}

/* Begin to append rows to a section of the file. If the section is absent from
   the file, append nothing. */
static int rows_begin(struct apsp_table_rows *rows, enum apsp_section section,
	const void *data, size_t size, struct apsp_table_append *out,
	struct apsp_err *err)
{
	return apsp_table_writer_begin(rows->writer, section, data,
		section == rows->absent ? 0 : size, out, err);
}

/* The rows are written while they are being proved. This does no harm: if a row
   is wrong, the job fails and the file is removed. */
int apsp_table_rows_append(struct apsp_table_rows *rows,
	const struct apsp_row_strip *strip, struct apsp_err *err)
{
	struct apsp_parallel_part every, sampled, samples;
	struct apsp_table_append distances, predecessors;
	uint32_t n = rows->config.lengths->n_vertices;
	size_t cells = (size_t)strip->n_rows * n;
	int r;

	if (strip->first != rows->next)
		return apsp_fail(err, APSP_EBUG,
			"the row of source %u came, and the row of %u is next",
			strip->first, rows->next);
	apsp_every_row_proof_begin(&rows->every, strip, rows->width, &every);
	apsp_sampled_rows_proof_begin(rows->sampled, strip, &sampled);
	r = rows_begin(rows, APSP_SECTION_DISTANCE, strip->distances,
		cells * apsp_element_size(rows->config.distance), &distances,
		err);
	if (r >= 0)
		r = rows_begin(rows, APSP_SECTION_PREDECESSOR,
			strip->predecessors,
			cells * apsp_element_size(apsp_in_arcs_element(
					rows->config.lengths)),
			&predecessors, err);
	if (r < 0)
		return r;
	apsp_parallel_parts((const struct apsp_parallel_part[]){sampled, every,
				    distances.part, predecessors.part},
		4, rows->width);
	r = apsp_every_row_proof_end(&rows->every, err);
	if (r == 0)
		r = apsp_sampled_rows_proof_end(rows->sampled, err);
	/* received rows must be proved before they are added to the statistics,
	   so the sampled rows are proved now, even in groups that are not
	   full */
	if (r == 0 && rows->config.received)
		r = apsp_sampled_rows_proof_finish(rows->sampled, err);
	if (r == 0)
		r = apsp_table_writer_end(rows->writer, &distances, err);
	if (r == 0)
		r = apsp_table_writer_end(rows->writer, &predecessors, err);
	if (r == 0 && strip->made)
		r = apsp_made_stats_add(rows->stats, strip, err);
	if (r != 0)
		return r;
	apsp_stat_samples_begin(&rows->samples, strip, &samples);
	if (apsp_made_stats_exist(strip))
		apsp_parallel_parts(&samples, 1, rows->width);
	else
		r = apsp_row_stats_rows(rows->stats, strip, &samples, err);
	if (r < 0)
		return r;
	rows->next += strip->n_rows;
	return 0;
}

int apsp_table_rows_seek(
	struct apsp_table_rows *rows, uint32_t first, struct apsp_err *err)
{
	uint64_t n = rows->config.lengths->n_vertices;
	const struct {
		enum apsp_section section;
		enum apsp_element element;
	} sections[] = {
		{APSP_SECTION_DISTANCE, rows->config.distance},
		{APSP_SECTION_PREDECESSOR,
			apsp_in_arcs_element(rows->config.lengths)},
	};
	int r = 0;

	rows->next = first;
	for (int i = 0; r >= 0 && i < 2; i++)
		if (sections[i].section != rows->absent)
			r = apsp_table_writer_seek(rows->writer,
				sections[i].section,
				first * n *
					apsp_element_size(sections[i].element),
				err);
	return r;
}

static int fail_message(struct apsp_err *err)
{
	return apsp_fail(
		err, APSP_ENOMEM, "no memory for a message about rows");
}

int apsp_table_rows_end(struct apsp_table_rows *rows, struct apsp_err *err)
{
	int r = apsp_sampled_rows_proof_finish(rows->sampled, err);

	return r >= 0 && rows->config.processors == 0
		       ? apsp_table_writer_sync(rows->writer, err)
		       : r;
}

/* The piece of the statistics that describes all rows (the last piece,
   stats_pieces.h) is stored first, because it must be aligned, and only the
   beginning of the message is surely aligned. */
int apsp_table_rows_pack(struct apsp_table_rows *rows,
	struct apsp_message *message, struct apsp_err *err)
{
	uint32_t last = apsp_source_blocks(rows->config.lengths->n_vertices);
	int r = apsp_stats_piece_give(rows->stats, last, message, err);

	if (r >= 0)
		r = apsp_table_writer_pack(rows->writer, message, err);
	if (r < 0)
		return r;
	apsp_stat_samples_pack(&rows->samples, message);
	return message->failed ? fail_message(err) : 0;
}

int apsp_table_rows_unpack(struct apsp_table_rows *rows,
	struct apsp_message *message, struct apsp_err *err)
{
	uint32_t last = apsp_source_blocks(rows->config.lengths->n_vertices);
	int r = apsp_stats_piece_take(rows->stats, last, message, err);

	if (r >= 0)
		r = apsp_table_writer_unpack(rows->writer, message, err);
	if (r < 0)
		return r;
	apsp_stat_samples_unpack(&rows->samples, message);
	return message->failed ? fail_message(err) : 0;
}

int apsp_table_rows_block_pack(struct apsp_table_rows *rows, uint32_t block,
	struct apsp_message *message, struct apsp_err *err)
{
	return apsp_stats_piece_give(rows->stats, block, message, err);
}

int apsp_table_rows_block_unpack(struct apsp_table_rows *rows, uint32_t block,
	struct apsp_message *message, struct apsp_err *err)
{
	return apsp_stats_piece_take(rows->stats, block, message, err);
}

static int bits_write(struct apsp_table_rows *rows, enum apsp_section section,
	const struct apsp_bits *bits, struct apsp_err *err)
{
	return apsp_table_writer_append(rows->writer, section, bits->words,
		bits->n_rows * bits->row_words * sizeof(*bits->words), err);
}

int apsp_table_rows_write_graph(
	struct apsp_table_rows *rows, struct apsp_err *err)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits transposed = {0};
	const struct apsp_lengths *lengths = rows->config.lengths;
	const struct apsp_bits *closure = rows->config.closure;
	const struct apsp_bits *on_cycle = rows->config.on_cycle;
	struct apsp_table_writer *writer = rows->writer;
	bool widths = rows->config.integers->kind == APSP_DISTANCE_WIDTH;
	bool by_head =
		!widths && (apsp_in_arcs_ranks(lengths) ||
				   rows->absent == APSP_SECTION_PREDECESSOR);
	int r = apsp_arc_sections_write(writer, lengths, by_head, err);

	if (r >= 0 && widths)
		r = apsp_table_writer_append(writer, APSP_SECTION_WIDTHS,
			lengths->ladder,
			lengths->n_ranks * sizeof(*lengths->ladder), err);
	if (r >= 0)
		r = bits_write(rows, APSP_SECTION_CLOSURE, closure, err);
	if (r >= 0)
		r = apsp_bits_transpose(closure, &transposed, err);
	if (r >= 0)
		r = apsp_closure_proof_check(
			lengths, closure, &transposed, on_cycle, err);
	if (r >= 0)
		r = apsp_vertex_facts_find(
			closure, &transposed, &rows->facts, err);
	if (r >= 0)
		r = bits_write(rows, APSP_SECTION_CLOSURE_TRANSPOSED,
			&transposed, err);
	if (r >= 0)
		r = bits_write(rows, APSP_SECTION_ON_CYCLE, on_cycle, err);
	return r;
}

/* Read rows of distances from the file. This is the read() of struct
   apsp_distance_rows. */
static int rows_read(void *ctx, uint32_t first, uint32_t n_rows, void *out,
	struct apsp_err *err)
{
	const struct apsp_table_rows *rows = ctx;
	uint64_t row = rows->config.lengths->n_vertices *
		       apsp_element_size(rows->config.distance);

	return apsp_table_writer_read(rows->writer, APSP_SECTION_DISTANCE,
		first * row, out, n_rows * row, err);
}

/* Compute the betweenness from the rows in the file, and append it. */
static int betweenness_write(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *memory = NULL;
	const struct apsp_table_rows_config *config = &rows->config;
	const struct apsp_distance_rows distances = {
		.n_vertices = config->lengths->n_vertices,
		.kind = config->integers->kind,
		.element = config->distance,
		.scale = config->integers->scale,
		.read = rows_read,
		.ctx = rows};
	size_t size = distances.n_vertices * sizeof(double);
	int r = apsp_progress_enter(progress, APSP_STAGE_MEASURE, err);

	if (r < 0)
		return r;
	memory = malloc(size);
	if (!memory)
		return apsp_fail(err, APSP_ENOMEM, "no memory for betweenness");
	r = apsp_betweenness_run(config->lengths, &distances,
		apsp_parallel_processors(), progress, memory, err);
	return r < 0 ? r
		     : apsp_table_writer_append(rows->writer,
			       APSP_SECTION_BETWEENNESS, memory, size, err);
}

int apsp_table_rows_finish(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_file_map *out_left,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *histograms = NULL;
	size_t n = rows->config.lengths->n_vertices;
	size_t size = 2 * sizeof(struct apsp_histogram);
	const double *vertices;
	int r = apsp_sampled_rows_proof_finish(rows->sampled, err);

	if (r >= 0 && rows->config.shared)
		r = apsp_table_writer_gather(rows->writer, err);
	if (r >= 0 && rows->config.betweenness)
		r = betweenness_write(rows, progress, err);
	if (r < 0)
		return r;
	apsp_progress_stage(progress, APSP_STAGE_WRITE);
	histograms = malloc(size);
	if (!histograms)
		return apsp_fail(err, APSP_ENOMEM, "write statistics");
	r = apsp_row_stats_finish(rows->stats, rows->config.components,
		apsp_bits_count(rows->config.closure), &vertices, histograms,
		err);
	if (r >= 0)
		r = apsp_stat_samples_check(&rows->samples, vertices, err);
	if (r >= 0)
		r = apsp_vertex_proof_check(
			rows->config.lengths, &rows->facts, vertices, err);
	if (r >= 0)
		r = apsp_table_writer_append(rows->writer,
			APSP_SECTION_VERTEX_STATS, vertices,
			n * APSP_N_VERTEX_STATS * sizeof(*vertices), err);
	if (r >= 0)
		r = apsp_table_writer_append(rows->writer,
			APSP_SECTION_HISTOGRAMS, histograms, size, err);
	return r < 0 ? r
		     : apsp_table_writer_finish(rows->writer, out_left, err);
}
