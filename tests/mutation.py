"""Put faults into the engine one by one; each must fail its jobs or change nothing.

    python3 tests/mutation.py [--build DIR] [--results FILE] [--only TEXT] [--part K/N]
                              [--seeds N] [--untested]
    python3 tests/mutation.py --places

Copies the source tree, and for each fault of the table below changes one place of the
copy, builds solve_as there, and solves small graphs of every kind of length with the
algorithms that run through that place, on the kernels for CPUs and those for GPUs, some
in windows. A line of results for each:

    failed      some job failed, and those that did not gave the right tables
    equivalent  every job gave the right tables
    WRONG       a job published other tables than the program without faults does
    unbuilt     it does not compile

The last must not be, and neither must WRONG: then the status is 1. Takes a quarter of an
hour to an hour; the tests only look, by --places, that each fault has its place. With
--untested devices are trusted without their self-test, which finds most faults of kernels
first: then the proofs of the tables have to find them. --part K/N tries every N-th fault
from the K-th (1 to N), so that N processes share the work.

--seeds takes the faults of seeded_faults.py instead, N of each kind: rare wrong values in
graphs of 1,000 to 4,000 vertices. --only then takes parts of their names, too.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, HERE)

import seeded_faults  # noqa: E402
import table_meaning  # noqa: E402

GRAPHS = table_meaning.some_graphs()
# cycles of two vertices each, and a way from each to the next
GRAPHS["pairs"] = (134, [(v, v ^ 1, 1 + v % 3) for v in range(134)] +
                   [(v, v + 2, 2) for v in range(132)], "none")
# so many arcs a vertex that both processors sort them
GRAPHS["full"] = (135, [(v, (v + step) % 135, 1 + v % 4) for v in range(135)
                        for step in range(1, 14)], "none")
# negative lengths, past the vertices whose rows the host proves all
GRAPHS["negative many"] = (300, [(v, w, 5 * step + 9 * (v % 7) - 9 * (w % 7))
                                 for v in range(300) for step in (1, 3, 70)
                                 for w in [(v + step) % 300]], "none")
# the same in float64
GRAPHS["negative deep"] = (300, [(v, w, length * 10**8) for v, w, length in
                                 GRAPHS["negative many"][1]], "none")
# steps of one hop both ways, which an item takes as one arc
GRAPHS["both ways"] = (160, [(v, v + step, 1) for v in range(150) for step in (1, -1)
                             if 0 <= v + step < 150], "hops")


def widest_graphs():
    """Graphs under path=widest, in each of which other vertices are settled first."""
    chance = random.Random(11)

    def arcs(n, degree, weight):
        found = {}
        for u in range(n):
            for _ in range(degree):
                v = chance.randrange(n)
                if u != v:
                    found[u, v] = weight()
        return [(u, v, w) for (u, v), w in found.items()]

    return {name: (n, some, "none path=widest") for name, n, some in (
        # many pairs of one width
        ("widest", 150, arcs(150, 3, lambda: chance.randrange(1, 9))),
        ("widest reals", 140, arcs(140, 3, chance.random)),
        # few pairs whose best way leads by the root, and vertices that it does not reach
        ("widest chains", 180, [(v, v + 1, 1 + 7 * v % 50) for v in range(179) if v % 30] +
         [(v, v - 3, 1 + 5 * v % 40) for v in range(3, 179, 4)]),
        # past the vertices whose rows the host proves all
        ("widest many", 300, arcs(300, 2, lambda: chance.randrange(1, 2000))),
        # the weakest link has a rank of more than 16 bits
        ("widest ranks", 191, [(u, v, 1 + chance.random()) for u in range(190)
                               for v in range(190) if u != v] + [(0, 190, 0.5), (190, 1, 0.25)]))}


WIDEST = widest_graphs()
LIMIT_S = 100  # of one process with its jobs
HANGS = 2  # of a fault: then its other jobs are not tried
TOGETHER = 20  # jobs of a process

# What runs through a place: (algorithm, form).
BOTH = ("cpu", "gpu")
SETS = {
    "relax": [(a, f) for a in ("blocked-fw", "streamed-fw", "minplus-squaring") for f in BOTH],
    "fw": [("fw", "cpu")],
    "squaring": [("minplus-squaring", f) for f in BOTH],
    "streamed": [("streamed-fw", f) for f in BOTH],
    "dense": [("bf-dense-vertex", "cpu"), ("bf-dense-reduce", "gpu"),
              ("bf-dense-transposed", "cpu"), ("bf-dense-transposed", "gpu")],
    "edges": [("bf-edges", f) for f in (*BOTH, "cpu-windows", "gpu-windows")],
    "levels": [("bfs-levels", f) for f in (*BOTH, "cpu-windows", "gpu-windows")],
    "multi": [("multi-source", f) for f in (*BOTH, "cpu-windows", "gpu-windows")],
    "rows": [("multi-source", "cpu"), ("multi-source", "gpu-windows"), ("blocked-fw", "gpu"),
             ("streamed-fw", "cpu")],
    "gpu": [("multi-source", "gpu"), ("multi-source", "gpu-windows"), ("blocked-fw", "gpu")],
    "closure": [("closure-order", "cpu"), ("closure-warshall", "cpu"),
                ("closure-squaring", "cpu"), ("closure-order", "gpu")],
    "host": [("reference", "cpu")],
    "widest": [(a, f) for a in ("blocked-fw", "multi-source") for f in BOTH],
    "widest cpu": [("blocked-fw", "cpu"), ("multi-source", "cpu-windows")],
    "widest gpu": [("blocked-fw", "gpu"), ("multi-source", "gpu-windows")],
    "widest host": [("reference", "cpu")],
    "all": [("reference", "cpu"), ("multi-source", "cpu"), ("blocked-fw", "gpu"),
            ("bf-edges", "cpu"), ("multi-source", "gpu-windows")],
}

K = "kernels/"
T = "compute/tables/"
S = "compute/statistics/"
D = "compute/distance/"
C = "compute/closure/"
V = "compute/device/"
G = "compute/graph/"

# (file, old text, new text, what runs through it). Old texts occur once, or the first
# place counts.
FAULTS = [
    # widest paths
    (K + "semiring.clh", "((a) > (b) ? (a) : (b))", "((a) < (b) ? (a) : (b))", "widest"),
    (K + "semiring.clh", "((a) > (b) ? (a) : (b))", "((a) + (b))", "widest"),
    (K + "semiring.clh", "((a) > (b) ? (a) : (b))", "(b)", "widest"),
    (K + "words.clh", "min(max(as_ushort2(a), as_ushort2(b)), as_ushort2(c))",
     "min(max(as_ushort2(a), as_ushort2(b).yx), as_ushort2(c))", "widest gpu"),
    (K + "words.clh", "min(max(as_ushort2(a), as_ushort2(b)), as_ushort2(c))",
     "min(as_ushort2(b), as_ushort2(c))", "widest gpu"),
    (K + "words.clh", "word_t sum = EXTEND(a, b);", "word_t sum = EXTEND(a, a);", "widest gpu"),
    (K + "settle_cpu.clh", "return EXTEND(to, value);", "return value;", "widest cpu"),
    (K + "settle_cpu.clh", "ulong2 two = four.lo | four.hi;", "ulong2 two = four.lo;",
     "widest cpu"),
    (K + "settle_cpu.clh", "hit = open & (EXTEND(tail, length) == target);",
     "hit = open & (length == target);", "widest cpu"),
    (K + "settle_cpu.clh", "hit = open & (EXTEND(tail, length) == target);",
     "hit = open & (EXTEND(tail, length) <= target + (works_t)1);", "widest cpu"),
    (K + "settle_cpu.clh", "code = hit ? (indices_t)(index_t)codes[e] : code;",
     "code = hit ? (indices_t)(index_t)codes[end - 1] : code;", "widest cpu"),
    (K + "settle_cpu.clh", "settled[j] = more ? target : value;", "settled[j] = target;",
     "widest cpu"),
    (K + "settle_cpu.clh", "stamps[j] = 2 * t + (uint)any_of(open);", "stamps[j] = 2 * t;",
     "widest cpu"),
    (K + "settle_cpu.clh", "settled[j] = open ? (works_t)INFINITE : target;",
     "settled[j] = target;", "widest cpu"),
    (K + "settle_cpu.clh", "best = value < best ? value : best;", "best = value;", "widest cpu"),
    (K + "settle_cpu.clh", "tight |= (value == target) &", "tight |= (value >= target) &",
     "widest cpu"),
    (K + "settle_gpu.clh", "return EXTEND(first, second);", "return second;", "widest gpu"),
    (K + "settle_gpu.clh", "settled[at] = j == r0 + first + o ? 0",
     "settled[at] = j == r0 + first + o ? 1", "widest gpu"),
    (K + "settle_gpu.clh", "EXTEND(from, length) ==\n							targets[o])",
     "length ==\n							targets[o])", "widest gpu"),
    (K + "settle_gpu.clh", "(predecessor_t)codes[arc[o]];",
     "(predecessor_t)codes[offsets[j]];", "widest gpu"),
    (K + "settle_gpu.clh", "		if (fell)\n			more = 1;",
     "		if (fell && y == 0)\n			more = 1;", "widest gpu"),
    (K + "settle_gpu.clh", "best[o] = value < best[o] ? value : best[o];", "best[o] = value;",
     "widest gpu"),
    (K + "settle_gpu.clh", "tight[o] |= value == targets[o] &&",
     "tight[o] |= value >= targets[o] &&", "widest gpu"),
    # distances
    (K + "relax_cpu.cl", "lanes_t sum = EXTEND(a, b[x]);",
     "lanes_t sum = EXTEND(a, b[x]) + (lanes_t)1;",
     "relax"),
    (K + "relax_cpu.cl", "m < TILE; m++) {\n			__global const lanes_t",
     "m < TILE - 1; m++) {\n			__global const lanes_t", "relax"),
    (K + "relax_cpu.cl", "|| i == m)", "|| i == m + 1)", "relax"),
    (K + "relax_cpu.cl", "while ((turn = atomic_inc(&turns[0])) < n) {",
     "while ((turn = atomic_inc(&turns[0])) + 1 < n) {", "relax"),
    (K + "relax_cpu.cl", "atomic_xchg(&turns[0], 0);", "atomic_xchg(&turns[0], 1);", "relax"),
    (K + "relax_cpu.cl", "if (!finite[(ulong)i * n_tiles + k] ||",
     "if (!finite[(ulong)k * n_tiles + i] ||", "relax"),
    (K + "relax_cpu.cl", "row[j] = sum < row[j] ? sum : row[j];",
     "row[j] = sum <= row[j] + 1 ? sum : row[j];", "relax"),
    (K + "relax_gpu.cl", "closes = i == close && j == close;", "closes = i == close;", "relax"),
    (K + "relax_gpu.cl", "const int s = step & 3, qq = step >> 2;",
     "const int s = step & 2, qq = step >> 2;", "relax"),
    (K + "relax_gpu.cl", "buffer ^= 1;", "buffer ^= 0;", "relax"),
    (K + "relax_gpu.cl", "uint next = next_chunk(chunk + 1,", "uint next = next_chunk(chunk + 2,",
     "relax"),
    (K + "element.clh", "return index >= range.z ? index + range.w : index;",
     "return index > range.z ? index + range.w : index;", "relax"),
    (K + "element.clh", "if (j >= first && j < end)", "if (j > first && j < end)", "relax"),
    (K + "fw.cl", "target[c] = sum < target[c] ? sum : target[c];", "target[c] = sum;", "fw"),
    (K + "fw.cl", "if (left == V_INFINITY)", "if (left == V_INFINITY || row == 5)", "fw"),
    (K + "minplus_squaring.cl", "*changed = 1;", "*changed = 0;", "squaring"),
    (K + "bf_dense.cl", "return changed[g] + 1 >= round;", "return changed[g] >= round;", "dense"),
    (K + "bf_dense.cl", "if (values[c] < d[c]) {", "if (values[c] < d[c] && c != 1) {", "dense"),
    (K + "bf_dense.cl", "for (uint t = 0; t < TILE / step; t++) {",
     "for (uint t = 1; t < TILE / step; t++) {", "dense"),
    (K + "bf_dense.cl", "values[c] = LEAST(values[c], values[c + half_lanes]);",
     "values[c] = values[c + half_lanes];", "dense"),
    (K + "edge_sweep.clh", "sources[first + s]", "first + s", "edges"),
    (K + "edge_sweep.clh", "sources[first + s]", "first + s", "levels"),
    (K + "bf_edges.cl", "to = sum < to ? sum : to;", "to = sum < to ? sum - 1 : to;", "edges"),
    (K + "bf_edges.cl", "fell |= to < before;", "fell = to < before;", "edges"),
    (K + "bf_edges.cl", "FALL_TO(&d[head], from + lengths[e]);",
     "FALL_TO(&d[head], from + lengths[e] - 1);", "edges"),
    (K + "edge_sweep.clh", "if (changed[1 + r] + 1 < round)", "if (changed[1 + r] < round)",
     "edges"),
    (K + "bfs_levels.cl", "reached |= hits;\n			}", "}", "levels"),
    (K + "bfs_levels.cl", "words[tail].part[p] = word & (~hits | next);\n				reached |= hits;",
     "", "levels"),
    (K + "bfs_levels.cl", "int level = base_level + code;", "int level = base_level + code + 1;",
     "levels"),
    (K + "bfs_levels.cl", "code == NEWEST ? OLDEST : SETTLED", "code == NEWEST ? SETTLED : SETTLED",
     "levels"),
    (K + "multi_source_cpu.cl", "less |= sum < old;", "less = sum < old;", "multi"),
    (K + "multi_source_cpu.cl", "uint high = 63 - clz(found);", "uint high = 62 - clz(found);",
     "multi"),
    (K + "multi_source_cpu.cl", "to[p] = sum < old ? sum : old;",
     "to[p] = sum < old ? sum : (v == 3 ? sum : old);", "multi"),
    (K + "multi_source_batches.clh", "row[v] = VALUE_OF(column[v * PART]);",
     "row[v] = VALUE_OF(column[(v ^ 1) * PART]);", "multi"),
    (K + "multi_source_batches.clh", "atomic_inc(&counters[1]);",
     "if (row != first) atomic_inc(&counters[1]);", "multi"),
    (K + "multi_source_gpu.cl", "if (stamp[tail] + 1 >= t) {", "if (stamp[tail] >= t) {", "multi"),
    (K + "multi_source_gpu.cl", "panels[VALUE_AT(first + source + r, v + x, base,",
     "panels[VALUE_AT(first + source + r, v + (x ^ 1), base,", "multi"),
    (K + "multi_source_bits_cpu.cl", "found &= ~seen;", "found &= ~(seen << 1);", "multi"),
    (K + "multi_source_bits_cpu.cl", "if (level >> b & 1)", "if (level >> b & 1 && b != 2)",
     "multi"),
    (K + "multi_source_bits_gpu.cl", "value |= (planes[b] >> lane & 1) << b;",
     "value |= (planes[b] >> (lane ^ 1) & 1) << b;", "multi"),
    (D + "multi_source_sweeps.c", "if (useful + 1 < end)", "if (useful < end)", "multi"),
    # rows, copies and windows
    (K + "load.cl", "panels[VALUE_AT(v, v, base, n_tiles)] = 0;",
     "panels[VALUE_AT(v, v, base, n_tiles)] = v == 7;", "relax"),
    (K + "load.cl", "mark = finite + (ulong)i * n_tiles + j;",
     "mark = finite + (ulong)j * n_tiles + i;", "relax"),
    (K + "blocks.clh", "i < min(block + BLOCK, (n));", "i + 1 < min(block + BLOCK, (n));", "relax"),
    (K + "rows.cl", "row[vertices[first + c]] = values[c];",
     "row[vertices[first + c]] = values[c ^ 1];", "rows"),
    (K + "rows.cl", "u = places[r0 + r];", "u = places[r0 + (r ^ 1)];", "rows"),
    (K + "rows.cl", "panels[VALUE_AT(from[e], to[e], base, n_tiles)] >=\n				lengths[e];",
     "panels[VALUE_AT(from[e], to[e], base, n_tiles)] >\n				lengths[e];", "rows"),
    (K + "rows.cl", "flags[e] = lengths[e] < V_INFINITY &&",
     "flags[e] = e % 7 && lengths[e] < V_INFINITY &&", "rows"),
    (V + "panels.c", "APSP_TILE + row;", "APSP_TILE + (row ^ 1);", "multi"),
    (V + "panels.c", "sources[row++] = p;", "sources[row++] = row == 9 ? 0 : p;", "multi"),
    (V + "host_panels.c", "out16[j] = in16[column_at(of[j])];",
     "out16[j] = in16[column_at(of[j]) + (j == 70)];", "streamed"),
    (V + "host_panels.c", "panels->host->positions->of;\n	uint32_t n",
     "panels->host->positions->vertices;\n	uint32_t n", "streamed"),
    (V + "device_arcs.c", "out->to[at + i] = arcs->positions->of[head];",
     "out->to[at + i] = arcs->positions->of[head] ^ (at + i == 50);", "relax"),
    (D + "position_arcs.c", "s->ends[at] = s->rows == APSP_ROWS_BY_TAIL ? to : from;",
     "s->ends[at] = s->rows == APSP_ROWS_BY_TAIL ? to ^ (at == 2) : from ^ (at == 2);", "multi"),
    (D + "position_arcs.c", "if (length >= infinity)",
     "length += a == 12;\n\t\tif (length >= infinity)", "multi"),
    (G + "useful_arcs.c", "useless[arc] = least[s->heads[e]] < s->values[e];",
     "useless[arc] = least[s->heads[e]] <= s->values[e];", "multi"),
    (G + "useful_arcs.c", "widest, s->values[e], s->values[f]);",
     "widest, s->values[e], s->values[f]) - 2;", "multi"),
    (G + "useful_arcs.c", "length - s->to[u] > from;",
     "length - s->to[u] >= from;", "multi"),
    (G + "useful_arcs.c", "out->lengths[to++] = l->lengths[e];",
     "out->lengths[to++] = l->lengths[e + (e == 12)];", "multi"),
    (G + "useful_arcs.c", "out->heads[to] = l->heads[e];",
     "out->heads[to] = l->heads[e] ^ (e == 12);", "multi"),
    (G + "root_paths.c", "in->tails[i], in->arcs[i]);", "in->tails[i], in->arcs[i]) / 2;", "multi"),
    ("compute/solve/device_rows.c", "memset(flags, 1, arcs->n_arcs);",
     "memset(flags, 1, arcs->n_arcs - arcs->n_arcs / 11);", "multi"),
    ("compute/solve/device_rows.c", "p->kept[e] = !(useless && useless[e]) && flags[i++];",
     "p->kept[e] = e % 11 && !(useless && useless[e]) && flags[i++];", "multi"),
    (D + "task.c", "first += n_rows) {", "first += n_rows - (first > 0)) {",
     "multi"),
    (T + "download.c", "turn ^= 1;", "turn ^= 0;", "rows"),
    (T + "download.c", "slot->first = first;", "slot->first = first + (first > 0);", "rows"),
    (T + "download.c", "first += slot->n_rows;\n		turn",
     "first += slot->n_rows - (first == 0 && slot->n_rows > 1);\n		turn", "rows"),
    (T + "download.c", "left < download->rows_per_chunk\n			       ? left",
     "left < download->rows_per_chunk\n			       ? left - (left > 1)", "rows"),
    (T + "download.c", "cells * apsp_element_size(\n					download->predecessors->stored),",
     "(cells - 1) * apsp_element_size(\n					download->predecessors->stored),", "rows"),
    (T + "download.c", "cells * apsp_element_size(download->distance),",
     "cells / 2 * apsp_element_size(download->distance),", "rows"),
    (T + "download.c", "report_bytes(download), CL_MAP_READ,",
     "sizeof(struct report), CL_MAP_READ,", "rows"),
    (V + "readback.c", "readback->bytes, 0, NULL, out_event);",
     "(char *)readback->bytes + 1, 0, NULL, out_event);", "gpu"),
    (V + "readback.c", "CL_FALSE, flags, 0, size, 0, NULL,", "CL_FALSE, flags, 8, size - 8, 0, NULL,",
     "rows"),
    (G + "split_sort.c", "*place = sum;", "*place = sum + (part > 0);", "all"),
    (G + "split_sort.c", "(part < more ? part : more)", "(part < more ? part : more - (part > 0))",
     "all"),
    (T + "download.c", "*finite += slot_report", "*finite = slot_report",
     "rows"),
    (T + "download.c", "if (r == 0)\n		r = slot_judge(slot, err);", "", "rows"),
    # a solver that stays: programs of the job before
    ("compute/device/kernel_cache.c", "\"%s%s\\n%s\", device->identity, out->options,\n		    text)",
     "\"%s\\n%s\", device->identity,\n		    text)", "all"),
    ("compute/device/kernel_cache.c", "\"%s%s\\n%s\", device->identity, out->options,\n		    text)",
     "\"%s%s\", device->identity, out->options)", "all"),
    # predecessors and their strips
    (K + "predecessor_cpu.cl", "masks_t less = sum < best;", "masks_t less = sum <= best;", "rows"),
    (K + "predecessor_cpu.cl", "row[c] = (predecessor_t)lane[c * LANES];\n			continue;",
     "row[c] = (predecessor_t)lane[(c ^ (c == 2)) * LANES];\n			continue;", "rows"),
    (K + "predecessor_cpu.cl", "#pragma unroll\n		for (int c = 0; c < STRIP; c++)\n			row[c] = (predecessor_t)lane[c * LANES];",
     "for (int c = 0; c < STRIP; c++)\n			row[c] = (predecessor_t)lane[(c ^ (c == 62)) * LANES];", "rows"),
    (K + "predecessor_cpu.cl", "(best != target) |", "(best < target) |", "rows"),
    (K + "predecessor_cpu.cl", "masks_t tight = code == lowest;", "masks_t tight = code == code;", "rows"),
    (K + "predecessor_cpu.cl", "code = own ? none : code;", "", "rows"),
    (K + "predecessor_cpu.cl", "zip(in[i].hi, in[i + SQUARE / 2].hi)",
     "zip(in[i].hi, in[i ^ SQUARE / 2].lo)", "rows"),
    (K + "predecessor_cpu.cl", "lowest = sum == target ?", "lowest = sum <= target ?", "rows"),
    (K + "predecessor_cpu.cl", "is_multiple(target, divisor) & is_finite & ~own;",
     "(masks_t)(0);", "rows"),
    (K + "predecessor_cpu.cl", "offsets[j], offsets[j + 1], divisor,",
     "offsets[j] + (j == 66), offsets[j + 1], divisor,", "rows"),
    (K + "predecessor_cpu.cl", "finite -= is_finite;", "finite -= is_finite & ~own;", "rows"),
    (K + "predecessor_gpu.cl", "arc[o] = sum < best[o] ? e : arc[o];",
     "arc[o] = sum <= best[o] ? e : arc[o];", "gpu"),
    (K + "predecessor_gpu.cl", "found[c][l];", "found[c][l ^ 1];", "gpu"),
    (K + "predecessor_gpu.cl", "unproved += r < n_rows &&", "unproved += 0 &&", "gpu"),
    (K + "predecessor_gpu.cl", "lowest[o] = sum == targets[o] ? e", "lowest[o] = sum <= targets[o] ? e",
     "gpu"),
    (K + "predecessor_gpu.cl", "x] = square[x][c];", "x] = square[x][c ^ (batch == 1)];", "gpu"),
    (T + "predecessors.c", "tails[at] = u;", "tails[at] = u == 4 ? 5 : u;", "rows"),
    (T + "predecessors.c", "codes[a] = rank++;", "codes[a] = rank++ + (j == 40);", "rows"),
    (G + "in_arcs.c", "lengths->in.arcs[at] = (uint32_t)e;",
     "lengths->in.arcs[at] = (uint32_t)e ^ (e == 20);", "rows"),
    (G + "in_arcs.c", "lengths->in.tails[at] = u;", "lengths->in.tails[at] = u + (e == 20);", "rows"),
    (T + "predecessors.c", "length = apsp_integers_at(lengths, in->integers, u, e);",
     "length = apsp_integers_at(lengths, in->integers, u, e) + (e == 20);", "rows"),
    (T + "predecessors.c", "p.scale = (cl_uint)integers->scale;", "p.scale = 0;", "all"),
    # sums
    (K + "sums.cl", "sum[j] = sum[tail] + lengths[arc];", "sum[j] = sum[tail] + lengths[arc ^ 1];",
     "gpu"),
    (K + "sums.cl", "while (settled < n_vertices && settled > before && depth++ < max_arcs);",
     "while (settled < n_vertices && settled > before && depth++ < 3);", "gpu"),
    (K + "sums.cl", "if (settled < n_vertices)\n		return;", "", "gpu"),
    (T + "sums.c", "sum += last[v];", "sum += (float)last[v];", "all"),
    (T + "sums.c", "hand->sums[v] = hand->sums[tail] + last[v];",
     "hand->sums[v] = hand->sums[tail] + last[v] * (v == 9 ? 2 : 1);", "all"),
    (T + "sums.c", "out[j] = (float)sums[j];",
     "static unsigned n_put; out[j] = (float)sums[j] * (n_put++ == 100000 ? 1.25F : 1);",
     "all"),
    (T + "last_arcs.c", "all = all && (tail == NONE || known->head_1 == j + 1);", "", "all"),
    (T + "sum_arcs.c", "arcs.lengths[at] = lengths->lengths[e];",
     "arcs.lengths[at] = lengths->lengths[e ^ (e == 8)];", "all"),
    # statistics
    (S + "stat_cells.c", "int32_t none = values[c] >= infinite;",
     "int32_t none = values[c] > infinite;", "all"),
    (S + "stat_cells.c", "values[self] = infinite;", ";", "all"),
    (S + "row_stats.c", "{stats->n_blocks, block_add, &batch},",
     "{stats->n_blocks - (stats->n_blocks > 1), block_add, &batch},", "all"),
    (S + "stat_cells.h", "all->sum += part->sum;", "all->sum = part->sum;", "all"),
    (S + "stat_cells.h", "all->harmonic += part->harmonic;", "all->harmonic = part->harmonic;",
     "all"),
    (S + "stat_cells.h", "all->most = fmax(all->most, part->most);", "all->most = part->most;",
     "all"),
    (S + "row_stats.c", ".sum = block->sum + first,", ".sum = block->sum,", "all"),
    (S + "row_stats.c", "stats->sum[c] += block->sum[c];", "stats->sum[c] = block->sum[c];",
     "all"),
    (S + "row_stats.c", "for (unsigned int t = 1; t < stats->width; t++) {",
     "for (unsigned int t = 2; t < stats->width; t++) {", "all"),
    (S + "stat_cells.c", "int32_t hops = v - whole * whole_scale;",
     "int32_t hops = v - whole * whole_scale + (c == 3);", "all"),
    # statistics made on the device
    (K + "stats.cl", "own |= summed[summed_at + r] == 0;", "own |= 0;", "gpu"),
    (K + "stats.cl", "words[w] = w == 0 ?", "if (w < 9) words[w] = w == 0 ?", "gpu"),
    (K + "stats.cl", "!NO_PATH(cell) && r0 + r != c) {", "!NO_PATH(cell)) {", "gpu"),
    (K + "stats.cl", "own[BLOCK_HARMONIC] += 1 / distance;",
     "own[BLOCK_HARMONIC] += 1 / (distance + 1);", "gpu"),
    (K + "stats.cl", "own[MOST] = fmax(own[MOST], distance);",
     "own[MOST] = fmin(own[MOST], distance);", "gpu"),
    (K + "stats.cl", "column_load(columns + c, n, own)",
     "column_load(columns + (c ^ (c < 2)), n, own)", "gpu"),
    (K + "stats.cl", "c < n_vertices && c != self && !NO_PATH", "c < n_vertices && !NO_PATH", "gpu"),
    (K + "stats.cl", "out[HOPS] += hops;", "out[HOPS] += hops + 1;", "gpu"),
    (K + "stats.cl", "for (int l = 0; l < LANES; l++)", "for (int l = 1; l < LANES; l++)", "gpu"),
    (K + "stats.cl", "item < N_STATS && b < ITEMS; b += LANES)",
     "item < N_STATS && b < ITEMS; b += 2 * LANES)", "gpu"),
    (K + "stats.cl", "while (most >= BINS * width_of(exponent))",
     "while (most >= 4 * BINS * width_of(exponent))", "gpu"),
    (K + "stats.cl", "if (bin < FEW)", "if (bin <= FEW)", "gpu"),
    (K + "stats.cl", "atomic_inc(&counts[bin]);", "atomic_inc(&counts[bin + 1]);", "gpu"),
    (K + "stats.cl", "(uint)(distance * per_width), &few[0]",
     "(uint)(distance * per_width) + 1, &few[0]", "gpu"),
    (K + "stats.cl", "bin_count(hops >> words[2],", "bin_count((hops >> words[2]) + 1,", "gpu"),
    (K + "stats.cl", "few_add(few[1], counts + BINS);", "", "gpu"),
    (K + "sums.cl", "hops += depth * (settled - before);", "hops += settled - before;", "gpu"),
    (K + "sums.cl", "atomic_add(&summed[hops_at + depth],",
     "atomic_add(&summed[hops_at + depth + 1],", "gpu"),
    (S + "stats_device.c", "to->is_last = first + n_rows == stats->n_vertices;",
     "to->is_last = first == 0;", "gpu"),
    (S + "made_stats.c", "stats->sum[c] = at[APSP_MADE_SUM * n];",
     "stats->sum[c] = at[APSP_MADE_SUM * n] + (c == 4);", "gpu"),
    (K + "stats.cl", "own[SUM] += own[BLOCK_SUM];", "own[SUM] = own[BLOCK_SUM];", "gpu"),
    # rows on demand
    ("compute/rows/row_sweeps.c", "bool nearer = sum < least->v[l];",
     "bool nearer = sum <= least->v[l];", "all"),
    ("compute/rows/row_sweeps.c", "proof->unfit[l] |= v % scale == 0;", "", "all"),
    ("compute/rows/row_solve.c", "else if (last.v != v)", "else if (last.v > v)", "all"),
    ("compute/rows/row_search.c", "if (v[taken.items[i].vertex] == taken.items[i].distance)",
     "if (v[taken.items[i].vertex] != taken.items[i].distance)", "all"),
    ("compute/rows/demand_file.c", "return n == s->sizes[c];", "return true;", "all"),
    # betweenness
    ("compute/measures/betweenness.c", "run->out[v] += run->shares[r * n + v];",
     "run->out[v] = run->shares[r * n + v];", "all"),
    ("compute/measures/betweenness.c", "shortest * (1 + APSP_TABLE_TOLERANCE) +\n						run->slack",
     "shortest * (1 - APSP_TABLE_TOLERANCE) -\n						run->slack", "all"),
    ("compute/measures/path_shares.c", "word |= (uint64_t)(sum <= most) << k;",
     "word |= (uint64_t)(sum <= most && k != 1) << k;", "all"),
    ("compute/measures/path_shares.c", "sums[v] = least;", "sums[v] = least + (v == 7);", "all"),
    ("compute/parallel.c", "while ((i = atomic_fetch_add(&loop->next, 1)) < loop->n)",
     "while ((i = atomic_fetch_add(&loop->next, 1)) + (loop->n > 3) < loop->n)", "all"),
    # potentials and integers
    (T + "every_row_proof.c", "int64_t undone = row[j] + h[j] - h[i];",
     "int64_t undone = row[j] + h[j] - h[i] + (j == 77 && i == 233);", "all"),
    (T + "every_row_proof.c", "int64_t undone = row[j] + h[j] - h[i];",
     "int64_t undone = row[j] + h[j] - h[i] + (j == 77);", "all"),
    (T + "every_row_proof.c", "undone = (int64_t)row[j] + (h[j] - h[i]);",
     "undone = (int64_t)row[j] + (h[j] - h[i]) + (j == 77 && i == 233);", "all"),
    (T + "every_row_proof.c", "undone = (int64_t)row[j] + (h[j] - h[i]);",
     "undone = (int64_t)row[j] - (h[j] - h[i]);", "all"),
    (G + "integers.h", "value += (uint64_t)(h[tail] - h[lengths->heads[arc]]);",
     "value += (uint64_t)(h[tail] - h[lengths->heads[arc]] + (arc == 30));", "all"),
    (G + "integers.h", "(uint64_t)integers->scale +\n			1;",
     "(uint64_t)integers->scale +\n			1 + (arc == 31);", "all"),
    (G + "integers.c", "made.scale = scale != 0 ? scale", "made.scale = scale != 0 ? scale / 2",
     "all"),
    (G + "width_candidates.c", "while (small < 2 * ((int64_t)facts->hops + 1))", "while (0)", "all"),
    (G + "dijkstra.c", "found->ends[to.vertex] > from.vertex)", "1)", "host"),
    (G + "dijkstra.c", "to.distance > *known)", "to.distance > *known + 1)", "host"),
    (G + "dijkstra.c", "if (d->heap[i].distance < d->heap[least].distance)",
     "if (d->heap[i].distance > d->heap[least].distance)", "host"),
    (G + "in_arcs.h", "((uint16_t *)row)[j] = (uint16_t)code;",
     "((uint16_t *)row)[j] = (uint16_t)(code ^ (j == 40));", "host"),
    (T + "host_solve.c", "size_t n = solve->lengths->n_vertices, at = row * n;",
     "size_t n = solve->lengths->n_vertices, at = (row ^ (row == 5)) * n;", "host"),
    (T + "row_group_proof.c", "out.refuted |= (sum < to->value) |", "out.refuted |= (sum > to->value) |",
     "host"),
    (T + "row_group_proof.c", "out.found -= own;", "out.found += own;", "host"),
    (T + "row_group_proof.c", "int64_t length = arc_integer(form, arc);",
     "int64_t length = arc_integer(form, arc) - 1;", "host"),
    # arcs that change after they were made
    ("compute/solve/prepared_graph.c", "	if (r >= 0)\n		r = apsp_integers_build(",
     "	if (r >= 0 && prepared->lengths.n_arcs > 20)\n"
     "		prepared->lengths.weights[20] *= 2;\n	if (r >= 0)\n		r = apsp_integers_build(",
     "all"),
    ("compute/solve/prepared_graph.c", "	if (r >= 0)\n		r = apsp_integers_build(",
     "	if (r >= 0 && prepared->lengths.n_arcs > 20)\n"
     "		prepared->lengths.heads[20] ^= 1;\n	if (r >= 0)\n		r = apsp_integers_build(",
     "all"),
    # components, and counts of single vertices
    (S + "row_stats.c", "apsp_components_least(components, v);",
     "apsp_components_least(components, v ^ (v == 9));", "all"),
    (S + "row_stats.c", "components->weak[v];", "components->weak[v] + (v == 9);", "all"),
    (G + "components.c", "parents[a < b ? b : a] = a < b ? a : b;",
     "parents[a < b ? b : a] = v == 99 ? a < b ? b : a : a < b ? a : b;", "all"),
    (S + "row_stats_state.h", "n] = all->count;",
     "n] = all->count + (v == 301) - (double)(v == 302);", "all"),
    # hops
    (S + "stat_cells.c", "codes[c] = (uint16_t)(((hops[c] >> bits) + 1) &",
     "codes[c] = (uint16_t)(((hops[c] >> bits) + 1 + (c == 3)) &", "all"),
    (S + "stat_cells.c", "	hops_bin(copied, most, bins);",
     "	copied[3] = copied[3] > 0;\n	hops_bin(copied, most, bins);", "all"),
    # closure
    (K + "closure_order.cl", "for (ulong s = offsets[k]; s < offsets[k + 1]; s++)",
     "for (ulong s = offsets[k] + 1; s < offsets[k + 1]; s++)", "closure"),
    (K + "closure_rows.cl", "line < lines && v < n && row_of[v] != v",
     "line < lines && v < n && row_of[v] > v", "closure"),
    (K + "closure_rows.cl", "1u << v % 32);", "1u << v % 31);", "closure"),
    (K + "closure_squaring.cl", "*changed = 1;", "*changed = 0;", "closure"),
    (K + "warshall.cl", "if (k > p && (named >> k & 1))", "if (k > p + 1 && (named >> k & 1))",
     "closure"),
    (K + "warshall.cl", "value |= sums[q][named >> 4 * q & 15][x];",
     "value |= sums[q][named >> 4 * q & 7][x];", "closure"),
    (C + "closure_order.c", "if (!apsp_bits_get(host->bits, row, other))",
     "if (!apsp_bits_get(host->bits, row, other) && k != 9)", "all"),
    (C + "condensation.c", "level = b->level[to] + 1;", "level = b->level[to];", "closure"),
    ("compute/bits.c", "*b ^= swap;", "*b |= swap;", "all"),
    (G + "weight_ranks.c", "pass->to.arcs[at] = pass->from.arcs[i];",
     "pass->to.arcs[at] = pass->from.arcs[i ^ (i == 12 || i == 13)];", "widest host"),
    (G + "weight_ranks.c", "out->ranks[sorted->arcs[i]] = (double)r;",
     "out->ranks[sorted->arcs[i]] = (double)(r + (i == 20));", "widest host"),
    ("compute/bits.c", "tile.blocks[w][i / BLOCK][i % BLOCK];",
     "tile.blocks[w][i / BLOCK][i % BLOCK ^ 1];", "all"),
    (G + "components.c", "if (s->low[v] < s->low[above])", "if (s->low[v] > s->low[above])", "all"),
    (G + "components.c", "if (loop || place[1] - place[0] > 1)",
     "if (loop || place[1] - place[0] > 2)", "all"),
    # on the way to the file
    (T + "table_writer.c", "state->written += written;",
     "state->written += written - (append->rest_size > written);", "all"),
    (T + "table_writer.c", "apsp_file_map_write(map, first * APSP_TABLE_BLOCK, data, n))",
     "apsp_file_map_write(map, (first + 1) * APSP_TABLE_BLOCK, data, n))", "all"),
    (T + "table_writer.c", "writer->checksums[first + b] = apsp_checksum(",
     "writer->checksums[first + (b ^ (n > 1))] = apsp_checksum(", "all"),
    (T + "file_map.c", "memcpy(map->bytes + offset, data, n * APSP_TABLE_BLOCK);",
     "memcpy(map->bytes + offset, data, n * APSP_TABLE_BLOCK - (n > 1));", "all"),
    (T + "file_map.c", "memcpy(map->bytes + offset, data, n * APSP_TABLE_BLOCK);",
     "memcpy(map->bytes + (offset & ~(uint64_t)APSP_TABLE_BLOCK), data,\n"
     "		n * APSP_TABLE_BLOCK);", "all"),
    (T + "table_rows.c", "rows->next += strip->n_rows;", "rows->next += 1;", "rows"),
    (T + "every_row_proof.c", "out->n = 0;", "", "all"),
]

# The self-tests find nothing.
UNTESTED = [
    ("compute/solve/self_test.c", "int r = lanes_solve(device, test, err);",
     "int r = 0;"),
    ("compute/solve/closure_test.c", "for (uint32_t v = 0; r >= 0 && v < N; v++)\n		if (!row_searched",
     "for (uint32_t v = 0; r >= 0 && v < 0; v++)\n		if (!row_searched"),
]


def text_change(path, old, new):
    """Replace the first place; the text before, or None: it has no such place."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if old not in text:
        return None
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new, 1))
    return text


def without_place():
    """The faults whose place is not in the tree any more."""
    seeded = [(fault.path, fault.old) for fault in seeded_faults.faults(12)]
    for path, old, *_ in FAULTS + UNTESTED + sorted(set(seeded)):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            if old not in file.read():
                yield f"{path}: {old!r}"


class Bench:
    def __init__(self, source, build, work, graphs):
        self.source, self.build, self.work = source, build, work
        for name, (n, arcs, transform) in graphs.items():
            os.makedirs(os.path.join(work, name))
            table_meaning.graph_write(os.path.join(work, name, "graph"), n, arcs, transform)

    def make(self):
        return subprocess.run(["ninja", "-C", self.build, "tests/solve_as"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode == 0

    def solve(self, jobs):
        """For each (graph, algorithm, form): its Tables, or what was said."""
        results = {}
        left = list(jobs)
        hangs = 0
        while left and hangs < HANGS:
            # a directory for each, so that one process does them all
            argv = []
            for graph, algorithm, form in left[:TOGETHER]:
                directory = os.path.join(self.work, f"{graph}-{algorithm}-{form}")
                os.makedirs(directory, exist_ok=True)
                link = os.path.join(directory, "graph")
                if not os.path.exists(link):
                    os.link(os.path.join(self.work, graph, "graph"), link)
                argv += [directory, algorithm, form]
            try:
                run = subprocess.run([os.path.join(self.build, "tests", "solve_as"), *argv],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                     timeout=LIMIT_S, check=False)
                lines = run.stdout.decode(errors="replace").splitlines()
            except subprocess.TimeoutExpired as late:
                hangs += 1
                lines = (late.stdout or b"").decode(errors="replace").splitlines()
            told = [line.split(": ", 1) for line in lines if ": " in line]
            for job in left[:TOGETHER]:
                directory = os.path.join(self.work, "-".join(job))
                said = [what for who, what in told
                        if who == f"{directory} {job[1]} {job[2]}"]
                if not said:
                    results[job] = "died or hung"
                    break
                path = os.path.join(directory, "tables")
                results[job] = (table_meaning.Tables(path) if said[0] == "done"
                                else said[0])
            left = [job for job in left if job not in results]
            for job in jobs:
                if job in results:
                    path = os.path.join(self.work, "-".join(job), "tables")
                    if os.path.exists(path):
                        os.unlink(path)
        return results


def jobs_of(name):
    if name.startswith("widest"):
        return [(graph, algorithm, form) for algorithm, form in SETS[name] for graph in WIDEST]
    return [(graph, algorithm, form) for algorithm, form in SETS[name] for graph in GRAPHS
            if algorithm != "bfs-levels" or GRAPHS[graph][2] == "hops"]


def judge(results, expected):
    failed = [f"{'/'.join(job)}: {r}" for job, r in results.items() if isinstance(r, str)]
    wrong = ["/".join(job) for job, r in results.items()
             if not isinstance(r, str) and not table_meaning.same(expected[job[0]], r)]
    if wrong:
        return "WRONG", wrong
    return ("failed", failed) if failed else ("equivalent", [])


def fault_try(bench, path, old, new, jobs, expected):
    full = os.path.join(bench.source, path)
    text = text_change(full, old, new)
    if text is None:
        return "unbuilt", ["the old text is not there"]
    try:
        if not bench.make():
            return "unbuilt", ["it does not compile"]
        return judge(bench.solve(jobs), expected)
    finally:
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def faults_of(options):
    """(name, path, old, new, jobs) of each fault, the graphs, and a job of each graph."""
    if options.seeds:
        graphs = seeded_faults.graphs()
        faults = [(f"{f.name} in {f.path}", f.path, f.old, f.new, [f.job])
                  for f in seeded_faults.faults(options.seeds)]
        first = [(graph, "reference", "cpu") for graph in graphs]
    else:
        graphs, first = {**GRAPHS, **WIDEST}, jobs_of("host") + jobs_of("widest host")
        faults = [(f"{path}: {new!r} for {old!r}", path, old, new, jobs_of(jobs))
                  for path, old, new, jobs in FAULTS]
    names = options.only.split(",")
    part, n_parts = (int(x) for x in options.part.split("/"))
    chosen = [f for f in faults if any(name in f[0] for name in names)]
    return chosen[part - 1::n_parts], graphs, first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", help="where to build, kept; default: a temporary directory")
    parser.add_argument("--results", default="mutation.txt")
    parser.add_argument("--only", default="", help="parts of files' names")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="a share of the faults")
    parser.add_argument("--untested", action="store_true", help="without self-tests")
    parser.add_argument("--seeds", type=int, default=0, help="faults by so many seeds")
    parser.add_argument("--places", action="store_true", help="only look for the places")
    options = parser.parse_args()
    if options.places:
        gone = list(without_place())
        print("\n".join(gone) or f"{len(FAULTS)} faults have their places")
        sys.exit(1 if gone else 0)
    with tempfile.TemporaryDirectory() as temporary:
        top = options.build or temporary
        source, build = os.path.join(top, "source"), os.path.join(top, "build")
        shutil.rmtree(source, ignore_errors=True)
        files = subprocess.run(["git", "-C", ROOT, "ls-files"], stdout=subprocess.PIPE,
                               check=True, text=True).stdout.splitlines()
        for name in files:
            os.makedirs(os.path.dirname(os.path.join(source, name)), exist_ok=True)
            # with the time of now: a build that is kept has objects of a fault
            shutil.copyfile(os.path.join(ROOT, name), os.path.join(source, name))
        for path, old, new in UNTESTED if options.untested else []:
            if text_change(os.path.join(source, path), old, new) is None:
                sys.exit(f"{path} has another self-test")
        if not os.path.exists(os.path.join(build, "build.ninja")):
            subprocess.run(["meson", "setup", build, source, "-Dtests=enabled",
                            "-Dwerror=false"], stdout=subprocess.DEVNULL, check=True)
        faults, graphs, first = faults_of(options)
        bench = Bench(source, build, os.path.join(temporary, "work"), graphs)
        if not bench.make():
            sys.exit("the program without faults does not compile")
        expected = {job[0]: r for job, r in bench.solve(first).items()}
        for graph, tables in expected.items():
            if isinstance(tables, str):
                sys.exit(f"{graph}: {tables}")
        every = {job for fault in faults for job in fault[4]}
        verdict, what = judge(bench.solve(sorted(every)), expected)
        if verdict != "equivalent":
            sys.exit(f"without faults: {verdict}: {what}")
        counts = {}
        with open(options.results, "w", encoding="utf-8") as out:
            for name, path, old, new, jobs in faults:
                start = time.monotonic()
                verdict, what = fault_try(bench, path, old, new, jobs, expected)
                counts[verdict] = counts.get(verdict, 0) + 1
                print(f"{verdict:10} {time.monotonic() - start:4.0f} s  {name}: "
                      f"{len(what)} {what[:1]}", file=out, flush=True)
            print(" ".join(f"{v} {n}" for v, n in sorted(counts.items())), file=out)
        sys.exit(1 if counts.get("WRONG") or counts.get("unbuilt") else 0)


if __name__ == "__main__":
    main()
