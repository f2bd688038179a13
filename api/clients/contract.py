"""What the endpoints of this room take and answer; see api/contract/words.py."""
from words import *

get_python_client = endpoint(
    "The client for Python, one file",
    {200: cached("the file")})

get_r_client = endpoint(
    "The client for R, one file",
    {200: cached("the file")})
