/*
 * Which connection makes room where all places are taken
 * (api/connection/README.md, Idle connections make room).
 */
#ifndef APSP_API_CONNECTION_SPARE_H
#define APSP_API_CONNECTION_SPARE_H

#include <stdbool.h>
#include <stdint.h>

/* What a connection does with its place. */
struct apsp_use {
	int fd;
	bool asked;		   /* it has had a request */
	bool busy;		   /* a request is under way */
	int64_t idle_since_ns;	   /* while it is not busy */
	int64_t replying_since_ns; /* 0: no answer yet */
};

/* The first rank goes first. */
enum apsp_spare_rank {
	APSP_SPARE_SILENT,  /* it has asked nothing for 10 ms */
	APSP_SPARE_RESTING, /* its last request was a second ago */
	APSP_SPARE_SLOW,    /* its client takes less than 1 MiB a second */
	APSP_SPARE_PAUSE,   /* it has no request */
	APSP_SPARE_READING, /* its answer has taken a second so far */
	APSP_SPARE_STAYS,
};

struct apsp_spare {
	enum apsp_spare_rank rank;
	int64_t order; /* within the rank the lowest goes first */
};

/* Never blocks; fd must be open. */
struct apsp_spare apsp_spare_judge(const struct apsp_use *use, int64_t now_ns);

bool apsp_spare_before(
	const struct apsp_spare *one, const struct apsp_spare *other);

#endif
