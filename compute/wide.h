/*
 * Macros that mark functions. The loops of the marked functions are compiled
 * for the vector instructions of the processor that runs them.
 */
#ifndef APSP_COMPUTE_WIDE_H
#define APSP_COMPUTE_WIDE_H

/*
 * Marks a function that is compiled three times: for processors with AVX2, for
 * other processors with an instruction that counts bits, and for all other
 * processors. The version is chosen when the program starts. All versions
 * compute the same bits: a fused multiply-add would round differently, but AVX2
 * does not include it. The mark has no effect with sanitizers, which do not
 * support functions of several versions. It has no effect with clang either,
 * because clang 14 gives such a function a name that other files cannot find.
 */
#if defined(__x86_64__) && defined(__ELF__) && !defined(__clang__) &&          \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define APSP_WIDE __attribute__((target_clones("avx2", "popcnt", "default")))
#else
#define APSP_WIDE
#endif

/* Marks a function that functions with APSP_WIDE call. The function is inlined
   into its callers, so it is compiled three times, too. */
#define APSP_INLINE inline __attribute__((always_inline))

#endif
