"""Bundles with their tables, out of one daemon and into another, beside plain copies over HTTP.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/bundles.py [--rounds N] [--prove all|seed]
        [--transform T] [GRAPH…]

GRAPHs are files or words of bench_graph.h; without one, larva, sparse:12529:100 and a lift of
larva with 15 copies. Each round, in turn:

    copy out   curl reads a file of the bundle's bytes from a socket that sends it by sendfile()
    out        curl reads the bundle
    copy in    curl sends the file to a socket that writes it to the disk of the cache
    in         curl sends the bundle to a daemon that has no tables of it: until the reply
    path       from there until the first path answers, which is the time of the proof

Of all rounds, the least seconds count. The program prints seconds, copy / daemon for `out`, `in`
and `in` with `path`, and whether the bytes are equal that the second daemon sends.
"""
import argparse
import contextlib
import hashlib
import os
import socket
import subprocess
import tempfile
import threading
import time

from estimates import upload_of
from harness import Daemon, until

LARVA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "larva_edges.csv")
GRAPHS = [LARVA, "sparse:12529:100", f"lift:15:{LARVA}"]
PIECE = 1 << 20


def head_of(connection):
    """The head of a request, and the bytes behind it."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(PIECE)
    return data.split(b"\r\n\r\n", 1)


def serve(connection, source, target):
    """One request: send the file, or write the body to the other file."""
    with connection, contextlib.suppress(OSError):
        head, rest = head_of(connection)
        if head.startswith(b"GET"):
            with open(source, "rb") as file:
                connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d"
                                   b"\r\n\r\n" % os.path.getsize(source))
                connection.sendfile(file)
            return
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        left = int(fields[b"content-length"]) - len(rest)
        if b"expect" in fields:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        view = memoryview(bytearray(PIECE))
        with open(target, "wb", buffering=0) as file:
            file.write(rest)
            while left > 0:
                n = connection.recv_into(view)
                file.write(view[:n])
                left -= n
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")


@contextlib.contextmanager
def plain_server(source, target):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        def accept():
            with contextlib.suppress(OSError):
                while True:
                    serve(listening.accept()[0], source, target)
        threading.Thread(target=accept, daemon=True).start()
        yield "http://127.0.0.1:%d/" % listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)


def timed(*command):
    began = time.monotonic()
    subprocess.run(["curl", "-sS", "-f", *command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() \
            if hasattr(hashlib, "file_digest") else hashlib.sha256(file.read()).hexdigest()


def least(table, name, seconds):
    table[name] = min(table.get(name, seconds), seconds)


def first_path(d, label):
    """Seconds until a path answers."""
    began = time.monotonic()
    until("a path", lambda: d.ask("GET", f"/v1/graphs/g/path?from={label}&to={label}").status
          == 200, 3600)
    return time.monotonic() - began


def measure(word, options, directory):
    places = [os.path.join(directory, name) for name in ("one", "two")]
    for place in places:
        os.mkdir(place)
    saved, again, copied = (os.path.join(directory, name) for name in ("saved", "again", "copied"))
    best = {}
    with Daemon(places[0]) as one, Daemon(places[1]) as two:
        body, query = upload_of(f"{word}@{options.transform}", directory)
        one.put("g", body, query)
        label = one.ask("GET", "/v1/graphs/g/vertices?limit=1").json["vertices"][0]
        bundle = [f"http://{d.addresses[0]}/v1/graphs/g" for d in (one, two)]
        timed("-o", saved, bundle[0] + "/bundle")
        with plain_server(saved, os.path.join(two.cache, "copied")) as plain:
            for _ in range(options.rounds):
                least(best, "copy out", timed("-o", copied, plain))
                least(best, "out", timed("-o", again, bundle[0] + "/bundle"))
                least(best, "copy in", timed("-T", saved, plain))
                two.ask("DELETE", "/v1/graphs/g")
                seconds = timed("-T", saved, "-H", "Content-Type: application/x-tar",
                                f"{bundle[1]}?prove={options.prove}")
                least(best, "in", seconds)
                least(best, "path", first_path(two, label))
        timed("-o", again, bundle[1] + "/bundle")
    equal = digest(saved) == digest(again)
    whole = best["in"] + best["path"]
    print(f"{os.path.basename(word):20} {os.path.getsize(saved) / 1e6:7.0f} MB  "
          + "  ".join(f"{name} {seconds:.3f}" for name, seconds in best.items())
          + f"  copy/out {best['copy out'] / best['out']:.2f}"
          f"  copy/in {best['copy in'] / best['in']:.2f}"
          f"  copy/(in + path) {best['copy in'] / whole:.2f}"
          f"  bytes {'equal' if equal else 'DIFFER'}", flush=True)
    return equal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prove", default="all", choices=("all", "seed"))
    parser.add_argument("--transform", default="none")
    parser.add_argument("graph", nargs="*", default=GRAPHS)
    options = parser.parse_args()
    right = True
    for word in options.graph:
        with tempfile.TemporaryDirectory(prefix="apspd-bundles-") as directory:
            right &= measure(word, options, directory)
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
