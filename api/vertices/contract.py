"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

list_vertices = endpoint(
    "GET /v1/graphs/{graph}/vertices", READ, NONE,
    "Search vertices by label, or list all of them in index order",
    {200: cached("the vertices. CSV has the columns `vertex`, which is the label, and each "
                 "attribute, in the order of the upload of the attributes. " + PREFIXED,
                 obj({"revision": REVISION, "count": COUNT, "next": null(TEXT),
                      "vertices": arr(LABEL)}), LABEL, headers=("Link",))},
    query=[arg("q", "a part of the label; the best matches come first",
               {"type": "string", "maxLength": LARGEST["label_bytes"]}),
           arg("limit", "the largest number of vertices. Without it: 100, but CSV without `q` "
                        "has all vertices", whole(1, LARGEST["page_vertices"])),
           CURSOR, MATCH, PROFILE],
    problems=[404, 409],
    formats="ROWS")

get_vertex = endpoint(
    "GET /v1/graphs/{graph}/vertices/{vertex}", READ, NONE,
    "One vertex: attributes, degrees, strengths, component, measures",
    {200: cached("the vertex", named("Vertex", obj({
        **READING_HEAD, "vertex": LABEL, "index": COUNT, "attributes": map_of(TEXT),
        "out_degree": COUNT, "in_degree": COUNT, "out_strength": null(REAL),
        "in_strength": null(REAL), "on_cycle": TRUTH, "reaches": said(COUNT, "the number of "
                                                                             "other vertices "
                                                                             "that the vertex "
                                                                             "reaches"),
        "reached_by": said(COUNT, "the number of other vertices that reach the vertex"),
        "component": said(obj({"size": COUNT, "first": LABEL}), "the strongly connected "
                                                                "component of the vertex"),
        "measures": said(obj({}, betweenness=null(REAL), betweenness_normalized=said(
            null(REAL), "the betweenness divided by (n - 1)(n - 2), the number of pairs")),
            "the measures that the profile asks for")},
            left_out=said(TRUTH, "the rule of the profile leaves the vertex out"))))},
    query=[PROFILE],
    problems=[404, 409, 413, 422, 503])

ARC = obj({"from": LABEL, "to": LABEL, "weight": REAL},
          length=said(REAL, "absent if the profile has path=widest"),
          width=said(REAL, "only if the profile has path=widest: the weight, or with normalise "
                           "the share"))

SORTS = ("`weight`: the greatest weight first; `length`: the least length first; `width`, if the "
         "profile has path=widest: the greatest width first. ")
ARCS_LIMIT = arg("limit", "the largest number of arcs on a page. Without it: all arcs",
                 whole(1, LARGEST["page_vertices"]))

list_arcs = endpoint(
    "GET /v1/graphs/{graph}/arcs", READ, NONE,
    "The arcs as they were uploaded, in their order. With sort or profile: the arcs of a profile",
    {200: cached("a file that can be uploaded again. With sort or profile, a CSV of the arcs of "
                 "the profile: merged, without self-loops and without the arcs that its rule "
                 "drops. It has the columns `from`, `to`, `weight`, `length` (`width`, if the "
                 "profile has path=widest), and each attribute of both ends, as `from_type` and "
                 "`to_type`", headers=("Link",))},
    query=[arg("sort", SORTS + "Of equal arcs, the arc whose first end has the lower index is "
                               "first, then the arc whose second end has it",
               one_of("weight", "length", "width")),
           arg("limit", "with sort or profile: " + ARCS_LIMIT["description"],
               ARCS_LIMIT["schema"]),
           CURSOR, PROFILE],
    problems=[404, 409, 422, 503],
    formats="ARCS")

list_vertex_arcs = endpoint(
    "GET /v1/graphs/{graph}/vertices/{vertex}/arcs", READ, NONE,
    "The arcs of a vertex, with the weights and lengths of the profile. Self-loops are not listed, "
    "but the totals of normalise count them, so listed shares may add up to less than 1",
    {200: cached("the arcs. CSV has the columns `from`, `to`, `weight`, `length` (`width`, if the "
                 "profile has path=widest), and each attribute of the vertex at the other end of "
                 "the arc, in the order of the upload of the attributes. " + PREFIXED,
                 obj({**READING_HEAD, "vertex": LABEL, "direction": one_of("out", "in"),
                      "count": said(COUNT, "the number of arcs on all pages"),
                      "next": null(TEXT), "arcs": arr(ARC)}), ARC, headers=("Link",))},
    query=[DIRECTION,
           arg("sort", SORTS + "Of equal arcs, and without this argument, the arc whose other end "
                               "has the lower index is first", one_of("weight", "length", "width")),
           ARCS_LIMIT, CURSOR, PROFILE],
    problems=[404, 409, 422, 503],
    formats="ROWS")

put_attributes = endpoint(
    "PUT /v1/graphs/{graph}/attributes", WRITE, STREAM,
    "Store attributes of the vertices: a CSV of label, type, side, …",
    {200: answer("what was stored", named("AttributesStored", obj({
        "graph": NAME,
        "columns": arr(obj({"name": TEXT, "values": COUNT})),
        "matched": COUNT, "unknown": said(COUNT, "the number of rows whose label is no vertex of "
                                                 "the graph")})))},
    query=[OF_REVISION],
    headers=(IF_MATCH, IF_NEW, CODING),
    body={"text/csv": TEXT, "text/tab-separated-values": TEXT},
    problems=[404, 409, 412, 422])

get_attributes = endpoint(
    "GET /v1/graphs/{graph}/attributes", READ, NONE,
    "The attributes of the vertices, as CSV",
    {200: cached("a row for each vertex")},
    problems=[404, 409],
    formats="LIST")

delete_attributes = endpoint(
    "DELETE /v1/graphs/{graph}/attributes", WRITE, NONE,
    "Delete the attributes of the vertices",
    {204: NOTHING},
    query=[OF_REVISION],
    headers=(IF_MATCH, IF_NEW),
    problems=[404, 409, 412])
