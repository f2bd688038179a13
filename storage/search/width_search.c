/*
 * Searches for widest paths; see width_search.h.
 *
 * The rank of a path is the highest rank of its arcs; the wider an arc is, the
 * lower is its rank. If vertices or arcs must be avoided, a first search finds
 * the rank of the widest path. This search does not record predecessors,
 * because they would not always give a widest path with the fewest arcs.
 *
 * Then two breadth-first searches (sides) start at the source and at the end.
 * In each step, the side whose next level has fewer vertices advances by one
 * level. The searches stop when a level contains vertices that the other side
 * has reached. Each path with the fewest arcs contains one of these vertices.
 * From these vertices, the source's side continues level by level to the end of
 * the path. It visits only vertices that the end's side has reached, and each
 * level is one arc nearer to the end.
 *
 * The path is then read from the levels of the source's side, beginning at the
 * path's end. The vertex before v is one level nearer to the source than v, and
 * has an arc to v whose rank is at most the path's rank. Of several such
 * vertices, the vertex with the lowest index is taken.
 */
#include "storage/search/width_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

enum {
	FROM, /* the search from the source */
	TO,   /* the search from the end */
};

enum phase {
	WIDEN, /* find the rank of the widest path: the highest rank of its
		  arcs */
	MEET,  /* search from both ends */
	JOIN,  /* both sides have met: continue the levels of the source's side
		  to the end */
	ENDED,
};

uint64_t apsp_width_search_first_bytes(uint64_t n_vertices)
{
	return (n_vertices + 1) * (7 * sizeof(uint32_t) + sizeof(double));
}

static bool side_new(struct apsp_width_side *side, size_t n)
{
	side->stamps = calloc(n, sizeof(*side->stamps));
	side->levels = malloc(n * sizeof(*side->levels));
	side->reached = malloc(n * sizeof(*side->reached));
	return side->stamps && side->levels && side->reached;
}

int apsp_width_search_init(const struct apsp_adjacency *arcs,
	const struct apsp_avoided *avoided, struct apsp_width_search *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_width_search_done)
	struct apsp_width_search search = {.arcs = arcs, .avoided = avoided};
	size_t n = (size_t)arcs->n_vertices + 1;
	bool good = side_new(&search.sides[FROM], n) &&
		    side_new(&search.sides[TO], n);

	search.vertices = malloc(n * sizeof(*search.vertices));
	if (avoided->vertices)
		search.best = malloc(n * sizeof(*search.best));
	if (!good || !search.vertices || (avoided->vertices && !search.best))
		return apsp_fail(err, APSP_ENOMEM, "no memory for a search");
	*out = APSP_TAKE(search);
	return 0;
}

void apsp_width_search_done(struct apsp_width_search *search)
{
	apsp_cost_heap_done(&search->heap);
	free(search->vertices);
	free(search->best);
	for (int s = FROM; s <= TO; s++) {
		free(search->sides[s].stamps);
		free(search->sides[s].levels);
		free(search->sides[s].reached);
	}
	memset(search, 0, sizeof(*search));
}

static bool has_reached(
	const struct apsp_width_search *search, int side, uint32_t v)
{
	return search->sides[side].stamps[v] == search->stamp;
}

static void reach(
	struct apsp_width_search *search, int side, uint32_t v, uint32_t level)
{
	struct apsp_width_side *s = &search->sides[side];

	s->stamps[v] = search->stamp;
	s->levels[v] = level;
	s->reached[s->n_reached++] = v;
}

static void side_begin(struct apsp_width_search *search, int side, uint32_t end)
{
	struct apsp_width_side *s = &search->sides[side];

	s->n_reached = 0;
	s->next = 0;
	s->level_end = 1;
	if (search->stamp == 1) /* clear the stamps in the first search, and
				   when the stamp has wrapped around, because
				   old stamps could equal new ones */
		memset(s->stamps, 0,
			search->arcs->n_vertices * sizeof(*s->stamps));
	reach(search, side, end, 0);
}

int apsp_width_search_begin(struct apsp_width_search *search, uint32_t from,
	uint32_t to, double rank, struct apsp_err *err)
{
	const struct apsp_cost_entry start = {.vertex = from};

	search->from = from;
	search->to = to;
	search->found = false;
	search->rank = rank;
	search->n_arcs = 0;
	search->side = FROM;
	if (++search->stamp == 0)
		search->stamp = 1;
	side_begin(search, FROM, from);
	side_begin(search, TO, to);
	search->heap.n = 0;
	search->phase = search->best ? WIDEN : rank < INFINITY ? MEET : ENDED;
	if (!search->best)
		return 0;
	for (uint32_t v = 0; v < search->arcs->n_vertices; v++)
		search->best[v] = INFINITY;
	search->best[from] = 0;
	return apsp_cost_heap_push(&search->heap, &start, err);
}

/* Visit the arcs out of v. The rank of a walk is the highest rank of its
   arcs. search->best[v] is the lowest rank of the walks from the source to v
   that were found so far. */
static int widen_from(struct apsp_width_search *search, uint32_t v,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint64_t first = arcs->out_offsets[v], end = arcs->out_offsets[v + 1];
	int r = apsp_search_work_count(work, end - first, err);

	for (uint64_t a = first; a < end && r == 0; a++) {
		uint32_t head = arcs->heads[a];
		double rank = fmax(search->best[v], arcs->lengths[a]);
		struct apsp_cost_entry entry = {.vertex = head};

		if (rank >= search->best[head] ||
			apsp_avoided_has_arc(search->avoided, v, head))
			continue;
		search->best[head] = rank;
		entry.key = entry.cost = (apsp_path_cost)rank;
		r = apsp_cost_heap_push(&search->heap, &entry, err);
	}
	return r;
}

/* Find the rank of the widest path (the highest rank of its arcs). Returns 1 if
   the turn ends first, else 0. */
static int widen(struct apsp_width_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	while (search->heap.n > 0 && search->best[search->to] > 0) {
		struct apsp_cost_entry entry;
		int r;

		if (apsp_search_work_turn_over(work))
			return 1;
		entry = apsp_cost_heap_pop(&search->heap);
		if (entry.vertex == search->to)
			break;
		/* skip this entry, because a walk of a lower rank to the same
		   vertex was found later */
		if (entry.cost != (apsp_path_cost)search->best[entry.vertex])
			continue;
		r = widen_from(search, entry.vertex, work, err);
		if (r < 0)
			return r;
	}
	search->rank = search->best[search->to];
	search->phase = search->rank < INFINITY ? MEET : ENDED;
	return 0;
}

/* Read the path from the levels of the source's side, beginning at the path's
   end, and store the path. */
static void path_store(struct apsp_width_search *search)
{
	const struct apsp_adjacency *arcs = search->arcs;
	const uint32_t *levels = search->sides[FROM].levels;
	uint32_t v = search->to;

	search->found = true;
	search->phase = ENDED;
	search->n_arcs = levels[v];
	for (uint32_t level = search->n_arcs; level > 0; level--) {
		uint64_t i = arcs->in_offsets[v];

		search->vertices[level] = v;
		/* Skip arcs that do not fit. The loop ends, because some arc
		   fits: the search has reached v. */
		while (arcs->in_lengths[i] > search->rank ||
			!has_reached(search, FROM, arcs->tails[i]) ||
			levels[arcs->tails[i]] != level - 1 ||
			apsp_avoided_has_arc(
				search->avoided, arcs->tails[i], v))
			i++;
		v = arcs->tails[i];
	}
	search->vertices[0] = v;
}

/* Visit the arcs out of v. In the phase JOIN, after both sides have met, follow
   only arcs that lead one level nearer to the end. */
static int visit_out(struct apsp_width_search *search, uint32_t v,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	const uint32_t *to_end = search->sides[TO].levels;
	uint32_t level = search->sides[FROM].levels[v] + 1;
	uint64_t first = arcs->out_offsets[v], end = arcs->out_offsets[v + 1];
	bool joining = search->phase == JOIN;
	int r = apsp_search_work_count(work, end - first, err);

	for (uint64_t a = first; a < end && r == 0; a++) {
		uint32_t head = arcs->heads[a];

		if (arcs->lengths[a] <= search->rank &&
			!has_reached(search, FROM, head) &&
			(!joining || (has_reached(search, TO, head) &&
					     to_end[head] + 1 == to_end[v])) &&
			!apsp_avoided_has_arc(search->avoided, v, head))
			reach(search, FROM, head, level);
	}
	return r;
}

/* Visit the arcs into v. */
static int visit_in(struct apsp_width_search *search, uint32_t v,
	struct apsp_search_work *work, struct apsp_err *err)
{
	const struct apsp_adjacency *arcs = search->arcs;
	uint32_t level = search->sides[TO].levels[v] + 1;
	uint64_t first = arcs->in_offsets[v], end = arcs->in_offsets[v + 1];
	int r = apsp_search_work_count(work, end - first, err);

	for (uint64_t i = first; i < end && r == 0; i++) {
		uint32_t tail = arcs->tails[i];

		if (arcs->in_lengths[i] <= search->rank &&
			!has_reached(search, TO, tail) &&
			!apsp_avoided_has_arc(search->avoided, tail, v))
			reach(search, TO, tail, level);
	}
	return r;
}

/*
 * Begin the phase JOIN if the level that a side has just reached contains
 * vertices that the other side has reached before. The phase visits these
 * vertices first.
 */
static void meet(struct apsp_width_search *search, int side)
{
	const struct apsp_width_side *s = &search->sides[side];
	struct apsp_width_side *from = &search->sides[FROM];
	uint32_t n = 0;

	for (uint32_t i = s->next; i < s->n_reached; i++) {
		uint32_t v = s->reached[i];

		/* If `s` is the source's side, s->reached and from->reached
		   are one array. Even then, the loop overwrites only
		   elements that it has read, because n is at most i. */
		if (has_reached(search, 1 - side, v))
			from->reached[n++] = v;
	}
	if (n == 0)
		return;
	search->phase = JOIN;
	from->n_reached = n;
	from->next = 0;
}

/* Choose the side whose next level is smaller. Returns false if one side has
   reached all vertices that it can reach. */
static bool side_choose(struct apsp_width_search *search)
{
	uint32_t sizes[2];

	for (int s = FROM; s <= TO; s++) {
		struct apsp_width_side *side = &search->sides[s];

		side->level_end = side->n_reached;
		sizes[s] = side->level_end - side->next;
	}
	search->side = sizes[TO] < sizes[FROM] ? TO : FROM;
	return sizes[FROM] > 0 && sizes[TO] > 0;
}

/* Search from both ends, until both sides meet or one side has no more
   vertices. Returns 1 if the turn ends first, else 0. */
static int both_search(struct apsp_width_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	do {
		struct apsp_width_side *side = &search->sides[search->side];

		for (; side->next < side->level_end; side->next++) {
			uint32_t v = side->reached[side->next];
			int r;

			if (apsp_search_work_turn_over(work))
				return 1;
			r = search->side == FROM
				    ? visit_out(search, v, work, err)
				    : visit_in(search, v, work, err);
			if (r < 0)
				return r;
		}
		meet(search, search->side);
	} while (search->phase == MEET && side_choose(search));
	if (search->phase == MEET)
		search->phase = ENDED;
	return 0;
}

/* Continue the levels of the source's side to the end, and store the path.
   Returns 1 if the turn ends first, else 0. */
static int join(struct apsp_width_search *search, struct apsp_search_work *work,
	struct apsp_err *err)
{
	struct apsp_width_side *from = &search->sides[FROM];

	for (; !has_reached(search, FROM, search->to); from->next++) {
		int r;

		if (apsp_search_work_turn_over(work))
			return 1;
		r = visit_out(search, from->reached[from->next], work, err);
		if (r < 0)
			return r;
	}
	path_store(search);
	return 0;
}

int apsp_width_search_step(struct apsp_width_search *search,
	struct apsp_search_work *work, struct apsp_err *err)
{
	int r = 0;

	apsp_search_work_turn(work);
	if (search->phase == WIDEN)
		r = widen(search, work, err);
	if (r == 0 && search->from == search->to)
		path_store(search);
	if (r == 0 && search->phase == MEET)
		r = both_search(search, work, err);
	if (r == 0 && search->phase == JOIN)
		r = join(search, work, err);
	work->bytes = apsp_width_search_first_bytes(search->arcs->n_vertices) +
		      search->heap.size * sizeof(*search->heap.entries);
	return r;
}
