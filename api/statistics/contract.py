"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

COMPONENTS = obj({"count": COUNT, "largest": COUNT,
                  "sizes": said(arr(arr(COUNT, minItems=2, maxItems=2)),
                                "pairs [size, number of components of this size]")})
LEFT_OUT = said(COUNT, "the number of vertices that the rule leaves out, if it leaves out any; they "
                       "do not count elsewhere in the answer")
ARCS = said(COUNT, "the number of arcs of the profile: merged, without self-loops and arcs that its "
                   "rule drops. So it may be less than the `arcs` of the upload")
HISTOGRAM = obj({
    "from": said(null(REAL), "the least value of the first bin; 0 if there are no bins, null if it is "
                             "above 1.8e308 in magnitude"),
    "width": said(null(REAL), "the width of a bin, a power of two; 1 if there are no bins, null if "
                              "it is above 1.8e308"),
    "counts": arr(COUNT)})
STATS = named("Statistics", obj({
    **READING_HEAD, "vertices": COUNT, "arcs": ARCS, "pairs": COUNT, "reachable_pairs": COUNT,
    "unreachable_pairs": COUNT, "reachable_fraction": null(REAL),
    "characteristic_path_length": null(REAL), "global_efficiency": null(REAL),
    "radius": null(REAL), "diameter": null(REAL),
    "strong_components": COMPONENTS, "weak_components": COMPONENTS,
    "distance_histogram": HISTOGRAM, "hop_histogram": HISTOGRAM,
    "betweenness": said(null(obj(
        {"mean": null(REAL), "max": null(REAL), "max_vertex": null(LABEL)}, undefined=TEXT)),
        "betweenness in the whole graph; null if the profile does not ask for it")},
    left_out=LEFT_OUT))
WIDTH_STATS = named("WidthStatistics", obj({
    **READING_HEAD, "vertices": COUNT, "arcs": ARCS, "pairs": COUNT, "reachable_pairs": COUNT,
    "unreachable_pairs": COUNT, "reachable_fraction": null(REAL),
    "widest": said(null(REAL), "the largest width of a pair"),
    "narrowest": said(null(REAL), "the least width of a pair that has a path"),
    "width_histogram": said(
        obj({"widths": said(arr(REAL), "thresholds in ascending order"),
             "pairs": said(arr(COUNT), "the number of pairs at each threshold")}),
        "`pairs[k]` is the number of pairs of at least the width `widths[k]`"),
    "strong_components": COMPONENTS, "weak_components": COMPONENTS}, left_out=LEFT_OUT))
VERTEX_STATS = named("VertexStatistics", obj(
    {"vertex": LABEL, "reaches": said(null(COUNT), "the number of other vertices that the "
                                                   "vertex reaches; null if the rule leaves the "
                                                   "vertex out"),
     "reached_by": said(null(COUNT), "the number of other vertices that reach the vertex"),
     "strong_component": said(null(LABEL), "the first vertex of its strongly connected component"),
     "weak_component": said(null(LABEL), "the first vertex of its weakly connected component")},
    **{name: null(REAL) for name in (
        "eccentricity_out", "eccentricity_in", "closeness_out", "closeness_in",
        "efficiency_out", "efficiency_in", "betweenness")},
    betweenness_normalized=said(null(REAL), "the betweenness divided by (n - 1)(n - 2), the "
                                            "number of pairs"),
    attributes=said(map_of(TEXT), "if the graph has attributes. CSV has a column for each one, "
                                  "after the others. " + PREFIXED)))

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
           arg("vertices", "`1`: a row for each vertex", whole(0, 1)),
           arg("sort", "of the rows: the column whose greatest value is first. Undefined values "
                       "are last; of equal values, and without this argument, the vertex with "
                       "the lower index is first",
               one_of("reaches", "reached_by", "eccentricity_out", "eccentricity_in",
                      "closeness_out", "closeness_in", "efficiency_out", "efficiency_in",
                      "betweenness", "betweenness_normalized")),
           arg("limit", "the largest number of rows. Without it: all", whole(1, 2 ** 32 - 1))],
    problems=[404, 409, 503],
    formats="TABLE")

# The ends of a row about two groups of vertices.
VALUE_ENDS = {
    "from": said(TEXT, "the value of the attribute of the vertices where the pairs begin"),
    "to": said(TEXT, "the value of the attribute of the vertices where the pairs end")}
GROUP_COUNTS = {**VALUE_ENDS, "pairs": COUNT, "reachable": COUNT,
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
        **READING_HEAD, "sources": TEXT, "targets": TEXT, "groups": arr(GROUP)},
        left_out=LEFT_OUT), GROUP)},
    query=[PROFILE, MATCH,
           arg("empty", "`false`: no rows of pairs of values that have no pair of vertices", TRUTH)],
    body={"application/json": any_of(
        obj({"attribute": TEXT}, sources=BY_ATTRIBUTE, targets=BY_ATTRIBUTE),
        obj({"sources": TEXT, "targets": TEXT}))},
    problems=[404, 409, 422, 503],
    formats="ROWS")

def compared(more, less, value):
    """Numbers of pairs; more and less name the pairs whose values differ."""
    return {"pairs": COUNT,
            "lost": said(COUNT, "pairs with a path in `with` only"),
            "gained": said(COUNT, "pairs with a path here only"),
            "unreachable": said(COUNT, "pairs without a path on either side"),
            more: said(null(COUNT), f"pairs whose {value} here is larger"),
            less: said(null(COUNT), f"pairs whose {value} here is smaller"),
            "equal": said(null(COUNT), f"pairs whose {value}s are equal within the tolerance")}


def comparison(prefix, more, less, value):
    """The answer about distances or widths, and its two kinds of rows."""
    counts = compared(more, less, value)
    change = said(one_of("lost", "gained", more, less), "the list to which the row belongs")
    groups = named(prefix + "ChangedGroups", obj({
        "change": change, **VALUE_ENDS, **counts,
        "mean_difference": said(null(REAL), f"the mean of {value} - with_{value} over the pairs "
                                            "with a path on both sides; null if there are none")}))
    pair = named(prefix + "ChangedPair", obj({
        "change": change, "from": TEXT, "to": TEXT, value: null(REAL),
        "with_" + value: said(null(REAL), f"the {value} in `with`"),
        "difference": said(null(REAL), f"{value} - with_{value}")}))
    return named(prefix + "Comparison", obj({
        **READING_HEAD, "rule": said(obj(RULE), "the rule of the tables"),
        "with": said(obj({"graph": NAME, **READING_HEAD,
                          "rule": said(obj(RULE), "the rule of the tables")}),
                     "the tables that were compared with"),
        "key": said(null(TEXT), "the attribute by whose values vertices were matched; null: by "
                                "label"),
        "by": said(null(TEXT), "the attribute whose values are groups"),
        "comparable": said(TRUTH, f"whether {value}s by the two rules can be compared"),
        "why_not": said(null(TEXT), f"the reason why {value}s cannot be compared"),
        "tolerance": said(null(REAL), f"{value}s that differ by at most this share are equal"),
        "matched": said(obj({
            "keys": said(COUNT, "labels, or values of `key`, in both graphs"),
            "only_here": said(COUNT, "labels or values in this graph only"),
            "only_with": said(COUNT, "labels or values in the other graph only"),
            "without_here": said(COUNT, "vertices of this graph without a value of `key`"),
            "without_with": said(COUNT, "vertices of the other graph without a value of "
                                        "`key`")}),
            "how many labels or values match"),
        "counts": said(obj(counts), "pairs of two different vertices by what became of them"),
        "left_out": said(obj(counts), "the same of pairs with a vertex that a rule leaves out, "
                                      "which count nowhere else"),
        "difference": said(null(obj({
            "sum": said(null(REAL), f"the sum of the differences of {more} and {less} pairs"),
            "mean": null(REAL),
            "mean_here": said(null(REAL), f"the mean {value} in this graph"),
            "mean_with": said(null(REAL), f"the mean {value} in the other graph")})),
            "over the pairs with a path on both sides"),
        "histogram": said(null(HISTOGRAM), f"of the differences of {more} and {less} pairs")},
        groups=said(null(arr(groups)),
                    "the pairs of values of `by` that change most, `top` of them at most for each "
                    "change: of `lost` and `gained`, those with the largest lost / pairs and "
                    f"gained / pairs; of `{more}` and `{less}`, those with the largest and the "
                    "least `mean_difference`. null without `by`"),
        changes=said(arr(pair), "the pairs that change most"))), pair, groups


OF_DISTANCES = comparison("", "longer", "shorter", "distance")
OF_WIDTHS = comparison("Wide", "wider", "narrower", "width")

post_compare = endpoint(
    "POST /v1/graphs/{graph}/compare", READ, BUFFER,
    "What differs between two profiles or graphs: pairs lost, gained, longer, shorter",
    {200: answer("counts, sums, and the pairs that change most. If both profiles have "
                 "path=widest, widths are compared, and pairs are wider or narrower",
                 any_of(OF_DISTANCES[0], OF_WIDTHS[0]),
                 any_of(*OF_DISTANCES[1:], *OF_WIDTHS[1:]))},
    query=[PROFILE,
           arg("part", "only rows about `pairs` of vertices or of `groups`. Without it, JSON has "
                       "both, and CSV and NDJSON have pairs. `all`, for CSV and NDJSON: a row for "
                       "each pair that is lost, gained, longer or shorter, however many there "
                       "are, in the order of the vertices; the body then has none of by, top and "
                       "bins", one_of("pairs", "groups", "all"))],
    body={"application/json": obj(
        {"with": said(obj({}, graph=NAME, profile=NAME, revision=REVISION),
                      "the tables to compare with: those of another profile, of another graph "
                      "(`default` if no profile is named), or both")},
        key=said(TEXT, "an attribute: vertices with the same value are matched. Without it, "
                       "vertices with the same label are"),
        by=said(TEXT, "an attribute, whose values are groups"),
        top=said(whole(1, LARGEST["comparison_top"]),
                 "the largest number of pairs, and of pairs of groups, of each change; without "
                 "it 100"),
        bins=said(whole(1, 2046), "the largest number of bins of the histogram; without it 100"),
        tolerance=said(REAL, "distances or widths that differ by at most this share are equal; "
                             "without it 1e-5 of real distances, and 0 of whole distances and of "
                             "widths. The distances of `matrices/distance` decide, which are "
                             "rounded to the element of the tables; the distances in `changes` "
                             "are exact sums. If the two tables have different elements, the "
                             "exact sums decide"))},
    problems=[404, 409, 422, 503],
    formats="ROWS")
