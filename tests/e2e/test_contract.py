"""The OpenAPI document is what the daemon does: requests made from it, by hypothesis,
and answers held against it, by jsonschema.

    APSP_CONTRACT_REQUESTS=10000 APSP_CONTRACT_SEED=7 python3 tests/e2e/test_contract.py

makes other requests than the few hundred of the test, and more.
"""
import glob
import http.client
import os
import re
import unittest
from urllib.parse import urljoin

import jsonschema
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from contract_requests import request
from contract_world import GOOD, World
from harness import SOURCE_ROOT, Case, Reply, data
from openapi import Document

REQUESTS = int(os.environ.get("APSP_CONTRACT_REQUESTS", "300"))
SEED = int(os.environ.get("APSP_CONTRACT_SEED", "0"))
TRIES = 12  # draws for one status of one route
SCOPES = [None, "read", "write", "admin"]
# refusals of test_memory, which no request alone can bring about: (operation, status, question,
# body). `star` has no tables and 70,000 arcs out of vertex 0; `chain` has no tables, and a path
# with too many arcs for a row
MEMORY = [
    ("get_path", 413, "star/path?from=0&to=9", None),
    ("get_reachable", 413, "star/reachable?from=0&to=9", None),
    ("get_vertex", 413, "star/vertices/0", None),
    ("get_distances", 413, "star/vertices/0/distances", None),
    ("get_reach_set", 413, "star/vertices/0/reachable", None),
    ("get_distances", 422, "larva/vertices/29/distances", None),
    ("get_reach_set", 422, "larva/vertices/29/reachable", None),
    ("get_matrix", 422, "larva/matrices/hops", None),
    ("list_arcs", 422, "larva/arcs?sort=weight", None),
    ("list_vertex_arcs", 422, "star/vertices/0/arcs?sort=weight", None),
    ("post_compare", 422, "larva/compare", {"with": {"profile": "default"}}),
    ("get_reachable", 422, "chain/reachable?from=0&to=9", None),
    ("get_vertex", 422, "chain/vertices/0", None)]


def drawn(n):
    return settings(max_examples=n, derandomize=True, database=None, deadline=None,
                    phases=[Phase.generate, Phase.shrink] if n > TRIES else [Phase.generate],
                    suppress_health_check=list(HealthCheck))


def edges(schema):
    """Texts at the edges of what a schema allows, and just past them."""
    if "enum" in schema:
        return schema["enum"], [text for text in ("", "zzz") if text not in schema["enum"]]
    step = {"integer": 1, "number": 0.5}.get(schema.get("type"))
    low, high = schema.get("minimum"), schema.get("maximum")
    if step is None or low is None or high is None:
        return [], []
    return [str(low), str(high)], [str(low - step), str(high + step), "", "x"]


class Contract(Case):
    def setUp(self):
        super().setUp()
        set_hypothesis_home_dir(os.path.join(self.directory, "hypothesis"))

    def world(self, **kwargs):
        world = World(self, **kwargs)
        world.asset = re.search(r"assets/[0-9a-f]+", world.d.ask(
            "GET", "/?format=html", None, world.admin).body.decode())[0]
        self.document = Document(world.document)
        self.seen = {}
        self.n = 0
        return world

    def send(self, world, asked, headers=()):
        """The answer, which must be one that the document has."""
        headers = {**asked.headers, **dict(headers)}
        if "Content-Length" in headers:  # of a body that never comes
            headers.setdefault("Expect", "100-continue")
        try:
            reply = world.d.ask(asked.method, asked.target, asked.body, headers)
        except (ConnectionError, http.client.HTTPException):
            # it was closed after the answer before, or while a refused body was sent
            world.d._client.close()
            reply = world.d.ask(asked.method, asked.target, asked.body, headers)
        self.n += 1
        self.document.check(asked.operation, reply, asked.method == "HEAD")
        key = asked.operation.name, reply.status
        self.seen[key] = self.seen.get(key, 0) + 1
        return reply

    def wanted(self):
        """Each route with each of its statuses that a request alone can bring about."""
        other = {(name, status) for name, status, *_ in MEMORY}
        return [(operation, status) for operation in self.document.operations.values()
                for status in operation.statuses if (operation.name, status) not in other]

    def provoke(self, world, operation, status, headers=()):
        """Ask until an answer has the status; whether one had."""
        @drawn(TRIES)
        @given(request(world, self.document, operation, status))
        def ask(asked):
            if (operation.name, status) not in self.seen:
                last.append((asked, self.send(world, asked, headers)))

        last = []
        ask()
        return (operation.name, status) in self.seen, last[-1:]

    def test_requests(self):
        world = self.world()
        missing = []
        for operation, status in self.wanted():
            if status in (401, 429) or (operation.name, status) == ("get_readyz", 503):
                continue
            came, last = self.provoke(world, operation, status)
            if not came:
                missing.append((operation, status, last))
        self.states(world)
        self.bounds(world)
        self.assertEqual(missing, [], "statuses that the document has, and nothing answers")
        self.fuzz(world, REQUESTS)
        self.fill_queue(world)
        self.assertUnready(world)
        absent = [(str(operation), status) for operation, status in self.wanted()
                  if status != 401 and (operation.name, status) not in self.seen]
        self.assertEqual(absent, [])
        if "APSP_CONTRACT_REQUESTS" in os.environ:
            self.tell()

    def tell(self):
        by_status = {}
        for (_, status), n in self.seen.items():
            by_status[status] = by_status.get(status, 0) + n
        print(f"{self.n} requests, {len(self.seen)} pairs of route and status;",
              ", ".join(f"{status}: {n}" for status, n in sorted(by_status.items())))

    def states(self, world):
        """Each request of a graph in each state, but for those that would change it."""
        for operation in self.document.operations.values():
            if not operation.has("path", "graph") or operation.name in (
                    "put_graph", "delete_graph"):
                continue
            for state in ("failed", "unreadable", "waiting", "large", "nobody"):
                @drawn(1)
                @given(request(world, self.document, operation, min(operation.statuses)))
                def ask(asked):
                    asked.path_values["graph"] = state
                    self.send(world, asked.finish())
                ask()

    def bounds(self, world):
        """Each argument takes what its schema allows to the edge, and nothing past it."""
        n = 0
        for operation in self.document.operations.values():
            for one in operation.named("query"):
                allowed, refused = edges(one["schema"])
                for text in allowed:
                    reply = self.ask_with(world, operation, one["name"], text)
                    # options of bundles alone, of widest paths alone, and of a measure
                    elsewhere = {"prove": "of a bundle", "width": "about widest paths",
                                 "betweenness": "measures=betweenness",
                                 "betweenness_normalized": "measures=betweenness"}.get(
                        "prove" if one["name"] == "prove" else text)
                    if elsewhere and reply.status == 400:
                        self.assertIn(elsewhere, reply.json["detail"])
                        continue
                    self.assertNotIn(reply.status, (400, 415), (operation, one["name"], text))
                for text in refused:
                    reply = self.ask_with(world, operation, one["name"], text)
                    self.assertIn(reply.status, (400, 415), (operation, one["name"], text))
                n += len(allowed) + len(refused)
        self.assertGreater(n, 200)

    def ask_with(self, world, operation, name, text):
        """Ask with one argument besides those that it needs."""
        @drawn(1)
        @given(request(world, self.document, operation, min(operation.statuses)))
        def ask(asked):
            needed = {"tolerance": [("ties", "all")], "max_arcs": [("ties", "all")],
                      "progress": [("wait", "0")], "part": [("format", "csv")]}
            needed |= {"list_arcs": {"limit": [("sort", "weight")], "cursor": [("sort", "weight")]},
                       "get_stats": {"limit": [("vertices", "1")], "sort": [("vertices", "1")]}}.get(
                           operation.name, {})
            excluded = {("put_graph", "path"): ["transform", "measures", "tables", "algorithm"]}
            required = {one["name"] for one in operation.named("query") if one["required"]}
            asked.query = [(n, t) for n, t in asked.query
                           if n != name and (n in required or operation.name == "put_graph")
                           and n not in excluded.get((operation.name, name), [])]
            if operation.name == "get_graph" and name != "revision":
                asked.query.append(("revision", world.revisions.get(asked.graph, "")))
            if operation.name == "put_graph" and text in ("bundle", "recompute"):
                # a bundle has rules of its own, and only a bundle has tables
                asked.query = [("format", "bundle")] if text == "recompute" else []
            asked.query += needed.get(name, []) + [(name, text)]
            replies.append(self.send(world, asked.finish()))

        replies = []
        ask()
        return replies[-1]

    def fuzz(self, world, n):
        operations = list(self.document.operations.values())

        @seed(SEED)
        @settings(drawn(n), derandomize=False)
        @given(st.sampled_from(operations).flatmap(
            lambda operation: request(world, self.document, operation)))
        def ask(asked):
            self.send(world, asked)

        ask()

    def fill_queue(self, world):
        """429 where jobs are queued."""
        asked = ((graph, i) for graph in GOOD for i in range(256))
        status = None
        while status != 429:  # a graph has at most as many profiles as jobs may wait
            graph, i = next(asked)
            status = world.d.ask("PUT", f"/v1/graphs/{graph}/profiles/q{i}",
                                 {"transform": "inv", "min_weight": i + 0.5}).status
        for name in ("put_graph", "put_profile"):
            operation = self.document.operations[name]
            came, last = self.provoke(world, operation, 429)
            self.assertTrue(came, (operation, last))

    def assertUnready(self, world):
        """503 of /readyz: the cache cannot be written."""
        cache = os.path.join(self.directory, "cache")
        os.rename(cache, cache + "-gone")
        try:
            came, last = self.provoke(world, self.document.operations["get_readyz"], 503)
        finally:
            os.rename(cache + "-gone", cache)
        self.assertTrue(came, last)

    def test_memory(self):
        """413 and 422 where a question needs more memory than it may have, or longer integers."""
        star = "".join(f"0,{at + 1},1\n" for at in range(70_000)).encode()
        chain = "".join(f"{at},{at + 1},{2**45 - 1}\n" for at in range(300)).encode()
        with self.daemon(args=("--row-cache", "64K", "--answer-memory", "1M")) as d:
            for name, body, query in (("star", star, "transform=none&tables=none"),
                                      ("chain", chain, "transform=none&tables=none"),
                                      ("larva", data("larva_edges.csv"), "transform=inv")):
                self.assertStatus(d.ask("PUT", f"/v1/graphs/{name}?{query}&wait=30", body,
                                        {"Content-Type": "text/csv"}), 200)
            document = Document(d.ask("GET", "/v1/openapi.json").body)
            for name, status, question, body in MEMORY:
                operation = document.operations[name]
                reply = d.ask(operation.method, "/v1/graphs/" + question, body)
                self.assertStatus(reply, status)
                document.check(operation, reply)
                self.assertRegex(reply.json["detail"], "larger --row-cache" if status == 413 else
                                 "one answer may take 524 kB of memory|integers of 62 bits")

    def test_tokens(self):
        """401 without a token and 403 with too small a one, by the scopes of the document."""
        world = self.world(with_tokens=True)
        for operation in self.document.operations.values():
            need = SCOPES.index(operation.scope)
            for has, scope in enumerate(SCOPES):
                headers = world.bearer(scope) if scope else {}
                want = 401 if need and not has else 403 if has < need else 406
                @drawn(1)
                @given(request(world, self.document, operation, 406))
                def ask(asked):
                    reply = self.send(world, asked, headers)
                    if want != 406:
                        self.assertEqual(reply.status, want, (asked, scope))
                    else:
                        self.assertNotIn(reply.status, (401, 403), (asked, scope))
                ask()
        self.assertTrue(all(key in self.seen for key in [
            (operation.name, 401) for operation in self.document.operations.values()
            if operation.scope]))

    def test_document(self):
        """Schemas are schemas; handlers read the arguments that contracts have."""
        with self.daemon(args=("--base-path", "/lab")) as d:
            at = "/lab/v1/openapi.json"
            document = Document(d.ask("GET", at).body)
            server = urljoin(at, document.open["servers"][0]["url"])
            self.assertEqual(server, "/lab/")
            self.assertStatus(d.ask("GET", server.rstrip("/") + "/healthz"), 200)
        for where, schema in document.schemas():
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertIsNotNone(document.complaint(schema, object()) or where)
        for operation in document.operations.values():
            for one in operation.named("header"):
                self.assertEqual("change only" in one["description"],
                                 one["name"] in ("If-Match", "If-None-Match")
                                 and operation.method != "GET", operation.name)
        # members whose name has another meaning elsewhere
        for name, word in (("Device/type", "device"), ("Table/width", "widths of paths"),
                           ("WideChangedPair/width", "of a path"), ("Info/rows", "in memory"),
                           ("Receipt/columns/from", "column"), ("Ready/status", "ready"),
                           ("Statistics/distance_histogram/from", "0 if there are no bins"),
                           ("Statistics/distance_histogram/width", "1 if there are no bins")):
            at, *members = name.split("/")
            member = document.open["components"]["schemas"][at]
            for one in members:
                member = member["properties"][one]
            self.assertIn(word, member["description"], name)
        declared = {one["name"] for operation in document.operations.values()
                    for one in operation.named("query")}
        read = set()
        for path in glob.glob(os.path.join(SOURCE_ROOT, "api", "**", "*.c"), recursive=True):
            with open(path, encoding="utf-8") as file:
                read |= set(re.findall(
                    r'apsp_query_(?:get|next|uint|choice|number)\(\s*req,\s*"(\w+)"', file.read()))
        self.assertLessEqual(read, declared)
        self.assertEqual(declared - read - self.made_of_lists(), set())

    def made_of_lists(self):
        """Arguments that handlers read by the names of a list."""
        found = set()
        for path in (("daemon", "job", "profile.c"), ("api", "graphs", "upload_input.c"),
                     ("storage", "ingest", "file_options.h")):
            with open(os.path.join(SOURCE_ROOT, *path), encoding="utf-8") as file:
                text = file.read()
            found |= set(re.findall(r'"(\w+_column)"|choice_read\(\s*req, "(\w+)"'
                                    r'|\.name = "(\w+)"|CHOICE\(\s*(\w+),', text))
        return {name for names in found for name in names if name}


if __name__ == "__main__":
    unittest.main()
