"""What the endpoints of this room take and answer; see api/contract/words.py."""
from words import *

PROFILE_STATES = said(
    one_of("ready", "computing", "failed", "cancelled", "closed", "waiting"),
    "`ready`: the tables of its rule are there. `computing`: its job waits or runs. `failed`, "
    "`cancelled`: its job ended so. `closed`: the file of its tables cannot be opened at present. "
    "`waiting`: no job runs for this upload, but for the newer one; or its `default` failed")
TABLES = obj({
    **RULE, "state": PROFILE_STATES,
    "job": null(JOB_ID), "error": null(PROBLEM),
    "table": said(null(TEXT), "names the tables that are served"),
    "arcs": said(null(COUNT), "those left after merging, threshold and self-loops"),
    "element": said(null(TEXT), "the type in which the table stores distances, such as f32; that "
                                "in which they were computed is the job's. f64 also where "
                                "precision=float32 cannot hold the length of every path"),
    "served": said(null(obj(RULE)), "the rule of the tables, where it is an older one")})
PROFILE_STATE = named("ProfileState", TABLES)
UPLOAD = {
    "revision": null(REVISION), "vertices": null(COUNT),
    "arcs": said(null(COUNT), "as they were uploaded"), "format": null(TEXT),
    "uploaded_at": null(TIME), "attributes": said(arr(TEXT), "their names"),
    "profiles": arr(named("GraphProfile", obj({"name": NAME, **TABLES["properties"]})))}
GRAPH = named("Graph", obj({
    "name": NAME, **UPLOAD,
    "pending": said(null(obj({**UPLOAD, "error": null(PROBLEM)})),
                    "the upload that replaces this one once it has tables")}))
NEWS = {"job": said(null(JOB_ID), "the profile's job; when it has succeeded, questions are answered "
                                   "from this upload. null: the tables are there"),
        "jobs": said(map_of(JOB_ID), "the jobs that are under way, by profile; for an upload, those "
                                     "of all its profiles"),
        "state": STATE,
        "graph": NAME, "revision": REVISION, "vertices": COUNT,
        "arcs": said(COUNT, "as they were uploaded, before those of one pair are merged"),
        "profile": NAME, "transform": TRANSFORM}
RECEIPT = named("Receipt", obj({
    **NEWS, "format": TEXT,
    "columns": null(obj({"from": null(TEXT), "to": null(TEXT), "weight": null(TEXT)})),
    "rows_counted": TRUTH, "rows": COUNT,
    "merged": said(null(COUNT), "of `arcs`, those of a pair that had one already"),
    "distinct_arcs": said(null(COUNT), "what is left of `arcs` without those; loops are among "
                                       "them, and the profile's `arcs` are without loops"),
    "loops": COUNT,
    "index_base": null(COUNT), "warnings": arr(TEXT),
    "estimate": null(obj(ESTIMATE_CHOICE))}))
DEFAULT_RULE = arg(
    "default_rule", "`replace`: the rule may differ from that by which `default` answers, "
    "which changes the answers for everybody; without it that is refused (409)",
    one_of("replace"))
ACCEPTED = ("Location", "Retry-After")

list_graphs = endpoint(
    "GET /v1/graphs", READ, NONE,
    "All graphs, in order of name",
    {200: answer("a page of them", obj({"next": null(TEXT), "graphs": arr(GRAPH)}), GRAPH,
                 headers=("Link",))},
    query=[LIMIT, CURSOR])

FILES = {types[0]: TEXT if types[0].startswith("text/") else ANYTHING
         for types in FORMATS.values() if ";" not in types[0]}
FILES |= {"application/json": {"type": "object"}, "application/octet-stream": ANYTHING}

put_graph = endpoint(
    "PUT /v1/graphs/{graph}", WRITE, STREAM,
    "Upload a graph",
    {200: answer("its tables are there", RECEIPT),
     202: answer("its tables are being computed", RECEIPT, headers=ACCEPTED)},
    query=[arg("format", "the file's format, instead of Content-Type",
               one_of(*FORMATS)),
           arg("from_column", "the column of sources", {"type": "string", "minLength": 1}),
           arg("to_column", "the column of targets", {"type": "string", "minLength": 1}),
           arg("weight_column", "the column of weights; `count` counts rows",
               {"type": "string", "minLength": 1}),
           arg("nonedge", "the cell of a dense matrix that is no arc, instead of 0", REAL),
           arg("undirected", "`true`: each line is an arc in both directions",
               one_of("true", "false")),
           arg("decimal", "`,`: numbers are written 0,5", one_of(".", ",")),
           *RULE_QUERY, DEFAULT_RULE],
    headers=(IF_MATCH, IF_NEW, CODING),
    body=FILES,
    problems=[409, 412, 415, 422, 429, 507])

get_graph = endpoint(
    "GET /v1/graphs/{graph}", READ, NONE,
    "A graph with its profiles",
    {200: answer("the graph; the ETag is its revision, for If-Match. With revision: questions to "
                 "the profile are answered from it", GRAPH, headers=("ETag",))},
    query=[arg("profile", "with revision: the profile that shall serve it; `default` without it",
               NAME),
           arg("wait", "with revision: answer once it is served, or will not be, or after so many "
               "seconds, 30 at most", whole(0, 30))],
    problems=[404, 409, 503])

delete_graph = endpoint(
    "DELETE /v1/graphs/{graph}", ADMIN, NONE,
    "Delete a graph with its profiles and tables",
    {204: NOTHING},
    headers=(IF_MATCH, IF_NEW),
    problems=[404, 412])

put_profile = endpoint(
    "PUT /v1/graphs/{graph}/profiles/{profile}", WRITE, BUFFER,
    "Define another rule from weights to lengths over the same arcs",
    {200: answer("its tables are there", named("ProfileReceipt", obj(NEWS))),
     202: answer("its tables are being computed", named("ProfileReceipt", obj(NEWS)),
                 headers=ACCEPTED)},
    query=[DEFAULT_RULE],
    headers=(IF_MATCH, IF_NEW),
    body={"application/json": obj({}, **RULE_BODY)},
    problems=[404, 409, 412, 422, 429, 507])

get_profile = endpoint(
    "GET /v1/graphs/{graph}/profiles/{profile}", READ, NONE,
    "One profile",
    {200: answer("the profile; the ETag is its rule's, for If-Match", named("Profile", obj(
        {"graph": NAME, "name": NAME, "revision": null(REVISION),
         "pending": null(PROFILE_STATE), **TABLES["properties"]})), headers=("ETag",))},
    problems=[404, 409])

delete_profile = endpoint(
    "DELETE /v1/graphs/{graph}/profiles/{profile}", WRITE, NONE,
    "Delete a profile with its tables",
    {204: NOTHING},
    headers=(IF_MATCH, IF_NEW),
    problems=[404, 409, 412, 422])

list_arcs = endpoint(
    "GET /v1/graphs/{graph}/arcs", READ, NONE,
    "The arcs as they were uploaded, in their order",
    {200: cached("a file that can be uploaded again")},
    problems=[404, 409],
    formats="ARCS")

post_estimate = endpoint(
    "POST /v1/graphs/{graph}/estimate", READ, BUFFER,
    "Time, memory, disk and algorithm of a graph's tables",
    {200: answer("the estimate", named("GraphEstimate", obj({
        **ESTIMATE, "graph": NAME, "revision": REVISION, "profile": null(NAME),
        "vertices": COUNT, "arcs": COUNT})))},
    query=[PROFILE, arg("algorithm", "one of those that /v1/info lists")],
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
