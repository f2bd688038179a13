"""The header of a graph file (daemon/job/graph_file.h)."""
import struct

# magic, vertices, arcs, bytes of labels, has totals, has left out, prove, 0, member, profile
HEADER = struct.Struct("=8sQQQIIII80s4096s")
MAGIC = b"apspgr2\n"


def header_pack(n_vertices, n_arcs, label_bytes, profile):
    """A header of a graph without totals and left out vertices."""
    return HEADER.pack(MAGIC, n_vertices, n_arcs, label_bytes, 0, 0, 0, 0, b"", profile.encode())


def header_unpack(data):
    """(vertices, arcs, the profile's text) of a graph without totals and left out vertices."""
    magic, n_vertices, n_arcs, _, totals, left_out, prove, _, _, profile = HEADER.unpack(data)
    assert magic == MAGIC, "this is not a graph file"
    assert not totals and not left_out and not prove
    return n_vertices, n_arcs, profile.rstrip(b"\0").decode()
