"""What the endpoints of this room take and answer; see api/contract/words.py."""
from words import *

COMPONENTS = obj({"count": COUNT, "largest": COUNT,
                  "sizes": said(arr(arr(COUNT, minItems=2, maxItems=2)),
                                "[size, how many components have it]")})
HISTOGRAM = obj({"from": null(REAL), "width": null(REAL), "counts": arr(COUNT)})
STATS = named("Statistics", obj({
    **PAIR_HEAD, "vertices": COUNT, "arcs": COUNT, "pairs": COUNT, "reachable_pairs": COUNT,
    "unreachable_pairs": COUNT, "reachable_fraction": null(REAL),
    "characteristic_path_length": null(REAL), "global_efficiency": null(REAL),
    "radius": null(REAL), "diameter": null(REAL),
    "strong_components": COMPONENTS, "weak_components": COMPONENTS,
    "distance_histogram": HISTOGRAM, "hop_histogram": HISTOGRAM,
    "betweenness": said(null(obj(
        {"mean": null(REAL), "max": null(REAL), "max_vertex": null(LABEL)}, undefined=TEXT)),
        "null: the profile's measures do not have it")}))
VERTEX_STATS = named("VertexStatistics", obj(
    {"vertex": LABEL, "reaches": said(COUNT, "how many others"),
     "reached_by": said(COUNT, "by how many others"),
     "eccentricity_out": null(REAL), "eccentricity_in": null(REAL),
     "closeness_out": null(REAL), "closeness_in": null(REAL),
     "efficiency_out": null(REAL), "efficiency_in": null(REAL),
     "strong_component": said(LABEL, "its first vertex"),
     "weak_component": said(LABEL, "its first vertex")},
    betweenness=null(REAL),
    betweenness_normalized=said(null(REAL), "a share of all (n - 1)(n - 2) pairs")))

get_stats = endpoint(
    "GET /v1/graphs/{graph}/stats", READ, NONE,
    "What labs compute from distances: path length, efficiency, histograms, components",
    {200: cached("of the whole graph; with vertices=1, and in CSV and .npy, a row a vertex",
                 any_of(STATS, obj({"revision": REVISION, "profile": NAME,
                                    "vertices": arr(VERTEX_STATS)})),
                 any_of(STATS, VERTEX_STATS))},
    query=[PROFILE,
           arg("bins", "how many bins a histogram has at most", whole(1, 2046)),
           arg("vertices", "`1`: a row for each vertex", whole(0, 1))],
    problems=[404, 409, 503],
    formats="TABLE")

GROUP = named("GroupPair", obj({
    "from": TEXT, "to": TEXT, "pairs": COUNT, "reachable": COUNT, "share": null(REAL),
    "min": null(REAL), "mean": null(REAL),
    "nearest": null(arr(LABEL, minItems=2, maxItems=2))}))

post_groups = endpoint(
    "POST /v1/graphs/{graph}/groups", READ, BUFFER,
    "Distances between all pairs of values of an attribute",
    {200: answer("a row for each pair of values", obj({
        **PAIR_HEAD, "sources": TEXT, "targets": TEXT, "groups": arr(GROUP)}), GROUP)},
    query=[PROFILE, MATCH],
    body={"application/json": any_of(
        obj({"attribute": TEXT}), obj({"sources": TEXT, "targets": TEXT}))},
    problems=[404, 409, 503])
