"""The served OpenAPI document, as tests use it: the requests that it allows and the
answers that it promises.

Every object of a schema is closed, so that a member of an answer that the document
does not have is a failure.
"""
import copy
import json

import jsonschema

SHOWN = 200  # items of a list that are compared with its schema, half from each end


def close(schema):
    """Forbid members that objects do not list."""
    if isinstance(schema, list):
        for one in schema:
            close(one)
    if not isinstance(schema, dict):
        return
    for one in schema.values():
        close(one)
    kind = schema.get("type")
    if "properties" in schema and ("object" in kind if isinstance(kind, list)
                                   else kind == "object"):
        schema.setdefault("additionalProperties", False)


def shorten(value):
    if isinstance(value, list):
        if len(value) > SHOWN:
            value = value[:SHOWN // 2] + value[-SHOWN // 2:]
        return [shorten(one) for one in value]
    if isinstance(value, dict):
        return {name: shorten(one) for name, one in value.items()}
    return value


class Operation:
    def __init__(self, document, path, method, what):
        self.document = document
        self.path = path
        self.method = method.upper()
        self.name = what["operationId"]
        self.parameters = what["parameters"]
        self.scope = next((one["token"][0] for one in what["security"] if one), None)
        self.bodies = {kind: one["schema"]
                       for kind, one in what.get("requestBody", {}).get("content", {}).items()}
        self.answers = {status: document.resolve(one)
                        for status, one in what["responses"].items()}

    @property
    def statuses(self):
        return sorted(int(status) for status in self.answers if status != "default")

    def named(self, where):
        return [one for one in self.parameters if one["in"] == where]

    def has(self, where, name):
        return any(one["name"] == name for one in self.named(where))

    def __repr__(self):
        return f"{self.method} {self.path}"


class Document:
    def __init__(self, text):
        self.open = json.loads(text)
        self.closed = copy.deepcopy(self.open)
        close(self.closed)
        self._resolver = jsonschema.RefResolver.from_schema(self.closed)
        self.operations = {}
        for path, methods in self.closed["paths"].items():
            for method, what in methods.items():
                operation = Operation(self, path, method, what)
                assert operation.name not in self.operations
                self.operations[operation.name] = operation
        self._validators = {}

    def resolve(self, what):
        while "$ref" in what:
            _, what = self._resolver.resolve(what["$ref"])
        return what

    def schemas(self):
        """Every schema of the document, with where it stands."""
        for name, one in self.closed["components"]["schemas"].items():
            yield name, one
        for operation in self.operations.values():
            for one in operation.parameters:
                yield f"{operation} {one['name']}", one["schema"]
            for kind, one in operation.bodies.items():
                yield f"{operation} {kind}", one
            for status, answer in operation.answers.items():
                for kind, one in answer.get("content", {}).items():
                    yield f"{operation} {status} {kind}", one["schema"]

    def complaint(self, schema, value):
        """What is wrong with a value; None: nothing."""
        key = id(schema)
        if key not in self._validators:
            self._validators[key] = jsonschema.Draft202012Validator(
                schema, resolver=self._resolver)
        wrong = jsonschema.exceptions.best_match(
            self._validators[key].iter_errors(shorten(value)))
        return wrong and f"{list(wrong.absolute_path)}: {wrong.message[:1000]}"

    def check(self, operation, reply, is_head=False):
        """Raise what is wrong with an answer."""
        answer = operation.answers.get(str(reply.status))
        assert answer, f"{operation} has no status {reply.status}: {reply}"
        kind = reply.headers.get_content_type() if reply.headers["Content-Type"] else None
        for name in answer.get("headers", {}):
            if name in ("ETag", "Location", "Retry-After", "WWW-Authenticate", "Content-Range",
                        "Accept-Ranges") and not (operation.path == "/" and kind != "text/html"):
                assert reply.headers[name], f"{operation} {reply.status} without {name}"
        content = answer.get("content")
        if is_head or not content:
            assert not reply.body, f"{operation} {reply.status} with a body: {reply}"
        if not content:
            return
        schema = content.get(kind) or content.get("*/*")
        assert schema, f"{operation} {reply.status}: {kind} is not one of {list(content)}"
        if not is_head:
            self._check_body(operation, kind, schema["schema"], reply)

    def _check_body(self, operation, kind, schema, reply):
        if kind in ("application/json", "application/problem+json"):
            values = [reply.json]
        elif kind == "application/x-ndjson":
            values = [json.loads(line) for line in reply.body.split(b"\n") if line]
        else:
            values = []
            if kind == "application/x-npy" and reply.status == 200:
                assert reply.body[:6] == b"\x93NUMPY", reply
        for value in shorten(values):
            wrong = self.complaint(schema, value)
            assert not wrong, f"{operation} {reply.status} {kind} {wrong} in {reply}"
        if kind == "application/problem+json":
            assert reply.json["request_id"] == reply.headers["X-Request-Id"], reply
