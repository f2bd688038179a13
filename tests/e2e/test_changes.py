"""Who changed what: one line in the log for each change, at any log level, with the
token's name, the peer, the graph, the revisions before and after, and the request's id."""
import os
import re
import threading
import unittest

from harness import Case, until
from test_access import new_token

LINE = re.compile(r"^(?:\S+Z \w+: )?(changed|change refused) (.*)$")
FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S*)(?: |$)')
HOSTILE = 'the nightly\\ "upload" graph=other before=x'


def fields(line):
    """{name: value} of a change's line with "what" for its beginning, or None."""
    found = LINE.match(line)
    if not found:
        return None
    text, at, out = found[2], 0, {"what": found[1]}
    while at < len(text) and "error" not in out:
        one = FIELD.match(text, at)
        assert one, line
        assert one[1] not in out, line
        value = one[2]
        if value.startswith('"'):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        out[one[1]], at = value, one.end()
    return out


class Changes(Case):
    def serve(self, *args, **more):
        d = self.daemon(args=("--log-level", "error", *args), **more).start()
        self.addCleanup(lambda: d.process and d.stop())
        return d

    def line(self, d, reply):
        """The one line of a request that has ended."""
        one = reply.headers["X-Request-Id"]
        until("the line", lambda: any(one in line for line in d.log))
        lines = [line for line in d.log if one in line]
        self.assertEqual(len(lines), 1, lines)
        found = fields(lines[0])
        self.assertIsNotNone(found, lines[0])
        self.assertEqual(found["id"], one)
        self.assertEqual(found["status"], str(reply.status))
        return found

    def change(self, d, method, path, body=None, headers=(), status=200, **want):
        reply = self.assertStatus(d.ask(method, path, body, headers), status)
        found = self.line(d, reply)
        want = {"what": "changed", "peer": "127.0.0.1", "method": method,
                "target": path, **want}
        self.assertEqual({k: found.get(k) for k in want}, want, found)
        return reply

    def test_each_change(self):
        tokens = os.path.join(self.directory, "tokens")
        admin = {"Authorization": "Bearer " + new_token(tokens, "admin:alice")}
        write = {"Authorization": "Bearer " + new_token(tokens, "write:" + HOSTILE)}
        read = {"Authorization": "Bearer " + new_token(tokens, "read")}
        with open(tokens, encoding="ascii") as file:
            unnamed = file.readlines()[-1].split()[1][:8]
        d = self.serve("--tokens", tokens)
        put = self.change(
            d, "PUT", "/v1/graphs/g?transform=none", b"a,b,1\n", write, 202, token=HOSTILE,
            graph="g", before="-")
        first = put.json["revision"]
        self.assertEqual(self.line(d, put)["after"], first)
        until("the job's end", lambda: d.ask(
            "GET", put.headers["Location"] + "?wait=2", None,
            read).json["state"] == "succeeded")
        same = {"graph": "g", "before": first, "after": first}
        self.change(d, "PUT", "/v1/graphs/g/profiles/p", {"transform": "hops"}, write, 202,
                    profile="p", token=HOSTILE, rule_before=None, **same)
        self.change(d, "PUT", "/v1/graphs/g/profiles/p", {"transform": "inv"}, write, 202,
                    profile="p", rule_before="transform=hops duplicates=sum invalid=error "
                    "precision=float32", rule_after="transform=inv duplicates=sum "
                    "invalid=error precision=float32", **same)
        self.change(d, "PUT", "/v1/graphs/g/attributes", b"label,type\na,PN\n", write, **same)
        self.change(d, "DELETE", "/v1/graphs/g/attributes", None, write, 204, **same)
        self.change(d, "DELETE", "/v1/graphs/g/profiles/p", None, admin, 204, profile="p",
                    token="alice", **same)
        self.change(d, "DELETE", put.headers["Location"], None, admin, job=put.json["job"],
                    profile="default", **same)
        again = self.change(d, "PUT", "/v1/graphs/g?transform=none", b"a,b,2\n", write, 202,
                            before=first)
        second = again.json["revision"]
        self.assertEqual(self.line(d, again)["after"], second)

        # what was not done, by those who are known
        self.change(d, "DELETE", "/v1/graphs/g", None, write, 403, token=HOSTILE, graph="g",
                    what="change refused", before="-", after="-")
        self.change(d, "PUT", "/v1/graphs/g?transform=none", b"a,b,1\n",
                    {**write, "If-Match": '"x"'}, 412, what="change refused", before=second,
                    after=second)
        self.change(d, "DELETE", "/v1/graphs/%22%20graph=g%0achanged", None, admin, 404,
                    what="change refused", graph='" graph=g?changed', token="alice")
        self.change(d, "PUT", "/v1/graphs/g?transform=none", b"a,b,1\n", read, 403,
                    what="change refused", token=unnamed)
        long = "/v1/graphs/g?transform=none&nonsense=" + "x" * 4000
        self.change(d, "PUT", long, b"", write, 400, what="change refused", graph="g",
                    target=long[:600])

        # strangers and questions leave none
        stranger = self.assertStatus(d.ask("DELETE", "/v1/graphs/g"), 401)
        asked = self.assertStatus(d.ask("GET", "/v1/graphs/g", None, read), 200)
        self.change(d, "DELETE", "/v1/graphs/g", None, admin, 204, graph="g", before=second,
                    after="-")
        for reply in (stranger, asked):
            self.assertFalse([line for line in d.log
                              if reply.headers["X-Request-Id"] in line])

        new_token(tokens, "read:late")
        until("the tokens' line", lambda: any(
            f'changed tokens file="{tokens}" before=3 after=4' in line for line in d.log))

    def test_long_rules(self):
        """A long rule is cut, and cuts off no other field."""
        d = self.serve()
        ends = ["\\" + "é" * 50 + str(i) for i in range(8)]
        d.put("g", "".join(f"a,{one},1\n" for one in ends).encode(), "?transform=none")
        for transform in "hops", "inv":
            put = self.change(d, "PUT", "/v1/graphs/g/profiles/p", {
                "transform": transform, "without": ["label:" + one for one in ends]}, (), 202,
                              graph="g", profile="p")
        found = self.line(d, put)
        for rule in found["rule_before"], found["rule_after"]:
            self.assertRegex(rule, r"^transform=.* without=label:\\é.*…$")
            self.assertIn(len(rule.encode()), range(380, 404))

    def test_everybody(self):
        """Without tokens, and by a unix socket."""
        path = os.path.join(self.directory, "socket")
        d = self.serve(listen=("127.0.0.1:0", f"unix:{path}"))
        self.change(d, "PUT", "/v1/graphs/g?transform=none", b"a,b,1\n", (), 202, token="-")
        client = d.client(f"unix:{path}")
        reply = client.ask("DELETE", "/v1/graphs/g")
        client.close()
        found = self.line(d, self.assertStatus(reply, 204))
        self.assertEqual((found["peer"], found["token"], found["after"]), ("unix", "-", "-"))

    def test_many_at_once(self):
        """The revisions of uploads that overtake each other form one chain."""
        d = self.serve()
        replies = []

        def put(i):
            client = d.client()
            for k in range(6):
                replies.append(client.ask(
                    "PUT", "/v1/graphs/g?transform=none", f"a,b,{i}{k}\n".encode(), {}))
            client.close()
        threads = [threading.Thread(target=put, args=(i,)) for i in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        done = [self.line(d, reply) for reply in replies if reply.status == 202]
        self.assertGreater(len(done), 4)
        last = d.ask("GET", "/v1/graphs/g").json
        newest = (last.get("pending") or last)["revision"]
        after = {line["after"] for line in done}
        self.assertEqual(len(after), len(done))
        self.assertEqual({line["before"] for line in done}, after - {newest} | {"-"})


if __name__ == "__main__":
    unittest.main()
