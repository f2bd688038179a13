/*
 * Sets how much free memory malloc() keeps between the jobs of a solver. Linux
 * makes each page of new memory when the page is first written. In a small job,
 * making pages takes more time than the algorithm. An example is a complete
 * graph of 2048 vertices on two cores: in new memory, its job made 15,700 pages
 * and took 0.80 s of processor time; in memory that the previous job had freed,
 * it made 700 pages and took 0.24 s.
 */
#ifndef APSP_COMPUTE_SOLVE_HEAP_H
#define APSP_COMPUTE_SOLVE_HEAP_H

/* Make malloc() keep freed memory for later use, up to apsp_host_room_kept()
   bytes. Call this once, before the first thread starts. */
void apsp_heap_prepare(void);

/* Call this between two jobs. If more than apsp_host_room_kept() bytes are
   free, this function gives all free memory back to Linux. */
void apsp_heap_trim(void);

#endif
