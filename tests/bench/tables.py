"""How fast tables leave the daemon, and whether they equal scipy's.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/tables.py [ROUNDS]

Starts a daemon of the build on a temporary directory with larva's connectome and asks for
all pairs in every format. It prints bytes, seconds until the first and the last byte, and
processor time and memory of the daemon. If NumPy and SciPy are installed, each distance
and hop count is compared with scipy's Dijkstra.
"""
import http.client
import io
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from harness import Daemon, data  # noqa: E402  (the path is set above)

ALL = b"{}"
QUESTIONS = [
    # name, graph, target, body
    ("distances, from the file", "larva", "matrices/distance", None),
    ("predecessors, made", "larva", "matrices/predecessor", None),
    ("hops, made", "larva", "matrices/hops", None),
    ("closure, made", "larva", "matrices/closure", None),
    ("whole distances, made", "counts", "matrices/distance", None),
    ("distances as CSV", "larva", "table?format=csv", ALL),
    ("distances as JSON", "larva", "table", ALL),
    ("distances as float64", "larva", "table?format=npy", ALL),
    ("hops as CSV", "larva", "table?format=csv&values=hops", ALL),
    ("unreachable pairs as CSV", "larva", "table?format=csv&reachable=false", ALL),
    ("whole distances, a row a pair", "counts", "table?format=csv&layout=long", ALL),
]


def processor_s(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def anonymous_mb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if "RssAnon" in line) / 1024


def ask(d, graph, target, body, keep=False):
    """(seconds to the first byte, to the last, bytes, the answer if it is kept)"""
    host, port = d.addresses[0].rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port))
    buffer, size, parts = bytearray(1 << 20), 0, []
    began = time.perf_counter()
    connection.request("POST" if body else "GET", f"/v1/graphs/{graph}/{target}", body)
    reply = connection.getresponse()
    assert reply.status == 200, reply.read()
    first = time.perf_counter() - began
    while (count := reply.readinto(buffer)):
        size += count
        if keep:
            parts.append(bytes(buffer[:count]))
    took = time.perf_counter() - began
    connection.close()
    return first, took, size, b"".join(parts)


def measure(d, rounds):
    print(f"{'what':32}{'MB':>7}{'first ms':>10}{'s':>8}{'MB/s':>7}"
          f"{'cpu s':>7}{'MB/cpu s':>10}{'memory MB':>11}")
    for what, graph, target, body in QUESTIONS:
        best = None
        for _ in range(rounds):
            before = processor_s(d.pid)
            first, took, size, _ = ask(d, graph, target, body)
            used = processor_s(d.pid) - before
            if not best or took < best[1]:
                best = first, took, size, used
        first, took, size, used = best
        print(f"{what:32}{size / 1e6:7.1f}{first * 1e3:10.1f}{took:8.3f}{size / took / 1e6:7.0f}"
              f"{used:7.2f}{size / max(used, 0.01) / 1e6:10.0f}{anonymous_mb(d.pid):11.1f}",
              flush=True)


def compare(d):
    try:
        import numpy
        import scipy.sparse
        from scipy.sparse.csgraph import shortest_path
    except ImportError:
        print("no NumPy or SciPy: nothing is compared")
        return
    index, rows = {}, []
    for line in data("larva_edges.csv").decode().splitlines():
        if line == "pre,post,weight":
            continue
        u, v, w = line.split(",")
        rows.append((index.setdefault(u, len(index)), index.setdefault(v, len(index)), float(w)))
    n = len(index)
    u, v, w = (numpy.array(column) for column in zip(*rows))
    summed = scipy.sparse.csr_matrix((w, (u, v)), (n, n))  # adds parallel arcs
    summed = summed - scipy.sparse.diags(summed.diagonal())  # without self-loops
    summed.eliminate_zeros()
    lengths = summed.copy()
    lengths.data = 1 / lengths.data
    right = shortest_path(lengths, method="D")
    got = numpy.load(io.BytesIO(ask(d, "larva", "matrices/distance", None, True)[3]))
    exact = numpy.load(io.BytesIO(ask(d, "larva", "table?format=npy", ALL, True)[3]))
    reached = numpy.isfinite(right)
    assert (numpy.isfinite(got) == reached).all() and (numpy.isfinite(exact) == reached).all()
    assert (exact.astype("f4") == got).all()
    off = numpy.abs(exact[reached] - right[reached]) / numpy.maximum(right[reached], 1e-300)
    print(f"scipy: {n * n} pairs, {n * n - reached.sum()} without a path, all equal; "
          f"distances differ by at most {off.max():.2g} of themselves")
    got = numpy.load(io.BytesIO(ask(d, "hops", "matrices/hops", None, True)[3]))
    right = shortest_path(summed, method="D", unweighted=True)
    assert (got == right).all()
    print(f"scipy: {n * n} hop counts, all equal")
    text = ask(d, "larva", "table?format=csv&reachable=false", ALL, True)[3].decode()
    labels = list(index)
    pairs = {tuple(line.split(",")) for line in text.splitlines()[1:]}
    assert pairs == {(labels[i], labels[j]) for i, j in zip(*numpy.nonzero(~reached))}
    print(f"scipy: {len(pairs)} unreachable pairs, all equal")


def main(rounds=3):
    with tempfile.TemporaryDirectory() as directory, Daemon(directory) as d:
        for graph, transform in (("larva", "inv"), ("counts", "none"), ("hops", "hops")):
            d.put(graph, data("larva_edges.csv"),
                  f"?transform={transform}&duplicates=sum")
        measure(d, int(rounds))
        compare(d)


main(*sys.argv[1:])
