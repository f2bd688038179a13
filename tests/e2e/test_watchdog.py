"""The service manager hears from apspd while every thread that matters moves."""
import contextlib
import os
import socket
import subprocess
import threading
import time
import unittest

from harness import Case, Manager, BUILD_ROOT

STOP_THREAD = os.path.join(BUILD_ROOT, "tests", "stop_thread")
WATCHDOG_S = 1  # apspd tells four times as often


def stopped(case, daemon, name, number=0):
    """A stopped thread, which goes on when this ends; None: there is none."""
    process = subprocess.Popen(
        [STOP_THREAD, str(daemon.pid), name, str(number)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if process.stdout.readline() == "stopped\n":
        case.addCleanup(process.kill)
        return process
    process.communicate()
    case.assertEqual(process.returncode, 2)
    return None


class Watchdog(Case):
    def setUp(self):
        super().setUp()
        self.manager = Manager(self)

    def assertAsked(self, daemon, name, number=0):
        self.assertTrue(self.manager.hears(60), "before")
        for _ in range(8):
            process = stopped(self, daemon, name, number)
            self.assertIsNotNone(process, f"no thread {name} {number}")
            end = time.monotonic() + 10
            while (heard := self.manager.hears(WATCHDOG_S)) and time.monotonic() < end:
                pass
            process.communicate()
            if not heard:
                break
            # it was in a step that may be long: try again
        self.assertFalse(heard, f"no silence about {name}")
        self.assertTrue(self.manager.hears(60), "and again once it goes on")

    def test_stopped_threads(self):
        with self.daemon(args=["--threads", "3"], manager=self.manager.path,
                         env={"WATCHDOG_USEC": str(WATCHDOG_S * 1000000)}) as d:
            for name in ("writer", "worker", "accept"):
                self.assertAsked(d, name)
            for number in range(3):
                self.assertAsked(d, "MHD-worker", number)
            self.assertIsNone(stopped(self, d, "MHD-worker", 3))
            self.assertTrue(
                any("has shown no sign of life" in line for line in d.log), d.log)

    def test_one_thread(self):
        with self.daemon(args=["--threads", "1"], manager=self.manager.path,
                         env={"WATCHDOG_USEC": str(WATCHDOG_S * 1000000)}) as d:
            self.assertAsked(d, "MHD-single")
            self.assertStatus(d.ask("GET", "/healthz"), 200)


class SeenOff(Case):
    """Who was refused and goes on sending is read by the accept thread, which holds
    no lock meanwhile that the threads of HTTP need."""

    REFUSED = (b"PUT /v1/graphs/x?nonsense=1 HTTP/1.1\r\nHost: localhost\r\n"
               b"Content-Type: text/csv\r\nContent-Length: 1000000000\r\n\r\n")
    ASK = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    def send_on(self, daemon, stop):
        while not stop.is_set():
            with contextlib.suppress(OSError), daemon.raw() as sock:
                sock.sendall(self.REFUSED)
                while not stop.is_set():
                    sock.sendall(b"a,b,1\n" * 50000)

    def answered(self, sock, what):
        sock.sendall(what)
        with contextlib.suppress(socket.timeout):
            return bool(sock.recv(65536))
        return False

    def answers_while_stopped(self, daemon):
        """Whether all get answers while the accept thread is stopped somewhere."""
        kept = [daemon.raw(2) for _ in range(8)]
        refused = [daemon.raw(2) for _ in range(4)]
        for sock in kept + refused:
            self.assertTrue(self.answered(sock, self.ASK))
        process = stopped(self, daemon, "accept")
        good = (all([self.answered(sock, self.REFUSED) for sock in refused])
                and all([self.answered(sock, self.ASK) for sock in kept]))
        process.communicate()
        for sock in kept + refused:
            sock.close()
        return good

    def test_threads_do_not_wait(self):
        with self.daemon(args=["--threads", "2"]) as d:
            stop = threading.Event()
            senders = [threading.Thread(target=self.send_on, args=(d, stop))
                       for _ in range(4)]
            for sender in senders:
                sender.start()
            try:
                # it may have been stopped with another lock, but not often
                good = sum(self.answers_while_stopped(d) for _ in range(6))
            finally:
                stop.set()
                for sender in senders:
                    sender.join()
            self.assertGreaterEqual(good, 4)


if __name__ == "__main__":
    unittest.main()
