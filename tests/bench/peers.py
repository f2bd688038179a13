"""All-pairs distances of a graph file by another program; JSON on stdout.

    python3 tests/bench/peers.py PEER GRAPHFILE [RUNS [LIMIT_S]]
    python3 tests/bench/peers.py --versions

The time is from arcs in memory to distances in memory: no predecessors, no closure, no
file. A time above LIMIT_S is estimated instead: for Dijkstra from the time of some
sources, for Floyd–Warshall from a part of the matrix. Before that, parallel arcs are
merged by their least weight and loops are dropped, as the profile of the benchmark's
graphs says. Under `hops`, every length is 1, and igraph gets no lengths; `inv` is the
only other transform.
"""
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from graph_header import HEADER, header_unpack  # noqa: E402

SAMPLE = 32  # sources
PART = 512  # rows and columns
RUNS_LEAST = 3  # fewer if they exceed half of the limit, more if they need less than a tenth


class Missing(Exception):
    """A Debian package is not installed."""


def load(package, *names):
    try:
        return [__import__(name, fromlist=["_"]) for name in names]
    except ImportError:
        raise Missing(f"{package} is not installed") from None


def arcs_read(path):
    """Vertices; tails, heads and weights of the merged arcs, None for hops."""
    numpy, = load("python3-numpy", "numpy")
    with open(path, "rb") as f:
        n, m, profile = header_unpack(f.read(HEADER.size))
        arcs = numpy.frombuffer(f.read(16 * m), [("u", "<u4"), ("v", "<u4"), ("w", "<f8")])
    arcs = arcs[arcs["u"] != arcs["v"]]
    arcs = arcs[numpy.lexsort((arcs["w"], arcs["v"], arcs["u"]))]
    first = numpy.ones(len(arcs), bool)
    first[1:] = (arcs["u"][1:] != arcs["u"][:-1]) | (arcs["v"][1:] != arcs["v"][:-1])
    arcs = arcs[first]
    transform = profile.split(" ")[0].removeprefix("transform=")
    assert transform in ("none", "inv", "hops"), f"{path} is under {transform}"
    weights = None if transform == "hops" else arcs["w"].copy()
    if transform == "inv":
        weights = 1 / weights
    return n, arcs["u"].astype("i4"), arcs["v"].astype("i4"), weights


def memory_of(field):
    with open("/proc/self/status", encoding="ascii") as f:
        return next((1024 * int(line.split()[1]) for line in f if line.startswith(field)), 0)


def memory_peak_reset():
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as f:
            f.write("5")
    except OSError:
        pass  # in this case the peak is of the whole process


def timed(call):
    start = time.monotonic()
    answer = call()
    return time.monotonic() - start, answer


class Scipy:
    def __init__(self, n, tails, heads, weights):
        sparse, self.graphs = load("python3-scipy", "scipy.sparse", "scipy.sparse.csgraph")
        self.n = n
        lengths = [1.0] * len(tails) if weights is None else weights
        self.arcs = sparse.csr_matrix((lengths, (tails, heads)), shape=(n, n))


class ScipyFloydWarshall(Scipy):
    def all(self):
        return self.graphs.floyd_warshall(self.arcs)

    def estimate(self):
        if self.n <= PART:
            return 0
        part = self.arcs[:PART, :PART]
        return timed(lambda: self.graphs.floyd_warshall(part))[0] * (self.n / PART) ** 3


class ScipyDijkstra(Scipy):
    def all(self):
        return self.graphs.dijkstra(self.arcs)

    def estimate(self):
        some = range(0, self.n, -(-self.n // SAMPLE))
        seconds = timed(lambda: self.graphs.dijkstra(self.arcs, indices=list(some)))[0]
        return seconds * self.n / len(some)


class Igraph:
    def __init__(self, n, tails, heads, weights):
        igraph, = load("python3-igraph", "igraph")
        self.n, self.weights = n, None if weights is None else weights.tolist()
        self.graph = igraph.Graph(n, list(zip(tails.tolist(), heads.tolist())), directed=True)

    def all(self):
        return self.graph.distances(weights=self.weights)

    def estimate(self):
        some = range(0, self.n, -(-self.n // SAMPLE))
        seconds = timed(lambda: self.graph.distances(list(some), weights=self.weights))[0]
        return seconds * self.n / len(some)


PEERS = {
    "scipy floyd_warshall": ScipyFloydWarshall,
    "scipy dijkstra": ScipyDijkstra,
    "igraph distances": Igraph,
}


def measure(peer, runs, limit_s):
    idle = memory_of("VmRSS")
    estimate = peer.estimate()
    if estimate > limit_s:
        return {"estimated_s": estimate}
    memory_peak_reset()
    times, begun = [], time.monotonic()
    while not times or (len(times) < runs and time.monotonic() - begun <
                        limit_s / (2 if len(times) < RUNS_LEAST else 10)):
        answer = None  # free the memory of the last run first
        seconds, answer = timed(peer.all)
        times.append(seconds)
    peak = memory_of("VmHWM")
    numpy, = load("python3-numpy", "numpy")
    answer = numpy.asarray(answer)
    reached = numpy.isfinite(answer) & ~numpy.eye(len(answer), dtype=bool)
    return {"seconds": statistics.median(times), "runs": times, "idle_bytes": idle,
            "peak_bytes": peak, "pairs": int(reached.sum()), "sum": float(answer[reached].sum())}


def versions():
    found = {}
    for name in ("numpy", "scipy", "igraph"):
        try:
            found[name] = load(name, name)[0].__version__
        except Missing:
            found[name] = None
    return found


def main(name, path, runs="3", limit_s="60"):
    try:
        peer = PEERS[name](*arcs_read(path))
        return measure(peer, int(runs), float(limit_s))
    except Missing as missing:
        return {"missing": str(missing)}


if __name__ == "__main__":
    if sys.argv[1:] == ["--versions"]:
        print(json.dumps(versions()))
    elif len(sys.argv) < 3 or sys.argv[1] not in PEERS:
        sys.exit(__doc__)
    else:
        print(json.dumps(main(*sys.argv[1:])))
