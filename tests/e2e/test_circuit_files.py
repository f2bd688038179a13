"""Circuits as GraphML, for Graphviz and for Cytoscape, read back by networkx, pydot's Graphviz and
by hand: arcs, values, and labels and attributes with every odd character."""
import json
import re
import subprocess
import unittest
from xml.etree import ElementTree

import networkx

from harness import Case

JSON = {"Content-Type": "application/json"}
ODD = ['a "quoted" one', "<&>;'", "Ünïcödé 脳 🧠", "two\nlines", "tab\there", "cr\rhere", "back\\slash",
       "\\n and \\\"", "graph", "node", "-1e5", "a,b", "]]>", "{x|y}", "&amp;", "\\\\", "%d", "%\\n",
       "\u2028", "  ", " blank "]
# attributes with names of the answer's own columns, and names that are odd themselves
NAMES = ["type", "pairs", "attribute_pairs", "attribute_attribute_pairs", "attribute_type", "layer",
         "name", "id", "value", "a \"b\" <c>", "size\\", "pos", "shape", "image", "group"]


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def plain(text):
    """The text itself."""
    return text


def of_dot(text):
    """As Graphviz can hold a text: it has no odd number of backslashes before a quote or an end."""
    return re.sub(r'(?<!\\)((?:\\\\)*)\\(?=["\n\r]|\Z)', r"\1\\\\", text)


def of_cyjs(text):
    """The id of a vertex: Cytoscape.js refuses spaces alone."""
    return f"'{text}'" if text.isspace() else text


HELD = {"dot": of_dot, "cyjs": of_cyjs, "graphml": plain}


def of_node(one):
    """The name of a node of Graphviz, which replaces names that begin with %; then it is the
    first line of the label."""
    if not one["name"].startswith("%"):
        return one["name"]
    return re.match(r"(?:[^\\]|\\\\)*", one["label"])[0].replace("\\\\", "\\")


class Files(Case):
    def serve(self):
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        # a path through all odd labels, and shorter ways
        arcs = [(a, b, 2.5) for a, b in zip(ODD, ODD[1:])] + [(ODD[0], ODD[2], 0.5),
                                                                (ODD[2], ODD[-1], 1e-7)]
        d.put("g", "\n".join(f"{quoted(a)},{quoted(b)},{w}" for a, b, w in arcs).encode() + b"\n",
              "?transform=none")
        rows = [["label", *NAMES]] + [[v, *(f"{v}{i}" for i in range(len(NAMES)))]
                                      for v in ODD[:-1]]
        text = "\n".join(",".join(map(quoted, row)) for row in rows) + "\n"
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", text.encode(),
                                {"Content-Type": "text/csv"}), 200)
        return d

    def ask(self, d, body, query="", status=200):
        reply = d.ask("POST", f"/v1/graphs/g/circuit{query}", json.dumps(body).encode(), JSON)
        return self.assertStatus(reply, status)

    def read(self, format_, reply):
        """A networkx graph whose values are texts."""
        if format_ == "graphml":
            found = networkx.parse_graphml(reply.body.decode())
        elif format_ == "cyjs":
            # networkx wants ids apart from its own members
            found = networkx.cytoscape_graph(reply.json)
        else:
            done = subprocess.run(["dot", "-Tjson0"], input=reply.body, stdout=subprocess.PIPE,
                                  check=True)
            # Graphviz writes control characters as they are
            text = json.loads(done.stdout, strict=False)
            found = networkx.DiGraph(**{k: v for k, v in text.items() if isinstance(v, str)})
            names = [of_node(one) for one in text.get("objects", [])]
            for name, one in zip(names, text.get("objects", [])):
                found.add_node(name, **one)
            for one in text.get("edges", []):
                found.add_edge(names[one["tail"]], names[one["head"]], **one)
        return found

    def assertSame(self, found, answer, format_, own):
        """The networkx graph has what the JSON answer has."""
        held, text = HELD[format_], of_dot if format_ == "dot" else plain
        self.assertEqual(set(found.nodes), {held(v["vertex"]) for v in answer["vertices"]})
        self.assertEqual(set(found.edges), {(held(a["from"]), held(a["to"])) for a in answer["arcs"]})
        self.assertTrue(found.is_directed())
        for vertex in answer["vertices"]:
            values = found.nodes[held(vertex["vertex"])]
            for name in ("layer", "pairs", "share"):
                self.assertEqual(float(values[name]), vertex[name])
            if format_ == "graphml":
                self.assertEqual(values["label"], vertex["vertex"])
            for name, value in vertex.get("attributes", {}).items():
                is_own = re.sub("^(attribute_)+", "", name) in own
                flat = "attribute_" + name if is_own else name
                self.assertEqual(values[text(flat)], text(value), (format_, flat))
        for arc in answer["arcs"]:
            values = found.edges[held(arc["from"]), held(arc["to"])]
            for name in ("weight", "length", "pairs"):
                self.assertEqual(float(values[name]), arc[name])
        for name in ("graph", "revision", "profile", "rule"):
            self.assertEqual(found.graph[name], answer[name])
        self.assertEqual(json.loads(found.graph["question"]), answer["question"])
        for name in ("pairs", "skipped"):
            self.assertEqual(int(found.graph[name]), answer[name])

    def test_formats(self):
        d = self.serve()
        own = {"graphml": {"layer", "pairs", "id"}, 
               "dot": {"layer", "pairs", "name", "id", "pos", "shape", "image", "group"},
               "cyjs": {"layer", "pairs", "id", "value"}}
        types = {"graphml": "application/graphml+xml", "dot": "text/vnd.graphviz",
                 "cyjs": "application/vnd.cytoscape.cyjs+json"}
        for body in ({"sources": [ODD[0]], "targets": [ODD[-1], ODD[-2]], "slack": 100},
                     {"sources": [ODD[0]], "slack": 100},
                     {"sources": ["\\\\"], "targets": [ODD[0]]}):
            answer = self.ask(d, body).json
            for format_ in own:
                with self.subTest(format=format_, body=body):
                    reply = self.ask(d, body, f"?format={format_}")
                    self.assertEqual(reply.headers.get_content_type(), types[format_])
                    self.assertSame(self.read(format_, reply), answer, format_, own[format_])
                    accepted = d.ask("POST", "/v1/graphs/g/circuit", json.dumps(body).encode(),
                                     {**JSON, "Accept": types[format_]})
                    self.assertEqual(accepted.body, reply.body)

    def test_graphviz(self):
        """A vertex is drawn with its name below its label, and an arc as wide as its weight."""
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("g", b"a,b,12\nb,c,3\nb,d,0.5\nc,d,6\n", "?transform=hops")

        def drawn(rows):
            text = "label," + rows
            self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", text.encode(),
                                    {"Content-Type": "text/csv"}), 200)
            found = self.read("dot", self.ask(d, {"sources": ["a"]}, "?format=dot"))
            return {v: found.nodes[v]["label"] for v in found.nodes}, found.edges
        labels, arcs = drawn('side,Type,NAME\na,L,KC,Ann\nb,R,PN,"B\\n ""x"""\nc,R,PN,\n')
        # \N is Graphviz' own default, the name
        self.assertEqual(labels, {"a": "a\\nAnn", "b": 'b\\nB\\\\n "x"', "c": "\\N", "d": "\\N"})
        self.assertEqual({pair: arcs[pair]["penwidth"] for pair in arcs}, {
            ("a", "b"): "6.00", ("b", "c"): "1.50", ("b", "d"): "0.50"})
        self.assertEqual(drawn("side,cell_type\na,L,KC\n")[0]["a"], "a\\nKC")
        self.assertEqual(drawn("side,post\na,L,7\n")[0]["a"], "a\\nL")
        d.put("g", b"a,b,3\nb,c,3\n", "")
        self.assertEqual({arc["penwidth"] for arc in drawn("x\na,\n")[1].values()}, {"1.00"})

    def test_graphviz_draws_labels(self):
        """The drawing shows each label as it is, with and without a line below it."""
        labels = ["a\\nb", "C\\x", "\\N", "back\\", "two\\\\", "q&amp;r", "q&r", "&lt",
                  "%d", "&#92;n", "\\&\\;"]
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("g", "".join(f"s,{label},1\n" for label in labels).encode(), "?transform=none")

        def drawn():
            reply = self.ask(d, {"sources": ["s"]}, "?format=dot")
            svg = subprocess.run(["dot", "-Tsvg"], input=reply.body, stdout=subprocess.PIPE,
                                 check=True).stdout
            return sorted(text.text for text in
                          ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
        self.assertEqual(drawn(), sorted(["s", *labels]))
        rows = "label,name\n" + "".join(f"{quoted(label)},{label}\n" for label in labels)
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", rows.encode(),
                                {"Content-Type": "text/csv"}), 200)
        self.assertEqual(drawn(), sorted(["s", *labels, *labels]))

    def test_cytoscape(self):
        """Elements as Cytoscape.js wants them: ids are texts, and arcs join vertices that exist."""
        d = self.serve()
        answer = self.ask(d, {"sources": [ODD[0]], "slack": 100}, "?format=cyjs").json
        nodes = [one["data"] for one in answer["elements"]["nodes"]]
        ids = [one["id"] for one in nodes]
        self.assertEqual(sorted(ids), sorted(set(ids)))
        for one in nodes:
            self.assertTrue(one["id"].strip() and one["name"].strip())
            self.assertNotIn("parent", one)
        for one in answer["elements"]["edges"]:
            self.assertLessEqual({one["data"]["source"], one["data"]["target"]}, set(ids))
            self.assertNotIn("id", one["data"])

    def test_groups(self):
        """The vertices without a value are one vertex of each format."""
        d = self.serve()
        text = f'label,type\n{quoted(ODD[0])},no type\n{quoted(ODD[-1])},end\n'
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", text.encode(),
                                {"Content-Type": "text/csv"}), 200)
        body = {"sources": [ODD[0]], "targets": [ODD[-1]], "slack": 100, "by": "type"}
        answer = self.ask(d, body).json
        self.assertEqual({v["vertex"] for v in answer["vertices"]}, {"no type", "", "end"})
        for format_, nobody in (("graphml", ""), ("dot", ""), ("cyjs", "no type'")):
            found = self.read(format_, self.ask(d, body, f"?format={format_}"))
            self.assertEqual(set(found.nodes), {"no type", nobody, "end"}, format_)
            self.assertEqual(int(found.nodes[nobody]["n_vertices" if format_ == "dot" else "vertices"]), len(ODD) - 2)
            self.assertEqual(int(found.edges[nobody, nobody]["arcs"]), len(ODD) - 3)

    def test_control_characters(self):
        """XML cannot hold them, and says so; the other formats can."""
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("g", b"a,\x01b,1\n", "?transform=none")
        reply = self.ask(d, {"sources": ["a"]}, "?format=graphml", 400)
        self.assertIn("a character that XML cannot hold", reply.json["detail"])
        for format_ in ("dot", "cyjs"):
            found = self.read(format_, self.ask(d, {"sources": ["a"]}, f"?format={format_}"))
            self.assertEqual(set(found.nodes), {"a", "\x01b"})

    def test_question_without_xml(self):
        """A vertex that is only in the question has a label that XML cannot hold."""
        d = self.daemon()
        d.start()
        self.addCleanup(d.stop)
        d.put("g", "a,b,1\n\ufffe,c,1\n".encode(), "?transform=none")
        reply = self.ask(d, {"sources": ["a", "\ufffe"], "targets": ["b"]}, "?format=graphml", 400)
        self.assertIn("the question", reply.json["detail"])
        self.assertEqual(set(self.read("graphml", self.ask(d, {"sources": ["a"], "targets": ["b"]},
                                                           "?format=graphml")).nodes), {"a", "b"})


if __name__ == "__main__":
    unittest.main()
