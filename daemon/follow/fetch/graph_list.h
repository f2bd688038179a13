/*
 * Parses the list of a daemon's graphs (GET /v1/graphs), as far as a follower
 * needs it. The list may come from a malicious server, so its size, the number
 * of its graphs and every name are checked. apsp_state_is_coming() and
 * apsp_detail_write() also serve other answers.
 */
#ifndef APSP_DAEMON_FOLLOW_FETCH_GRAPH_LIST_H
#define APSP_DAEMON_FOLLOW_FETCH_GRAPH_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"
#include "daemon/base/name.h"
#include "daemon/job/table_file.h"

enum {
	APSP_GRAPH_LIST_PAGE = 16, /* largest number of graphs in a page */
	/* largest size of a page in bytes */
	APSP_GRAPH_LIST_PAGE_BYTES = 8 << 20,
	/* bytes of a graph's stamp (a text that changes when the graph changes)
	   with its NUL */
	APSP_GRAPH_STAMP_SIZE = 65,
};

struct apsp_listed_profile {
	char name[APSP_NAME_SIZE];
	bool is_ready; /* the graph's bundle has the tables of this profile */
};

struct apsp_listed_graph {
	char name[APSP_NAME_SIZE];
	char stamp[APSP_GRAPH_STAMP_SIZE];
	/* revision of the upload from which the daemon answers; "": it answers
	   from none */
	char revision[APSP_HASH_SIZE];
	/* True: the daemon stores uploads of the graph, but none has had tables
	   yet. If this is false and the revision is "", the daemon cannot read
	   the graph's rows, or it follows a writer that cannot read them and
	   has no copy of the graph. */
	bool is_new;
	bool is_ready; /* the bundle has the tables of the profile `default` */
	/* the tables of `default` are being computed, or wait for their job */
	bool is_coming;
	bool has_attributes;
	struct apsp_listed_profile *profiles; /* owned */
	size_t n_profiles;
};

struct apsp_graph_list {
	struct apsp_listed_graph
		*graphs; /* in ascending order of names; owned */
	size_t n;
	size_t n_profiles; /* number of profiles of all graphs together */
	/* when a page was made, the daemon may have lacked graphs that exist,
	   because it follows another daemon and had not yet had all of that
	   daemon's graphs */
	bool is_partial;
	char next[APSP_NAME_SIZE]; /* cursor of the next page; "": there is no
				      next page */
};

void apsp_graph_list_done(struct apsp_graph_list *list);

/*
 * Add the graphs of one page to the list, and set list->next. APSP_EDATA: the
 * text is not a page, or its graphs do not follow the graphs of *list in order
 * of name. APSP_ENOMEM.
 */
int apsp_graph_list_add(struct apsp_graph_list *list, const char *text,
	size_t size, struct apsp_err *err);

/* Whether the tables of a profile with this `state` are being computed, or wait
   for their job. */
bool apsp_state_is_coming(const char *state);

/* If the text is a daemon's refusal, write ": " and its member `detail` to
   `out`. Otherwise, `out` becomes "". */
void apsp_detail_write(
	const char *text, size_t size, char out[APSP_MESSAGE_SIZE]);

/* Remove the new graphs (is_new), from which the daemon has never answered. */
void apsp_graph_list_drop_new(struct apsp_graph_list *list);

#endif
