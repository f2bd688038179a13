"""Some of the faults of seeded_faults.py fail the job, each in the kernels that have it.

faulty_source.c puts them into the kernels' texts. mutation.py --seeds tries all.
"""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
BUILD = os.environ["APSP_BUILD_ROOT"]
SOLVE = os.path.join(BUILD, "tests", "solve_as")
DRIVER = os.path.join(BUILD, "tests", "libfaulty_source.so")

import seeded_faults  # noqa: E402
import table_meaning  # noqa: E402

GRAPHS = seeded_faults.graphs()
# what, where, and the seeds that are tried
FEW = [("predecessor", "lane", (0, 1, 2)), ("predecessor", "row", (3, 4)),
       ("predecessor", "block", (5,)), ("V", "lane", (0, 1)), ("V", "block", (2,)),
       # wrong by a thirtieth, by a bit of float32, by one of float64
       ("sum", "lane", (0, 4)), ("sum", "row", (8,))]


class SeededFaults(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = directory.name

    def said(self, fault):
        """What the solver says of the job with the fault."""
        graph, algorithm, form = fault.job
        n, arcs, transform = GRAPHS[graph]
        table_meaning.graph_write(os.path.join(self.root, "graph"), n, arcs, transform)
        run = subprocess.run(
            [SOLVE, self.root, algorithm, form], timeout=300, text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "LD_PRELOAD": DRIVER, "APSP_SOURCE_FAULT_OLD": fault.old,
                 "APSP_SOURCE_FAULT_NEW": fault.new})
        lines = [line for line in run.stdout.splitlines() if line.startswith(self.root + " ")]
        self.assertEqual(len(lines), 1, run.stdout + run.stderr)
        return lines[0].split(": ", 1)[1]

    def test_jobs_fail(self):
        for what, where, seeds in FEW:
            for seed in seeds:
                fault = seeded_faults.fault(what, where, seed)
                with self.subTest(fault.name, job=fault.job):
                    said = self.said(fault)
                    print(f"{fault.name}: {fault.path} {fault.job}: {said}")
                    self.assertNotEqual(said, "done")
                    self.assertNotIn("does not compile", said)


if __name__ == "__main__":
    unittest.main()
