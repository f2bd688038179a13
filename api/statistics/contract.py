"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

COMPONENTS = obj({"count": COUNT, "largest": COUNT,
                  "sizes": said(arr(arr(COUNT, minItems=2, maxItems=2)),
                                "pairs [size, number of components of this size]")})
HISTOGRAM = obj({"from": null(REAL), "width": null(REAL), "counts": arr(COUNT)})
STATS = named("Statistics", obj({
    **READING_HEAD, "vertices": COUNT, "arcs": COUNT, "pairs": COUNT, "reachable_pairs": COUNT,
    "unreachable_pairs": COUNT, "reachable_fraction": null(REAL),
    "characteristic_path_length": null(REAL), "global_efficiency": null(REAL),
    "radius": null(REAL), "diameter": null(REAL),
    "strong_components": COMPONENTS, "weak_components": COMPONENTS,
    "distance_histogram": HISTOGRAM, "hop_histogram": HISTOGRAM,
    "betweenness": said(null(obj(
        {"mean": null(REAL), "max": null(REAL), "max_vertex": null(LABEL)}, undefined=TEXT)),
        "betweenness in the whole graph; null if the profile does not ask for it")}))
WIDTH_STATS = named("WidthStatistics", obj({
    **READING_HEAD, "vertices": COUNT, "arcs": COUNT, "pairs": COUNT, "reachable_pairs": COUNT,
    "unreachable_pairs": COUNT, "reachable_fraction": null(REAL),
    "widest": said(null(REAL), "the largest width of a pair"),
    "narrowest": said(null(REAL), "the least width of a pair that has a path"),
    "width_histogram": said(
        obj({"widths": said(arr(REAL), "thresholds in ascending order"),
             "pairs": said(arr(COUNT), "the number of pairs at each threshold")}),
        "`pairs[k]` is the number of pairs of at least the width `widths[k]`"),
    "strong_components": COMPONENTS, "weak_components": COMPONENTS}))
VERTEX_STATS = named("VertexStatistics", obj(
    {"vertex": LABEL, "reaches": said(COUNT, "the number of other vertices that the vertex "
                                             "reaches"),
     "reached_by": said(COUNT, "the number of other vertices that reach the vertex"),
     "strong_component": said(LABEL, "the first vertex of its strongly connected component"),
     "weak_component": said(LABEL, "the first vertex of its weakly connected component")},
    **{name: null(REAL) for name in (
        "eccentricity_out", "eccentricity_in", "closeness_out", "closeness_in",
        "efficiency_out", "efficiency_in", "betweenness")},
    betweenness_normalized=said(null(REAL), "the betweenness divided by (n - 1)(n - 2), the "
                                            "number of pairs")))

get_stats = endpoint(
    "GET /v1/graphs/{graph}/stats", READ, NONE,
    "What labs compute from distances: path length, efficiency, histograms, components",
    {200: cached("statistics of the whole graph; a row for each vertex with vertices=1, in CSV "
                 "and in .npy",
                 any_of(STATS, WIDTH_STATS,
                        obj({**READING_HEAD, "vertices": arr(VERTEX_STATS)})),
                 any_of(STATS, WIDTH_STATS, VERTEX_STATS))},
    query=[PROFILE,
           arg("bins", "the largest number of bins of a histogram", whole(1, 2046)),
           arg("vertices", "`1`: a row for each vertex", whole(0, 1))],
    problems=[404, 409, 503],
    formats="TABLE")

GROUP_COUNTS = {"from": TEXT, "to": TEXT, "pairs": COUNT, "reachable": COUNT,
                "share": null(REAL), "mean": null(REAL)}
TWO_LABELS = null(arr(LABEL, minItems=2, maxItems=2))
GROUP = any_of(
    named("GroupPair", obj({**GROUP_COUNTS, "min": null(REAL), "nearest": TWO_LABELS})),
    named("WideGroupPair", obj({
        **GROUP_COUNTS,
        "max": said(null(REAL), "the largest width of a pair; `mean` is the mean width of the "
                                "pairs that have a path"),
        "widest": said(TWO_LABELS, "the first pair of the largest width")})))

BY_ATTRIBUTE = said(VERTEX_SET, "only these vertices count at this end of the pairs; without this "
                                "member, all vertices")

post_groups = endpoint(
    "POST /v1/graphs/{graph}/groups", READ, PIECES,
    "Distances between all pairs of values of an attribute",
    {200: answer("a row for each pair of values. CSV has the columns from, to, pairs, reachable, "
                 "share, min, mean, nearest_from and nearest_to; for a profile with path=widest, "
                 "from, to, pairs, reachable, share, max, mean, widest_from and widest_to", obj({
        **READING_HEAD, "sources": TEXT, "targets": TEXT, "groups": arr(GROUP)}), GROUP)},
    query=[PROFILE, MATCH],
    body={"application/json": any_of(
        obj({"attribute": TEXT}, sources=BY_ATTRIBUTE, targets=BY_ATTRIBUTE),
        obj({"sources": TEXT, "targets": TEXT}))},
    problems=[404, 409, 422, 503],
    formats="ROWS")
