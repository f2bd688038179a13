"""Betweenness of larva: the solver's beside networkx's.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/betweenness.py [SOURCES [TRANSFORM…]]

Under each TRANSFORM (inv, hops, none), ROUNDS times in turns, the program runs a job
without betweenness, a job with it, and networkx's betweenness_centrality(k=SOURCES),
whose time is scaled to all sources. Times are processor time, so that a busy machine does
not matter: the difference of the two jobs on all processors together, and networkx on
one. SOURCES is 20; with `all`, networkx needs some minutes for each transform, and every
vertex is compared to 1e-9; if one differs, the exit status is 1. The elapsed seconds of
the log's stage `measure` are printed, too.

networkx gets real lengths as integer multiples of one fraction, since with doubles it
mistakes equal paths for different ones. `inv-real` compares with these doubles and only
prints the difference. Needs Debian's python3-networkx.
"""
import csv
import json
import math
import os
import re
import statistics
import sys
import tempfile
import time

import networkx

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from estimates import children  # noqa: E402
from harness import Daemon, data  # noqa: E402

ROUNDS = 5


def graph_of(transform):
    merged = {}
    for start, end, weight in csv.reader(data("larva_edges.csv").decode().splitlines()):
        weight = int(float(weight))
        before = merged.get((start, end))
        merged[start, end] = (weight if before is None else min(before, weight)
                              if transform == "none" else before + weight)
    whole = math.lcm(*merged.values())
    graph = networkx.DiGraph()
    for (start, end), weight in merged.items():
        graph.add_nodes_from((start, end))
        if start != end:
            graph.add_edge(start, end, length=whole // weight if transform == "inv"
                           else 1 / weight if transform == "inv-real" else weight)
    return graph


def children_s(d):
    """Processor seconds of the daemon's children, including those that have ended."""
    with open(f"/proc/{d.pid}/stat") as file:
        ticks = sum(map(int, file.read().rpartition(")")[2].split()[13:15]))
    for child in children(d.pid):
        with open(f"/proc/{child}/stat") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def job(d, name, rule):
    before = children_s(d)
    reply = d.ask("PUT", f"/v1/graphs/larva/profiles/{name}", json.dumps(rule).encode(),
                  [("Content-Type", "application/json")])
    ended = d.wait(reply.json["job"])
    assert ended["state"] == "succeeded", ended
    return children_s(d) - before


def solve(d, transform, round_):
    """Processor seconds, elapsed seconds of the stage, and the betweenness of each vertex."""
    # each round has a rule of its own; otherwise the tables would exist already
    rule = {"transform": transform.split("-")[0], "min_weight": round_ / ROUNDS}
    if transform == "none":
        rule["duplicates"] = "min"
    name = f"{transform}-{round_}"
    plain = job(d, f"{name}-plain", rule)
    seconds = job(d, name, {**rule, "measures": ["betweenness"]}) - plain
    stages = [line for line in d.log if "measure " in line]
    passed = float(re.search(r"measure ([0-9.]+)", stages[-1]).group(1))
    rows = d.ask("GET", f"/v1/graphs/larva/stats?profile={name}&vertices=1").json["vertices"]
    return seconds, passed, {row["vertex"]: row["betweenness"] for row in rows}


def peer(graph, transform, sources, round_):
    """Processor seconds for all sources, and the betweenness of each vertex."""
    began = time.process_time()
    values = networkx.betweenness_centrality(
        graph, k=sources, normalized=False, seed=round_,
        weight=None if transform == "hops" else "length")
    return (time.process_time() - began) * len(graph) / (sources or len(graph)), values


def main():
    sources = sys.argv[1] if len(sys.argv) > 1 else "20"
    sources = None if sources == "all" else int(sources)
    wrong = False
    with tempfile.TemporaryDirectory() as directory, Daemon(directory) as d:
        d.put("larva", data("larva_edges.csv"), "?transform=none")
        for transform in sys.argv[2:] or ["inv", "hops", "none"]:
            graph = graph_of(transform)
            ours, theirs, stages = [], [], []
            for round_ in range(ROUNDS if sources else 1):
                seconds, passed, values = solve(d, transform, round_)
                ours.append(seconds)
                stages.append(passed)
                seconds, others = peer(graph, transform, sources, round_)
                theirs.append(seconds)
            ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
            text = (f"{transform:8} {statistics.median(ours):8.3f} s, networkx "
                    f"{statistics.median(theirs):8.1f} s: "
                    f"{statistics.median(ratios):6.0f} times as fast "
                    f"({min(ratios):.0f} to {max(ratios):.0f}); stage "
                    f"{statistics.median(stages):.2f} s")
            if not sources:
                off = max(abs(values[v] - x) / max(1, x) for v, x in others.items())
                text += f"; at most {off:.1e} off"
                wrong |= off > 1e-9 and transform != "inv-real"
            print(text, flush=True)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
