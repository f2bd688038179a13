"""Make the OpenAPI document: document.py OUT.json OUT.h VERSION

of the table of routes (api/routes.def), the formats (api/http/reply_format.*),
the types of problems (api/encode/problems.def), and what each endpoint says in
its room's contract.py. OUT.h has what the server needs of it: for each endpoint
its summary and the arguments that it takes.
"""
import importlib.util
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
API = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import words  # pylint: disable=wrong-import-position

EVERYBODY = [400, 403, 421, 431]  # what any request may be refused with
INFO = (
    "Shortest paths between all pairs of vertices. GET serves HEAD, too. Answers of "
    "application/x-ndjson have the schema of one line. A path without a route is answered "
    "404, a method that a path does not have 405 with Allow; any answer may be 408, 429, 500, "
    "503 or 507 (default).")


def read(*path):
    with open(os.path.join(API, *path), encoding="utf-8") as file:
        return file.read()


def rows(text, macro):
    """The arguments of each MACRO(…) line, which may be broken."""
    for found in re.finditer(r"^" + macro + r"\(((?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*)\)", text, re.M):
        parts = re.findall(r"\"((?:[^\"\\]|\\.)*)\"|([\w-]+)", found[1])
        yield [quoted or word for quoted, word in parts]


def formats():
    """{set: [(name, type)]}, as the headers of C say."""
    header, source = read("http", "reply_format.h"), read("http", "reply_format.c")
    types = {constant: (name, kind) for constant, name, kind in re.findall(
        r"\[APSP_REPLY_(\w+)\] = \{\"([^\"]+)\", \"([^\"]+)\"\}", source)}
    order = [name for name in re.findall(r"^\tAPSP_REPLY_(\w+),", header, re.M)]
    sets = {}
    for name, text in re.findall(r"APSP_REPLIES_(\w+) =([^,}]+)", header):
        members = set(re.findall(r"APSP_REPLY_(\w+)", text))
        for other in re.findall(r"APSP_REPLIES_(\w+)", text):
            members |= sets[other]
        sets[name] = members
    return {name: [types[one] for one in order if one in members]
            for name, members in sets.items()}


def problem_types():
    """{status: [(type, title)]}"""
    with open(os.path.join(API, "..", "daemon", "base", "codes.def"), encoding="utf-8") as file:
        names = {code: name for code, _, name in rows(file.read(), "CODE")}
    found = {}
    for code, status, title, *_ in rows(read("encode", "problems.def"), "PROBLEM"):
        found.setdefault(int(status), []).append(("/problems/" + names[code], title))
    return found


def room_contract(room):
    path = os.path.join(API, room, "contract.py")
    spec = importlib.util.spec_from_file_location("contract_of_" + room, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: value for name, value in vars(module).items()
            if isinstance(value, dict) and "answers" in value}


def problem_answer(status, types):
    """A component: the problems of one status."""
    kinds = sorted({kind for kind, _ in types})
    answer = {
        "description": "; ".join(dict.fromkeys(title for _, title in types)),
        "content": {"application/problem+json": {"schema": {
            "allOf": [words.PROBLEM, {"properties": {
                "type": {"enum": kinds}, "status": {"const": status}}}]}}}}
    if status == 401:
        answer["headers"] = {"WWW-Authenticate": {"schema": words.TEXT}}
    if status in (429, 503):
        answer["headers"] = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    return answer


def content_of(one, of_route):
    schemas = {"json": one["json"], "ndjson": one["line"],
               "csv": words.TEXT, "mtx": words.TEXT, "text": words.TEXT, "html": words.TEXT}
    return {kind: {"schema": schemas.get(name, words.ANYTHING)} for name, kind in of_route}


def answer_of(one, of_route):
    out = {"description": one["description"]}
    if one["headers"]:
        out["headers"] = {name: {"$ref": "#/components/headers/" + name}
                          for name in one["headers"]}
    if not one.get("empty"):
        out["content"] = content_of(one, of_route)
    return out


class Route:
    def __init__(self, row, sets):
        self.room, self.name, self.scope, self.method, self.body, self.path = row[:6]
        self.set = row[6] if len(row) > 6 else "JSON"
        self.formats = sets[self.set]

    def takes_format(self):
        return self.method != "PUT" and self.set != "FILE"

    def statuses(self, contract):
        found = set(EVERYBODY) | set(contract["problems"])
        if self.scope != "ANYBODY":
            found.add(401)
        if self.set != "FILE":
            found.add(406)
        if self.body not in ("NONE", "EXPRESS"):
            found.add(413)
        return sorted(found)

    def parameters(self, contract):
        out = [{"name": name, "in": "path", "required": True, "schema": words.TEXT}
               for name in re.findall(r"\{(\w+)\}", self.path)]
        out += contract["query"]
        if self.takes_format():
            out.append(words.arg("format", "the answer's format, instead of Accept",
                                 words.one_of(*(name for name, _ in self.formats))))
        return out + contract["headers"]

    def operation(self, contract):
        answers = {str(status): answer_of(one, self.formats)
                   for status, one in contract["answers"].items()}
        if any(one.get("cached") for one in contract["answers"].values()):
            answers["304"] = {"description": "the ETag still holds"}
        for status in self.statuses(contract):
            answers[str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
        answers["default"] = {"$ref": "#/components/responses/Problem"}
        out = {"operationId": self.name, "tags": [self.room], "summary": contract["summary"],
               "parameters": self.parameters(contract), "responses": answers,
               "security": [] if self.scope == "ANYBODY" else
                           [{}, {"token": [self.scope.lower()]}]}
        if contract["body"]:
            out["requestBody"] = {"content": {
                kind: {"schema": schema} for kind, schema in contract["body"].items()}}
        return out


def document(routes, contracts, version):
    paths = {}
    for route in routes:
        operation = route.operation(contracts[route.room][route.name])
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    types = problem_types()
    responses = {f"Problem{status}": problem_answer(status, kinds)
                 for status, kinds in sorted(types.items())}
    responses["Problem"] = {
        "description": "any other problem",
        "content": {"application/problem+json": {"schema": words.PROBLEM}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "apspd", "version": version, "description": INFO},
        "servers": [{"url": ".."}],
        "paths": paths,
        "components": {
            "schemas": words.SCHEMAS,
            "responses": responses,
            "headers": {name: {"description": text, "schema": words.TEXT}
                        for name, text in words.HEADERS.items()},
            "securitySchemes": {"token": {
                "type": "http", "scheme": "bearer",
                "description": "where the daemon was started with --tokens; the scopes are "
                               "read, write and admin, each with those before it"}}}}


def check(routes, contracts):
    wanted = {}
    for route in routes:
        wanted.setdefault(route.room, set()).add(route.name)
    for room, names in wanted.items():
        missing, unknown = names - set(contracts[room]), set(contracts[room]) - names
        if missing or unknown:
            sys.exit(f"api/{room}/contract.py: missing {sorted(missing)}, "
                     f"not in routes.def {sorted(unknown)}")


def c_string(text):
    return json.dumps(text, ensure_ascii=False)


def header_lines(routes, contracts):
    yield "/* Made of the contracts by api/contract/document.py. */"
    for route in routes:
        contract = contracts[route.room][route.name]
        names = [one["name"] for one in contract["query"]]
        if route.takes_format():
            names.append("format")
        listed = "".join(c_string(name) + ", " for name in names)
        yield f"#define SUMMARY_{route.name} {c_string(contract['summary'])}"
        yield f"#define ARGUMENTS_{route.name} {{{listed}NULL}}"


def main(out_json, out_h, version):
    sets = formats()
    routes = [Route(row, sets) for row in rows(read("routes.def"), "ROUTE")]
    contracts = {room: room_contract(room) for room in {route.room for route in routes}}
    check(routes, contracts)
    with open(out_json, "w", encoding="utf-8") as file:
        json.dump(document(routes, contracts, version), file, ensure_ascii=False,
                  separators=(",", ":"))
        file.write("\n")
    with open(out_h, "w", encoding="utf-8") as file:
        file.write("\n".join(header_lines(routes, contracts)) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
