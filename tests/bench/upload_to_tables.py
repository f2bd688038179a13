"""Seconds from the end of an upload until all three tables answer, on a running apspd.

    python3 tests/bench/upload_to_tables.py URL [N [ARCS_PER_VERTEX [QUERY]]]

The graph is random, with N vertices (12,529, as the fruit-fly matrix of 2010) and weights
1, 2, 3 …, each rarer than the one before. QUERY is added to the upload
("transform=none"). The first run on a new cache compiles kernels. Each run uses a new
graph and deletes it.
"""
import json
import random
import sys
import time
import urllib.request


def ask(method, url, body=None):
    request = urllib.request.Request(
        url, data=body, method=method, headers={"Content-Type": "text/csv"})
    with urllib.request.urlopen(request) as reply:
        return json.loads(reply.read() or b"null")


def edge_list(n, arcs_per_vertex):
    rng = random.Random()
    lines = ["pre,post,weight"]
    for _ in range(n * arcs_per_vertex):
        lines.append(f"{rng.randrange(n)},{rng.randrange(n)},{1 + int(rng.expovariate(0.2))}")
    return ("\n".join(lines) + "\n").encode()


def main(url, n=12529, arcs_per_vertex=100, query="transform=none"):
    body = edge_list(int(n), int(arcs_per_vertex))
    graph = f"{url}/v1/graphs/bench-{time.time_ns()}"
    begun = time.monotonic()
    put = ask("PUT", f"{graph}?{query}", body)
    ended = time.monotonic()
    while True:
        job = ask("GET", f"{url}/v1/jobs/{put['job']}?wait=30")
        if job["state"] not in ("queued", "running"):
            break
    published = time.monotonic()
    ask("DELETE", graph)
    print(f"{put['vertices']} vertices, {put['arcs']} arcs, {len(body) / 1e6:.1f} MB: "
          f"upload {ended - begun:.3f} s, to tables {published - ended:.3f} s, "
          f"{job['state']}, {job['algorithm']} {job['element']} on {job['device']}")
    return 0 if job["state"] == "succeeded" else 1


if len(sys.argv) < 2:
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
