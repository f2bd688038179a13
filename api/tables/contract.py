"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

DISTANCE, HOPS, BEFORE = null(REAL), null(COUNT), null(LABEL)
WIDTH = said(null(REAL), "the largest width of a path; null if there is no path, and for a vertex "
                         "and itself, whose width is infinite (`reachable` distinguishes them)")
BY_NAME = {"distance": DISTANCE, "width": WIDTH, "hops": HOPS, "predecessor": BEFORE,
           "reachable": TRUTH}
LISTS = {name: arr(value) for name, value in BY_NAME.items()}
ROWS = {name: arr(value) for name, value in LISTS.items()}

TO_OTHERS = {**READING_HEAD, "vertex": LABEL, "direction": one_of("out", "in"), "count": COUNT,
             "vertices": arr(LABEL)}
OTHER = obj({"vertex": LABEL}, **PAIR_LEFT_OUT, **BY_NAME)

get_distances = endpoint(
    "GET /v1/graphs/{graph}/vertices/{vertex}/distances", READ, NONE,
    "Distances from a vertex to all others, or from all others to it",
    {200: cached("a value for each vertex",
                 named("Distances", obj(TO_OTHERS, **TABLE_LEFT_OUT, **LISTS)), OTHER)},
    query=[DIRECTION, VALUES, NEAREST, MAX_DISTANCE, MIN_WIDTH, REACHABLE, PROFILE],
    problems=[404, 409, 413, 422, 503],
    formats="TABLE")

get_reach_set = endpoint(
    "GET /v1/graphs/{graph}/vertices/{vertex}/reachable", READ, NONE,
    "The vertices that a vertex reaches, or that reach it",
    {200: cached("the set",
                 named("ReachSet", obj(
                     {**TO_OTHERS, "on_cycle": said(TRUTH, "whether the vertex reaches itself")},
                     steps=arr(COUNT), **TABLE_LEFT_OUT, **LISTS)),
                 any_of(LABEL, obj({"vertex": LABEL}, steps=COUNT, **PAIR_LEFT_OUT,
                                   **BY_NAME)))},
    query=[DIRECTION, MAX_DISTANCE, MIN_WIDTH,
           arg("max_hops", "only vertices that some path of so many arcs connects. `steps` is the "
               "least number of arcs; `hops` is the number of arcs of the path "
               "that is shortest by length",
               whole(0, 2**32 - 1)),
           MATCH, VALUES, PROFILE],
    problems=[404, 409, 413, 422, 503],
    formats="ROWS")

REACHED = obj({"vertex": LABEL, "steps": said(COUNT, "the fewest arcs from the nearest vertex of "
                                                     "the set, or to it")},
              left_out=said(TRUTH, "true if the rule leaves the vertex out, which then is a "
                                   "vertex of the set"),
              distance=said(REAL, "the least distance from a vertex of the set, or to one"),
              nearest=said(LABEL, "the first vertex of the set that has this distance"),
              width=said(null(REAL), "the largest width from a vertex of the set, or to one; null "
                                     "for a vertex of the set, whose width is infinite"),
              widest=said(LABEL, "the first vertex of the set that has this width"))

post_reachable = endpoint(
    "POST /v1/graphs/{graph}/reachable", READ, PIECES,
    "The vertices that a set of vertices reaches, or that reach it",
    {200: answer("a row for each vertex, in index order. CSV has the columns vertex, steps and, "
                 "with distances, distance and nearest, or width and widest for a profile with "
                 "path=widest; if the rule leaves out vertices, also left_out (0 or 1)",
                 named("SetReach", obj({
                     **READING_HEAD, "direction": one_of("out", "in"),
                     "set": said(COUNT, "the number of vertices of the set"), "count": COUNT,
                     "vertices": arr(REACHED)})), REACHED)},
    query=[PROFILE],
    body={"application/json": obj(
        {},
        sources=said(VERTEX_SET, "the vertices at which paths begin; required with direction "
                                 "`out`. With `in`, only these are in the answer; without this "
                                 "member, all vertices"),
        targets=said(VERTEX_SET, "the vertices at which paths end; required with direction `in`. "
                                 "With `out`, only these are in the answer; without this member, "
                                 "all vertices"),
        direction=said(one_of("out", "in"), "`out`: the targets that some source reaches (the "
                                            "default); `in`: the sources that reach some target"),
        max_hops=said(whole(0, 2**32 - 2), "only vertices that some path of so many arcs connects "
                                           "with the set"),
        max_distance=said(REAL, "only vertices within this distance of the set; the answer then "
                                "has distances"),
        min_width=said(REAL, "for a profile with path=widest: only vertices that a path of at "
                             "least this width connects with the set; the answer then has widths"),
        values=said(arr(one_of("distance", "width"), minItems=1, maxItems=1),
                    "`[\"distance\"]`: the answer has distances; `[\"width\"]` for a profile "
                    "with path=widest"))},
    problems=[404, 409, 422, 503],
    formats="ROWS")

WIDE = obj({**READING_HEAD, "sources": arr(LABEL), "targets": arr(LABEL)}, **TABLE_LEFT_OUT, **ROWS)
TABLE_PAIR = obj({"from": LABEL, "to": LABEL}, **PAIR_LEFT_OUT, **BY_NAME)
LONG = obj({**READING_HEAD, "pairs": arr(TABLE_PAIR)})
LINE = any_of(obj({"from": LABEL}, **PAIR_LEFT_OUT, **LISTS), TABLE_PAIR)

post_table = endpoint(
    "POST /v1/graphs/{graph}/table", READ, PIECES,
    "A table of sources × targets",
    {200: answer("the table. If the rule leaves out vertices, CSV with a row for each pair has a "
                 "last column left_out: `from`, `to` or `from to`", any_of(named("Table", WIDE), named("LongTable", LONG)), LINE)},
    query=[PROFILE, VALUES,
           arg("layout", "`wide`: rows and columns; `long`: a row for each pair",
               one_of("wide", "long")),
           MATCH, NEAREST, MAX_DISTANCE, MIN_WIDTH, REACHABLE],
    body={"application/json": obj(
        {}, sources=said(VERTEX_SET, "without this member, all vertices"),
        targets=said(VERTEX_SET, "without this member, all vertices"),
        values=arr(one_of("distance", "width", "hops", "predecessor", "reachable"),
                   minItems=1, uniqueItems=True))},
    problems=[404, 409, 422, 503],
    formats="TABLE")

get_matrix = endpoint(
    "GET /v1/graphs/{graph}/matrices/{matrix}", READ, NONE,
    "All pairs as a NumPy file: distance, hops (the number of arcs of the path that is "
    "shortest by length), predecessor or closure; for a profile with path=widest, width (0: no "
    "path; infinity: a vertex and itself) or closure",
    {200: cached("the file", headers=(
        "Accept-Ranges", "Apsp-Scale", "Apsp-No-Path", "Apsp-Predecessor")),
     206: answer("a part of the file", headers=(
         "ETag", "Accept-Ranges", "Content-Range", "Apsp-Scale", "Apsp-No-Path",
         "Apsp-Predecessor"))},
    query=[PROFILE, arg("raw", "`1`: the numbers of the table file as they are", whole(0, 1))],
    headers=(RANGE, IF_RANGE),
    problems=[404, 409, 416, 422, 503],
    formats="ARRAY")
