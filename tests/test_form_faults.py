"""No job fails because of a fast form of a kernel (compute/device/kernel_form.h).

faulty_form.c injects a fault into each fast form. The job is done by the plain form,
with the same tables, which is told once and remembered.

Each form fails to compile once, and gets one of the other faults, in turn; with
APSP_TEST_FORMS=all each gets all. What follows a fault knows no form but by its name,
so the largest kernel, which takes longest to compile, has the others only then.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
BUILD = os.environ["APSP_BUILD_ROOT"]
SOLVER = os.path.join(BUILD, "daemon", "apsp-solve")
DRIVER = os.path.join(BUILD, "tests", "libfaulty_form.so")
KERNELS = os.path.join(os.environ["APSP_SOURCE_ROOT"], "kernels")
ALL = os.environ.get("APSP_TEST_FORMS") == "all"
sys.path.insert(0, KERNELS)

import embed  # noqa: E402
import table_meaning  # noqa: E402

# Every source that has a fast form: the algorithm that uses it, the lengths, and
# whether it is a GPU's.
FORMS = {
    "bf_dense": ("bf-dense-transposed", "none", False),
    "bfs_levels": ("bfs-levels", "hops", False),
    "multi_source_bits_cpu": ("multi-source", "hops", False),
    "multi_source_cpu": ("multi-source", "none", False),
    "multi_source_gpu": ("multi-source", "none", True),
    "predecessor_cpu": ("multi-source", "none", False),
    "relax_cpu": ("blocked-fw", "none", False),
    "relax_gpu": ("blocked-fw", "none", True),
}
LARGEST = "relax_gpu"
# What happens, and what the log says of it.
FAULTS = {
    "crash": r"crashes \(Aborted\)",
    "build": "does not compile",
    "launch": r"crashes \(Segmentation fault\)",
    "wrong": "fails the self-test",
    "hang": "does not end",
}


def pocl():
    """The name of PoCL's device, which its versions begin in different ways."""
    listed = subprocess.run([SOLVER, "--devices"], stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, check=True).stdout
    found = [line.split(" ") for line in listed.splitlines()
             if " platform Portable%20Computing%20Language " in line]
    return urllib.parse.unquote(found[0][found[0].index("name") + 1])


class Forms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.root.cleanup)
        cls.known = {}
        cls.device = pocl()

    def solve(self, cache, form, **environment):
        """The tables of a small graph, and what went to stderr."""
        algorithm, transform, gpu = FORMS[form]
        if gpu:
            environment["APSP_FORM_GPU"] = "1"
        with tempfile.TemporaryDirectory() as job:
            table_meaning.graph_write(
                os.path.join(job, "graph"), 40,
                [(u, v, 1 + (u * v) % 3) for u in range(40) for v in (0, (7 * u + 1) % 40)
                 if u != v], transform, algorithm=algorithm)
            run = subprocess.run(
                [SOLVER, "--device", self.device, "--cache-dir", cache, job],
                stdin=self.never_ends(), text=True, timeout=300,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                env={**os.environ, "LD_PRELOAD": DRIVER, **environment})
            self.assertTrue(run.stdout.endswith("\ndone\n"), run.stdout + run.stderr)
            self.assertEqual(run.returncode, 0)
            return table_meaning.Tables(os.path.join(job, "tables")), run.stderr

    def never_ends(self):
        """The end of stdin would mean stop."""
        stdin, control = os.pipe()
        self.addCleanup(os.close, stdin)
        self.addCleanup(os.close, control)
        return stdin

    def cache(self, name):
        path = os.path.join(self.root.name, name)
        os.makedirs(os.path.join(path, "kernels"), exist_ok=True)
        return path

    def without(self, form, name):
        """A cache that has all that the job needs, but for one kernel."""
        algorithm = "-".join(map(str, FORMS[form]))
        good = self.cache(algorithm)
        if algorithm not in self.known:
            self.known[algorithm], said = self.solve(good, form)
            self.assertNotIn("<4>", said)
            self.assertEqual(self.marks(good), [])
        path = os.path.join(self.root.name, name)
        shutil.copytree(good, path)
        for kept in glob.glob(f"{path}/kernels/{form}-*"):
            os.remove(kept)
        return path, self.known[algorithm]

    def marks(self, cache):
        return glob.glob(f"{cache}/kernels/*.plain")

    def given_up(self, form, fault):
        cache, expected = self.without(form, f"{form}-{fault}")
        for first in (True, False):
            tables, said = self.solve(cache, form, APSP_FORM_FAULT=f"{form} {fault}")
            self.assertEqual(tables.data(), expected.data())
            warnings = [line for line in said.splitlines() if line.startswith("<4>")]
            self.assertEqual(len(warnings), 1 if first else 0, said)
            if first:
                self.assertRegex(
                    warnings[0],
                    rf"^<4>{form}\.cl: its fast form {FAULTS[fault]} on '.*'; the plain form "
                    "is used from now on, which is slower$")
            (mark,) = self.marks(cache)
            self.assertTrue(os.path.basename(mark).startswith(form + "-"))

    def test_each_form_is_given_up(self):
        others = [fault for fault in FAULTS if fault != "build"]
        for i, form in enumerate(FORMS):
            some = [] if form == LARGEST else [others[i % len(others)]]
            for fault in ["build"] + (others if ALL else some):
                with self.subTest(form=form, fault=fault):
                    self.given_up(form, fault)

    def test_once_is_no_reason(self):
        """A crash of the moment marks nothing, and the fast form is used."""
        form = "predecessor_cpu"
        cache, expected = self.without(form, "once")
        tables, said = self.solve(cache, form, APSP_FORM_FAULT=f"{form} crash",
                                  APSP_FORM_ONCE=os.path.join(cache, "once"))
        self.assertTrue(os.path.exists(os.path.join(cache, "once")))
        self.assertEqual(tables.data(), expected.data())
        self.assertNotIn("<4>", said)
        self.assertEqual(self.marks(cache), [])
        self.assertTrue(glob.glob(f"{cache}/kernels/{form}-*.bin"))

    def test_forms_are_listed(self):
        self.assertEqual(
            sorted(os.path.basename(path)[:-len(".cl")] for path in glob.glob(f"{KERNELS}/*.cl")
                   if re.search(r"\b(WIDEST|PTX)\b", "".join(embed.inline(path, set())))),
            sorted(FORMS))


if __name__ == "__main__":
    unittest.main()
