"""Graph files for the solver, and what its table files mean, whatever their width."""
import array
import math
import random
import struct

from graph_header import header_pack

BLOCK = 65536
SECTIONS = 17
DISTANCE, PREDECESSOR, CLOSURE, TRANSPOSED, ON_CYCLE = range(5)
VERTEX_STATS = 9
HEADER = struct.Struct("<8sIIQQIIq")
# daemon/job/table_file.h: code and infinity by element
CODES = {1: ("H", 0x7FFF), 2: ("i", 0x3FFFFFFF), 3: ("I", None), 4: ("Q", None),
         5: ("f", math.inf), 6: ("d", math.inf), 7: ("Q", None), 8: ("B", None), 0: ("B", None)}
SCALED, HOPS, SUM = range(3)


def graph_write(path, n, arcs, transform="none", precision="float32", algorithm=""):
    """arcs: (from, to, weight). Labels are v0, v1, …"""
    profile = f"transform={transform} duplicates=min invalid=error precision={precision}"
    if algorithm:
        profile += f" algorithm={algorithm}"
    labels = b"".join(b"v%d" % v for v in range(n))
    offsets, at = array.array("Q", [0]), 0
    for v in range(n):
        at += len(b"v%d" % v)
        offsets.append(at)
    with open(path, "wb") as file:
        file.write(header_pack(n, len(arcs), len(labels), profile))
        for arc in arcs:
            file.write(struct.pack("<IId", *arc))
        file.write(offsets.tobytes())
        file.write(labels)


def some_graphs():
    """Name: vertices, arcs, transform, of every kind of length."""
    chance = random.Random(7)

    def arcs(n, degree, weight, reach=None):
        found = {}
        for u in range(n):
            for _ in range(degree):
                v = (u + chance.randrange(1, reach) if reach else chance.randrange(n)) % n
                if u != v and chance.random() < 0.8:
                    found[u, v] = weight()
        return [(u, v, w) for (u, v), w in found.items()]

    def tilted(list_of_arcs, potential):
        """Some lengths become negative, and no cycle's sum changes."""
        return [(u, v, w + potential[u] - potential[v]) for u, v, w in list_of_arcs]

    heights = [chance.randrange(60) for _ in range(140)]
    slopes = [chance.random() * 4 for _ in range(133)]
    return {
        "integers": (150, arcs(150, 2, lambda: chance.randrange(1, 9)), "none"),
        "wide": (140, arcs(140, 4, lambda: chance.randrange(1, 300000)), "none"),
        "hops": (270, arcs(270, 2, lambda: 1, 40), "hops"),
        "reals": (150, arcs(150, 3, lambda: 0.5 + chance.random()), "none"),
        "negative": (140, tilted(arcs(140, 3, lambda: chance.randrange(1, 30)), heights), "none"),
        "negative-reals": (133, tilted(arcs(133, 3, lambda: 0.1 + chance.random()), slopes),
                           "none"),
        "long": (200, [(v, v + 1, 1 + v % 3) for v in range(199)] +
                 [(v, v - 5, 2) for v in range(5, 60)], "none"),
        # arcs as long as two others together, which are the paths of fewer arcs
        "ties": (131, [(v, (v + step) % 131, step) for v in range(131) for step in (1, 2, 4)],
                 "none"),
        # past the vertices whose rows the host proves all
        "many": (300, arcs(300, 2, lambda: chance.randrange(1, 9)), "none"),
        # whose predecessors are ranks
        "ranked": (600, arcs(600, 2, lambda: chance.randrange(1, 9)), "none"),
        "ranked-reals": (560, arcs(560, 2, lambda: 0.5 + chance.random()), "none"),
        "between": (137, arcs(137, 3, lambda: 0.5 + chance.random()),
                    "none measures=betweenness"),
    }


class Tables:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        (_, _, _, self.n, self.m, self.kind, _, self.scale) = HEADER.unpack_from(self.bytes)
        self.sections = [struct.unpack_from("<QQII", self.bytes, HEADER.size + 24 * s)
                         for s in range(SECTIONS)]
        (self.data_end,) = struct.unpack_from("<Q", self.bytes, HEADER.size + 24 * SECTIONS)

    def section_bytes(self, s):
        offset, size, _, _ = self.sections[s]
        return self.bytes[offset:offset + size]

    def section(self, s):
        element = self.sections[s][2]
        return array.array(CODES[element][0], self.section_bytes(s))

    def data(self):
        return (self.sections, self.scale, self.bytes[BLOCK:self.data_end])

    def distances(self):
        """(distance, hops) of each pair, None where there is no path."""
        infinity = CODES[self.sections[DISTANCE][2]][1]
        for v in self.section(DISTANCE):
            if v == infinity:
                yield None
            elif self.kind == SCALED:
                yield divmod(int(v), self.scale)
            else:
                yield v


def same(a, b, sections=SECTIONS):
    """Whether the first sections of two table files say the same, whatever their width."""
    if a.data() == b.data():
        return True
    if a.n != b.n or a.kind != b.kind:
        return False
    for s in range(PREDECESSOR, sections):
        # bytes, because a statistic that was not asked for is NaN
        if a.section_bytes(s) != b.section_bytes(s):
            return False
    return all(x == y for x, y in zip(a.distances(), b.distances()))
