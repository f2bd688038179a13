/*
 * Loops over many numbers for the vectors of the processor at hand.
 */
#ifndef APSP_COMPUTE_WIDE_H
#define APSP_COMPUTE_WIDE_H

/*
 * A function that is compiled twice, for processors with AVX2 and for all, and
 * chosen when the program starts. Both do the same arithmetic: AVX2 has no
 * multiplication and addition in one step, so the bits do not differ.
 * Sanitizers cannot follow the choice, and clang 14 gives such a function a
 * name that other files do not find.
 */
#if defined(__x86_64__) && defined(__ELF__) && !defined(__clang__) &&          \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define APSP_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define APSP_WIDE
#endif

/* For the parts of such a function, so that they are compiled with it. */
#define APSP_INLINE inline __attribute__((always_inline))

#endif
