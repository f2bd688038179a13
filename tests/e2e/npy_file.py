"""NumPy files without NumPy."""
import ast
import math
import struct

TYPES = {"u1": "B", "f4": "f", "f8": "d", "i4": "i", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}


def npy(body):
    """(shape, elements) of a NumPy file."""
    assert body[:8] == b"\x93NUMPY\x01\x00", body[:80]
    assert len(body) >= 128
    header = ast.literal_eval(body[10:128].decode())
    assert header["fortran_order"] is False
    code = TYPES[header["descr"][1:]]
    count = math.prod(header["shape"])
    assert len(body) == 128 + count * struct.calcsize(code), (header, len(body))
    return header["shape"], struct.unpack_from(f"{count}{code}", body, 128)
