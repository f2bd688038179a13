/*
 * Damaged tables; see table_damage.h.
 */
#include "storage/jobs/table_damage.h"

#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/served_tables.h"
#include "storage/tables/table_verify.h"

struct damage {
	struct apsp_command base;
	struct apsp_store *store;
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
};

static int damage_run(struct apsp_command *base, struct apsp_err *err)
{
	struct damage *damage = (struct damage *)base;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	const struct apsp_open_tables_entry *entry;
	int r;

	/* a reader may have held tables that were replaced long ago */
	entry = apsp_open_tables_find(
		&damage->store->open_tables, damage->revision, damage->hash);
	if (!entry || !entry->tables ||
		!apsp_table_verify_damaged(entry->tables))
		return 0;
	r = apsp_transaction_begin(&tx, damage->store, err);
	if (r == 0)
		r = apsp_served_tables_lose(
			&tx, entry->id, damage->revision, damage->hash, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	if (r == 0 && damage->store->hooks.tables_lost)
		damage->store->hooks.tables_lost(damage->store->hooks.ctx,
			damage->revision, damage->hash);
	return r;
}

static void damage_tell(
	void *ctx, const char *revision, const char *profile_hash)
{
	struct apsp_store *store = ctx;
	struct damage *damage = apsp_command_new(
		sizeof(*damage), damage_run, (struct apsp_done){0});

	/* without memory, marked tables refuse to answer until a restart */
	if (!damage)
		return;
	damage->store = store;
	if (apsp_fixed_text_set(
		    damage->revision, sizeof(damage->revision), revision) &&
		apsp_fixed_text_set(
			damage->hash, sizeof(damage->hash), profile_hash))
		apsp_writer_post(damage->store->writer, &damage->base);
	else
		apsp_command_end(&damage->base, APSP_EBUG, NULL);
}

struct apsp_tables_watch apsp_table_damage_watch(struct apsp_store *store)
{
	return (struct apsp_tables_watch){.damaged = damage_tell, .ctx = store};
}
