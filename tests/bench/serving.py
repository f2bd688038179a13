"""How fast apspd answers, beside libmicrohttpd by itself (bare_http.c), in turns.

    python3 tests/bench/serving.py [--threads 1] [--seconds 3] [--turns 3]

asks with wrk (Debian: wrk) for paths and reachability of random pairs of the larva over
kept connections. bare_http sends an answer of the middle size with as many headers.
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
        labels = sorted({label for line in file.readlines()[1:]
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


def ask(port, script, seconds):
    """Requests a second, and their 99th percentile."""
    said = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", script,
         f"http://127.0.0.1:{port}/"], check=True, text=True, capture_output=True).stdout
    assert "Non-2xx" not in said and "Socket errors" not in said, said
    return (float(re.search(r"Requests/sec: *([0-9.]+)", said).group(1)),
            re.search(r"99% *(\S+)", said).group(1))


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
            ours.append(ask(port, script, args.seconds))
            bare.append(ask(other, script, args.seconds))
        process.stdin.close()
    rates = [statistics.median(rate for rate, _ in side) for side in (ours, bare)]
    share = statistics.median(a / b for (a, _), (b, _) in zip(ours, bare))
    print(f"{kind}: {rates[0]:,.0f} requests/s, 99 % within {ours[-1][1]}; bare "
          f"libmicrohttpd {rates[1]:,.0f}, within {bare[-1][1]}; share {share:.2f}")


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
