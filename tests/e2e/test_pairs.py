"""Many pairs in one request: a CSV of pairs, and answers as CSV and as rows of some values.
What they say is what `path` says about each pair."""
import csv
import io
import json
import random
import unittest

from harness import Case, data

CSV = {"Content-Type": "text/csv"}
TSV = {"Content-Type": "text/tab-separated-values"}
JSON = {"Content-Type": "application/json"}
PATHS = "/v1/graphs/g/paths"
HEADER = ["from", "to", "distance", "hops", "path", "problem"]
# Two ways to a vertex whose label has a comma, quotes and blanks; nothing leads to z.
ODD = b'a,b,1\nb,"c, ""d"" e",2\n"c, ""d"" e",a,4\nz,a,0.5\n'
LABEL = 'c, "d" e'


def csv_of(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def rows_of(reply):
    return list(csv.reader(io.StringIO(reply.body.decode())))


class Pairs(Case):
    def serve(self, body=ODD, query=""):
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("g", body, query)
        return d

    def asked(self, d, body, query="?format=csv", headers=None, status=200):
        return self.assertStatus(d.ask("POST", PATHS + query, body, headers or CSV), status)

    def test_as_path(self):
        d = self.serve(data("celegans_newman.csv"), "?transform=inv")
        labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
        chance = random.Random(1)
        pairs = [[chance.choice(labels), chance.choice(labels)] for _ in range(150)]
        pairs[20], pairs[70] = [labels[0], labels[0]], [labels[0], "nobody"]
        single = [d.path("g", u, v) for u, v in pairs]
        rows = rows_of(self.asked(d, csv_of(pairs)))
        lines = self.asked(d, csv_of(pairs), "?format=ndjson&values=distance,hops,path")
        whole = self.asked(d, csv_of(pairs), "", {**CSV, "Accept": "application/x-ndjson"})
        lines, whole = ([json.loads(line) for line in reply.body.splitlines()]
                        for reply in (lines, whole))
        self.assertEqual(rows.pop(0), HEADER)
        unreachable = 0
        for pair, reply, row, line, all_of in zip(pairs, single, rows, lines, whole, strict=True):
            self.assertEqual(row[:2], pair)
            self.assertEqual([line["from"], line["to"]], pair)
            if "nobody" in pair:
                self.assertEqual((reply.status, row[2:5]), (404, ["", "", ""]))
                self.assertEqual(row[5], "to 'nobody' is not in graph 'g'")
                self.assertEqual(line, {"from": pair[0], "to": "nobody", "problem": row[5]})
                self.assertEqual((all_of["status"], all_of["detail"]), (422, row[5]))
                self.assertNotIn("pointer", all_of)
                continue
            path = reply.json
            unreachable += not path["reachable"]
            self.assertEqual(all_of, path)
            self.assertEqual(line, {name: path[name] for name in HEADER[:5]})
            self.assertEqual(row[5], "")
            if path["reachable"]:
                self.assertEqual([float(row[2]), int(row[3]), json.loads(row[4])],
                                 [path["distance"], path["hops"], path["path"]])
            else:
                self.assertEqual(row[2:5], ["inf", "inf", ""])
        self.assertGreater(unreachable, 0)

    def test_columns(self):
        """A header names both ends, in any order; without one there are two columns."""
        d = self.serve()
        path = json.dumps(["a", "b", LABEL], separators=(",", ":"))
        want = [HEADER, ["a", LABEL, "3", "2", path, ""], ["b", "z", "inf", "inf", "", ""]]
        quoted = '"c, ""d"" e"'
        for text in (f"a,{quoted}\nb,z\n", f"from,to\na,{quoted}\nb,z",
                     f'\ufeff"Target","n","Source"\r\n{quoted},7,"a"\r\n"z","","b"\r\n',
                     f"# pairs\nn,pre,post\n\n,a,{quoted}\n,b,z\n",
                     f"i;j\na;{quoted}\nb;z\n"):
            self.assertEqual(rows_of(self.asked(d, text.encode())), want, text)
            if text.startswith("from"):  # an answer is a question again
                self.assertEqual(rows_of(self.asked(d, csv_of(want))), want)
        for headers in (TSV, {"Content-Type": "text/csv; charset=utf-8"}):
            body = f"to\tfrom\n{quoted}\ta\nz\tb\n".encode()
            self.assertEqual(rows_of(self.asked(d, body, headers=headers)), want)
        # Accept, and a body of JSON, whose pairs are named by their place
        reply = self.asked(d, {"pairs": [["a", LABEL], ["b", "z"], ["a"], [1, "z"], ["a", "no"]]},
                           "", {**JSON, "Accept": "text/csv"})
        self.assertEqual(reply.headers.get_content_type(), "text/csv")
        rows = rows_of(reply)
        self.assertEqual(rows[:3], want)
        self.assertEqual(rows[3], ["", "", "", "", "", "pairs[2] is not a list of two labels"])
        self.assertEqual(rows[4][:5], ["", "z", "", "", ""])
        self.assertTrue(rows[4][5].startswith("pairs[3][0] is a number;"), rows[4])
        self.assertEqual(rows[5], ["a", "no", "", "", "",
                                   "pairs[4][1] 'no' is not in graph 'g'"])

    def test_values(self):
        d = self.serve()
        body = csv_of([["a", "b"], ["b", "z"], ["x", "y"]])
        problem = "from 'x' is not in graph 'g'"
        for values, names in (("distance,hops", ["distance", "hops"]), ("path", ["path"]),
                              ("hops,distance", ["distance", "hops"])):
            rows = rows_of(self.asked(d, body, f"?format=csv&values={values}"))
            of = {"distance": "1", "hops": "1", "path": '["a","b"]'}
            no = {"distance": "inf", "hops": "inf", "path": ""}
            self.assertEqual(rows, [["from", "to", *names, "problem"],
                                    ["a", "b", *(of[name] for name in names), ""],
                                    ["b", "z", *(no[name] for name in names), ""],
                                    ["x", "y", *("" for name in names), problem]])
        found = self.asked(d, body, "?values=hops").json
        self.assertEqual(found["paths"], [
            {"from": "a", "to": "b", "hops": 1}, {"from": "b", "to": "z", "hops": None},
            {"from": "x", "to": "y", "problem": problem}])
        self.assertEqual(found["profile"], "default")
        for values in ("", "predecessor", "hops,hops", "hops,"):
            reply = self.asked(d, body, "?values=" + values, status=400)
            self.assertIn("values" if "hops,h" in values else "there is no value",
                          reply.json["detail"])

    def test_refused(self):
        """A line of another form is refused with its place, and nothing is answered."""
        d = self.serve()
        for text, line, detail in (
                (b"a,b\n\na\n", 3, "found 1 column, expected 2 as in the first line"),
                (b"from,to\na,b\na,b,c\n", 3, "found 3 columns, expected 2"),
                (b"a,b,9\n", 1, "found 3 columns and no header that names both ends"),
                (b"a\nb\n", 1, "found 1 column and no header"),
                (b"from,n,m\n", 1, "found 3 columns and no header"),
                (b"from,to,From\na,b,c\n", 1, "names a second column 'From'"),
                (b'a,b\n"a,b\n', 2, "the quote that begins here is not closed"),
                (b'a,b\n"a"x,b\n', 2, "text follows a closing quote"),
                (b"a,b\n\xff,b\n", 2, "is not UTF-8"), (b"\xff,b\n", 1, "is not UTF-8")):
            reply = self.asked(d, text, status=400)
            self.assertEqual(reply.json["line"], line, reply)
            self.assertIn("the body is not a CSV of pairs: line", reply.json["detail"])
            self.assertIn(detail, reply.json["detail"])
        for text in (b"", b"\n\n", b"from,to\n", b"# nothing\n"):
            self.assertEqual(rows_of(self.asked(d, text)), [HEADER])
            self.assertEqual(self.asked(d, text, "").json["paths"], [])
        for kind in ("text/csv;layout=matrix", "text/csv; charset=latin1"):
            self.assertStatus(d.ask("POST", PATHS, b"a,b\n", {"Content-Type": kind}), 415)
        self.assertStatus(d.ask("POST", "/v1/graphs/none/paths", b"a\n", CSV), 404)
        reply = self.asked(d, b"from,to\na,b\n", headers=JSON, status=400)
        self.assertRegex(reply.json["detail"], "line 1, column 1.*; a CSV of pairs needs the "
                                               "header Content-Type: text/csv$")
        for text in (b'{"pairs":[x', b'{"pairs":[]}x'):
            reply = self.asked(d, text, headers=JSON, status=400)
            self.assertNotIn("text/csv", reply.json["detail"])
        # a first line may be a header that names no ends
        for text, hinted in ((b"neuronA,neuronB\na,b\n", True), (b"from,to\nx,y\n", False),
                             (b"a,neuronB\n", False), (b"a,b\nneuronA,neuronB\n", False)):
            rows = rows_of(self.asked(d, text))
            self.assertEqual("; if the first line is a header, name its columns from and to" in
                             rows[1][5] + rows[-1][5], hinted, rows)
        self.asked(d, b"a,b\n", "?format=npy", status=400)
        # labels that no vertex has: blank, long ones; the cut leaves whole characters
        rows = rows_of(self.asked(d, csv_of([["a", ""], ["é" * 99 + "xé" + "y" * 400, "b"]])))
        self.assertEqual(rows[1], ["a", "", "", "", "", "to '' is not in graph 'g'"])
        self.assertEqual(rows[2][0], "é" * 99 + "x")
        self.assertIn("is not in graph", rows[2][5])

    def test_many(self):
        """100,000 pairs in one request; one more is refused."""
        d = self.serve()
        n = d.ask("GET", "/v1/info").json["limits"]["pairs"]
        self.assertGreaterEqual(n, 100000)
        pairs = [["a", LABEL], ["b", "a"], ["nobody", "a"], [LABEL, "z"]] * (n // 4)
        reply = self.asked(d, csv_of(pairs))
        rows = rows_of(reply)
        self.assertEqual([row[:2] for row in rows[1:]], pairs)
        few = rows_of(self.asked(d, csv_of(pairs[:4])))
        self.assertEqual(rows[1:], few[1:] * (n // 4))
        lines = self.asked(d, csv_of(pairs), "?format=ndjson&values=hops").body.splitlines()
        self.assertEqual((len(lines), len(set(lines))), (n, 4))
        reply = self.asked(d, csv_of(pairs + pairs[:1]), status=413)
        self.assertIn(f"more than {n} pairs", reply.json["detail"])
        self.assertEqual(d.ask("GET", "/v1/info").json["answers"]["memory_bytes"], 0)


if __name__ == "__main__":
    unittest.main()
