"""What the end-to-end tests share: a real apspd on temporary directories.

Nothing here sleeps for luck: a daemon is ready when it says so on NOTIFY_SOCKET,
a job has ended when /v1/jobs/{id}?wait= says so, and every wait has a deadline.
"""
import contextlib
import functools
import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

SOURCE_ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD_ROOT = os.environ.get("APSP_BUILD_ROOT") or os.path.join(SOURCE_ROOT, "build")
APSPD = os.path.join(BUILD_ROOT, "daemon", "apspd")
SOLVER = os.environ.get("APSPD_SOLVER") or os.path.join(
    BUILD_ROOT, "daemon", "apsp-solve")
KEEP_RATES = os.path.join(os.path.dirname(SOLVER), "..", "tests", "keep_rates")
DATA = os.path.join(SOURCE_ROOT, "tests", "data")
# Compiled kernels and the device's rates, which all daemons share: else each one
# compiles the kernels again and measures the device as soon as it is idle. The rates
# are the defaults, kept there by a program beside the solver's build.
KERNELS = os.environ.get("APSP_TEST_KERNELS") or os.path.join(
    BUILD_ROOT, "tests", "kernels")

# Generous: a sanitized daemon on a busy machine. Only failures take this long.
DEADLINE_S = 60
IDLE_S = 20
PAUSE_S = 0.05
# Programs that a test starts get memory full of these bytes; this Python has started without them.
os.environ["MALLOC_PERTURB_"] = str(random.randrange(1, 256))
SANITIZER = re.compile(r"(Address|Leak|Thread)Sanitizer|runtime error:")


@functools.cache
def share_kernels():
    os.makedirs(KERNELS, 0o700, exist_ok=True)
    if not any(name.startswith("rates-") for name in os.listdir(KERNELS)):
        subprocess.run([KEEP_RATES, KERNELS], check=True)


def data(name):
    with open(os.path.join(DATA, name), "rb") as file:
        return file.read()


def until(what, condition, deadline_s=DEADLINE_S, pause_s=0.005):
    """Call condition() until its value is true; return the value.

    Pauses grow with the time waited, from pause_s to PAUSE_S: conditions take processor time.
    """
    began = time.monotonic()
    while True:
        value = condition()
        if value:
            return value
        waited = time.monotonic() - began
        if waited > deadline_s:
            raise AssertionError(f"waited {deadline_s} s for {what}")
        time.sleep(min(max(pause_s, waited / 10), PAUSE_S))


def held_port(case):
    """A port of loopback that is nobody else's until the test ends.

    A socket that does not listen keeps it, so that no port 0 and no client gets it. A
    server that sets SO_REUSEADDR may listen there all the same.
    """
    holder = socket.socket()
    case.addCleanup(holder.close)
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    return holder.getsockname()[1]


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:2000]!r}>"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Client:
    """One keep-alive connection to an address as the daemon names it."""

    def __init__(self, address):
        if address.startswith("unix:"):
            self._connection = UnixConnection(address[5:], DEADLINE_S)
        else:
            host, port = address.rsplit(":", 1)
            self._connection = http.client.HTTPConnection(
                host.strip("[]"), int(port), timeout=DEADLINE_S)

    def close(self):
        self._connection.close()

    def ask(self, method, target, body=None, headers=()):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers = {"Content-Type": "application/json", **dict(headers)}
        self._connection.request(method, target, body, dict(headers))
        reply = self._connection.getresponse()
        names = [name.lower() for name in reply.headers]
        assert len(set(names)) == len(names), f"{target}: a header comes twice: {names}"
        return Reply(reply.status, reply.headers, reply.read())


class Daemon:
    """A running apspd; `with Daemon(...) as d`. Directories outlive stop().

    A cache directory that the test did not make gets the shared kernels.
    """

    def __init__(self, directory, listen=("127.0.0.1:0",), args=(), solver=None,
                 prefix=(), env=None, preexec=None, pass_fds=(), manager=None):
        self.directory = directory
        self.state = os.path.join(directory, "state")
        self.cache = os.path.join(directory, "cache")
        self.command = [*prefix, APSPD, "--state-dir", self.state,
                        "--cache-dir", self.cache]
        for spec in listen:
            self.command += ["--listen", spec]
        self.command += args
        self.env = {**os.environ, "APSPD_SOLVER": solver or SOLVER, **(env or {})}
        if solver:  # a test that brings its own wants to see each job's
            self.env.setdefault("APSPD_SOLVER_IDLE", "0")
        self.preexec = preexec
        self.pass_fds = pass_fds
        self.manager = manager  # the test's own NOTIFY_SOCKET
        self.process = None
        self.addresses = []
        self.log = []
        self._client = None
        self._asked = 0

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        if self.process:
            if kind:
                print("the daemon's log:", *self.log, sep="\n  ", flush=True)
                self.kill()
            else:
                self.stop()

    def start(self):
        """Start and wait until it is ready; its failure is an AssertionError."""
        if not os.path.exists(self.cache):
            os.mkdir(self.cache, 0o700)
            share_kernels()
            os.symlink(KERNELS, os.path.join(self.cache, "kernels"))
        if self.manager:
            self._spawn({**self.env, "NOTIFY_SOCKET": self.manager})
            until("the listening line", lambda: self.addresses)
            return self
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with contextlib.closing(notify), \
                tempfile.TemporaryDirectory(prefix="apspd-notify-") as where:
            path = os.path.join(where, "socket")
            notify.bind(path)
            notify.settimeout(0.05)
            self._spawn({**self.env, "NOTIFY_SOCKET": path})

            def ready():
                if self.process.poll() is not None:
                    self._join()
                    raise AssertionError(
                        f"apspd ended with {self.process.returncode}: "
                        + "\n".join(self.log))
                with contextlib.suppress(socket.timeout):
                    return b"READY=1" in notify.recv(4096)
                return False
            until("READY=1", ready)
        until("the listening line", lambda: self.addresses)
        return self

    def _spawn(self, env):
        self.log, self.addresses = [], []
        self.process = subprocess.Popen(
            self.command, env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", preexec_fn=self.preexec, pass_fds=self.pass_fds)
        self._readers = [threading.Thread(target=self._read, args=(stream,), daemon=True)
                         for stream in (self.process.stdout, self.process.stderr)]
        for reader in self._readers:
            reader.start()

    def _read(self, stream):
        with stream:
            for line in stream:
                line = line.rstrip("\n")
                found = re.match(r"(?:<\d>)?apspd listening (.*)", line)
                if found:
                    self.addresses = found.group(1).split()
                self.log.append(line)

    def _join(self):
        self.process.wait(DEADLINE_S)
        for reader in self._readers:
            reader.join(DEADLINE_S)
        if self._client:
            self._client.close()
            self._client = None

    def stop(self, within_s=15):
        """SIGTERM: it must end soon, with status 0 and no complaint.

        A daemon ends itself after 5 s. On a busy machine that takes longer.
        """
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self._join()
        took = time.monotonic() - began
        code, self.process = self.process.returncode, None
        log = "\n".join(self.log)
        assert code == 0, f"apspd ended with {code}:\n{log}"
        assert not SANITIZER.search(log), log
        assert took < within_s, f"stopping took {took:.1f} s:\n{log}"

    def kill(self):
        """End the daemon as a crash would."""
        self.process.kill()
        self._join()
        self.process = None
        log = "\n".join(self.log)
        assert not SANITIZER.search(log), log

    def restart(self):
        self.stop()
        return self.start()

    @property
    def pid(self):
        return self.process.pid

    def is_running(self):
        return self.process.poll() is None

    def client(self, address=None):
        return Client(address or self.addresses[0])

    def ask(self, method, target, body=None, headers=()):
        # the daemon ends a connection that was idle for a minute
        if self._client and time.monotonic() - self._asked > IDLE_S:
            self._client.close()
            self._client = None
        if not self._client:
            self._client = self.client()
        self._asked = time.monotonic()
        return self._client.ask(method, target, body, headers)

    def raw(self, timeout_s=DEADLINE_S):
        """A plain TCP socket to the first address."""
        host, port = self.addresses[0].rsplit(":", 1)
        return socket.create_connection((host, int(port)), timeout_s)

    def upload(self, graph, body, query="", content_type="text/csv", headers=()):
        """Upload; weights are lengths unless the query says a transform."""
        if "transform=" not in query:
            query += ("&" if query else "?") + "transform=none"
        return self.ask("PUT", f"/v1/graphs/{graph}{query}", body,
                        {"Content-Type": content_type, **dict(headers)})

    def job(self, job):
        return self.ask("GET", f"/v1/jobs/{job}").json

    def jobs(self):
        return self.ask("GET", "/v1/jobs").json["jobs"]

    def wait(self, job, *states):
        """The job's record once it is in one of states (default: has ended)."""
        states = states or ("succeeded", "failed", "cancelled")

        query = ""

        def reached():
            nonlocal query
            reply = self.ask("GET", f"/v1/jobs/{job}{query}")
            assert reply.status == 200, reply
            query = "?wait=2"
            return reply.json if reply.json["state"] in states else None
        return until(f"job {job} to be {' or '.join(states)}", reached, 120)

    def put(self, graph, body, query="", content_type="text/csv"):
        """Upload, wait until the tables are there, return the upload's reply.

        A graph that is there gets the query's rule.
        """
        query += ("&" if query else "?") + "default_rule=replace"
        reply = self.upload(graph, body, query, content_type)
        assert reply.status in (200, 202), reply
        if reply.status == 202:
            ended = self.wait(reply.json["job"])
            assert ended["state"] == "succeeded", ended
        return reply.json

    def path(self, graph, start, end, query=""):
        return self.ask("GET", f"/v1/graphs/{graph}/path?" + urllib.parse.urlencode(
            {"from": start, "to": end}) + query)

    def table_files(self):
        folder = os.path.join(self.cache, "tables")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder))


def write_solver(path, commands):
    """Write a solver that runs commands of the shell before each job, but not before it lists or
    measures devices."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n"
                   'case " $* " in *" --devices "* | *" --calibrate "*) ;; *)\n'
                   f"{commands} ;;\nesac\n"
                   f"exec '{SOLVER}' \"$@\"\n")
    os.chmod(path, 0o755)


class Gate:
    """A solver that stops at a gate and only then becomes the real one.

    A job held there is surely running and surely not done. Each run that reaches
    the gate needs one open(); `held` tells the process ids that came so far.
    """

    def __init__(self, directory):
        self.path = os.path.join(directory, "gated-solve")
        self._fifo = os.path.join(directory, "gate")
        self._seen = os.path.join(directory, "gate-seen")
        os.mkfifo(self._fifo)
        with open(self._seen, "w", encoding="ascii"):
            pass
        write_solver(self.path, f"echo $$ >>'{self._seen}'\nread -r go <'{self._fifo}'")

    @property
    def held(self):
        with open(self._seen, encoding="ascii") as file:
            return [int(line) for line in file.read().split()]

    def wait_held(self, count):
        """The id of process number count (from 1) to reach the gate."""
        return until(f"solver {count} to start",
                     lambda: len(self.held) >= count and self.held[count - 1])

    def open(self):
        """Let one held solver through."""
        def write():
            try:
                fd = os.open(self._fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                return False  # nobody reads yet
            os.write(fd, b"go\n")
            os.close(fd)
            return True
        until("a solver at the gate", write)

    def close(self):
        """End the solvers that a failed test left at the gate."""
        for pid in self.held:
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                    if self.path in file.read():
                        os.kill(pid, signal.SIGKILL)


class Case(unittest.TestCase):
    """A test with a directory of its own and processes that end with it."""

    maxDiff = 4000

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="apspd-e2e-")
        self.addCleanup(until, "the test's directory to go", self._remove)

    def _remove(self):
        # a solver whose daemon was killed may write a last file meanwhile
        shutil.rmtree(self.directory, ignore_errors=True)
        return not os.path.exists(self.directory)

    def daemon(self, **kwargs):
        kwargs.setdefault("directory", self.directory)
        return Daemon(**kwargs)

    def assertStatus(self, reply, status, problem=None):
        self.assertEqual(reply.status, status, reply)
        if status >= 400:
            self.assertEqual(reply.headers.get_content_type(),
                             "application/problem+json", reply)
            self.assertEqual(reply.json["status"], status, reply)
        if problem:
            self.assertEqual(reply.json["type"], "/problems/" + problem, reply)
        return reply

    def assertWalks(self, answer, arcs=None):
        """Check a path answer: ends, hops, arcs that add up to the distance."""
        path, parts = answer["path"], answer["arcs"]
        self.assertEqual(path[0], answer["from"])
        self.assertEqual(path[-1], answer["to"])
        self.assertEqual(len(path), answer["hops"] + 1)
        self.assertEqual(len(parts), answer["hops"])
        total = sum(part["length"] for part in parts)
        self.assertAlmostEqual(total, answer["distance"],
                               delta=1e-6 * max(1, abs(total)))
        if arcs is not None:
            for pair, part in zip(zip(path, path[1:]), parts):
                self.assertAlmostEqual(part["length"], arcs[pair], delta=1e-12)


class Manager:
    """A service manager of a test, whom daemons tell that they are alive."""

    def __init__(self, case):
        self.path = os.path.join(case.directory, "manager")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        case.addCleanup(self._socket.close)
        self._socket.bind(self.path)

    def hears(self, within_s):
        """Whether WATCHDOG=1 comes within the time, after what has come so far."""
        self._socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(4096)
        end = time.monotonic() + within_s
        while (left := end - time.monotonic()) > 0:
            self._socket.settimeout(left)
            with contextlib.suppress(socket.timeout):
                if self._socket.recv(4096) == b"WATCHDOG=1":
                    return True
        return False


def is_gone(pid):
    """Whether a process has ended (a zombie has)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def raise_file_limit():
    """Allow as many open files as possible: a test opens every connection."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard
