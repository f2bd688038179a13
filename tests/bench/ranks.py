"""Processes of a group against as many independent solvers at once, on the same processors.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/ranks.py [--device NAME] [--ranks N,N,…]
        [--algorithm NAME] [--runs N] WORD …

WORD is a graph of bench_graph.h. All solvers stay between jobs. The first job of each compiles
kernels and warms it up; the best of N more jobs (3) counts. A group of one process and a solver
alone take 4·N turns; the median of their ratios counts. Independent solvers are each confined
to an Nth of the processors that this script may use, as the N processes of a group confine
themselves; `taskset -c 0,1 python3 …` compares on two processors. Nothing else should run.

N independent solvers solve N jobs in the time of one of them. The throughput is the jobs a second
of the group, divided by the jobs a second of the independent solvers:

    (seconds of a job in one of N solvers) / (N · seconds of a job in the group)

It is 1 if sharing a job costs nothing. A line has it twice: for whole jobs, and for the part of the
jobs after reading. Reading is what each process of a group does for itself, as a solver alone does:
opening, reading, lengths, closure, self-test. The line also has the seconds of reading in the
group, and whether the table file has the bytes of one process's.

With `--device gpu`, each process of a group has a GPU of its own, and nothing is confined: name the
numbers of GPUs with `--ranks`. Then a line has the parallel efficiency, for the stages `upload` and `distance` and for whole jobs:

    (seconds of one process) / (N · seconds of the group)
"""
import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from resident_solver import ALONE, BUILD, Solver, launched  # noqa: E402

FOR_ITSELF = ("open", "read", "lengths", "closure", "self_test")


def after_reading(stages):
    words = stages.split()[1:]
    return sum(float(s) for name, s in zip(words[::2], words[1::2]) if name not in FOR_ITSELF)


def timed(solvers, graph):
    """(seconds of a job in all solvers at once, of which after reading)."""
    for solver in solvers:
        solver.clear()
    began = time.monotonic()
    for solver in solvers:
        solver.start(graph)
    stages = [solver.read("stages") for solver in solvers]
    for solver in solvers:
        solver.read("done")
    took = time.monotonic() - began
    for solver in solvers:
        solver.read("held")
    return took, max(map(after_reading, stages))


def best(solvers, graph, runs):
    """The run of timed() that took least, without the first one."""
    return min([timed(solvers, graph) for _ in range(runs + 1)][1:])


def stage_seconds(stages, names):
    words = stages.split()[1:]
    return sum(float(s) for name, s in zip(words[::2], words[1::2]) if name in names)


def best_stages(solver, graph, runs):
    """(seconds of the stages `upload` and `distance`, seconds of the job, all stages), each the
    least of the runs but the first; the stages are those of the quickest distances."""
    seen = []
    for _ in range(runs + 1):
        solver.clear()
        began = time.monotonic()
        solver.start(graph)
        stages = solver.read("stages")
        solver.read("done")
        took = time.monotonic() - began
        solver.read("held")
        seen.append((stage_seconds(stages, ("upload", "distance")), took, stages.strip()))
    seen = seen[1:]
    return min(seen)[0], min(took for _, took, _ in seen), min(seen)[2]


def measure_gpus(where, word, options):
    graph = os.path.join(where, "graph")
    subprocess.run([os.path.join(BUILD, "tests", "bench", "make_graph"), word, graph,
                    *filter(None, [options.algorithm])], check=True)
    base = None
    for n in [1, *(n for n in options.ranks if n > 1)]:
        solver = Solver(ALONE if n == 1 else launched(n), where, options.device,
                        os.path.join(where, "cache"))
        distance, job, stages = best_stages(solver, graph, options.runs)
        solver.end()
        base = base or (distance, job)
        print(f"{word}, {n} GPUs: distances {distance:.3f} s, efficiency "
              f"{base[0] / distance / n:.3f}; job {job:.3f} s, {base[1] / job / n:.3f}; {stages}",
              flush=True)


def in_turns(one, group, graph, runs):
    """The median of the group's seconds by the seconds of one process right before."""
    pairs = [(timed([one], graph)[0], timed([group], graph)[0]) for _ in range(4 * runs + 1)]
    return statistics.median(b / a for a, b in pairs[1:])


def measure(where, word, options):
    graph = os.path.join(where, "graph")
    subprocess.run([os.path.join(BUILD, "tests", "bench", "make_graph"), word, graph,
                    *filter(None, [options.algorithm])], check=True)
    cpus = sorted(os.sched_getaffinity(0))
    one = Solver(ALONE, where, options.device, os.path.join(where, "cache"))
    alone, _ = best([one], graph, options.runs)
    with contextlib.closing(open(one.tables(), "rb")) as file:
        tables = file.read()
    print(f"{word}: one process {alone:.3f} s on {len(cpus)} processors", flush=True)
    for n in options.ranks:
        group = Solver(launched(n), where, options.device, os.path.join(where, "cache"))
        took, later = best([group], graph, options.runs)
        with contextlib.closing(open(group.tables(), "rb")) as file:
            same = "same bytes" if file.read() == tables else "OTHER BYTES"
        if n == 1:
            ratio = in_turns(one, group, graph, options.runs)
            print(f"  1 rank: {took:.3f} s, in turns {ratio:.3f} of one process, {same}", flush=True)
        group.end()
        if n == 1:
            continue
        share = len(cpus) // n
        solvers = [Solver(ALONE, where, options.device, os.path.join(where, "cache"),
                          set(cpus[i * share:(i + 1) * share]))
                   for i in range(n)]
        others, others_later = best(solvers, graph, options.runs)
        for solver in solvers:
            solver.end()
        print(f"  {n} ranks: {took:.3f} s (reading {took - later:.3f}); {n} solvers at once, on "
              f"{share} each, {others:.3f} s; throughput {others / took / n:.3f}, after reading "
              f"{others_later / later / n:.3f}, {same}", flush=True)
    one.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--ranks", help="default: 1, 2, 4, 8, as far as there are processors")
    parser.add_argument("--algorithm", help="default: the plan chooses")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("words", nargs="+", metavar="WORD")
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    options.ranks = [int(n) for n in options.ranks.split(",")] if options.ranks else \
        [n for n in (1, 2, 4, 8) if n <= processors]
    if max(options.ranks) > processors:
        parser.error(f"there are only {processors} processors")
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="apspd-ranks-", dir=memory) as where:
        for word in options.words:
            (measure if options.device == "cpu" else measure_gpus)(where, word, options)


if __name__ == "__main__":
    main()
