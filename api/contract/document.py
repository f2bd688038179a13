"""Make the OpenAPI document and the list of routes:

    document.py OUT.json OUT.def VERSION ROOM...

The sources are the contract.py of each room, which describes its endpoints, the formats
(api/http/reply_format.*) and the types of problems (api/encode/problems.def). A room is a
directory of endpoints. OUT.def has what C needs: a line for each endpoint, in the order in
which the server compares routes.
"""
import importlib.util
import json
import os
import re
import sys
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
API = os.path.dirname(HERE)
sys.path.insert(0, HERE)
import meanings  # pylint: disable=wrong-import-position
import words  # pylint: disable=wrong-import-position

EVERYBODY = [400, 403, 421, 431]  # statuses with which any request may be refused
INFO = (
    "Shortest paths between all pairs of vertices. GET serves HEAD, too. Answers of "
    "application/x-ndjson have the schema of one line. A path without a route is answered "
    "404, a method that a path does not have 405 with Allow; any answer may be 429, 500, "
    "503 or 507 (default).")


def read(*path):
    with open(os.path.join(API, *path), encoding="utf-8") as file:
        return file.read()


def rows(text, macro):
    """The arguments of each MACRO(…), which may have several lines."""
    for found in re.finditer(r"^" + macro + r"\(((?:[^()\"]|\"(?:[^\"\\]|\\.)*\")*)\)", text, re.M):
        parts = re.findall(r"\"((?:[^\"\\]|\\.)*)\"|([\w-]+)", found[1])
        yield [quoted or word for quoted, word in parts]


def formats():
    """{set: [(name, type)]}, read from api/http/reply_format.h and .c."""
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


def room_contracts(room):
    """(name, contract) of each endpoint of a room."""
    path = os.path.join(API, room, "contract.py")
    spec = importlib.util.spec_from_file_location("contract_of_" + room, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [(name, value) for name, value in vars(module).items()
            if isinstance(value, dict) and "takes" in value]


def problem_answer(status, types):
    """The component of the document for the problems of one status."""
    names = sorted({kind.rsplit("/", 1)[1] for kind, _ in types})
    answer = {
        "description": "; ".join(dict.fromkeys(title for _, title in types)),
        "content": {"application/problem+json": {"schema": {
            "allOf": [words.PROBLEM, {"properties": {
                "type": {"pattern": f"/problems/({'|'.join(names)})$"},  # --base-path may precede it
                "status": {"const": status}}}]}}}}
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


def examples():
    """{operation: its entries of examples.json}"""
    found = {}
    for entry in json.loads(read("contract", "examples.json")):
        found.setdefault(entry["operation"], []).append(entry)
    return found


def add_examples(operation, path, entries):
    """Add the values of its examples to an operation's parameters, bodies and answers."""
    for entry in entries:
        target = urllib.parse.urlsplit(entry["request"].split()[1])
        said = dict(zip(re.findall(r"\{(\w+)\}", path), re.fullmatch(
            re.sub(r"\{\w+\}", "([^/]+)", path), target.path).groups()))
        said |= dict(urllib.parse.parse_qsl(target.query))
        for one in operation["parameters"]:
            if one["name"] in said and one["schema"].get("type") == "string":
                one.setdefault("example", said[one["name"]])
        title = re.sub(r"\W+", "-", entry["request"]).strip("-")
        if "body" in entry:
            operation["requestBody"]["content"][entry["type"]].setdefault(
                "examples", {})[title] = {"value": entry["body"]}
        if entry["answer"] is not None and entry["status"] < 400:
            kind = next(name for name in operation["responses"][str(entry["status"])]["content"]
                        if isinstance(entry["answer"], str) == name.startswith("text/"))
            operation["responses"][str(entry["status"])]["content"][kind].setdefault(
                "examples", {})[title] = {"summary": entry["request"], "value": entry["answer"]}


class Route:
    def __init__(self, room, name, contract, sets):
        self.room, self.name, self.contract = room, name, contract
        self.method, self.path = contract["method"], contract["path"]
        self.formats = sets[contract["formats"]]

    def takes_format(self):
        return self.method != "PUT" and self.contract["formats"] != "FILE"

    def arguments(self):
        out = list(self.contract["query"])
        if self.takes_format():
            out.append(words.arg("format", "the answer's format, instead of Accept",
                                 words.one_of(*(name for name, _ in self.formats))))
        return out

    def statuses(self):
        found = set(EVERYBODY) | set(self.contract["problems"])
        if self.contract["scope"] != words.ANYBODY:
            found.add(401)
        if self.contract["formats"] != "FILE":
            found.add(406)
        if self.contract["takes"] not in (words.NONE, words.EXPRESS):
            found |= {413, 415}
        return sorted(found)

    def parameters(self):
        return [{"name": name, "in": "path", "required": True, "schema": words.TEXT}
                for name in re.findall(r"\{(\w+)\}", self.path)] \
            + [dict(one) for one in self.arguments()] + self.contract["headers"]

    def operation(self):
        contract = self.contract
        answers = {str(status): answer_of(one, self.formats)
                   for status, one in contract["answers"].items()}
        if any(one.get("cached") for one in contract["answers"].values()):
            answers["304"] = {"description": "the ETag still holds"}
        for status in self.statuses():
            answers[str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
        answers["default"] = {"$ref": "#/components/responses/Problem"}
        scope = contract["scope"]
        out = {"operationId": self.name, "tags": [self.room], "summary": contract["summary"],
               "parameters": self.parameters(), "responses": answers,
               "security": [] if scope == words.ANYBODY else [{}, {"token": [scope.lower()]}]}
        if contract["body"]:
            out["requestBody"] = {"content": {
                kind: {"schema": schema} for kind, schema in contract["body"].items()}}
        return out

    def line(self):
        """The ROUTE(…) of routes.def."""
        contract = self.contract
        if_match = any(one["name"] == "If-Match" for one in contract["headers"])
        names = "".join(c_string(one["name"]) + ", " for one in self.arguments())
        return (f'ROUTE({self.name}, {contract["scope"]}, {self.method}, {contract["takes"]},\n'
                f'\t{c_string(self.path)}, {contract["formats"]}, '
                f'{"true" if if_match else "false"},\n'
                f'\t{c_string(contract["summary"])},\n\t{names}NULL)\n')


def c_string(text):
    return json.dumps(text, ensure_ascii=False)


def routes_of(rooms):
    """All routes; those whose answers take microseconds come first."""
    sets = formats()
    routes = [Route(room, name, contract, sets)
              for room in rooms for name, contract in room_contracts(room)]
    return sorted(routes, key=lambda route: route.contract["takes"] != words.EXPRESS)


def check(routes):
    """Refuse two routes of one method that match the same path: they would need an order."""
    for i, one in enumerate(routes):
        for other in routes[:i]:
            segments = list(zip(one.path.split("/"), other.path.split("/")))
            if one.method == other.method and one.path.count("/") == other.path.count("/") \
                    and all(a == b or (a and b and "{" in a + b) for a, b in segments):
                sys.exit(f"{one.room}/contract.py: {one.name} and {other.name} match one path")


def undescribed(schema, where):
    """The paths of all object members without a description."""
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if not isinstance(schema, dict):
        return
    if "object" in schema.get("type", ()):
        for name, member in schema.get("properties", {}).items():
            if "description" not in member:
                yield f"{where}/{name}"
    for name, one in schema.items():
        yield from undescribed(one, f"{where}/{name}")


def document(routes, version):
    paths, shown = {}, examples()
    for route in routes:
        operation = route.operation()
        add_examples(operation, route.path, shown.pop(route.name, ()))
        paths.setdefault(route.path, {})[route.method.lower()] = operation
    if shown:
        sys.exit(f"api/contract/examples.json: no route is called {', '.join(shown)}")
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


def write(path, text):
    """Write the file unless it has this text already, so that nothing is made of it again."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(out_json, out_def, version, *rooms):
    routes = routes_of(rooms)
    check(routes)
    made = document(routes, version)
    missing, unused = list(undescribed(made, "")), meanings.unused()
    if unused:
        sys.exit(f"api/contract/meanings.py: no member needs {', '.join(unused)}")
    if missing:
        sys.exit("these members have no description, neither by said() in their contract.py nor "
                 "in api/contract/meanings.py:\n  " + "\n  ".join(missing))
    write(out_json, json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n")
    write(out_def, "/* Made of the rooms' contracts by api/contract/document.py. */\n"
          + "".join(route.line() for route in routes))


if __name__ == "__main__":
    main(*sys.argv[1:])
