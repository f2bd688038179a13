"""Requests and answers of the endpoints of this directory; see api/contract/words.py."""
from words import *

get_python_client = endpoint(
    "GET /apspd.py", ANYBODY, NONE,
    "The client for Python, one file",
    {200: cached("the file")},
    formats="FILE")

get_r_client = endpoint(
    "GET /apspd.R", ANYBODY, NONE,
    "The client for R, one file",
    {200: cached("the file")},
    formats="FILE")
