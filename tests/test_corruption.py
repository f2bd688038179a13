"""A byte that changes on its way fails the job, or changes nothing in the tables.

corrupting_driver.c changes one byte of one copy, one kernel's buffer or one write to
the file, each in a run of its own.
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

import table_meaning  # noqa: E402

JOBS = [
    ("integers", "multi-source", "cpu"),
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

    def solve(self, name, graph, algorithm, form, **environment):
        """The tables, or None and what was said."""
        directory = os.path.join(self.root, name)
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, "graph")
        if not os.path.exists(path):
            n, arcs, transform = self.graphs[graph]
            table_meaning.graph_write(path, n, arcs, transform)
        run = subprocess.run(
            [SOLVE, directory, algorithm, form], timeout=300, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "LD_PRELOAD": DRIVER, **environment})
        tables = None
        if run.stdout.endswith(": done\n"):
            tables = table_meaning.Tables(os.path.join(directory, "tables"))
        shutil.rmtree(directory)
        return tables, run.stdout + run.stderr

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
        expected, said = self.solve("clean", *job, APSP_FAULT_COUNTS=counts)
        self.assertIsNotNone(expected, said)
        with open(counts, encoding="ascii") as file:
            faults = list(self.faults(job, file.read()))
        self.assertGreater(len(faults), 10)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = pool.map(
                lambda f: self.solve(f"{f[0]}-{f[1]}", *job, APSP_FAULT=f"{f[0]} {f[1]}"),
                faults)
            found = 0
            for fault, (tables, said) in zip(faults, runs):
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
