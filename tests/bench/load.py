"""How long a client waits beside a load, and how much memory the daemon uses.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/load.py [LOAD …]

Without names, the program runs every load of the table LOADS, each beside a daemon of its
own. The client asks /healthz on a new connection and a path on a persistent one, each
every 10 ms. The program prints the client's errors, the 50th and 99th percentile and the
maximum of its times in ms, and the daemon's memory: the peak, and 3 s after the load.
Loads run at a lower priority than the client, since on a real network they have
processors of their own.

The exit status is 1 if an error occurred, the 99th percentile is 20 ms or more, or the
peak 512 MB or more.

    … python3 tests/bench/load.py [--readers N] [--seconds S] kind:KIND … | kinds

runs N readers (448) of one kind of long answer of the table KINDS for S seconds (120).
Half of them read 1 kB/s, and half read nothing; a reader whose connection is reset or
refused asks again after 10 s. The client asks for a short answer and, once a second, for
a whole answer of the kind. Here the peak without mapped files must stay below 1 GB.
"""
import contextlib
import ctypes
import ctypes.util
import gzip
import http.client
import json
import multiprocessing
import os
import socket
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness  # noqa: E402

P99_MS, PEAK_MB, KINDS_PEAK_MB = 20, 512, 1000
SETTLE_S = 3  # after a load, until its memory should be free again
MIB = 1 << 20


def memory_mb(pid, field):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024 / 1e6
    return 0


def connect(address):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), 60)


# The client that is measured uses raw sockets, since http.client needs a ms itself.

def answer_read(sock):
    """Read one answer with a Content-Length; returns its status, or 0 without an answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        if not piece:
            return 0
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        piece = sock.recv(65536)
        if not piece:
            return 0
        body += piece
    return int(head.split()[1])


def ask_fresh(address, target):
    with connect(address) as sock:
        sock.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n"
                     "Connection: close\r\n\r\n".encode())
        return answer_read(sock)


def client_run(address, target, stop, out):
    """Ask until stop is set; send (errors, ms of each answer)."""
    request = f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    kept, errors, times = connect(address), {}, []

    def timed(what, ask):
        began = time.monotonic()
        try:
            status = ask()
        except OSError as error:
            status = f"{type(error).__name__}"
        times.append((time.monotonic() - began) * 1e3)
        if status != 200:
            errors[f"{what} {status}"] = errors.get(f"{what} {status}", 0) + 1
        return status

    def ask_kept():
        kept.sendall(request)
        return answer_read(kept)

    while not stop.is_set():
        began = time.monotonic()
        timed("healthz", lambda: ask_fresh(address, "/healthz"))
        if timed("path", ask_kept) != 200:
            with contextlib.suppress(OSError):
                kept = connect(address)
        time.sleep(max(0, 0.01 - (time.monotonic() - began)))
    out.send((errors, times))


# The loads. Each gets the address of a daemon, and ends by itself.

def together(count, run):
    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def put(address, graph, body, headers):
    """Upload, again while all places are taken; returns the status."""
    while True:
        connection = http.client.HTTPConnection(address, timeout=600)
        with contextlib.closing(connection):
            try:
                connection.request("PUT", f"/v1/graphs/{graph}?transform=none", body, headers)
                reply = connection.getresponse()
                reply.read()
            except OSError:
                continue
            if reply.status not in (503, 429):
                return reply.status
        time.sleep(0.1)


def zstd(data):
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_compressBound.restype = library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                      ctypes.c_size_t, ctypes.c_int]
    out = ctypes.create_string_buffer(library.ZSTD_compressBound(len(data)))
    size = library.ZSTD_compress(out, len(out), data, len(data), 3)
    return out.raw[:size]


def load_nothing(*_):
    """No load: the times of the client alone."""
    time.sleep(5)


def load_bombs(address, _):
    """8 uploads by gzip and 8 by zstd, each of 4 GB of newlines, compressed a thousandfold."""
    lines = b"\n" * (64 * MIB)
    bodies = [gzip.compress(lines) * 64, zstd(lines) * 64]
    print(f"  bombs of {len(bodies[0])} and {len(bodies[1])} bytes", flush=True)
    statuses = []

    def run(i):
        coding = ("gzip", "zstd")[i % 2]
        for _ in range(3):
            statuses.append(put(address, f"bomb{i}", bodies[i % 2], {
                "Content-Type": "text/csv", "Content-Encoding": coding}))
    together(16, run)
    assert set(statuses) == {413}, statuses


def load_gone(address, _):
    """The same uploads, but their clients leave before the daemon has parsed them."""
    bodies = [zstd(b"\n" * (64 * MIB)) * 64]
    for _ in range(16):
        with connect(address) as sock:
            sock.sendall(b"PUT /v1/graphs/gone?transform=none HTTP/1.1\r\nHost: localhost\r\n"
                         b"Content-Type: text/csv\r\nContent-Length: %d\r\n\r\n"
                         % len(bodies[0]) + bodies[0])
    time.sleep(2)


def load_uploads(address, _):
    """100 uploads at once; one that is refused for lack of a place tries again."""
    body = harness.data("larva_edges.csv")
    statuses = []
    together(100, lambda i: statuses.append(put(
        address, f"g{i % 8}", body, {"Content-Type": "text/csv"})))
    assert set(statuses) <= {200, 202, 429}, statuses


def load_readers(address, labels):
    """As many slow readers of large answers as there are connections for."""
    pairs = [[labels[i % len(labels)], labels[i * 7 % len(labels)]]
             for i in range(100000)]
    body = json.dumps({"pairs": pairs}).encode()
    head = ("POST /v1/graphs/g/paths HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Length: {len(body)}\r\n\r\n").encode()
    socks = []
    for _ in range(500):
        with contextlib.suppress(OSError):
            sock = connect(address)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(head + body)
            sock.setblocking(False)
            socks.append(sock)
    for _ in range(100):  # 20 kB/s each
        time.sleep(0.1)
        for sock in list(socks):
            try:
                if not sock.recv(2048):
                    socks.remove(sock)
            except BlockingIOError:
                pass
            except OSError:
                socks.remove(sock)
    for sock in socks:
        sock.close()


def load_silent(address, _):
    """2,000 connections on which nothing is sent."""
    socks = []
    for _ in range(2000):
        with contextlib.suppress(OSError):
            socks.append(connect(address))
    time.sleep(10)
    for sock in socks:
        sock.close()


def load_idle(address, _):
    """512 persistent connections, each with a request every 25 s."""
    request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    socks = []

    def ask(sock):
        with contextlib.suppress(OSError, IndexError):
            sock.sendall(request)
            answer_read(sock)
    for _ in range(512):
        with contextlib.suppress(OSError):
            socks.append(connect(address))
            ask(socks[-1])
    for _ in range(2):
        time.sleep(10)
        for sock in socks:
            ask(sock)
    for sock in socks:
        sock.close()


def load_reads(address, labels):
    """The most expensive reads: sets with bounds, unknown labels, batches of empty pairs."""
    def get(connection, target):
        connection.request("GET", "/v1/graphs/g" + target)
        return connection.getresponse()

    def run(i):
        connection = http.client.HTTPConnection(address, timeout=600)
        with contextlib.closing(connection):
            for k in range(40):
                label = urllib.parse.quote(labels[(i * 40 + k) % len(labels)])
                for target in (f"/vertices/{label}/reachable?direction=in"
                               "&max_distance=9&max_hops=90",
                               f"/path?from={label}&to=nobody{label}",
                               "/vertices?limit=10000&q=" + "9" * 500):
                    reply = get(connection, target)
                    reply.read()
                    assert reply.status in (200, 404, 503), (target, reply.status)
                connection.request("POST", "/v1/graphs/g/paths",
                                   b'{"pairs":[' + b"[]," * (5 * MIB) + b"[]]}")
                reply = connection.getresponse()
                reply.read()
                assert reply.status in (413, 503), reply.status
                if reply.getheader("Connection") == "close":
                    connection.close()
    together(8, run)


# Long answers of each kind of endpoint: (method, target, body).
# The graph `long` is a chain of diamonds; each vertex of `g` has a type of its own,
# of 500.
CHAIN = 1200
ALL = json.dumps({}).encode()
KINDS = {
    "k": ("GET", f"/v1/graphs/long/path?from=d0&to=d{CHAIN // 4}&k=100", b""),
    "ties": ("GET", f"/v1/graphs/long/path?from=d0&to=d{CHAIN}&ties=all", b""),
    "path": ("GET", f"/v1/graphs/long/path?from=d0&to=d{CHAIN}", b""),
    "paths": ("POST", "/v1/graphs/long/paths",
              json.dumps({"pairs": [["d0", f"d{CHAIN}"]] * 2000}).encode()),
    "groups": ("POST", "/v1/graphs/g/groups", b'{"attribute":"type"}'),
    "table": ("POST", "/v1/graphs/g/table", ALL),
    "table-zstd": ("POST", "/v1/graphs/g/table", ALL),
    "matrix": ("GET", "/v1/graphs/g/matrices/hops", b""),
    "vertices": ("GET", "/v1/graphs/g/vertices?limit=10000", b""),
    "stats": ("GET", "/v1/graphs/g/stats?vertices=1", b""),
    "arcs": ("GET", "/v1/graphs/g/arcs", b""),
    "attributes": ("GET", "/v1/graphs/g/attributes", b""),
    "openapi": ("GET", "/v1/openapi.json", b""),
}
SHARE = {"readers": 448, "seconds": 120}  # --readers, --seconds


def question(kind):
    method, target, body = KINDS[kind]
    packing = "Accept-Encoding: zstd\r\n" if kind.endswith("zstd") else ""
    return (f"{method} {target} HTTP/1.1\r\nHost: localhost\r\n{packing}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            ).encode() + body


def kind_reader(address, kind, i, end):
    """Read 1 kB/s of an answer, or nothing; ask again 10 s after a reset."""
    while time.monotonic() < end:
        with contextlib.suppress(OSError), connect(address) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.settimeout(max(0.1, end - time.monotonic()))
            sock.sendall(question(kind))
            while time.monotonic() < end:
                time.sleep(1)
                if i % 2 and len(sock.recv(1024)) == 0:
                    break
                if i % 2 == 0 and sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                    break
        time.sleep(max(0, min(10, end - time.monotonic())))


def load_kind(address, kind):
    end = time.monotonic() + SHARE["seconds"]
    together(SHARE["readers"], lambda i: kind_reader(address, kind, i, end))


def kind_prepare(daemon):
    chain = "".join(f"d{i},a{i},1\nd{i},b{i},1\na{i},d{i + 1},1\nb{i},d{i + 1},1\n"
                    for i in range(CHAIN))
    daemon.put("long", chain.encode(), "?transform=none")
    labels = []
    for line in harness.data("larva_edges.csv").decode().split()[1:]:
        labels += line.split(",")[:2]
    rows = "".join(f"{label},t{i % 500}\n" for i, label in enumerate(sorted(set(labels))))
    reply = daemon.ask("PUT", "/v1/graphs/g/attributes", ("label,type\n" + rows).encode(),
                       {"Content-Type": "text/csv"})
    assert reply.status == 200, reply


def kind_client(address, kind, stop, out):
    """Ask for whole answers of the kind, one a second; send (errors, count)."""
    method, target, body = KINDS[kind]
    errors, count = {}, 0
    while not stop.is_set():
        connection = http.client.HTTPConnection(address, timeout=60)
        with contextlib.closing(connection):
            try:
                connection.request(method, target, body, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                status, first = reply.status, reply.read(1 << 20)
                while reply.read(1 << 20):
                    pass
                if status != 200:
                    status = f"{status} {json.loads(first).get('detail')}"
            except (OSError, http.client.HTTPException) as error:
                status = type(error).__name__
        count += 1
        if status != 200:
            errors[f"{kind} {status}"] = errors.get(f"{kind} {status}", 0) + 1
        stop.wait(1)
    out.send((errors, count))


class Watch(threading.Thread):
    """The peak memory of a process without mapped files, which is sampled continuously."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.ended = pid, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.1):
            self.peak = max(self.peak, memory_mb(self.pid, "RssAnon"))


LOADS = {"nothing": load_nothing, "bombs": load_bombs, "gone": load_gone, "uploads": load_uploads,
         "readers": load_readers, "silent": load_silent, "idle": load_idle,
         "reads": load_reads}


def load_main(name, address, labels):
    harness.raise_file_limit()
    os.nice(10)
    if name.startswith("kind:"):
        load_kind(address, name[5:])
    else:
        LOADS[name](address, labels)


def measure(name):
    """Run one load beside the client; returns whether the limits were kept."""
    body = harness.data("larva_edges.csv")
    fork = multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory(prefix="apspd-load-") as directory, \
            harness.Daemon(directory, args=("--log-level", "error")) as daemon:
        daemon.put("g", body, "?transform=inv")
        is_kind = name.startswith("kind:")
        if is_kind:
            kind_prepare(daemon)
        # jobs wait; other programs measure how much processor time they need
        gate = harness.Gate(directory)
        daemon.stop()
        daemon.env["APSPD_SOLVER"] = gate.path
        daemon.start()
        labels = sorted({line.split(",")[0] for line in body.decode().split()[1:]})
        target = "/v1/graphs/g/path?from=29&to=8835968"
        before = memory_mb(daemon.pid, "VmRSS")
        stop, (here, there) = fork.Event(), fork.Pipe()
        client = fork.Process(target=client_run,
                              args=(daemon.addresses[0], target, stop, there))
        load = fork.Process(target=load_main, args=(name, daemon.addresses[0], labels))
        asked, (mine, theirs) = None, fork.Pipe()
        if is_kind:
            asked = fork.Process(target=kind_client,
                                 args=(daemon.addresses[0], name[5:], stop, theirs))
            asked.start()
        client.start()
        watch = Watch(daemon.pid)
        watch.start()
        time.sleep(0.5)
        began = time.monotonic()
        load.start()
        load.join()
        took = time.monotonic() - began
        stop.set()
        errors, times = here.recv()
        client.join()
        if asked:
            more, count = mine.recv()
            asked.join()
            errors = {**errors, **more, **({} if count else {"none of the kind": 1})}
        time.sleep(SETTLE_S)
        peak, after = memory_mb(daemon.pid, "VmHWM"), memory_mb(daemon.pid, "VmRSS")
        watch.ended.set()
        if is_kind:
            peak, after = watch.peak, memory_mb(daemon.pid, "RssAnon")
        gate.close()
    times.sort()
    p99 = times[len(times) * 99 // 100]
    print(f"{name:16} {took:6.1f} s  {len(times):6} answers  {sum(errors.values())} errors  "
          f"p50 {times[len(times) // 2]:.2f}  p99 {p99:.2f}  max {times[-1]:.1f} ms  "
          f"memory {before:.0f} → {peak:.0f} → {after:.0f} MB"
          + (f"  {errors}" if errors else "")
          + ("" if load.exitcode == 0 else "  THE LOAD FAILED"), flush=True)
    return (not errors and p99 < P99_MS and load.exitcode == 0
            and peak < (KINDS_PEAK_MB if is_kind else PEAK_MB))


def main(names):
    while names and names[0].startswith("--"):
        SHARE[names[0][2:]] = int(names[1])
        names = names[2:]
    if names == ["kinds"]:
        names = ["kind:" + kind for kind in KINDS]
    unknown = set(names) - set(LOADS) - {"kind:" + kind for kind in KINDS}
    if unknown:
        print("loads:", *LOADS, *("kind:" + kind for kind in KINDS))
        return 2
    return 0 if all([measure(name) for name in names or LOADS]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
