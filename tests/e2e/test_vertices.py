"""The graph itself over HTTP, on the larva's brain with its neurons' groups: pages of
vertices, one vertex, its arcs, what attributes choose, and distances between groups."""
import csv
import io
import math
import unittest
import urllib.parse

from harness import Case, data

# From an independent program, under transform=inv (tests/data/README.md).
GROUPS = {
    # from, to: ordered pairs of different vertices, those with a path, least, mean
    ("sensories", "KCs"): (65943, 64107, 0.0311306340718, 0.878879353620),
    ("KCs", "MBONs"): (7344, 7344, 0.0158730158730, 0.296224695042),
    ("MBONs", "dVNCs"): (8736, 8736, 0.05, 0.428178605799),
    ("KCs", "KCs"): (23256, 23256, 0.0153846153846, 0.398533687978),
    ("unk", "unk"): (158802, 138736, 0.0526315789474, 0.898036885090),
}
# Lengths are rounded to units when paths are chosen, and distances to float32.
CLOSE = 1e-5


ODD = ["a,b", 'say "x"', "Größe ⚙", " edge ", "#1", "50 %", "c;d", "'", "(" * 480, "plain"]


def rows(d, target, headers=()):
    """The cells of a CSV."""
    reply = d.ask("GET", target, None, headers)
    assert reply.status == 200, reply
    assert reply.headers["Content-Type"] == "text/csv; charset=utf-8", reply.headers
    return list(csv.reader(io.StringIO(reply.body.decode(), newline="")))


def table(*lines):
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(lines)
    return out.getvalue().encode()


class Csv(Case):
    """GET …/vertices as CSV: a row for each vertex with its attributes."""

    PLACE = "/v1/graphs/g/vertices"

    def served(self):
        d = self.daemon().start()
        self.addCleanup(d.stop)
        return d

    def test_odd_labels_and_values(self):
        d = self.served()
        d.put("g", table(*([u, v, 1] for u, v in zip(ODD, ODD[1:]))), "?transform=none")
        labels = d.ask("GET", self.PLACE).json["vertices"]
        self.assertEqual(labels, ODD)
        self.assertEqual(rows(d, self.PLACE + "?format=csv"), [["vertex"], *([v] for v in ODD)])
        given = {v: [ODD[-1 - i], "x" if i % 2 else ""] for i, v in enumerate(ODD[:-2])}
        reply = d.ask("PUT", "/v1/graphs/g/attributes", table(
            ["label", 'ä,"', "kind"], *([v, *values] for v, values in given.items())),
            {"Content-Type": "text/csv"})
        self.assertEqual(self.assertStatus(reply, 200).json["matched"], len(given))
        right = [[v, *given.get(v, ["", ""])] for v in ODD]
        head = ["vertex", 'ä,"', "kind"]
        for query, headers in (("?format=csv", {}), ("", {"Accept": "text/csv"})):
            self.assertEqual(rows(d, self.PLACE + query, headers), [head, *right])
        for v, *values in right:
            shown = d.ask("GET", f"{self.PLACE}/{urllib.parse.quote(v, safe='')}").json
            self.assertEqual(shown["attributes"],
                             {name: text for name, text in zip(head[1:], values) if text})
        for query in ("match=kind:x", "match=kind:", "match=kind:x&match=kind:",
                      "match=kind:&cursor=3", "limit=2", "limit=2&match=kind:x", "q=e",
                      "q=e&match=kind:x", "cursor=4", f"cursor={len(ODD)}"):
            with self.subTest(query=query):
                json = d.ask("GET", f"{self.PLACE}?{query}")
                reply = d.ask("GET", f"{self.PLACE}?format=csv&{query}")
                chosen = [row for v in json.json["vertices"] for row in right if row[0] == v]
                self.assertEqual(rows(d, f"{self.PLACE}?format=csv&{query}"), [head, *chosen])
                links = [(one.headers["Link"] or "").replace("format=csv&", "")
                         for one in (json, reply)]
                self.assertEqual(links[0], links[1])
                self.assertEqual(bool(links[0]), query.startswith("limit"))
        # with as many arguments as a query may have, a page has a next one
        most = d.ask("GET", "/v1/info").json["limits"]["query_arguments"]
        full = "limit=2" + "&match=kind:x" * (most - 1)
        link = d.ask("GET", f"{self.PLACE}?{full}").headers["Link"]
        after = self.assertStatus(d.ask("GET", self.PLACE + link.split(">")[0][1:]), 200).json
        self.assertEqual(after["vertices"],
                         d.ask("GET", f"{self.PLACE}?match=kind:x").json["vertices"][2:4])
        # the address of the next page has the client's spelling: a longer one would exceed a limit
        long = "limit=1&match=label:plain" + f"&match=label:{'(' * 480}" * (most - 2)
        link = d.ask("GET", f"{self.PLACE}?{long}").headers["Link"]
        self.assertEqual(link, f'<?{long}&cursor=9>; rel="next"')
        for query in ("cursor=2&" + full, full + "&%63ursor=2",
                      full + "&cursor=2&match=kind:x", full + "&q=e"):
            self.assertEqual(d.ask("GET", f"{self.PLACE}?{query}").status,
                             200 if query.endswith((full, "ursor=2")) else 400)
        for query, status in (("limit=0", 400), ("limit=10001", 400), ("cursor=x", 400),
                              ("match=none:x", 400), ("q=a&cursor=1", 400), ("profile=p", 404),
                              ("format=npy", 400)):
            self.assertStatus(d.ask("GET", f"{self.PLACE}?format=csv&{query}"
                                    if "format" not in query else f"{self.PLACE}?{query}"),
                              status)

    def test_conditions(self):
        """The ETag changes with the attributes and with the upload; HEAD has it, too."""
        d = self.served()
        tags = []
        for change in (lambda: d.put("g", b"a,b,1\n"),
                       lambda: d.ask("PUT", "/v1/graphs/g/attributes", b"label,t\na,x\n",
                                     {"Content-Type": "text/csv"}),
                       lambda: d.ask("PUT", "/v1/graphs/g/attributes", b"label,t\na,y\n",
                                     {"Content-Type": "text/csv"}),
                       lambda: d.put("g", b"a,c,1\n")):
            change()
            for query in ("?format=csv", "?format=json", "?format=ndjson"):
                whole = self.assertStatus(d.ask("GET", self.PLACE + query), 200)
                tag = whole.headers["ETag"]
                head = self.assertStatus(d.ask("HEAD", self.PLACE + query), 200)
                self.assertEqual(head.body, b"")
                for name in ("ETag", "Content-Type", "Apsp-Revision"):
                    self.assertEqual(head.headers[name], whole.headers[name])
                same = d.ask("GET", self.PLACE + query, None, {"If-None-Match": tag})
                self.assertEqual((same.status, same.body, same.headers["ETag"]), (304, b"", tag))
                for old in tags:
                    self.assertStatus(d.ask("GET", self.PLACE + query, None,
                                            {"If-None-Match": old}), 200)
                    self.assertStatus(d.ask("GET", self.PLACE + query, None,
                                            {"If-Match": old}), 412)
                tags.append(tag)
        self.assertEqual(len(set(tags)), len(tags))

    def test_more_than_a_page(self):
        """All vertices in one answer, and those that match, though pages have 10,000 at most."""
        d = self.served()
        n = 150_000
        d.put("g", "".join(f"vertex{i:07},vertex{i + 1:07},1\n" for i in range(n - 1)).encode(),
              "?transform=none&tables=none")
        labels = [f"vertex{i:07}" for i in range(n)]
        self.assertEqual(rows(d, self.PLACE + "?format=csv"), [["vertex"], *([v] for v in labels)])
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", b"label,kind\n" + "".join(
            f"{v},{'few' if i % 9973 == 7 else 'many'}\n" for i, v in enumerate(labels)).encode(),
            {"Content-Type": "text/csv"}), 200)
        for kind, keep in (("few", lambda i: i % 9973 == 7), ("many", lambda i: i % 9973 != 7)):
            self.assertEqual(rows(d, f"{self.PLACE}?format=csv&match=kind:{kind}"),
                             [["vertex", "kind"],
                              *([v, kind] for i, v in enumerate(labels) if keep(i))])


class Vertices(Case):
    def test_larva(self):
        neurons = list(csv.DictReader(io.StringIO(
            data("larva_vertices.csv").decode())))
        out, into = {}, {}
        for line in data("larva_edges.csv").decode().splitlines():
            start, end, weight = line.split(",")
            if start != end:
                out.setdefault(start, {})[end] = float(weight)
                into.setdefault(end, {})[start] = float(weight)
        with self.daemon() as d:
            d.put("larva", data("larva_edges.csv"), "?transform=inv")
            reply = self.assertStatus(
                d.ask("PUT", "/v1/graphs/larva/attributes", data("larva_vertices.csv"),
                      {"Content-Type": "text/csv"}), 200).json
            self.assertEqual((reply["matched"], reply["unknown"]), (3013, 0))
            self.assertEqual(d.ask("GET", "/v1/graphs/larva").json["attributes"],
                             ["name", "type", "group", "side"])
            self.check_pages(d, neurons)
            self.check_chosen(d, neurons)
            self.check_csv(d, neurons)
            self.check_vertex(d, neurons[0], out, into)
            self.check_arcs(d, out)
            self.check_groups(d, neurons)

    def check_pages(self, d, neurons):
        found, cursor = [], 0
        while cursor is not None:
            page = self.assertStatus(
                d.ask("GET", "/v1/graphs/larva/vertices?limit=1000"
                      f"&cursor={cursor}"), 200).json
            found += page["vertices"]
            cursor = page["next"]
        self.assertEqual(len(found), 3013)
        self.assertEqual(set(found), {neuron["id"] for neuron in neurons})

    def check_chosen(self, d, neurons):
        right = {neuron["id"] for neuron in neurons
                 if neuron["group"] == "KCs" and neuron["side"] in "LR"}
        chosen = d.ask("GET", "/v1/graphs/larva/vertices?limit=1000&match=group:KCs"
                       "&match=side:L&match=side:R").json
        self.assertEqual(set(chosen["vertices"]), right)
        all_out = d.ask("GET", "/v1/graphs/larva/vertices/29/reachable").json
        some = d.ask("GET", "/v1/graphs/larva/vertices/29/reachable"
                     "?match=group:KCs").json
        kcs = {neuron["id"] for neuron in neurons if neuron["group"] == "KCs"}
        self.assertEqual(set(some["vertices"]), kcs & set(all_out["vertices"]))

    def check_csv(self, d, neurons):
        """All vertices with their attributes, and those of a group, in one answer each. Blanks
        around values are not compared, because an upload drops those without quotes."""
        attributes = {neuron["id"]: [value.strip(" ") for value in list(neuron.values())[1:]]
                      for neuron in neurons}
        place = "/v1/graphs/larva/vertices?limit=10000"
        for match in ("", "&match=group:KCs&match=side:L&match=side:R"):
            labels = d.ask("GET", place + match).json["vertices"]
            names, *found = rows(d, "/v1/graphs/larva/vertices?format=csv" + match)
            self.assertEqual(names, ["vertex", "name", "type", "group", "side"])
            found = [[cell.strip(" ") for cell in row] for row in found]
            self.assertEqual(found, [[label, *attributes[label]] for label in labels])

    def check_vertex(self, d, neuron, out, into):
        v = neuron["id"]
        shown = self.assertStatus(
            d.ask("GET", f"/v1/graphs/larva/vertices/{v}"), 200).json
        self.assertEqual(shown["attributes"],
                         {name: text for name, text in neuron.items() if name != "id"})
        self.assertEqual((shown["out_degree"], shown["in_degree"]),
                         (len(out[v]), len(into[v])))
        self.assertAlmostEqual(shown["out_strength"], sum(out[v].values()))
        self.assertAlmostEqual(shown["in_strength"], sum(into[v].values()))
        sets = {way: set(d.ask("GET", f"/v1/graphs/larva/vertices/{v}/reachable"
                               f"?direction={way}").json["vertices"])
                for way in ("out", "in")}
        others = len(sets["out"]) - 1, len(sets["in"]) - 1
        self.assertEqual((shown["reaches"], shown["reached_by"]), others)
        row = d.ask("GET", "/v1/graphs/larva/stats?vertices=1").json["vertices"][
            shown["index"]]
        self.assertEqual((row["vertex"], row["reaches"], row["reached_by"]), (v, *others))
        self.assertEqual(shown["component"]["size"], len(sets["out"] & sets["in"]))
        self.assertIn(shown["component"]["first"], sets["out"] & sets["in"])
        for way, right, end in (("out", out, "to"), ("in", into, "from")):
            arcs = d.ask("GET", f"/v1/graphs/larva/vertices/{v}/arcs"
                         f"?direction={way}").json["arcs"]
            self.assertEqual({arc[end]: arc["weight"] for arc in arcs}, right[v])
            for arc in arcs:
                self.assertTrue(math.isclose(arc["length"], 1 / arc["weight"]))
            self.check_sorted(d, v, way, end, arcs)

    def check_sorted(self, d, v, way, end, arcs):
        """The arcs are in the order that Python's stable sort gives, whole and in pages."""
        place = f"/v1/graphs/larva/vertices/{v}/arcs?direction={way}"
        for sort, key in (("weight", lambda arc: -arc["weight"]),
                          ("length", lambda arc: arc["length"])):
            right, found, cursor = sorted(arcs, key=key), [], "0"
            while cursor:
                page = d.ask("GET", f"{place}&sort={sort}&limit=7&cursor={cursor}").json
                self.assertEqual(page["count"], len(arcs))
                found += page["arcs"]
                cursor = page["next"]
            self.assertEqual(found, right)
            names, *lines = rows(d, f"{place}&sort={sort}&format=csv")
            self.assertEqual(names, ["from", "to", "weight", "length", "name", "type", "group",
                                     "side"])
            self.assertEqual([line[:2] for line in lines],
                             [[arc["from"], arc["to"]] for arc in right])
            for line, arc in zip(lines[:5], right):
                other = d.ask("GET", f"/v1/graphs/larva/vertices/{arc[end]}").json["attributes"]
                self.assertEqual(line[4:], [other.get(name, "") for name in names[4:]])

    def check_arcs(self, d, out):
        """All arcs of the profile, the strongest first, in pages; of equal arcs, the order of
        the upload of their ends."""
        index = {v: i for i, v in enumerate(
            d.ask("GET", "/v1/graphs/larva/vertices?limit=10000").json["vertices"])}
        right = sorted(((-weight, index[u], index[v]) for u in out for v, weight in out[u].items()))
        found, cursor = [], 0
        while cursor < 30000:
            names, *lines = rows(d, f"/v1/graphs/larva/arcs?sort=weight&limit=10000&cursor={cursor}")
            found += lines
            cursor += len(lines)
        self.assertEqual(names[:6], ["from", "to", "weight", "length", "from_name", "from_type"])
        self.assertEqual([(-float(line[2]), index[line[0]], index[line[1]]) for line in found],
                         right[:30000])
        u = d.ask("GET", f"/v1/graphs/larva/vertices/{found[0][0]}").json["attributes"]
        self.assertEqual(dict(zip(names, found[0]))["from_type"], u["type"])

    def check_groups(self, d, neurons):
        reply = self.assertStatus(
            d.ask("POST", "/v1/graphs/larva/groups", {"attribute": "group"}), 200).json
        found = {(row["from"], row["to"]): row for row in reply["groups"]}
        names = {neuron["group"] for neuron in neurons}
        self.assertEqual(len(found), len(reply["groups"]))
        self.assertEqual(set(found), {(a, b) for a in names for b in names})
        for pair, (pairs, reachable, least, mean) in GROUPS.items():
            row = found[pair]
            self.assertEqual((row["pairs"], row["reachable"]), (pairs, reachable))
            self.assertTrue(math.isclose(row["share"], reachable / pairs))
            self.assertTrue(math.isclose(row["min"], least, rel_tol=1e-11), row)
            self.assertTrue(math.isclose(row["mean"], mean, rel_tol=CLOSE), row)
            path = d.path("larva", *row["nearest"]).json
            self.assertEqual(path["distance"], row["min"])
        self.assertEqual(sum(row["reachable"] for row in found.values()), 8497351)


if __name__ == "__main__":
    unittest.main()
