"""Seconds from the last byte of an upload until the tables answer, beside a solve in memory.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/beside_memory.py [--device D]
        [--turns N] [--kernels DIR] [GRAPH…]

In turns, bench_solve solves the graph from a file in memory into a file in memory on an
open device, and a daemon gets the graph as an upload, which is deleted afterwards. The
daemon's solver has the device open from the job before. At first the daemon measures its
device, unless DIR has its rates; bench_solve plans with the same rates.

For each graph, the program prints the least seconds of both, since other programs only
add time, their ratio, and the stages of the daemon's job. The graphs are larva,
larva@hops, larva@inv and rome99 unless others are named, by the words of estimates.py.
The exit status is 1 if a ratio is 1.3 or more.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from compare import DATA, GRAPHS  # noqa: E402
from estimates import measured_daemon, upload_of  # noqa: E402
from harness import BUILD_ROOT, KERNELS  # noqa: E402

BENCH = os.path.join(BUILD_ROOT, "tests", "bench")
LARVA = f"{DATA}/larva_edges.csv"
WORDS = [LARVA, f"{LARVA}@hops", f"{LARVA}@inv", GRAPHS["rome99"][1]]
SOLVES, SOLVES_S = 5, 10
MOST = 1.3


def in_memory(options, path):
    """The least seconds of some solves, and the algorithm."""
    done = subprocess.run(
        [os.path.join(BENCH, "bench_solve"), options.device, "", path, str(SOLVES),
         str(SOLVES_S), os.path.abspath(options.kernels)],
        check=True, stdout=subprocess.PIPE, text=True)
    told = json.loads(done.stdout)
    if not told["in_memory"]:
        sys.exit("beside_memory: there is no file system in memory at /dev/shm")
    return min(told["runs"]), told["used"]


def by_daemon(d, body, query):
    """Seconds of a job by stage, and the algorithm."""
    reply = d.upload("g", body, query + "&default_rule=replace", "application/octet-stream")
    if reply.status != 202:
        sys.exit(f"beside_memory: {reply}")
    job = d.wait(reply.json["job"])
    if job["state"] != "succeeded":
        sys.exit(f"beside_memory: {job}")
    d.ask("DELETE", "/v1/graphs/g")
    return job["stages"], job["algorithm"]


def compared(options, d, word, directory):
    """Print the row of a graph; returns the ratio."""
    body, query = upload_of(word, directory)
    path = os.path.join(directory, "bench-graph")
    subprocess.run([os.path.join(BENCH, "make_graph"), word, path], check=True)
    by_daemon(d, body, query)  # kernels are compiled, the solver stays
    solves, jobs = [], []
    for _ in range(options.turns):
        solves.append(in_memory(options, path))
        jobs.append(by_daemon(d, body, query))
    memory, solved_by = min(solves)
    stages, algorithm = min(jobs, key=lambda job: sum(job[0].values()))
    took = sum(stages.values())
    longest = sorted(stages.items(), key=lambda item: -item[1])[:8]
    print(f"{os.path.basename(word):24} {algorithm:12} {took:.4f} s, in memory {memory:.4f} s"
          f"{'' if solved_by == algorithm else ' by ' + solved_by}: {took / memory:.3f}; "
          + ", ".join(f"{name} {s:.4f}" for name, s in longest), flush=True)
    return took / memory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("graph", nargs="*")
    options = parser.parse_args()
    words = [GRAPHS.get(name, (name, name))[1] for name in options.graph] or WORDS
    with measured_daemon(options) as (d, directory):
        ratios = [compared(options, d, word, directory) for word in words]
    return max(ratios) >= MOST


if __name__ == "__main__":
    sys.exit(main())
