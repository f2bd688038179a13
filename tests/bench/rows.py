"""Graphs without tables (tables=none) on a daemon of its own.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/rows.py FILE.gr.gz [--load]
    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/rows.py WORD

FILE is a graph in DIMACS's format, as New York's roads; WORD names a graph of bench_graph.h, such as
rmat:23:8, which is uploaded while it is printed. The program prints the seconds of the upload, of
the time from its last byte to the first path, of a path whose row is not in memory (cold), of one
whose row is (warm), of the nearest vertices that reach a vertex (a column), and of 64 rows that one
question needs; and the peaks of memory, beside the
estimate. The first path loads the arcs.

With --load, 100 clients ask for paths from 10,000 random sources while a job runs beside them. The
program prints how many were answered 503, how many rows were computed, the largest memory of rows,
and the time of a path in another graph, asked by a client of its own.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
import harness  # noqa: E402

COLD, WARM, TOGETHER = 20, 300, 64
CLIENTS, SOURCES = 100, 10000


def metric(d, name):
    return float(re.search(rf"^{name} (\S+)$", d.client().ask("GET", "/metrics").body.decode(),
                           re.M)[1])


def memory_of(pid):
    """Bytes that Linux cannot take back: cached pages of mapped files do not count."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            found = dict(re.findall(r"^(Rss\w+):\s+(\d+)", file.read(), re.M))
        return (int(found["RssAnon"]) + int(found["RssShmem"])) * 1024
    except (OSError, KeyError):
        return 0


class Peaks(threading.Thread):
    """The largest memory of the daemon, and of each kind of process that it starts."""

    def __init__(self, d):
        super().__init__(daemon=True)
        self.parent, self.peaks = d.process.pid, {"apspd": 0, "job": 0, "rows": 0}
        self.start()

    def run(self):
        while True:
            self.peaks["apspd"] = max(self.peaks["apspd"], memory_of(self.parent))
            listed = subprocess.run(["pgrep", "-P", str(self.parent), "-a"],
                                    capture_output=True, text=True, check=False).stdout
            for line in listed.splitlines():
                kind = "rows" if "--rows" in line else "job"
                self.peaks[kind] = max(self.peaks[kind], memory_of(line.split()[0]))
            time.sleep(0.2)


def uploaded(d, what):
    """The answer to the upload, and the seconds that it took until its last byte."""
    began = time.monotonic()
    target = "/v1/graphs/g?transform=none&tables=none"
    if os.path.exists(what):
        with open(what, "rb") as file:
            body = file.read()
        coding = {"Content-Encoding": "gzip"} if what.endswith(".gz") else {}
        reply = d.client().ask("PUT", target + "&format=gr", body, coding)
    else:
        with subprocess.Popen([os.path.join(harness.BUILD_ROOT, "tests", "bench", "make_graph"),
                               what, "-"], stdout=subprocess.PIPE) as made:
            reply = json.loads(subprocess.run(
                ["curl", "-s", "-T", "-", "-H", "Content-Type: text/csv",
                 f"http://{d.addresses[0]}{target}"], stdin=made.stdout, capture_output=True,
                check=True).stdout)
            return reply, time.monotonic() - began
    if reply.status != 202:
        sys.exit(reply.body.decode())
    return reply.json, time.monotonic() - began


def ask(client, target, body=None):
    """The reply, when it is not 503 any more, and the seconds of the last try."""
    while True:
        began = time.monotonic()
        reply = client.ask("POST" if body else "GET", f"/v1/graphs/g{target}", body)
        if reply.status == 200:
            return reply, time.monotonic() - began
        if reply.status != 503:
            sys.exit(reply.body.decode())
        time.sleep(0.02)


def sorted_times(times):
    times.sort()
    return f"median {times[len(times) // 2] * 1e3:.2f} ms, p99 " \
           f"{times[int(len(times) * 0.99)] * 1e3:.2f} ms, most {times[-1] * 1e3:.2f} ms"


def load(d, labels):
    """Many clients and a job."""
    chance = random.Random(3)
    sources = [chance.choice(labels) for _ in range(SOURCES)]
    counts, lock, times, done = {}, threading.Lock(), [], threading.Event()
    d.put("other", b"".join(b"%d,%d,1\n" % (i, (i * 7 + j) % 2000)
                            for i in range(2000) for j in range(10)), "?transform=none")
    computed = metric(d, "apspd_rows_computed_total")

    def client(mine):
        own = d.client()
        for source in mine:
            while True:
                status = own.ask(
                    "GET", f"/v1/graphs/g/path?from={source}&to={labels[0]}").status
                with lock:
                    counts[status] = counts.get(status, 0) + 1
                if status != 503:
                    break
                time.sleep(0.5)

    def jobs():
        own, i = d.client(), 0
        while not done.is_set():
            i += 1
            body = b"".join(b"%d,%d,%d\n" % (k, (k * 11 + j) % 2500, 1 + i % 9)
                            for k in range(2500) for j in range(20))
            reply = own.ask("PUT", "/v1/graphs/busy?transform=none", body,
                            {"Content-Type": "text/csv"})
            while reply.status == 202 and not done.is_set() and \
                    own.ask("GET", f"/v1/jobs/{reply.json['job']}").json["state"] \
                    in ("queued", "running"):
                time.sleep(0.05)

    def other():
        own = d.client()
        while not done.is_set():
            began = time.monotonic()
            own.ask("GET", f"/v1/graphs/other/path?from={chance.randrange(2000)}&to=5")
            times.append(time.monotonic() - began)
            time.sleep(0.02)

    beside = [threading.Thread(target=jobs, daemon=True),
              threading.Thread(target=other, daemon=True)]
    clients = [threading.Thread(target=client, args=(sources[i::CLIENTS],))
               for i in range(CLIENTS)]
    began = time.monotonic()
    for thread in beside + clients:
        thread.start()
    most = 0
    while any(thread.is_alive() for thread in clients):
        most = max(most, metric(d, "apspd_row_bytes"))
        time.sleep(1)
    done.set()
    print(f"{SOURCES} sources, {CLIENTS} clients: {time.monotonic() - began:.1f} s, answers "
          f"{counts}, {metric(d, 'apspd_rows_computed_total') - computed:.0f} rows computed for "
          f"{len(set(sources))} sources, rows take {most / 1e6:.0f} MB at most")
    print(f"a path in another graph: {sorted_times(times)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what")
    parser.add_argument("--load", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory, \
            harness.Daemon(directory, args=("--device", "cpu")) as d:
        client, peaks, chance = d.client(), Peaks(d), random.Random(1)
        put, seconds = uploaded(d, options.what)
        labels = ask(client, "/vertices?limit=10000")[0].json["vertices"]
        began = time.monotonic()
        ask(client, f"/path?from={labels[1]}&to={labels[2]}")
        print(f"{put['vertices']} vertices, {put['arcs']} arcs: uploaded in {seconds:.2f} s, "
              f"then {time.monotonic() - began:.2f} s to the first path")
        cold = [ask(client, f"/path?from={chance.choice(labels)}&to={labels[2]}")[1]
                for _ in range(COLD)]
        source = chance.choice(labels)
        ask(client, f"/path?from={source}&to={labels[2]}")
        warm = [ask(client, f"/path?from={source}&to={chance.choice(labels)}")[1]
                for _ in range(WARM)]
        columns = [ask(client, f"/vertices/{chance.choice(labels)}/distances?direction=in"
                       "&nearest=5")[1] for _ in range(COLD)]
        print(f"columns: {sorted_times(columns)}")
        print(f"cold: {sorted_times(cold)}\nwarm: {sorted_times(warm)}")
        # so many targets that their columns are not asked for
        body = {"sources": chance.sample(labels, TOGETHER), "targets": labels[2:18]}
        print(f"{TOGETHER} rows at once: {ask(client, '/table', body)[1]:.2f} s")
        if options.load:
            load(d, labels)
        print("memory: " + ", ".join(f"{name} {bytes_ / 1e9:.2f} GB"
                                     for name, bytes_ in peaks.peaks.items())
              + f"; estimated {(put['estimate'] or {}).get('host_bytes', 0) / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
