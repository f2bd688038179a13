"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

PROFILE_STATES = said(
    one_of("ready", "computing", "failed", "cancelled", "closed", "waiting"),
    "`ready`: the tables of the rule exist. `computing`: the job is queued or running. `failed`, "
    "`cancelled`: the job ended so. `closed`: the file of the tables cannot be opened at "
    "present, or the tables do not fit the attributes. "
    "`waiting`: this upload has no job, because a newer upload has one or because its `default` "
    "failed")
TABLES = obj({
    **RULE, "state": PROFILE_STATES,
    "job": null(JOB_ID), "error": null(PROBLEM),
    "table": said(null(TEXT), "the name of the tables that are served"),
    "arcs": said(null(COUNT), "the number of arcs after merging, without self-loops and arcs "
                              "below the threshold"),
    "length_unit": said(null(TEXT), "the unit of lengths and distances, or of widths; it follows "
                                    "from the rule and `weight_unit`. null if it is unknown, or "
                                    "if they are pure numbers"),
    "left_out": said(null(COUNT), "the number of vertices that the rule of the tables leaves out"),
    "element": said(null(TEXT), "the type in which the table stores distances, such as f32. The "
                                "job shows the type in which they were computed. It is f64, too, "
                                "if precision=float32 cannot hold the length of every path"),
    "holds": said(null(one_of("all", "distance", "none")), "which tables the file holds. With "
                  "`distance`, the file lacks distances or predecessors, whichever are larger; they "
                  "are computed from the other table. With `none`, it has only arcs, and rows are "
                  "computed when they are asked for. All answers are the same, but statistics and "
                  "matrices, which need all pairs, are refused"),
    "served": said(null(obj(RULE)), "the rule of the tables that are served, if it is an older "
                                    "one")})
PROFILE_STATE = named("ProfileState", TABLES)
DERIVED_FROM = said(null(obj(
    {"graph": NAME, "revision": REVISION},
    by=said(TEXT, "the attribute whose values are the vertices"),
    match=said(arr(TEXT), "the conditions that chose the vertices"))),
    "the stored graph from which this one was made, its revision then, and the question; null for "
    "an upload. The graph does not follow its origin")
UPLOAD = {
    "revision": null(REVISION), "vertices": null(COUNT),
    "arcs": said(null(COUNT), "the number of uploaded arcs, self-loops included; the `arcs` of a "
                              "profile count no self-loops"), "format": null(TEXT),
    "uploaded_at": null(TIME),
    "weight_unit": said(null(TEXT), "the unit of the weights, such as `synapses`"),
    "derived_from": DERIVED_FROM, "attributes": said(arr(TEXT), "the names of the attributes of the "
                                                             "vertices"),
    "profiles": arr(named("GraphProfile", obj({"name": NAME, **TABLES["properties"]})))}
GRAPH = named("Graph", obj({
    "name": NAME,
    "stamp": said(TEXT, "changes whenever anything about the graph changes: its uploads, its "
                          "profiles and their jobs and tables, its attributes. It also changes "
                          "when the daemon starts again"),
    **UPLOAD,
    "pending": said(null(obj({**UPLOAD, "error": null(PROBLEM)})),
                    "the upload that replaces this one once it has tables")}))
NEWS = {"job": said(null(JOB_ID), "the job of the profile. Once it has succeeded, answers are "
                                   "from this upload. null if the tables exist, unless `wait` has waited for a "
                                   "job"),
        "jobs": said(map_of(JOB_ID), "the queued and running jobs by profile; for an upload, the "
                                     "jobs of all its profiles"),
        "state": STATE,
        "graph": NAME, "revision": REVISION, "vertices": COUNT,
        "arcs": said(COUNT, "the number of uploaded arcs, before arcs of one pair are merged. "
                            "Self-loops count here, but not in the `arcs` of a profile and of "
                            "statistics"),
        "profile": NAME, "transform": TRANSFORM,
        "warnings": arr(TEXT)}
RECEIPT = named("Receipt", obj({
    **NEWS, "format": TEXT,
    "columns": null(obj({
        name: said(null(TEXT), f"the name of the column that was read as `{name}`; null if none was")
        for name in ("from", "to", "weight")})),
    "rows_counted": TRUTH, "rows": COUNT,
    "merged": said(null(COUNT), "the number of `arcs` whose pair had an arc already"),
    "distinct_arcs": said(null(COUNT), "the number of arcs that are left after merging. "
                                       "Self-loops count here, but not in the `arcs` of a profile"),
    "loops": COUNT,
    "index_base": null(COUNT),
    "tables": said(null(arr(obj({
        "member": said(TEXT, "the name of the member in the bundle"),
        "profile": said(NAME, "the first profile of the bundle that has these tables"),
        "bytes": said(COUNT, "its size"),
        "prove": said(null(one_of("all", "seed")), "how the job of the tables proves them; null "
                                                   "if no job proves them"),
        "recompute": said(null(TEXT), "why the tables are computed again; null if they are "
                                      "not"),
        "kept": said(null(TEXT), "null, unless the daemon serves tables of this graph and rule "
                                 "already. Then these stay, no proof runs, and this says so")}))),
        "the table files that a bundle has brought; null for an upload of another format. If a table of `default` is refused, the job fails with `bad-data` "
        "and a sentence about the member, and the upload is removed"),
    "changes": said(null(obj({
        "revision": said(REVISION, "the upload that answered until now"),
        "arcs_gained": said(null(COUNT), "arcs that only the new upload has"),
        "arcs_lost": said(null(COUNT), "arcs that only the earlier upload has"),
        "arcs_changed": said(null(COUNT), "arcs whose weight differs")})),
        "what the upload changes; null for a new graph. The arcs of both uploads are merged as "
        "`invalid` and `duplicates` say, with exact sums. The numbers are null if the arcs were not counted, "
        "because the uploads are too large"),
    "derived_from": DERIVED_FROM,
    "derived": said(null(obj({
        "arcs_used": said(COUNT, "the arcs of the origin that are in the graph, before sums"),
        "vertices_left_out": said(COUNT, "the vertices of the origin without a value, or that no "
                                         "condition chose"),
        "arcs_left_out": said(COUNT, "the arcs of the origin with such a vertex")})),
        "what the graph has of its origin; null for an upload"),
    "estimate": null(obj(ESTIMATE_CHOICE))}))
WEIGHT_UNIT = {"type": "string", "maxLength": 63}
DEFAULT_RULE = arg(
    "default_rule", "`replace`: the rule may differ from the present rule of `default`. "
    "That changes answers for all clients, so it is refused without this argument (409)",
    one_of("replace"))
ACCEPTED = ("Location", "Retry-After")
WAIT = arg(
    "wait", "wait for the job so many seconds, " f"{LARGEST['wait_s']} at most. If the job succeeds "
    "in this time, the answer is 200; if it fails or is cancelled, 409 `tables-failed` with the "
    "reason; otherwise 202. In each case, the rule or the upload is stored, unless the job refuses "
    "the tables of a bundle: then the upload is removed",
    whole(0, LARGEST["wait_s"]))

list_graphs = endpoint(
    "GET /v1/graphs", READ, NONE,
    "All graphs, in order of name",
    {200: cached("a page of graphs; the ETag is the same for all pages, and changes with the "
                 "`stamp` of any graph, when a graph is deleted, and with `complete`. If both "
                 "`revision` and `pending` of a graph are null, its rows cannot be read, and GET of "
                 "the graph has the reason: 409, or 404 if this daemon follows another one that "
                 "cannot read them, and has no copy of the graph",
                 obj({"next": null(TEXT), "complete": said(
                     TRUTH, "false if graphs may be missing: this daemon follows another one "
                     "(`--follow`), and since its start has not yet had all of that one's graphs"),
                      "graphs": arr(GRAPH)}), GRAPH, headers=("Link",))},
    query=[LIMIT, CURSOR,
           arg("wait", "with If-None-Match: wait for so many seconds, "
                       f"{LARGEST['wait_s']} at most, until the list has another ETag",
               whole(0, LARGEST["wait_s"]))])

PUT_RULE = [one if one["name"] != "tables" else arg(
    "tables", RULE_TEXTS["tables"][1] + ". `recompute`: of a bundle, leave the tables out and "
    "compute them again", one_of(*RULE_TEXTS["tables"][0]["enum"], "recompute"))
    for one in RULE_QUERY]
FILES = {types[0]: TEXT if types[0].startswith("text/") else ANYTHING
         for types in FORMATS.values() if ";" not in types[0]}
FILES |= {"application/json": {"type": "object"}, "application/octet-stream": ANYTHING}

put_graph = endpoint(
    "PUT /v1/graphs/{graph}", WRITE, STREAM,
    "Upload a graph",
    {200: answer("the tables exist", RECEIPT),
     202: answer("the tables are being computed", RECEIPT, headers=ACCEPTED)},
    query=[arg("format", "the file's format, instead of Content-Type",
               one_of(*FORMATS)),
           arg("from_column", "the column of sources", {"type": "string", "minLength": 1}),
           arg("to_column", "the column of targets", {"type": "string", "minLength": 1}),
           arg("weight_column", "the column of weights; `count` counts rows",
               {"type": "string", "minLength": 1}),
           arg("nonedge", "the number that means no arc in a dense matrix; without it, 0", REAL),
           arg("undirected", "`true`: each line is an arc in both directions",
               one_of("true", "false")),
           arg("decimal", "`,`: numbers are written 0,5", one_of(".", ",")),
           arg("of", "make the graph from this stored graph, with `by` or `match`; the body is "
                     "empty. A new graph has the arcs and the rule of the upload that answers; a "
                     "graph that exists keeps its rule", NAME),
           arg("by", "with of: the vertices are the values of this attribute, and the weights of "
                     "all arcs between the vertices of two values are added"),
           arg("match", "with of: only the vertices that match, with the arcs between them and "
                        "with their attributes; `name:value` as in other requests", many=True),
           arg("revision", "with of: make the graph only from this upload of the stored graph; "
                           "412 if the graph answers from another upload; the problem has both "
                           "revisions"),
           arg("weight_unit", "the unit of the weights, such as `synapses`, of at most 63 bytes; "
                              "empty removes it. Without it, a graph keeps its unit", WEIGHT_UNIT),
           arg("prove", "how the tables of a bundle are proved before they answer. `all`: every "
                        "row is compared with all arcs. `seed`: every cell is compared with its "
                        "predecessor's, and rows that this daemon draws with all arcs. Without "
                        "it, `all` if the product of vertices and arcs is at most 10¹¹. A bundle "
                        "with tables needs the scope `admin`, unless it is sent with "
                        "tables=recompute", one_of("all", "seed")),
           *PUT_RULE, DEFAULT_RULE, WAIT],
    headers=(IF_MATCH, IF_NEW, CODING),
    body=FILES,
    problems=[404, 409, 412, 422, 429, 507])

get_graph = endpoint(
    "GET /v1/graphs/{graph}", READ, NONE,
    "A graph with its profiles",
    {200: answer("the graph; its ETag, for If-Match, is the revision. With revision: this "
                 "revision "
                 "serves the profile", GRAPH, headers=("ETag",))},
    query=[arg("profile", "with revision: the profile that the revision should serve; without "
                          "it, `default`",
               NAME),
           arg("wait", "with revision: wait for so many seconds, "
                       f"{LARGEST['wait_s']} at most, until the revision is served or will "
                       "never be", whole(0, LARGEST["wait_s"]))],
    problems=[404, 409, 503])

patch_graph = endpoint(
    "PATCH /v1/graphs/{graph}", WRITE, BUFFER,
    "Set the unit of a graph's weights. The revision and the tables stay as they are",
    {200: answer("the graph", GRAPH)},
    query=[OF_REVISION],
    headers=(IF_MATCH, IF_NEW),
    body={"application/json": obj({"weight_unit": said(
        null(WEIGHT_UNIT), "such as `synapses`; null or \"\" removes it")})},
    problems=[404, 409, 412])

delete_graph = endpoint(
    "DELETE /v1/graphs/{graph}", ADMIN, NONE,
    "Delete a graph with its profiles and tables",
    {204: NOTHING},
    query=[OF_REVISION],
    headers=(IF_MATCH, IF_NEW),
    problems=[404, 409, 412])

put_profile = endpoint(
    "PUT /v1/graphs/{graph}/profiles/{profile}", WRITE, BUFFER,
    "Define another rule from weights to lengths over the same arcs",
    {200: answer("the tables exist", named("ProfileReceipt", obj(NEWS))),
     202: answer("the tables are being computed", named("ProfileReceipt", obj(NEWS)),
                 headers=ACCEPTED)},
    query=[DEFAULT_RULE, WAIT, OF_REVISION],
    headers=(IF_MATCH, IF_NEW),
    body={"application/json": obj({}, **RULE_BODY)},
    problems=[404, 409, 412, 422, 429, 507])

get_profile = endpoint(
    "GET /v1/graphs/{graph}/profiles/{profile}", READ, NONE,
    "One profile",
    {200: answer("the profile; its ETag, for If-Match, is the hash of the rule", named("Profile", obj(
        {"graph": NAME, "name": NAME, "revision": null(REVISION),
         "pending": null(PROFILE_STATE), **TABLES["properties"]})), headers=("ETag",))},
    problems=[404, 409])

delete_profile = endpoint(
    "DELETE /v1/graphs/{graph}/profiles/{profile}", WRITE, NONE,
    "Delete a profile with its tables",
    {204: NOTHING},
    query=[OF_REVISION],
    headers=(IF_MATCH, IF_NEW),
    problems=[404, 409, 412, 422])

get_bundle = endpoint(
    "GET /v1/graphs/{graph}/bundle", READ, NONE,
    "The graph with its tables as one file: a tar archive (pax) of its arcs, labels, attributes, "
    "rules and table files. The same content gives the same bytes",
    {200: cached("the file", headers=("Accept-Ranges", "Content-Disposition")),
     206: answer("a part of the file", headers=("ETag", "Accept-Ranges", "Content-Range",
                                                "Content-Disposition"))},
    query=[arg("profile", "only the tables of this profile, and no rules but this profile's and "
                          "`default`'s", NAME),
           arg("tables", "`none`: no table files. Without it, the tables by which the profiles "
                         "answer", one_of("none"))],
    headers=(RANGE, IF_RANGE),
    problems=[404, 409, 416],
    formats="FILE")

post_estimate = endpoint(
    "POST /v1/graphs/{graph}/estimate", READ, BUFFER,
    "Time, memory, disk and algorithm of a graph's tables",
    {200: answer("the estimate", named("GraphEstimate", obj({
        **ESTIMATE, "graph": NAME, "revision": REVISION, "profile": null(NAME),
        "vertices": COUNT, "arcs": COUNT})))},
    query=[PROFILE, arg("algorithm", "the name of an algorithm that /v1/info lists")],
    body={"application/json": obj({}, **RULE_BODY)},
    problems=[404, 409, 507])

post_new_estimate = endpoint(
    "POST /v1/estimate", READ, BUFFER,
    "Time, memory, disk and algorithm of the tables of a graph that is not uploaded yet",
    {200: answer("the estimate", named("Estimate", obj({
        **ESTIMATE, "vertices": COUNT, "arcs": COUNT, "transform": TRANSFORM})))},
    body={"application/json": obj(
        {"vertices": whole(1), "arcs": COUNT},
        weights=one_of("whole", "real"), **RULE_BODY)},
    problems=[507])
