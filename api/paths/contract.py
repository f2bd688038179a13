"""What the endpoints of this room take and answer; see api/contract/words.py."""
from words import *

PAIR = {**PAIR_HEAD, "from": LABEL, "to": LABEL}
ARC = obj({"weight": REAL, "length": REAL})
PATH = {
    "reachable": TRUTH,
    "distance": said(null(REAL), "the sum of the arcs' lengths; null: there is no path"),
    "hops": said(null(COUNT), "how many arcs the path has; it is shortest by length, so "
                              "another one may have fewer"),
    "weight": said(null(REAL), "the sum of the arcs' weights"),
    "path": said(null(arr(LABEL)), "its vertices, from first to last"),
    "arcs": said(null(arr(ARC)), "its arcs, as the profile has them"),
}
LIMITS = {"limited_by": said(
    arr(one_of("avoid", "hops")),
    "the options of the request that keep out all the paths there are: only where `reachable` "
    "is false although `to` can be reached without them")}
WORK = {**LIMITS, "work": said(obj({"arcs": COUNT, "vertices": COUNT}),
                            "what the search has looked at")}


def kind(name):
    return {"kind": said(one_of(name), "which question is answered: `path` the plain one, else "
                         "by the option `avoid`, `hops`, `k` or `ties`")}


ONE = named("Path", obj({**PAIR, **kind("path"), **PATH}))
AVOIDING = named("PathOfSearch", obj({**PAIR, **kind("avoid"), **PATH, **WORK}))
WALK = named("Walk", obj({**PAIR, **kind("hops"), **PATH, **WORK,
                          "repeats": said(TRUTH, "whether a vertex comes twice")}))
K_PATHS = named("ShortestPaths", obj({
    **PAIR, **kind("k"), "reachable": TRUTH, "k": whole(1), "count": COUNT,
    "paths": arr(obj(PATH)), **WORK}))
TIE_VERTEX = obj({"vertex": LABEL, "distance": REAL, "layer": null(COUNT)})
TIE_ARC = obj({"from": LABEL, "to": LABEL, "weight": REAL, "length": REAL})
TIES = named("AllShortestPaths", obj(
    {**PAIR, **kind("ties"), "reachable": TRUTH, "distance": null(REAL), "hops": null(COUNT),
     "count": said(any_of(COUNT, {"type": "string", "pattern": "^[0-9]+$"}, {"type": "null"}),
                   "of paths: a string past 2^53, null where it cannot be told"),
     "vertices": null(arr(TIE_VERTEX)), "arcs": null(arr(TIE_ARC)), **WORK},
    cyclic=TRUTH, tolerance=REAL, n_vertices=COUNT, n_arcs=COUNT, truncated=TRUTH))

FROM = arg("from", "the label of the first vertex", LABEL, required=True)
TO = arg("to", "the label of the last vertex", LABEL, required=True)

get_path = endpoint(
    "GET /v1/graphs/{graph}/path", READ, EXPRESS,
    "One shortest path; all of them, the k shortest, or those that avoid something",
    {200: cached("the path", tagged(
        "kind", path=ONE, avoid=AVOIDING, hops=WALK, k=K_PATHS, ties=TIES))},
    query=[FROM, TO, PROFILE,
           arg("ties", "all shortest paths, as a graph", one_of("all")),
           arg("k", "the k shortest paths without repeated vertices", whole(1, 1000)),
           arg("avoid", "a vertex, or `a>b` for an arc", many=True),
           arg("hops", "`3`: the shortest walk of exactly three arcs; `..3`: of at most three",
               {"type": "string", "pattern": r"^(\.\.)?[0-9]{1,8}$"}),
           arg("tolerance", "with ties=all: which share of the distance paths may differ by",
               {"type": "number", "minimum": 0, "maximum": 1}),
           arg("max_arcs", "with ties=all: how many arcs are told", whole(0, 100000))],
    problems=[404, 409, 422, 503])

get_reachable = endpoint(
    "GET /v1/graphs/{graph}/reachable", READ, EXPRESS,
    "Whether there is a path",
    {200: cached("one bit", named("Reachable", obj({**PAIR, "reachable": TRUTH})))},
    query=[FROM, TO, PROFILE],
    problems=[404, 409, 503])

ROW = any_of(ONE, PROBLEM)

post_paths = endpoint(
    "POST /v1/graphs/{graph}/paths", READ, PIECES,
    "Shortest paths of many pairs",
    {200: answer("a path or a problem for each pair, in the same order",
                 obj({**PAIR_HEAD, "paths": arr(ROW)}), ROW)},
    query=[PROFILE],
    body={"application/json": obj(
        {"pairs": arr(arr(LABEL, minItems=2, maxItems=2), maxItems=100000)})},
    problems=[404, 409, 503])
