/*
 * Transitive closure of a bit matrix by blocked Warshall: 32 pivots a step, a
 * row of 32-bit words an upload-order vertex, bit j % 32 of word j / 32.
 * Method: Warshall 1962, in blocks as Floyd–Warshall (Katz & Kider 2008).
 *
 * pivot_rows: out = the block's 32 rows, closed among themselves. One work-item
 *             a word of the rows; each closes the 32 × 32 diagonal on its own, so
 *             that none waits for another.
 * column:     out = the block's word of every row, which spread overwrites. One
 *             work-item a row.
 * spread:     row i |= the closed pivot rows that its word in `column` names.
 *             One work-item a word: global size (words, n).
 */
#define PIVOTS 32

__kernel void pivot_rows(__global const uint *bits, uint n, uint row_words,
	uint block, __global uint *out)
{
	uint word = get_global_id(0);
	uint diagonal[PIVOTS], value[PIVOTS];

	if (word >= row_words)
		return;
	for (uint p = 0; p < PIVOTS; p++) {
		uint row = block * PIVOTS + p;

		diagonal[p] = row < n ? bits[(ulong)row * row_words + block] : 0;
		value[p] = row < n ? bits[(ulong)row * row_words + word] : 0;
	}
	for (uint k = 0; k < PIVOTS; k++)
		for (uint p = 0; p < PIVOTS; p++)
			if (diagonal[p] >> k & 1) {
				diagonal[p] |= diagonal[k];
				value[p] |= value[k];
			}
	for (uint p = 0; p < PIVOTS; p++)
		out[(ulong)p * row_words + word] = value[p];
}

__kernel void spread(__global uint *bits, uint n, uint row_words, uint block,
	__global const uint *pivot_rows, __global const uint *column)
{
	uint word = get_global_id(0), i = get_global_id(1);
	uint named, value;

	if (word >= row_words || i >= n)
		return;
	named = column[i];
	if (named == 0)
		return;
	value = bits[(ulong)i * row_words + word];
	for (uint p = 0; p < PIVOTS; p++)
		if (named >> p & 1)
			value |= pivot_rows[(ulong)p * row_words + word];
	bits[(ulong)i * row_words + word] = value;
}

__kernel void column(__global const uint *bits, uint n, uint row_words,
	uint block, __global uint *out)
{
	uint i = get_global_id(0);

	if (i < n)
		out[i] = bits[(ulong)i * row_words + block];
}
