"""The examples of the OpenAPI document are requests of a session and what the daemon answers.

    APSP_BUILD_ROOT=$PWD/build APSP_EXAMPLES=record python3 tests/e2e/test_documented.py

sends the requests of api/contract/examples.json again and writes the answers of today there.
An entry with `varies` has an answer that depends on the machine or the time: its form alone is
compared.
"""
import json
import os
import unittest
import urllib.parse

from harness import SOURCE_ROOT, Case, until
from openapi import Document

EXAMPLES = os.path.join(SOURCE_ROOT, "api", "contract", "examples.json")
RECORD = os.environ.get("APSP_EXAMPLES") == "record"
UNNAMED = {"get_asset"}  # its address changes with the page
LONG = 4000  # characters; longer answers are not shown
# members whose values depend on the machine or the time, wherever they stand
VARYING = {"request_id", "queued_at", "started_at", "ended_at", "uploaded_at", "stages", "device",
           "estimate", "phase", "plan", "bytes", "table", "proof_seed", "stamp"}


def known(value):
    """The value without what varies."""
    if isinstance(value, list):
        return [known(one) for one in value]
    if isinstance(value, dict):
        return {name: None if name in VARYING else known(one) for name, one in value.items()}
    return value


def shown(reply):
    """An answer as the document shows it; None: it is long, or no text."""
    if len(reply.body) > LONG:
        return None
    kind = reply.headers.get_content_type() if reply.headers["Content-Type"] else None
    if kind in ("application/json", "application/problem+json"):
        return reply.json
    if kind in ("text/csv", "text/plain", "application/x-ndjson"):
        return reply.body.decode()
    return None


class Documented(Case):
    def send(self, d, entry):
        method, target = entry["request"].split()
        body = entry.get("body")
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        headers = {"Content-Type": entry["type"]} if "type" in entry else {}
        if "accept" in entry:
            headers["Accept"] = entry["accept"]

        def reached():
            reply = d.ask(method, target, body and body.encode(), headers)
            state = entry.get("until")
            return reply if state is None or reply.json["state"] == state else None
        return until(entry["request"], reached)

    def operation(self, document, entry):
        method, target = entry["request"].split()
        path = urllib.parse.urlsplit(target).path
        found = [one for one in document.operations.values() if one.method == method
                 and one.name == entry["operation"]]
        self.assertEqual(len(found), 1, f"{entry['operation']} is not in the document")
        self.assertEqual(path.count("/"), found[0].path.count("/"), entry["request"])
        return found[0]

    def test_examples(self):
        with open(EXAMPLES, encoding="utf-8") as file:
            entries = json.load(file)
        with self.daemon() as d:
            document = Document(d.ask("GET", "/v1/openapi.json").body)
            self.assertEqual(
                set(document.operations) - {one["operation"] for one in entries} - UNNAMED,
                set(), "routes without an example")
            for entry in entries:
                with self.subTest(entry["request"]):
                    self.compare(document, entry, self.send(d, entry))
        if RECORD:
            with open(EXAMPLES, "w", encoding="utf-8") as file:
                json.dump(entries, file, indent=1, ensure_ascii=False)
                file.write("\n")

    def test_discriminators(self):
        """Of several schemas, a member names the one that an answer has."""
        with self.daemon() as d:
            document = json.loads(d.ask("GET", "/v1/openapi.json").body)
        schemas = document["components"]["schemas"]
        found = []

        def look(value):
            for one in value.values() if isinstance(value, dict) else value:
                if isinstance(one, (dict, list)):
                    look(one)
            if isinstance(value, dict) and "oneOf" in value:
                found.append(value)
        look(document)
        self.assertGreater(len(found), 0)
        for one in found:
            member, mapping = (one["discriminator"][name] for name in ("propertyName", "mapping"))
            self.assertEqual([{"$ref": ref} for ref in mapping.values()], one["oneOf"])
            for tag, ref in mapping.items():
                schema = schemas[ref.rsplit("/", 1)[1]]
                self.assertEqual(schema["properties"][member]["enum"], [tag])
                self.assertIn(member, schema["required"])

    def test_hops(self):
        """hops are no fewest arcs: each place says whose arcs they are."""
        with self.daemon() as d:
            document = json.loads(d.ask("GET", "/v1/openapi.json").body)
        said = [schema["properties"][name]["description"]
                for schema in document["components"]["schemas"].values()
                for name in ("hops", "hop_histogram") if name in schema.get("properties", {})]
        for path, operations in document["paths"].items():
            for operation in operations.values():
                said += [one["description"] for one in operation["parameters"]
                         if one["name"] in ("values", "max_hops")]
                if path.endswith("/{matrix}"):
                    said.append(operation["summary"])
        self.assertGreater(len(said), 9)
        for one in said:
            self.assertIn("shortest by length", one)

    def test_nouns(self):
        """What readers took for something else says what it is."""
        with self.daemon() as d:
            document = json.loads(d.ask("GET", "/v1/openapi.json").body)
        schemas = document["components"]["schemas"]
        for schema, member, part in (
                ("Receipt", "arcs", "before"), ("Receipt", "distinct_arcs", "left"),
                ("ProfileReceipt", "arcs", "before"), ("Receipt", "arcs", "Self-loops"),
                ("Graph", "arcs", "self-loops"), ("Statistics", "arcs", "without self-loops"),
                ("ChangedGroups", "from", "the value of the attribute"),
                ("GroupPair", "to", "the value of the attribute"),
                ("ChangedGroups", "mean_difference", "a path on both sides"),
                ("Comparison", "groups", "lost / pairs"), ("Job", "element", "are computed"),
                ("ProfileState", "element", "table stores"),
                ("Profile", "element", "table stores")):
            self.assertIn(part, schemas[schema]["properties"][member]["description"],
                          (schema, member))
        waits = [one["description"] for operations in document["paths"].values()
                 for operation in operations.values() for one in operation["parameters"]
                 if one["name"] == "wait"]
        self.assertGreater(len(waits), 0)
        for one in waits:
            self.assertIn("30 at most", one)

    def compare(self, document, entry, reply):
        document.check(self.operation(document, entry), reply)
        if RECORD:
            entry["status"], entry["answer"] = reply.status, shown(reply)
            return
        self.assertEqual(reply.status, entry["status"], reply)
        if not entry.get("varies"):
            self.assertEqual(known(shown(reply)), known(entry["answer"]))


if __name__ == "__main__":
    unittest.main()
