/*
 * Damaged tables; see table_damage.h.
 */
#include "storage/jobs/table_damage.h"

#include <inttypes.h>

#include "daemon/base/auto.h"
#include "daemon/base/fixed_text.h"
#include "storage/jobs/generations.h"
#include "storage/jobs/served_tables.h"
#include "storage/tables/table_verify.h"

enum {
	RETRY_MS = 1000,
};

struct damage {
	struct apsp_command base;
	struct apsp_store *store;
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
};

/* Have damaged tables dropped and computed again. */
static int entry_lose(struct apsp_store *store,
	const struct apsp_open_tables_entry *entry, struct apsp_err *err)
{
	/* the commit takes the entry out */
	const struct apsp_open_tables_entry lost = *entry;
	APSP_AUTO(apsp_transaction_done) struct apsp_transaction tx = {0};
	int r;

	r = apsp_transaction_begin(&tx, store, err);
	if (r == 0)
		r = apsp_served_tables_lose(
			&tx, lost.id, lost.revision, lost.hash, err);
	if (r == 0)
		r = apsp_generations_commit(&tx, err);
	if (r == 0 && store->hooks.tables_lost)
		store->hooks.tables_lost(
			store->hooks.ctx, lost.revision, lost.hash);
	return r;
}

static bool is_damaged(const struct apsp_open_tables_entry *entry)
{
	return entry->tables && apsp_table_verify_damaged(entry->tables);
}

static int damage_run(struct apsp_command *base, struct apsp_err *err)
{
	struct damage *damage = (struct damage *)base;
	const struct apsp_store_hooks *hooks = &damage->store->hooks;
	const struct apsp_open_tables_entry *entry;
	struct apsp_err sentence;
	int r;

	/* a reader may have held tables that were replaced long ago */
	entry = apsp_open_tables_find(
		&damage->store->open_tables, damage->revision, damage->hash);
	if (!entry || !is_damaged(entry))
		return 0;
	r = entry_lose(damage->store, entry, err);
	if (r < 0 && hooks->trouble) {
		apsp_fail(&sentence, APSP_EDAMAGED,
			"tables/%" PRIu64 ".apsp is damaged, and cannot be "
			"given up yet: %s",
			entry->id, err->message);
		hooks->trouble(hooks->ctx, sentence.message);
	}
	return r;
}

int apsp_table_damage_run(struct apsp_store *store)
{
	struct apsp_open_tables *all = &store->open_tables;
	size_t i = 0;

	while (i < all->n) {
		if (!is_damaged(&all->entries[i]))
			i++;
		/* a lost entry's place is taken by the last one */
		else if (entry_lose(store, &all->entries[i], NULL) < 0)
			return RETRY_MS;
	}
	return -1;
}

static void damage_tell(
	void *ctx, const char *revision, const char *profile_hash)
{
	struct apsp_store *store = ctx;
	struct damage *damage = apsp_command_new(
		sizeof(*damage), damage_run, (struct apsp_done){0});

	/* without memory, housekeeping finds the marked tables */
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
