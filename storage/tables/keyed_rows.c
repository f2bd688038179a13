/* Reads the distances of a table by keys; see keyed_rows.h. */
#include "storage/tables/keyed_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t apsp_keyed_rows_bytes(
	const struct apsp_tables *tables, uint32_t n_keys)
{
	uint64_t keyed = sizeof(uint64_t) + sizeof(double) + sizeof(uint64_t);

	return apsp_row_reader_bytes(tables, n_keys, false) +
	       tables->header.n_vertices * sizeof(uint32_t) +
	       ((uint64_t)n_keys + 1) * keyed;
}

/* Group the vertices by key: fill self->begin and self->members. */
static void members_sort(struct apsp_keyed_rows *self, uint32_t n_vertices)
{
	uint64_t *begin = self->begin;

	for (uint32_t v = 0; v < n_vertices; v++)
		if (self->key_of[v] != APSP_NO_KEY)
			begin[self->key_of[v] + 1]++;
	for (uint32_t k = 0; k < self->n_keys; k++)
		begin[k + 1] += begin[k];
	/* this loop moves begin[k] to the end of the members of key k, which is
	   the beginning of key k + 1; the memmove() restores `begin` */
	for (uint32_t v = 0; v < n_vertices; v++)
		if (self->key_of[v] != APSP_NO_KEY)
			self->members[begin[self->key_of[v]]++] = v;
	memmove(begin + 1, begin, self->n_keys * sizeof(*begin));
	begin[0] = 0;
}

/* Whether key k is vertex k, for all vertices of the table. */
static bool is_in_order(const struct apsp_keyed_rows *self, uint32_t n_vertices)
{
	bool same = self->n_keys == n_vertices;

	for (uint32_t v = 0; same && v < n_vertices; v++)
		same = self->key_of[v] == v;
	return same;
}

int apsp_keyed_rows_begin(struct apsp_tables *tables, const uint32_t *key_of,
	uint32_t n_keys, bool rounded, struct apsp_keyed_rows *out,
	struct apsp_err *err)
{
	bool widths = apsp_table_has_widths(&tables->header);
	unsigned int values = widths	? APSP_ROW_WIDTH
			      : rounded ? APSP_ROW_DISTANCE | APSP_ROW_ROUNDED
					: APSP_ROW_DISTANCE;
	uint32_t n_vertices = (uint32_t)tables->header.n_vertices;
	const uint32_t *targets = NULL;
	bool whole;

	*out = (struct apsp_keyed_rows){
		.tables = tables,
		.key_of = key_of,
		.n_keys = n_keys,
		.begin = calloc((size_t)n_keys + 2, sizeof(*out->begin)),
		.members =
			calloc((size_t)n_vertices + 1, sizeof(*out->members)),
		.single = true,
		.widths = widths,
	};
	if (!out->begin || !out->members)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	members_sort(out, n_vertices);
	for (uint32_t k = 0; out->single && k < n_keys; k++)
		out->single = apsp_keyed_rows_size(out, k) == 1;
	whole = !out->single || is_in_order(out, n_vertices);
	if (!whole)
		targets = out->members;
	if (!out->single || widths) {
		out->sums = calloc((size_t)n_keys + 1, sizeof(*out->sums));
		out->counts = calloc((size_t)n_keys + 1, sizeof(*out->counts));
		if (!out->sums || !out->counts)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for rows");
	}
	return apsp_row_reader_new(
		tables, values, targets, whole ? 0 : n_keys, &out->reader, err);
}

void apsp_keyed_rows_done(struct apsp_keyed_rows *self)
{
	apsp_row_reader_free(self->reader);
	free(self->begin);
	free(self->members);
	free(self->sums);
	free(self->counts);
	memset(self, 0, sizeof(*self));
}

/* Prepare to read the rows of a key. */
static void key_start(struct apsp_keyed_rows *self, uint32_t key)
{
	self->next = self->begin[key];
	if (self->single)
		return;
	memset(self->sums, 0, self->n_keys * sizeof(*self->sums));
	memset(self->counts, 0, self->n_keys * sizeof(*self->counts));
}

/* Copy a row of widths, and write INFINITY where there is no path. */
static void widths_copy(struct apsp_keyed_rows *self, const double *width)
{
	for (uint32_t k = 0; k < self->n_keys; k++)
		self->sums[k] = width[k] > 0 ? width[k] : INFINITY;
}

/* For each vertex v except `from`, add the distance `from` → v, if there is
   a path, to the sum of v's key. */
static void row_add(struct apsp_keyed_rows *self, uint32_t from,
	const double *distance, uint32_t n_vertices)
{
	double none = self->widths ? 0 : INFINITY; /* no path */

	for (uint32_t to = 0; to < n_vertices; to++) {
		uint32_t key = self->key_of[to];

		if (key == APSP_NO_KEY || to == from || distance[to] == none)
			continue;
		self->sums[key] += distance[to];
		self->counts[key]++;
	}
}

int apsp_keyed_rows_step(struct apsp_keyed_rows *self, uint32_t key,
	const double **out, struct apsp_err *err)
{
	struct apsp_row row;
	uint32_t from;
	int r;

	if (!self->started)
		key_start(self, key);
	from = self->members[self->next];
	r = apsp_row_reader_read(self->reader, from, &row, err);
	if (r < 0)
		return r;
	self->started = ++self->next < self->begin[key + 1];
	*out = self->widths ? self->sums : row.distance;
	if (self->single && self->widths)
		widths_copy(self, row.width);
	if (self->single)
		return 0;
	row_add(self, from, self->widths ? row.width : row.distance,
		(uint32_t)self->tables->header.n_vertices);
	if (self->started)
		return 1;
	for (uint32_t k = 0; k < self->n_keys; k++) {
		if (!isfinite(self->sums[k]))
			return apsp_fail(err, APSP_EDATA,
				"the sum of the %s from one value of 'key' to "
				"another is above 1.8e308; compare without "
				"'key', or upload smaller weights",
				self->widths ? "widths" : "distances");
		self->sums[k] =
			self->counts[k]
				? self->sums[k] / (double)self->counts[k]
				: INFINITY;
	}
	*out = self->sums;
	return 0;
}
