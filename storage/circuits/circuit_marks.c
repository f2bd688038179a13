/* Marks the arcs of a circuit that is being found; see circuit_marks.h. */
#include "storage/circuits/circuit_marks.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

uint64_t apsp_circuit_marks_bytes(const struct apsp_circuit_question *question,
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_targets)
{
	uint64_t nodes = question->groups ? question->n_groups : n_vertices;
	uint64_t bytes = n_arcs * (2 + sizeof(uint32_t)) + n_vertices +
			 nodes * sizeof(uint32_t);

	if (question->groups)
		bytes += (nodes + 1) * (n_targets + 1 + sizeof(uint32_t));
	return bytes;
}

int apsp_circuit_marks_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *graph, const struct apsp_arc_rolls *rolls,
	uint32_t n_targets, struct apsp_circuit_marks *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_circuit_marks_done)
	struct apsp_circuit_marks m = {
		.graph = graph,
		.rolls = rolls,
		.max_arcs = question->max_arcs,
		.stride = (size_t)n_targets + 1,
	};
	size_t n_rolls = rolls->n_rolls + 1;
	size_t n_nodes = (size_t)rolls->n_nodes + 1;
	bool good = true;

	good &= !!(m.arcs = calloc(graph->n_arcs + 1, 1));
	good &= !!(m.vertices = calloc((size_t)graph->n_vertices + 1, 1));
	good &= !!(m.roll_pairs = calloc(n_rolls, sizeof(*m.roll_pairs)));
	good &= !!(m.node_pairs = calloc(n_nodes, sizeof(*m.node_pairs)));
	if (question->groups) {
		good &= !!(m.in_rolls = calloc(n_rolls, 1));
		good &= !!(m.node_used = calloc(m.stride, 1));
		good &= !!(m.roll_used = calloc(n_nodes, m.stride));
		good &= !!(m.touched = calloc(n_nodes, sizeof(*m.touched)));
	}
	if (!good)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a circuit");
	*out = APSP_TAKE(m);
	return 0;
}

void apsp_circuit_marks_done(struct apsp_circuit_marks *m)
{
	free(m->arcs);
	free(m->vertices);
	free(m->in_rolls);
	free(m->roll_pairs);
	free(m->node_pairs);
	free(m->node_used);
	free(m->roll_used);
	free(m->touched);
	memset(m, 0, sizeof(*m));
}

static unsigned char *roll_used(
	const struct apsp_circuit_marks *m, uint32_t node, uint64_t roll)
{
	return m->roll_used + (roll - m->rolls->first[node]) * m->stride;
}

unsigned char *apsp_circuit_marks_used(
	const struct apsp_circuit_marks *m, uint32_t node, uint64_t arc)
{
	if (!m->roll_used || m->truncated)
		return NULL;
	return roll_used(m, node, apsp_arc_rolls_of(m->rolls, arc));
}

static void arc_mark(struct apsp_circuit_marks *m, uint64_t arc)
{
	uint64_t roll = apsp_arc_rolls_of(m->rolls, arc);

	if (m->arcs[arc])
		return;
	m->arcs[arc] = 1;
	m->vertices[m->graph->tails[arc]] = 1;
	m->n_arcs += !m->in_rolls || !m->in_rolls[roll];
	if (m->in_rolls)
		m->in_rolls[roll] = 1;
	m->truncated = m->n_arcs > m->max_arcs;
}

void apsp_circuit_marks_arc(struct apsp_circuit_marks *m, uint64_t arc,
	uint32_t n_targets, unsigned char *used)
{
	uint64_t roll = apsp_arc_rolls_of(m->rolls, arc);

	if (!used) {
		m->roll_pairs[roll] += n_targets;
	} else if (!used[m->stride - 1]) {
		used[m->stride - 1] = 1;
		m->touched[m->n_touched++] = (uint32_t)roll;
	}
	arc_mark(m, arc);
}

void apsp_circuit_marks_vertex(
	struct apsp_circuit_marks *m, uint32_t v, uint32_t n_targets)
{
	m->vertices[v] = 1;
	if (!m->node_used)
		m->node_pairs[v] += n_targets;
}

static uint32_t used_count(unsigned char *used, size_t n)
{
	uint32_t count = 0;

	for (size_t j = 0; j < n; j++)
		count += used[j];
	memset(used, 0, n);
	return count;
}

void apsp_circuit_marks_group_end(struct apsp_circuit_marks *m, uint32_t node)
{
	for (uint32_t i = 0; i < m->n_touched; i++) {
		uint32_t roll = m->touched[i];
		unsigned char *used = roll_used(m, node, roll);

		m->roll_pairs[roll] += used_count(used, m->stride - 1);
		used[m->stride - 1] = 0;
	}
	m->n_touched = 0;
	m->node_pairs[node] += used_count(m->node_used, m->stride - 1);
}

void apsp_circuit_marks_join(
	struct apsp_circuit_marks *m, const struct apsp_circuit_marks *more)
{
	for (uint64_t a = 0; a < m->graph->n_arcs; a++)
		if (more->arcs[a])
			arc_mark(m, a);
	for (uint32_t v = 0; v < m->graph->n_vertices; v++)
		m->vertices[v] |= more->vertices[v];
	for (uint64_t i = 0; i < m->rolls->n_rolls; i++)
		m->roll_pairs[i] += more->roll_pairs[i];
	for (uint32_t i = 0; i < m->rolls->n_nodes; i++)
		m->node_pairs[i] += more->node_pairs[i];
}
