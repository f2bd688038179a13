"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

SETS = {"sources": said(VERTEX_SET, "without this member, all vertices"),
        "targets": said(VERTEX_SET, "without this member, all vertices")}
MEMBERS = {"vertex": said(TEXT, "the label of the vertex, or with `by` a value of the attribute; "
                                "\"\" is for the vertices without a value"),
           "layer": said(COUNT, "the fewest arcs of the circuit from any source"),
           "pairs": said(COUNT, "the number of pairs that use the vertex"),
           "share": said(REAL, "the share of all pairs that use the vertex")}
VERTEX = obj(MEMBERS, attributes=map_of(TEXT),
             vertices=said(COUNT, "with `by`: the number of vertices of the circuit with this "
                                  "value"))
ARC = obj({"from": said(TEXT, "the label of the tail, or with `by` its value"),
           "to": said(TEXT, "the label of the head, or with `by` its value"),
           "weight": said(REAL, "the weight; with `by` the sum of the weights of the arcs"),
           "length": said(REAL, "the length; with `by` the least length of the arcs"),
           "pairs": said(COUNT, "the number of pairs that use the arc")},
          arcs=said(COUNT, "with `by`: the number of arcs of the circuit between these values"))
QUESTION = {
    "slack": said(REAL, "walks may be longer than the shortest by this share of its length, such "
                        "as 0.1. Without slack, within and hops, it is 0"),
    "within": said(REAL, "the greatest length of a walk"),
    "hops": said(any_of({"type": "string", "pattern": "^(\\.\\.)?[0-9]{1,8}$"}, whole(0, 62)),
                 "`4`: walks of exactly 4 arcs, at most 62, none of them a self-loop; `..4`: of at most "
                 "4 arcs"),
    "tolerance": said({"type": "number", "minimum": 0, "maximum": 1},
                      "a walk may exceed its bound by this share of the bound. Without it: "
                      "1e-12, or 0 if all lengths are whole numbers and slack is 0"),
    "by": said(TEXT, "the attribute whose values stand for their vertices"),
    "max_arcs": said(whole(0, LARGEST["max_arcs"]),
                     "the largest number of arcs in the answer; without it 10000")}

CIRCUIT = named("Circuit", obj({
    **READING_HEAD, "graph": NAME,
    "rule": said(TEXT, "the rule of the tables"),
    "weight_unit": said(null(TEXT), "the unit of weights, if the graph has one"),
    "length_unit": said(null(TEXT), "the unit of lengths, if they have one"),
    "question": said(obj({"max_arcs": whole(0)},
                         **SETS,
                         **{name: schema for name, schema in QUESTION.items()
                            if name != "max_arcs"}),
                     "the question, which can be asked again"),
    "pairs": said(COUNT, "the number of pairs of a source and a target that have a walk within "
                         "the bound"),
    "skipped": said(COUNT, "the number of other pairs; among them are pairs of a vertex with "
                           "itself"),
    "n_arcs": said(COUNT, "the number of arcs of the circuit"),
    "truncated": said(TRUTH, "the circuit has more arcs than max_arcs, so `vertices` and `arcs` "
                             "are empty"),
    "fits": said(null(REAL), "if the answer is truncated: the largest slack, within or number of "
                             "hops, rounded down to three digits, whose circuit has at most "
                             "max_arcs arcs. Otherwise, or if there is none: null"),
    "vertices": said(arr(VERTEX), "the vertices, ordered by layer"),
    "arcs": said(arr(ARC), "the arcs, in the order of their tails in `vertices`")},
    left_out=said(COUNT, "the number of vertices that the rule leaves out, if it leaves out any; "
                         "they have no arcs")))

post_circuit = endpoint(
    "POST /v1/graphs/{graph}/circuit", READ, PIECES,
    "The arcs on all walks from sources to targets within a bound",
    {200: answer("the circuit. CSV has a row for each arc, or with part=vertices for each vertex. "
                 "`graphml` is GraphML, `dot` is for Graphviz, `cyjs` for Cytoscape and "
                 "Cytoscape.js",
                 CIRCUIT, headers=("Apsp-Question",))},
    query=[PROFILE,
           arg("part", "the rows of CSV: `arcs`, which is the default, or `vertices`",
               one_of("arcs", "vertices"))],
    body={"application/json": obj({}, **SETS, **QUESTION)},
    problems=[404, 409, 422, 503],
    formats="CIRCUIT")
