"""A byte that changes on its way fails the job, or changes nothing in the tables.

corrupting_driver.c changes one byte of one copy, one kernel's buffer or one write to the
file or its mapping in each solve. A process makes several solves: most of a short one's
time goes into opening the device.
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
        """The tables of each fault's solve, None where it failed or died."""
        found = []
        while len(found) < len(faults):
            rest = faults[len(found):]
            names = [f"{kind}-{n}" for kind, n in rest]
            run = self.run_solves(
                names, job, APSP_FAULTS=";".join(f"{kind} {n}" for kind, n in rest))
            # what dies, dies of the first that it says nothing of
            told = sum(os.path.join(self.root, name) + " " in run.stdout for name in names)
            self.assertTrue(told == len(names) or run.returncode != 0, run.stderr)
            tables = [self.tables(name, run.stdout) for name in names]
            found += tables[:told] if told == len(names) else tables[:told + 1]
        return found

    def faults(self, job, counts):
        for line in counts.splitlines():
            kind, calls = line.split()
            calls = int(calls)
            step = max(1, -(-calls // MOST))
            for n in range(0, calls, step):
                # the last ones carry rows
                yield kind, calls - 1 - n

    def check(self, job):
        counts = os.path.join(self.root, "counts")
        run = self.run_solves(["clean"], job, APSP_FAULT_COUNTS=counts)
        expected = self.tables("clean", run.stdout)
        self.assertIsNotNone(expected, run.stdout + run.stderr)
        with open(counts, encoding="ascii") as file:
            faults = list(self.faults(job, file.read()))
        self.assertGreater(len(faults), 10)
        chunks = [faults[at:at + CHUNK] for at in range(0, len(faults), CHUNK)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = 0
            for chunk, solves in zip(chunks, pool.map(
                    lambda chunk: self.solve_with(job, chunk), chunks)):
                for fault, tables in zip(chunk, solves):
                    found += tables is None
                    if tables is not None and not table_meaning.same(expected, tables):
                        self.fail(f"{job}: {fault} gave other tables")
        print(f"{job}: {found} of {len(faults)} failed the job")
        self.assertGreater(found, len(faults) // 4)

    def test_all(self):
        for job in JOBS:
            with self.subTest(job=job):
                self.check(job)


if __name__ == "__main__":
    unittest.main()
