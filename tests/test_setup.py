"""daemon/setup.sh waits for another program that holds apt's lock, and says so.

apt-get, dpkg-query, id and sleep are the test's own.
"""
import os
import subprocess
import tempfile
import unittest

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
HELD = ("E: Could not get lock /var/lib/apt/lists/lock. "
        "It is held by process 7 (apt-get)")


class Setup(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = directory.name
        self.program("dpkg-query", "exit 1")
        self.program("id", "echo 0")
        self.program("sleep", f"echo slept >>{self.dir}/calls")

    def program(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def apt(self, failures, message):
        """An apt-get that fails so many times with a message."""
        self.program("apt-get", f"""
            echo "apt-get $*" >>{self.dir}/calls
            n=$(cat {self.dir}/n 2>/dev/null || echo 0)
            echo $((n + 1)) >{self.dir}/n
            [ "$n" -ge {failures} ] || {{ echo "{message}"; exit 100; }}""")

    def install(self, command="install_missing {0}/log thing", **environment):
        run = subprocess.run(
            ["sh", "-c", f". {ROOT}/daemon/setup.sh; " + command.format(self.dir)],
            env={**os.environ, "PATH": f"{self.dir}:{os.environ['PATH']}", **environment},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
            check=False)
        with open(os.path.join(self.dir, "calls"), encoding="utf-8") as file:
            return run.returncode, run.stdout, file.read()

    def test_no_lock(self):
        self.apt(0, "")
        status, said, calls = self.install()
        self.assertEqual(status, 0, said)
        self.assertNotIn("lock", said)
        self.assertEqual(calls.count("apt-get"), 2)
        self.assertIn("--no-install-recommends install thing", calls)
        self.assertNotIn("slept", calls)

    def test_lock_is_waited_for(self):
        self.apt(3, HELD)
        status, said, calls = self.install()
        self.assertEqual(status, 0, said)
        self.assertEqual(said.count("holds apt's lock; waiting"), 1, said)
        self.assertEqual(calls.count("slept"), 3)
        self.assertEqual(calls.count("apt-get"), 5)

    def test_lock_for_ever(self):
        self.apt(10**6, HELD)
        status, said, calls = self.install(APT_WAIT="20")
        self.assertNotEqual(status, 0)
        self.assertIn("apt-get update failed", said)
        self.assertEqual(calls.count("slept"), 4)

    def test_another_failure(self):
        self.apt(10**6, "E: Unable to locate package thing")
        status, said, calls = self.install()
        self.assertNotEqual(status, 0)
        self.assertIn("Unable to locate package", said)
        self.assertNotIn("slept", calls)

    def test_programs_are_unpacked(self):
        """Once, nothing is installed, and old lists of packages are made new."""
        self.program("dpkg", f'echo "dpkg $1" >>{self.dir}/calls; [ -e "$2" ]')
        unpack = "unpack_programs {0}/log {0}/programs thing other"
        self.apt(1, "E: 404 Not Found")
        status, said, calls = self.install(unpack)
        self.assertNotEqual(status, 0, "no package came")
        self.assertEqual([line.split()[2 if "-q" in line else 1] for line in
                          calls.splitlines() if line.startswith("apt-get")],
                         ["download", "-o", "download"], calls)
        self.program("apt-get", f"""echo "apt-get $*" >>{self.dir}/calls
            touch thing_1.deb other_2.deb""")
        before = calls.count("dpkg -x")
        for _ in range(2):
            status, said, calls = self.install(unpack)
            self.assertEqual(status, 0, said)
        self.assertEqual(calls.count("dpkg -x"), before + 2, calls)
        self.assertNotIn("install", calls)
        self.assertEqual(os.listdir(os.path.join(self.dir, "programs")), ["stamp"])


if __name__ == "__main__":
    unittest.main()
