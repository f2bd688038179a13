/*
 * Counts the steps of the work on a part of a circuit (circuit_part.h). A step
 * is a visit of an arc, or one comparison of a sum with the bound of a pair.
 * The work is done in turns of about a millisecond; between two turns, the
 * thread can serve other requests.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_WORK_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	APSP_CIRCUIT_TURN = 1 << 20, /* number of steps in a turn */
};

struct apsp_circuit_work {
	uint64_t n_steps;
	uint64_t turn_end;
};

static inline void apsp_circuit_work_turn(struct apsp_circuit_work *work)
{
	work->turn_end = work->n_steps + APSP_CIRCUIT_TURN;
}

static inline bool apsp_circuit_work_turn_over(
	const struct apsp_circuit_work *work)
{
	return work->n_steps >= work->turn_end;
}

#endif
