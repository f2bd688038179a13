/*
 * Keeps the graphs of our daemon the same as the writer's graphs; see
 * fetch_main.h.
 *
 * Each graph in the writer's present list has a stamp, a text that changes when
 * the graph changes. If this stamp differs from the stamp of the last copy, the
 * graph is copied. If a graph cannot be copied, the copy is tried again after a
 * pause, which doubles with each failure. Other graphs do not wait for this
 * graph.
 */
#include "daemon/follow/fetch/fetch_main.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/fields.h"
#include "daemon/follow/fetch/graph_copy.h"
#include "daemon/follow/fetch/graph_list.h"
#include "daemon/follow/fetch/writer.h"

enum {
	LEAST_PAUSE_MS =
		100, /* shortest pause between two rounds (round_run()) */
	SAME_PAUSE_MS = 1000, /* pause between two rounds if the writer reports
				 at once that its list is still the same */
	RETRY_FIRST_MS = 250,
	RETRY_MOST_MS = 30000, /* longest pause before the next request for a
				  list after a failure */
	RETRY_GRAPH_MOST_MS = 300000, /* longest pause before a graph is copied
					 again after a failure */
	QUEUE_FULL_MS = 5000, /* pause before another bundle is fetched, if our
				 daemon's queue has no place for its jobs */
	/* while copies are unfinished: the number of seconds that a request
	   waits for a change of the writer's list, or for the tables of one
	   copy */
	UNDONE_WAIT_S = 1,
};

/* A graph that the writer or our daemon has, and the result of its last copy
   from the writer to our daemon. */
struct known {
	char name[APSP_NAME_SIZE];
	/* the graph in the writer's present list, borrowed from fetch->list;
	   NULL: the writer does not have the graph; valid only if
	   fetch->has_list is true */
	const struct apsp_listed_graph *graph;
	/* stamp (a text that changes when the graph changes) of the writer's
	   graph at the last copy; "": the graph was not copied, or must be
	   copied again */
	char stamp[APSP_GRAPH_STAMP_SIZE];
	struct apsp_copied copied;
	enum apsp_copy_state state; /* state of the last copy */
	/* the error of the last failed try to copy or delete the graph. It is
	   cleared (.code is 0) when a later copy answers, or when the writer's
	   graph changes */
	struct apsp_err why;
	/* stamp of the writer's graph at the last failed try; "": the try was a
	   deletion, because the writer has no such graph */
	char failed[APSP_GRAPH_STAMP_SIZE];
	/* pause after a failed try. It becomes 0 when a later copy has ended
	   (APSP_COPY_ENDED), or when the writer's graph changes */
	int pause_ms;
	int64_t next_ms; /* time at which the next try may begin
			    (apsp_clock_ms()) */
};

struct fetch {
	struct apsp_writer *writer;
	char tag[APSP_WRITER_TAG_SIZE];
	/* the newest list of the writer's graphs that was read completely,
	   without the graphs that have no tables at the writer yet */
	struct apsp_graph_list list;
	struct known *known; /* sorted by name; owned */
	size_t n_known;
	bool has_list, has_known;
	struct apsp_err why; /* why the last request for the list failed; .code
				is 0 if it succeeded */
	bool refused; /* tables of the writer have failed their proof since the
			 last line "state" */
	/* time at which the next bundle may be fetched (apsp_clock_ms()). It is
	   in the future if our daemon's queue was full */
	int64_t bundle_ms;
};

/* Whether the writer's list has the graph, and the graph's bundle has the
   tables of `default`. */
static bool is_ready(const struct known *known)
{
	return known->graph && known->graph->is_ready;
}

/* Whether the last copy was made from the writer's present state of the graph.
   The writer's list must have the graph. */
static bool is_copied(const struct known *known)
{
	return strcmp(known->stamp, known->graph->stamp) == 0;
}

/* Whether the writer answers from the graph, but our daemon does not yet answer
   from a copy of its present state. False if the writer cannot read the graph's
   rows; then our daemon keeps its copy. */
static bool is_missing(const struct known *known)
{
	return known->graph && *known->graph->revision &&
	       (known->state == APSP_COPY_WAITS || !is_copied(known));
}

/* Whether work is left: our daemon must copy or delete the graph, or its copy
   does not yet answer as the writer's graph does. */
static bool is_undone(const struct known *known)
{
	return !known->graph || is_missing(known) ||
	       (*known->graph->revision && known->state == APSP_COPY_DIFFERS);
}

/* Whether work is left that our daemon can do now. It can copy a graph only if
   the writer's bundle has the tables of `default`. */
static bool is_due(const struct known *known)
{
	return is_undone(known) && (!known->graph || is_ready(known));
}

/* Return the graph's stamp in the writer's present list; "": the list does not
   have the graph. */
static const char *listed_stamp(const struct known *known)
{
	return known->graph ? known->graph->stamp : "";
}

static size_t n_graphs(
	const struct fetch *fetch, bool (*counts)(const struct known *known))
{
	size_t n = 0;

	for (size_t i = 0; i < fetch->n_known; i++)
		n += counts(&fetch->known[i]);
	return n;
}

/* Count the graphs whose copies are in this state. */
static size_t n_copies(const struct fetch *fetch, enum apsp_copy_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < fetch->n_known; i++) {
		const struct known *known = &fetch->known[i];

		n += is_ready(known) && is_copied(known) &&
		     known->state == state;
	}
	return n;
}

/* Set *out to the error of the last request for the list. If there was no
   error, use the first graph whose copy has failed, or for which the writer has
   failed to make tables. */
static void why_get(const struct fetch *fetch, struct apsp_err *out)
{
	*out = fetch->why;
	for (size_t i = 0; fetch->has_list && !out->code && i < fetch->n_known;
		i++) {
		const struct known *known = &fetch->known[i];

		*out = known->why;
		if (!out->code && is_undone(known) && !is_due(known) &&
			!known->graph->is_coming)
			apsp_fail(out, APSP_EDATA,
				"graph '%s': the writer has no tables of its "
				"profile 'default'",
				known->name);
	}
}

static void report(struct fetch *fetch, bool reachable, bool listed)
{
	char line[4096] = "state";
	struct apsp_err why;

	why_get(fetch, &why);
	apsp_fields_add(line, sizeof(line), "reachable", "%d", reachable);
	apsp_fields_add(line, sizeof(line), "listed", "%d", listed);
	if (fetch->has_list) {
		apsp_fields_add(line, sizeof(line), "behind", "%zu",
			n_graphs(fetch, is_undone));
		apsp_fields_add(line, sizeof(line), "complete", "%d",
			!fetch->list.is_partial &&
				n_graphs(fetch, is_missing) == 0);
	}
	apsp_fields_add(line, sizeof(line), "refused", "%d", fetch->refused);
	fetch->refused = false;
	apsp_fields_add(
		line, sizeof(line), "why", "%s", why.code ? why.message : "");
	puts(line);
	if (fflush(stdout) != 0)
		exit(EXIT_FAILURE); /* the daemon has ended */
}

/* Print the names of the graphs that the writer cannot read, so that our daemon
   lists them. Call this before report(): when report() says that our daemon has
   all graphs ("complete"), the daemon must have these names. */
static void lost_print(const struct fetch *fetch)
{
	for (size_t i = 0; i < fetch->list.n; i++)
		if (!*fetch->list.graphs[i].revision)
			printf("lost %s\n", fetch->list.graphs[i].name);
}

/*
 * Add an entry to fetch->known for each graph of the list that has no entry.
 * Set the member `graph` in all entries. The member becomes NULL if the list
 * does not have the graph. If a graph has changed since its last failed try,
 * end its pause.
 */
static int known_merge(struct fetch *fetch, const struct apsp_graph_list *list,
	struct apsp_err *err)
{
	struct known *all = calloc(fetch->n_known + list->n + 1, sizeof(*all));
	size_t i = 0, k = 0, n = 0;

	if (!all)
		return apsp_fail(err, APSP_ENOMEM, "no memory for graphs");
	for (; i < list->n || k < fetch->n_known; n++) {
		int order = i == list->n ? -1
			    : k == fetch->n_known
				    ? 1
				    : strcmp(fetch->known[k].name,
					      list->graphs[i].name);

		if (order <= 0)
			all[n] = fetch->known[k++];
		else
			strcpy(all[n].name, list->graphs[i].name);
		all[n].graph = order >= 0 ? &list->graphs[i++] : NULL;
		if (strcmp(all[n].failed, listed_stamp(&all[n])) != 0) {
			all[n].pause_ms = 0;
			all[n].why = (struct apsp_err){0};
		}
	}
	free(fetch->known);
	fetch->known = all;
	fetch->n_known = n;
	return 0;
}

/* Store the result r of a try to copy or delete a graph. After a failure, set
   the pause before the next try. After a success, the pause is kept until all
   jobs of the copy have ended, because a job can still fail. The error is kept
   until the copy answers. */
static void tried(struct known *known, int r, const struct apsp_err *err)
{
	if (r >= 0) {
		if (known->state == APSP_COPY_ENDED)
			known->pause_ms = 0;
		if (known->state != APSP_COPY_WAITS)
			known->why = (struct apsp_err){0};
		return;
	}
	apsp_fail(&known->why, APSP_EDATA, "graph '%.64s': %s", known->name,
		err->message);
	known->pause_ms = known->pause_ms ? apsp_pause_double(known->pause_ms,
						    RETRY_GRAPH_MOST_MS)
					  : RETRY_FIRST_MS;
	known->next_ms = apsp_clock_ms() + known->pause_ms;
	strcpy(known->failed, listed_stamp(known));
}

static bool may_try(const struct known *known)
{
	return known->pause_ms == 0 || apsp_clock_ms() >= known->next_ms;
}

/* Copy a graph if it differs from the last copy, and find out the state of the
   copy. Returns 0 or a negative code. */
static int graph_copy(struct fetch *fetch, struct known *known, int wait_s,
	struct apsp_err *err)
{
	const struct apsp_listed_graph *graph = known->graph;
	int r = 0;

	if (!is_copied(known)) {
		known->state = APSP_COPY_WAITS;
		r = apsp_graph_copy(fetch->writer, graph, &known->copied, err);
		/* this is no failure: the writer has deleted or replaced the
		   graph, so its next list will differ */
		if (r == APSP_ENOGRAPH || r == APSP_EREVISION)
			return 0;
		/* this is no failure either: our daemon works on the copies of
		   other graphs */
		if (r == APSP_EQUEUEFULL) {
			fetch->bundle_ms = apsp_clock_ms() + QUEUE_FULL_MS;
			return 0;
		}
		if (r == 0)
			strcpy(known->stamp, graph->stamp);
	}
	if (r < 0)
		return r;
	r = apsp_graph_copied(graph, wait_s, &known->copied, err);
	if (r >= 0) {
		known->state = (enum apsp_copy_state)r;
		return 0;
	}
	fetch->refused |= r == APSP_EPROOF;
	known->stamp[0] = '\0';
	known->state = APSP_COPY_WAITS;
	return r;
}

/* Copy a graph, or find out the state of its copy. Do nothing if the pause
   after a failed try has not ended, or if the graph must be copied and the
   pause after a full queue has not ended. Returns a negative code if the writer
   cannot be reached. */
static int graph_step(struct fetch *fetch, struct known *known, int wait_s)
{
	struct apsp_err err = {0};
	int r;

	if (!is_ready(known) || !may_try(known) ||
		(is_copied(known) ? known->state == APSP_COPY_ENDED
				  : apsp_clock_ms() < fetch->bundle_ms))
		return 0;
	r = graph_copy(fetch, known, wait_s, &err);
	tried(known, r, &err);
	report(fetch, r != APSP_EIO, false);
	return r == APSP_EIO ? r : 0;
}

/*
 * Copy the graphs that differ from the writer's graphs. Then wait for the
 * tables of the copies, one copy after another, so that each finished copy is
 * reported at once. If the tables of a copy are not ready after UNDONE_WAIT_S,
 * stop waiting, so that a change of the writer's list is soon noticed. Returns
 * a negative code if the writer cannot be reached.
 */
static int graphs_step(struct fetch *fetch)
{
	bool waits = true;
	int r = 0;

	for (size_t i = 0; i < fetch->n_known && r == 0; i++)
		r = graph_step(fetch, &fetch->known[i], 0);
	for (size_t i = 0; i < fetch->n_known && r == 0 && waits; i++) {
		struct known *known = &fetch->known[i];

		if (!known->graph || !is_copied(known) ||
			known->state != APSP_COPY_WAITS)
			continue;
		r = graph_step(fetch, known, UNDONE_WAIT_S);
		waits = known->state != APSP_COPY_WAITS;
	}
	return r;
}

/* Delete the graphs that the writer does not have. If the writer's list is not
   complete, delete nothing, because the writer may still get these graphs. */
static void drop_gone(struct fetch *fetch)
{
	struct apsp_err err;

	for (size_t i = fetch->list.is_partial ? 0 : fetch->n_known; i-- > 0;) {
		struct known *known = &fetch->known[i];
		int r;

		if (known->graph || !may_try(known))
			continue;
		r = apsp_graph_drop(known->name, &err);
		tried(known, r, &err);
		if (r == 0)
			memmove(known, known + 1,
				(--fetch->n_known - i) * sizeof(*known));
	}
}

/* Read the list of the writer and, the first time, the list of our daemon.
   Returns 1, or 0 if the writer's list is still the same. */
static int lists_read(struct fetch *fetch, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_list_done) struct apsp_graph_list ours = {0};
	struct apsp_graph_list list = {0};
	int wait_s = UNDONE_WAIT_S, r;

	if (fetch->has_list && n_copies(fetch, APSP_COPY_WAITS) > 0)
		wait_s = 0; /* do not wait for the list, because graphs_step()
			       will wait for tables */
	else if (fetch->has_list && n_graphs(fetch, is_due) == 0 &&
		 n_copies(fetch, APSP_COPY_ANSWERS) == 0)
		wait_s = APSP_WRITER_WAIT_S;
	r = apsp_writer_list(fetch->writer, wait_s, fetch->tag, &list, err);
	if (r <= 0)
		return r;
	/* drop new graphs, from which the writer has never answered. If our
	   daemon has a graph of the same name, that is an earlier graph, which
	   the writer has deleted or could not read */
	apsp_graph_list_drop_new(&list);
	apsp_graph_list_done(&fetch->list);
	fetch->list = list;
	if (!fetch->has_known) {
		r = apsp_graphs_local(&ours, err);
		if (r >= 0)
			r = known_merge(fetch, &ours, err);
	}
	/* merge the writer's list after `ours`: the entries borrow from the
	   list that was merged last, and `ours` is freed at the return */
	if (r >= 0)
		r = known_merge(fetch, &fetch->list, err);
	if (r < 0) {
		fetch->tag[0] = '\0'; /* forget the ETag, so that both lists are
					 read again */
		fetch->has_list = false;
		return r;
	}
	fetch->has_known = fetch->has_list = true;
	return 1;
}

/* Run one round: read the list, delete the graphs that the writer does not
   have, and copy the graphs that differ. Returns the pause before the next
   round in milliseconds, or a negative code. */
static int round_run(struct fetch *fetch)
{
	int64_t begun_ms = apsp_clock_ms();
	struct apsp_err err = {0};
	int r = lists_read(fetch, &err);
	bool same = r == 0;

	fetch->why = err;
	if (r < 0) {
		report(fetch, r != APSP_EIO, false);
		return r;
	}
	lost_print(fetch);
	report(fetch, true, true);
	drop_gone(fetch);
	r = graphs_step(fetch);
	report(fetch, r == 0, false);
	if (r < 0)
		return r;
	return same && apsp_clock_ms() - begun_ms < SAME_PAUSE_MS
		       ? SAME_PAUSE_MS
		       : LEAST_PAUSE_MS;
}

int apsp_fetch_main(const char *url, const char *token_file)
{
	struct fetch fetch = {0};
	struct apsp_err err;
	int retry_ms = RETRY_FIRST_MS, r;

	if (apsp_writer_new(url, token_file, &fetch.writer, &err) < 0) {
		fprintf(stderr, "<3>%s\n", err.message);
		return EXIT_FAILURE;
	}
	for (;;) {
		r = round_run(&fetch);
		poll(NULL, 0, r < 0 ? retry_ms : r);
		retry_ms = r < 0 ? apsp_pause_double(retry_ms, RETRY_MOST_MS)
				 : RETRY_FIRST_MS;
	}
}
