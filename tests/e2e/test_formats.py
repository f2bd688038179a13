"""Every upload format over HTTP, and every error in one: 422 with line and
column, and nothing stored."""
import gzip
import os
import re
import struct
import unittest

from harness import SOURCE_ROOT, Case, data

TYPES = {"csv": "text/csv", "tsv": "text/tab-separated-values",
         "csv-matrix": "text/csv;layout=matrix", "mtx": "text/x-matrix-market",
         "gr": "text/x-dimacs", "npy": "application/x-npy", "json": "application/json"}


def npy(values, dtype="<f8", fortran=False, shape=None):
    """A 2-D .npy file, version 1.0."""
    shape = shape or (len(values), len(values[0]))
    order = zip(*values) if fortran else values
    code = {"f8": "d", "f4": "f", "i4": "i", "i8": "q", "u1": "B"}[dtype[1:]]
    head = repr({"descr": dtype, "fortran_order": fortran, "shape": shape}) + " "
    head += " " * (-(len(head) + 11) % 64) + "\n"
    flat = [cell for row in order for cell in row]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
            struct.pack(("<" if dtype[0] == "<" else ">") + f"{len(flat)}{code}", *flat))


SQUARE = [[0, 1, 0], [0, 0, 2], [0, 0, 0]]  # 0 → 1 → 2

GOOD = [
    # what, format, body, labels of a path of length 3
    ("headerless", "csv", b"a,b,1\nb,c,2\n", "abc"),
    ("two columns", "csv", b"a,b\nb,c\nc,d\n", "abcd"),
    ("comments", "csv", b"# from,to,x\na,b,1\n# b,c,9\nb,c,2\n", "abc"),
    ("header", "csv", b"pre,post,weight\na,b,1\nb,c,2\n", "abc"),
    ("named columns in another order", "csv",
     b"syn_count,post_pt,source,target\n1,9,a,b\n2,9,b,c\n", "abc"),
    ("aliases", "csv", b"bodyId_pre,bodyId_post,value\na,b,1\nb,c,2\n", "abc"),
    ("CRLF and no final newline", "csv", b"a,b,1\r\nb,c,2", "abc"),
    ("byte order mark", "csv", b"\xef\xbb\xbfa,b,1\nb,c,2\n", "abc"),
    ("quotes", "csv", b'"a","b",1\n"b",c,"2"\n', "abc"),
    ("blanks and empty lines", "csv", b"a , b,1 \n\nb, c, 2\n\n", "abc"),
    ("tab-separated .csv", "csv", b"a\tb\t1\nb\tc\t2\n", "abc"),
    ("tsv", "tsv", b"a\tb\t1\nb\tc\t2\n", "abc"),
    ("matrix", "csv-matrix", b"0,1,0\n0,0,2\n0,0,0\n", "012"),
    ("matrix with labels", "csv-matrix", b",a,b,c\na,0,1,\nb,,0,2\nc,inf,0,0\n", "abc"),
    ("coordinates", "mtx", b"%%MatrixMarket matrix coordinate real general\n% note\n"
                           b"3 3 2\n1 2 1.0\n2 3 2.0\n", "123"),
    ("pattern", "mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n"
                       b"4 4 3\n2 1\n3 2\n4 3\n", "1234"),
    ("array", "mtx", b"%%MatrixMarket matrix array integer general\n"
                     b"3 3\n0\n0\n0\n1\n0\n0\n0\n2\n0\n", "123"),
    ("DIMACS", "gr", b"c note\np sp 3 2\na 1 2 1\na 2 3 2\n", "123"),
    ("DIMACS without sp", "gr", b"p 0 3 2\na 1 2 1\na 2 3 2\n", "123"),
    ("json", "json", b'{"vertices":["a","b","c"],"arcs":[["a","b",1],["b","c",2]]}', "abc"),
    ("npy", "npy", npy(SQUARE), "012"),
    ("npy in Fortran order", "npy", npy(SQUARE, fortran=True), "012"),
    ("npy big-endian float32", "npy", npy(SQUARE, ">f4"), "012"),
    ("npy bytes", "npy", npy(SQUARE, "<u1"), "012"),
]

BAD = [
    # what, format, body, line and column (None: not asked), words of the detail
    ("empty", "csv", b"", None, None, ""),
    ("only a header", "csv", b"pre,post,weight\n", None, None, ""),
    ("a word for a weight", "csv", b"a,b,1\nb,c,heavy\n", 2, 5, "heavy"),
    ("NaN", "csv", b"a,b,1\nb,c,nan\n", 2, 5, "nan"),
    ("infinity", "csv", b"a,b,1\nb,c,inf\n", 2, 5, "inf"),
    ("a blank weight", "csv", b"a,b,1\nb,c,\n", 2, 5, ""),
    ("a short row", "csv", b"a,b,1\nb\n", 2, None, ""),
    ("a long row", "csv", b"a,b,1\nb,c,2,3\n", 2, None, ""),
    ("a wide list without a header", "csv", b"1,2,3,4\n5,6,7,8\n", 1, None, "csv-matrix"),
    ("a blank label", "csv", b"a,b,1\n,c,1\n", 2, 1, ""),
    ("an open quote", "csv", b'a,b,1\n"b,c,1\n', None, None, ""),
    ("not UTF-8", "csv", b"a,b,1\nb,\xff\xfe,1\n", 2, None, "UTF-8"),
    ("a NUL", "csv", b"a,b,1\nb,c\0d,1\n", 2, 4, "this is not text"),
    ("a NUL past the first block", "csv", b"a,b,1\n" * 100 + b"b,c\0d,1\n", 101, 3, "NUL"),
    ("npy sent as csv", "csv", npy(SQUARE), 1, None, "this is not text"),
    ("a missing column", "csv", b"id,colour,shape,size\n1,2,3,4\n", 1, 1, "header"),
    ("an arc taken for a header", "csv", b"a,b,heavy\nb,c,1\nc,d,2\n", 1, 5, "read as a header"),
    ("a header without a weight", "csv", b"pre,post,roi,syn_wt\na,b,XX,5\n", 1, 1,
     "synapse_weight"),
    ("not square", "csv-matrix", b"0,1\n0,0\n0,0\n", 3, None, ""),
    ("ragged", "csv-matrix", b"0,1,2\n0,0\n0,0,0\n", 2, None, ""),
    ("NaN in a matrix", "csv-matrix", b"0,1\nnan,0\n", 2, 1, "nan"),
    ("labels that differ", "csv-matrix", b",a,b\na,0,1\nc,0,0\n", 3, None, ""),
    ("a blank first cell", "csv-matrix", b",5,\n1,,2\n,3,\n", 1, 4,
     "write 0 into the first cell"),
    ("no banner", "mtx", b"3 3 2\n1 2 1.0\n", 1, None, ""),
    ("complex", "mtx", b"%%MatrixMarket matrix coordinate complex general\n"
                       b"2 2 1\n1 2 1 0\n", 1, None, "complex"),
    ("index past the end", "mtx", b"%%MatrixMarket matrix coordinate real general\n"
                                  b"2 2 1\n1 3 1\n", 3, 3, ""),
    ("index 0", "mtx", b"%%MatrixMarket matrix coordinate real general\n"
                       b"2 2 1\n0 1 1\n", 3, 1, ""),
    ("fewer entries than announced", "mtx",
     b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 1\n", None, None, "2"),
    ("a matrix that is not square", "mtx",
     b"%%MatrixMarket matrix coordinate real general\n2 3 1\n1 2 1\n", 2, None, ""),
    ("no problem line", "gr", b"a 1 2 1\n", 1, None, "p"),
    ("an arc past the end", "gr", b"p sp 2 1\na 1 3 1\n", 2, 5, "3"),
    ("fewer arcs than announced", "gr", b"p sp 2 2\na 1 2 1\n", None, None, "2"),
    ("an unknown line", "gr", b"p sp 2 1\nb 1 2 1\n", 2, 1, "b"),
    ("cut json", "json", b'{"vertices":["a","b"],"arcs":[["a","b",1]', None, None, ""),
    ("an unknown vertex", "json", b'{"vertices":["a"],\n"arcs":[["a","b",1]]}', 2, None, "b"),
    ("a text for a weight", "json", b'{"vertices":["a","b"],"arcs":[["a","b","x"]]}',
     1, None, ""),
    ("a long number", "json", b'{"arcs":[["a","b",1%s]]}' % (512 * b"0"), 1, 19,
     "has 513 bytes, expected at most 512"),
    ("not npy", "npy", b"PK\x03\x04 something else entirely", None, None, ""),
    ("3-D", "npy", npy([[1.0]], shape=(1, 1, 1)), None, None, ""),
    ("a cut npy", "npy", npy(SQUARE)[:-8], None, None, ""),
    ("a complex npy", "npy", npy(SQUARE).replace(b"'<f8'", b"'<c8'"), None, None, "c8"),
    ("cut gzip", "csv", gzip.compress(b"a,b,1\n" * 1000)[:-9], None, None, ""),
    ("damaged gzip", "csv", gzip.compress(b"a,b,1\n")[:-6] + b"\0\0\0\0\0\0", None, None, ""),
]


class Formats(Case):
    def setUp(self):
        super().setUp()
        self.d = self.daemon().start()
        self.addCleanup(lambda: self.d.process and self.d.stop())

    def test_good(self):
        """Also as gzip. Tables belong to the arcs that were uploaded, so bodies with
        the same arcs share tables, and only the first upload gets a job."""
        for number, (what, kind, body, labels) in enumerate(GOOD):
            replies = [self.d.put(name, sent, content_type=TYPES[kind]) for name, sent in
                       ((f"g{number}", body), (f"z{number}", gzip.compress(body)))]
            with self.subTest(what):
                self.assertEqual(*(reply["revision"] for reply in replies))
                for reply in replies:
                    answer = self.d.path(reply["graph"], labels[0], labels[-1]).json
                    self.assertEqual(answer["path"], list(labels))
                    self.assertEqual(answer["distance"], 3)

    def test_column_names(self):
        """Every column name that the README lists, and columns in another order."""
        names = {}
        with open(os.path.join(SOURCE_ROOT, "README.md"), encoding="utf-8") as file:
            for row in re.findall(r"^\| (from|to|weight) \| (.*) \|$", file.read(), re.M):
                names[row[0]] = re.findall(r"`(\w+)`", row[1])
        self.assertEqual([len(names[column]) for column in ("from", "to", "weight")],
                         [10, 10, 11])
        expected = self.d.put("g", b"a,b,1\nb,c,2\n")
        for column, default in (("from", "pre"), ("to", "post"), ("weight", "weight")):
            for name in names[column]:
                head = "weight,roi,post,pre\n".replace(default, name, 1)
                reply = self.d.put("g", (head + "1,X,b,a\n2,Y,c,b\n").encode())
                with self.subTest(head):
                    self.assertEqual((reply["arcs"], self.d.path("g", "a", "c").json["distance"]),
                                     (expected["arcs"], 3))

    def test_bad(self):
        for what, kind, body, line, column, words in BAD:
            reply = self.d.upload("bad", body, content_type=TYPES[kind])
            with self.subTest(what):
                self.assertStatus(reply, 422)
                problem = reply.json
                self.assertIn(words, problem["detail"])
                if line:
                    self.assertEqual(problem.get("line"), line, problem)
                if column:
                    self.assertEqual(problem.get("column"), column, problem)
                self.assertEqual(self.d.ask("GET", "/v1/graphs/bad").status, 404)
        self.assertEqual(self.d.jobs(), [])

    def test_weights_outside_the_domain(self):
        for transform, weight in (("inv", "0"), ("inv", "-1"), ("hops", "0"),
                                  ("log", "1.5"), ("log", "0"), ("lognorm", "-2")):
            body = f"a,b,1\nb,c,{weight}\n".encode()
            with self.subTest(transform=transform, weight=weight):
                reply = self.d.upload("bad", body, f"?transform={transform}")
                self.assertStatus(reply, 422)
                self.assertEqual((reply.json["line"], reply.json["column"]), (2, 5))
                self.assertIn(transform, reply.json["detail"])
                reply = self.d.upload("dropped", body,
                                      f"?transform={transform}&invalid=drop")
                self.assertIn(reply.status, (200, 202))

    def test_options(self):
        body = b"a,b,1\na,b,3\nb,c,2\n"
        for query, distance in (("?duplicates=min", 3), ("?duplicates=max", 5),
                                ("?duplicates=sum", 6), ("?duplicates=last", 5),
                                ("?transform=hops", 2), ("?transform=inv", 0.75),
                                ("", 3)):
            with self.subTest(query):
                self.d.put("g", body, query)
                self.assertEqual(self.d.path("g", "a", "c").json["distance"], distance)
        self.d.put("g", body, "?duplicates=sum&min_weight=3")
        self.assertFalse(self.d.path("g", "a", "c").json["reachable"])

    def test_directions(self):
        """undirected= may repeat what a JSON graph says, but not contradict it."""
        graph = b'{"directed":false,"links":[{"source":"a","target":"b","weight":1}]}'
        for query, words in (("", None), ("?undirected=true", None),
                             ("?undirected=false", "leave one of them out")):
            with self.subTest(query):
                reply = self.d.upload("g", graph, query, TYPES["json"])
                self.assertEqual(reply.status == 422, words is not None, reply)
                self.assertIn(words or "", reply.json.get("detail", ""))

    def test_bad_options(self):
        for query in ("?transform=sqrt", "?duplicates=some", "?invalid=perhaps",
                      "?min_weight=few", "?precision=float16", "?algorithm=magic",
                      "?algorithm=bfs-levels&transform=inv", "?algorithm=bfs-levels",
                      "?tranform=inv", "?format=docx"):
            with self.subTest(query):
                reply = self.d.upload("bad", b"a,b,1\n", query)
                self.assertIn(reply.status, (400, 415, 422), reply)
                self.assertTrue(reply.json["detail"])
        self.assertEqual(self.d.jobs(), [])

    def test_unknown_media_type(self):
        for sent, words in (("application/pdf", "application/x-dimacs"),
                            ("text/csv;layout=matrx", "layout=matrix"),
                            ("text/csv;layout=diagonal", "layout=matrix"),
                            ("text/csv; charset=utf-16", "charset=utf-8")):
            with self.subTest(sent):
                reply = self.d.upload("bad", b"a,b,1\n", content_type=sent)
                self.assertStatus(reply, 415)
                self.assertIn(words, reply.json["detail"])

    def test_bad_names(self):
        for name in (".hidden", "a%20b", "a%2Fb", "x" * 129, "%C3%A9"):
            with self.subTest(name):
                self.assertIn(self.d.upload(name, b"a,b,1\n").status, (400, 404))

    def test_real_matrix(self):
        reply = self.d.put("tracts", data("human_tract_lengths.matrix.csv"),
                           content_type=TYPES["csv-matrix"])
        self.assertEqual(reply["vertices"], 94)
        self.assertEqual(reply["arcs"], 8742)
        self.assertWalks(self.d.path("tracts", "0", "93").json)


if __name__ == "__main__":
    unittest.main()
