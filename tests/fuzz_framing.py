"""Holds the framing of api/connection against llhttp, the parser inside node.

Requests of e2e/test_raw.py are joined and mutated. Whatever the framing takes, llhttp
must take, too, and see as many requests with the same bodies. Allowed are llhttp's own
refusals: of methods that it does not know, of URLs that are not paths, of requests
behind "Connection: close", and of chunk extensions beyond its grammar.

    APSP_BUILD_ROOT=$PWD/build python3 tests/fuzz_framing.py [SEED] [COUNT]

It is no part of run.sh, since it needs node. It prints what it compared.
"""
import os
import random
import struct
import subprocess
import sys

ROOT = os.environ.get("APSP_SOURCE_ROOT") or os.path.dirname(
    os.path.dirname(os.path.abspath(__file__)))
READER = os.path.join(os.environ.get("APSP_BUILD_ROOT") or os.path.join(ROOT, "build"),
                      "tests", "framing_reader")
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))

import test_raw  # noqa: E402  (its table of requests)

SAMPLE_MAX = 4000
ALLOWED = {"HPE_INVALID_METHOD", "HPE_INVALID_URL", "HPE_CLOSED_CONNECTION", "HPE_STRICT"}
PIECES = [b"\r\n", b"\n", b"\r", b"\0", b": ", b":", b" ", b"\t", b",", b"+", b"0", b"f",
          b"\xff", b"\x7f", b"HTTP/1.0", b";a=b", b"chunked", b"\r\n\r\n", b"0\r\n\r\n",
          b"Content-Length: ", b"Content-Length: 5\r\n", b"Transfer-Encoding: ",
          b"Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\n", b"X: y\r\n", b"Host: a\r\n",
          b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"Upgrade: h2c\r\n"]
NODE = r"""
const { HTTPParser } = process.binding('http_parser');
const data = require('fs').readFileSync(0), mask = (1n << 64n) - 1n, lines = [];
for (let at = 0; at < data.length;) {
  const size = data.readUInt32LE(at), sample = data.subarray(at + 4, at + 4 + size);
  let hash = 14695981039346656037n, requests = 0;
  const add = (value) => { hash = ((hash ^ BigInt(value)) * 1099511628211n) & mask; };
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {});
  parser[HTTPParser.kOnHeaders | 0] = () => 0;
  parser[HTTPParser.kOnHeadersComplete | 0] = () => 0;
  parser[HTTPParser.kOnBody | 0] = (body) => { for (const byte of body) add(byte); };
  parser[HTTPParser.kOnMessageComplete | 0] = () => { requests++; add(0x1ff); };
  const result = parser.execute(sample, 0, size);
  lines.push(`${result instanceof Error ? result.code : 0} ${requests} ` +
             hash.toString(16).padStart(16, '0'));
  parser.close();
  at += 4 + size;
}
console.log(lines.join('\n'));
"""


def samples(seed, count):
    # a failed or answered CONNECT leaves llhttp in the tunnel
    table = [(request, statuses) for _, request, statuses in test_raw.cases()
             if len(request) < 1000 and b"CONNECT" not in request]
    every = [request for request, _ in table]
    good = [request for request, statuses in table if statuses[0] == 200]
    chance = random.Random(seed)
    for _ in range(count):
        sample = bytearray(chance.choice(good if chance.random() < 0.8 else every))
        if chance.random() < 0.5:
            sample += chance.choice(good if chance.random() < 0.7 else every)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
            start = chance.randrange(len(sample) + 1)
            end = start + chance.randrange(1, 12)
            kind = chance.randrange(5)
            if kind == 0:
                sample[start:start] = chance.choice(PIECES)
            elif kind == 1:
                del sample[start:end]
            elif kind == 2:
                sample[start:start + 1] = bytes([chance.randrange(256)])
            elif kind == 3:
                sample[start:end] = chance.choice(PIECES)
            else:
                sample[start:start] = sample[max(0, start - 20):start]
        yield bytes(sample[:SAMPLE_MAX])


def lines_of(command, data):
    ended = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True)
    return [line.split() for line in ended.stdout.decode().splitlines()]


def main(seed, count):
    made = list(samples(seed, count))
    data = b"".join(struct.pack("<I", len(sample)) + sample for sample in made)
    ours = lines_of([READER], data)
    theirs = lines_of(["node", "--no-deprecation", "-e", NODE], data)
    assert len(ours) == len(theirs) == count
    taken = refused = 0
    wrong = []
    for sample, own, other in zip(made, ours, theirs):
        if own[0] != "0":
            continue
        taken += 1
        if other[0] in ALLOWED:
            refused += 1
        elif other[0] != "0" or own[1:] != other[1:]:
            wrong.append((sample, own, other))
    for sample, own, other in wrong[:10]:
        print(f"{sample!r}\n  framing {own}\n  llhttp  {other}")
    print(f"seed {seed}: {count} samples, {taken} taken by the framing, of these {refused} "
          f"refused by llhttp and {len(wrong)} read in another way")
    return 1 if wrong or taken == refused else 0


if __name__ == "__main__":
    sys.exit(main(*(int(text) for text in (sys.argv[1:] + ["1", "20000"][len(sys.argv) - 1:]))))
