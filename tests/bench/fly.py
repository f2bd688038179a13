"""A whole fly's brain on a daemon of its own: seconds until its tables answer, then questions.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/fly.py [--device NAME] [--sources N]
        [--word WORD] [--groups] TRANSFORM …

The graph is a random lift of larva with 46 copies (bench_graph.h), or the one of WORD. For each
transform the program uploads a smaller lift, so that kernels are compiled, and then the graph. It
prints the job's stages, the peaks of memory, the file's size and how far progress was from the
elapsed share of time after the first tenth, and the seconds from then on until the file is
durable. It asks each question of questions() for random vertices, first with an empty page cache,
if it may empty it (root); groups only with --groups, because a whole brain's take 1.5 hours. It
compares the distances from N sources (2) with Dijkstra's. The disk needs 25 GB.
"""
import argparse
import array
import contextlib
import http.client
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..")]
import dijkstra  # noqa: E402
import harness  # noqa: E402
from graph_header import HEADER, header_unpack  # noqa: E402
from npy_file import npy  # noqa: E402

LARVA = os.path.join(HERE, "..", "data", "larva_edges.csv")
ARC_BYTES = 16  # daemon/job/graph_file.h
LENGTH = {"none": lambda w: w, "hops": lambda w: 1, "inv": lambda w: 1 / w}
WARM_COPIES = 6  # so many vertices that their kernels are those of the whole graph
TYPES = 200  # values of the attribute by which groups are asked
PAIRS, SLOW = 300, 20  # how often a quick question is asked, and a slow one


def arcs_of(word):
    """(from, to, weight) of a benchmark's graph, as three arrays."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([os.path.join(harness.BUILD_ROOT, "tests", "bench", "make_graph"), word,
                        file.name], check=True)
        data = file.read()
    _, count, _ = header_unpack(data[:HEADER.size])
    arcs = memoryview(data)[HEADER.size:HEADER.size + count * ARC_BYTES]
    ends = array.array("I", arcs.tobytes())
    weights = array.array("d", arcs.tobytes())
    return ends[0::4], ends[1::4], weights[1::2]


def merged(arcs, transform):
    """{from: {to: length}}: the least weight under none, else the sum."""
    weights = {}
    for u, v, w in zip(*arcs):
        row = weights.setdefault(u, {})
        if u != v:
            row[v] = w if v not in row else min(w, row[v]) if transform == "none" else w + row[v]
    return {u: {v: LENGTH[transform](w) for v, w in row.items()} for u, row in weights.items()}


class Peaks(threading.Thread):
    """The largest resident memory of the daemon's processes, in GB, by name and kind."""

    def __init__(self):
        super().__init__(daemon=True)
        self.found, self.ended = {}, threading.Event()

    def run(self):
        while not self.ended.wait(0.3):
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/status", encoding="ascii") as file:
                        status = dict(line.split(":\t", 1) for line in file if ":\t" in line)
                except OSError:
                    continue
                for kind in ("RssAnon", "RssFile"):
                    name = f"{status['Name'].strip()} {kind}"
                    if name.startswith("apsp") and kind in status:
                        gb = int(status[kind].split()[0]) * 1024 / 1e9
                        self.found[name] = max(self.found.get(name, 0), gb)


def job_follow(d, job):
    """The job's record, its seconds, and how far progress was from the share of time."""
    began, seen = time.monotonic(), []
    while True:
        record = d.job(job)
        seen.append((time.monotonic() - began, record["progress"] or 0))
        if record["state"] not in ("queued", "running"):
            break
        time.sleep(0.25)
    total = seen[-1][0]
    off = [abs(progress - s / total) for s, progress in seen if s > total / 10]
    return record, total, max(off)


def durable_wait(d):
    """The seconds until no table file has to be synced any more."""
    began = time.monotonic()
    with contextlib.closing(sqlite3.connect(os.path.join(d.state, "apspd.sqlite"))) as database:
        while database.execute("SELECT count(*) FROM tables WHERE NOT durable").fetchone()[0]:
            time.sleep(0.1)
    return time.monotonic() - began


def questions(n, groups):
    chance = random.Random(5)
    pairs = [(chance.randrange(n), chance.randrange(n)) for _ in range(1000)]
    some = json.dumps({"sources": [str(u) for u, _ in pairs],
                       "targets": [str(v) for _, v in pairs], "values": ["distance"]})
    path = [("GET", f"path?from={u}&to={v}", None) for u, v in pairs[:PAIRS]]
    asked = {
        "path, cold": path,
        "path": path,
        "reachable": [("GET", f"reachable?from={u}&to={v}", None) for u, v in pairs[:PAIRS]],
        "k = 10": [("GET", f"path?from={u}&to={v}&k=10", None) for u, v in pairs[:SLOW]],
        "ties": [("GET", f"path?from={u}&to={v}&ties=all", None) for u, v in pairs[:SLOW]],
        "a row as CSV": [("GET", f"vertices/{u}/distances?format=csv", None)
                         for u, _ in pairs[:SLOW]],
        "1,000 × 1,000 table": [("POST", "table?format=npy", some)],
    }
    if groups:
        asked["groups by type"] = [("POST", "groups", json.dumps({"attribute": "type"}))]
    return asked


def ask_all(address, asked_for):
    if os.geteuid() == 0:
        subprocess.run(["sh", "-c", "sync; echo 3 > /proc/sys/vm/drop_caches"], check=False)
    connection = http.client.HTTPConnection(address, timeout=600)
    for name, asked in asked_for.items():
        times = []
        for method, target, body in asked:
            began = time.monotonic()
            connection.request(method, "/v1/graphs/fly/" + target, body,
                               {"Content-Type": "application/json"} if body else {})
            reply = connection.getresponse()
            reply.read()
            assert reply.status == 200, (target, reply.status)
            times.append((time.monotonic() - began) * 1e3)
        times.sort()
        print(f"  {name:20} p50 {times[len(times) // 2]:9.2f}  "
              f"p99 {times[len(times) * 99 // 100]:9.2f} ms", flush=True)


def rows_check(d, arcs, transform, sources):
    """Compare rows of the tables with Dijkstra's; a real sum may differ in its last digits."""
    lengths, labels, cursor = merged(arcs, transform), [], ""
    while cursor is not None:
        page = d.ask("GET", f"/v1/graphs/fly/vertices?limit=10000{cursor}").json
        labels += page["vertices"]
        cursor = f"&cursor={page['next']}" if page["next"] else None
    for source in random.Random(9).sample(labels, sources):
        reply = d.ask("POST", "/v1/graphs/fly/table?format=npy", json.dumps(
            {"sources": [source], "values": ["distance"]}).encode(),
            {"Content-Type": "application/json"})
        right = dijkstra.dijkstra(lengths, int(source))
        for label, found in zip(labels, npy(reply.body)[1]):
            distance = right.get(int(label), float("inf"))
            assert found == distance or abs(found - distance) < 1e-12 * distance, (source, label)
    print(f"  {sources} × {len(labels)} distances are Dijkstra's", flush=True)


def csv_of(arcs):
    return b"".join(f"{u},{v},{w:.17g}\n".encode() for u, v, w in zip(*arcs))


def measure(arcs, transform, options):
    body = csv_of(arcs)
    peaks = Peaks()
    with tempfile.TemporaryDirectory(prefix="apspd-fly-") as directory, \
            harness.Daemon(directory, args=("--device", options.device)) as d:
        d.put("small", csv_of(arcs_of(f"lift:{WARM_COPIES}:{LARVA}")), f"?transform={transform}")
        assert d.ask("DELETE", "/v1/graphs/small").status == 204
        peaks.start()
        began = time.monotonic()
        reply = d.upload("fly", body, f"?transform={transform}")
        assert reply.status == 202, reply
        sent = time.monotonic() - began
        record, seconds, off = job_follow(d, reply.json["job"])
        peaks.ended.set()
        assert record["state"] == "succeeded", record["error"]
        size = sum(os.path.getsize(file) for file in d.table_files()) / 1e9
        print(f"{transform}: upload {sent:.1f} s, tables {seconds:.1f} s after it, {size:.1f} GB, "
              f"progress off by {off:.2f}\n  {record['plan']}\n "
              + ", ".join(f" {name} {s:.2f}" for name, s in record["stages"].items() if s >= 0.01)
              + " s\n " + ", ".join(f" {name} {gb:.1f}" for name, gb in peaks.found.items())
              + f" GB\n  durable {durable_wait(d):.1f} s later", flush=True)
        began = time.monotonic()
        types = b"".join(f"{v},{v % TYPES}\n".encode() for v in sorted({*arcs[0], *arcs[1]}))
        d.ask("PUT", "/v1/graphs/fly/attributes", b"label,type\n" + types,
              {"Content-Type": "text/csv"})
        print(f"  attributes {time.monotonic() - began:.1f} s")
        ask_all(d.addresses[0], questions(reply.json["vertices"], options.groups))
        rows_check(d, arcs, transform, options.sources)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("--groups", action="store_true")
    parser.add_argument("--sources", type=int, default=2)
    parser.add_argument("--word", default=f"lift:46:{LARVA}")
    parser.add_argument("transforms", nargs="*", metavar="TRANSFORM", default=["none"])
    options = parser.parse_args()
    arcs = arcs_of(options.word)
    for transform in options.transforms:
        measure(arcs, transform, options)


if __name__ == "__main__":
    main()
