"""Distances between all pairs by Dijkstra from every vertex (tests/all_pairs.c)."""
import ctypes
import os

import numpy as np
from numpy.ctypeslib import ndpointer

from harness import SOLVER

# beside the solver, since Python cannot load a library that is sanitized
SEARCH = ctypes.CDLL(os.path.join(
    os.path.dirname(SOLVER), "..", "tests", "liball_pairs.so")).all_pairs
SEARCH.argtypes = [ctypes.c_uint32, ndpointer(np.int32), ndpointer(np.int32),
                   ndpointer(np.float64), ndpointer(np.float64)]
SEARCH.restype = None


def all_pairs(matrix, unweighted=False):
    """As SciPy's csgraph.dijkstra() of a sparse matrix in rows; a stored 0 is an arc of length 0."""
    n = matrix.shape[0]
    matrix.sum_duplicates()
    lengths = np.ones(matrix.nnz) if unweighted else matrix.data.astype(np.float64)
    if not (lengths >= 0).all():
        raise ValueError("Dijkstra needs lengths of 0 or more")
    distances = np.empty((n, n))
    SEARCH(n, matrix.indptr, matrix.indices, lengths, distances)
    return distances
