"""The functions and constants with which a contract.py describes requests and answers.

A contract.py binds a name to endpoint(…) for each endpoint of its directory.
Schemas are JSON Schema 2020-12. Objects have the members that they list and no
others; clients should let new ones pass.
"""
import os
import re

from meanings import meaning_of

SCHEMAS = {}  # by name, for components/schemas


def read(*path):
    with open(os.path.join(os.path.dirname(__file__), "..", "..", *path),
              encoding="utf-8") as file:
        return file.read()


def limits(key=r'\w+, "(\w+)"'):
    """{key: value} of the limits; by default {name: value} of those that /v1/info shows."""
    rows = re.findall(
        r"^(?:LIMIT\(\w+, |FIXED\()" + key + r", (?:UINT64_C\()?(\d+)\)?(?: << (\d+))?\)",
        read("daemon", "base", "limits.def"), re.M)
    return {name: int(value) << int(shift or 0) for name, value, shift in rows}


LARGEST = limits()


def named(name, schema):
    """Give a schema a name of its own in the document."""
    SCHEMAS[name] = schema
    return {"$ref": "#/components/schemas/" + name}


def described(name, schema):
    """The member's schema; if it has no description, with the one from meanings.py."""
    meaning = None if "description" in schema else meaning_of(name, schema)
    return said(schema, meaning) if meaning else schema


def obj(members, **optional):
    """An object that has all of `members` and may have the optional ones."""
    return {"type": "object",
            "properties": {name: described(name, schema)
                           for name, schema in {**members, **optional}.items()},
            "required": list(members)}


def arr(items, **limits):
    return {"type": "array", "items": items, **limits}


def map_of(values):
    return {"type": "object", "additionalProperties": values}


def null(schema):
    """The schema, or null."""
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return any_of(schema, {"type": "null"})


def any_of(*schemas):
    return {"anyOf": list(schemas)}


def tagged(member, **schemas):
    """One of the named schemas: the member says which, by the name given here."""
    return {"oneOf": list(schemas.values()),
            "discriminator": {"propertyName": member, "mapping": {
                tag: schema["$ref"] for tag, schema in schemas.items()}}}


def one_of(*words):
    return {"type": "string", "enum": list(words)}


def said(schema, description):
    return {**schema, "description": description}


def whole(least=None, most=None):
    schema = {"type": "integer"}
    if least is not None:
        schema["minimum"] = least
    if most is not None:
        schema["maximum"] = most
    return schema


TEXT = {"type": "string"}
REAL = {"type": "number"}
TRUTH = {"type": "boolean"}
COUNT = whole(0)
ANYTHING = {}

NAME = {"type": "string", "pattern": "^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$"}
LABEL = {"type": "string", "minLength": 1, "maxLength": LARGEST["label_bytes"]}
REVISION = said(TEXT, "the name of an upload; equal bytes with equal options have the same name")
JOB_ID = {"type": "string", "pattern": "^[0-9]+$"}
TIME = {"type": "string", "format": "date-time"}
STATE = one_of("queued", "running", "succeeded", "failed", "cancelled")

PROBLEM = {"$ref": "#/components/schemas/Problem"}


def arg(name, description, schema=TEXT, required=False, many=False):
    """An argument of the query. With many it may be repeated."""
    if many:
        schema = arr(schema)
    return {"name": name, "in": "query", "description": description,
            "required": required, "schema": schema,
            **({"explode": True} if many else {})}


def header(name, description):
    """A header that a request may have."""
    return {"name": name, "in": "header", "description": description, "schema": TEXT}


# Which vertices of an answer the rule of the profile leaves out.
PAIR_LEFT_OUT = {"left_out": said(
    arr(one_of("from", "to")), "the ends of the pair that the rule leaves out, if it leaves out "
                               "any")}
TABLE_LEFT_OUT = {"left_out": said(
    obj({"sources": arr(LABEL), "targets": arr(LABEL)}),
    "the vertices of the answer that the rule leaves out, if it leaves out any vertices")}

PROFILE = arg("profile", "the profile; its tables give the answer. Without it: `default`", NAME)
LIMIT = arg("limit", "the largest number of items on a page", whole(1, LARGEST["page_items"]))
CURSOR = arg("cursor", "the beginning of the page: `next` of the page before")
MATCH = arg("match", "`name:value`: only vertices with this value of the attribute; `label:ID`: "
                     "only this vertex. Several "
                     "values of "
            "one attribute are alternatives; conditions on several attributes must all hold", many=True)
PREFIXED = ("An attribute with the name of another column gets the prefix `attribute_`; so does an "
            "attribute whose name is such a name behind one or more of these prefixes")
LABELS = arr(LABEL, maxItems=LARGEST["pairs"])
# Vertices that a body names: sources and targets.
VERTEX_SET = named("VertexSet", any_of(
    said(LABELS, "labels"),
    obj({"match": said(
        arr(TEXT, minItems=1, maxItems=32),
        "conditions `name:value`. Several values of one attribute are alternatives; conditions "
        "on several attributes must all hold; `name:` chooses vertices without a value, and "
        "`label:ID` a vertex")})))
DIRECTION = arg("direction", "`out`: from the vertex to others (the default); `in`: from others "
                             "to the vertex",
                one_of("out", "in"))
VALUES = arg("values", "some of distance, hops, predecessor and reachable, with commas between "
                       "them; for a profile with path=widest, some of width and reachable. "
             "hops is the number of arcs "
             "of the path that is shortest by length; another path may have fewer. The values of "
             "an answer are in the order distance or width, hops, predecessor, reachable")
NEAREST = arg("nearest", "only the k nearest other vertices, the nearest first; for a profile with "
                         "path=widest, those of the widest pairs, the widest first. Of equally "
                         "near vertices, the one that the body lists earlier comes first or, "
                         "without a list, the one that occurs earlier in the upload",
              whole(1, 2**32 - 1))
MAX_DISTANCE = arg("max_distance", "only vertices within this distance", REAL)
MIN_WIDTH = arg("min_width", "for a profile with path=widest: only vertices that are connected by "
                             "a path whose weights are all at least this number", REAL)
REACHABLE = arg("reachable", "`true`: only pairs with a path; `false`: only pairs without one",
                one_of("true", "false"))

AT_REVISION = arg("revision", "answer only from this revision, whose name is in answers and in "
                              "the "
                  "reply to PUT; 412 with both names if another revision answers")

OF_REVISION = arg("revision", "change only if the newest upload has this revision; 412 with both "
                              "names if it has another. An upload whose job failed or was "
                              "cancelled does not count as the newest. One exception: a new "
                              "rule of `default` computes such an upload again, so this "
                              "request must name its revision")

IF_NONE_MATCH = header("If-None-Match", "an ETag: the reply is 304 if the answer has the same one")
IF_NEW = header("If-None-Match", "`*`: change only if the object does not exist yet")
IF_MATCH = header("If-Match", "the ETag of GET: change only if the object still has it. `*`: "
                              "change only if the object exists")
IF_SAME = header("If-Match", "an ETag: the reply is 412 if the answer has another one")
RANGE = header("Range", "`bytes=first-last`: a part of the file")
IF_RANGE = header("If-Range", "an ETag: Range counts only if the file still has it")
CODING = header("Content-Encoding", "`gzip` or `zstd`")

HEADERS = {
    "ETag": "identifies the tables and the encoding, for If-None-Match",
    "Location": "the address of the job, or the address to ask instead",
    "Retry-After": "the number of seconds to wait before asking again",
    "Link": "the address of the next page, with rel=\"next\"",
    "Accept-Ranges": "bytes",
    "Content-Range": "the range of bytes in this answer, and the size of the file",
    "Apsp-Revision": "the revision of the graph in this answer",
    "Apsp-Left-Out": "the number of vertices that the rule of the profile leaves out, if it leaves "
                     "out any",
    "Apsp-Scale": "with raw=1: each number of the file is distance · this scale + hops; without "
                  "this header, it is the distance",
    "Apsp-No-Path": "with raw=1: the number in the file where there is no path",
    "Apsp-Predecessor": "with raw=1: `index`, if the file holds the indices of vertices; `rank`, "
                        "if it holds the rank of the path's last arc among the arcs to its head, "
                        "from 0 on, in the order of their tails",
    "Apsp-Question": "graph, profile, rule and question of a CSV, as JSON in ASCII, unless this text "
                     "is longer than 4,096 bytes",
    "Content-Security-Policy": "what the page may load",
}


def answer(description, json=None, line=None, headers=()):
    """
    An answer in all formats of the route. json is its schema as JSON; line is the schema of
    one line of NDJSON, if it differs.
    """
    return {"description": description, "json": json,
            "line": json if line is None else line, "headers": headers}


NOTHING = {"description": "done", "json": None, "line": None, "headers": (), "empty": True}


def cached(description, json=None, line=None, headers=()):
    """An answer with an ETag; the reply is 304 while the client has the same answer."""
    return {**answer(description, json, line, ("ETag", *headers)), "cached": True}


# The scope that a request's token must have (api/access/tokens.h).
ANYBODY, READ, WRITE, ADMIN = "ANYBODY", "READ", "WRITE", "ADMIN"
# How a request's body is taken (enum apsp_body in api/http/route.h).
NONE, EXPRESS, BUFFER, PIECES, STREAM = "NONE", "EXPRESS", "BUFFER", "PIECES", "STREAM"


def endpoint(request, scope, takes, summary, answers, query=(), headers=(), body=None,
             problems=(), formats="JSON"):
    """
    One endpoint: its function is apsp_api_<name>(), in <name>.c beside its
    contract.py. PIECES and STREAM have one more function, with _begin behind the name;
    STREAM also has one with _body.

    request: "GET /v1/graphs/{graph}"; GET serves HEAD, too. answers: by status.
    body: schemas by media type. problems: statuses of refusals, besides those
    that all routes of its kind have. formats: a set of answers' formats
    (APSP_REPLIES_… in api/http/reply_format.h).
    """
    method, path = request.split()
    assert method in ("GET", "PUT", "POST", "PATCH", "DELETE"), request
    assert scope in (ANYBODY, READ, WRITE, ADMIN), scope
    assert takes in (NONE, EXPRESS, BUFFER, PIECES, STREAM), takes
    if any("ETag" in one["headers"] for one in answers.values()):
        headers, problems = (*headers, IF_SAME), [*problems, 412]
    if any(one.get("cached") for one in answers.values()):
        headers = (*headers, IF_NONE_MATCH)
    if scope == READ and path.startswith("/v1/graphs/{graph}"):
        query, problems = [*query, AT_REVISION], [*problems, 412]
        answers = {status: {**one, "headers": (*one["headers"], "Apsp-Revision")}
                   for status, one in answers.items()}
    if PROFILE in query:
        answers = {status: {**one, "headers": (*one["headers"], "Apsp-Left-Out")}
                   for status, one in answers.items()}
    return {"method": method, "path": path, "scope": scope, "takes": takes,
            "summary": summary, "answers": answers, "query": list(query),
            "headers": list(headers), "body": body, "problems": list(problems),
            "formats": formats}


# Schemas and arguments that contracts of several directories use.

def upload_formats():
    """{name: Content-Types}, as the rows of storage/ingest/formats/format.h say."""
    text = read("storage", "ingest", "formats", "format.h").replace("\\\n", " ")
    return {name: re.findall(r'"([^"]+)"', types) for name, types in re.findall(
        r'\bX\(\w+,\s*\w+,\s*"([\w-]+)",\s*[^"]*((?:"[^"]+"[,\s]*)+)\)', text)}


def profile_options():
    """{name: (schema, meaning)}, as the rows of daemon/job/profile.c say."""
    text = re.sub(r'"\s+"', "", read("daemon", "job", "profile.c"))  # join literals of several lines
    choices = {name: re.findall(r'"(\w+)"', values) for name, values in re.findall(
        r"^static const char \*const (\w+)\[\] = \{([^}]*)\}", text, re.M)}
    found = {}
    for _, row in re.findall(r"^\t\[APSP_OPTION_(\w+)\] =\s+\{(.*?)\},\n", text, re.M | re.S):
        choice = re.match(r'CHOICE\(\s*(\w+),\s*(\w+),\s*"([^"]*)"\)', row)
        if choice:
            found[choice[1]] = one_of(*choices[choice[2]]), choice[3]
        else:
            name, meaning = (re.search(member + r'\s*=\s*"(.*?)"', row)[1]
                             for member in (r"\.name", r"\.meaning"))
            found[name] = REAL if "APSP_FORM_NUMBER" in row else TEXT, meaning
    return found


FORMATS = upload_formats()
RULE_TEXTS = profile_options()
MEASURES = RULE_TEXTS.pop("measures")[1]
WITHOUT = RULE_TEXTS.pop("without")[1]
TRANSFORM = RULE_TEXTS["transform"][0]
RULE_BODY = {**{name: said(*pair) for name, pair in RULE_TEXTS.items()},
             "measures": said(any_of(arr(one_of("betweenness", "none")),
                                     one_of("betweenness", "none")), MEASURES),
             "without": said(any_of(arr(TEXT), TEXT), WITHOUT)}
RULE_QUERY = [arg(name, text, schema) for name, (schema, text) in RULE_TEXTS.items()] \
    + [arg("measures", MEASURES + "; empty is none", one_of("betweenness", "none", "")),
       arg("without", WITHOUT + "; empty is none", many=True)]
RULE = {name: said(null(schema), text) for name, (schema, text) in RULE_TEXTS.items()}
RULE["measures"] = said(null(arr(TEXT)), MEASURES)
RULE["without"] = said(null(arr(TEXT)), WITHOUT)

READING_HEAD = {"revision": REVISION, "profile": NAME, "transform": null(TRANSFORM)}

ALGORITHM_ESTIMATE = obj({
    "name": TEXT,
    "seconds": said(null(REAL), "null for closures and for algorithms that run only by name"),
    "device_bytes": null(COUNT), "host_bytes": null(COUNT), "disk_bytes": null(COUNT),
    "feasible": TRUTH, "reason": null(TEXT)})
ESTIMATE_CHOICE = {
    "algorithm": null(TEXT), "seconds": null(REAL),
    "not_counted": said(null(arr(one_of("compiling", "waiting", "other_programs"))),
                        "times that `seconds` does not count: compiling kernels, if no job of "
                        "this algorithm and width has run since the daemon started or measured "
                        "the device (about 20 s on a CPU); waiting for other jobs; the time of "
                        "other programs on the machine"),
    "stages": said(null(map_of(REAL)), "the seconds of a job's stages"),
    "device_bytes": null(COUNT), "host_bytes": null(COUNT), "disk_bytes": null(COUNT)}
ESTIMATE = {"device": TEXT, "measured": TRUTH,
            "learnt_from": said(COUNT, "the number of jobs since the daemon started or measured "
                                       "the device, at most 32. The durations of similar jobs "
                                       "correct `seconds`"),
            "explanation": said(TEXT, "why the algorithm is chosen. The choice compares measured "
                                      "rates only, which jobs do not correct"),
            **ESTIMATE_CHOICE,
            "closure": null(TEXT), "algorithms": arr(ALGORITHM_ESTIMATE)}
DELETABLE = named("Deletable", arr(obj(
    {"graph": NAME, "bytes": COUNT, "delete": said(TEXT, "a request DELETE to this path frees "
                                                         "the space")},
    profile=NAME)))
CACHE = named("Cache", null(obj(
    {"limit_bytes": COUNT, "used_bytes": COUNT, "left_bytes": COUNT})))

PROBLEM_MEMBERS = obj(
    {"type": said(TEXT, "the address of a page that says what the problem means and what to do"),
     "title": TEXT, "status": whole(400, 599), "detail": TEXT},
    request_id=said(TEXT, "the id of the request, which is also in X-Request-Id and in the log "
                          "of the daemon"),
    line=whole(1), column=whole(1),
    pointer=said(TEXT, "the place in the body, as a JSON pointer"),
    suggestions=said(arr(TEXT), "labels of vertices with this name, then the most similar "
                                "labels; or the most similar values"),
    job=said(JOB_ID, "the job to wait for, or the job that failed"),
    job_state=said(STATE, "the state of that job"),
    revision=said(REVISION, "the revision that would answer, or of the newest "
                            "upload if the request changes something"),
    asked=said(REVISION, "the revision that was asked for"),
    job_url=TEXT,
    estimate=said({"type": "object"}, "the estimated time, memory and disk space of the tables"),
    deletable=DELETABLE,
    rule=said(obj(RULE), "the rule of the tables of `default`"),
    said=said(obj(RULE), "the rule in the request"),
    cycle=said(arr(TEXT), "the vertices of a negative cycle"),
    if_lengths=said(TEXT, "the command to use if the weights are lengths"),
    if_strengths=said(TEXT, "the command to use if the weights are strengths"))
named("Problem", PROBLEM_MEMBERS)
