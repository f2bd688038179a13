"""The first job of a new daemon beside the next ones.

    APSP_BUILD_ROOT=$PWD/build python3 tests/bench/first_job.py [--device D] [--rounds N]
        [--kernels DIR] [GRAPH…]

The state is as after a reboot: kernels are compiled (DIR and the daemon's cache keep
them), the device is measured, the daemon is new, no solver waits, and the system has
dropped its cached pages, for which the program must be root. Each of N (3) times, a
daemon gets the same graph three times. The program prints the seconds from the last byte
of each upload until the tables answer, and the stages of the first job that took a
millisecond longer than in the last job.
"""
import argparse
import contextlib
import os
import sys

from estimates import upload_of, round_of, measured_daemon
from harness import KERNELS

JOBS = 3
DROP = "/proc/sys/vm/drop_caches"
TOLD_S = 0.001


def pages_dropped():
    os.sync()
    try:
        with open(DROP, "w", encoding="ascii") as file:
            file.write("3")
    except OSError as err:
        sys.exit(f"first_job: {DROP}: {err}; cached pages would be counted on")


def tell(word, jobs):
    first, last = jobs[0]["stages"], jobs[-1]["stages"]
    more = {name: s - last.get(name, 0) for name, s in first.items()}
    seconds = [job["took"]["seconds"] for job in jobs]
    print(f"{os.path.basename(word):28} first {seconds[0]:.3f} s, then "
          + ", ".join(f"{s:.3f}" for s in seconds[1:])
          + f" s: {seconds[0] - seconds[-1]:+.3f} s: "
          + ", ".join(f"{name} {s:+.3f}" for name, s in more.items() if s > TOLD_S),
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kernels", default=KERNELS)
    parser.add_argument("graph", nargs="*", default=["sparse:2048:8"])
    options = parser.parse_args()
    with measured_daemon(options) as (d, directory):
        for word in options.graph:
            body, query = upload_of(word, directory)
            round_of(d, body, query, contextlib.nullcontext())  # compiled kernels are kept
            for _ in range(options.rounds):
                d.stop()
                pages_dropped()
                d.start()
                tell(word, [round_of(d, body, query, contextlib.nullcontext())
                            for _ in range(JOBS)])


if __name__ == "__main__":
    main()
