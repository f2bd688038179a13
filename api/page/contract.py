"""The parameters and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

LINK = obj({"method": one_of("GET", "PUT", "POST", "PATCH", "DELETE"), "href": TEXT, "summary": TEXT})

get_page = endpoint(
    "GET /", ANYBODY, NONE,
    "The page for browsers; the list of requests for other clients",
    {200: cached("the page, or the list; only the page has an ETag",
                 obj({"name": TEXT, "version": TEXT, "page": TEXT, "openapi": TEXT,
                      "problems": TEXT, "metrics": TEXT, "links": arr(LINK)}),
                 headers=("Content-Security-Policy",)),
     308: dict(NOTHING, description="the request names --base-path without a / at its end",
               headers=("Location",))},
    formats="PAGE")

get_asset = endpoint(
    "GET /assets/{set}/{file}", ANYBODY, NONE,
    "A file of the page",
    {200: cached("the file; it never changes")},
    problems=[404],
    formats="FILE")

PROBLEM_TYPE = named("ProblemType", obj({
    "type": TEXT,
    "cases": arr(obj({"status": whole(400, 599), "title": TEXT, "meaning": TEXT,
                      "remedy": TEXT}), minItems=1)}))

list_problems = endpoint(
    "GET /problems/", ANYBODY, NONE,
    "All types of problems",
    {200: answer("the types", obj({"problems": arr(PROBLEM_TYPE)}))},
    formats="PROBLEM")

get_problem = endpoint(
    "GET /problems/{problem}", ANYBODY, NONE,
    "The meaning of a type of problem, and what to do",
    {200: answer("the type", PROBLEM_TYPE)},
    problems=[404],
    formats="PROBLEM")

get_openapi = endpoint(
    "GET /v1/openapi.json", ANYBODY, NONE,
    "This document",
    {200: cached("OpenAPI 3.1", {"type": "object"})},
    formats="DOCUMENT")
