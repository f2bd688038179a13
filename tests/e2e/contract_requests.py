"""Requests made from the OpenAPI document, as strategies of hypothesis.

request(world, document, operation, want) draws one: with want, a status, it is
made to be answered so; without, anything that a client might send.
"""
import json
import string
from urllib.parse import quote, urlencode

from hypothesis import strategies as st

import contract_world as w

UNKNOWN = "nobody-here"
TEXTS = st.text(st.characters(blacklist_categories=("Cs",), min_codepoint=1), max_size=12)
NAMES = st.text(string.ascii_letters + string.digits + "._~-", min_size=1, max_size=9)
NUMBERS = st.sampled_from(["0", "1", "0.5", "2.25", "1e3", "-1", "1e-9", "9007199254740993"])
WRONG = st.one_of(st.sampled_from(["", "x", "-", "1.5.2", "nan", "inf", "9" * 40, "zzz", " 1"]),
                  TEXTS)
VALUES = ["distance", "hops", "predecessor", "reachable"]
RULES_422 = {"transform": "log", "invalid": "error"}


class Request:
    def __init__(self, operation, want):
        self.operation, self.want = operation, want
        self.method = operation.method
        self.graph = self.target = None
        self.headers, self.body = {}, None
        self.path_values, self.query = {}, []

    def finish(self):
        path = self.operation.path
        for name, value in self.path_values.items():
            path = path.replace("{" + name + "}", quote(value, safe=""))
        self.target = path + ("?" + urlencode(self.query) if self.query else "")
        return self

    def __repr__(self):
        return (f"<{self.method} {self.target} {self.headers} "
                f"{self.body if self.body is None else self.body[:300]!r} want={self.want}>")


def of_schema(schema, document):
    """Texts that a schema of an argument allows, at its edges first."""
    schema = document.resolve(schema)
    if "enum" in schema:
        return st.sampled_from([str(one) for one in schema["enum"]])
    if schema.get("type") == "integer":
        low, high = schema.get("minimum", 0), schema.get("maximum", 2**32 - 1)
        return st.sampled_from([low, min(low + 1, high), high]).map(str)
    if schema.get("type") == "number":
        low, high = schema.get("minimum"), schema.get("maximum")
        return st.sampled_from([str(low), str(high), "0.5"]) if high is not None else NUMBERS
    if schema.get("type") == "array":
        return of_schema(schema["items"], document)
    return TEXTS


def json_of(schema, document):
    """Values that a schema of a body allows."""
    schema = document.resolve(schema)
    if "anyOf" in schema:
        return st.one_of(*(json_of(one, document) for one in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):  # a value that may be null
        return st.one_of(st.none(), json_of({**schema, "type": kind[0]}, document))
    if kind == "object":
        required = {name: json_of(one, document) for name, one in schema["properties"].items()
                    if name in schema["required"]}
        others = {name: json_of(one, document) for name, one in schema["properties"].items()
                  if name not in schema["required"]}
        return st.fixed_dictionaries(required, optional=others)
    if kind == "array":
        return st.lists(json_of(schema["items"], document), min_size=schema.get("minItems", 0),
                        max_size=min(schema.get("maxItems", 4), 4),
                        unique=schema.get("uniqueItems", False))
    if kind == "integer":
        low = schema.get("minimum", 0)
        return st.integers(low, min(schema.get("maximum", low + 99), low + 99))
    return {"number": st.floats(0, 100, width=32), "boolean": st.booleans()}.get(kind, TEXTS)


class Draw:
    """One request, drawn step by step."""

    def __init__(self, draw, world, document, operation, want):
        self.draw, self.world, self.document = draw, world, document
        self.operation, self.want = operation, want
        self.r = Request(operation, want)
        self.labels = []

    def one(self, values):
        return self.draw(st.sampled_from(list(values)))

    def maybe(self, chance):
        """True in one of so many draws; never where a status is wanted."""
        return self.want is None and self.draw(st.integers(1, chance)) == 1

    # the path

    def graph_pool(self):
        name, want = self.operation.name, self.want
        changes = self.operation.method in ("PUT", "PATCH", "DELETE")
        if want == 404 and not self.operation.has("path", "vertex"):
            return [UNKNOWN]
        if want == 409 and name != "put_graph":
            return ["unreadable"] if name in (
                "get_graph", "get_profile", "list_arcs", "list_vertices", "get_attributes",
                "put_attributes", "delete_attributes", "post_estimate", "put_profile",
                "delete_profile", "patch_graph", "delete_graph") else ["failed", "unreadable"]
        if want == 503:
            return ["waiting"]
        if want == 507 and name != "put_graph":
            return ["large"]
        if name == "put_graph":
            return {409: ["integer"], 412: ["integer"], 200: ["integer", "odd", "real"],
                    202: w.NEW, 422: [UNKNOWN]}.get(want, w.NEW)
        if name == "delete_graph":
            return w.NEW
        if name == "put_profile":
            return {200: ["integer"], 202: ["integer"], 422: ["integer"]}.get(
                want, ["integer", *w.NEW, "odd", "large"])
        if name in ("put_attributes", "delete_attributes", "patch_graph"):
            return ["integer"]
        if name == "delete_profile":
            return ["integer"]
        if changes:
            return w.NEW
        if name == "post_groups" or name == "get_attributes":
            return ["real"] if want else ["real", "integer", "odd"]
        if want in (200, 206, 304, 416, 422):
            return w.GOOD
        return [*w.GOOD, *w.GOOD, "failed", "unreadable", "waiting", UNKNOWN, "", ".x", "a b"]

    def path_value(self, name):
        if name == "graph":
            self.r.graph = self.one(self.graph_pool()) or UNKNOWN
            self.labels = w.LABELS.get(self.r.graph, ["a", "b"])
            return self.r.graph
        wrong = self.want == 404 or self.maybe(12)
        if name == "vertex":
            return UNKNOWN if wrong else self.one(self.labels)
        if name == "profile":
            if self.want == 200 and self.operation.method == "PUT":
                return "hops"
            if (self.want, self.operation.method) in ((422, "DELETE"), (507, "PUT")):
                return "default"
            if self.operation.method != "GET":
                return UNKNOWN if self.want == 404 else self.one([f"p{i}" for i in range(9)])
            return UNKNOWN if wrong else "default"
        if name == "job":
            return self.job(wrong)
        pools = {"matrix": VALUES[:3] + ["closure"],
                 "problem": ["bad-data", "unknown-vertex", "bug"],
                 "set": [self.world.asset.split("/")[1]], "file": ["style.css", "app.js"]}
        return UNKNOWN if wrong else self.one(pools[name])

    def job(self, wrong):
        if wrong:
            return self.one(["999999", "0", "x", "9" * 30, " 1"])
        if self.operation.name == "delete_job":
            if self.want == 202:
                return self.world.running() or "1"
            jobs = [str(i) for i in range(1, 40) if str(i) != self.world.protected]
            return self.one(jobs[:5] if self.want else jobs)
        return self.one([str(i) for i in range(1, 9)])

    # the query

    def argument(self, one):
        """A text for an argument; a right one where a status is wanted."""
        name = one["name"]
        if self.maybe(9):
            return self.draw(WRONG)
        attributes = self.r.graph in w.ATTRIBUTES
        pools = {
            "profile": ["default", "hops"] if self.r.graph == "integer" else ["default"],
            "from": self.labels, "to": self.labels,
            "avoid": [*self.labels, "a>b", "b>c"],
            "avoid_arc": ["a>b", "b>c", "a>d"],
            "match": ["type:KC", "type:MBON", "side:L", "side:"] if attributes else ["type:KC"],
            "values": ["distance", "hops,path"] if self.operation.name == "post_paths"
                      else VALUES + ["distance,hops", "reachable,predecessor", ",".join(VALUES)],
            "cursor": ["1", "2", "30"] if "graphs" not in self.operation.path
                      or self.operation.has("path", "graph") else ["a", "odd"],
            "q": ["a", "é", "1", ""],
            "graph": ["integer", "odd", UNKNOWN],
            "algorithm": [*self.world.info["algorithms"]],
            "hops": ["0", "1", "2", "..3", "..0", "7"],
            "k": ["1", "2", "10", "1000"],
            "wait": ["0"],
            "revision": [self.world.revisions.get(self.r.graph, UNKNOWN)] * 3 + [UNKNOWN],
            "of": ["integer", "real", UNKNOWN], "by": ["type", "side", "x"],
            "from_column": ["pre", "source", "a"], "to_column": ["post", "b"],
            "weight_column": ["weight", "count"],
            "bins": ["1", "7", "4096"],
        }
        if name in pools:
            return self.one(pools[name])
        return self.draw(of_schema(one["schema"], self.document))

    def query(self):
        if self.operation.name == "put_graph" and self.want == 404:
            self.r.query += [("of", UNKNOWN), ("by", "type")]
        if self.operation.name == "list_arcs" and self.want == 503:
            self.r.query += [("sort", "weight")]  # only a profile may be unready
        for one in self.operation.named("query"):
            if one["required"] or self.wants_argument(one):
                for _ in range(1 + (one["schema"].get("type") == "array" and self.maybe(3))):
                    self.r.query.append((one["name"], self.argument(one)))
        if self.want == 400 or self.maybe(25):
            self.r.query.append((self.draw(NAMES) + "zz", "1"))
        if self.maybe(40) and self.r.query:
            self.r.query.append(self.r.query[0])
        if self.want is None:
            self.r.query = [one for one in self.r.query
                            if not self.maybe(60)]

    def wants_argument(self, one):
        if self.want in (202, 204, 413, 415, 507, 412) or (self.want == 422):
            return False
        if self.want is not None:  # those that go together with anything
            return one["name"] in ("format", "bins", "direction", "limit") \
                and self.operation.name != "put_graph" and self.draw(st.booleans()) \
                and self.want in (200, 304)
        return self.draw(st.integers(0, 3)) == 0

    # headers

    def header_values(self):
        want = self.want
        pools = {
            "If-None-Match": ["*", '"x"', '"a", "b"', "x"], "If-Match": ["*", '"x"', "x"],
            "Range": ["bytes=0-9", "bytes=-1", "bytes=5-", "bytes=999999999-", "x", "bytes=9-1"],
            "If-Range": ['"x"'], "Content-Encoding": ["gzip", "zstd", "identity", "br"]}
        for one in self.operation.named("header"):
            if self.maybe(5):
                self.r.headers[one["name"]] = self.one(pools[one["name"]])
        if want == 415 and self.operation.name not in ("put_graph", "put_attributes"):
            self.r.headers["Content-Encoding"] = "br"
        if want == 304:
            self.r.headers["If-None-Match"] = "*"
        if want == 412:
            self.r.headers["If-Match"] = '"x"'
        if want in (206, 416):
            self.r.headers["Range"] = "bytes=0-9" if want == 206 else "bytes=99999999999-"
        if want == 406 or self.maybe(30):
            self.r.headers["Accept"] = "image/png"
            if want:
                self.r.query = [one for one in self.r.query if one[0] != "format"]
        elif self.maybe(4):
            self.r.headers["Accept"] = self.one(
                ["text/csv", "application/x-ndjson", "text/html", "*/*", "application/x-npy",
                 "application/json;q=0.1, text/csv", "text/*", ";q=x"])
        if want == 421 or self.maybe(60):
            self.r.headers["Host"] = "evil.example"
        if want == 403 or self.maybe(60):
            self.r.headers["Origin"] = "http://evil.example"
        if want == 431 or self.maybe(200):
            self.r.headers["X-Long"] = "a" * 20000

    def revision(self):
        """What brings about refusals by the revision that answers."""
        if "revision" not in [one["name"] for one in self.operation.named("query")]:
            return
        if self.operation.name == "put_graph":  # its revision is that of the graph in `of`
            return
        if self.want == 412 or (self.want, self.operation.name) == (409, "delete_graph"):
            self.r.headers.pop("If-Match", None)
            self.r.query.append(("revision", UNKNOWN))
        elif self.want == 503 and self.operation.name == "get_graph":
            self.r.query.append(("revision", self.world.revisions["waiting"]))

    # the body

    def body(self):
        if self.operation.name in ("put_graph", "put_attributes"):
            self.upload()
        elif self.operation.bodies:
            self.json_body()
        elif self.maybe(60):
            self.r.body = b"{}"
        if self.want == 413 or (self.operation.bodies and self.maybe(80)):
            self.r.headers["Content-Length"] = str(10**12)
            self.r.body = None

    def upload(self):
        name, want = self.operation.name, self.want
        if name == "put_attributes":
            kind, body, coding = w.CSV, self.one(w.ATTRIBUTES.values()), None
            if want == 422 or self.maybe(5):
                body = self.one([b"", b"label,a,a\nx,1,2\n", b"label\n", b'a,b\n"x'])
        elif want == 200 and self.r.graph in w.GRAPHS:
            body, kind, query = w.GRAPHS[self.r.graph]
            coding, self.r.query = None, list(query.items())
        else:
            kind, body, coding = self.one(
                {202: w.UPLOADS[:3], 422: w.UPLOADS[4:5], 507: w.UPLOADS[10:11]}.get(
                    want, w.UPLOADS if want is None else w.UPLOADS[:1]))
            if want in (202, 422, 429, 507):
                self.r.query = [("transform", "inv")]
                if want == 507:
                    self.r.query.append(("tables", "all"))
            elif want == 409:
                self.r.query = [("transform", "lognorm")]
            elif self.maybe(2):
                self.r.query = [("transform", self.one(["inv", "hops", "none", "log"]))]
        if want == 415:
            kind = "application/pdf"
        if kind:
            self.r.headers["Content-Type"] = kind
        if coding:
            self.r.headers["Content-Encoding"] = coding
        self.r.body = self.spoilt(body)

    def spoilt(self, body):
        if not body or not self.maybe(8):
            return body
        at = self.draw(st.integers(0, len(body)))
        return body[:at] + self.draw(st.binary(max_size=4)) + body[at + 1:]

    def csv_of_pairs(self, labels):
        quoted = labels.map(lambda label: '"' + label.replace('"', '""') + '"')
        lines = self.draw(st.lists(st.tuples(quoted, quoted).map(",".join), max_size=5))
        self.r.headers["Content-Type"] = w.CSV + (";layout=matrix" if self.want else "")
        self.r.body = self.spoilt("\n".join(self.one([["from,to"], []]) + lines).encode())

    def json_body(self):
        name, want = self.operation.name, self.want
        labels = st.sampled_from(self.labels or ["a"])
        if name == "post_paths" and (want == 415 or self.maybe(3)):
            self.csv_of_pairs(labels)
            return
        sets = st.lists(labels, max_size=4)
        if self.r.graph in w.ATTRIBUTES and not any(name == "match" for name, _ in self.r.query):
            sets |= st.just({"match": ["type:KC"]})
        known = {
            "post_paths": st.fixed_dictionaries({"pairs": st.lists(st.tuples(labels, labels).map(
                list), max_size=5)}) | st.fixed_dictionaries({"sources": sets, "targets": sets}),
            "post_table": st.fixed_dictionaries({}, optional={
                "sources": sets, "targets": sets}),
            "post_reachable": st.fixed_dictionaries({"sources": sets}, optional={
                "targets": sets, "max_hops": st.integers(0, 3), "values": st.just(["distance"])}),
            "post_groups": st.sampled_from([{"attribute": "type"},
                                            {"sources": "type", "targets": "side"},
                                            {"attribute": "type", "targets": ["a"]}]),
            "post_circuit": st.fixed_dictionaries({}, optional={
                "sources": sets, "targets": sets, "max_arcs": st.integers(0, 9),
                "tolerance": st.sampled_from([0, 1e-9])}).flatmap(
                    lambda body: st.sampled_from([{}, {"slack": 0}, {"within": 2.5}]).map(
                        lambda bound: {**body, **bound})),
            "post_compare": st.fixed_dictionaries(
                {"with": st.fixed_dictionaries({"profile": st.just("default")}, optional={
                    "graph": st.just(self.r.graph)})},
                optional={"top": st.integers(1, 9), "tolerance": st.floats(0, 1)}),
            "put_profile": st.fixed_dictionaries(
                {"transform": st.sampled_from(["inv", "hops"]),
                 "min_weight": st.integers(1, 10**9)}),
            "patch_graph": st.fixed_dictionaries(
                {"weight_unit": st.sampled_from(["synapses", "\u00b5m", "", None])}),
            "post_estimate": st.just({"transform": "hops"}),
            "post_new_estimate": st.fixed_dictionaries({
                "vertices": st.integers(1, 2000), "arcs": st.integers(0, 5000),
                "transform": st.just("inv")})}
        if name == "put_profile" and want == 200:
            value = {"transform": "hops"}
        elif name == "put_profile" and want == 422:
            value = RULES_422
        elif name == "put_profile" and want == 507:
            value = {"transform": "inv", "tables": "all"}
        elif name == "post_new_estimate" and want == 507:
            value = {"vertices": 10**6, "arcs": 10, "transform": "inv", "tables": "all"}
        elif name in ("post_table", "post_paths", "post_groups", "post_reachable",
                      "post_circuit") and want == 422:
            value = {"sources": [UNKNOWN]}
        elif name == "post_estimate" and want == 507:
            value = {"transform": "inv", "tables": "all"}
        elif name == "post_estimate" and want == 409:
            return
        elif want or self.draw(st.booleans()):
            value = self.draw(known[name])
        else:
            value = self.draw(json_of(self.operation.bodies["application/json"], self.document))
        if self.maybe(10) and isinstance(value, dict):
            value = {**value, self.draw(NAMES): self.draw(st.none() | st.integers() | TEXTS)}
        self.r.headers["Content-Type"] = "application/json"
        self.r.body = self.spoilt(json.dumps(value).encode())
        if self.maybe(40):
            self.r.body = b""

    def make(self):
        for one in self.operation.named("path"):
            self.r.path_values[one["name"]] = self.path_value(one["name"])
        self.query()
        self.body()
        self.header_values()
        if self.operation.name == "get_path" and self.want == 422:
            self.r.query.append(("avoid", UNKNOWN))
        self.revision()
        if self.operation.method == "GET" and self.maybe(10):
            self.r.method = "HEAD"
        self.r.finish()
        if self.want == 308:  # the page, without the slash behind the prefix
            self.r.target = w.BASE
        return self.r


@st.composite
def request(draw, world, document, operation, want=None):
    return Draw(draw, world, document, operation, want).make()
