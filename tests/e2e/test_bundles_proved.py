"""Bundles whose tables are proved: a restored graph answers from the tables that came, and every
wrong byte of them is refused.

A hostile bundle is made from a good one: one thing is changed, and every checksum is made right
again, so that only the check of this thing can find it.
"""
import http.client
import json
import os
import re
import shutil
import struct
import subprocess
import unittest

from harness import APSPD, DEADLINE_S, Case, Gate, until
from test_bundles_back import head, members_of, padded, pax, tar_of

REALS = b"a,b,1.5\nb,c,2.25\nc,a,4\na,c,5\nc,c,7\nd,a,3\nb,d,64\nd,e,0.125\ne,a,1\na,e,9\n"
# b → c → d → b is a wide cycle, which a reaches by narrow arcs
WIDTHS = b"a,b,3\na,e,2\nb,c,9\nc,d,8\nd,b,7\nd,e,1\ne,f,2\nf,e,1\na,f,1\n"
BLOCK = 65536
SECTIONS = ("DISTANCE", "PREDECESSOR", "CLOSURE", "CLOSURE_TRANSPOSED", "ON_CYCLE", "ARC_OFFSETS",
            "ARC_HEADS", "ARC_WEIGHTS", "ARC_LENGTHS", "VERTEX_STATS", "HISTOGRAMS", "BETWEENNESS",
            "IN_OFFSETS", "IN_TAILS", "IN_ARCS")
END = 48 + 24 * 17  # where the header has data_end
U64 = (1 << 64) - 1
PRIME, BASIS = 0x100000001b3, 0xcbf29ce484222325


def checksum(data):
    """apsp_checksum() of daemon/job/table_file.c, written by its description."""
    def mix(one, word):
        one = ((one ^ word) * PRIME) & U64
        return (one << 29 | one >> 35) & U64
    lanes = [BASIS + k for k in range(8)]
    words = struct.unpack(f"<{-(-len(data) // 8)}Q", data + bytes(-len(data) % 8))
    for i, word in enumerate(words):
        lanes[i % 8] = mix(lanes[i % 8], word)
    result = mix(BASIS, len(data))
    for lane in lanes:
        result = mix(result, lane)
    result = ((result ^ result >> 32) * PRIME) & U64
    return result ^ result >> 32


class Table:
    """A table file that can be changed; bytes() makes its checksums right again."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.n, = struct.unpack_from("<Q", data, 16)
        self.data_end, = struct.unpack_from("<Q", data, END)
        self.changed = set()

    def place(self, section):
        return struct.unpack_from("<QQII", self.data, 48 + 24 * SECTIONS.index(section))

    def put(self, at, data):
        self.data[at:at + len(data)] = data
        self.changed |= set(range(at // BLOCK, (at + len(data) - 1) // BLOCK + 1))

    def width(self, section):
        return {1: 2, 2: 4, 3: 4, 4: 8, 5: 4, 6: 8, 7: 8, 8: 1}[self.place(section)[2]]

    def cell(self, section, i, j=0, columns=None):
        offset = self.place(section)[0]
        return offset + (i * (columns or self.n) + j) * self.width(section)

    def get(self, section, i, j):
        at, kind = self.cell(section, i, j), self.place(section)[2]
        return struct.unpack_from({1: "<H", 2: "<i", 5: "<f", 6: "<d", 8: "<B"}[kind], self.data,
                                  at)[0]

    def set(self, section, i, j, value):
        kind = self.place(section)[2]
        self.put(self.cell(section, i, j),
                 struct.pack({1: "<H", 2: "<i", 5: "<f", 6: "<d", 8: "<B"}[kind], value))

    def seal(self):
        """The bytes with right checksums, and the checksum of the header."""
        for block in self.changed - {0}:
            one = checksum(bytes(self.data[block * BLOCK:(block + 1) * BLOCK]))
            struct.pack_into("<Q", self.data, self.data_end + 8 * block, one)
        if self.changed - {0}:
            struct.pack_into("<Q", self.data, END + 16, checksum(bytes(self.data[self.data_end:])))
        struct.pack_into("<Q", self.data, END + 200, checksum(bytes(self.data[:END + 200])))
        return bytes(self.data), struct.unpack_from("<Q", self.data, END + 200)[0]


def with_table(members, name, data, header_checksum):
    """The bundle with other bytes in a table file, which bundle.json describes."""
    text = json.loads(members["bundle.json"])
    for profile in text["profiles"]:
        if profile["tables"] and profile["tables"]["member"] == name:
            profile["tables"].update(bytes=len(data), checksum=f"{header_checksum:016x}")
    return tar_of([(one, json.dumps(text).encode() if one == "bundle.json" else
                    data if one == name else content) for one, content in members.items()])


class Proved(Case):
    def start(self, **options):
        d = self.daemon(**options)
        self.enterContext(d)
        return d

    def bundle(self, d, graph="g"):
        return self.assertStatus(d.ask("GET", f"/v1/graphs/{graph}/bundle"), 200).body

    def send(self, d, graph, body, query="", headers=()):
        return d.ask("PUT", f"/v1/graphs/{graph}{query}", body,
                     {"Content-Type": "application/x-tar", **dict(headers)})

    def begin(self, d, graph, size):
        """A connection that has sent the head of a bundle."""
        connection = http.client.HTTPConnection(d.addresses[0], timeout=DEADLINE_S)
        self.addCleanup(connection.close)
        connection.putrequest("PUT", f"/v1/graphs/{graph}")
        connection.putheader("Content-Type", "application/x-tar")
        connection.putheader("Content-Length", str(size))
        connection.endheaders()
        return connection

    def files(self):
        """All files but the database's own and compiled kernels."""
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.directory)
                      for name in names if "kernels" not in folder
                      and not name.startswith("apspd.sqlite"))

    def forget(self, d, graph):
        self.assertStatus(d.ask("DELETE", f"/v1/graphs/{graph}"), 204)

    # A good bundle.

    def test_restored(self):
        """Every kind of table comes back with its bytes, although nothing computes."""
        d = self.start()
        d.put("g", REALS)
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,KC\nb,PN\n",
                                {"Content-Type": "text/csv"}), 200)
        rules = {"hops": {"transform": "hops"}, "doubles": {"precision": "float64"},
                 "strong": {"transform": "inv", "min_weight": 2, "measures": ["betweenness"]},
                 "lesion": {"without": ["type:PN"]}, "few": {"tables": "distance"},
                 "bare": {"tables": "none"}, "wide": {"path": "widest"}}
        for name, rule in rules.items():
            reply = d.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule)
            self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded", name)
        d.put("whole", b"a,b,3\nb,c,4\nc,a,5\na,c,9\nd,a,1\n", "?transform=none")
        d.put("below", b"a,b,3\nb,c,-4\nc,a,5\na,c,9\nd,a,-1\n", "?transform=none")
        bodies = {graph: self.bundle(d, graph) for graph in ("g", "whole", "below")}
        for graph in bodies:
            self.forget(d, graph)
        for graph, body in bodies.items():
            for prove in ("all", "seed"):
                reply = self.send(d, graph, body, f"?prove={prove}")
                self.assertStatus(reply, 202)
                again = {"few", "bare"} if graph == "g" else set()
                self.assertEqual(len([one for one in reply.json["tables"] if one["recompute"]]),
                                 len(again))
                for profile, job in reply.json["jobs"].items():
                    record = d.wait(job)
                    self.assertEqual(record["state"], "succeeded", (graph, profile, record))
                    self.assertEqual(record["algorithm"] == "prove", profile not in again)
                self.assertEqual(self.bundle(d, graph), body)
                self.forget(d, graph)
        # without prove=, a small graph has all rows proved; a client that waits reads it, too
        for query, status in ("?wait=30", 200), ("", 202):
            d.ask("DELETE", "/v1/graphs/g")
            reply = self.assertStatus(self.send(d, "g", bodies["whole"], query), status)
            self.assertEqual([(one["prove"], one["kept"]) for one in reply.json["tables"]],
                             [("all", None)])
            self.assertEqual(d.wait(reply.json["job"])["algorithm"], "prove")
        # the tables that answer stay, so the receipt must not claim a proof
        reply = self.assertStatus(self.send(d, "g", bodies["whole"], "?prove=all"), 200)
        for one in reply.json["tables"]:
            self.assertEqual((one["prove"], one["recompute"]), (None, None))
            self.assertIn("no proof ran", one["kept"])

    def test_restart(self):
        """A bundle whose job waits is proved after a restart; without its file, it is computed."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        d = self.daemon(solver=gate.path)
        self.enterContext(d)
        d.upload("g", REALS, "?transform=none")
        gate.open()
        d.wait(d.jobs()[0]["id"])
        body = self.bundle(d)
        self.forget(d, "g")
        received = os.path.join(d.cache, "received")
        for lost in (False, True):
            held = len(gate.held)
            job = self.assertStatus(self.send(d, "g", body), 202).json["job"]
            gate.wait_held(held + 1)
            self.assertStatus(d.ask("GET", "/v1/graphs/g/path?from=a&to=b"), 503)
            with open(os.path.join(received, "upload-left"), "wb"):
                pass
            d.stop()
            self.assertEqual(len(os.listdir(received)), 2)
            # an earlier apspd named no upload
            with open(os.path.join(received, "0" * 64 + "-" + "1" * 64 + ".all"), "wb"):
                pass
            if lost:
                shutil.rmtree(received)
            d.start()
            gate.open()
            record = d.wait(job)
            self.assertEqual((record["state"], record["algorithm"] == "prove"),
                             ("succeeded", not lost))
            self.assertEqual(os.listdir(received) if not lost else [], [])
            self.assertEqual(self.bundle(d)[-1024:], bytes(1024))
            self.forget(d, "g")

    def test_scope(self):
        path, tokens = os.path.join(self.directory, "tokens"), {}
        for scope in ("write", "admin"):
            made = subprocess.run([APSPD, "--tokens", path, "--new-token", scope],
                                  capture_output=True, text=True, check=True)
            tokens[scope] = {"Authorization": "Bearer " + made.stdout.strip()}
        d = self.start(args=("--tokens", path))
        receipt = self.send(d, "g", REALS, "?transform=none&format=csv", tokens["write"]).json
        until("the tables", lambda: d.ask("GET", f"/v1/jobs/{receipt['job']}", None, tokens[
            "write"]).json["state"] == "succeeded")
        body = self.assertStatus(d.ask("GET", "/v1/graphs/g/bundle", None, tokens["write"]),
                                 200).body
        reply = self.assertStatus(self.send(d, "h", body, "", tokens["write"]), 403, "forbidden")
        self.assertIn("admin", reply.json["detail"])
        self.assertIn("tables=recompute", reply.json["detail"])
        for query, who in (("", "admin"), ("?tables=recompute", "write")):
            self.assertIn(self.send(d, "h", body, query, tokens[who]).status, (200, 202))
        for query in ("?prove=none", "?prove=all&format=csv"):
            self.assertStatus(self.send(d, "i", body, query, tokens["admin"]), 400)

    def test_room(self):
        """Tables that the cache has no room for are refused before they are stored."""
        d = self.start()
        d.put("g", REALS)
        body = self.bundle(d)
        size = max(os.path.getsize(path) for path in d.table_files())
        d.stop()
        for limit, advice in ((size, "; delete tables"), (size - 1, "; no deletion frees")):
            other = self.daemon(directory=os.path.join(self.directory, str(limit)),
                                args=("--cache-limit", str(limit)))
            os.mkdir(other.directory)
            with other:
                other.put("small", b"a,b,1\n")
                reply = self.assertStatus(self.send(other, "g", body), 507, "no-space")
                self.assertEqual([one["graph"] for one in reply.json.get("deletable", [])],
                                 ["small"] if limit == size else [])
                self.assertIn(advice, reply.json["detail"])
                self.assertStatus(other.ask("GET", "/v1/graphs/g"), 404)
                self.assertFalse(os.path.exists(os.path.join(other.cache, "received")))
        d.start()

    def test_same_content(self):
        """A received file is its own upload's: no other with the same content uses it."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        d = self.start(solver=gate.path)

        n_held = 0

        def run(job):
            """The record of the job that comes next to the gate, once it has ended."""
            nonlocal n_held
            n_held += 1
            gate.wait_held(n_held)
            gate.open()
            return d.wait(job)

        def queued(*uploads):
            """The jobs of these uploads, which were queued while another one ran."""
            block = d.upload("block", b"x,y,%d\n" % (n_held + 1), "?transform=none").json["job"]
            gate.wait_held(n_held + 1)
            jobs = [self.assertStatus(upload(), 202).json["job"] for upload in uploads]
            run(block)
            return jobs

        def plain():
            return d.upload("plain", REALS, "?transform=none")

        run(plain().json["job"])
        body = self.bundle(d, "plain")
        self.forget(d, "plain")
        members = members_of(body)
        name = list(members)[-1]
        table = Table(members[name])
        table.set("DISTANCE", 0, 1, table.get("DISTANCE", 0, 1) + 0.5)
        bad = with_table(members, name, *table.seal())

        # a wrong bundle before the upload that it resembles, and after it
        wrong, job = queued(lambda: self.send(d, "bad", bad), plain)
        self.assertEqual(run(wrong)["state"], "failed")
        self.assertEqual(run(job)["state"], "succeeded")
        self.assertStatus(d.ask("GET", "/v1/graphs/bad"), 404)
        self.assertEqual(d.path("plain", "a", "b").json["distance"], 1.5)
        self.forget(d, "plain")
        job, wrong = queued(plain, lambda: self.send(d, "bad", bad))
        self.assertNotEqual(run(job)["algorithm"], "prove")
        self.assertEqual(d.wait(wrong)["state"], "succeeded")
        for graph in "plain", "bad":
            self.assertEqual(d.path(graph, "a", "b").json["distance"], 1.5)
            self.forget(d, graph)
        # each is proved as its own request has asked
        job, _ = queued(lambda: self.send(d, "one", body, "?prove=all"),
                        lambda: self.send(d, "other", body, "?prove=seed"))
        self.assertIn("every row", run(job)["plan"])
        self.assertEqual(os.listdir(os.path.join(d.cache, "received")), [])

    def test_room_of_one(self):
        """Received tables need their room once: a job that proves them writes no others. Of two
        bundles that arrive at once, one has room."""
        d = self.start()
        d.put("g", REALS)
        body = self.bundle(d)
        size = os.path.getsize(d.table_files()[0])
        d.stop()
        other = self.daemon(directory=os.path.join(self.directory, "other"),
                            args=("--cache-limit", str(size + 65536)))
        os.mkdir(other.directory)
        with other:
            first, second = (self.begin(other, name, len(body)) for name in "gh")
            first.send(body[:-1])
            received = os.path.join(other.cache, "received")
            until("the first to have its room",
                  lambda: os.path.exists(received) and os.listdir(received))
            second.send(body)
            reply = second.getresponse()
            self.assertEqual(reply.status, 507)
            self.assertIn(b"the table file needs", reply.read())
            first.send(body[-1:])
            job = json.loads(first.getresponse().read())["job"]
            self.assertEqual(other.wait(job)["algorithm"], "prove")
            self.assertEqual(self.bundle(other), body)
        d.start()

    def test_room_of_all_files(self):
        """Files that the cache has room for alone, but not together, are refused on the way."""
        d = self.start()
        d.put("g", REALS)
        d.wait(d.ask("PUT", "/v1/graphs/g/profiles/hops", {"transform": "hops"}).json["job"])
        body = self.bundle(d)
        sizes = [os.path.getsize(path) for path in d.table_files()]
        self.assertEqual(len(sizes), 2)
        d.stop()
        other = self.daemon(directory=os.path.join(self.directory, "other"),
                            args=("--cache-limit", str(sum(sizes) - 1)))
        os.mkdir(other.directory)
        with other:
            reply = self.assertStatus(self.send(other, "g", body), 507, "no-space")
            self.assertIn("the table file needs", reply.json["detail"])
            self.assertEqual(os.listdir(os.path.join(other.cache, "received")), [])
            # the same if the tables of one profile would have to be computed
            members = members_of(body)
            text = json.loads(members["bundle.json"])
            member = text["profiles"][1]["tables"]["member"]
            text["profiles"][1]["tables"] = None
            reply = self.send(other, "g", tar_of([
                (name, json.dumps(text).encode() if name == "bundle.json" else content)
                for name, content in members.items() if name != member]))
            self.assertStatus(reply, 507, "no-space")
            self.assertIn("the tables need", reply.json["detail"])
            self.assertEqual(os.listdir(os.path.join(other.cache, "received")), [])
        d.start()

    # Lies that the upload finds.

    def headers(self, good):
        """Lies of the header: (name, word, bytes of the file)."""
        def changed(at, data):
            table = Table(good)
            table.put(at, data)
            return table
        def number(form, at, value):
            return changed(at, struct.pack(form, value))
        yield "another magic", "magic", changed(0, b"apsptabX")
        yield "a later version", "version", number("<I", 8, 7)
        yield "version 0", "version", number("<I", 8, 0)
        yield "another machine's byte order", "byte order", number(">I", 12, 0x01020304)
        yield "more vertices", "", number("<Q", 16, 6)
        yield "no vertices", "vertices", number("<Q", 16, 0)
        yield "2^62 vertices", "", number("<Q", 16, 1 << 62)
        yield "more arcs", "", number("<Q", 24, 1 << 20)
        yield "another kind", "", number("<I", 32, 9)
        yield "another block size", "block size", number("<I", 36, 4096)
        yield "no scale", "scale", number("<q", 40, 0)
        yield "a section elsewhere", "sections", number("<Q", 48, 1 << 40)
        yield "a longer section", "sections", number("<Q", 56, 1 << 40)
        yield "another element", "", number("<I", 64, 1)
        yield "data that end elsewhere", "sections", number("<Q", END, 1 << 40)
        yield "another size", "sections", number("<Q", END + 8, 1 << 40)
        yield "another checksum of blocks", "checksum", number("<Q", END + 16, 1)
        yield "an algorithm without an end", "algorithm", changed(END + 24, b"x" * 32)
        yield "another revision", "revision", changed(END + 56, b"0" * 64)
        yield "a revision that is none", "revision", changed(END + 56, b"../" * 21 + b"x")
        yield "another rule's hash", "another rule", changed(END + 128, b"0" * 64)
        yield "a hash that is none", "hash", changed(END + 128, b"/" * 64)
        yield "bytes behind the header", "zeros", changed(1000, b"x")

    def test_refused_uploads(self):
        d = self.start()
        d.put("g", REALS)
        members = members_of(self.bundle(d))
        name = list(members)[-1]
        good = members[name]
        rest = [(one, data) for one, data in members.items() if one != name]
        checked = Table(good)
        self.assertEqual(checked.seal()[0], good)
        self.forget(d, "g")
        files = self.files()

        def lies():
            for what, word, table in self.headers(good):
                yield what, word, with_table(members, name, *table.seal())
            table = Table(good)
            table.put(0, b"")
            yield ("a header with another checksum than bundle.json says", "checksum",
                   with_table(members, name, good, 1))
            flipped = bytearray(good)
            flipped[100] ^= 1
            yield "a bit of the header", "", tar_of([*rest, (name, bytes(flipped))])
            for at, what in ((BLOCK + 7, "of data"), (len(good) - 3, "of the checksums")):
                flipped = bytearray(good)
                flipped[at] ^= 1
                yield f"a bit {what}", "damaged", tar_of([*rest, (name, bytes(flipped))])
            whole = tar_of([*rest, (name, good)])
            start = len(tar_of(rest, b""))
            for size in (start, start + 512, start + 5000, start + 512 + 3 * BLOCK,
                         len(whole) - 1024 - 300, len(whole) - 1024, len(whole) - 512):
                yield f"cut at {size}", "", whole[:size]
            for what, data in (("a byte less", good[:-1]), ("a byte more", good + b"\0"),
                               ("a block more", good + bytes(BLOCK)), ("nothing", b""),
                               ("a header alone", good[:BLOCK])):
                yield f"{what}", name, tar_of([*rest, (name, data)])
                yield f"{what}, and bundle.json says so", name, with_table(
                    members, name, data, struct.unpack_from("<Q", good, END + 200)[0])
            for size in (1 << 30, (1 << 33) - 1, b"\x80\0\0\0" + struct.pack(">Q", 1 << 62)):
                yield f"size {size}", "", tar_of([*rest, head(name, size) + padded(good)])
            for kind in b"12346SLKgVX":
                yield f"type {kind:c}", "", tar_of(
                    [*rest, head(name, len(good), bytes([kind]), b"/etc/passwd") + padded(good)])
            for other in ("/" + name, "../" + name, "tables/../" + name, "tables/x.apsp",
                          "tables/" + "0" * 64 + ".apsp", name + "/", name[:-5]):
                yield f"the name {other}", "", tar_of([*rest, (other, good)])
            yield "two of one name", "found the member", tar_of([*rest, (name, good), (name, good)])
            yield "no table file", name, tar_of(rest)
            yield "before the arcs", "", tar_of([*rest[:2], (name, good), *rest[2:]])
            for record in (b"GNU.sparse.major=1", b"size=7", b"size=-1", b"path=/etc/passwd",
                           b"linkpath=/etc/passwd"):
                yield f"pax {record}", "", tar_of([*rest, pax(record), (name, good)])
            yield "padding that is data", "data", tar_of(
                [*rest, head(name, len(good)) + good + b"x" * (-len(good) % 512)])
        n = 0
        for what, word, body in lies():
            with self.subTest(what):
                reply = self.send(d, "h", body)
                self.assertIn(reply.status, (400, 413, 422), reply)
                self.assertIn(word or "", reply.json["detail"])
                n += 1
        self.assertGreaterEqual(n, 60)
        self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)
        self.assertEqual(d.ask("GET", "/v1/graphs").json["graphs"], [])
        self.assertEqual(self.files(), files)

    # Lies that only a proof finds.

    def sections(self, good, whole):
        """One changed byte in each section; if whole, also at its end and in the zeros behind."""
        for section in SECTIONS:
            offset, size, _, _ = Table(good).place(section)
            if not size:
                continue
            for what, at in (("first", offset), ("last", offset + size - 1),
                             ("zeros", offset + size))[:3 if whole else 1]:
                table = Table(good)
                table.put(at, bytes([table.data[at] ^ 1]))
                yield f"{section}: {what}", "", table

    def cells(self, good):
        """Cells that a solver could have written elsewhere, and rows that agree with
        themselves."""
        n, none = Table(good).n, None
        for i, j in ((0, 1), (0, 0), (3, 2), (n - 1, 0)):
            for section in ("DISTANCE", "PREDECESSOR"):
                table = Table(good)
                at, width = table.cell(section, i, j), table.width(section)
                for what, data in (("all ones", b"\xff" * width), ("zeros", bytes(width))):
                    if bytes(table.data[at:at + width]) == data:
                        continue
                    other = Table(good)
                    other.put(at, data)
                    yield f"{section} {i} {j}: {what}", none, other
        table = Table(good)
        for section in ("DISTANCE", "PREDECESSOR"):
            size = n * table.width(section)
            at = table.cell(section, 0)
            table.put(at, bytes(table.data[at + size:at + 2 * size]))
        yield "a row twice", none, table
        table = Table(good)
        table.put(END + 24, b"<script>".ljust(32, b"\0"))
        yield "an algorithm that does not exist", "algorithm", table

    def refused(self, d, body, word, query):
        reply = self.send(d, "h", body, query)
        self.assertStatus(reply, 202)
        record = d.wait(reply.json["job"])
        self.assertEqual(record["state"], "failed", record)
        self.assertEqual(record["error"]["type"], "/problems/bad-data", record)
        self.assertRegex(record["error"]["detail"], "^the member 'tables/[0-9a-f]{64}.apsp'")
        self.assertIn(word or "", record["error"]["detail"])
        return re.sub(r"\d+", "N", record["error"]["detail"].split("is refused: ")[1])

    def test_refused_by_jobs(self):
        d = self.start()
        n = 0
        for rows, query in ((REALS, ""), (REALS, "?transform=hops"),
                            (b"a,b,3\nb,c,4\nc,a,5\na,c,9\nd,a,1\n", "?transform=none")):
            d.put("g", rows, query)
            members = members_of(self.bundle(d))
            name = list(members)[-1]
            self.forget(d, "g")
            files = self.files()
            lies = [*self.sections(members[name], not query), *self.cells(members[name])]
            for i, (what, word, table) in enumerate(lies):
                with self.subTest(what, query=query):
                    body = with_table(members, name, *table.seal())
                    self.refused(d, body, word, ("?prove=all", "?prove=seed")[i % 2])
                    n += 1
            self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)
            until("the last job's directory to go", lambda: self.files() == files)
            # a client that waits for the job is told why, though its upload is gone
            for before in None, b"x,y,1\n":
                if before:
                    d.put("h", before, "?transform=none")
                reply = self.send(d, "h", body, "?prove=all&wait=30&default_rule=replace")
                self.assertStatus(reply, 409, "tables-failed")
                self.assertIn(word or "", reply.json["detail"])
                self.assertEqual(reply.json["job_state"], "failed")
            self.forget(d, "h")
            # the bundle itself is right
            reply = self.assertStatus(self.send(d, "h", with_table(
                members, name, *Table(members[name]).seal())), 202)
            self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
            self.forget(d, "h")
        self.assertGreaterEqual(n, 60)

    def test_widths(self):
        """Rows of widths have no predecessors: every other width is refused, and so are widths
        on a cycle that hold each other up."""
        d = self.start()
        d.put("g", WIDTHS, "?path=widest")
        members = members_of(self.bundle(d))
        name = list(members)[-1]
        good = Table(members[name])
        # ranks of the widths 9, 8, 7, 3, 2, 1; what is no path is the largest number
        at = {label: i for i, label in enumerate(members["labels"].decode().split("\0")[:-1])}
        ranks = [good.get("DISTANCE", at["a"], at[j]) for j in "abcdef"]
        self.assertEqual(ranks, [0, 4, 4, 4, 5, 5])
        self.forget(d, "g")
        files = self.files()

        def lies():
            for i in range(good.n):
                for j in range(good.n):
                    rank = good.get("DISTANCE", i, j)
                    for other in {0, 1, rank - 1, rank + 1, 65535} - {rank, -1, 65536}:
                        yield f"{i} {j}: {other}", [(i, j, other)]
            for rank in (1, 2, 3):
                yield f"a cycle of {rank}", [(at["a"], at[j], rank) for j in "bcd"]
                yield f"two of it {rank}", [(at["a"], at[j], rank) for j in "cd"]
        n, said = 0, set()
        for what, cells in lies():
            with self.subTest(what):
                table = Table(members[name])
                for i, j, rank in cells:
                    table.set("DISTANCE", i, j, rank)
                body = with_table(members, name, *table.seal())
                said.add(self.refused(d, body, None, ("?prove=all", "?prove=seed")[n % 2]))
                n += 1
        self.assertGreaterEqual(n, 60)
        self.assertIn("do not lead back to it on paths as wide as its row says", " ".join(said))
        self.assertGreaterEqual(len(said), 4, said)
        until("the last job's directory to go", lambda: self.files() == files)
        reply = self.assertStatus(self.send(d, "h", with_table(
            members, name, *Table(members[name]).seal())), 202)
        self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")

    def test_many_widths(self):
        """In rows of many vertices that the path by way of the root does not prove."""
        n, arcs = 300, set()
        for k in range(n):  # a ring of narrow arcs, and chains of wide ones away from it
            arcs.add((k, (k + 1) % n, 1 + k % 3))
            arcs.add((k, (k * 7 + 3) % n, 5 + k % 11))
            arcs.add((k, (k * k + 1) % n, 20 + k % 5))
        rows = "".join(f"v{a},v{b},{w}\n" for a, b, w in sorted(arcs) if a != b).encode()
        # far from a clique, x → y is the predecessor's arc, although x → z → y is wider
        shadowed = b"a,x,50\nx,y,60\nx,z,90\nz,y,90\na,r0,1\nr0,x,1\n" + "".join(
            f"r{i},r{j},100\n" for i in range(6) for j in range(6) if i != j).encode()
        d = self.start()
        for one in (rows, shadowed):
            d.put("g", one, "?path=widest&duplicates=max")
            body = self.bundle(d)
            for prove in ("all", "seed"):
                self.forget(d, "g")
                reply = self.assertStatus(self.send(d, "g", body, f"?prove={prove}"), 202)
                record = d.wait(reply.json["job"])
                self.assertEqual((record["state"], record["algorithm"]), ("succeeded", "prove"),
                                 record)
                self.assertEqual(self.bundle(d), body)

    def test_one_row_in_a_hundred(self):
        """With prove=seed, rows that agree with themselves but are not the shortest are found."""
        ring, n = 40, 1500
        rows = [f"r{i},r{(i + 1) % ring},1" for i in range(ring)]
        # each leaf hangs on two vertices of the ring
        rows += [f"r{k % ring},l{k},1\nr{(k + 13) % ring},l{k},1" for k in range(n - ring)]
        d = self.start()
        d.put("g", "\n".join(rows).encode(), "?transform=hops")
        labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
        labels = [one["vertex"] if isinstance(one, dict) else one for one in labels]
        self.assertEqual(len(labels), n)
        at = {label: i for i, label in enumerate(labels)}
        members = members_of(self.bundle(d))
        name = list(members)[-1]
        table = Table(members[name])
        tails = {}
        for line in "\n".join(rows).split("\n"):
            tail, leaf, _ = line.split(",")
            tails.setdefault(leaf, []).append(at[tail])
        for i in range(n // 100):
            source, leaf = at[f"r{i}"], at["l500"]
            ranks = sorted(tails["l500"])
            rank = table.get("PREDECESSOR", source, leaf)
            self.assertLess(rank, 2)
            far = table.get("DISTANCE", source, ranks[1 - rank]) + 1
            self.assertGreaterEqual(far, table.get("DISTANCE", source, leaf))
            if far == table.get("DISTANCE", source, leaf):
                continue
            table.set("PREDECESSOR", source, leaf, 1 - rank)
            table.set("DISTANCE", source, leaf, far)
        self.forget(d, "g")
        self.refused(d, with_table(members, name, *table.seal()), "not shortest",
                     "?prove=seed")


if __name__ == "__main__":
    unittest.main()
