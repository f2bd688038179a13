/*
 * The tables of one (revision, profile hash): a table file mapped read-only,
 * and every question it answers by lookup.
 *
 * Shared between threads and counted. A block is checked against its checksum
 * on first touch; a fault inside the mapping (a file cut short, a bad disk)
 * gives zeros and marks the tables damaged. Every lookup looks at the mark
 * after reading and before answering: APSP_EDAMAGED, never a wrong answer.
 */
#ifndef APSP_STORAGE_TABLES_H
#define APSP_STORAGE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_tables;

/* Called once, on whichever thread saw the damage first; must not block. */
struct apsp_tables_watch {
	void (*damaged)(void *ctx, const char *revision,
		const char *profile_hash);
	void *ctx;
};

/*
 * Map the sealed table file at path. Checks header, sizes and the checksums'
 * own checksum: milliseconds for any n. revision and profile_hash are what the
 * file must hold. APSP_EDAMAGED, APSP_EIO. One reference is the caller's.
 */
int apsp_tables_open(const char *path, const char *revision,
	const char *profile_hash, const struct apsp_tables_watch *watch,
	struct apsp_tables **out, struct apsp_err *err);

struct apsp_tables *apsp_tables_ref(struct apsp_tables *tables);
void apsp_tables_unref(struct apsp_tables *tables); /* accepts NULL */

/*
 * Turn the solver's file at path into a sealed one: check its header and sizes,
 * write magic, revision, profile hash and header checksum, sync. The file is
 * not yet renamed. *out_checksum identifies the data. APSP_EDAMAGED: the
 * solver's file is not whole.
 */
int apsp_tables_seal(const char *path, const char *revision,
	const char *profile_hash, uint64_t *out_checksum, struct apsp_err *err);

/* revision, profile hash and data checksum in short: 32 hexadecimal digits. */
const char *apsp_tables_id(const struct apsp_tables *tables);

/* The header, for element types, sizes and counts. */
const struct apsp_table_header *apsp_tables_header(
	const struct apsp_tables *tables);

bool apsp_tables_damaged(const struct apsp_tables *tables);

struct apsp_cell {
	bool reachable;
	double distance; /* if reachable */
	int64_t hops;    /* if reachable; -1 where only walking tells */
};

/* d(from, to). d(v, v) is 0 with 0 hops. Indices must be below n. */
int apsp_tables_cell(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_cell *out, struct apsp_err *err);

struct apsp_path {
	bool reachable;
	double distance;
	uint32_t hops;
	uint32_t *vertices; /* hops + 1 of them, from … to; owned */
	double *weights;    /* hops merged weights; owned */
	double *lengths;    /* hops lengths; owned */
};

/* The shortest path by design.md's tie rule. The caller owns *out. */
int apsp_tables_path(struct apsp_tables *tables, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err);
void apsp_path_done(struct apsp_path *path);

int apsp_tables_reachable(struct apsp_tables *tables, uint32_t from,
	uint32_t to, bool *out, struct apsp_err *err);

/* Whether v lies on a cycle, self-loops included. */
int apsp_tables_on_cycle(struct apsp_tables *tables, uint32_t v, bool *out,
	struct apsp_err *err);

enum apsp_direction {
	APSP_DIRECTION_OUT, /* what v reaches */
	APSP_DIRECTION_IN,  /* what reaches v */
};

struct apsp_reach_query {
	enum apsp_direction direction;
	bool has_max_distance;
	double max_distance; /* keep d <= max_distance */
	bool has_max_hops;
	uint32_t max_hops;
};

struct apsp_vertex_set {
	uint32_t *vertices; /* ascending, v itself among them; owned */
	size_t count;
};

/*
 * The vertices that v reaches, or that reach v; by bits alone unless a bound is
 * given. O(n), and O(n · hops) for max_hops over real lengths.
 */
int apsp_tables_reach_set(struct apsp_tables *tables, uint32_t v,
	const struct apsp_reach_query *query, struct apsp_vertex_set *out,
	struct apsp_err *err);
void apsp_vertex_set_done(struct apsp_vertex_set *set);

/*
 * Check the next block, whether it was checked before or not: a file may change
 * while it is served. Returns 1 if there was one, 0 at the end of a round (the
 * next call begins another), APSP_EDAMAGED. The writer calls it when idle.
 */
int apsp_tables_scrub(struct apsp_tables *tables, struct apsp_err *err);

#endif
