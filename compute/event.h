/*
 * What the solver says on stdout: one line an event, from rank 0 only. Lines
 * are at most APSP_EVENT_LINE bytes with their newline; texts have control
 * characters, '%' and newlines as %XX.
 *
 *	device NAME            the device that was chosen and passed its test
 *	algorithm NAME         the algorithm that was chosen (again on a retry)
 *	plan TEXT              why: compute/plan.h (again on a retry)
 *	element u16            the width of V (again on a retry)
 *	phase NAME             read, lengths, closure, distance, predecessor
 *	progress 0.341 41.0    done of the whole, seconds left (-1: not known)
 *	cycle LABEL            the next vertex of a negative cycle
 *	error CODE TEXT        apsp_code_name() and the message; the last line
 *	done                   the table file is complete; the last line
 *
 * `apsp-solve --devices` says, for each device:
 *	found TYPE UNITS MEMORY BUFFER ITEMS LOCAL DOUBLE ATOMICS CHOSEN \
 *		NAME|PLATFORM|VERSION
 * ITEMS being a work-group's at most, LOCAL the bytes of its local memory,
 * DOUBLE 1 where there is 64-bit arithmetic and ATOMICS 1 where there are
 *atomic minima of 64 bits; and `apsp-solve --calibrate`, of the one that it
 *picks: rates TEXT             compute/rates.h
 */
#ifndef APSP_COMPUTE_EVENT_H
#define APSP_COMPUTE_EVENT_H

#include <stddef.h>
#include <stdio.h>

#include "compute/worker.h"
#include "daemon/base/err.h"

enum {
	APSP_EVENT_LINE = 4096,
	/* The cycle's first vertices are told, the message counts the rest. */
	APSP_EVENT_CYCLE_MAX = 1000,
};

enum apsp_event_kind {
	APSP_EVENT_DEVICE,
	APSP_EVENT_ALGORITHM,
	APSP_EVENT_PLAN,
	APSP_EVENT_ELEMENT,
	APSP_EVENT_PHASE,
	APSP_EVENT_PROGRESS,
	APSP_EVENT_CYCLE,
	APSP_EVENT_ERROR,
	APSP_EVENT_DONE,
	APSP_EVENT_FOUND,
	APSP_EVENT_RATES,
};

/* One event; which members are set depends on the kind. */
struct apsp_event {
	enum apsp_event_kind kind;
	char text[APSP_EVENT_LINE];    /* unescaped; the message for ERROR */
	int code;		       /* ERROR */
	double progress;	       /* PROGRESS */
	double eta_s;		       /* PROGRESS */
	struct apsp_device_info found; /* FOUND */
};

/* Write one event to stream and flush it. Errors are ignored: stdin tells. */
void apsp_event_write(FILE *stream, const struct apsp_event *event);

/* Shorthands of the solver. */
void apsp_event_text(FILE *stream, enum apsp_event_kind kind, const char *text);
void apsp_event_progress(FILE *stream, double progress, double eta_s);
void apsp_event_error(FILE *stream, const struct apsp_err *err);

/*
 * Parse one line (without its newline). APSP_EDATA: it is not an event; the
 * caller ignores such lines, since a driver may print to stdout.
 */
int apsp_event_parse(
	const char *line, struct apsp_event *out, struct apsp_err *err);

#endif
