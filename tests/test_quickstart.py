"""daemon/quickstart.sh on files, ports and variables of its user.

The clone is the test's own: its scripts, and links to the build and the data. The
packages are there and the build is new, so dpkg-query and ninja do nothing.
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("APSP_BUILD_ROOT") or os.path.join(ROOT, "build")

sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from harness import held_port  # noqa: E402


class Quickstart(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="apspd-quickstart-")
        self.addCleanup(shutil.rmtree, self.top, ignore_errors=True)
        os.makedirs(os.path.join(self.top, "daemon"))
        for name in ("quickstart.sh", "setup.sh"):
            shutil.copy(os.path.join(ROOT, "daemon", name),
                        os.path.join(self.top, "daemon"))
        os.symlink(BUILD, os.path.join(self.top, "build"))
        os.symlink(os.path.join(ROOT, "tests"), os.path.join(self.top, "tests"))
        self.bin = os.path.join(self.top, "bin")
        os.mkdir(self.bin)
        self.program("dpkg-query", "echo installed")
        self.program("ninja", f'echo "$@" >{self.top}/built')
        self.pids = set()
        self.addCleanup(self.stop)

    def program(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def stop(self):
        for pid in self.pids:
            if os.path.exists(f"/proc/{pid}"):
                os.kill(pid, signal.SIGTERM)

    def write(self, name, text):
        path = os.path.join(self.top, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def quickstart(self, *args, status=0, **variables):
        """What it says, with its daemon's address in self.url."""
        env = {key: value for key, value in os.environ.items()
               if not key.startswith("APSPD_")}
        run = subprocess.run(
            ["sh", os.path.join(self.top, "daemon", "quickstart.sh"), *args],
            env={**env, "PATH": f"{self.bin}:{os.environ['PATH']}", **variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=240, check=False)
        found = re.search(r"runs as process (\d+) at (\S+)", run.stdout)
        if found:
            self.pids.add(int(found[1]))
            self.pid, self.url = int(found[1]), found[2]
        self.assertEqual(run.returncode, status, run.stdout)
        return run.stdout

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as reply:
            return json.load(reply)

    def test_own_file(self):
        """Two runs: the second replaces the first's daemon and finds its tables."""
        path = self.write("my roads.csv", "from,to,weight\na,b,1\n\"b c\",a,2\n")
        port = held_port(self)
        said = self.quickstart(path, "--port", str(port), "--transform", "none")
        self.assertEqual(self.url, f"http://127.0.0.1:{port}")
        self.assertIn('"distance":1,', said)
        self.assertIn(f"Open {self.url}/ in a browser", said)
        profile = self.get("/v1/graphs/my-roads/profiles/default")
        self.assertEqual(profile["transform"], "none")
        first = self.pid
        said = self.quickstart(path, f"--port={port}", "--transform=none")
        self.assertIn(f"Replacing the daemon of the last run (process {first})", said)
        self.assertIn("there from an earlier run", said)
        self.assertNotEqual(self.pid, first)

        with open(os.path.join(self.top, "built"), encoding="utf-8") as file:
            target = file.read().split()[-1]
        inputs = subprocess.run(["ninja", "-C", BUILD, "-t", "query", target], check=True,
                                capture_output=True, text=True).stdout
        programs = ["apspd", "apsp-solve"]
        if os.path.exists(os.path.join(BUILD, "daemon", "apspd-follow")):  # with libcurl
            programs.append("apspd-follow")
        for name in programs:
            self.assertIn(f"daemon/{name}\n", inputs)

    def test_weights_of_unknown_meaning(self):
        said = self.quickstart(self.write("x.csv", "a,b,3\n"), "--port",
                               str(held_port(self)), status=1)
        self.assertIn("The upload was refused", said)
        self.assertIn("--transform none, or --transform inv", said)
        self.assertNotIn("cannot open", said)

    def test_columns_of_other_names(self):
        said = self.quickstart(self.write("x.csv", "out,into,n,where\na,b,3,left\n"), "--port",
                               str(held_port(self)), "--transform", "inv", status=1)
        self.assertIn("The upload was refused", said)
        self.assertRegex(said, r"http://127\.0\.0\.1:\d+/ shows them and asks which are meant")
        self.assertIn(f"to stop it: kill {self.pid}", said)

    def test_wrong_use(self):
        for args, status, word in (
                (("--help",), 0, "Usage: sh daemon/quickstart.sh [FILE]"),
                (("--port",), 2, "--port needs a value"),
                (("--port", "x"), 2, "not 'x'"),
                (("--prot", "1"), 2, "'--prot' is not an option"),
                (("a", "b"), 2, "'b' is one too many"),
                (("--transform", "inv"), 2, "belongs to a FILE"),
                (("/nowhere/x.csv",), 1, "no file '/nowhere/x.csv'"),
                ((self.write("x.csv", "a,b\n"), "--transform", "inverse"), 2, "'inverse'")):
            self.assertIn(word, self.quickstart(*args, status=status))
        self.assertFalse(os.path.exists(os.path.join(self.top, ".run")))

    def test_port_that_is_taken(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            said = self.quickstart(self.write("x.csv", "a,b\n"), "--port",
                                   str(s.getsockname()[1]), status=1)
        self.assertIn("The daemon does not start: ", said)
        self.assertIn("in use", said)

    def test_variables_count(self):
        state = os.path.join(self.top, "elsewhere")
        tokens = os.path.join(self.top, "tokens")
        token = subprocess.run(
            [os.path.join(BUILD, "daemon", "apspd"), "--tokens", tokens, "--new-token",
             "write"], check=True, capture_output=True, text=True).stdout.strip()
        path = self.write("x.csv", "a,b\n")
        unix = os.path.join(self.top, "s")
        variables = {"APSPD_STATE_DIR": state, "APSPD_TOKENS": tokens,
                     "APSPD_LISTEN": f"unix:{unix}"}
        said = self.quickstart(path, TOKEN=token, **variables)
        self.assertIn('"distance":1,', said)
        self.assertIn(f"curl -sS --unix-socket '{unix}' -H \"Authorization: Bearer $TOKEN\"",
                      said)
        self.assertNotIn(token, said)
        self.assertTrue(os.path.exists(os.path.join(state, "apspd.sqlite")))
        first = self.pid
        said = self.quickstart(path, TOKEN="wrong", status=1, **variables)
        self.assertIn(f"(process {first})", said)  # replaced, hidden as it is
        self.assertIn("The upload was refused", said)


if __name__ == "__main__":
    unittest.main()
