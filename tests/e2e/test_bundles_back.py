"""Bundles that are sent back: a graph is restored, and every lie is refused.

A hostile bundle is made from a good one: one member, one header or one text is changed, and
the checksum of the header is made right again, so that only the check of this lie can find it.
"""
import copy
import hashlib
import io
import json
import os
import shutil
import struct
import subprocess
import tarfile
import unittest

from harness import Case

ROWS = [("a", "b", 1.5), ("b", "c", 2.25), ("c", "a", 4), ("a", "b", 0.5), ("c", "c", 7),
        ("d\u00e9", "a", 3), ("e,f", 'q"', 0.125), ("b", "d\u00e9", 64)]
LABELS = ["a", "b", "c", "d\u00e9", "e,f", 'q"']
ATTRIBUTES = 'label,type,side\na,KC,left\nc,"P,N",\nd\u00e9,,right\n'
ORDER = ["bundle.json", "labels", "arcs", "attributes"]


def csv_of(rows):
    def cell(text):
        return '"' + text.replace('"', '""') + '"'
    return "".join(f"{cell(a)},{cell(b)},{w}\n" for a, b, w in rows).encode()


def members_of(body):
    with tarfile.open(fileobj=io.BytesIO(body), mode="r:") as archive:
        return {one.name: archive.extractfile(one).read() for one in archive.getmembers()}


def head(name, size, kind=b"0", link=b"", **fields):
    """A header of ustar with a right checksum, whatever its fields say."""
    parts = {"name": name.encode(), "mode": b"0000644", "uid": b"0000000", "gid": b"0000000",
             "size": size if isinstance(size, bytes) else b"%011o" % size,
             "mtime": b"00000000000", "sum": b" " * 8, "type": kind, "link": link,
             "magic": b"ustar\x0000", "rest": b"", **fields}
    widths = (("name", 100), ("mode", 8), ("uid", 8), ("gid", 8), ("size", 12), ("mtime", 12),
              ("sum", 8), ("type", 1), ("link", 100), ("magic", 8), ("rest", 247))
    block = b"".join(parts[part].ljust(width, b"\0") for part, width in widths)
    if "sum" not in fields:
        block = block[:148] + b"%06o\0 " % sum(block) + block[156:]
    assert len(block) == 512
    return block


def padded(data, fill=b"\0"):
    return data + fill * (-len(data) % 512)


def tar_of(members, end=bytes(1024)):
    """An archive of (name, data) pairs and of bytes that are put in as they are."""
    return b"".join(one if isinstance(one, bytes) else
                    head(one[0], len(one[1])) + padded(one[1]) for one in members) + end


def pax(*records):
    def record(text):
        n = len(text) + 2
        while len(b"%d %b\n" % (n, text)) != n:
            n += 1
        return b"%d %b\n" % (n, text)
    data = b"".join(record(one) for one in records)
    return head("pax", len(data), b"x") + padded(data)


class Back(Case):
    def start(self):
        d = self.daemon()
        self.enterContext(d)
        d.put("g", csv_of(ROWS))
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", ATTRIBUTES.encode(),
                                {"Content-Type": "text/csv"}), 200)
        for name, rule in (("hops", {"transform": "hops"}),
                           ("strong", {"transform": "inv", "min_weight": 2}),
                           # the choice belongs to the key of the tables, not to the rule
                           ("lesion", {"transform": "inv", "without": [f"label:{LABELS[1]}"]})):
            reply = d.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule)
            self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
        return d

    def get(self, d, graph="g", query=""):
        return self.assertStatus(d.ask("GET", f"/v1/graphs/{graph}/bundle{query}"), 200).body

    def send(self, d, graph, body, query="", kind="application/octet-stream"):
        return d.ask("PUT", f"/v1/graphs/{graph}{query}", body, {"Content-Type": kind})

    def restore(self, d, graph, body, query="", kind="application/octet-stream"):
        reply = self.send(d, graph, body, query, kind)
        self.assertIn(reply.status, (200, 202), reply)
        for job in reply.json["jobs"].values():
            self.assertEqual(d.wait(job)["state"], "succeeded")
        return reply.json

    def answers(self, d, graph):
        """Everything that a bundle brings back, as the daemon answers it."""
        ask = f"/v1/graphs/{graph}/"
        found = [d.ask("GET", ask + "attributes").body, d.ask("GET", ask + "arcs").body,
                 d.ask("GET", ask + "vertices").json["vertices"]]
        for profile in ("default", "hops", "lesion", "strong"):
            about = d.ask("GET", ask + "profiles/" + profile).json
            found.append([about[name] for name in ("transform", "min_weight", "duplicates",
                                                   "state", "revision", "arcs")])
            for one in LABELS:
                for other in LABELS:
                    found.append(d.path(graph, one, other, f"&profile={profile}").json)
            found.append(d.ask("GET", ask + f"matrices/distance?profile={profile}").body)
        return found

    def test_after_the_state_is_lost(self):
        d = self.start()
        before, whole = self.answers(d, "g"), self.get(d)
        bare = self.get(d, query="?tables=none")
        # after the job of a new rule has failed, the bundle has the rule that still answers
        reply = d.ask("PUT", "/v1/graphs/g/profiles/default?default_rule=replace",
                      {"transform": "inv", "normalise": "input", "normalise_by": "side"})
        self.assertEqual(d.wait(reply.json["job"])["state"], "failed")
        self.assertEqual(self.get(d), whole)
        d.stop()
        shutil.rmtree(d.state)
        shutil.rmtree(os.path.join(d.cache, "tables"))
        d.start()
        self.assertStatus(d.ask("GET", "/v1/graphs/g"), 404)
        receipt = self.restore(d, "g", bare)
        self.assertEqual((receipt["format"], receipt["vertices"], receipt["arcs"]),
                         ("bundle", len(LABELS), len(ROWS)))
        self.assertEqual(sorted(receipt["jobs"]), ["default", "hops", "lesion", "strong"])
        self.assertEqual(self.answers(d, "g"), before)
        # the restored graph gives the same bundle
        self.assertEqual(self.get(d), whole)
        # and again: the tables are there
        again = self.restore(d, "g", bare)
        self.assertEqual(again["jobs"], {})
        self.assertEqual(self.get(d), whole)

    def test_with_tables(self):
        d = self.start()
        whole = self.get(d)
        self.restore(d, "h", whole, "?tables=recompute", "application/x-tar")
        # a bundle whose table files were left out at its end is taken, too
        members = members_of(whole)
        self.restore(d, "i", tar_of([(name, members[name]) for name in ORDER]),
                     "?tables=recompute&format=bundle")
        for name in "hi":
            self.assertEqual(self.answers(d, name), self.answers(d, "g"))

    def test_packed_again_by_tar(self):
        d = self.start()
        whole = self.get(d)
        folder = os.path.join(self.directory, "unpacked")
        os.mkdir(folder)
        subprocess.run(["tar", "xf", "-", "-C", folder], input=whole, check=True)
        for number, (form, *names) in enumerate((
                ("posix", *ORDER, "tables"), ("gnu", *ORDER, "tables"),
                ("ustar", *("./" + name for name in ORDER), "./tables"))):
            again = subprocess.run(["tar", "cf", "-", "--format", form, "--sort=name", "-C",
                                    folder, *names], stdout=subprocess.PIPE, check=True).stdout
            # a folder's files are not in the order of the profiles, so some are left out
            self.assertIn(self.send(d, f"h{number}", again, "?tables=recompute").status,
                          (200, 202, 422))
            bare = subprocess.run(["tar", "cf", "-", "--format", form, "-C", folder, *names[:-1]],
                                  stdout=subprocess.PIPE, check=True).stdout
            self.restore(d, f"i{number}", bare, "?tables=recompute")
            self.assertEqual(self.answers(d, f"i{number}"), self.answers(d, "g"))
        for coding in (["gzip", "-c"], ["zstd", "-c"]):
            if shutil.which(coding[0]):
                packed = subprocess.run(coding, input=whole, stdout=subprocess.PIPE,
                                        check=True).stdout
                self.restore(d, "j", packed, "?tables=recompute")

    def test_over_another_graph(self):
        d = self.start()
        bare = self.get(d, query="?tables=none")
        d.put("h", b"x,y,1\n", "?transform=hops")
        reply = self.send(d, "h", bare)
        self.assertStatus(reply, 409, "rule-differs")
        self.assertEqual(d.path("h", "x", "y").json["distance"], 1)
        self.restore(d, "h", bare, "?default_rule=replace")
        self.assertEqual(self.answers(d, "h"), self.answers(d, "g"))
        # profiles that the bundle does not have stay
        self.assertStatus(d.ask("PUT", "/v1/graphs/h/profiles/own", {"transform": "none"}), 200)
        self.restore(d, "h", bare)
        self.assertEqual([one["name"] for one in d.ask("GET", "/v1/graphs/h").json["profiles"]],
                         ["default", "hops", "lesion", "own", "strong"])
        # the rule of `default` leaves out another vertex with the attributes of the bundle
        for graph, left_out in (("g", "a"), ("h", "c")):
            d.ask("PUT", f"/v1/graphs/{graph}/attributes", f"label,type\n{left_out},X\n".encode(),
                  {"Content-Type": "text/csv"})
            self.assertStatus(d.ask(
                "PUT", f"/v1/graphs/{graph}/profiles/default?default_rule=replace&wait=30",
                {"transform": "none", "without": ["type:X"]}), 200)
        bare = self.get(d, query="?tables=none")
        d.ask("DELETE", "/v1/graphs/g")  # with its tables, so that h needs a job
        self.restore(d, "h", bare)
        self.assertEqual(d.path("h", "b", "c").json["distance"], 2.25)

    def test_derived(self):
        d = self.start()
        for name, query in (("types", "of=g&by=type"), ("left", "of=g&match=side:left"),
                            ("both", "of=g&match=type:KC&match=type:P%2CN")):
            reply = d.ask("PUT", f"/v1/graphs/{name}?{query}")
            self.assertIn(reply.status, (200, 202), reply)
            for job in reply.json["jobs"].values():
                self.assertEqual(d.wait(job)["state"], "succeeded")
            found = d.ask("GET", f"/v1/graphs/{name}").json
            self.assertEqual(found["derived_from"]["graph"], "g")
            body = self.get(d, name, "?tables=none")
            self.restore(d, "again", body, "?default_rule=replace")
            again = d.ask("GET", "/v1/graphs/again").json
            self.assertEqual([again[one] for one in ("derived_from", "revision", "attributes")],
                             [found[one] for one in ("derived_from", "revision", "attributes")])
            self.assertEqual(members_of(self.get(d, "again", "?tables=none"))["labels"],
                             members_of(body)["labels"])

    def test_spared_weights(self):
        """Weights that the rule merges into its domain, or drops before the transform."""
        d = self.start()
        for name, rule, text in (
                ("sums", {"transform": "inv"}, b"a,b,5\na,b,0\nb,c,-1\nb,c,3\n"),
                ("few", {"transform": "inv", "min_weight": 1}, b"a,b,5\nb,c,0\nb,c,2\nc,a,0\n")):
            d.put(name, text)
            reply = d.ask("PUT", f"/v1/graphs/{name}/profiles/default?default_rule=replace", rule)
            self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
            self.restore(d, name + "2", self.get(d, name, "?tables=none"))
            self.assertEqual(d.path(name + "2", "a", "c").json["distance"], 0.7)
            self.assertStatus(d.ask("PUT", f"/v1/graphs/{name}/attributes", b"label,type\na,x\nb,x\n",
                                    {"Content-Type": "text/csv"}), 200)
            part = f"/v1/graphs/{name}3?of={name}&match=type:x"
            reply = self.assertStatus(d.ask("PUT", part), 202)
            self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
            self.assertEqual(d.path(name + "3", "a", "b").json["distance"], 0.2)
            reply = d.ask("PUT", part + "&transform=log&default_rule=replace")
            self.assertIn("above 1", self.assertStatus(reply, 422).json["detail"])
        reply = d.ask("PUT", "/v1/graphs/few", text, {"Content-Type": "text/csv"})
        self.assertStatus(reply, 200)

    def test_options(self):
        d = self.start()
        bare = self.get(d, query="?tables=none")
        for query, word in (("?transform=inv", "own rules"), ("?min_weight=2", "own rules"),
                            ("?tables=all", "own rules"), ("?undirected=true", "undirected"),
                            ("?nonedge=1", "nonedge"), ("?from_column=a", "from_column")):
            for more in ("", "&format=bundle"):
                reply = self.assertStatus(self.send(d, "h", bare, query + more), 400)
                self.assertIn(word, reply.json["detail"])
        reply = d.ask("PUT", "/v1/graphs/h?tables=recompute&transform=none", b"a,b,1\n",
                      {"Content-Type": "text/csv"})
        self.assertIn("recompute", self.assertStatus(reply, 400).json["detail"])
        self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)

    # What follows makes each lie: a name, what the message must have, and the body.

    def texts(self, members):
        """Lies of bundle.json."""
        good = json.loads(members["bundle.json"])

        def changed(what, *path):
            text = copy.deepcopy(good)
            place = text
            for step in path[:-1]:
                place = place[step]
            if what is KeyError:
                del place[path[-1]]
            else:
                place[path[-1]] = what
            return text
        for name in good:
            yield f"no {name}", name, changed(KeyError, name)
        for name in good["profiles"][0]:
            yield f"no {name} of a profile", name, changed(KeyError, "profiles", 1, name)
        for name in good["attributes"]:
            yield f"no {name} of attributes", name, changed(KeyError, "attributes", name)
        origin = {"graph": "g", "revision": good["revision"], "question": '{"by":"type"}'}
        for name in origin:
            yield (f"no {name} of the origin", name,
                   changed({**origin, name: 1}, "derived_from"))
            left = {other: origin[other] for other in origin if other != name}
            yield f"another {name} of the origin", name, changed(left, "derived_from")
        for question in ("", "{}", "[]", "1", '"by"', '{"by":1}', '{"by":["a"]}', '{"match":"a"}',
                         '{"by":"a","match":["b"]}', '{"of":"g"}', '{"by":"a"', '{"by":"a"}}',
                         '{"match":[["a"]]}', '{"by":"\\u0000"}', '{"by":"a","by":"a"}'):
            yield (f"the question {question}", "question",
                   changed({**origin, "question": question}, "derived_from"))
        yield "an unknown member", "secret", changed(1, "secret")
        yield "an unknown member of a profile", "secret", changed(1, "profiles", 0, "secret")
        yield "another format", "format", changed("a bundle", "format")
        yield "a newer version", "version", changed(2, "version")
        yield "a version as a text", "version", changed("1", "version")
        yield "the other byte order", "byte_order", changed("big", "byte_order")
        yield "a name with a slash", "graph", changed("../g", "graph")
        yield "another revision", "revision", changed("0" * 64, "revision")
        yield "a short revision", "revision", changed(good["revision"][:63], "revision")
        for member in ("vertices", "arcs"):
            for value in (0, good[member] - 1, good[member] + 1, -1, 1.5, 10**17, 10**30, None,
                          str(good[member])):
                yield f"{value!r} {member}", "", changed(value, member)
        yield "another hash", "hash", changed("0" * 64, "profiles", 1, "hash")
        yield ("the rule of another hash", "hash",
               changed(good["profiles"][1]["rule"], "profiles", 2, "rule"))
        for rule in ("transform=cube", "transform=none length=7", "", "transform"):
            text = changed(rule, "profiles", 1, "rule")
            text["profiles"][1]["hash"] = hashlib.sha256(rule.encode()).hexdigest()
            yield f"the rule {rule!r}", "rule", text
        rule = good["profiles"][0]["rule"] + " algorithm=quantum"
        text = changed(rule, "profiles", 0, "rule")
        text["profiles"][0]["hash"] = hashlib.sha256(rule.encode()).hexdigest()
        yield "an unknown algorithm", "quantum", text
        yield "two profiles of one name", "name", changed("default", "profiles", 1, "name")
        yield "a profile with a slash", "name", changed("../x", "profiles", 1, "name")
        yield "no default", "default", changed("other", "profiles", 0, "name")
        yield "no profile", "default", changed([], "profiles")
        yield "profiles that are no objects", "profiles", changed([1, 2], "profiles")
        yield "profiles within profiles", "", changed([[good["profiles"][0]]], "profiles")
        yield ("300 profiles", "256", changed(
            good["profiles"] + [{**good["profiles"][1], "name": f"p{i}"} for i in range(300)],
            "profiles"))
        yield "an unknown state", "state", changed("happy", "profiles", 1, "state")
        yield ("tables elsewhere", "member", changed(
            {"member": "../../etc/passwd", "bytes": 1, "version": 6, "checksum": "0" * 16},
            "profiles", 1, "tables"))
        yield "attributes that the bundle lacks", "", changed(None, "attributes")
        yield "no columns", "columns", changed([], "attributes", "columns")
        yield "another column", "columns", changed(["type", "sid"], "attributes", "columns")
        yield "a column more", "attributes", changed(["type", "side", "x"], "attributes",
                                                     "columns")
        yield "a column twice", "columns", changed(["type", "type"], "attributes", "columns")
        yield "a column of labels", "a name that a column cannot", changed(
            ["label", "side"], "attributes", "columns")
        yield "another hash of attributes", "attributes", changed("1" * 64, "attributes",
                                                                  "sha256")

    def contents(self, members):
        """Lies of the other members: (name, word, {member: data})."""
        labels, arcs = members["labels"], members["arcs"]
        first, rest = arcs[:16], arcs[16:]
        for name, data in (("one more", labels + b"x\0"), ("one less", labels[2:]),
                           ("one twice", b"b\0" + labels[2:]), ("an empty one", b"\0" + labels[2:]),
                           ("bytes that are no UTF-8", b"\xff\0" + labels[2:]),
                           ("a long one", b"x" * 600 + labels[1:]),
                           ("a very long one", b"x" * 2000 + labels[1:]),
                           ("no NUL at the end", labels[:-1]), ("nothing", b"")):
            yield f"labels: {name}", "labels", {"labels": data}
        yield "labels: another one", "revision", {
            "labels": labels.replace(b"e,f", b"e;f")}
        n = len(LABELS)
        for name, word, arc in (
                ("a tail that is no vertex", "vertex", struct.pack("<IId", n, 0, 1)),
                ("a head that is no vertex", "vertex", struct.pack("<IId", 0, 2**32 - 1, 1)),
                ("a weight that is no number", "arc 1", struct.pack("<IId", 0, 1, float("nan"))),
                ("an infinite weight", "arc 1", struct.pack("<IId", 0, 1, float("inf"))),
                ("the other byte order", "vertex", struct.pack(">IId", 0, 1, 1.5)),
                ("another weight", "revision", struct.pack("<IId", 0, 1, 1.25)),
                ("another head", "revision", struct.pack("<IId", 0, 2, 1.5))):
            yield f"arcs: {name}", word, {"arcs": arc + rest}
        yield "arcs: another order", "revision", {"arcs": rest + first}
        yield "arcs: one less", "arcs", {"arcs": rest}
        yield "arcs: one more", "arcs", {"arcs": arcs + first}
        yield "arcs: half of one", "arcs", {"arcs": arcs[:-8]}
        good = members["attributes"]
        for name, data in (
                ("no label in front", b"Label" + good[5:]),
                ("a row of no vertex", good.replace(b"a\0KC", b"x\0KC")),
                ("a row twice", good + b"d\xc3\xa9\0\0right\0"),
                ("another order", b"label\0type\0side\0c\0P,N\0\0a\0KC\0left\0"),
                ("half a row", good + b"q\"\0KC\0"), ("half a text", good + b"q"),
                ("a row without a value", good + b"q\"\0\0\0"),
                ("a value that is no UTF-8", good + b"q\"\0\xff\0\0"),
                ("a long value", good + b"q\"\0" + b"x" * 513 + b"\0\0"), ("nothing", b"")):
            text = json.loads(members["bundle.json"])
            text["attributes"]["sha256"] = hashlib.sha256(data).hexdigest()
            yield f"attributes: {name}", "attributes", {
                "attributes": data, "bundle.json": json.dumps(text).encode()}
        yield "attributes: a bit", "SHA-256", {"attributes": good.replace(b"KC", b"KD")}

    def archives(self, members):
        """Lies of the archive itself: (name, word, body)."""
        good = [(name, members[name]) for name in ORDER]
        whole = tar_of(good)
        for size in (600, 512 + len(members["bundle.json"]), 2048, len(whole) - 1024,
                     len(whole) - 512, len(whole) - 100):
            yield f"cut at {size}", "", whole[:size]
        for i, name in enumerate(ORDER):
            yield f"no {name}", "", tar_of(good[:i] + good[i + 1:])
            yield f"{name} twice", "", tar_of(good[:i + 1] + good[i:])
            yield f"{name} again at the end", name, tar_of(good + [good[i]])
            data = members[name]
            lies = {"a byte more": len(data) + 1, "a block more": len(data) + 512,
                    "1 GiB": 1 << 30, "8 GiB less a byte": (1 << 33) - 1,
                    "2^62": b"\x80\0\0\0" + struct.pack(">Q", 1 << 62),
                    "2^63": b"\x80\0\0\0" + struct.pack(">Q", 1 << 63),
                    "-1": b"\xff" * 12, "no digits": b"x" * 11, "blanks": b" " * 12}
            for what, size in lies.items():
                yield f"{name}: size {what}", "", tar_of(
                    good[:i] + [head(name, size) + padded(data)] + good[i + 1:])
            yield f"{name}: no padding", "", tar_of(
                good[:i] + [head(name, len(data)) + data] + good[i + 1:])
            yield f"{name}: padding that is data", "data", tar_of(
                good[:i] + [head(name, len(data)) + padded(data, b"x")] + good[i + 1:])
        yield "labels behind arcs", "labels", tar_of([good[0], good[2], good[1], good[3]])
        yield "a member more", "evil", tar_of(good + [("evil", b"x")])
        yield "tables that nobody named", "tables/", tar_of(
            good + [("tables/" + "0" * 64 + ".apsp", b"x")])
        for name in ("/labels", "../labels", "labels/../labels", "a/labels", "labels/", ".//labels",
                     "/etc/passwd", "tables/../../x"):
            yield f"the name {name}", "", tar_of([good[0], (name, good[1][1]), *good[2:]])
        for kind, what in ((b"1", "link"), (b"2", "link"), (b"3", "device"), (b"4", "device"),
                           (b"6", "pipe"), (b"S", "sparse"), (b"7", ""), (b"L", ""), (b"K", ""),
                           (b"g", ""), (b"V", ""), (b"X", "")):
            yield f"a member of type {kind}", what, tar_of(
                [good[0], head("labels", len(good[1][1]), kind, b"/etc/passwd")
                 + padded(good[1][1]), *good[2:]])
        yield "a directory", "", tar_of([good[0], head("labels", 0, b"5"), *good[2:]])
        yield "a directory with a size", "directory", tar_of(
            [*good, head("tables/", 512, b"5") + bytes(512)])
        for record in (b"GNU.sparse.major=1", b"GNU.sparse.map=0,1", b"linkpath=/etc/passwd",
                       b"SCHILY.xattr.user.x=1", b"path=/etc/passwd", b"path=" + b"x" * 200,
                       b"size=7", b"size=-1", b"size=99999999999999999999", b"size=",
                       b"hdrcharset=BINARY", b"nothing"):
            yield f"pax {record[:30]}", "", tar_of([good[0], pax(record), *good[1:]])
        for data in (b"7 a=b\n", b"5 a=b\n", b"x a=b\n", b"6 a=b", b"999 a=b\n", b"\0" * 10):
            yield f"pax data {data}", "pax", tar_of(
                [good[0], head("pax", len(data), b"x") + padded(data), *good[1:]])
        yield "two pax headers", "pax", tar_of(
            [good[0], pax(b"path=labels"), pax(b"path=labels"), *good[1:]])
        yield "pax at the end", "pax", tar_of([*good, pax(b"path=labels")])
        yield "a long pax header", "pax", tar_of(
            [good[0], pax(b"comment=" + b"x" * 5000), *good[1:]])
        yield "a wrong checksum", "header", tar_of(
            [good[0], head("labels", 5, sum=b"000000\0 "), *good[2:]])
        yield "no magic", "header", tar_of(
            [good[0], head("labels", 5, magic=b"nothing!"), *good[2:]])
        yield "a prefix", "long", tar_of(
            [good[0], head("labels", 5, rest=bytes(80) + b"etc"), *good[2:]])
        yield "data behind the end", "end", whole + b"x"
        yield "a member behind the end", "end", whole + whole
        yield "2 MiB after the end", "follows its end", tar_of(good) + bytes(2 << 20)
        yield "one block of zeros", "zeros", tar_of(good, bytes(512) + head("x", 0) + bytes(1024))
        yield "another archive", "no bundle", tar_of([("edges.csv", b"a,b,1\n")])
        yield "an empty archive", "", bytes(10240)

    def lies(self, members):
        for name, word, text in self.texts(members):
            yield name, word, tar_of([("bundle.json", json.dumps(text).encode()),
                                      *((one, members[one]) for one in ORDER[1:])])
        for name, text in (("no JSON", b"hello"), ("a list", b"[]"), ("nothing", b""),
                           ("half of it", members["bundle.json"][:100]),
                           ("two of it", members["bundle.json"] * 2),
                           ("a member twice", b'{"version":1,"version":1}'),
                           ("a NUL", b'{"for\\u0000mat":1}'), ("deep", b"[" * 100),
                           ("no UTF-8", b'{"graph":"\xff"}'),
                           ("a megabyte", b" " * (1 << 20) + b"1")):
            yield f"bundle.json: {name}", "", tar_of(
                [("bundle.json", text), *((one, members[one]) for one in ORDER[1:])])
        for name, word, other in self.contents(members):
            yield name, word, tar_of([(one, {**members, **other}[one]) for one in ORDER])
        yield from self.archives(members)

    def test_lies(self):
        d = self.start()
        members = members_of(self.get(d, query="?tables=none"))
        self.assertEqual(list(members), ORDER)
        self.restore(d, "good", tar_of([(name, members[name]) for name in ORDER]))
        graphs = d.ask("GET", "/v1/graphs").json
        files = self.files()
        n = 0
        for name, word, body in self.lies(members):
            with self.subTest(name):
                reply = self.send(d, "h", body, "?format=bundle")
                self.assertIn(reply.status, (400, 413, 422), reply)
                self.assertIn(word, reply.json["detail"])
                n += 1
        self.assertGreater(n, 200)
        self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)
        self.assertEqual(d.ask("GET", "/v1/graphs").json, graphs)
        self.assertEqual(self.files(), files)

    def test_lies_about_tables(self):
        d = self.start()
        whole = members_of(self.get(d))
        good = list(whole.items())
        self.assertEqual(len(good), 8)
        name, data = good[4]
        for what, members in (
                ("twice", good + [good[4]]), ("another order", good[:4] + [good[5], good[4]]),
                ("cut", good[:4] + [(name, data[:-1])]), ("padded", good[:4] + [(name, data + b"x")]),
                ("a link", good[:4] + [head(name, len(data), b"2", b"/etc/passwd")]),
                ("before the arcs", good[:2] + [good[4], good[2], good[3]])):
            with self.subTest(what):
                self.assertStatus(self.send(d, "h", tar_of(members), "?tables=recompute"), 422)
        self.assertStatus(d.ask("GET", "/v1/graphs/h"), 404)

    def files(self):
        """All files but the database's own."""
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.directory)
                      for name in names if "kernels" not in folder
                      and not name.startswith("apspd.db"))


if __name__ == "__main__":
    unittest.main()
