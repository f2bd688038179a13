"""Rules with shares and with vertices that are left out, computed again with pandas, NumPy
and all_pairs.py from the uploaded arcs: all pairs of larva and of three random graphs."""
import csv
import io
import json
import math
import os
import unittest
import urllib.parse

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from all_pairs import all_pairs
from harness import Case, DATA, Gate

LARVA = os.path.join(DATA, "larva_edges.csv")
TYPES = os.path.join(DATA, "larva_vertices.csv")
LENGTH = {"none": lambda share, most: share,
          "inv": lambda share, most: 1 / share,
          "log": lambda share, most: -np.log(share),
          "lognorm": lambda share, most: -np.log(share / most)}


def random_graph(seed, n=150, m=1400):
    """Arcs with duplicates, self-loops and weights that are not whole."""
    chance = np.random.default_rng(seed)
    return pd.DataFrame({"pre": chance.integers(0, n, m).astype(str),
                         "post": chance.integers(0, n, m).astype(str),
                         "weight": chance.lognormal(0, 1.5, m).round(seed)})\
        .query("weight > 0")


def larva():
    return pd.read_csv(LARVA, names=["pre", "post", "weight"], dtype={"pre": str, "post": str})


def larva_types():
    return pd.read_csv(TYPES, dtype=str, keep_default_na=False).set_index("id")


def random_attributes(seed, n=150):
    """Attributes with values that need care: commas, percent signs, none."""
    chance = np.random.default_rng(100 + seed)
    return pd.DataFrame({
        "type": chance.choice(["a, b", "50%", "c"], n),
        "side": chance.choice(["left", "right", ""], n),
        "post count": chance.integers(900, 2000, n).astype(str)},
        index=[str(v) for v in range(n)])


def merged_shares(arcs, rule, attributes):
    """The merged arcs with their shares, before anything is dropped."""
    merged = arcs.groupby(["pre", "post"], sort=False, as_index=False)["weight"].sum()
    if "normalise" in rule:
        end = {"input": "post", "output": "pre"}[rule["normalise"]]
        if "normalise_by" in rule:
            total = merged[end].map(attributes[rule["normalise_by"]].astype(float))
        else:
            total = merged.groupby(end).weight.transform(math.fsum)
        merged["share"] = merged.weight / total
    else:
        merged["share"] = merged.weight
    return merged


def chosen(without, labels, attributes):
    """The labels that the conditions choose: one value of each name must hold."""
    found = set(labels)
    for name in {condition.split(":", 1)[0] for condition in without}:
        values = {condition.split(":", 1)[1] for condition in without
                  if condition.split(":", 1)[0] == name}
        column = pd.Series(labels, index=labels) if name == "label" \
            else attributes[name].reindex(labels).fillna("")
        found &= set(column.index[column.isin(values)])
    return found


def kept_arcs(arcs, rule, attributes=None):
    """The arcs that the rule leaves, with their lengths."""
    merged = merged_shares(arcs, rule, attributes)
    most = merged.share.max()
    out = chosen(rule["without"], pd.unique(pd.concat([arcs.pre, arcs.post])), attributes) \
        if "without" in rule else set()
    kept = merged[(merged.weight >= rule.get("min_weight", 0))
                  & (merged.share >= rule.get("min_share", 0))
                  & (merged.pre != merged.post)
                  & ~merged.pre.isin(out) & ~merged.post.isin(out)]
    return kept.assign(length=LENGTH[rule["transform"]](kept.share, most))


def distances(kept, labels):
    """All pairs of the arcs that the rule leaves."""
    at = pd.Series(range(len(labels)), index=labels)
    return all_pairs(csr_matrix((kept.length.to_numpy(), (at[kept.pre], at[kept.post])),
                                shape=(len(labels),) * 2))


class Weights(Case):
    def compare(self, d, graph, arcs, rule, attributes=None):
        """All pairs of the profile beside all_pairs.py; returns the distances."""
        labels = d.ask("GET", f"/v1/graphs/{graph}/vertices?limit=10000").json["vertices"]
        reply = d.ask("GET", f"/v1/graphs/{graph}/matrices/distance?profile=p",
                      headers={"Accept": "application/x-npy"})
        self.assertStatus(reply, 200)
        found = np.load(io.BytesIO(reply.body))
        right = distances(kept_arcs(arcs, rule, attributes), labels)
        # a length is rounded to a unit of at most 2^-17 of the shortest arc, and a
        # stored distance to float32
        np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-12)
        return right

    def profile(self, d, graph, rule):
        reply = d.ask("PUT", f"/v1/graphs/{graph}/profiles/p", rule)
        self.assertIn(reply.status, (200, 202), reply)
        if reply.json["job"]:  # the upload may have made the tables of the profile before
            ended = d.wait(reply.json["job"])
            self.assertEqual(ended["state"], "succeeded", ended)

    def upload(self, d, graph, arcs, query="?transform=hops"):
        return d.put(graph, arcs.to_csv(index=False).encode(), query)

    def annotate(self, d, graph, attributes):
        reply = d.ask("PUT", f"/v1/graphs/{graph}/attributes",
                      attributes.to_csv(index_label="label").encode(),
                      {"Content-Type": "text/csv"})
        self.assertEqual(reply.status, 200, reply)

    def check(self, arcs, rules, attributes=None):
        with self.daemon() as d:
            self.upload(d, "g", arcs, "?transform=hops&tables=none")
            if attributes is not None:
                self.annotate(d, "g", attributes)
            seen = []
            for rule in rules:
                self.profile(d, "g", rule)
                seen.append(self.compare(d, "g", arcs, rule, attributes))
            # otherwise an option that changes nothing would pass
            for one, other in zip(seen, seen[1:]):
                self.assertFalse(np.array_equal(one, other))

    def test_larva(self):
        self.check(larva(), [
            {"transform": "log", "normalise": "input"},
            {"transform": "log", "normalise": "input", "min_weight": 5},
            {"transform": "inv", "normalise": "output", "min_share": 0.01}])

    def test_random(self):
        for seed in range(3):
            with self.subTest(seed=seed):
                self.check(random_graph(seed), [
                    {"transform": transform, "normalise": normalise, **more}
                    for transform in ("log", "inv", "lognorm", "none")
                    for normalise in ("input", "output")
                    for more in ({"duplicates": "sum"},
                                 {"duplicates": "sum", "min_weight": 2, "min_share": 0.05})])

    def test_larva_without(self):
        self.check(larva(), [
            {"transform": "log", "normalise": "input", "without": ["type:KC"]},
            {"transform": "log", "normalise": "input", "without": ["label:29", "label:8419602"],
             "min_weight": 2},
            {"transform": "lognorm", "without": ["type:KC", "type:CX", "side:L"]}],
            larva_types())

    def test_random_without(self):
        for seed in range(3):
            arcs, attributes = random_graph(seed), random_attributes(seed)
            with self.subTest(seed=seed):
                self.check(arcs, [
                    {"transform": transform, "duplicates": "sum", **more}
                    for transform in ("log", "inv", "none")
                    for more in (
                        {"normalise": "input", "without": ["type:a, b"]},
                        {"normalise": "output", "without": ["type:a, b", "type:50%", "side:"],
                         "min_share": 0.02},
                        {"normalise": "input", "normalise_by": "post count",
                         "without": ["label:7", "label:8"], "min_weight": 1})],
                    attributes)

    def statistics(self, d, graph, query=""):
        told = d.ask("GET", f"/v1/graphs/{graph}/stats{query}")
        self.assertStatus(told, 200)
        return {name: value for name, value in told.json.items()
                if name not in ("revision", "profile", "left_out")}

    def check_removed(self, arcs, attributes, without, rule):
        """Without totals, a lesion is the graph without the vertices."""
        out = chosen(without, pd.unique(pd.concat([arcs.pre, arcs.post])), attributes)
        rest = arcs[~arcs.pre.isin(out) & ~arcs.post.isin(out)]
        stay = set(rest.pre) | set(rest.post)
        # vertices that lose all their arcs would be missing from the smaller upload
        arcs = arcs[(arcs.pre.isin(stay) | arcs.pre.isin(out))
                    & (arcs.post.isin(stay) | arcs.post.isin(out))]
        with self.daemon() as d:
            self.upload(d, "whole", arcs)
            self.annotate(d, "whole", attributes)
            self.profile(d, "whole", {**rule, "without": without})
            self.upload(d, "rest", rest)
            self.annotate(d, "rest", attributes)
            self.profile(d, "rest", rule)
            record = d.ask("GET", "/v1/graphs/whole/profiles/p").json
            present = set(arcs.pre) | set(arcs.post)
            self.assertEqual(record["left_out"], len(out & present))
            self.assertEqual(record["without"], sorted(without))
            mine, other = (self.statistics(d, graph, "?profile=p")
                           for graph in ("whole", "rest"))
            self.assertEqual(mine.pop("vertices"), len(stay))
            del other["vertices"]
            for name in ("characteristic_path_length", "global_efficiency", "betweenness"):
                self.close(mine.pop(name), other.pop(name))
            self.assertEqual(mine, other)
            tables = {}
            for graph in ("whole", "rest"):
                body = d.ask("GET", f"/v1/graphs/{graph}/stats?profile=p&vertices=1&format=csv").body
                tables[graph] = pd.read_csv(io.BytesIO(body), dtype={
                    "vertex": str, "strong_component": str, "weak_component": str})\
                    .set_index("vertex").sort_index()
            left_out = tables["whole"].loc[sorted(out & present)]
            self.assertTrue(left_out.drop(columns=attributes.columns).isna().all().all())
            self.assertEqual(left_out["type"].to_dict(), attributes["type"][left_out.index].to_dict())
            for name in ("reaches", "reached_by", "eccentricity_out", "closeness_in",
                         "efficiency_out"):
                np.testing.assert_allclose(
                    tables["whole"][name].reindex(tables["rest"].index), tables["rest"][name],
                    rtol=1e-6)
            groups = [d.ask("POST", f"/v1/graphs/{graph}/groups?profile=p",
                            {"attribute": "type"}).json for graph in ("whole", "rest")]
            self.assertEqual(groups[0].pop("left_out"), len(out & present))
            rows = [{(row["from"], row["to"]): (row["pairs"], row["reachable"], row["min"])
                     for row in one["groups"] if row["pairs"]} for one in groups]
            self.assertEqual(rows[0], rows[1])
            self.check_ends(d, sorted(out & present)[0], sorted(stay)[0])

    def check_ends(self, d, gone, stays):
        """Left out: an index, no arcs, and a distance of 0 to itself."""
        path = d.path("whole", gone, stays, "&profile=p").json
        self.assertEqual((path["reachable"], path["left_out"]), (False, ["from"]))
        path = d.path("whole", gone, gone, "&profile=p").json
        self.assertEqual((path["distance"], path["left_out"]), (0, ["from", "to"]))
        self.assertNotIn("left_out", d.path("whole", stays, stays, "&profile=p").json)
        self.assertNotIn("left_out", d.path("whole", gone, stays).json)
        vertex = d.ask("GET", f"/v1/graphs/whole/vertices/{gone}?profile=p").json
        self.assertEqual((vertex["left_out"], vertex["out_degree"], vertex["on_cycle"],
                          vertex["reaches"]), (True, 0, False, 0))
        reach = d.ask("GET", f"/v1/graphs/whole/vertices/{gone}/reachable?profile=p").json
        self.assertEqual(reach["vertices"], [gone])
        self.check_marks(d, gone, stays)

    def rows(self, d, target, body=None, number=None):
        """The rows of an answer in CSV or NDJSON; number is that of its header."""
        reply = self.assertStatus(
            d.ask("POST" if body else "GET", f"/v1/graphs/whole/{target}", body), 200)
        self.assertEqual(reply.headers.get("Apsp-Left-Out"), number)
        if "format=csv" in target:
            return list(csv.DictReader(io.StringIO(reply.body.decode())))
        return [json.loads(line) for line in reply.body.splitlines()]

    def check_marks(self, d, gone, stays):
        """Rows about many pairs say what an answer about one pair says."""
        number = str(d.ask("GET", "/v1/graphs/whole/profiles/p").json["left_out"])
        pairs = [[gone, stays], [stays, gone], [gone, gone], [stays, stays]]
        marks = [["from"], ["to"], ["from", "to"], None]
        cells = ["from", "to", "from to", ""]
        body = {"pairs": pairs}
        for values in ("", "&values=distance,hops"):
            reply = d.ask("POST", f"/v1/graphs/whole/paths?profile=p{values}", body)
            self.assertEqual([row.get("left_out") for row in reply.json["paths"]], marks)
            rows = self.rows(d, f"paths?profile=p&format=ndjson{values}", body, number)
            self.assertEqual([row.get("left_out") for row in rows], marks)
            rows = self.rows(d, f"paths?profile=p&format=csv{values}", body, number)
            self.assertEqual([row["left_out"] for row in rows], cells)
            self.assertEqual(list(rows[0])[-2:], ["left_out", "problem"])
        unknown = self.rows(d, "paths?profile=p&format=csv", {"pairs": [["nobody", gone]]},
                            number)
        self.assertEqual((unknown[0]["left_out"], unknown[0]["problem"] > ""), ("", True))
        self.assertNotIn("left_out", self.rows(d, "paths?format=csv", body)[0])
        self.check_tables(d, gone, stays, number)
        self.check_vertex(d, gone, stays, number)

    def check_tables(self, d, gone, stays, number):
        body = {"sources": [gone, stays], "targets": [stays, gone]}
        marks = [["from"], ["from", "to"], None, ["to"]]
        table = d.ask("POST", "/v1/graphs/whole/table?profile=p", body).json
        self.assertEqual(table["left_out"], {"sources": [gone], "targets": [gone]})
        self.assertNotIn("left_out", d.ask("POST", "/v1/graphs/whole/table", body).json)
        for layout, expected in (("wide", [["from"], None]), ("long", marks)):
            rows = self.rows(d, f"table?profile=p&format=ndjson&layout={layout}", body, number)
            self.assertEqual([row.get("left_out") for row in rows], expected)
        table = d.ask("POST", "/v1/graphs/whole/table?profile=p&layout=long", body).json
        self.assertEqual([row.get("left_out") for row in table["pairs"]], marks)
        rows = self.rows(d, "table?profile=p&format=csv&layout=long", body, number)
        self.assertEqual([row["left_out"] for row in rows],
                         [" ".join(mark or []) for mark in marks])
        self.assertNotIn("left_out", self.rows(d, "table?format=csv&layout=long", body)[0])
        for target in ("table?profile=p&format=csv", "table?profile=p&format=npy"):
            reply = self.assertStatus(d.ask("POST", f"/v1/graphs/whole/{target}", body), 200)
            self.assertEqual(reply.headers.get("Apsp-Left-Out"), number)

    def check_vertex(self, d, gone, stays, number):
        place = f"vertices/{gone}/distances?profile=p"
        one = d.ask("GET", f"/v1/graphs/whole/{place}").json
        self.assertEqual(one["left_out"]["sources"], [gone])
        self.assertIn(gone, one["left_out"]["targets"])
        self.assertEqual(len(one["left_out"]["targets"]), int(number))
        turned = d.ask("GET", f"/v1/graphs/whole/{place}&direction=in").json
        self.assertEqual(turned["left_out"], {"sources": one["left_out"]["targets"],
                                              "targets": [gone]})
        for asked in (gone, stays):
            for direction, near, far in (("out", "from", "to"), ("in", "to", "from")):
                place = f"vertices/{asked}/distances?profile=p&direction={direction}"
                lines = self.rows(d, f"{place}&format=ndjson", None, number)
                cells = self.rows(d, f"{place}&format=csv", None, number)
                for line, row in zip(lines, cells):
                    expected = {near} if asked == gone else set()
                    if line["vertex"] in one["left_out"]["targets"]:
                        expected.add(far)
                    self.assertEqual(line.get("left_out", []), sorted(expected))
                    self.assertEqual(row["left_out"], " ".join(sorted(expected)))
        reach = d.ask("GET", f"/v1/graphs/whole/vertices/{gone}/reachable?profile=p").json
        self.assertEqual(reach["left_out"], {"sources": [gone], "targets": [gone]})
        body = {"sources": [gone]}
        reached = d.ask("POST", "/v1/graphs/whole/reachable?profile=p", body).json
        self.assertEqual([(row["vertex"], row["left_out"]) for row in reached["vertices"]],
                         [(gone, True)])
        rows = self.rows(d, "reachable?profile=p&format=csv", {"sources": [gone, stays]}, number)
        self.assertEqual([row["left_out"] for row in rows],
                         [str(int(row["vertex"] == gone)) for row in rows])
        self.assertNotIn("left_out", self.rows(d, "reachable?format=csv", body)[0])

    def close(self, one, other):
        if isinstance(one, dict):
            self.assertEqual(set(one), set(other))
            for name in one:
                self.close(one[name], other[name])
        elif isinstance(one, float):
            # sums of the same numbers in another order of vertices
            self.assertTrue(math.isclose(one, other, rel_tol=1e-9), (one, other))
        else:
            self.assertEqual(one, other)

    def test_removed_larva(self):
        self.check_removed(larva(), larva_types(), ["type:KC"],
                           {"transform": "none", "duplicates": "sum"})

    def test_removed_random(self):
        for seed in range(3):
            self.check_removed(
                random_graph(seed), random_attributes(seed), ["type:a, b", "side:left"],
                {"transform": "inv", "measures": ["betweenness"], "duplicates": "sum"})

    def test_attributes_change(self):
        """Other attributes, other tables; the same choice, the same tables."""
        gate = Gate(self.directory)
        self.addCleanup(gate.close)
        arcs = pd.DataFrame([("a", "b", 1), ("b", "c", 1), ("a", "c", 5), ("c", "d", 1)],
                            columns=["pre", "post", "weight"])
        kinds = pd.DataFrame({"type": ["x", "y", "z", "z"]}, index=list("abcd"))
        with self.daemon(solver=gate.path) as d:
            first = d.upload("g", arcs.to_csv(index=False).encode(),
                             "?transform=none").json["job"]
            gate.open()
            self.assertEqual(d.wait(first)["state"], "succeeded")
            reply = d.ask("PUT", "/v1/graphs/g/profiles/p", {"without": ["type:y"]}).json
            ended = d.wait(reply["job"])
            self.assertEqual(reply["warnings"],
                             ["the job of the profile 'p' fails: " + ended["error"]["detail"]])
            self.assertEqual(ended["state"], "failed")
            self.assertIn("names the attribute 'type', which the graph does not have",
                          ended["error"]["detail"])

            def answers(expected):
                found = d.path("g", "a", "c", "&profile=p").json
                self.assertEqual(found["distance"], expected)
            n_jobs = self.changed(d, gate, kinds)
            answers(5)
            # the same choice by other attributes needs no job, and answers at once
            kinds["colour"] = "red"
            kinds.loc["d", "type"] = "x"
            self.annotate(d, "g", kinds)
            self.assertEqual(len(d.jobs()), n_jobs)
            answers(5)
            # another choice: until its tables exist, 503 with the job
            kinds["type"] = ["x", "z", "y", "z"]
            n_jobs = self.changed(d, gate, kinds)
            answers(None)
            self.assertEqual(d.path("g", "a", "c").json["distance"], 2)
            # a condition that chooses nobody
            kinds["type"] = "z"
            self.annotate(d, "g", kinds)
            ended = d.wait(d.jobs()[0]["id"])
            self.assertEqual(ended["state"], "failed")
            self.assertIn("without=type:y chooses nobody", ended["error"]["detail"])
            self.assertIn("no vertex has this value; 'type' has 1 value, such as 'z'",
                          ended["error"]["detail"])
            self.assertEqual(d.path("g", "a", "c", "&profile=p").status, 409)
            # an upload keeps rule and attributes
            kinds["type"] = ["x", "y", "z", "z"]
            self.changed(d, gate, kinds)
            arcs.loc[2, "weight"] = 4
            again = d.upload("g", arcs.to_csv(index=False).encode(), "").json["jobs"]
            for job in again.values():
                gate.open()
                self.assertEqual(d.wait(job)["state"], "succeeded")
            answers(4)
            # tables of the rule before a cancelled one are made anew, too
            held = len(gate.held)
            job = d.ask("PUT", "/v1/graphs/g/profiles/p", {"transform": "hops"}).json["job"]
            gate.wait_held(held + 1)
            self.assertStatus(d.ask("DELETE", f"/v1/jobs/{job}"), 202)
            self.assertEqual(d.wait(job)["state"], "cancelled")
            answers(4)
            kinds["type"] = ["x", "z", "y", "z"]
            self.changed(d, gate, kinds)
            answers(None)

    def changed(self, d, gate, attributes):
        """Upload attributes that change the choice of the profile p; the number of jobs."""
        self.annotate(d, "g", attributes)
        waiting = d.path("g", "a", "c", "&profile=p")
        self.assertStatus(waiting, 503)
        self.assertEqual(waiting.json["job"], d.jobs()[0]["id"])
        gate.open()
        self.assertEqual(d.wait(waiting.json["job"])["state"], "succeeded")
        return len(d.jobs())

    def test_kept(self):
        """Rows on demand, and a daemon that starts again, know who is left out."""
        arcs, attributes = random_graph(1), random_attributes(1)
        rule = {"transform": "log", "normalise": "input", "without": ["type:a, b"]}
        with self.daemon() as d:
            self.upload(d, "g", arcs)
            self.annotate(d, "g", attributes)
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=30").json["vertices"]

            def distances_of():
                return [[d.path("g", a, b, "&profile=p").json["distance"] for b in labels]
                        for a in labels[:10]]
            self.profile(d, "g", rule)
            seen = distances_of()
            self.profile(d, "g", {**rule, "tables": "none"})
            record = d.ask("GET", "/v1/graphs/g/profiles/p").json
            self.assertEqual(record["holds"], "none")
            self.assertEqual(distances_of(), seen)
            d.restart()
            again = d.ask("GET", "/v1/graphs/g/profiles/p").json
            self.assertEqual((again["state"], again["left_out"]), ("ready", record["left_out"]))
            self.assertEqual(distances_of(), seen)

    def test_compared(self):
        """A comparison counts the pairs of vertices that are left out by themselves."""
        arcs, attributes = random_graph(0, m=260), random_attributes(0)
        with self.daemon() as d:
            self.upload(d, "g", arcs)
            self.annotate(d, "g", attributes)
            self.profile(d, "g", {"transform": "hops", "without": ["type:c", "side:left"]})
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            whole, lesion = (np.load(io.BytesIO(d.ask(
                "GET", f"/v1/graphs/g/matrices/distance?profile={profile}",
                headers={"Accept": "application/x-npy"}).body)) for profile in ("default", "p"))
            gone = pd.Series(labels).isin(
                chosen(["type:c", "side:left"], labels, attributes)).to_numpy()
            pairs = ~np.eye(len(labels), dtype=bool)
            stay = pairs & ~gone[:, None] & ~gone[None, :]
            reply = d.ask("POST", "/v1/graphs/g/compare?profile=p",
                          {"with": {"profile": "default"}})
            self.assertStatus(reply, 200)
            for name, where in (("counts", stay), ("left_out", pairs & ~stay)):
                both = np.isfinite(whole) & np.isfinite(lesion) & where
                expected = {"lost": np.isfinite(whole) & ~np.isfinite(lesion) & where,
                            "gained": ~np.isfinite(whole) & np.isfinite(lesion) & where,
                            "longer": both & (lesion > whole),
                            "shorter": both & (lesion < whole)}
                for change, found in expected.items():
                    self.assertEqual(reply.json[name][change], found.sum(), (name, change))
            self.assertGreater(reply.json["counts"]["lost"], 0)
            self.assertGreater(reply.json["counts"]["longer"], 0)
            self.assertGreater(reply.json["left_out"]["lost"], 0)
            # types beside types: the vertices that are left out count in none
            keyed = d.ask("POST", "/v1/graphs/g/compare?profile=p",
                          {"with": {"profile": "default"}, "key": "type"})
            self.assertStatus(keyed, 200)

    def test_totals(self):
        """normalise_by: what each vertex needs, and what is refused."""
        arcs = pd.DataFrame([("a", "b", 6), ("c", "b", 2), ("b", "a", 1)],
                            columns=["pre", "post", "weight"])
        totals = pd.DataFrame({"post": ["4", "16", ""]}, index=list("abc"))
        rule = {"transform": "inv", "normalise": "input", "normalise_by": "post"}
        with self.daemon() as d:
            self.upload(d, "g", arcs)
            self.annotate(d, "g", totals)
            # nothing leads to c, so c needs no total
            self.profile(d, "g", rule)
            self.assertEqual(d.path("g", "a", "b", "&profile=p").json["distance"], 16 / 6)
            self.assertEqual(d.path("g", "b", "a", "&profile=p").json["distance"], 4)
            totals.loc["b", "post"] = "8"
            self.annotate(d, "g", totals)
            self.assertEqual(d.wait(d.jobs()[0]["id"])["state"], "succeeded")
            self.assertEqual(d.path("g", "a", "b", "&profile=p").json["distance"], 8 / 6)
            for value, part in (("many", "'b' has no number in the attribute 'post'"),
                                ("0", "'b' has 0 in the attribute 'post'"),
                                ("-3", "'b' has -3 in the attribute 'post'"),
                                ("", "'b' has no number in the attribute 'post'")):
                totals.loc["b", "post"] = value
                self.annotate(d, "g", totals)
                ended = d.wait(d.jobs()[0]["id"])
                self.assertEqual(ended["state"], "failed", value)
                self.assertIn(part, ended["error"]["detail"])
            # arcs that are dropped need no total
            job = d.ask("PUT", "/v1/graphs/g/profiles/p", {**rule, "without": "label:b"})
            self.assertEqual(d.wait(job.json["job"])["state"], "succeeded")
            refused = d.ask("PUT", "/v1/graphs/g/profiles/p",
                            {"transform": "inv", "normalise_by": "post"})
            self.assertEqual(refused.status, 400, refused)
            self.assertIn("normalise_by needs shares", refused.json["detail"])

    def test_everywhere(self):
        """The upload's query, rows on demand, arcs and paths know the same lengths."""
        arcs = random_graph(1)
        rule = {"transform": "log", "normalise": "input", "min_share": 0.02}
        kept = kept_arcs(arcs, rule).set_index(["pre", "post"])
        with self.daemon() as d:
            self.upload(d, "g", arcs, "?" + urllib.parse.urlencode(rule))
            told = d.ask("GET", "/v1/graphs/g/profiles/default").json
            self.assertEqual((told["normalise"], told["min_share"]), ("input", 0.02))
            self.profile(d, "g", {**rule, "tables": "none"})
            labels = d.ask("GET", "/v1/graphs/g/vertices?limit=10000").json["vertices"]
            right = distances(kept.reset_index(), labels)
            for v, label in enumerate(labels[:20]):
                for direction in ("out", "in"):
                    rows = d.ask("GET", f"/v1/graphs/g/vertices/{label}/arcs"
                                 f"?direction={direction}").json["arcs"]
                    near = kept[kept.index.get_level_values(int(direction == "in")) == label]
                    self.assertEqual(len(rows), len(near))
                    for row in rows:
                        mine = near.loc[(row["from"], row["to"])]
                        self.assertEqual(row["weight"], mine.weight)
                        self.assertTrue(math.isclose(row["length"], mine.length,
                                                     rel_tol=1e-15, abs_tol=1e-15))
                for target in labels[:40]:
                    answers = [d.path("g", label, target, query).json["distance"]
                               for query in ("", "&profile=p", "&hops=..1000")]
                    self.assertEqual(answers[0], answers[1])
                    goal = right[v, labels.index(target)]
                    if math.isinf(goal):
                        self.assertEqual(answers[0], None)
                    else:
                        np.testing.assert_allclose(answers[0], goal, rtol=1e-5, atol=1e-12)

    def test_refusals(self):
        with self.daemon() as d:
            for query, part in (
                    ("normalise=both", "normalise is 'both', expected none, input or output"),
                    ("min_share=0.1", "min_share needs shares: add normalise=input"),
                    ("without=KC", "without is 'KC', expected conditions like type:KC"),
                    ("without=" + "x:" + "y" * 1023, "more than 1024 bytes"),
                    ("normalise=input&min_share=5", "expected a share from 0 to 1")):
                refused = d.upload("g", b"a,b,1\n", "?transform=inv&" + query)
                self.assertEqual(refused.status, 400, refused)
                self.assertIn(part, refused.json["detail"])
            refused = d.upload("g", b"a,b,1\nb,c,-2\n", "?transform=none&normalise=input")
            self.assertEqual(refused.status, 422, refused)
            self.assertIn("but normalise needs a weight of 0 or more",
                          refused.json["detail"])
            d.put("g", b"a,b,1\nb,c,-2\n", "?transform=none")
            refused = d.ask("PUT", "/v1/graphs/g/profiles/p",
                            {"transform": "none", "normalise": "output"})
            self.assertEqual(refused.status, 422, refused)
            self.assertIn("a weight of the graph is below 0", refused.json["detail"])
            d.put("g", b"a,b,1\nb,c,-2\n", "?transform=inv&normalise=input&invalid=drop")
            self.assertEqual(d.path("g", "a", "b").json["distance"], 1)
            self.assertFalse(d.path("g", "b", "c").json["reachable"])
            # the rule of default cannot be changed by mistake
            refused = d.upload("g", b"a,b,1\n", "?transform=inv&invalid=drop")
            self.assertEqual(refused.status, 409, refused)
            self.assertIn("normalise=input", refused.json["detail"])


if __name__ == "__main__":
    unittest.main()
