/*
 * The table files of a bundle; see bundle_tables.h.
 */
#include "storage/ingest/formats/bundle_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"

/* If the number of vertices times the number of arcs is at most this number, a
   job by default proves every row of a bundle's tables. At this size, the proof
   takes about half a minute on one processor. */
#define PROVE_ALL_MAX 1e11

/* Return the profile whose file is being read, or will be read next. Call this
   only if a file is left. */
static struct apsp_bundled_profile *present(
	const struct apsp_bundle_tables *tables)
{
	return &tables->builder->bundled.profiles[tables->next];
}

/* Find the first profile, from number i on, that has a table file of its own:
   no earlier profile has the same file. Returns the profile's number, or the
   number of profiles if there is none. */
static size_t next_from(const struct apsp_bundle_tables *tables, size_t i)
{
	const struct apsp_bundled *bundled = &tables->builder->bundled;
	const struct apsp_bundled_profile *all = bundled->profiles;

	for (; i < bundled->n_profiles; i++) {
		size_t k = 0;

		while (k < i && (!all[k].has_tables ||
					strcmp(all[k].hash, all[i].hash) != 0))
			k++;
		if (all[i].has_tables && k == i)
			break;
	}
	return i;
}

static bool recomputes(const struct apsp_bundle_tables *tables)
{
	return tables->builder->file.recompute_tables;
}

int apsp_bundle_tables_begin(
	struct apsp_bundle_tables *tables, struct apsp_err *err)
{
	const struct apsp_received_place *place = &tables->builder->received;

	tables->next = next_from(tables, 0);
	if (tables->next == tables->builder->bundled.n_profiles ||
		recomputes(tables) || (place->dir && !place->forbidden))
		return 0;
	return apsp_fail(err, APSP_EFORBIDDEN,
		"the bundle has tables, which need a token with the scope "
		"'admin'; with tables=recompute they are left out and computed "
		"again");
}

/* Write the name of the next file; "": no file is left. */
static void name_write(
	const struct apsp_bundle_tables *tables, char out[APSP_TAR_NAME_SIZE])
{
	*out = '\0';
	if (tables->next < tables->builder->bundled.n_profiles)
		snprintf(out, APSP_TAR_NAME_SIZE, "tables/%s.apsp",
			present(tables)->hash);
}

/* If r is negative, report the error *why. If r is APSP_EDATA, the message
   begins with the name of the archive's member. */
static int result(const struct apsp_bundle_tables *tables, int r,
	const struct apsp_err *why, struct apsp_err *err)
{
	if (r == APSP_EDATA)
		return apsp_fail(err, APSP_EDATA,
			"the member 'tables/%s.apsp' %s", present(tables)->hash,
			why->message);
	return r < 0 ? apsp_fail(err, (enum apsp_code)r, "%s", why->message)
		     : 0;
}

int apsp_bundle_tables_open(struct apsp_bundle_tables *tables, const char *name,
	const struct apsp_tar_header *header, struct apsp_err *err)
{
	struct apsp_graph_builder *builder = tables->builder;
	char expected[APSP_TAR_NAME_SIZE];
	struct apsp_bundled_profile *profile;
	struct apsp_err why;
	int r = 0;

	name_write(tables, expected);
	while (recomputes(tables) && *expected && strcmp(name, expected) != 0) {
		tables->next = next_from(tables, tables->next + 1);
		name_write(tables, expected);
	}
	if (!*expected)
		return apsp_fail(err, APSP_EDATA,
			"found the member '%s', which bundle.json does not "
			"name, or not in this place",
			apsp_excerpt_of(name, strlen(name)).text);
	if (header->type != APSP_TAR_FILE || strcmp(name, expected) != 0)
		return apsp_fail(err, APSP_EDATA,
			"found the member '%s', expected '%s'",
			apsp_excerpt_of(name, strlen(name)).text, expected);
	profile = present(tables);
	if (header->size != profile->tables_size)
		r = apsp_fail(&why, APSP_EDATA,
			"has %" PRIu64 " bytes, but bundle.json says %" PRIu64,
			header->size, profile->tables_size);
	else if (!recomputes(tables))
		r = apsp_received_table_new(&builder->received, header->size,
			builder->share, &profile->received, &why);
	return result(tables, r, &why, err);
}

int apsp_bundle_tables_feed(struct apsp_bundle_tables *tables, const char *data,
	size_t size, struct apsp_err *err)
{
	struct apsp_received_table *table = present(tables)->received;
	struct apsp_err why;
	int r = table ? apsp_received_table_feed(table, data, size, &why) : 0;

	return result(tables, r, &why, err);
}

/* Check that a complete file agrees with its description in bundle.json. */
static int described(const struct apsp_bundle_tables *tables,
	const struct apsp_table_header *header, struct apsp_err *why)
{
	const struct apsp_bundled *bundled = &tables->builder->bundled;
	const char *said = present(tables)->tables_checksum;
	char checksum[sizeof(present(tables)->tables_checksum)];

	snprintf(checksum, sizeof(checksum), "%016" PRIx64,
		header->header_checksum);
	if (strcmp(checksum, said) != 0)
		return apsp_fail(why, APSP_EDATA,
			"has a header with the checksum %s, but bundle.json "
			"says %s",
			checksum, said);
	if (strcmp(header->revision, bundled->revision) != 0)
		return apsp_fail(why, APSP_EDATA,
			"has tables of the revision %.16s…, but the bundle has "
			"the revision %.16s…",
			header->revision, bundled->revision);
	if (header->n_vertices != bundled->n_vertices)
		return apsp_fail(why, APSP_EDATA,
			"has tables of %" PRIu64
			" vertices, but the bundle has %" PRIu64,
			header->n_vertices, bundled->n_vertices);
	return 0;
}

int apsp_bundle_tables_close(
	struct apsp_bundle_tables *tables, struct apsp_err *err)
{
	struct apsp_received_table *table = present(tables)->received;
	struct apsp_err why;
	int r = 0;

	if (table) {
		r = apsp_received_table_end(table, &why);
		if (r == 0)
			r = described(tables, &table->header, &why);
		r = result(tables, r, &why, err);
	}
	tables->next = next_from(tables, tables->next + 1);
	return r;
}

int apsp_bundle_tables_end(
	struct apsp_bundle_tables *tables, struct apsp_err *err)
{
	struct apsp_bundled *bundled = &tables->builder->bundled;
	char expected[APSP_TAR_NAME_SIZE];

	name_write(tables, expected);
	if (*expected && !recomputes(tables))
		return apsp_fail(err, APSP_EDATA,
			"the bundle ends before the member '%s'", expected);
	bundled->prove = tables->builder->file.prove;
	if (!bundled->prove)
		bundled->prove =
			(double)bundled->n_vertices * (double)bundled->n_arcs <=
					PROVE_ALL_MAX
				? APSP_PROVE_ALL
				: APSP_PROVE_SEED;
	return 0;
}
