"""Comparisons of two tables, against NumPy on the matrices of both, and against all_pairs.py."""
import csv
import io
import json
import math
import unittest

import numpy as np
from scipy.sparse import csr_matrix

from all_pairs import all_pairs
from harness import Case, data

REAL_TOLERANCE = 1e-5
NAMES = ["lost", "gained", "longer", "shorter"]


def changes(here, with_, tolerance, lengths=True):
    """The mask of each change; the distances of pairs that do not count are NaN."""
    pairs = ~(np.isnan(here) | np.isnan(with_))
    is_here, is_with = pairs & np.isfinite(here), pairs & np.isfinite(with_)
    far = np.abs(here - with_) > tolerance * np.maximum(np.abs(here), np.abs(with_))
    both = is_here & is_with
    differs = both & far & lengths
    return {"pairs": pairs, "lost": pairs & ~is_here & is_with,
            "gained": pairs & is_here & ~is_with, "unreachable": pairs & ~is_here & ~is_with,
            "longer": differs & (here > with_), "shorter": differs & (here < with_),
            "equal": both & ~differs}


def counts(found):
    return {name: int(mask.sum()) for name, mask in found.items()}


def unpaired(matrix):
    """A copy without the pairs of a vertex with itself."""
    out = np.array(matrix, dtype=float)
    np.fill_diagonal(out, np.nan)
    return out


class Larva(Case):
    """The larva under several rules, and its sides as graphs."""

    def test_larva(self):
        with self.daemon() as self.d, np.errstate(invalid="ignore"):
            self.begin()
            for check in (self.profiles, self.whole_distances, self.other_lengths,
                          self.graphs_by_label, self.sides_by_type, self.widths,
                          self.widths_by_type, self.other_widths):
                with self.subTest(check.__name__):
                    check()

    def begin(self):
        self.edges = list(csv.reader(io.StringIO(data("larva_edges.csv").decode())))
        self.neurons = {row["id"]: row for row in csv.DictReader(
            io.StringIO(data("larva_vertices.csv").decode()))}
        self.put("larva", self.edges)
        for name, rule in (("strong", {"transform": "inv", "min_weight": 3}),
                           ("hops", {"transform": "hops"}),
                           ("hops3", {"transform": "hops", "min_weight": 3}),
                           ("wide", {"path": "widest"}),
                           ("wide3", {"path": "widest", "min_weight": 3, "without": [
                               "group:KCs"]}),
                           ("wideshare", {"path": "widest", "normalise": "input"})):
            reply = self.d.ask("PUT", f"/v1/graphs/larva/profiles/{name}", rule)
            self.assertEqual(self.d.wait(reply.json["job"])["state"], "succeeded")
        self.labels = self.labels_of("larva")

    def put(self, graph, edges):
        self.d.put(graph, "".join(",".join(edge) + "\n" for edge in edges).encode(),
                   "?transform=inv")
        self.assertStatus(self.d.ask("PUT", f"/v1/graphs/{graph}/attributes",
                                     data("larva_vertices.csv"), {"Content-Type": "text/csv"}),
                          200)

    def labels_of(self, graph):
        return self.d.ask("GET", f"/v1/graphs/{graph}/vertices?limit=10000").json["vertices"]

    def matrix(self, graph, profile="default"):
        reply = self.d.ask("GET", f"/v1/graphs/{graph}/matrices/distance?profile={profile}")
        return unpaired(np.load(io.BytesIO(reply.body)))

    def widths_of(self, profile):
        """Widths; no path is inf, as in a matrix of distances."""
        reply = self.d.ask("GET", f"/v1/graphs/larva/matrices/width?profile={profile}")
        out = unpaired(np.load(io.BytesIO(reply.body)))
        out[out == 0] = np.inf
        return out

    def compare(self, target, body):
        return self.assertStatus(
            self.d.ask("POST", f"/v1/graphs/{target}", body), 200).json

    def values(self, column, labels):
        return np.array([self.neurons[label][column].strip(" ") for label in labels])

    def check(self, answer, here, with_, tolerance, names, lengths=True, widths=False):
        """Everything but groups; names are of rows and columns of the matrices."""
        found = changes(here, with_, tolerance, lengths)
        expected = counts(found)
        if not lengths:
            expected.update(longer=None, shorter=None, equal=None)
        self.assertEqual(answer["counts"], expected)
        self.assertEqual(set(answer["left_out"].values()) - {None}, {0})
        self.check_pairs(answer, found, here, with_, names, 1 if widths else -1)
        if not lengths:
            self.assertEqual((answer["difference"], answer["histogram"]), (None, None))
            return found
        both = found["longer"] | found["shorter"] | found["equal"]
        moved = found["longer"] | found["shorter"]
        difference = (here - with_)[moved]
        n = both.sum()
        for name, value in (("sum", difference.sum()), ("mean", difference.sum() / n),
                            ("mean_here", here[both].mean()), ("mean_with", with_[both].mean())):
            self.assertAlmostEqual(answer["difference"][name], value,
                                   delta=1e-9 * abs(value) + 1e-12)
        self.check_histogram(answer["histogram"], difference)
        return found

    def check_histogram(self, histogram, difference):
        if not len(difference):
            self.assertIsNone(histogram)
            return
        edges = histogram["from"] + histogram["width"] * np.arange(len(histogram["counts"]) + 1)
        self.assertLessEqual(len(histogram["counts"]), 100)
        # the number of edges that are not above a difference is that of its bin
        bins = np.bincount(np.searchsorted(edges, difference, side="right"),
                           minlength=len(edges) + 1)
        self.assertEqual(histogram["counts"], bins[1:-1].tolist())
        self.assertEqual(sum(histogram["counts"]), len(difference))

    def check_pairs(self, answer, found, here, with_, names, sign=-1):
        """The pairs that change most: no other pair changes more. sign is -1 if the nearest of
        the lost and gained pairs are listed, and 1 if the farthest are."""
        place = {name: i for i, name in enumerate(names)}
        rows = {name: [row for row in answer["changes"] if row["change"] == name]
                for name in NAMES}
        self.assertEqual([row["change"] for row in answer["changes"]],
                         [name for name in NAMES for _ in rows[name]])
        scores = {"lost": sign * with_, "gained": sign * here, "longer": here - with_,
                  "shorter": with_ - here}
        for name in NAMES:
            listed = np.zeros_like(found[name])
            last = np.inf
            for row in rows[name]:
                pair = place[row["from"]], place[row["to"]]
                self.assertFalse(listed[pair])
                listed[pair] = True
                self.assertTrue(found[name][pair], row)
                for member, matrix in (("distance", here), ("with_distance", with_)):
                    value = np.inf if row[member] is None else row[member]
                    self.assertTrue(np.isclose(value, matrix[pair], rtol=1e-6, atol=0), row)
                if row["difference"] is not None:
                    self.assertEqual(row["difference"], row["distance"] - row["with_distance"])
                score = {"lost": row["with_distance"], "gained": row["distance"]}.get(name)
                score = sign * score if score is not None else abs(row["difference"])
                self.assertLessEqual(score, last)
                last = score
            self.assertEqual(listed.sum(), min(found[name].sum(), 100))
            rest = found[name] & ~listed
            if listed.any() and rest.any():
                self.assertGreaterEqual(scores[name][listed].min(), scores[name][rest].max())

    def check_groups(self, answer, found, here, with_, values):
        """The pairs of groups that change most, and their numbers."""
        kinds = sorted(set(values) - {""})
        of = np.array([[value == kind for kind in kinds] for value in values], dtype=float)
        numbers = {name: of.T @ mask @ of for name, mask in found.items()}
        moved = found["longer"] | found["shorter"]
        both = numbers["longer"] + numbers["shorter"] + numbers["equal"]
        with np.errstate(divide="ignore"):
            means = of.T @ np.where(moved, here - with_, 0) @ of / both
            best = {name: numbers[name] / numbers["pairs"] for name in ("lost", "gained")}
        best.update(longer=means, shorter=-means)
        rows = {name: [] for name in NAMES}
        for row in answer["groups"]:
            pair = kinds.index(row["from"]), kinds.index(row["to"])
            for name, number in numbers.items():
                if row[name] is not None:
                    self.assertEqual(row[name], number[pair], name)
            if row["mean_difference"] is None:
                self.assertTrue(both[pair] == 0 or not answer["comparable"])
            else:
                np.testing.assert_allclose(row["mean_difference"], means[pair], rtol=1e-9)
            rows[row["change"]].append(
                row[row["change"]] / row["pairs"] if row["change"] in ("lost", "gained")
                else abs(row["mean_difference"]))
        for name in NAMES:
            top = sorted((score for score in best[name].flat if score > 0), reverse=True)[:100]
            np.testing.assert_allclose(rows[name], top, rtol=1e-9)

    def profiles(self):
        here, with_ = self.matrix("larva", "strong"), self.matrix("larva")
        body = {"with": {"profile": "default"}, "by": "group"}
        answer = self.compare("larva/compare?profile=strong", body)
        found = self.check(answer, here, with_, REAL_TOLERANCE, self.labels)
        self.check_groups(answer, found, here, with_, self.values("group", self.labels))
        self.assertGreater(answer["counts"]["lost"], 1000)
        self.assertGreater(answer["counts"]["longer"], 1000)
        # a threshold makes nothing shorter
        self.assertEqual((answer["counts"]["gained"], answer["counts"]["shorter"]), (0, 0))
        self.assertEqual((answer["profile"], answer["rule"]["min_weight"]), ("strong", 3))
        self.assertEqual((answer["with"]["graph"], answer["with"]["profile"]),
                         ("larva", "default"))
        self.assertEqual(answer["with"]["revision"], answer["revision"])
        self.assertEqual((answer["key"], answer["by"], answer["tolerance"]),
                         (None, "group", REAL_TOLERANCE))
        self.check_opposite(answer)
        self.check_formats(answer, body)
        self.check_paths(answer)
        self.check_all(found, body)
        exact = self.compare("larva/compare?profile=strong", {
            "with": {"profile": "default"}, "tolerance": 0})
        self.check(exact, here, with_, 0, self.labels)
        same = self.compare("larva/compare", {"with": {"profile": "default"}})
        self.check(same, with_, with_, 0, self.labels)
        self.assertEqual((same["changes"], same["groups"], same["histogram"]), ([], None, None))

    def check_opposite(self, answer):
        """The comparison from the other side has all signs reversed."""
        other = self.compare("larva/compare", {"with": {"profile": "strong"}, "by": "group"})
        turn = {"lost": "gained", "gained": "lost", "longer": "shorter", "shorter": "longer"}
        self.assertEqual({turn.get(name, name): n for name, n in other["counts"].items()},
                         answer["counts"])
        self.assertEqual(other["difference"]["sum"], -answer["difference"]["sum"])
        self.assertEqual(other["difference"]["mean_here"], answer["difference"]["mean_with"])
        self.assertEqual(
            sorted((turn[row["change"]], row["from"], row["to"]) for row in other["changes"]),
            sorted((row["change"], row["from"], row["to"]) for row in answer["changes"]))

    def check_formats(self, answer, body):
        place = "/v1/graphs/larva/compare?profile=strong"
        for part, rows in (("pairs", answer["changes"]), ("groups", answer["groups"])):
            reply = self.assertStatus(
                self.d.ask("POST", f"{place}&format=csv&part={part}", body), 200)
            found = list(csv.DictReader(io.StringIO(reply.body.decode())))
            self.assertEqual([list(row) for row in found], [list(row) for row in rows])
            for line, row in zip(found, rows):
                for name, value in row.items():
                    if isinstance(value, str):
                        self.assertEqual(line[name], value)
                    elif value is not None:
                        self.assertEqual(float(line[name]), value)
                    else:
                        self.assertIn(line[name], ("", "inf", "-inf"))
            reply = self.assertStatus(
                self.d.ask("POST", f"{place}&format=ndjson&part={part}", body), 200)
            self.assertEqual([json.loads(line) for line in reply.body.splitlines()], rows)
            name, other = ("changes", "groups") if part == "pairs" else ("groups", "changes")
            some = self.compare(f"larva/compare?profile=strong&part={part}", body)
            self.assertNotIn(other, some)
            self.assertEqual(some, {key: value for key, value in answer.items() if key != other})

    def check_all(self, found, body):
        """Millions of rows: their number, and some of them."""
        text = self.assertStatus(self.d.ask(
            "POST", "/v1/graphs/larva/compare?profile=strong&format=csv&part=all",
            {"with": body["with"]}), 200).body
        changed = {name: found[name] for name in ("lost", "longer")}
        pairs = np.flatnonzero(changed["lost"] | changed["longer"])
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        self.assertEqual((len(ends), ends[-1]), (len(pairs) + 1, len(text) - 1))
        for row in range(0, len(pairs), 9973):
            i, j = divmod(pairs[row], len(self.labels))
            line = text[ends[row]:ends[row + 1]].decode().strip()
            change, start, end, distance, with_distance, _ = line.split(",")
            self.assertEqual((start, end), (self.labels[i], self.labels[j]))
            self.assertTrue(changed[change][i, j])
            for profile, value in (("strong", distance), ("default", with_distance)):
                path = self.d.path("larva", start, end, f"&profile={profile}").json
                self.assertEqual(path["distance"], None if value == "inf" else float(value))

    def check_paths(self, answer):
        """Listed distances have the bits of `path`."""
        for row in answer["changes"][::25]:
            for profile, member in (("strong", "distance"), ("default", "with_distance")):
                path = self.d.path("larva", row["from"], row["to"], f"&profile={profile}").json
                self.assertEqual(path["distance"], row[member])

    def whole_distances(self):
        """Hops, with the distances of all_pairs.py on both sides."""
        index = {label: i for i, label in enumerate(self.labels)}
        sides = []
        for least in (3, 0):
            arcs = [(index[a], index[b]) for a, b, w in self.edges if float(w) >= least and a != b]
            n = len(index)
            graph = csr_matrix((np.ones(len(arcs)), tuple(zip(*arcs))), (n, n))
            sides.append(unpaired(all_pairs(graph, unweighted=True)))
        answer = self.compare("larva/compare?profile=hops3", {"with": {"profile": "hops"}})
        self.assertEqual((answer["comparable"], answer["why_not"], answer["tolerance"]),
                         (True, None, 0))
        self.check(answer, *sides, 0, self.labels)
        self.assertEqual(answer["histogram"]["width"], 1)

    def other_lengths(self):
        here, with_ = self.matrix("larva", "hops3"), self.matrix("larva")
        answer = self.compare("larva/compare?profile=hops3", {
            "with": {"profile": "default"}, "by": "group"})
        self.assertEqual((answer["comparable"], answer["tolerance"]), (False, None))
        self.assertEqual(answer["why_not"], "lengths cannot be compared: transform is hops "
                                            "here, and inv in 'with'")
        self.check(answer, here, with_, 0, self.labels, lengths=False)
        self.assertEqual({row["change"] for row in answer["changes"]}, {"lost"})
        self.assertEqual({row["change"] for row in answer["groups"]}, {"lost"})
        self.assertEqual({row["mean_difference"] for row in answer["groups"]}, {None})

    def in_distances(self, answer):
        """A comparison of widths in the words of one of distances."""
        words = {"wider": "longer", "narrower": "shorter", "width": "distance",
                 "with_width": "with_distance"}

        def turn(value):
            self.assertFalse(set(value) & set(words.values()))
            value = {words.get(name, name): member for name, member in value.items()}
            return {**value, "change": words.get(value.get("change"), value.get("change"))}
        answer = {**answer, **{name: [turn(row) for row in answer[name] or []]
                               for name in ("groups", "changes")}}
        answer["counts"] = {words.get(name, name): n for name, n in answer["counts"].items()}
        return answer

    def widths(self):
        """A threshold and a lesion under path=widest, with the widths of `path`."""
        here, with_ = self.widths_of("wide3"), self.widths_of("wide")
        kinds = self.values("group", self.labels)
        for matrix in (here, with_):
            matrix[kinds == "KCs"] = matrix[:, kinds == "KCs"] = np.nan
        body = {"with": {"profile": "wide"}, "by": "group"}
        plain = self.compare("larva/compare?profile=wide3", body)
        self.assertEqual((plain["comparable"], plain["tolerance"]), (True, 0))
        self.assertGreater(plain["counts"]["lost"], 1000)
        self.assertGreater(plain["counts"]["narrower"], 0)
        self.assertEqual(plain["counts"]["wider"], 0)
        out = plain.pop("left_out")
        plain["left_out"] = {"pairs": 0}
        left = (kinds == "KCs").sum()
        n = len(kinds)
        self.assertEqual(out["pairs"], n * (n - 1) - (n - left) * (n - left - 1))
        answer = self.in_distances(plain)
        found = self.check(answer, here, with_, 0, self.labels, widths=True)
        self.check_groups(answer, found, here, with_, kinds)
        self.assertEqual(answer["histogram"]["width"] % 1, 0)
        for row in plain["changes"][::25]:
            for profile, member in (("wide3", "width"), ("wide", "with_width")):
                path = self.d.path("larva", row["from"], row["to"], f"&profile={profile}").json
                self.assertEqual(path["width"], row[member])
        self.wide_csv(body, plain)

    def wide_csv(self, body, answer):
        """No path is the width 0 in CSV."""
        for part, rows in (("pairs", answer["changes"]), ("groups", answer["groups"])):
            reply = self.assertStatus(self.d.ask(
                "POST", f"/v1/graphs/larva/compare?profile=wide3&format=csv&part={part}", body),
                200)
            found = list(csv.DictReader(io.StringIO(reply.body.decode())))
            self.assertEqual([list(row) for row in found], [list(row) for row in rows])
            for line, row in zip(found, rows):
                for name in ("width", "with_width", "wider", "narrower"):
                    if name in row:
                        self.assertEqual(float(line[name]), row[name] or 0)
                if "width" in row:
                    self.assertEqual(float(line["difference"]),
                                     (row["width"] or 0) - (row["with_width"] or 0))

    def widths_by_type(self):
        """Means of widths over the pairs of two types."""
        values = self.values("type", self.labels)
        keys = sorted(set(values) - {""})
        answer = self.in_distances(self.compare("larva/compare?profile=wide3", {
            "with": {"profile": "wide"}, "key": "type", "tolerance": 1e-9}))
        out = self.values("group", self.labels) == "KCs"
        values[out] = ""
        self.assertGreater(answer.pop("left_out")["pairs"], 0)
        answer["left_out"] = {"pairs": 0}
        left = [key for key in keys if key in set(values)]
        self.assertEqual(answer["matched"]["keys"], len(keys))
        self.check(answer, *(self.means(self.widths_of(profile), values, left)
                             for profile in ("wide3", "wide")), 1e-9, left, widths=True)

    def other_widths(self):
        """A width that is a share cannot be compared with a weight, nor with a distance."""
        answer = self.compare("larva/compare?profile=wide", {"with": {"profile": "wideshare"}})
        self.assertEqual(answer["why_not"], "widths cannot be compared: normalise is not set "
                                            "here, and input in 'with'")
        self.assertEqual((answer["counts"]["wider"], answer["counts"]["lost"]), (None, 0))
        reply = self.assertStatus(self.d.ask("POST", "/v1/graphs/larva/compare?profile=wide", {
            "with": {"profile": "default"}}), 400, "malformed-request")
        self.assertIn("'wide' has widest paths (path=widest), which have widths, and profile "
                      "'default' of 'with' has shortest paths", reply.json["detail"])

    def graphs_by_label(self):
        """A group of neurons left out, as a graph of its own."""
        self.put("rest", [edge for edge in self.edges if "KCs" not in
                          [self.neurons[end]["group"] for end in edge[:2]]])
        labels = self.labels_of("rest")
        place = {label: i for i, label in enumerate(self.labels)}
        chosen = [place[label] for label in labels]
        here, with_ = self.matrix("rest"), self.matrix("larva")
        answer = self.compare("rest/compare", {"with": {"graph": "larva"}, "by": "group"})
        found = self.check(
            answer, here, with_[np.ix_(chosen, chosen)], REAL_TOLERANCE, labels)
        self.check_groups(answer, found, here, with_[np.ix_(chosen, chosen)],
                          self.values("group", labels))
        self.assertEqual(answer["matched"], {
            "keys": len(labels), "only_here": 0, "only_with": len(self.labels) - len(labels),
            "without_here": 0, "without_with": 0})
        self.assertNotEqual(answer["revision"], answer["with"]["revision"])
        back = self.compare("larva/compare", {
            "with": {"graph": "rest", "revision": answer["revision"]}})
        self.assertEqual(back["matched"]["only_here"], answer["matched"]["only_with"])
        self.assertEqual(back["counts"]["gained"], answer["counts"]["lost"])

    def means(self, matrix, values, keys):
        out = np.full((len(keys), len(keys)), np.nan)
        members = [np.flatnonzero(values == key) for key in keys]
        for i, rows in enumerate(members):
            for j, columns in enumerate(members):
                cells = matrix[np.ix_(rows, columns)]
                cells = cells[~np.isnan(cells)]
                if cells.size:
                    reached = cells[np.isfinite(cells)]
                    out[i, j] = reached.mean() if reached.size else np.inf
        return out

    def sides_by_type(self):
        for graph, side in (("left", "L"), ("right", "R")):
            self.put(graph, [edge for edge in self.edges
                             if {self.neurons[end]["side"] for end in edge[:2]} == {side}])
        labels = {graph: self.labels_of(graph) for graph in ("left", "right")}
        values = {graph: self.values("type", labels[graph]) for graph in labels}
        kinds = {graph: set(values[graph]) - {""} for graph in labels}
        answer = self.compare("left/compare", {"with": {"graph": "right"}, "key": "type"})
        keys = sorted(kinds["left"] & kinds["right"])
        self.assertGreater(len(keys), 10)
        self.assertEqual(answer["matched"], {
            "keys": len(keys), "only_here": len(kinds["left"] - kinds["right"]),
            "only_with": len(kinds["right"] - kinds["left"]),
            "without_here": int((values["left"] == "").sum()),
            "without_with": int((values["right"] == "").sum())})
        self.check(answer, *(self.means(self.matrix(graph), values[graph], keys)
                             for graph in ("left", "right")), REAL_TOLERANCE, keys)
        # the means are those of `groups`, bit for bit
        groups = {(row["from"], row["to"]): row["mean"] for row in self.d.ask(
            "POST", "/v1/graphs/left/groups", {"attribute": "type"}).json["groups"]}
        for row in answer["changes"]:
            if row["change"] != "lost":
                self.assertEqual(groups[row["from"], row["to"]], row["distance"])
        grouped = self.compare("left/compare", {
            "with": {"graph": "right"}, "key": "type", "by": "type"})
        self.assertEqual(grouped["counts"], answer["counts"])
        self.assertStatus(self.d.ask("POST", "/v1/graphs/left/compare", {
            "with": {"graph": "right"}, "key": "group", "by": "type"}), 400, "malformed-request")


class All(Case):
    """Every pair that changed, in index order, of random graphs (part=all)."""

    RULES = {"default": {"transform": "inv"}, "strong": {"transform": "inv", "min_weight": 4},
             "exact": {"transform": "inv", "precision": "float64"},
             "few": {"transform": "inv", "min_weight": 6, "tables": "distance"},
             "hops": {"transform": "hops"}, "hops4": {"transform": "hops", "min_weight": 4},
             "wide": {"path": "widest"}, "wide4": {"path": "widest", "min_weight": 4},
             "lesion": {"transform": "inv", "without": ["type:A", "side:L"]}}

    def test_all(self):
        with self.daemon() as self.d, np.errstate(invalid="ignore"):
            self.begin()
            self.exact, self.stored = {}, {}
            for name in self.RULES:
                value = "width" if "wide" in name else "distance"
                self.stored[name] = self.array("GET", f"matrices/{value}?profile={name}")
                self.exact[name] = self.array("POST", f"table?profile={name}", {})
            for here, with_ in (("strong", "default"), ("default", "strong"), ("exact", "strong"),
                                ("few", "default"), ("few", "exact"), ("hops4", "hops"),
                                ("wide4", "wide"), ("wide", "wide4"), ("lesion", "default"),
                                ("hops", "strong"), ("default", "default")):
                for tolerance in ({}, {"tolerance": 0.1}):
                    with self.subTest(here=here, with_=with_, **tolerance):
                        self.check(here, with_, {"with": {"profile": with_}, **tolerance})
            self.keyed()
            self.refused()

    def begin(self):
        rng = np.random.default_rng(7)
        n = 300  # more than a block of pairs
        weights = rng.integers(1, 9, (n, n)) * (rng.random((n, n)) < 1.6 / n)
        rows = [f"v{i},v{j},{weights[i, j]}\n" for i, j in np.argwhere(weights)]
        self.d.put("g", "".join(rows).encode(), "?transform=inv")
        labels = self.labels = self.d.ask(
            "GET", "/v1/graphs/g/vertices?limit=1000").json["vertices"]
        self.kinds = dict(zip(labels, rng.choice(list("ABC"), len(labels))))
        sides = dict(zip(labels, rng.choice(list("LR"), len(labels))))
        self.lesion = [self.kinds[v] == "A" and sides[v] == "L" for v in labels]
        text = "label,type,side\n" + "".join(
            f"{v},{self.kinds[v]},{sides[v]}\n" for v in labels)
        self.assertStatus(self.d.ask("PUT", "/v1/graphs/g/attributes", text.encode(),
                                     {"Content-Type": "text/csv"}), 200)
        for name, rule in self.RULES.items():
            if name != "default":
                reply = self.d.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule)
                self.assertEqual(self.d.wait(reply.json["job"])["state"], "succeeded")

    def array(self, method, place, body=None):
        reply = self.assertStatus(self.d.ask(method, f"/v1/graphs/g/{place}", body,
                                             {"Accept": "application/x-npy"}), 200)
        out = np.array(np.load(io.BytesIO(reply.body)), dtype=float)
        np.fill_diagonal(out, np.nan)
        if "lesion" in place:
            out[self.lesion] = out[:, self.lesion] = np.nan
        if "wide" in place:
            out[out == 0] = np.inf
        return out

    def rows(self, here, body, form="csv"):
        reply = self.assertStatus(self.d.ask(
            "POST", f"/v1/graphs/g/compare?profile={here}&format={form}&part=all", body), 200)
        if form == "csv":
            return list(csv.reader(io.StringIO(reply.body.decode())))
        return [json.loads(line) for line in reply.body.splitlines()]

    def check(self, here, with_, body):
        value = "width" if "wide" in here else "distance"
        stored, exact = ([arrays[name] for name in (here, with_)]
                         for arrays in (self.stored, self.exact))
        if {here, with_} == {"exact", "strong"} or {here, with_} == {"exact", "few"}:
            stored = exact  # of different elements
        whole = "hops" in here or value == "width"
        tolerance = body.get("tolerance", 0 if whole else REAL_TOLERANCE)
        found = changes(*stored, tolerance, not ("hops" in here) ^ ("hops" in with_))
        words = ["lost", "gained", "wider", "narrower"] if value == "width" else NAMES
        kind = np.full(stored[0].shape, "", dtype=object)
        for name, word in zip(NAMES, words):
            kind[found[name]] = word
        none = 0.0 if value == "width" else math.inf
        places = np.nonzero(kind != "")
        a, b = (np.where(np.isinf(matrix[places]), none, matrix[places]) for matrix in exact)
        labels = np.array(self.labels)
        columns = [kind[places].tolist(), *(labels[place].tolist() for place in places)]
        names, *lines = self.rows(here, body)
        self.assertEqual(names, ["change", "from", "to", value, f"with_{value}", "difference"])
        self.same([[*line[:3], *map(float, line[3:])] for line in lines],
                  [list(row) for row in zip(*columns, a.tolist(), b.tolist(), (a - b).tolist())])
        if tolerance:
            self.same([[row["change"], row["from"], row["to"]] for row in
                       self.rows(here, body, "ndjson")], [list(row) for row in zip(*columns)])

    def same(self, found, right):
        """A diff of long lists takes minutes, so only the first rows that differ are shown."""
        self.assertEqual([pair for pair in zip(found, right) if pair[0] != pair[1]][:1], [])
        self.assertEqual(len(found), len(right))

    def keyed(self):
        """Values of an attribute: as many rows as the counts say, with the means of the lists."""
        body = {"with": {"profile": "default"}, "key": "type", "tolerance": 0}
        answer = self.assertStatus(
            self.d.ask("POST", "/v1/graphs/g/compare?profile=strong", body), 200).json
        listed = sorted([row["change"], row["from"], row["to"], row["distance"],
                         row["with_distance"]] for row in answer["changes"])
        self.assertGreater(len(listed), 0)
        found = self.rows("strong", body, "ndjson")
        self.assertEqual(sorted(list(row.values())[:5] for row in found), listed)
        kinds = list(dict.fromkeys(self.kinds[v] for v in self.labels))
        places = [(kinds.index(row["from"]), kinds.index(row["to"])) for row in found]
        self.assertEqual(places, sorted(places))

    def refused(self):
        for query, body, pattern in (
                ("?part=all", {}, "part=all has a row for each pair that changed, as format=csv"),
                ("?part=all&format=csv", {"top": 9}, "'top' has no effect with part=all"),
                ("?part=all&format=csv", {"bins": 9}, "'bins' has no effect"),
                ("?part=all&format=csv", {"by": "type"}, "'by' has no effect")):
            reply = self.assertStatus(self.d.ask("POST", f"/v1/graphs/g/compare{query}", {
                "with": {"profile": "strong"}, **body}), 400, "malformed-request")
            self.assertRegex(reply.json["detail"], pattern)


class Refusals(Case):
    """Questions that are refused, and what the message says."""

    def test_refusals(self):
        with self.daemon() as self.d:
            self.d.put("a", b"x,y,1\ny,z,2\n")
            self.d.put("b", b"x,y,1\ny,w,2\n")
            self.d.put("none", b"x,y,1\ny,z,2\n", "?tables=none")
            self.d.put("other", b"p,q,1\n")
            reply = self.d.ask("PUT", "/v1/graphs/wide?path=widest", b"x,y,1\ny,z,2\n",
                               {"Content-Type": "text/csv"})
            self.assertEqual(self.d.wait(reply.json["job"])["state"], "succeeded")
            self.bodies()
            self.attributes()
            self.tables()
            self.query()
            self.matched_labels()
            self.large_distances()

    def refused(self, body, status, problem, pattern, target="a/compare", pointer=None):
        reply = self.assertStatus(
            self.d.ask("POST", f"/v1/graphs/{target}", body), status, problem)
        self.assertRegex(reply.json["detail"], pattern)
        self.assertEqual(reply.json.get("pointer"), pointer)

    def bodies(self):
        wrong = [
            ({}, "'with' must name", "/with"),
            ({"with": "b"}, "'with' must name", "/with"),
            ({"with": {}}, "'with' must name", "/with"),
            ({"with": {"graph": "b", "typ": "x"}}, "'typ' that is not known", "/with/typ"),
            ({"with": {"graph": "b"}, "format": "csv"}, "belongs in the query: [?]format=VALUE",
             "/format"),
            ({"with": {"graph": 1}}, "'graph' that is not a string", "/with/graph"),
            ({"with": {"graph": "b"}, "top": 0}, "'top' must be a whole number from 1", "/top"),
            ({"with": {"graph": "b"}, "top": 1.5}, "'top' must be", "/top"),
            ({"with": {"graph": "b"}, "top": 10001}, "from 1 to 10000; part=all", "/top"),
            ({"with": {"graph": "b"}, "bins": 0}, "'bins' must be", "/bins"),
            ({"with": {"graph": "b"}, "tolerance": -1}, "'tolerance' must be", "/tolerance"),
            ({"with": {"graph": "b"}, "by": "type"}, "'by' of graph 'a': .*attributes", "/by"),
            ({"with": {"graph": "b"}, "key": 1}, "'key' of graph 'a'", "/key"),
            ({"with": {"graph": "b"}, "tops": 1}, "'tops'", "/tops"),
            ({"with": {"graph": "other"}}, "no vertex of graph 'a'", "/with")]
        for body, pattern, pointer in wrong:
            with self.subTest(body=body):
                self.refused(body, 400, "malformed-request", pattern, pointer=pointer)

    def attributes(self):
        """The pointer of a refusal names the member that chooses the attribute."""
        for graph, values in (("sided", b"x,A,L\ny,A,R\nz,B,L\n"), ("alike", b"x,A,L\n"),
                              ("rest", b"y,B,L\n"), ("apart", b"x,C,L\n")):
            self.d.put(graph, b"x,y,1\ny,z,2\n")
            self.assertStatus(self.d.ask(
                "PUT", f"/v1/graphs/{graph}/attributes", b"label,type,side\n" + values,
                {"Content-Type": "text/csv"}), 200)
        for other, body, pattern, pointer in (
                ("apart", {}, "no value of 'type' is in both graphs", "/key"),
                ("alike", {"by": "side"}, "whose 'type' is 'A' have several values of 'side'",
                 "/by")):
            self.refused({"with": {"graph": other}, "key": "type", **body}, 400,
                         "malformed-request", pattern, "sided/compare", pointer)
        # only the values of both graphs need one group
        self.assertStatus(self.d.ask("POST", "/v1/graphs/sided/compare", {
            "with": {"graph": "rest"}, "key": "type", "by": "side"}), 200)

    def tables(self):
        for target, body in (("none/compare", {"with": {"graph": "a"}}),
                             ("a/compare", {"with": {"graph": "none"}})):
            self.refused(body, 409, "tables-failed", "tables=", target)
        for target, body in (("wide/compare", {"with": {"graph": "a"}}),
                             ("a/compare", {"with": {"graph": "wide"}})):
            self.refused(body, 400, "malformed-request", "widest paths", target)
        self.refused({"with": {"graph": "nobody"}}, 404, "unknown-graph", "nobody")
        self.refused({"with": {"profile": "nobody"}}, 404, "unknown-profile", "nobody")
        self.refused({"with": {"graph": "b", "revision": "0" * 64}}, 412, "revision-differs",
                     "0000")

    def query(self):
        body = {"with": {"graph": "b"}}
        for query, pattern in (("?part=x&format=csv", "expected pairs, groups or all"),
                               ("?top=3", "top")):
            self.refused(body, 400, "malformed-request", pattern, "a/compare" + query)

    def matched_labels(self):
        answer = self.assertStatus(self.d.ask(
            "POST", "/v1/graphs/a/compare", {"with": {"graph": "b"}, "top": 5.0}), 200).json
        self.assertEqual(answer["matched"], {"keys": 2, "only_here": 1, "only_with": 1,
                                             "without_here": 0, "without_with": 0})
        self.assertEqual(answer["counts"], {"pairs": 2, "lost": 0, "gained": 0, "unreachable": 1,
                                            "longer": 0, "shorter": 0, "equal": 1})
        for here, with_, why in (("mm", None, None), ("mm", "mm", None), (
                "mm", "x" * 63, f"lengths are in mm here, and in {'x' * 63} in 'with'")):
            for graph, unit in (("a", here), ("b", with_)):
                self.assertStatus(
                    self.d.ask("PATCH", f"/v1/graphs/{graph}", {"weight_unit": unit}), 200)
            answer = self.d.ask("POST", "/v1/graphs/a/compare", {"with": {"graph": "b"}}).json
            self.assertEqual((answer["comparable"], answer["why_not"]), (why is None, why))

    def large_distances(self):
        self.d.put("a", b"x,y,1e308\nx,z,1e308\n")
        self.assertStatus(self.d.ask("PUT", "/v1/graphs/a/attributes", b"label,t\nx,A\ny,B\nz,B\n",
                                     {"Content-Type": "text/csv"}), 200)
        self.refused({"with": {"profile": "default"}, "key": "t"}, 422, "bad-data", "1.8e308")


if __name__ == "__main__":
    unittest.main()
