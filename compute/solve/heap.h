/*
 * How much free memory malloc() keeps between the jobs of a solver. Linux makes
 * each page of new memory when it is first written, which takes a larger part
 * of a small job than the algorithm does: with two cores, a job with a complete
 * graph of 2048 vertices made 15,700 pages and took 0.80 s of processor time.
 * In memory that the previous job left, it makes 700 pages and takes 0.24 s.
 */
#ifndef APSP_COMPUTE_SOLVE_HEAP_H
#define APSP_COMPUTE_SOLVE_HEAP_H

/* Make malloc() reuse freed memory, unless this keeps more than
   apsp_host_room_kept() bytes. Call this once, before the first thread
   starts. */
void apsp_heap_prepare(void);

/* Call this between two jobs: if more than apsp_host_room_kept() bytes are
   free, this function gives all free memory back to Linux. */
void apsp_heap_trim(void);

#endif
