"""How fast apspd answers, beside a bare libmicrohttpd server (bare_http.c), in turns.

    python3 tests/bench/serving.py [--threads 1] [--seconds 3] [--turns 3]

asks with wrk (Debian: wrk) for paths and reachability of random pairs of the larva over
persistent connections. bare_http sends an answer of medium size with as many headers. The
program prints medians of the turns, and the daemon's fraction of bare_http's requests per
second: of elapsed time, which is comparable only if nothing else uses the processors, and
of the server's own processor time.
"""
import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
os.environ.setdefault("APSP_SOURCE_ROOT", ROOT)
os.environ.setdefault("APSP_BUILD_ROOT", os.path.join(ROOT, "build"))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
import harness  # noqa: E402

BARE = os.path.join(harness.BUILD_ROOT, "tests", "bench", "bare_http")
CONNECTIONS = 32
N_TARGETS = 5000


def targets(kind):
    """URLs of random pairs."""
    with open(os.path.join(harness.DATA, "larva_edges.csv"), encoding="ascii") as file:
        labels = sorted({label for line in file.readlines()
                         for label in line.split(",")[:2]})
    chance = random.Random(1)
    return [f"/v1/graphs/larva/{kind}?from={chance.choice(labels)}&to={chance.choice(labels)}"
            for _ in range(N_TARGETS)]


def script_write(path, wanted):
    with open(path, "w", encoding="ascii") as file:
        file.write("local targets = {\n")
        file.writelines(json.dumps(target) + ",\n" for target in wanted)
        file.write("}\nlocal at = 0\nrequest = function()\n  at = at % #targets + 1\n"
                   "  return wrk.format('GET', targets[at])\nend\n")


def processor_us(pid):
    """The processor time of all threads of a process."""
    folder = f"/proc/{pid}/task"
    total = 0
    for thread in os.listdir(folder):
        with open(os.path.join(folder, thread, "schedstat"), encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1000


def ask(pid, port, script, seconds):
    """Requests a second, their 99th percentile, processor time of each in µs."""
    before = processor_us(pid)
    said = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", script,
         f"http://127.0.0.1:{port}/"], check=True, text=True, capture_output=True).stdout
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    return (float(re.search(r"Requests/sec: *([0-9.]+)", said).group(1)),
            re.search(r"99% *(\S+)", said).group(1),
            (processor_us(pid) - before) / int(re.search(r"(\d+) requests in", said).group(1)))


def measure(daemon, directory, kind, args):
    wanted = targets(kind)
    script, body = os.path.join(directory, kind), os.path.join(directory, "body")
    script_write(script, wanted)
    answers = sorted((daemon.ask("GET", target).body for target in wanted[:501]), key=len)
    with open(body, "wb") as file:
        file.write(answers[len(answers) // 2])
    port = daemon.addresses[0].rsplit(":", 1)[1]
    ours, bare = [], []
    with subprocess.Popen([BARE, str(args.threads), body], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as process:
        other = process.stdout.readline().strip()
        for _ in range(args.turns):
            ours.append(ask(daemon.pid, port, script, args.seconds))
            bare.append(ask(process.pid, other, script, args.seconds))
        process.stdin.close()
    rates, times = ([statistics.median(turn[at] for turn in side) for side in (ours, bare)]
                    for at in (0, 2))
    shares = [statistics.median(a[0] / b[0] for a, b in zip(ours, bare)),
              statistics.median(b[2] / a[2] for a, b in zip(ours, bare))]
    print(f"{kind}: {rates[0]:,.0f} requests/s of {times[0]:.1f} µs, 99 % within "
          f"{ours[-1][1]}; bare libmicrohttpd {rates[1]:,.0f} of {times[1]:.1f} µs, within "
          f"{bare[-1][1]}; shares {shares[0]:.2f}, {shares[1]:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="apspd-serving-") as directory:
        with harness.Daemon(directory, args=["--threads", str(args.threads),
                                             "--log-level", "notice"]) as daemon:
            daemon.put("larva", harness.data("larva_edges.csv"), "?transform=inv")
            for kind in ("path", "reachable"):
                measure(daemon, directory, kind, args)


if __name__ == "__main__":
    main()
