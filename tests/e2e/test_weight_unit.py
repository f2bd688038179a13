"""The unit of weights: how it is set, kept, removed, shown, and where lengths get theirs."""
import json
import unittest
import xml.etree.ElementTree as ET

from harness import Case
from test_bundles_back import members_of, tar_of

ARCS = b"a,b,2\nb,c,4\nc,a,8\n"
ATTRIBUTES = b"label,type\na,KC\nb,KC\nc,PN\n"
CSV = {"Content-Type": "text/csv"}
# rules of profiles, and the unit of their lengths if weights are synapses
UNITS = {
    "default": ({"transform": "inv"}, "1/synapses"),
    "plain": ({"transform": "none"}, "synapses"),
    "hops": ({"transform": "hops"}, "arcs"),
    "log": ({"transform": "lognorm"}, None),
    "share": ({"transform": "inv", "normalise": "input"}, None),
    "wide": ({"path": "widest"}, "synapses"),
}


class WeightUnit(Case):
    def serve(self, query="&weight_unit=synapses"):
        d = self.daemon()
        self.enterContext(d)
        d.put("g", ARCS, "?transform=inv" + query)
        return d

    def unit(self, d, graph="g"):
        return d.ask("GET", f"/v1/graphs/{graph}").json["weight_unit"]

    def patch(self, d, unit, status=200, headers=()):
        return self.assertStatus(d.ask("PATCH", "/v1/graphs/g", {"weight_unit": unit}, headers),
                                 status)

    def test_life(self):
        """The unit outlives uploads and restarts, and changes no revision and no table."""
        d = self.serve("")
        before = d.ask("GET", "/v1/graphs/g").json
        self.assertEqual((before["weight_unit"], before["profiles"][0]["length_unit"]),
                         (None, None))
        after = self.patch(d, "synapses").json
        self.assertEqual(after["profiles"][0].pop("length_unit"), "1/synapses")
        del before["profiles"][0]["length_unit"]
        self.assertNotEqual(before.pop("stamp"), after.pop("stamp"))
        self.assertEqual(after, {**before, "weight_unit": "synapses"})
        self.assertEqual(len(d.jobs()), 1)
        d.put("g", ARCS + b"a,c,1\n", "?transform=inv")
        for _ in range(2):
            self.assertEqual(self.unit(d), "synapses")
            d.restart()
        # the same arcs again, with another unit; then with none
        for query, unit in (("&weight_unit=%C2%B5m", "\u00b5m"), ("", "\u00b5m"),
                            ("&weight_unit=", None)):
            d.put("g", ARCS + b"a,c,1\n", "?transform=inv" + query)
            self.assertEqual(self.unit(d), unit)
        # an upload replaces the unit once it is shown
        d.put("g", ARCS, "?transform=inv&weight_unit=mm")
        self.assertEqual(self.unit(d), "mm")
        self.patch(d, None)
        self.assertIsNone(self.unit(d))
        revision = before["revision"]
        self.patch(d, "mm", 412, {"If-Match": '"other"'})
        self.patch(d, "mm", 412, {"If-None-Match": "*"})
        self.patch(d, "km", 200, {"If-Match": f'"{revision}"'})
        self.assertEqual(self.unit(d), "km")

    def test_lengths(self):
        """The unit of lengths follows from the rule."""
        d = self.serve()
        for name, (rule, unit) in UNITS.items():
            if name != "default":
                reply = d.ask("PUT", f"/v1/graphs/g/profiles/{name}", rule)
                self.assertEqual(d.wait(reply.json["job"])["state"], "succeeded")
            profile = d.ask("GET", f"/v1/graphs/g/profiles/{name}").json
            self.assertEqual(profile["length_unit"], unit, name)
        for unit, inverse in (("1/ms", "1/(1/ms)"), ("a b", "1/(a b)"), ("m^2", "1/(m^2)"),
                              ("\u00b5m", "1/\u00b5m"), ("x" * 63, "1/" + "x" * 63)):
            profiles = self.patch(d, unit).json["profiles"]
            self.assertEqual(profiles[0]["length_unit"], inverse)
            self.assertEqual({one["name"]: one["length_unit"] for one in profiles}["hops"], "arcs")

    def test_refusals(self):
        d = self.serve()
        for unit in ("x" * 64, " mm", "mm ", "m\nm", "m\u0085", "\u007f", "\u00b5" * 32):
            reply = self.patch(d, unit, 400)
            self.assertIn("at most 63 bytes", reply.json["detail"])
            self.assertEqual(reply.json["pointer"], "/weight_unit")
        for body, pointer in (({}, None), ({"weight_unit": 1}, "/weight_unit"),
                              ({"weight_unit": ["mm"]}, "/weight_unit"), ({"unit": "mm"}, "/unit")):
            reply = self.assertStatus(d.ask("PATCH", "/v1/graphs/g", body), 400)
            self.assertEqual(reply.json.get("pointer"), pointer)
        # the unit is right
        nobody = d.ask("PATCH", "/v1/graphs/nobody", {"weight_unit": "mm"})
        for reply in (self.assertStatus(nobody, 404),
                      self.patch(d, "mm", 412, {"If-Match": '"other"'}),
                      self.patch(d, "mm", 400, {"If-Match": "other"})):
            self.assertNotIn("pointer", reply.json)
        self.assertStatus(d.upload("new", ARCS, "?weight_unit=" + "x" * 64), 400)
        self.assertStatus(d.ask("GET", "/v1/graphs/new"), 404)
        self.assertEqual(self.unit(d), "synapses")

    def test_copies(self):
        """Graphs from graphs and bundles have the unit, unless the request says another."""
        d = self.serve()
        self.assertStatus(d.ask("PUT", "/v1/graphs/g/attributes", ATTRIBUTES, CSV), 200)
        for query, unit in (("by=type", "synapses"), ("match=type:KC", "synapses"),
                            ("by=type&weight_unit=counts", "counts")):
            reply = d.ask("PUT", f"/v1/graphs/part?of=g&{query}")
            self.assertIn(reply.status, (200, 202), reply)
            if reply.json["job"]:
                d.wait(reply.json["job"])
            self.assertEqual(self.unit(d, "part"), unit, query)
        bundle = d.ask("GET", "/v1/graphs/g/bundle?tables=none").body
        manifest = json.loads(members_of(bundle)["bundle.json"])
        self.assertEqual(manifest["weight_unit"], "synapses")
        tar = {"Content-Type": "application/x-tar"}

        def restored(body, query=""):
            reply = d.ask("PUT", f"/v1/graphs/back{query}", body, tar)
            if reply.status == 202:
                d.wait(reply.json["job"])
            return reply
        self.assertIn(restored(bundle).status, (200, 202))
        self.assertEqual(self.unit(d, "back"), "synapses")
        self.assertEqual(restored(bundle, "?weight_unit=counts").status, 200)
        self.assertEqual(self.unit(d, "back"), "counts")
        # after a bundle without a unit, the graph has none, whether the arcs are new or not
        self.patch(d, None)
        plain = d.ask("GET", "/v1/graphs/g/bundle?tables=none").body
        self.assertNotIn("weight_unit", json.loads(members_of(plain)["bundle.json"]))
        self.assertEqual(restored(plain).status, 200)
        self.assertIsNone(self.unit(d, "back"))
        d.put("back", ARCS + b"a,c,1\n", "?transform=inv&weight_unit=mm")
        self.assertEqual(restored(plain).status, 200)
        self.assertIsNone(self.unit(d, "back"))
        self.assertEqual(restored(plain, "?weight_unit=counts").status, 200)
        self.assertEqual(self.unit(d, "back"), "counts")
        for wrong in ("", "x" * 64, " mm", 1, None, "m\nm"):
            members = list(members_of(bundle).items())
            members[0] = ("bundle.json", json.dumps({**manifest, "weight_unit": wrong}).encode())
            self.assertIn("weight_unit", self.assertStatus(
                restored(tar_of(members)), 422).json["detail"])

    def test_circuits(self):
        """A circuit names both units in each format that has a place for them."""
        d = self.serve()
        body = {"sources": ["a"], "targets": ["c"]}

        def circuit(name=None):
            return self.assertStatus(d.ask(
                "POST", "/v1/graphs/g/circuit" + (f"?format={name}" if name else ""), body), 200)

        def graphml():
            graph = ET.fromstring(circuit("graphml").body).find("{*}graph")
            return [one.text for one in graph.findall("{*}data")
                    if one.get("key") in ("g_weight_unit", "g_length_unit")]
        for unit, inverse in (("synapses", "1/synapses"), ('"<&\\"', '1/"<&\\"'), (None, None)):
            self.patch(d, unit)
            for answer in (circuit().json, circuit("cyjs").json["data"]):
                self.assertEqual((answer["weight_unit"], answer["length_unit"]), (unit, inverse))
            self.assertEqual(graphml(), [unit, inverse] if unit else [])
        self.patch(d, "synapses")
        self.assertIn('weight_unit="synapses", length_unit="1/synapses"',
                      circuit("dot").body.decode())


if __name__ == "__main__":
    unittest.main()
