"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

PAIR = {**READING_HEAD, "from": LABEL, "to": LABEL}
ARC = obj({"weight": REAL}, length=said(REAL, "absent if the profile has path=widest"),
          width=said(REAL, "only if the profile has path=widest: the weight, or with normalise "
                           "the share"))
DISTANCE = said(null(REAL), "the sum of the lengths of the arcs; null if there is no path. Absent "
                            "if the profile has path=widest")
WIDTH = said(null(REAL), "the least width of the arcs; null if there is no path, or if the path "
                         "has no arcs. Only if the profile has path=widest: then no path has a "
                         "larger width, and none of this width has fewer arcs")
PATH = {
    "reachable": TRUTH,
    "hops": said(null(COUNT), "the number of arcs of the path. The path is shortest by "
                              "length; another path may have fewer arcs"),
    "weight": said(null(REAL), "the sum of the weights of the arcs"),
    "path": said(null(arr(LABEL)), "the vertices of the path, from the first to the last"),
    "arcs": said(null(arr(ARC)), "the arcs of the path, with the weights and lengths of the "
                                 "profile"),
}
LIMITS = {"limited_by": said(
    arr(one_of("avoid", "hops")),
    "the options of the request without which there would be a path; `avoid` also stands for "
    "`avoid_arc`; empty if there is a path, or if there is none at all")}
WORK = {**LIMITS, "work": said(obj({"arcs": COUNT, "vertices": COUNT}),
                            "the number of arcs and vertices that the search has looked at")}


def kind(name):
    return {"kind": said(one_of(name), "the kind of the answer: `path` without options, else the "
                                       "option "
                         "`avoid`, `hops`, `k` or `ties`")}


SIZES = {"distance": DISTANCE, "width": WIDTH}
ONE = named("Path", obj({**PAIR, **kind("path"), **PATH}, **SIZES, **PAIR_LEFT_OUT))
AVOIDING = named("PathOfSearch", obj({**PAIR, **kind("avoid"), **PATH, **WORK}, **SIZES,
                                     **PAIR_LEFT_OUT))
WALK = named("Walk", obj({**PAIR, **kind("hops"), **PATH, **WORK,
                          "repeats": said(TRUTH, "whether a vertex occurs twice")}, **SIZES, **PAIR_LEFT_OUT))
K_PATHS = named("ShortestPaths", obj({
    **PAIR, **kind("k"), "reachable": TRUTH, "k": whole(1), "count": COUNT,
    "paths": arr(obj({**PATH, "distance": DISTANCE})), **WORK}, **PAIR_LEFT_OUT))
TIE_VERTEX = obj({"vertex": LABEL, "distance": REAL, "layer": null(COUNT)})
TIE_ARC = obj({"from": LABEL, "to": LABEL, "weight": REAL, "length": REAL})
TIES = named("AllShortestPaths", obj(
    {**PAIR, **kind("ties"), "reachable": TRUTH, "distance": null(REAL), "hops": null(COUNT),
     "count": said(any_of(COUNT, {"type": "string", "pattern": "^[0-9]+$"}, {"type": "null"}),
                   "the number of paths in the graph of paths: a string above 2^53, null if it is "
                   "unknown. With a tolerance, some of them may be longer than it allows"),
     "vertices": null(arr(TIE_VERTEX)), "arcs": null(arr(TIE_ARC)), **WORK},
    cyclic=TRUTH, tolerance=REAL, n_vertices=COUNT, n_arcs=COUNT, truncated=TRUTH, **PAIR_LEFT_OUT))

FROM = arg("from", "the label of the first vertex", LABEL, required=True)
TO = arg("to", "the label of the last vertex", LABEL, required=True)

get_path = endpoint(
    "GET /v1/graphs/{graph}/path", READ, EXPRESS,
    "One shortest path, all of them, the k shortest, or one that avoids vertices and arcs; for a "
    "profile with path=widest, one widest path",
    {200: cached("the path", tagged(
        "kind", path=ONE, avoid=AVOIDING, hops=WALK, k=K_PATHS, ties=TIES))},
    query=[FROM, TO, PROFILE,
           arg("ties", "all shortest paths, as a graph", one_of("all")),
           arg("k", "the k shortest paths without repeated vertices", whole(1, LARGEST["k_paths"])),
           arg("avoid", "a vertex, or `a>b` for the arc from a to b, which the path must not "
                        "contain", many=True),
           arg("avoid_arc", "`a>b`: the arc from a to b, which the path must not contain, also if a "
                            "vertex has the label `a>b`", many=True),
           arg("hops", "`3`: the shortest walk of exactly three arcs, none of them a self-loop; "
                       "`..3`: the shortest path of at most three arcs",
               {"type": "string", "pattern": r"^(\.\.)?[0-9]{1,8}$"}),
           arg("tolerance", "with ties=all: the answer has each arc on a walk that is longer than "
                            "the distance by at most this fraction of it",
               {"type": "number", "minimum": 0, "maximum": 1}),
           arg("max_arcs", "with ties=all: the largest number of arcs in the answer", 
               whole(0, LARGEST["max_arcs"]))],
    problems=[404, 409, 413, 422, 503])

get_reachable = endpoint(
    "GET /v1/graphs/{graph}/reachable", READ, EXPRESS,
    "Whether there is a path",
    {200: cached("whether there is a path", named("Reachable", obj(
        {**PAIR, "reachable": TRUTH}, **PAIR_LEFT_OUT)))},
    query=[FROM, TO, PROFILE,
           arg("min_width", "for a profile with path=widest: whether there is a path whose weights "
                            "are all at least this number", REAL)],
    problems=[404, 409, 413, 422, 503])

PAIR_VALUES = named("PairValues", obj(
    {"from": LABEL, "to": LABEL},
    **PAIR_LEFT_OUT, **SIZES, **{name: PATH[name] for name in ("hops", "path")}))
PAIR_PROBLEM = named("PairProblem", obj({
    "from": said(null(TEXT), "the label in the request, cut to 200 bytes if it is unknown; null "
                             "if the request has no label there"),
    "to": said(null(TEXT), "the label in the request, as `from`"),
    "problem": said(TEXT, "the reason that the pair has no values")}))
ROW = any_of(ONE, PROBLEM, PAIR_VALUES, PAIR_PROBLEM)

post_paths = endpoint(
    "POST /v1/graphs/{graph}/paths", READ, PIECES,
    "Shortest paths of many pairs",
    {200: answer("a path or a problem for each pair, in the same order. CSV has the columns from, "
                 "to, the values and problem; if the rule leaves out vertices, also left_out in front "
                 "of problem",
                 obj({**READING_HEAD, "paths": arr(ROW)}), ROW)},
    query=[PROFILE,
           arg("values", "some of distance, hops and path, with commas between them: a row has "
                         "these values only, or a problem. CSV without this argument has all "
                         "three. For a profile with path=widest, width takes the place of "
                         "distance. hops is the number of arcs of the path that is shortest by "
                         "length; another path may have fewer")],
    body={"application/json": any_of(
        obj({"pairs": arr(arr(LABEL, minItems=2, maxItems=2), maxItems=LARGEST["pairs"])}),
        obj({}, sources=said(VERTEX_SET, "without this member, all vertices; this member or "
                                         "targets is required"),
            targets=said(VERTEX_SET, "each source is paired with each of them; without this "
                                     "member, with all vertices"))),
        **{kind: said(TEXT, "a line for each pair. A header names both ends as in an edge list, "
                            "such as from and to; without a header there are two columns")
           for kind in ("text/csv", "text/tab-separated-values")}},
    problems=[404, 409, 422, 503],
    formats="ROWS")
