"""Bundles: a graph with its tables as one tar archive.

The oracle for archives is Python's tarfile and tar itself; the members are compared with
the upload, the answers of the daemon and the files on its disk.
"""
import contextlib
import hashlib
import io
import json
import os
import random
import sqlite3
import struct
import subprocess
import tarfile
import unittest

from harness import Case, until

ROWS = [("a", "b", 1.5), ("b", "c", 2.25), ("c", "a", 4), ("a", "b", 0.5), ("c", "c", 7),
        ("d\u00e9", "a", 3), ("e,f", 'q"', 0.125), ("b", "d\u00e9", 64)]
LABELS = ["a", "b", "c", "d\u00e9", "e,f", 'q"']
ATTRIBUTES = 'label,type,side\na,KC,left\nc,"P,N",\nd\u00e9,,right\nnobody,KC,left\n'


def csv_of(rows):
    def cell(text):
        return '"' + text.replace('"', '""') + '"'
    return "".join(f"{cell(a)},{cell(b)},{w}\n" for a, b, w in rows).encode()


def members_of(body):
    with tarfile.open(fileobj=io.BytesIO(body), mode="r:") as archive:
        return {one.name: archive.extractfile(one).read() for one in archive.getmembers()}


class Bundles(Case):
    def start(self):
        d = self.daemon()
        self.enterContext(d)
        d.put("g", csv_of(ROWS))
        return d

    def with_everything(self):
        d = self.start()
        reply = d.ask("PUT", "/v1/graphs/g/attributes", ATTRIBUTES.encode(),
                      {"Content-Type": "text/csv"})
        self.assertStatus(reply, 200)
        for name, rule in (("hops", {"transform": "hops"}), ("also", {"transform": "none"})):
            reply = d.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule)
            if reply.status == 202:
                self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
            else:
                self.assertStatus(reply, 200)
        return d

    def get(self, d, query="", headers=(), status=200):
        return self.assertStatus(
            d.ask("GET", "/v1/graphs/g/bundle" + query, None, headers), status)

    def test_members(self):
        d = self.with_everything()
        reply = self.get(d)
        members = members_of(reply.body)
        what = json.loads(members["bundle.json"])
        graph = d.ask("GET", "/v1/graphs/g").json
        self.assertEqual(
            [what[name] for name in ("format", "version", "byte_order", "graph", "revision",
                                     "vertices", "arcs")],
            ["apspd bundle", 1, "little", "g", graph["revision"], len(LABELS), len(ROWS)])
        self.assertIsNone(what["derived_from"])
        self.assertEqual(members["labels"].decode().split("\0"), [*LABELS, ""])
        arcs = list(struct.iter_unpack("<IId", members["arcs"]))
        self.assertEqual([(LABELS[a], LABELS[b], w) for a, b, w in arcs], ROWS)
        self.assertEqual(
            members["attributes"].decode().split("\0"),
            ["label", "type", "side", "a", "KC", "left", "c", "P,N", "", "d\u00e9", "", "right",
             ""])
        self.assertEqual(what["attributes"], {
            "columns": ["type", "side"],
            "sha256": hashlib.sha256(members["attributes"]).hexdigest()})
        profiles = what["profiles"]
        self.assertEqual([(one["name"], one["state"]) for one in profiles],
                         [("default", "ready"), ("also", "ready"), ("hops", "ready")])
        for one in profiles:
            self.assertEqual(hashlib.sha256(one["rule"].encode()).hexdigest(), one["hash"])
            self.assertEqual(one["tables"]["member"], f"tables/{one['hash']}.apsp")
            self.assertEqual(one["tables"]["bytes"], len(members[one["tables"]["member"]]))
        # two profiles of one rule have one table file
        self.assertEqual(profiles[0]["hash"], profiles[1]["hash"])
        self.assertEqual(list(members), [
            "bundle.json", "labels", "arcs", "attributes",
            f"tables/{profiles[0]['hash']}.apsp", f"tables/{profiles[2]['hash']}.apsp"])
        files = set()
        for path in d.table_files():
            with open(path, "rb") as file:
                files.add(file.read())
        self.assertEqual({data for name, data in members.items() if name.startswith("tables/")},
                         files)

    def test_tar_lists_and_unpacks_it(self):
        d = self.with_everything()
        body = self.get(d).body
        listed = subprocess.run(["tar", "tvf", "-"], input=body, stdout=subprocess.PIPE,
                                env={"LC_ALL": "C", "TZ": "UTC", "PATH": "/usr/bin:/bin"},
                                check=True).stdout.decode().splitlines()
        self.assertEqual([line.split()[-1] for line in listed], list(members_of(body)))
        for line in listed:
            self.assertRegex(line, r"^-rw-r--r-- 0/0 +\d+ 1970-01-01 00:00 ")
        subprocess.run(["tar", "xf", "-", "-C", self.directory], input=body, check=True)

    def test_same_content_same_bytes(self):
        d = self.with_everything()
        first = self.get(d, headers={"Accept-Encoding": "zstd, gzip"})
        self.assertIsNone(first.headers["Content-Encoding"])
        self.assertEqual(int(first.headers["Content-Length"]), len(first.body))
        self.assertEqual(first.headers["Content-Type"], "application/x-tar")
        self.assertEqual(first.headers["Content-Disposition"],
                         'attachment; filename="g.apspd.tar"')
        d.restart()
        second = self.get(d)
        self.assertEqual(first.body, second.body)
        self.assertEqual(first.headers["ETag"], second.headers["ETag"])
        self.assertEqual(first.headers["Apsp-Revision"],
                         json.loads(members_of(first.body)["bundle.json"])["revision"])
        self.get(d, headers={"If-None-Match": first.headers["ETag"]}, status=304)
        head = d.ask("HEAD", "/v1/graphs/g/bundle")
        self.assertEqual(head.headers["Content-Length"], first.headers["Content-Length"])
        # another content has another ETag
        d.ask("PUT", "/v1/graphs/g/attributes", b"label,type\na,PN\n",
              {"Content-Type": "text/csv"})
        third = self.get(d)
        self.assertNotEqual(first.headers["ETag"], third.headers["ETag"])
        self.get(d, headers={"If-Match": first.headers["ETag"]}, status=412)

    def test_ranges(self):
        d = self.with_everything()
        whole = self.get(d)
        size, etag = len(whole.body), whole.headers["ETag"]
        chance = random.Random(7)
        edges = [0, 1, 511, 512, 513, size - 1]
        at = 0
        for data in members_of(whole.body).values():
            at += 512 + len(data)
            edges += [at - 1, at, at + 1, at + 7]
            at += -len(data) % 512
        ranges = [(at, min(at + chance.choice((0, 1, 100, 5000, size)), size - 1))
                  for at in edges + [chance.randrange(size) for _ in range(60)] if at < size]
        for begin, last in ranges:
            part = self.get(d, headers={"Range": f"bytes={begin}-{last}", "If-Range": etag},
                            status=206)
            self.assertEqual(part.body, whole.body[begin:last + 1], (begin, last))
            self.assertEqual(part.headers["Content-Range"], f"bytes {begin}-{last}/{size}")
        self.get(d, headers={"Range": f"bytes={size}-"}, status=416)
        stale = self.get(d, headers={"Range": "bytes=5-", "If-Range": '"other"'})
        self.assertEqual(stale.body, whole.body)

    def test_a_broken_transfer_resumes(self):
        d = self.start()
        n = 1500
        d.put("g", "".join(f"{i},{(i * 7 + k) % n},{1 + (i + k) % 9}\n"
                           for i in range(n) for k in (1, 2)).encode())
        whole = self.get(d)
        self.assertGreater(len(whole.body), 4 << 20)
        got = self.begin_to_read(d, 1 << 20)[1]
        rest = self.get(d, headers={"Range": f"bytes={len(got)}-",
                                    "If-Range": whole.headers["ETag"]}, status=206)
        self.assertEqual(got + rest.body, whole.body)

    def begin_to_read(self, d, size, close=True):
        """Read at least so many bytes of a bundle on a connection of its own."""
        sock = d.raw()
        sock.sendall(b"GET /v1/graphs/g/bundle HTTP/1.1\r\nHost: localhost\r\n\r\n")
        got = b""
        while b"\r\n\r\n" not in got or len(got) - got.index(b"\r\n\r\n") - 4 < size:
            piece = sock.recv(65536)
            self.assertTrue(piece)
            got += piece
        if close:
            sock.close()
        return sock, got[got.index(b"\r\n\r\n") + 4:]

    def test_tables_that_are_replaced_stay_while_they_are_read(self):
        d = self.start()
        n = 4000  # more than the buffers of the sockets hold
        d.put("g", "".join(f"{i},{(i * 7 + k) % n},{1 + (i + k) % 9}\n"
                           for i in range(n) for k in (1, 2)).encode())
        whole = self.get(d).body
        sock, got = self.begin_to_read(d, 1 << 20, close=False)
        with sock:
            old = d.table_files()
            d.put("g", csv_of(ROWS))
            until("the old table file to be removed",
                  lambda: not set(old) & set(d.table_files()))
            while len(got) < len(whole):
                piece = sock.recv(1 << 20)
                self.assertTrue(piece)
                got += piece
        self.assertEqual(got, whole)

    def test_arcs_that_are_replaced_stay_while_they_are_read(self):
        d = self.start()
        n = 600_000  # 9.6 MB of arcs, more than the buffers of the sockets hold
        d.put("g", "".join(f"{i % 500},{i % 499},1\n" for i in range(n)).encode())
        whole = self.get(d).body
        arcs = {"g": self.generations(d)[-1]}
        d.put("other", b"a,b,1\n")
        arcs["other"] = self.generations(d)[-1]
        sock, got = self.begin_to_read(d, 10_000, close=False)
        with sock:
            d.put("g", csv_of(ROWS))
            self.assertStatus(d.ask("DELETE", "/v1/graphs/other"), 204)
            # the sweep takes the oldest first, so it has been at the rows of g
            until("the other graph's rows to go",
                  lambda: arcs["other"] not in self.generations(d))
            self.assertIn(arcs["g"], self.generations(d))
            while len(got) < len(whole):
                piece = sock.recv(1 << 20)
                self.assertTrue(piece)
                got += piece
        self.assertEqual(got, whole)
        until("the rows to go", lambda: arcs["g"] not in self.generations(d))

    def generations(self, d):
        """The uploads that have arcs in the database."""
        path = os.path.join(d.state, "apspd.sqlite")
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return [one for one, in database.execute(
                "SELECT DISTINCT generation FROM chunks WHERE kind = 'arcs' ORDER BY 1")]

    def test_parts(self):
        d = self.with_everything()
        bare = members_of(self.get(d, "?tables=none").body)
        self.assertEqual(list(bare), ["bundle.json", "labels", "arcs", "attributes"])
        self.assertEqual([(one["name"], one["tables"])
                          for one in json.loads(bare["bundle.json"])["profiles"]],
                         [("default", None), ("also", None), ("hops", None)])
        one = members_of(self.get(d, "?profile=hops").body)
        profiles = json.loads(one["bundle.json"])["profiles"]
        self.assertEqual([(p["name"], p["tables"] is None) for p in profiles],
                         [("default", True), ("hops", False)])
        self.assertEqual([name for name in one if name.startswith("tables/")],
                         [profiles[1]["tables"]["member"]])
        self.assertStatus(d.ask("GET", "/v1/graphs/g/bundle?profile=x"), 404,
                          "unknown-profile")
        self.assertStatus(d.ask("GET", "/v1/graphs/g/bundle?tables=all"), 400)
        self.assertStatus(d.ask("GET", "/v1/graphs/h/bundle"), 404, "unknown-graph")
        revision = json.loads(one["bundle.json"])["revision"]
        self.get(d, f"?tables=none&revision={revision}")
        self.get(d, "?revision=" + "0" * 64, status=412)

    def test_damaged_tables_are_not_sent(self):
        d = self.daemon()
        self.enterContext(d)
        d.put("g", b"".join(b"%d,%d,1\n" % (i, (i * 7 + 1) % 300) for i in range(300)))
        path, = d.table_files()
        d.stop()
        with open(path, "r+b") as file:
            file.seek(65536 * 2 + 100)
            byte = file.read(1)
            file.seek(-1, 1)
            file.write(bytes([byte[0] ^ 1]))
        d.start()
        reply = until("sound tables", lambda: self.answer_or_break(d))
        name, = [name for name in members_of(reply) if name.startswith("tables/")]
        self.assertEqual(members_of(reply)[name][65536 * 2 + 100], byte[0])

    def answer_or_break(self, d):
        """A whole bundle with tables, or None."""
        client = d.client()
        try:
            reply = client.ask("GET", "/v1/graphs/g/bundle")
        except Exception as broken:  # the daemon resets the connection
            self.assertIn(type(broken).__name__, ("IncompleteRead", "ConnectionResetError"))
            return None
        finally:
            client.close()
        self.assertStatus(reply, 200)
        what = json.loads(members_of(reply.body)["bundle.json"])
        return reply.body if what["profiles"][0]["tables"] else None


if __name__ == "__main__":
    unittest.main()
