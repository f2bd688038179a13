"""Other kinds of paths on larva: the daemon's answers and times beside networkx.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/paths.py [PAIRS [TRANSFORM]]

For PAIRS (200) random pairs under TRANSFORM (inv), the program compares the 10 shortest
loopless paths with shortest_simple_paths, the number of shortest paths with the sum over
networkx's predecessors, and the shortest path without three vertices with the graph
without these vertices. Lengths must be equal to 1e-9. Times are measured on a persistent
connection. Needs Debian's python3-networkx.
"""
import itertools
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.parse

import networkx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from harness import Daemon, data  # noqa: E402

LENGTH = {"inv": lambda w: 1 / w, "hops": lambda w: 1, "none": lambda w: w}
K = 10


def graph_of(transform):
    graph = networkx.DiGraph()
    for line in data("larva_edges.csv").decode().splitlines():
        start, end, weight = line.split(",")
        if graph.has_edge(start, end):
            weight = float(weight) + graph[start][end]["weight"]
        graph.add_edge(start, end, weight=float(weight))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    for _, _, arc in graph.edges(data=True):
        arc["length"] = LENGTH[transform](arc["weight"])
    return graph


def length_of(graph, path):
    return sum(graph[a][b]["length"] for a, b in itertools.pairwise(path))


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


class Asked:
    """The times of one kind of question."""

    def __init__(self, daemon):
        self.daemon, self.daemon_s, self.other_s, self.wrong = daemon, [], [], 0

    def ask(self, start, end, query):
        target = "/v1/graphs/larva/path?" + urllib.parse.urlencode(
            [("from", start), ("to", end), *query])
        client = self.daemon.client()
        # a new connection: networkx may compute longer than an idle one is kept
        client.ask("GET", "/healthz")
        began = time.perf_counter()
        reply = client.ask("GET", target)
        self.daemon_s.append(time.perf_counter() - began)
        client.close()
        assert reply.status == 200, reply
        return reply.json

    def other(self, function):
        began = time.perf_counter()
        value = function()
        self.other_s.append(time.perf_counter() - began)
        return value

    def line(self, name):
        fast, slow = statistics.median(self.daemon_s), statistics.median(self.other_s)
        return (f"{name:10} {len(self.daemon_s):4} pairs  {self.wrong} wrong  median "
                f"{fast * 1e3:7.3f} ms, largest {max(self.daemon_s) * 1e3:7.3f} ms; "
                f"networkx {slow * 1e3:9.1f} ms")


def check_k(asked, graph, start, end):
    found = asked.ask(start, end, [("k", K)])
    right = asked.other(lambda: list(itertools.islice(
        networkx.shortest_simple_paths(graph, start, end, weight="length"), K)))
    paths = [p["path"] for p in found["paths"]]
    asked.wrong += not (
        len(paths) == len(right) and len({tuple(p) for p in paths}) == len(paths)
        and all(len(set(p)) == len(p) for p in paths)
        and all(close(length_of(graph, a), length_of(graph, b))
                for a, b in zip(paths, right)))
    return right


def count_shortest(graph, start, end):
    before, _ = networkx.dijkstra_predecessor_and_distance(
        graph, start, weight="length")
    counts = {start: 1}

    def count(v):
        stack = [v]
        while stack:
            missing = [u for u in before[stack[-1]] if u not in counts]
            if missing:
                stack += missing
            else:
                v = stack.pop()
                counts.setdefault(v, sum(counts[u] for u in before[v]))
        return counts[v]
    return count(end)


def check_ties(asked, graph, start, end):
    found = asked.ask(start, end, [("ties", "all")])
    right = asked.other(lambda: count_shortest(graph, start, end))
    # networkx compares sums in doubles, in which equal sums may differ
    asked.wrong += int(found["count"]) != right


def check_avoid(asked, graph, start, end, inner):
    found = asked.ask(start, end, [("avoid", v) for v in inner])
    rest = graph.subgraph(set(graph) - set(inner))

    def shortest():
        try:
            return networkx.dijkstra_path_length(rest, start, end, weight="length")
        except networkx.NetworkXNoPath:
            return None
    right = asked.other(shortest)
    asked.wrong += not (found["distance"] is None if right is None
                        else close(found["distance"], right))


def main(n_pairs=200, transform="inv"):
    graph = graph_of(transform)
    rng = random.Random(200)
    with tempfile.TemporaryDirectory(prefix="apspd-paths-") as directory, \
            Daemon(directory) as daemon:
        daemon.put("larva", data("larva_edges.csv"), f"?transform={transform}")
        kinds = {name: Asked(daemon) for name in (f"k={K}", "ties=all", "avoid=")}
        k, ties, avoid = kinds.values()
        vertices = sorted(graph)
        while len(k.daemon_s) < int(n_pairs):
            start, end = rng.sample(vertices, 2)
            if not networkx.has_path(graph, start, end):
                continue
            paths = check_k(k, graph, start, end)
            check_ties(ties, graph, start, end)
            inner = {v for p in paths[:3] for v in p[1:-1]}
            check_avoid(avoid, graph, start, end, sorted(inner)[:3])
        print(f"larva, {transform}")
        for name, asked in kinds.items():
            print(asked.line(name))
    return any(asked.wrong for asked in kinds.values())


sys.exit(main(*sys.argv[1:]))
