"""A byte that changes on its way fails the job, or changes nothing in the tables.

corrupting_driver.c changes one byte of one copy, one kernel's buffer or one write to the
file or its mapping in each solve. A process makes several solves: most of a short one's
time goes into opening the device.

It also makes memory and copies that keep an old value for good. Loops that go on while the
device reports a change must end then.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
BUILD = os.environ["APSP_BUILD_ROOT"]
SOLVE = os.path.join(BUILD, "tests", "solve_as")
DRIVER = os.path.join(BUILD, "tests", "libcorrupting_driver.so")
# All that are made for a job, if there are not more of a kind than this.
MOST = int(os.environ.get("APSP_TEST_FAULTS", "10"))
# Solves of one process.
CHUNK = 12

import table_meaning  # noqa: E402

JOBS = [
    ("many", "multi-source", "cpu"),
    ("integers", "multi-source", "gpu-windows"),
    ("reals", "blocked-fw", "gpu"),
    ("reals", "multi-source", "cpu"),
    ("negative", "streamed-fw", "cpu"),
    ("hops", "closure-warshall", "cpu"),
]
# Between them they make every index by which kernels write.
INDICES = [
    ("reals", "blocked-fw", "gpu"),
    ("integers", "multi-source", "gpu-windows"),
    ("hops", "closure-warshall", "cpu"),
]
# Faults that last (driver_faults.h), and jobs whose loops they would keep going for ever.
LASTING = ("stuck", "stale", "set")
LOOPS = [
    ("set", ("integers", "multi-source", "gpu"), "of multi-source's sweeps changed"),
    ("stale", ("many", "multi-source", "cpu-short"), "has lost count of its batches"),
    ("stuck", ("integers", "bf-edges", "gpu"), "of the search over edges changed"),
    ("stuck", ("integers", "bf-dense-reduce", "gpu"), "of bf-dense changed"),
    ("set", ("hops", "closure-squaring", "cpu"), "of closure-squaring changed"),
]


class Corruption(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        self.graphs = table_meaning.some_graphs()

    def directory(self, name, graph):
        path = os.path.join(self.root, name)
        os.makedirs(path)
        n, arcs, transform = self.graphs[graph]
        table_meaning.graph_write(os.path.join(path, "graph"), n, arcs, transform)
        return path

    def run_solves(self, names, job, **environment):
        """What a process says that solves the job in each directory, and its status."""
        graph, algorithm, form = job
        argv = [SOLVE]
        for name in names:
            argv += [self.directory(name, graph), algorithm, form]
        return subprocess.run(
            argv, timeout=200, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "LD_PRELOAD": DRIVER, "TMPDIR": self.root, **environment})

    def tables(self, name, said):
        """The tables of a solve that was done, or None."""
        path = os.path.join(self.root, name)
        found = None
        if any(line.startswith(path + " ") and line.endswith(": done")
               for line in said.splitlines()):
            found = table_meaning.Tables(os.path.join(path, "tables"))
        shutil.rmtree(path)
        return found

    def solve_with(self, job, faults):
        """The tables of each fault's solve, None where it failed or died; what was printed."""
        found, printed = [], ""
        while len(found) < len(faults):
            rest = faults[len(found):]
            names = [f"{kind}-{n}" for kind, n in rest]
            run = self.run_solves(
                names, job, APSP_FAULTS=";".join(f"{kind} {n}" for kind, n in rest))
            printed += run.stdout
            # what dies, dies of the first that it says nothing of
            told = sum(os.path.join(self.root, name) + " " in run.stdout for name in names)
            self.assertTrue(told == len(names) or run.returncode != 0, run.stderr)
            tables = [self.tables(name, run.stdout) for name in names]
            found += tables[:told] if told == len(names) else tables[:told + 1]
        return found, printed

    def faults(self, counts, kinds, most):
        for line in counts.splitlines():
            kind, calls = line.split()
            calls = int(calls) if kind in kinds else 0
            step = max(1, -(-calls // most))
            for n in range(0, calls, step):
                # the last ones carry rows
                yield kind, calls - 1 - n

    def check(self, job, kinds, sections, most=MOST):
        """Solve with faults of these kinds; returns how many failed, of how many, and why."""
        counts = os.path.join(self.root, "counts")
        run = self.run_solves(["clean"], job, APSP_FAULT_COUNTS=counts)
        expected = self.tables("clean", run.stdout)
        self.assertIsNotNone(expected, run.stdout + run.stderr)
        with open(counts, encoding="ascii") as file:
            lines = file.read()
        faults = list(self.faults(lines, kinds or {line.split()[0] for line in lines.splitlines()}
                                  - set(LASTING), most))
        chunks = [faults[at:at + CHUNK] for at in range(0, len(faults), CHUNK)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found, why = 0, ""
            for chunk, (solves, printed) in zip(chunks, pool.map(
                    lambda chunk: self.solve_with(job, chunk), chunks)):
                why += printed
                for fault, tables in zip(chunk, solves):
                    found += tables is None
                    if tables is not None and not table_meaning.same(
                            expected, tables, sections):
                        self.fail(f"{job}: {fault} gave other tables")
        print(f"{job}: {found} of {len(faults)} failed the job")
        return found, len(faults), why

    def test_all(self):
        for job in JOBS:
            with self.subTest(job=job):
                found, of, _ = self.check(job, None, table_meaning.SECTIONS)
                self.assertGreater(of, 10)
                self.assertGreater(found, of // 4)

    def test_indices(self):
        # an index that is wrong would write anywhere: the process died of 2 or 3 of 30
        for job in INDICES:
            with self.subTest(job=job):
                _, of, printed = self.check(job, ("write", "make"), table_meaning.SECTIONS, 99)
                self.assertEqual(len(printed.splitlines()), of)
                self.assertGreater(printed.count(" does not hold what was written to it"),
                                   of // 4)

    def test_loops_end(self):
        for kind, job, why in LOOPS:
            with self.subTest(kind=kind, job=job):
                # of a vertex's statistics only some are made a second time
                _, _, printed = self.check(job, (kind,), table_meaning.VERTEX_STATS,
                                           2 * MOST)
                self.assertIn(why, printed)


if __name__ == "__main__":
    unittest.main()
