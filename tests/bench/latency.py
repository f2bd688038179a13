"""How long paths take at half load, alone and beside other work.

    python3 tests/bench/latency.py [--threads 1] [--seconds 5]

asks with wrk (Debian: wrk) for paths of random pairs of the larva over persistent
connections: first as fast as possible, then at half that rate, then at half that rate
beside two loads: uploads of the larva one after another, each with its job, and downloads
of all its distances as CSV. It prints requests per second and the 50th and 99th
percentile of the times.
"""
import argparse
import contextlib
import os
import re
import subprocess
import tempfile
import threading

import serving
from serving import harness


def script_write(path, wanted, wait_ms):
    serving.script_write(path, wanted)
    if wait_ms:
        with open(path, "a", encoding="ascii") as file:
            file.write(f"delay = function()\n  return {wait_ms}\nend\n")


def ask(port, script, connections, seconds):
    said = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
         f"http://127.0.0.1:{port}/"], check=True, text=True, capture_output=True).stdout
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    rate = float(re.search(r"Requests/sec: *([0-9.]+)", said).group(1))
    return rate, *(re.search(rf"{n}% *(\S+)", said).group(1) for n in (50, 99))


@contextlib.contextmanager
def beside(work):
    """Repeat work() on a thread of its own; yields a list with the number of times."""
    stop, done = threading.Event(), [0]

    def loop():
        while not stop.is_set():
            work()
            done[0] += 1
    thread = threading.Thread(target=loop)
    thread.start()
    try:
        yield done
    finally:
        stop.set()
        thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=5)
    args = parser.parse_args()
    body = harness.data("larva_edges.csv")
    with tempfile.TemporaryDirectory(prefix="apspd-latency-") as directory, \
            harness.Daemon(directory, args=["--threads", str(args.threads),
                                            "--log-level", "notice"]) as daemon:
        daemon.put("larva", body, "?transform=inv")
        port = daemon.addresses[0].rsplit(":", 1)[1]
        wanted = serving.targets("path")
        fast, half = (os.path.join(directory, name) for name in ("fast", "half"))
        script_write(fast, wanted, 0)
        script_write(half, wanted, 1)
        full = ask(port, fast, 32, args.seconds)
        print(f"as fast as they come: {full[0]:,.0f}/s, {full[1]}, {full[2]}", flush=True)
        # each connection asks again a millisecond after its answer
        connections = max(1, round(full[0] / 2 / 1000))
        alone = ask(port, half, connections, args.seconds)
        print(f"at half load: {alone[0]:,.0f}/s, {alone[1]}, {alone[2]}", flush=True)

        uploader, reader = daemon.client(), daemon.client()
        turn = [0]

        def upload():
            turn[0] += 1  # another graph each time, so that there is a job
            reply = uploader.ask("PUT", "/v1/graphs/other?transform=inv",
                                 body + b"x%d,y,1\n" % turn[0],
                                 {"Content-Type": "text/csv"})
            assert reply.status == 202, reply
            job = reply.json["job"]
            while uploader.ask("GET", f"/v1/jobs/{job}?wait=10").json["state"] in (
                    "queued", "running"):
                pass

        def download():
            assert reader.ask("POST", "/v1/graphs/larva/table?format=csv", {}).status == 200

        with beside(upload) as uploads, beside(download) as downloads:
            loaded = ask(port, half, connections, 3 * args.seconds)
        print(f"the same beside {uploads[0]} uploads with their jobs and {downloads[0]} "
              f"downloads: {loaded[0]:,.0f}/s, {loaded[1]}, {loaded[2]}", flush=True)


if __name__ == "__main__":
    main()
