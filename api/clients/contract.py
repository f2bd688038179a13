"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

FILE = ("the file. Its default address is the Host of the request, if that is localhost or a numeric "
        "address, with a port")

get_python_client = endpoint(
    "GET /apspd.py", ANYBODY, NONE,
    "The client for Python, one file",
    {200: cached(FILE)},
    formats="FILE")

get_r_client = endpoint(
    "GET /apspd.R", ANYBODY, NONE,
    "The client for R, one file",
    {200: cached(FILE)},
    formats="FILE")
