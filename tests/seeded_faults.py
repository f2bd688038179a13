"""Faults by seed: plausible wrong values in a lane, a row or a block of the tables.

A fault is made of `what` is wrong (V, predecessor, sum), `where` (lane, row, block) and a
seed, which picks the kernel, the graph, the cells and the wrong value. mutation.py tries
all of them, test_seeded_faults.py a few.
"""
import collections
import random

WHAT = ("V", "predecessor", "sum")
WHERE = ("lane", "row", "block")
SIDE = 64  # rows and columns of a block
LEAST = 150  # the first row with a fault: self-tests have fewer

# Put `new` for the first `old` in the file; solve the job (graph, algorithm, form).
Fault = collections.namedtuple("Fault", "name path old new job")

VERTICES = {"ties": 1000, "wide": 1500, "narrow": 4000, "reals": 1200, "inverse": 2500}


def graphs():
    """Name: vertices, arcs, transform."""
    chance = random.Random(22)

    def graph(name, degree, weight, transform="none"):
        n = VERTICES[name]
        found = {(u, chance.randrange(n)): weight() for u in range(n) for _ in range(degree)}
        return n, [(u, v, w) for (u, v), w in found.items() if u != v], transform

    kinds = {
        "ties": (6, lambda: chance.randrange(1, 4)),
        "wide": (8, lambda: chance.randrange(1, 300000)),
        "narrow": (8, lambda: chance.randrange(1, 9)),
        "reals": (6, lambda: 0.5 + chance.random()),
        "inverse": (12, lambda: chance.randrange(1, 90), "inv"),
    }
    return {name: graph(name, *kind) for name, kind in kinds.items()}


SUMS = ("reals", "inverse")


def cells(where, n, chance):
    """A condition of C on the source i and the vertex j."""
    row, column = chance.randrange(LEAST, n), chance.randrange(n - SIDE)
    if where == "lane":
        return f"i % 512 == {LEAST + row % (512 - LEAST)} && j % 16 == {column % 16}"
    if where == "row":
        return f"i == {row}"
    return f"i - {row} < {SIDE} && j - {column} < {SIDE}"


# A tail that is an arc's: not tight; not tight, with V as of the right one; not the lowest.
TAILS = ("sum != to", "sum != to && from == at", "sum == to")

# What is added to V; 32 and 4096 are scales.
CHANGES = ("+ 1", "- 1", "+ 32", "- 32", "+ 4096")

FACTORS = ("1.03", "0.97", "(1 + 0x1p-23)", "(1 - 0x1p-23)", "(1 + 0x1p-52)")

CPU_TAIL = """
	for (uint l = 0; l < LANES; l++) {
		uint i = source + l;
		work_t to = LANE(work_t, target, l);
		works_t of_tail = target;
		work_t at;

		if (!(%s) || i == j || to >= INFINITE)
			continue;
		for (uint e = begin; e < end; e++)
			if ((index_t)codes[e] == LANE(index_t, code, l))
				of_tail = turned[tails[e]];
		at = LANE(work_t, of_tail, l);
		for (uint e = begin; e < end; e++) {
			works_t values = turned[tails[e]];
			work_t from = LANE(work_t, values, l);
			work_t sum = from + (work_t)lengths[e];

			if (from < INFINITE && %s)
				LANE(index_t, code, l) = (index_t)codes[e];
		}
	}
"""
GPU_TAIL = """
			uint i = r0 + r;

			if ((%s) && r < n_rows && !is_own && is_finite) {
				value_t to = target;
				value_t at = own[(ulong)tails[arc[o]] * LANES + o];

				for (uint e = offsets[j]; e < offsets[j + 1]; e++) {
					value_t from =
						own[(ulong)tails[e] * LANES + o];
					value_t sum = from + lengths[e];

					if (from < V_INFINITY && %s)
						chosen[o] = (predecessor_t)codes[e];
				}
			}
"""

CPU_V = """
	for (uint l = 0; l < LANES; l++) {
		uint i = source + l;

		if ((%s) && i != j && LANE(work_t, target, l) < INFINITE)
			LANE(work_t, target, l) = LANE(work_t, target, l) %s;
	}
"""

ROW_V = """ {
			uint i = r0 + r, j = vertices[first + c];

			row[j] = (%s) && i != j && values[c] < V_INFINITY
					 ? values[c] %s
					 : values[c];
		}
"""

K = "kernels/"
PREDECESSORS = {"cpu": K + "predecessor_cpu.cl", "gpu": K + "predecessor_gpu.cl"}


def predecessor_fault(where, seed, chance):
    form, kind = ("cpu", "gpu")[seed % 2], seed // 2 % len(TAILS)
    # equal paths are rare among other lengths, and large graphs slow on a GPU's kernels
    graph = chance.choice(("ties",) if form == "gpu" and kind > 0 else ("ties", "reals")
                          if form == "gpu" else ("ties", "narrow") if kind > 0 else
                          list(VERTICES))
    cell, wrong = cells(where, VERTICES[graph], chance), TAILS[kind]
    if form == "cpu":
        old = "	code = own ? none : code;\n"
        new = old + CPU_TAIL % (cell, wrong)
    else:
        old = "			code = chosen[o];\n"
        new = GPU_TAIL % (cell, wrong) + old
    return PREDECESSORS[form], old, new, (graph, "multi-source", form + "-whole")


def v_fault(where, seed, chance):
    form = ("cpu", "gpu")[seed // 2 % 2]
    graph = chance.choice(("ties", "reals") if form == "gpu" else list(VERTICES))
    cell, change = cells(where, VERTICES[graph], chance), CHANGES[seed // 4 % len(CHANGES)]
    if seed % 2 == 0 and form == "cpu":
        path, old = PREDECESSORS["cpu"], "	code = own ? none : code;\n"
        new = CPU_V % (cell, change) + old
    else:
        path, old = K + "rows.cl", "			row[vertices[first + c]] = values[c];\n"
        new = ROW_V % (cell, change)
    return path, old, new, (graph, "multi-source", form + "-whole")


def sum_fault(where, seed, chance):
    graph = SUMS[seed // 2 % 2] if seed % 2 else "reals"
    cell, factor = cells(where, VERTICES[graph], chance), FACTORS[seed // 2 % len(FACTORS)]
    if seed % 2:
        path, form = "compute/tables/sums.c", "cpu"
        old = "				hand->sums[v] = hand->sums[tail] + last[v];\n"
        new = f"{old}				{{\n					uint32_t i = source, j = v;\n\n" \
              f"					if ({cell})\n						hand->sums[v] *= {factor};\n				}}\n"
    else:
        path, old, form = K + "sums.cl", "				sum[j] = sum[tail] + lengths[arc];\n", "gpu"
        new = old + f"				uint i = r0 + row;\n\n				if ({cell})\n" \
                    f"					sum[j] *= {factor};\n"
    return path, old, new, (graph, "multi-source", form + "-whole")


def fault(what, where, seed):
    chance = random.Random(f"{what} {where} {seed}")
    make = {"V": v_fault, "predecessor": predecessor_fault, "sum": sum_fault}[what]
    return Fault(f"{what} {where} {seed}", *make(where, seed, chance))


def faults(n_seeds):
    return [fault(what, where, seed) for what in WHAT for where in WHERE
            for seed in range(n_seeds)]
