/*
 * Marks of tiles that may hold finite values, in the rows and columns of the pivot
 * tiles [first_k, first_k + n_k): finite[i][j] where some pivot k has finite[i][k]
 * and finite[k][j]. Items see each other's marks or not: a mark too many costs
 * time only.
 *
 * Global size (n_tiles, 2 n_k): the first n_k rows of items are the pivots' rows,
 * the others their columns.
 */
__kernel void mark(uint n_tiles, uint first_k, uint n_k, __global uchar *finite)
{
	uint along = get_global_id(0), pivot = get_global_id(1);
	uint i = pivot < n_k ? first_k + pivot : along;
	uint j = pivot < n_k ? along : first_k + pivot - n_k;
	uint found = 0;

	for (uint k = first_k; k < first_k + n_k; k++)
		found |= finite[(ulong)i * n_tiles + k] &
			finite[(ulong)k * n_tiles + j];
	if (found)
		finite[(ulong)i * n_tiles + j] = 1;
}
