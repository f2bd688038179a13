"""The tables of scale.md, which explains the names: python3 tests/bench/scale.py. SI units."""
from math import ceil, log2, sqrt

SIZES, RANKS = (16384, 65536, 139255, 262144, 524288, 1048576), (1, 4, 16, 64, 256, 1024)
R, CLOSE, PIN, COPY, NET, HOP = 30.58e12, 48e-6, 55e9, 7.7e9, 25e9, 2e-6
NAP, PAIR, WINDOW, TAIL, FIND = 1e-3, 1.728e-10, 0.0098, 4.2e-10, 2.6e-11
ARC, CLOSURE, HOST, DISK = 8e-8, 3.4e-11, 2.4e9, 100e9


def blocks(n):  # compute/source_block.h
    return ceil(n / max(64, 2 ** ceil(log2(n / 256))))


def blocked(n, p, net=NET, chain=False):
    """(seconds of V, bytes on the device, whether the work on a block hides the next one's way)"""
    unit = 2 * 2 ** ceil(log2(n / blocks(n))) if ceil(blocks(n) / 2) >= p else 128
    rows = ceil(ceil(n / unit) / p) * unit
    b = 128 * min(6, max(1, rows // 128 // 4))
    work = rows * n * b / R + b / 128 * CLOSE
    sends = p - 1 if p <= 4 else 1 if chain else ceil(log2(p))
    wait = 0 if p == 1 else (
        2 * b * b * n / R + b / 128 * CLOSE + NAP * (ceil(log2(p)) + 1)
        + 2 * n * b * (sends / net + 2 / PIN) + chain * (p > 4) * (p - 2) * (32768 / net + HOP))
    memory = 2 * n * rows + (n / 128)**2 + max(4 * b * n * (p > 1), 11400 * n)
    return n / b * max(work, wait), memory, work >= wait


def sparse(n, p, degree=100):  # seconds of V, of the job
    turns = ceil(blocks(n) / p)
    v = n * n * PAIR * turns / blocks(n) + WINDOW * min(4, turns) * (p > 1)
    write = max(TAIL * n * n / p, (1.25 * n * n + 44 * degree * n) / min(HOST * p, DISK))
    return v, degree * n * ARC + n * n * (CLOSURE + FIND / p) + v + write


def most(n, net, chain):  # the largest number of ranks up to which transfers are hidden
    return next(p for p in range(1, 2000) if not blocked(n, p + 1, net, chain)[2])


def table(cell, columns):
    for n in SIZES:
        print(f"| {n:,} |", " | ".join(" / ".join(f"{float(f'{x:.3g}'):,.10g}" + w for x, w in (
            x if isinstance(x, tuple) else (x, "") for x in cell(n, c))) for c in columns), "|")


table(lambda n, p: [(t[0], "" if t[2] else "w") for t in (
    blocked(n, p), blocked(n, p, chain=True))[:p * (n >= 128 * p)]], RANKS)
table(lambda n, p: [blocked(n, p)[1] / 1e9][:n // 128 // p], RANKS)
table(lambda n, x: [(x[0] * n * n + x[1] * n) / x[2]], (
    (2, 0, 1e9), (4.25, 44e3, 1e9), (2.25, 44e3, 1e9), (4.25, 44e3, HOST), (4.25, 44e3, DISK),
    (0.25, 0, 1e9), (CLOSURE, 1000 * ARC, 1)))
table(sparse, RANKS)
table(lambda n, p: [2e-9 * n * n * (1 - 1 / p),
                    2e-9 * n * n * (2 / sqrt(p) + 1 / p) * (1 - 1 / sqrt(p))], RANKS[1:])
table(lambda n, net: [most(n, net, False), most(n, net, True), (n * net / 4 / R)**2 // 1],
      (COPY, NET / 2, NET, NET * 2))
print([f"{blocked(n, p, COPY)[0]:.4g}" for n, p in (
    (16384, 1), (32768, 1), (65536, 1), (139255, 1), (16384, 2), (65536, 2))])
