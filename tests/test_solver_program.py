"""apsp-solve as a process: what it prints where, and at which priority it runs."""
import os
import re
import subprocess
import tempfile
import time
import unittest

BUILD = os.environ["APSP_BUILD_ROOT"]
SOLVER = os.path.join(BUILD, "daemon", "apsp-solve")
NOISY = os.path.join(BUILD, "tests", "libnoisy_driver.so")
DEVICE = os.environ.get("APSPD_DEVICE", "auto")
EVENT = re.compile(r"(found .*|done)$")


class Solver(unittest.TestCase):
    def start(self, *options, **environment):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        # the end of stdin means stop
        stdin, control = os.pipe()
        self.addCleanup(os.close, control)
        run = subprocess.Popen(
            [SOLVER, "--device", DEVICE, "--cache-dir", directory.name, *options],
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
