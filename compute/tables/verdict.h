/*
 * The result of one attempt to solve a graph. In an attempt, all integer
 * distances have the same scale and the same number of bits (the width).
 */
#ifndef APSP_COMPUTE_TABLES_VERDICT_H
#define APSP_COMPUTE_TABLES_VERDICT_H

/* If the processes of a group (compute/group) have different verdicts, the
   verdict of the group is the largest of these numbers. */
enum apsp_verdict {
	APSP_VERDICT_PROVED,
	/* another process of the group has failed or has another verdict, so
	   this process has stopped, too */
	APSP_VERDICT_ELSEWHERE,
	/* an integer distance does not fit its number of bits, or a path has
	   so many arcs that integer distances are ambiguous (integers.h,
	   `scale`); the next attempt uses more bits (width_candidates.h) */
	APSP_VERDICT_TOO_NARROW,
	/* a path sum is outside the normal range of float32; the next attempt
	   uses float64 and the same integer distances */
	APSP_VERDICT_SUMS_NARROW,
	/* the `multi-source` algorithm was stopped, because the fastest of the
	   other algorithms would finish sooner (compute/distance/contest.h);
	   the next attempt uses that other algorithm and the same width */
	APSP_VERDICT_SLOW,
};

#endif
