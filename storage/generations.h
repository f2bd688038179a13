/*
 * The rows of generations and profiles and their life (design.md, decision 5).
 * Everything here runs inside a change on the writer thread and reports
 * APSP_EDB, APSP_ENOSPACE or APSP_ENOMEM besides what is said.
 */
#ifndef APSP_STORAGE_GENERATIONS_H
#define APSP_STORAGE_GENERATIONS_H

#include "storage/change.h"

/*
 * Give a generation up: its profiles go now, its rows later, in short
 * transactions. Its graph is not touched.
 */
int apsp_generation_give_up(
	struct apsp_change *change, uint64_t id, struct apsp_err *err);

/*
 * What every change that ends jobs or lets go of generations or profiles ends
 * with: make pending generations current where all is there, cancel jobs and
 * drop tables that nobody wants any more.
 */
int apsp_generations_settle(struct apsp_change *change, struct apsp_err *err);

/*
 * Where a job ended as cancelled since nobody wants its tables any more, let
 * its record say why; one that was cancelled on request keeps its message.
 */
int apsp_generations_explain_job(
	struct apsp_change *change, uint64_t id, struct apsp_err *err);

/*
 * Remove some rows of generations that were given up, and of half-loaded ones
 * unless loading says that one is being loaded; in a transaction of its own.
 * Returns 1 if there may be more, else 0.
 */
int apsp_generations_sweep(sqlite3 *db, bool loading, struct apsp_err *err);

/* A profile of one live generation. Texts are borrowed. */
struct apsp_profile_place {
	uint64_t generation;
	const char *revision;
	const char *graph;
	const char *name;
};

/*
 * Define a profile: its tables are served at once if there are any for the
 * rule, else a job is found or queued. *out is job, created and job_state.
 * APSP_EQUEUEFULL: no more jobs may wait.
 */
int apsp_profile_define(struct apsp_change *change,
	const struct apsp_profile_place *place, const struct apsp_profile *rule,
	struct apsp_put_result *out, struct apsp_err *err);

/*
 * The tables id are gone or damaged: forget them, and queue them again for the
 * profiles that want them.
 */
int apsp_generations_lose_tables(struct apsp_change *change, uint64_t id,
	const char *revision, const char *hash, struct apsp_err *err);

/*
 * The tables of (revision, hash) are there: serve them wherever they are
 * wanted, and end the jobs that wait for the same as succeeded.
 */
int apsp_generations_gain_tables(struct apsp_change *change,
	const char *revision, const char *hash, struct apsp_err *err);

/* SHA-256 of a rule's canonical text, in hexadecimal. */
void apsp_profile_hash(const struct apsp_profile *rule,
	char out_text[APSP_PROFILE_TEXT_SIZE], char out_hash[APSP_HASH_SIZE]);

#endif
