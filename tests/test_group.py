"""apsp-solve-mpi: several processes solve a job as one does.

    python3 tests/test_group.py [--ranks N,N,…] [--kills N]

The table files of N processes (1 and 3) must have the same bytes as that of apsp-solve. The
daemon's part: a job by --solver-command; a process or the launcher that is killed in the middle, N
times (2); a cancelled job; a daemon that dies; and no process that stays.
"""
import argparse
import contextlib
import math
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "e2e"))
import dijkstra  # noqa: E402
import graph_header  # noqa: E402
import harness  # noqa: E402
import table_meaning  # noqa: E402
from resident_solver import ALONE, AS_ROOT, BUILD, GROUP, Solver, launched  # noqa: E402

MAKE_GRAPH = os.path.join(BUILD, "tests", "bench", "make_graph")
FAULTY_RANK = os.path.join(BUILD, "tests", "libfaulty_rank.so")
LARVA = os.path.join(HERE, "data", "larva_edges.csv")
# sizes around tiles, source blocks and windows; each kind of length
GRAPHS = ["sparse:127:5", "sparse:128:5@hops", "sparse:129:5@hops", "sparse:1023:8",
          "sparse:1537:6@hops", LARVA, f"{LARVA}@inv", f"{LARVA}@hops", "sparse:2049:5@inv",
          "sparse:1023:8@widest", f"{LARVA}@widest", "real:1537:6@widest"]
# algorithms that only a user chooses, and that work in windows
ASKED = [("sparse:129:5@hops", "bfs-levels"), ("sparse:1537:6@hops", "bfs-levels"),
         (f"{LARVA}@hops", "bfs-levels"), ("sparse:1023:8", "bf-edges")]
# the same for blocked-fw, in 16, 32 and 64 bits, sizes around tiles and parts of V
DENSE = ["sparse:257:5", "sparse:897:6@inv", "complete:400", "half:513", "sparse:897:6@widest",
         "complete:400@widest"]
RANKS, KILLS = [1, 3], 2
# the algorithm's name in the header of a table file
ALGORITHM_AT = table_meaning.HEADER.size + 24 * table_meaning.SECTIONS + 24
ALGORITHM_SIZE = 32
# a parent of many threads: each but one dies, and the next one becomes the parent of its children
THREADS = """
import subprocess, sys, threading
for _ in range(8):
    threading.Thread(target=threading.Event().wait).start()
threading.Thread(target=subprocess.run, args=(sys.argv[1:],),
                 kwargs={"process_group": 0}).start()
"""
# a launcher that writes a line for each SIGTERM, but hangs
LAUNCHER = """
import os, signal, sys, time
log = open(sys.argv[1], "a", buffering=1)
signal.signal(signal.SIGTERM, lambda *_: log.write("TERM\\n"))
log.write(f"{os.getpid()}\\n")
for _ in range(1200):
    time.sleep(0.1)
"""


def own_processes(mark):
    """The apsp-solve-mpi processes whose command line has `mark`."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                line = file.read().split(b"\0")
            if line[0] == GROUP.encode() and mark.encode() in line:
                found.append(int(pid))
    return found


def lines_of(path):
    """The complete lines of a file, which may not exist yet."""
    with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
        return [line[:-1] for line in file if line.endswith("\n")]
    return []


def is_alive(pid):
    with contextlib.suppress(FileNotFoundError), \
            open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def rank_of(pid):
    with open(f"/proc/{pid}/environ", "rb") as file:
        return int(file.read().split(b"OMPI_COMM_WORLD_RANK=")[1].split(b"\0")[0])


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rsplit(")", 1)[1].split()[1])


class Events:
    """The events of a running group, and when the last one came."""

    def __init__(self, stream):
        self.lines, self.at = [], time.monotonic()
        self.reader = threading.Thread(target=self.read, args=(stream,))
        self.reader.start()

    def read(self, stream):
        for line in stream:
            self.lines.append(line)
            self.at = time.monotonic()

    def share(self):
        """The last share of the job that was reported."""
        return max((float(line.split()[2]) for line in self.lines
                    if line.startswith("job share")), default=0)

    def reports(self):
        return sum(line.startswith("job share") for line in self.lines)

    def silent_s(self):
        return time.monotonic() - self.at

    def ended(self):
        return bool(self.lines) and self.lines[-1] == "done\n"


class Group(unittest.TestCase):
    def setUp(self):
        where = tempfile.TemporaryDirectory(prefix="apspd-group-")
        self.addCleanup(where.cleanup)
        self.cache = where.name
        harness.share_kernels()
        os.symlink(harness.KERNELS, os.path.join(self.cache, "kernels"))
        self.env = {**os.environ, **AS_ROOT}

    def job(self, graph):
        where = tempfile.TemporaryDirectory(dir=self.cache)
        self.addCleanup(where.cleanup)
        os.link(graph, os.path.join(where.name, "graph"))
        return where.name

    def solve(self, command, graph, *options):
        """(the tables' bytes or None, stdout, stderr)"""
        job = self.job(graph)
        stdin, control = os.pipe()
        with os.fdopen(control, "wb"), os.fdopen(stdin, "rb") as stdin:
            run = subprocess.run(
                [*command, "--cache-dir", self.cache, "--device", "cpu", "--proof-seed", "3",
                 *options, job], stdin=stdin, capture_output=True, text=True, env=self.env,
                timeout=300, check=False)
        with contextlib.suppress(FileNotFoundError):
            with open(os.path.join(job, "tables"), "rb") as file:
                return file.read() if run.returncode == 0 else None, run.stdout, run.stderr
        return None, run.stdout, run.stderr

    def graph(self, word, algorithm=""):
        path = os.path.join(self.cache, "the graph")
        subprocess.run([MAKE_GRAPH, word, path, algorithm], check=True)
        return path

    def resident(self, command):
        solver = Solver(command, self.cache, "cpu", self.cache)
        self.addCleanup(solver.end)
        return solver

    def compare(self, jobs):
        """A solver and groups stay, and solve all (graph, algorithm) one after another."""
        solvers = [(n, self.resident(launched(n) if n else ALONE)) for n in (0, *RANKS)]
        for word, algorithm in jobs:
            graph = self.graph(word, algorithm)
            for n, solver in solvers:
                solver.clear()
                solver.start(graph)
                solver.read("done")
                with open(solver.tables(), "rb") as file:
                    tables = bytearray(file.read())
                if not algorithm:  # its choice may depend on the load of the machine
                    named = tables[ALGORITHM_AT:ALGORITHM_AT + ALGORITHM_SIZE]
                    self.assertIn(named.rstrip(b"\0"), (b"multi-source", b"blocked-fw"))
                    tables[ALGORITHM_AT:ALGORITHM_AT + ALGORITHM_SIZE] = bytes(ALGORITHM_SIZE)
                if n == 0:
                    alone = tables
                with self.subTest(graph=word, algorithm=algorithm, ranks=n):
                    differ = [at for at, (a, b) in enumerate(zip(tables, alone)) if a != b] \
                        if tables != alone else []
                    self.assertTrue(tables == alone, f"{len(differ)} bytes differ, of {len(tables)} "
                                    f"and {len(alone)}, from {differ[:3]} on")
            os.remove(graph)

    def test_same_bytes(self):
        self.compare([(word, "") for word in GRAPHS] + ASKED)

    def test_device_is_tested(self):
        """Each process tests its device before it computes rows."""
        _, _, said = self.solve(launched(3), self.graph("sparse:1537:6@hops", "bfs-levels"))
        self.assertEqual(said.count(" self_test "), 3, said)

    def test_same_bytes_together(self):
        # negative lengths: add to each length the difference of two potentials
        chance = random.Random(7)
        heights = [chance.randrange(1000) for _ in range(700)]
        path = os.path.join(self.cache, "negative.csv")
        with open(path, "w", encoding="utf-8") as file:
            for u, height in enumerate(heights):
                for v in {(u + 1) % 700, *chance.sample(range(700), 5)} - {u}:
                    length = chance.randrange(1, 100) + height - heights[v]
                    file.write(f"{u},{v},{length}\n")
        self.compare([(word, "blocked-fw") for word in [*DENSE, path]])

    def test_failure_ends_all(self):
        """A launch of one process fails: before, in and after the common computation of V."""
        graph = self.graph("sparse:1023:8", "blocked-fw")
        for rank, launch in ((1, 11), (1, 14), (0, 18), (2, 29), (1, 30), (2, 32)):
            with self.subTest(rank=rank, launch=launch):
                error = self.error_of(graph, rank, f"launch {launch}")
                self.assertIn("CL_INVALID_COMMAND_QUEUE", error)
                self.assertEqual(f"rank%20{rank}" in error, rank > 0, error)

    def error_of(self, graph, rank, fault):
        """The one error of a group in which a process has a fault (faulty_rank.c)."""
        self.env |= {"LD_PRELOAD": FAULTY_RANK, "APSP_FAULTY_RANK": str(rank),
                     "APSP_FAULT": fault}
        tables, out, said = self.solve(launched(3), graph)
        self.assertTrue(tables is None, said)
        errors = [line for line in out.splitlines() if line.startswith("error ")]
        self.assertEqual(len(errors), 1, out + said)
        return errors[0]

    def test_full_disk(self):
        """The disk is full for one process only, as a quota of its host could make it."""
        # with more than four processors each, processes write through a mapping, whose space
        # is reserved before
        processors = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, processors)
        os.sched_setaffinity(0, sorted(processors)[:2])
        graph = self.graph("half:1537", "blocked-fw")
        for rank in range(3):
            for calls in (0, 2):
                with self.subTest(rank=rank, calls=calls):
                    self.assertIn("code no-space", self.error_of(graph, rank, f"full {calls}"))

    def test_other_logarithms(self):
        """A host whose log() rounds otherwise would compute rows of other lengths."""
        graph = self.graph("sparse:1023:8@lognorm")
        error = self.error_of(graph, 2, "log")
        self.assertIn("arcs%20of%20this%20process%20differ", error)
        self.assertIn("logarithms", error)
        # lengths that need no logarithm are the same
        self.env["APSP_FAULT"] = "log"
        tables, _, said = self.solve(launched(3), self.graph("sparse:1023:8@inv"))
        self.assertIsNotNone(tables, said)

    def test_other_arcs(self):
        """A process that reads another graph would compute rows of it, and prove them."""
        stale = os.path.join(self.cache, "stale")
        os.rename(self.graph("sparse:1023:8"), stale)
        error = self.error_of(self.graph("sparse:1023:9"), 1, f"graph {stale}")
        self.assertIn("rank%201", error)
        self.assertIn("arcs%20of%20this%20process%20differ", error)

    def test_changed_arcs(self):
        """The arcs of a process change in its memory after they were compared with the others'."""
        graph = self.graph("sparse:1023:8")
        with open(graph, "rb") as file:
            data = file.read()
        _, n_arcs, _ = graph_header.header_unpack(data[:graph_header.HEADER.size])
        ends = struct.iter_unpack("<IId", data[graph_header.HEADER.size:][:16 * n_arcs])
        n_merged = len({(u, v) for u, v, _ in ends if u != v})
        error = self.error_of(graph, 1, f"array {8 * (n_merged + 1)}")
        self.assertIn("rank%201", error)
        self.assertIn("arcs%20in%20memory%20are%20not", error)

    def test_other_closure(self):
        """A process fails whose closure does not fit the distances, though rank 0 has all rows."""
        graph = self.graph("sparse:127:5", "closure-warshall")
        error = self.error_of(graph, 1, "rect 1")
        self.assertIn("rank%201", error)
        self.assertIn("distances%20and%20there%20are", error)

    def test_error_is_told_once(self):
        graph = self.graph("sparse:1023:8")
        tables, out, said = self.solve(launched(3), graph, "--room", "1000")
        self.assertTrue(tables is None, said)
        errors = [line for line in out.splitlines() if line.startswith("error ")]
        self.assertEqual(len(errors), 1, out)
        self.assertIn("cache", errors[0])

    def slowed(self, graph):
        """Stop rank 1 in the middle of a job, then let it run slowly. Whether rank 0 reported
        progress before rank 1 had done its work."""
        job = self.job(graph)
        with subprocess.Popen(
                [*launched(2), "--cache-dir", self.cache, "--device", "cpu", job],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, env=self.env) as group:
            events = Events(group.stdout)
            try:  # kernels may have to be compiled first
                harness.until("both at work",
                              lambda: events.share() > 0.3 or events.ended(), 180)
            except AssertionError as late:
                self.fail(f"{late}: {events.lines}")
            if events.ended():  # no report came in the middle of the job
                events.reader.join()
                return False
            slow = next(pid for pid in own_processes(job) if rank_of(pid) == 1)
            os.kill(slow, signal.SIGSTOP)
            harness.until("silence", lambda: events.silent_s() > 2)
            before, share = events.reports(), events.share()
            self.assertFalse(events.lines[-1].startswith(("done", "error")), events.lines[-1])
            with contextlib.suppress(ProcessLookupError):
                while events.reports() == before:
                    os.kill(slow, signal.SIGCONT)
                    time.sleep(0.005)
                    os.kill(slow, signal.SIGSTOP)
                    time.sleep(0.3)
                os.kill(slow, signal.SIGCONT)
            found = events.share() > share
            events.reader.join()
            self.assertEqual(events.lines[-1], "done\n")
        return found

    def test_slow_is_not_hung(self):
        """Rank 0 reports progress while it waits for a slow process, but not for a stopped one."""
        graph = os.path.join(self.cache, "the graph")
        subprocess.run([MAKE_GRAPH, "sparse:6000:100", graph], check=True)
        # rank 1 may be stopped when it has done nearly all of its work
        self.assertTrue(any(self.slowed(graph) for _ in range(10)))

    def test_alone_without_launcher(self):
        stdin, control = os.pipe()
        with os.fdopen(control, "wb"), os.fdopen(stdin, "rb") as stdin:
            out = subprocess.run(
                [GROUP, "--devices", "--device", "cpu", "--cache-dir", self.cache],
                stdin=stdin, capture_output=True, text=True, timeout=120, check=False)
        self.assertTrue(out.stdout.endswith("\ndone\n"), out)

    def test_one_sigterm(self):
        """The daemon's threads die one after another, also while a job is cancelled."""
        for cancelled in (False, True):
            with self.subTest(cancelled=cancelled):
                self.one_sigterm(cancelled)

    def one_sigterm(self, cancelled):
        log = os.path.join(self.cache, f"log {cancelled}")
        with subprocess.Popen([sys.executable, "-c", THREADS, *ALONE, "--launch", sys.executable,
                               "-c", LAUNCHER, log]) as parent:
            harness.until("the launcher", lambda: lines_of(log))
            launcher = int(lines_of(log)[0])
            if cancelled:
                os.killpg(os.getpgid(launcher), signal.SIGTERM)
                harness.until("SIGTERM", lambda: len(lines_of(log)) > 1)
            parent.kill()
        harness.until("the launcher's end", lambda: not is_alive(launcher))
        self.assertEqual(lines_of(log), [str(launcher), "TERM"])


class Jobs(harness.Case):
    def start(self, n, **env):
        return self.daemon(args=("--device", "cpu", "--solver-command",
                                 " ".join(launched(n))), env=AS_ROOT | env)

    def gone(self, d):
        harness.until("no process of a group", lambda: not own_processes(d.cache))

    def test_jobs(self):
        with self.start(3) as d:
            with open(LARVA, "rb") as file:
                larva = file.read()
            d.put("larva", larva)
            # the same processes take the next job
            pids = own_processes(d.cache)
            self.assertEqual(len(pids), 3)
            d.put("again", larva, "?transform=inv")
            self.assertEqual(own_processes(d.cache), pids)
            # all processes compute V together, or one process computes all rows
            distances = d.ask("GET", "/v1/graphs/larva/matrices/distance?format=npy").body
            for algorithm in ("blocked-fw", "reference"):
                d.put("dense", larva, f"?algorithm={algorithm}")
                self.assertTrue(distances == d.ask(
                    "GET", "/v1/graphs/dense/matrices/distance?format=npy").body)
                self.assertEqual(d.ask("DELETE", "/v1/graphs/dense").status, 204)
            # so few rows that a window could have all of them
            for n in (64, 65, 128, 129, 200):
                ring = b"".join(b"%d,%d,1\n%d,%d,1\n" % (u, (u + 1) % n, u, (u + 7) % n)
                                for u in range(n))
                d.put("ring", ring, "?algorithm=multi-source&transform=hops")
                hops = d.path("ring", "0", str(n - 2)).json["hops"]
                self.assertEqual(hops, (n - 2) // 7 + (n - 2) % 7)
            for turn in range(KILLS):
                # another graph each time, so that its tables are not there yet
                self.break_off(d, larva + b"0,1,%d\n" % (turn + 1),
                               ("multi-source", "blocked-fw")[turn % 2])
        self.gone(d)

    def break_off(self, d, body, algorithm):
        """A process or the launcher dies at some moment: the job is tried again."""
        name, chance = "broken", random.Random(os.urandom(8))
        job = d.upload(
            name, body, f"?transform=none&duplicates=min&algorithm={algorithm}").json["job"]
        time.sleep(chance.random() * 0.8)
        with contextlib.suppress(OSError, IndexError):
            pids = own_processes(d.cache)
            os.kill(chance.choice([*pids, parent_of(pids[0])]), signal.SIGKILL)
        d.wait(job, "succeeded")
        # the tables are right: a row by Dijkstra
        lengths = {}
        for line in body.decode().splitlines():
            u, v, w = line.split(",")
            if u != v:
                row = lengths.setdefault(u, {})
                row[v] = min(row.get(v, math.inf), float(w))
        source = chance.choice(list(lengths))
        right = dijkstra.dijkstra(lengths, source)
        row = d.ask("GET", f"/v1/graphs/{name}/vertices/{source}/distances?format=csv").body
        lines = row.decode().splitlines()[1:]
        self.assertGreater(len(lines), 3000)
        for line in lines:
            cells = line.split(",")
            found = float(cells[1]) if cells[1] else math.inf
            self.assertEqual(found, right.get(cells[0], math.inf), line)
        self.assertEqual(d.ask("DELETE", f"/v1/graphs/{name}").status, 204)

    def test_daemon_killed(self):
        """The daemon dies while a process of the group is stopped, as one that hangs."""
        for rank in range(3):
            with self.subTest(rank=rank), self.start(3) as d:
                with open(LARVA, "rb") as file:
                    d.put("larva", file.read() + b"0,1,%d\n" % (rank + 1))
                os.kill(next(pid for pid in own_processes(d.cache) if rank_of(pid) == rank),
                        signal.SIGSTOP)
                d.kill()
                self.gone(d)

    def test_cancel(self):
        """The launcher removes its files and ends before the daemon kills it."""
        with open(LARVA, "rb") as file:
            larva = file.read()
        with tempfile.TemporaryDirectory(prefix="apspd-group-") as where, \
                self.start(3, TMPDIR=where) as d:
            d.put("larva", larva)
            pid = own_processes(d.cache)[0]
            os.kill(pid, signal.SIGSTOP)  # so that the job does not end before
            job = d.upload("larva", larva + b"0,1,1\n").json["job"]
            d.wait(job, "running")
            self.assertIn(d.ask("DELETE", f"/v1/jobs/{job}").status, (200, 202, 204))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            d.wait(job, "cancelled")
            self.gone(d)
            harness.until("no file of mpirun", lambda: not os.listdir(where), 10)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks")
    parser.add_argument("--kills", type=int, default=KILLS)
    options, rest = parser.parse_known_args()
    if options.ranks:
        RANKS = [int(n) for n in options.ranks.split(",")]
    KILLS = options.kills
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
