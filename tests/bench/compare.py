"""Every algorithm beside other programs, on the same graphs in one run.

Called by run.sh, which names the packages that it needs:

    python3 compare.py --build DIR [--quick] [--json FILE] [--device D]
        [--graph NAME]... [--algorithm NAME]... [--peer-python PATH]

Each solve and each other program runs in a process of its own (bench_solve.c, peers.py).
Answers are compared by their number of pairs and the sum of their distances.
"""
import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import table

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(ROOT, "tests", "data")

# name: words of bench_graph.h with --quick and without; "": no such graph
GRAPHS = {
    "celegans": (f"{DATA}/celegans_newman.csv", f"{DATA}/celegans_newman.csv"),
    "rome99": ("", f"{DATA}/rome99.gr"),
    "larva": ("", f"{DATA}/larva_edges.csv"),
    "dense": ("complete:512", "complete:2048"),
    "rmat": ("rmat:9:32", "rmat:12:32"),
    "rmat-hops": ("rmat:9:32@hops", "rmat:12:32@hops"),
    "road": ("grid:24", "grid:64"),
}
# name in peers.py: heading of its column
PEERS = {
    "scipy floyd_warshall": "x scipy fw",
    "scipy dijkstra": "x scipy dijkstra",
    "igraph distances": "x igraph",
}
RUNS = 15  # at most
GRACE_S = 5  # seconds after which a program is stopped
PLANNER = ""  # as an algorithm's name: the product chooses


def ask(command, timeout_s):
    """The JSON of a program, or the reason why there is none."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as program:
        try:
            out, err = program.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            program.terminate()  # which may remove its files
            try:
                program.communicate(timeout=GRACE_S)
            except subprocess.TimeoutExpired:
                program.kill()
            return {"failed": f"stopped after {timeout_s:.0f} s"}
        except BaseException:
            program.terminate()
            raise
    if program.returncode != 0:
        last = (err.strip().splitlines() or [f"status {program.returncode}"])[-1]
        return {"failed": last}
    return json.loads(out)


class Comparison:
    def __init__(self, options):
        self.options = options
        self.limit_s, self.peer_limit_s = (2, 2) if options.quick else (10, 20)
        self.bench = os.path.join(options.build, "tests", "bench")
        self.kernels = os.path.join(self.bench, "kernels")
        self.result = {
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat("T", "seconds"),
            "quick": options.quick, "processors": len(os.sched_getaffinity(0)),
            "limit_s": self.limit_s, "peer_limit_s": self.peer_limit_s, "graphs": {},
            "left_out": []}

    def program(self, name, *arguments, timeout_s=600):
        return ask([os.path.join(self.bench, name), *arguments], timeout_s)

    def solve(self, graph_file, algorithm):
        return self.program(
            "bench_solve", self.options.device, algorithm, graph_file, str(RUNS),
            str(self.limit_s), self.kernels, timeout_s=60 + 8 * self.limit_s)

    def peer(self, graph_file, name):
        return ask([self.options.peer_python, os.path.join(HERE, "peers.py"), name, graph_file,
                    str(RUNS), str(self.peer_limit_s)], 60 + 8 * self.peer_limit_s)

    def calibrate(self):
        """The rates from which the product chooses; measured again unless time is short."""
        say("calibration")
        subprocess.run([os.path.join(self.bench, "bench_solve"), "--calibrate",
                        self.options.device, self.kernels,
                        *([] if self.options.quick else ["again"])], check=True)

    def algorithms(self):
        listed = subprocess.run([os.path.join(self.bench, "bench_solve"), "--algorithms"],
                                capture_output=True, text=True, check=True).stdout.split()
        wanted = self.options.algorithm or [PLANNER, *listed]
        for name in wanted:
            if name not in (PLANNER, *listed):
                sys.exit(f"no algorithm is named '{name}'; there are {', '.join(listed)}")
        return wanted

    def graph(self, name, word, algorithms, directory):
        path = os.path.join(directory, "graph")
        if subprocess.run([os.path.join(self.bench, "make_graph"), word, path],
                          check=False).returncode != 0:
            sys.exit(f"'{word}' is no graph")
        rows = {"word": os.path.relpath(word, ROOT) if "/" in word else word,
                "peers": {}, "solves": {}}
        for peer in PEERS:
            say(f"{name}: {peer}")
            rows["peers"][peer] = self.peer(path, peer)
        for algorithm in algorithms:
            say(f"{name}: {algorithm or 'the choice'}")
            rows["solves"][algorithm] = derive(self.solve(path, algorithm), rows["peers"])
        os.unlink(path)
        return rows

    def run(self):
        algorithms = self.algorithms()
        self.result["peers"] = ask(
            [self.options.peer_python, os.path.join(HERE, "peers.py"), "--versions"], 60)
        begun = time.monotonic()
        if PLANNER in algorithms:
            self.calibrate()
        with tempfile.TemporaryDirectory() as directory:
            for name in self.options.graph or GRAPHS:
                word = GRAPHS.get(name, (name, name))[0 if self.options.quick else 1]
                if not word:
                    self.result["left_out"].append(name)
                    continue
                self.result["graphs"][name] = self.graph(name, word, algorithms, directory)
        self.result["took_s"] = time.monotonic() - begun
        return self.result


def derive(solve, peers):
    """Ratios and rates of a solve, and whether its answer differs from the other programs'."""
    if "seconds" not in solve:
        return solve
    relaxations = solve["vertices"] ** 3
    rates = [relaxations / s for s in solve["distance_runs"]]
    solve["relaxations_per_s"] = statistics.median(rates)
    solve["share"] = statistics.median(
        rate / ceiling for rate, ceiling in zip(rates, solve["ceiling_runs"]))
    solve["distance_s"] = statistics.median(solve["distance_runs"])
    solve["peak_over_tables"] = (
        (solve["peak_bytes"] - solve["idle_bytes"]) / solve["table_bytes"])
    solve["ratios"] = {}
    for name, peer in peers.items():
        if "pairs" in peer and (peer["pairs"] != solve["pairs"] or
                                abs(peer["sum"] - solve["sum"]) > 1e-5 * peer["sum"]):
            solve["wrong"] = f"{name} finds {peer['pairs']} pairs, in sum {peer['sum']}"
        seconds = peer.get("seconds", peer.get("estimated_s"))
        if seconds is not None:
            solve["ratios"][name] = {
                "tables": seconds / solve["seconds"],
                "distances": seconds / solve["distance_s"],
                "estimated": "seconds" not in peer}
    return solve


def say(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def wrong_rows(result):
    return [f"{graph}, {algorithm or 'the choice'}: {solve.get('wrong') or solve.get('failed')}"
            for graph, rows in result["graphs"].items()
            for algorithm, solve in rows["solves"].items()
            if "wrong" in solve or "failed" in solve]


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peer-python", default=sys.executable, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="small graphs, about a minute")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("--device", default="auto", help="auto, cpu, gpu or part of its name")
    parser.add_argument("--graph", action="append", metavar="NAME",
                        help=f"only this: {', '.join(GRAPHS)}, or any word of bench_graph.h")
    parser.add_argument("--algorithm", action="append", metavar="NAME", help="only this one")
    options = parser.parse_args()
    comparison = Comparison(options)
    os.makedirs(comparison.kernels, exist_ok=True)
    result = comparison.run()
    say("")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
    print(table.text(result, PEERS))
    wrong = wrong_rows(result)
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
