"""A graph with four profiles of which one takes a minute, for tests of clients: uploads one
after the other, each of which must be answered from at once."""
import os

from harness import SOLVER, until

# How often each client uploads and asks. Every round does the same with other numbers.
ROUNDS = int(os.environ.get("APSP_REVISION_ROUNDS", "4"))
OPTIONS = "transform=none", "algorithm=reference"


def arcs(k):
    """Upload number k: a path from a to c of length 2 k."""
    return f"from,to,weight\na,b,{k}\nb,c,{k}\n"


def solver(directory):
    """A solver that takes a minute where a profile asks for betweenness."""
    path = os.path.join(directory, "slow-solve")
    with open(path, "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nfor dir; do :; done\n'
                   'if grep -qs betweenness "$dir/graph"; then sleep 60; fi\n'
                   f"exec '{SOLVER}' \"$@\"\n")
    os.chmod(path, 0o755)
    return path


def serve(case):
    """A daemon with graph g, whose profile slow takes a minute."""
    d = case.daemon(solver=solver(case.directory)).start()
    case.addCleanup(lambda: d.process and d.stop())
    d.put("g", arcs(0.5).encode(), "?" + "&".join(OPTIONS))
    for name, rule in (("strong", {"min_weight": 0.1}), ("hops", {"transform": "hops"}),
                       ("slow", {"measures": ["betweenness"]})):
        d.ask("PUT", f"/v1/graphs/g/profiles/{name}", {**rule, "algorithm": "reference"})
    until("the slow job", lambda: [job for job in d.jobs() if job["profile"] == "slow"
                                   and job["state"] == "running"])
    return d
