"""Estimates of the daemon beside what its jobs take.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/estimates.py [--device D] [--rounds N]
        [--quick] [--kernels DIR] [--json FILE] [GRAPH…]

A new daemon measures its device, unless DIR has its rates, and then gets each graph 1 +
ROUNDS (3) times. The graphs are those of compare.py and four times larger ones, or those
named, by names of compare.py or words of bench_graph.h. The estimate of the first
receipt, which may use jobs of other graphs but none of this graph, is compared with the
records of the jobs:

    seconds   from the last byte of the upload until the tables answer, with the stages
    disk      the most that the cache's files had, without compiled kernels
    memory    the most that the solver had, without pages of files

Disk and memory are sampled in the first round only. A solver that compiles kernels has
some 130 MB more, and so does the process that tries them; a second run with the same
--kernels has no such round. Of the other rounds, the fastest counts, since other programs
only add time; `others` is how many processors these programs used meanwhile.

The program prints a row for each graph: its seconds, estimate / time, and its stages in
order of their error, each with its seconds and `-` or `+` and the seconds by which the
estimate was too low or too high. At the end it prints how many graphs are within 1.5 and
2 times, and how many within a tenth in memory and disk. The exit status is 1 if fewer
than nine of ten are within 2 times, or if a graph's memory or disk is not within a tenth.
"""
import argparse
import array
import contextlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))
from compare import GRAPHS  # noqa: E402
from harness import BUILD_ROOT, KERNELS, Daemon, until  # noqa: E402

SMALL = [small for small, _ in GRAPHS.values() if small]
WHOLE = [f"{word}{rule}" for _, word in GRAPHS.values()
         for rule in ([""] if ":" in word else ["", "@hops", "@inv"])]
LARGER = ["sparse:12529:100", "complete:4096", "rmat:14:32", "rmat:14:32@hops", "grid:128"]
HEADER = struct.Struct("=8sQQQ")
MEASURED_WITHIN_S = 900  # on a busy machine
SAMPLE_S = 0.002
NEAR, FAR, NEARLY_ALL = 1.5, 2, 0.9
BYTES_NEAR = 1.1


def upload_of(word, directory):
    """A graph as a body and the query of its upload."""
    word, _, rule = word.partition("@")
    query = f"?transform={rule or 'none'}"
    if os.path.exists(word):
        with open(word, "rb") as file:
            return file.read(), query
    path = os.path.join(directory, "graph")
    subprocess.run([os.path.join(BUILD_ROOT, "tests", "bench", "make_graph"), word, path],
                   check=True)
    with open(path, "rb") as file:
        raw = file.read()
    os.unlink(path)
    _, n_vertices, n_arcs, label_bytes = HEADER.unpack_from(raw)
    end = len(raw) - label_bytes - 8 * (n_vertices + 1)
    arcs = raw[end - 16 * n_arcs:end]
    ends, weights = array.array("I", arcs), array.array("d", arcs)
    rows = (f"{ends[4 * e]},{ends[4 * e + 1]},{weights[2 * e + 1]:.17g}\n"
            for e in range(n_arcs))
    return ("from,to,weight\n" + "".join(rows)).encode(), query


def children(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
            yield from file.read().split()


def held_names(directory):
    """The lines of /proc/PID/status that count; files in memory are shared memory."""
    kind = subprocess.run(["stat", "-f", "-c", "%T", directory], check=True,
                          capture_output=True, text=True).stdout.strip()
    return ("RssAnon",) if kind == "tmpfs" else ("RssAnon", "RssShmem")


class Peaks:
    """The most memory of its own that a solver of the daemon held, and the most disk
    beside what lay there: tables of graphs before, whose files go a while later."""

    def __init__(self, d):
        self.pid, self.cache, self.stop = d.pid, d.cache, threading.Event()
        self.memory = self.disk = 0
        self.names = held_names(d.cache)
        self.before = {st.st_ino for st in self.files()}
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def files(self):
        for at, _, names in os.walk(self.cache):
            for name in names:
                yield os.stat(os.path.join(at, name))

    def watch(self):
        while not self.stop.wait(SAMPLE_S):
            with contextlib.suppress(OSError):
                # by inode, since a file that is renamed meanwhile would count twice
                blocks = {st.st_ino: st.st_blocks for st in self.files()}
                self.disk = max(self.disk, sum(
                    n * 512 for inode, n in blocks.items() if inode not in self.before))
            with contextlib.suppress(OSError):
                for child in children(self.pid):
                    with open(f"/proc/{child}/status", encoding="ascii") as file:
                        held = [int(line.split()[1]) * 1024 for line in file
                                if line.startswith(self.names)]
                    self.memory = max(self.memory, sum(held))


def processor_s(path):
    """Processor seconds of a process and its ended children, or of all processes."""
    with open(f"/proc/{path}/stat" if path else "/proc/stat", encoding="ascii") as file:
        text = file.read()
    fields = text.rpartition(")")[2].split()[11:15] if path else text.split()[1:4]
    return sum(int(field) for field in fields) / os.sysconf("SC_CLK_TCK")


def others_s(d):
    """Processor seconds of all processes except the daemon and its solver."""
    return processor_s(None) - sum(processor_s(pid) for pid in [d.pid, *children(d.pid)])


def measured(d):
    """Whether the daemon knows the rates of its device."""
    return any(device["chosen"] and device["measured"]
               for device in d.ask("GET", "/v1/devices").json.get("devices", []))


def round_of(d, body, query, peaks):
    begun, before = time.monotonic(), others_s(d)
    with peaks:
        reply = d.upload("g", body, query + "&default_rule=replace", "application/octet-stream")
        if reply.status != 202:
            sys.exit(f"estimates: {reply}")
        said = reply.json["estimate"]
        job = d.wait(reply.json["job"])
    if job["state"] != "succeeded":
        sys.exit(f"estimates: {job}")
    others = (others_s(d) - before) / (time.monotonic() - begun)
    stages = {name: s for name, s in job["stages"].items() if name not in ("queued", "tried")}
    d.ask("DELETE", "/v1/graphs/g")
    return {"vertices": reply.json["vertices"], "arcs": reply.json["arcs"],
            "device": job["device"], "algorithm": job["algorithm"],
            "element": job["element"], "said": said, "stages": stages,
            "took": {"seconds": sum(stages.values())}, "others": max(others, 0)}


def row_of(d, body, query, rounds):
    peaks = Peaks(d)
    first = round_of(d, body, query, peaks)
    row = min((round_of(d, body, query, contextlib.nullcontext()) for _ in range(rounds)),
              key=lambda row: row["took"]["seconds"])
    row["said"] = first["said"]
    row["took"].update(host_bytes=peaks.memory, disk_bytes=peaks.disk)
    return row


def ratio(row, what):
    took = row["took"][what]
    return row["said"][what] / took if took else float("nan")


def tell(word, row):
    missed = {name: row["said"]["stages"].get(name, 0) - row["stages"].get(name, 0)
              for name in {*row["stages"], *row["said"]["stages"]}}
    stages = sorted(missed, key=lambda name: -abs(missed[name]))[:5]
    same = row["said"]["algorithm"] == row["algorithm"]
    print(f"{os.path.basename(word):28} {row['vertices']:6} {row['arcs']:8} "
          f"{row['algorithm']:12} {row['element']} {row['took']['seconds']:8.3f} s "
          f"{ratio(row, 'seconds'):6.2f} (others {row['others']:.1f}) "
          f"disk {ratio(row, 'disk_bytes'):5.2f} memory {ratio(row, 'host_bytes'):5.2f} "
          f"of {row['took']['host_bytes'] / 1e6:6.0f} MB "
          + ("" if same else f"(not {row['said']['algorithm']}) ")
          + ", ".join(f"{name} {row['stages'].get(name, 0):.4f} {missed[name]:+.4f}"
                      for name in stages), flush=True)


def share(ratios, times):
    return sum(1 / times <= r <= times for r in ratios) / len(ratios)


@contextlib.contextmanager
def measured_daemon(options):
    """A daemon that has measured its device, with the kernels of --kernels; its directory."""
    with tempfile.TemporaryDirectory() as directory:
        cache = os.path.join(directory, "cache")
        os.mkdir(cache, 0o700)
        os.makedirs(options.kernels, 0o700, exist_ok=True)
        os.symlink(os.path.abspath(options.kernels), os.path.join(cache, "kernels"))
        with Daemon(directory, args=["--device", options.device]) as d:
            until("the device to be measured", lambda: measured(d), MEASURED_WITHIN_S)
            yield d, directory


def options_read():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="no four times larger graphs")
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("graph", nargs="*")
    options = parser.parse_args()
    options.words = [GRAPHS.get(name, (name, name))[1] for name in options.graph] or (
        SMALL + WHOLE + ([] if options.quick else LARGER))
    options.words = list(dict.fromkeys(options.words))
    return options


def main():
    options = options_read()
    rows = {}
    began = time.monotonic()
    with measured_daemon(options) as (d, directory):
        print(f"measured after {time.monotonic() - began:.1f} s", flush=True)
        # a solver that waits, as after any job
        round_of(d, b"from,to,weight\n1,2,1\n", "?transform=none", contextlib.nullcontext())
        for word in options.words:
            body, query = upload_of(word, directory)
            rows[word] = row_of(d, body, query, options.rounds)
            tell(word, rows[word])
            if options.json:
                with open(options.json, "w", encoding="utf-8") as file:
                    json.dump(rows, file, indent=1)
    ratios = [ratio(row, "seconds") for row in rows.values()]
    print(f"seconds: of {len(ratios)} graphs {share(ratios, NEAR):.0%} within {NEAR} times, "
          f"{share(ratios, FAR):.0%} within {FAR}; {min(ratios):.2f} to {max(ratios):.2f}")
    failed = share(ratios, FAR) < NEARLY_ALL
    for what in ("host_bytes", "disk_bytes"):
        ratios = [ratio(row, what) for row in rows.values()]
        print(f"{what}: {share(ratios, BYTES_NEAR):.0%} within {BYTES_NEAR} times; "
              f"{min(ratios):.2f} to {max(ratios):.2f}")
        failed |= share(ratios, BYTES_NEAR) < 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
