"""How soon a daemon with many graphs answers after a restart.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/restart.py [GRAPHS [VERTICES [ROUNDS]]]

Uploads GRAPHS - 1 (199) small graphs and one random graph of VERTICES (12,529), with four
arcs a vertex and lengths of 1, so that its tables take a minute and not an hour. Then the
program restarts the daemon ROUNDS (9) times. It measures the time from the start of the
process to the first connection, and from there to the first path of the large graph and
to the first path of each small one. It prints medians; the page cache is warm.
"""
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from harness import Daemon  # noqa: E402  (the path is set above)

ARCS = 4  # a vertex


def large_graph(n):
    chance = random.Random(12529)
    lines = [f"{v},{(v + 1) % n}" for v in range(n)]  # each vertex reaches all vertices
    lines += [f"{v},{chance.randrange(n)}" for v in range(n) for _ in range(ARCS - 1)]
    return ("\n".join(lines) + "\n").encode()


def small_graph(i):
    chance = random.Random(i)
    return "".join(f"a{v},a{v + 1},{chance.randrange(1, 9)}\n" for v in range(20)).encode()


def fill(d, n_graphs, n_vertices):
    began = time.perf_counter()
    for i in range(n_graphs - 1):
        d.put(f"small{i}", small_graph(i), "?transform=inv")
    reply = d.upload("large", large_graph(n_vertices), "?transform=hops")
    assert reply.status == 202, reply
    while d.ask("GET", f"/v1/jobs/{reply.json['job']}?wait=30").json["state"] in (
            "queued", "running"):
        pass
    assert d.job(reply.json["job"])["state"] == "succeeded", d.job(reply.json["job"])
    print(f"{n_graphs} graphs in {time.perf_counter() - began:.0f} s", flush=True)


def processor_s(pid):
    """Processor seconds of all threads, on which other programs have little effect."""
    used = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            used += int(file.read().split()[0])
    return used / 1e9


class Connection:
    """A bare keep-alive connection: http.client would cost as much as the daemon."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, target):
        """The seconds until the answer is complete, and its JSON."""
        began = time.perf_counter()
        self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        text = b""
        while b"\r\n\r\n" not in text:
            text += self.socket.recv(65536)
        head, body = text.split(b"\r\n\r\n", 1)
        size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(body) < size:
            body += self.socket.recv(65536)
        took = time.perf_counter() - began
        assert head.startswith(b"HTTP/1.1 200"), text
        return took, json.loads(body)


def restart(d, n_graphs, n_vertices, chance):
    """Returns seconds: until the port is open, of the processor, of the first path, of the
    first paths of small graphs.
    """
    began = time.perf_counter()
    process = subprocess.Popen(d.command, env=d.env, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    port = process.stdout.readline().rsplit(":", 1)[1]
    connection = Connection(int(port))
    opened = time.perf_counter() - began
    used = processor_s(process.pid)
    start, end = chance.sample(range(n_vertices), 2)
    first, answer = connection.ask(f"/v1/graphs/large/path?from={start}&to={end}")
    assert answer["reachable"] and answer["hops"] == answer["distance"], answer
    small = [connection.ask(f"/v1/graphs/small{i}/path?from=a0&to=a20")[0]
             for i in range(n_graphs - 1)]
    process.terminate()
    process.communicate(timeout=15)
    assert process.returncode == 0
    return opened, used, first, small


def main(n_graphs=200, n_vertices=12529, rounds=9):
    n_graphs, n_vertices, rounds = int(n_graphs), int(n_vertices), int(rounds)
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="apspd-restart-") as directory:
        d = Daemon(directory)
        with d:
            fill(d, n_graphs, n_vertices)
        found = [restart(d, n_graphs, n_vertices, chance) for _ in range(rounds)]
    opened, used, first, small = zip(*found)
    small = [took for round_ in small for took in round_]
    for what, times in (("port open", opened), ("  of this, the processor", used),
                        (f"first path, n = {n_vertices}", first),
                        ("first path of each small graph", small)):
        print(f"{what:32} median {statistics.median(times) * 1e3:7.2f} ms, "
              f"least {min(times) * 1e3:7.2f} ms, largest {max(times) * 1e3:7.2f} ms")


main(*sys.argv[1:])
