"""The service manager hears from apspd while every thread that matters moves."""
import contextlib
import os
import socket
import subprocess
import time
import unittest

from harness import Case, until, BUILD_ROOT

STOP_THREAD = os.path.join(BUILD_ROOT, "tests", "stop_thread")
WATCHDOG_S = 1  # apspd tells four times as often


class Watchdog(Case):
    def setUp(self):
        super().setUp()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.bind(os.path.join(self.directory, "manager"))

    def hears(self, within_s):
        """Whether WATCHDOG=1 comes within the time, after what has come so far."""
        self.manager.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.manager.recv(4096)
        end = time.monotonic() + within_s
        while (left := end - time.monotonic()) > 0:
            self.manager.settimeout(left)
            with contextlib.suppress(socket.timeout):
                if self.manager.recv(4096) == b"WATCHDOG=1":
                    return True
        return False

    def stopped(self, daemon, name, number=0):
        """A stopped thread, which goes on when this ends; None: there is none."""
        process = subprocess.Popen(
            [STOP_THREAD, str(daemon.pid), name, str(number)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if process.stdout.readline() == "stopped\n":
            self.addCleanup(process.kill)
            return process
        process.communicate()
        self.assertEqual(process.returncode, 2)
        return None

    def assertAsked(self, daemon, name, number=0):
        self.assertTrue(self.hears(60), "before")
        process = self.stopped(daemon, name, number)
        self.assertIsNotNone(process, f"no thread {name} {number}")
        until(f"silence about {name}", lambda: not self.hears(WATCHDOG_S))
        process.communicate()
        self.assertTrue(self.hears(60), "and again once it goes on")

    def test_stopped_threads(self):
        manager = os.path.join(self.directory, "manager")
        with self.daemon(args=["--threads", "3"], manager=manager,
                         env={"WATCHDOG_USEC": str(WATCHDOG_S * 1000000)}) as d:
            for name in ("writer", "worker", "accept"):
                self.assertAsked(d, name)
            for number in range(3):
                self.assertAsked(d, "MHD-worker", number)
            self.assertIsNone(self.stopped(d, "MHD-worker", 3))
            self.assertTrue(
                any("has shown no sign of life" in line for line in d.log), d.log)

    def test_one_thread(self):
        manager = os.path.join(self.directory, "manager")
        with self.daemon(args=["--threads", "1"], manager=manager,
                         env={"WATCHDOG_USEC": str(WATCHDOG_S * 1000000)}) as d:
            self.assertAsked(d, "MHD-single")
            self.assertStatus(d.ask("GET", "/healthz"), 200)


if __name__ == "__main__":
    unittest.main()
