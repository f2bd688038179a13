"""apsp-solve as a process: what it prints where, and at which priority it runs."""
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import table_meaning  # noqa: E402

BUILD = os.environ["APSP_BUILD_ROOT"]
SOLVER = os.path.join(BUILD, "daemon", "apsp-solve")
NOISY = os.path.join(BUILD, "tests", "libnoisy_driver.so")
FULL = os.path.join(BUILD, "tests", "libfull_driver.so")
DEVICE = os.environ.get("APSPD_DEVICE", "auto")
EVENT = re.compile(r"(found .*|done)$")


class Solver(unittest.TestCase):
    def setUp(self):
        cache = tempfile.TemporaryDirectory()
        self.addCleanup(cache.cleanup)
        self.cache = cache.name

    def start(self, *options, **environment):
        # the end of stdin means stop
        stdin, control = os.pipe()
        self.addCleanup(os.close, control)
        run = subprocess.Popen(
            [SOLVER, "--device", DEVICE, "--cache-dir", self.cache, *options],
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, **environment})
        os.close(stdin)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def test_driver_prints_on_stdout(self):
        run = self.start("--devices", LD_PRELOAD=NOISY)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0, err)
        for line in out.splitlines():
            self.assertRegex(line, EVENT)
        self.assertTrue(out.endswith("\ndone\n"), out)
        self.assertIn("driver: hello", err)
        self.assertIn("driver: buffered", err)

    def solve(self, n_free):
        """(tables or None, stdout, stderr) where others use the device's memory."""
        chance = random.Random(3)
        n = 3000
        arcs = [(u, chance.randrange(n), chance.randrange(1, 9))
                for u in range(n) for _ in range(6)]
        with tempfile.TemporaryDirectory() as job:
            table_meaning.graph_write(os.path.join(job, "graph"), n, arcs)
            run = self.start(job, LD_PRELOAD=FULL,
                             APSP_DEVICE_FREE=str(n_free))
            out, err = run.communicate(timeout=120)
            done = out.endswith("\ndone\n")
            self.assertEqual(run.returncode, 0 if done else 1, err)
            tables = table_meaning.Tables(os.path.join(job, "tables")) if done else None
        return tables, out, err

    def test_device_with_less_memory_than_it_tells(self):
        """The job is planned again with less, until that is too little."""
        whole, _, err = self.solve(1 << 40)
        self.assertNotIn("planning again", err)
        again = 0
        # in small steps where a second plan helps, because measured speeds choose the algorithm
        for n_free in (*(int(2**26 * 0.8**k) for k in range(14)),
                       *(int(2**24 * 0.95**k) for k in range(16))):
            tables, _, err = self.solve(n_free)
            if tables:
                self.assertTrue(table_meaning.same(whole, tables), n_free)
                again += "planning again" in err
        self.assertGreater(again, 0, "some tables were made by a second plan")
        tables, out, err = self.solve(1 << 20)
        self.assertIsNone(tables)
        self.assertIn("\nerror code device-too-small ", out)
        self.assertIn("planning again", err)

    def job(self, seed, n=40):
        """A job's directory, of a random graph."""
        chance = random.Random(seed)
        job = tempfile.TemporaryDirectory()
        self.addCleanup(job.cleanup)
        table_meaning.graph_write(
            os.path.join(job.name, "graph"), n,
            [(u, chance.randrange(n), chance.randrange(1, 9)) for u in range(n) for _ in range(4)])
        return job.name

    def hear(self, run):
        """The events of one job, up to the last."""
        said = []
        while not said or not re.match(r"(done|error .*)\n", said[-1]):
            said.append(run.stdout.readline())
            self.assertTrue(said[-1], "".join(said))
        return said

    def resident(self, job, *options):
        run = subprocess.Popen(
            [SOLVER, "--device", DEVICE, "--cache-dir", self.cache, *options, job],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.stdin.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def test_stays_for_more_jobs(self):
        """Each job's tables are those of a solver of its own, whatever came before."""
        jobs = [self.job(seed, n) for seed, n in enumerate((40, 300, 7, 300))]
        run = self.resident(jobs[0], "--stay", "100")
        self.assertEqual(self.hear(run)[-1], "done\n")
        self.assertRegex(run.stdout.readline(), r"^held own \d{7,}( buffer \d+)*\n$")
        for job in jobs[1:]:
            run.stdin.write(f"room 0 dir {job}\n")
            run.stdin.flush()
            self.assertEqual(self.hear(run)[-1], "done\n")
        for job in jobs:
            kept = table_meaning.Tables(os.path.join(job, "tables"))
            alone = self.resident(job)
            self.assertEqual(self.hear(alone)[-1], "done\n")
            self.assertEqual(alone.wait(60), 0)
            self.assertTrue(table_meaning.same(
                kept, table_meaning.Tables(os.path.join(job, "tables"))))
        # the room of each job is its own, and an error ends the solver
        run.stdin.write(f"room 4096 dir {jobs[0]}\n")
        run.stdin.flush()
        self.assertIn("error code no-space ", self.hear(run)[-1])
        self.assertEqual(run.wait(60), 1)

    def test_proof_seed(self):
        """Each job has a seed of its own, unless one is asked for."""
        job = self.job(1)
        seeds = []
        for options in ((), (), ("--proof-seed", "77")):
            run = self.resident(job, *options)
            said = self.hear(run)
            self.assertEqual(run.wait(60), 0)
            seeds += [int(line.split()[2]) for line in said if line.startswith("job seed ")]
        self.assertEqual(len(set(seeds)), 3)
        self.assertEqual(seeds[2], 77)
        run = self.resident(job, "--proof-seed", "4294967296")
        self.assertEqual(run.wait(60), 2)

    def test_several_processes(self):
        """A solver without MPI does no job if a launcher has started several."""
        for size in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"):
            run = self.start(self.job(1), **{size: "2"})
            self.assertIn("started 2 processes", run.communicate(timeout=60)[1])
            self.assertEqual(run.returncode, 1)

    def test_idle_solver_ends(self):
        """By TERM, the end of stdin, what is no job, and after its time."""
        job = self.job(1)
        for end in (lambda run: run.terminate(), lambda run: run.stdin.close(),
                    lambda run: run.stdin.write("what\n") and run.stdin.flush()):
            run = self.resident(job, "--stay", "1000")
            self.assertEqual(self.hear(run)[-1], "done\n")
            self.assertIsNone(run.poll())
            end(run)
            self.assertEqual(run.wait(60), 0)
        run = self.resident(job, "--stay", "1")
        self.assertEqual(self.hear(run)[-1], "done\n")
        self.assertEqual(run.wait(60), 0)

    def test_measuring_is_idle(self):
        run = self.start("--calibrate")
        end = time.monotonic() + 60
        while True:
            with open(f"/proc/{run.pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
            # proc(5): 19 is nice, 41 the policy; the first two are cut off
            if (int(fields[16]), int(fields[38])) == (19, os.SCHED_IDLE):
                return
            self.assertIsNone(run.poll())
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)


if __name__ == "__main__":
    unittest.main()
