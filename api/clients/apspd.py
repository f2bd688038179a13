"""All shortest paths of a graph: the Python client of apspd.

    curl -O http://localhost:8080/apspd.py

One file, for Python 3.9 and later. It needs NumPy, and uses pandas where that is
installed.

    >>> import apspd
    >>> larva = apspd.put("larva_edges.csv", "larva", transform="inv")
    >>> larva.path("29", "8835968").path
    ['29', '8509987', '8835968']
    >>> larva.table(["29"], ["8509987", "37365"])      # a pandas.DataFrame
        8509987  37365
    29    0.125    inf
    >>> distance, labels = larva.matrix("distance")    # a NumPy array, its vertices

apspd.put(), apspd.graph() and the other functions of this module ask the daemon
that the environment names:

    APSPD_URL     https://lab.example/paths behind a proxy with a prefix; unix:/run/apspd.sock
                  for a socket. If it is not set, it is http://localhost:8080: a daemon that
                  sends this file writes the address here at which it was asked
    APSPD_TOKEN   the token, if the daemon needs one; it is never printed

apspd.connect(url, token=...) connects to another daemon. A question about tables that
are still being computed waits for them. Each error is an apspd.Error that says what to do;
its classes are below. A Client may be used by several threads.
"""
import contextlib
import csv
import http.client
import io
import itertools
import json
import os
import re
import socket
import sys
import tarfile
import threading
import time
import urllib.parse
import warnings

try:
    import numpy as np
except ImportError as error:
    raise ImportError("apspd.py needs NumPy: python3 -m pip install numpy, or Debian's "
                      "python3-numpy") from error
try:
    import pandas as pd
except ImportError:
    pd = None

__all__ = ["connect", "put", "load", "graph", "graphs", "info", "Client", "Graph", "Answer",
           "Circuit", "Matrix", "Error", "Unreachable", "Problem", "BadRequest", "AccessDenied",
           "NotFound", "UnknownVertex", "Conflict", "RevisionDiffers", "RuleDiffers",
           "BadData", "TooLarge", "NotReady", "ServerFailed", "JobFailed",
           "JobCancelled", "TooManyArcs", "UploadWarning"]

_PIECE = 1 << 16      # bytes that are sent or received at a time
_ROWS = 20_000        # rows of an upload that are made at a time
_PAIRS = 10_000       # pairs of one request
_WAIT_S = 30          # how long the daemon may keep a question about a job
_BAR_WAIT_S = 5       # the same if a person sees the progress: the bar shows the time left


# Errors.

class Error(Exception):
    """Any error of this client or the daemon."""


class Unreachable(Error, ConnectionError):
    """No daemon answers at this address."""


class Problem(Error):
    """A refusal of the daemon, with its reason (RFC 9457).

    status, type, title, detail and request_id are set by the daemon. For a pair that
    paths() refuses, request_id is None. For a refusal by a proxy, type is "", and title and
    request_id are None. line and column (of data that cannot be read), pointer (into a JSON
    body) and suggestions (for a misspelt label) are None or empty if the daemon does not
    send them. body has all members.
    """

    def __init__(self, status, body):
        self.status = status
        self.body = body
        self.type = str(body.get("type", "")).rsplit("/", 1)[-1]
        self.title = body.get("title")
        self.detail = body.get("detail") or self.title or f"status {status}"
        self.line = body.get("line")
        self.column = body.get("column")
        self.pointer = body.get("pointer")
        self.suggestions = list(body.get("suggestions") or ())
        self.request_id = body.get("request_id")
        super().__init__(self.detail)

    def __reduce__(self):  # so that it can be pickled between processes
        return type(self), (self.status, self.body)

    def add(self, more):
        """Add a sentence to the message."""
        self.detail = self.body["detail"] = f"{self.detail}; {more}"
        self.args = (self.detail,)

    def __str__(self):
        text = self.detail
        if self.line and f"line {self.line}" not in text:
            text += f" (line {self.line}"
            text += f", column {self.column})" if self.column else ")"
        if self.suggestions:
            text += f"; did you mean {', '.join(map(repr, self.suggestions))}?"
        return f"{text} [{self.type or 'status'} {self.status}]"


class BadRequest(Problem, ValueError):
    """The request is malformed: an option that is unknown or contradicts another."""


class AccessDenied(Problem):
    """The token is missing or does not permit this, or the daemon does not serve that host."""


class NotFound(Problem, LookupError):
    """There is no such graph, profile, job or page."""


class UnknownVertex(NotFound):
    """The graph has no such vertex; suggestions has similar labels."""


class Conflict(Problem):
    """Tables have failed or were cancelled, or the graph is not the one expected."""


class RevisionDiffers(Conflict):
    """This Graph insists on the upload `asked`, but the upload `revision` answers now, or is the
    newest if this was to change something. graph(name) accepts any upload."""

    revision = property(lambda self: self.body.get("revision"))
    asked = property(lambda self: self.body.get("asked"))


class RuleDiffers(Conflict):
    """The graph has another rule than the request; default_rule="replace" changes it for
    everybody. rule is the rule of the graph, said the rule of the request."""

    rule = property(lambda self: _answers(self.body.get("rule")))
    said = property(lambda self: _answers(self.body.get("said")))


class BadData(Problem, ValueError):
    """The data cannot be used; line and column say where."""


class TooLarge(Problem):
    """This is too large for the memory, the disk or a limit."""


class NotReady(Problem):
    """The daemon is busy or stopping, or the tables do not exist yet: try again."""


class ServerFailed(Problem):
    """Something failed inside the daemon; its log has the request_id."""


class JobFailed(Error):
    """The tables could not be computed; job is the daemon's record of the work."""

    def __init__(self, job):
        self.job = job
        error = job.get("error") or {}
        super().__init__(f"job {job['id']} of graph '{job['graph']}' {job['state']}: "
                         f"{error.get('detail') or 'it says no more'}")

    def __reduce__(self):
        return type(self), (self.job,)


class JobCancelled(JobFailed):
    """The computation was cancelled, or a newer upload replaced it."""


class TooManyArcs(Error):
    """A circuit has n_arcs arcs, more than max_arcs; fits is the largest bound that fits."""

    def __init__(self, n_arcs, max_arcs, fits):
        self.n_arcs, self.max_arcs, self.fits = n_arcs, max_arcs, fits
        text = f"the bound {fits:g} fits" if fits is not None else "no smaller bound fits"
        super().__init__(f"the circuit has {n_arcs} arcs, and max_arcs is {max_arcs}: {text}; or "
                         "ask for more arcs, or for the values of an attribute (by=)")

    def __reduce__(self):
        return type(self), (self.n_arcs, self.max_arcs, self.fits)


class UploadWarning(UserWarning):
    """The daemon accepted an upload, but something in it may be wrong."""


# The types of a 404 that mean that an earlier try of a DELETE has deleted the object. Another
# 404 may be a proxy's.
_NOTHING_LEFT = "unknown-graph", "unknown-profile"

_BY_TYPE = {"unknown-vertex": UnknownVertex, "revision-differs": RevisionDiffers,
            "rule-differs": RuleDiffers}
_BY_STATUS = {401: AccessDenied, 403: AccessDenied, 421: AccessDenied, 404: NotFound,
              409: Conflict, 412: Conflict, 413: TooLarge, 415: BadData,
              422: BadData, 429: NotReady, 503: NotReady, 507: TooLarge}


def _problem(status, body):
    try:
        body = json.loads(body)
    except ValueError:
        body = {"detail": f"status {status}: {body[:200].decode('utf-8', 'replace')}"}
    body = body if isinstance(body, dict) else {"detail": str(body)}
    kind = _BY_TYPE.get(str(body.get("type", "")).rsplit("/", 1)[-1]) or _BY_STATUS.get(
        status, ServerFailed if status >= 500 else BadRequest)
    return kind(status, body)


# Answers.

class Answer(dict):
    """An answer of the daemon: a dict whose members are attributes, too. A member with the name
    of a method of dict needs brackets, such as the count of set_attributes(v).columns[0]["values"].
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"this answer has no '{name}', but {', '.join(self)}"
                                 ) from None


def _answers(value):
    if isinstance(value, dict):
        return Answer((name, _answers(item)) for name, item in value.items())
    return [_answers(item) for item in value] if isinstance(value, list) else value


class Circuit(Answer):
    """The answer of Graph.circuit(): vertices and arcs, each a DataFrame, and pairs, skipped,
    n_arcs, graph, revision, profile, rule and question. Without pandas: dicts of columns."""

    def __init__(self, graph, answer):
        super().__init__(answer)
        self.__dict__["_graph"] = graph.at(answer.revision)
        rows = answer.vertices
        # JSON has attributes apart, so a column may have the name of an attribute
        names = dict.fromkeys(name for row in rows for name in row.get("attributes", ()))
        own = ["vertex", "layer", "pairs", "share"] + ["vertices"] * ("by" in answer.question)
        columns = {name: [row[name] for row in rows] for name in own}
        columns.update((f"attribute_{name}" if re.sub("^(attribute_)+", "", name) in own else name,
                        [row["attributes"].get(name) for row in rows]) for name in names)
        self["vertices"] = _frame(columns, "vertex")
        own = ["from", "to", "weight", "length", "pairs"] + ["arcs"] * ("by" in answer.question)
        self["arcs"] = _frame({name: [row[name] for row in answer.arcs] for name in own})

    def save(self, file, part=None):
        """Save the circuit to a file. Its suffix is the format: .graphml, .dot or .gv (Graphviz),
        .cyjs (Cytoscape), .json, or .csv: the arcs, or with part="vertices" the vertices.

        The question is asked again, of the same upload.
        """
        suffix = os.path.splitext(os.fspath(file))[1][1:].lower()
        formats = {"gv": "dot", **{name: name for name in ("graphml", "dot", "cyjs", "json", "csv")}}
        if suffix not in formats:
            raise ValueError(f"'{file}' has none of the suffixes {', '.join(formats)}")
        query = self._graph._query(format=formats[suffix], part=part)
        text = self._graph.client._read(
            "POST", self._graph._path + "/circuit", query,
            _json_body(self.question))
        with open(file, "wb") as out:
            out.write(text)


class Matrix(tuple):
    """values, a NumPy array, and labels: the vertices of its rows and columns."""

    __slots__ = ()

    def __new__(cls, values, labels):
        return super().__new__(cls, (values, labels))

    values = property(lambda self: self[0])
    labels = property(lambda self: self[1])

    def frame(self):
        """The matrix as a pandas.DataFrame."""
        return pd.DataFrame(self.values, index=self.labels, columns=self.labels)


def _frame(columns, index=None):
    """A DataFrame of {name: values}, or without pandas the dict itself."""
    if pd is None:
        return columns
    frame = pd.DataFrame(columns)
    return frame.set_index(index) if index else frame


# Columns of labels, which stay text, because ids of connectomes do not fit a float, and of
# other text.
_LABELS = {"from", "to", "vertex", "nearest", "widest", "predecessor", "strong_component",
           "weak_component", "path", "problem", "change", "left_out"}


def _list_of(cell):
    """The labels of a cell of the column path."""
    return json.loads(cell) if cell else None


# The columns of stats(vertices=True) that are no attributes.
_STATISTICS = {"reaches", "reached_by", "eccentricity_out", "eccentricity_in", "closeness_out",
               "closeness_in", "efficiency_out", "efficiency_in", "strong_component",
               "weak_component", "betweenness", "betweenness_normalized"}


def _cells(name, cells):
    """Parse cells of CSV, from a column of this name or from a table of this value."""
    if name == "reachable":
        return np.fromiter((cell == "1" for cell in cells), bool, len(cells))
    if name in _LABELS:
        return [(_list_of(cell) if name == "path" else cell) or None for cell in cells]
    return np.fromiter((float(cell or "nan") for cell in cells), float, len(cells))


_field_limit = threading.Lock()


@contextlib.contextmanager
def _long_fields():
    """Let the csv module read cells of any length, such as the path of a long chain.

    Its limit holds for all threads.
    """
    with _field_limit:
        before = csv.field_size_limit((1 << 31) - 1)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _texts(text):
    """Parse CSV as its names and a list of cells for each.

    A list for each row would take longer than all the rest, because Python's garbage
    collector visits each list again and again.
    """
    rows = csv.reader(io.StringIO(text.decode(), newline=""))
    with _long_fields():
        names = next(rows)
        cells = list(itertools.chain.from_iterable(rows))
    return names, [cells[at::len(names)] for at in range(len(names))]


def _columns(text):
    """The columns of CSV with a row for each vertex or pair, by name."""
    if pd is None:
        return {name: _cells(name, cells) for name, cells in zip(*_texts(text))}
    names = next(csv.reader(io.StringIO(text.split(b"\n", 1)[0].decode())))
    frame = pd.read_csv(
        io.BytesIO(text), float_precision="round_trip", keep_default_na=False,
        skip_blank_lines=False, true_values=["1"], false_values=["0"],
        na_values={name: [""] for name in names if name not in _LABELS},
        dtype={name: object if name in _LABELS else bool if name == "reachable" else float
               for name in names})
    for name in _LABELS.intersection(names):
        frame[name] = frame[name].where(frame[name] != "", None)
    if "path" in names:
        frame["path"] = frame["path"].map(_list_of)
    return frame


def _joined_columns(parts):
    """The rows of several answers, one after the other."""
    if pd is not None:
        return pd.concat(parts, ignore_index=True)
    return {name: sum((list(part[name]) for part in parts[1:]), list(column)) if len(parts) > 1
            else column for name, column in parts[0].items()}


def _wide(text, value):
    """(array, labels of rows, labels of columns) of CSV with a row for each source."""
    names, (rows, *columns) = _texts(text)
    array = np.empty((len(rows), len(columns)), object if value in _LABELS else
                     bool if value == "reachable" else float)
    for at, cells in enumerate(columns):
        array[:, at] = _cells(value, cells)
    return array, rows, names[1:]


# Progress.

def _in_notebook():
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Bar:
    """One line of progress that is overwritten; silent if no person sees it."""

    def __init__(self, what, wanted):
        self._what = what
        self._call = wanted if callable(wanted) else None
        self._stream = None
        if wanted is not False and not self._call:
            self._stream = sys.stdout if _in_notebook() else \
                sys.stderr if wanted or sys.stderr.isatty() else None
        self._shown = ""

    @property
    def seen(self):
        return bool(self._call or self._stream)

    def show(self, phase, share, seconds=None):
        """share: the part that is done, from 0 to 1, or None if the end is unknown."""
        if self._call:
            self._call(phase, share, seconds)
        if not self._stream:
            return
        full = int(24 * (share or 0))
        text = f"{self._what}: {phase:<12} [{'#' * full}{'.' * (24 - full)}]"
        text += f" {100 * share:3.0f} %" if share is not None else ""
        text += f", {seconds:.0f} s left" if seconds else ""
        if text != self._shown:
            self._stream.write("\r" + text.ljust(len(self._shown)))
            self._stream.flush()
            self._shown = text

    def end(self):
        if self._stream and self._shown:
            self._stream.write("\n")
            self._stream.flush()
            self._shown = ""


# Uploads.

class _Body:
    """The body of an upload: pieces() may be called again for another try."""

    def __init__(self, pieces, media, size=None, query=()):
        self.pieces = pieces
        self.media = media
        self.size = size
        self.query = dict(query)


def _bytes_body(data, media, query=()):
    view = memoryview(data).cast("B")
    return _Body(lambda: (bytes(view[at:at + _PIECE])
                          for at in range(0, len(view), _PIECE)),
                 media, len(view), query)


def _json_body(value):
    """JSON of a value, in which NumPy's numbers are numbers."""
    text = json.dumps(value, allow_nan=False, default=np.generic.item)
    return _bytes_body(text.encode(), "application/json")


def _file_body(path, media="application/octet-stream"):
    with open(path, "rb"):  # so that an error of the file is raised before anything is sent
        pass

    def pieces():
        with open(path, "rb") as file:
            yield from iter(lambda: file.read(_PIECE), b"")
    # without a media type, the daemon finds the format from the first bytes
    return _Body(pieces, media, os.path.getsize(path))


def _bundle_body(path, with_tables):
    """(the body of a bundle, perhaps without its table files, the name of its graph)"""
    try:
        with tarfile.open(path, "r:") as archive:
            first = archive.next()
            if not first or first.name != "bundle.json":
                raise ValueError(f"{os.fspath(path)} is no bundle: its first member is not "
                                 "bundle.json")
            name = json.load(archive.extractfile(first))["graph"]
            size = next((one.offset for one in archive if one.name.startswith("tables/")), None)
    except tarfile.TarError as error:
        raise ValueError(f"{os.fspath(path)} is no bundle: {error}") from error
    if size is None or with_tables:
        return _file_body(path, "application/x-tar"), name

    def pieces():
        with open(path, "rb") as file:
            for at in range(0, size, _PIECE):
                yield file.read(min(_PIECE, size - at))
        yield bytes(1024)  # the end of an archive
    return _Body(pieces, "application/x-tar", size + 1024), name


def _stream_body(file):
    begin = file.tell() if file.seekable() else None
    used = []

    def pieces():
        if used and begin is None:
            raise Error("the upload must be sent again, and its stream cannot be rewound")
        used.append(True)
        if begin is not None:
            file.seek(begin)
        for piece in iter(lambda: file.read(_PIECE), file.read(0)):
            yield piece.encode() if isinstance(piece, str) else piece
    return _Body(pieces, "application/octet-stream")


def _levels_as_columns(frame):
    """The DataFrame with the named levels of its index as its first columns."""
    return frame.reset_index([name for name in frame.index.names
                              if name is not None and name not in frame.columns])


def _frame_body(frame):
    """A DataFrame: an edge list, or a matrix whose rows and columns have the same labels in any
    order."""
    rows, columns = [[str(label) for label in axis]
                     for axis in (frame.index, frame.columns)]
    # the daemon reads the columns of a matrix in any order
    matrix = 1 < len(rows) == len(columns) and sorted(rows) == sorted(columns)
    named = any(isinstance(column, str) for column in frame.columns)
    frame = frame.astype(dict.fromkeys(frame.select_dtypes(bool), int))
    if matrix and not named and len(rows) <= 3:
        raise ValueError(
            f"a DataFrame of {len(rows)} × {len(rows)} without names is a matrix or an edge "
            "list: name its columns (from, to, weight), or rows and columns by text")

    if not matrix:
        frame = _levels_as_columns(frame)
    header = matrix or named
    if not matrix and len(frame.columns) in (2, 3):
        # names for columns that have none, so that no row is read as a header
        header = [column if isinstance(column, str) else name
                  for column, name in zip(frame.columns, ["from", "to", "weight"])]
        if len(header) == 2:
            # a line of two unknown names would be an arc; one of three names is a header
            frame.insert(2, "size", 1, allow_duplicates=True)
            header.append("size")

    def pieces():
        # texts have quotes, so that a label that begins with # is no comment
        for at in range(0, max(len(frame), 1), _ROWS):
            yield frame.iloc[at:at + _ROWS].to_csv(
                None, index=matrix, header=at == 0 and header,
                quoting=csv.QUOTE_NONNUMERIC).encode()
    return _Body(pieces, "text/csv;layout=matrix" if matrix else "text/csv")


def _arcs_body(labels, arcs, query=()):
    """JSON of labels (None: those of the arcs) and of arcs (from, to[, weight])."""
    def parts():
        yield '{"vertices":[' if labels is not None else ""
        yield from _listed(() if labels is None else map(str, labels))
        yield '],"arcs":[' if labels is not None else '{"arcs":['
        yield from _listed(map(_arc, arcs()))
        yield "]}"
    return _Body(lambda: (part.encode() for part in parts() if part),
                 "application/json", query=query)


def _arc(row):
    if isinstance(row, (dict, str, bytes, set)):  # keys, letters, bytes would be read as labels
        raise ValueError(f"{row!r} is no arc (from, to, weight); send a list of dicts as "
                         "pandas.DataFrame(list)")
    u, v, *weight = row
    return [str(u), str(v), *map(_plain, weight)]


def _listed(values):
    """JSON of a list without its brackets, in pieces."""
    values, comma = iter(values), ""
    while piece := list(itertools.islice(values, _ROWS)):
        try:
            yield comma + json.dumps(piece, allow_nan=False, separators=(",", ":"))[1:-1]
        except ValueError:
            raise ValueError("a weight is infinite or not a number; "
                             "leave such arcs out") from None
        comma = ","


def _plain(value):
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, bool) else value


def _numbered(n, labels):
    labels = [str(label) for label in (range(n) if labels is None else labels)]
    if len(labels) != n:
        raise ValueError(f"{len(labels)} labels for {n} vertices")
    return labels


def _sparse_body(matrix, labels):
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a matrix of {matrix.shape} is not square")
    # tocsr() adds up values of the same cell, and sums of bytes or truth values would overflow;
    # the astype() of a matrix may already add them up
    coo = matrix.tocoo()
    data = coo.data.astype(np.result_type(coo.data.dtype, np.int64))
    coo = type(coo)((data, (coo.row, coo.col)), coo.shape).tocsr().tocoo()
    names = _numbered(matrix.shape[0], labels)
    return _arcs_body(names, lambda: (
        (names[u], names[v], w) for u, v, w in zip(coo.row, coo.col, coo.data) if w != 0))


def _array_body(array, labels):
    """A square array is a matrix; an array of two or three columns is an edge list."""
    if array.ndim != 2 or array.shape[0] != array.shape[1] and array.shape[1] not in (2, 3):
        raise ValueError(f"an array of {array.shape} is neither square nor has two or "
                         "three columns: from, to, weight")
    if np.ma.is_masked(array):
        raise ValueError("a masked array has cells without a value: send array.filled(0), whose "
                         "zeros are no arcs, or the rows of arcs that have a weight")
    if array.shape[0] != array.shape[1]:
        rows = array.tolist()
        if array.dtype.kind == "f":  # ids of a float array are whole numbers
            if np.any(np.abs(array[:, :2]) >= 2.0**53):
                raise ValueError("ids of 2**53 and more were rounded when they became "
                                 "floats: send integers or text")
            rows = [[*(int(v) if float(v).is_integer() else v for v in row[:2]),
                     *row[2:]] for row in rows]
        return _arcs_body(labels, lambda: rows)
    if labels is None:
        ends = array[:, :2].astype(float)
        if len(array) in (2, 3) and np.array_equal(ends, np.trunc(ends)):
            warnings.warn(f"an array of {array.shape} is read as a matrix; send so short an "
                          "edge list as a list of (from, to, weight)", UploadWarning,
                          stacklevel=_outside())
        with io.BytesIO() as file:
            np.save(file, _narrow(array), allow_pickle=False)
            return _bytes_body(file.getvalue(), "application/x-npy")
    names = _numbered(len(array), labels)
    cells = np.nonzero((array != 0) & (array != np.inf))
    return _arcs_body(names, lambda: (
        (names[u], names[v], array[u, v]) for u, v in zip(*cells)))


def _narrow(array):
    """The same numbers in the smallest type that holds them exactly."""
    if array.dtype.kind not in "iuf" or not array.size:
        return array
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            single = array.astype(np.float32)
        return single if np.array_equal(single, array, equal_nan=True) else array
    return array.astype(np.result_type(np.min_scalar_type(array.min()),
                                       np.min_scalar_type(array.max())))


def _warn_ignored(what, attributes, used, advice):
    """Warn of the names in dicts of attributes, except the one that is used."""
    names = dict.fromkeys(name for known in attributes for name in known if name != used)
    if names:
        listed = ", ".join(map(str, itertools.islice(names, 8))) + ", …" * (len(names) > 8)
        warnings.warn(f"ignored{what and ' ' + what}: {listed} ({advice})", UploadWarning,
                      stacklevel=_outside())


def _network_body(graph, weight):
    def arcs():
        for u, v, known in graph.edges(data=True):
            yield (u, v, known[weight]) if weight in known else (u, v)
    if weight not in ("weight", None):  # a misspelt name would make each weight 1
        for u, v, known in graph.edges(data=True):
            if weight not in known:
                raise ValueError(f"the edge from {u!r} to {v!r} has no attribute {weight!r}, which "
                                 "the argument weight names")
    nodes = dict(graph.nodes(data=True))
    _warn_ignored("of nodes", nodes.values(), None,
                  "set_attributes() of the Graph stores attributes of vertices")
    _warn_ignored("", (known for _, _, known in graph.edges(data=True)), weight or "weight",
                  "the argument weight names the attribute that is the weight")
    directed = graph.is_directed()
    return _arcs_body([str(v) for v in nodes], arcs,
                      () if directed else {"undirected": "true"})


def _body_of(data, labels, weight):
    network = hasattr(data, "is_directed") and hasattr(data, "edges")
    if weight not in ("weight", None) and not network:
        raise ValueError(f"weight={weight!r} names an attribute of a networkx graph's edges; "
                         "for a column say weight_column")
    if labels is not None and not isinstance(data, (np.ndarray, list, tuple)) \
            and not hasattr(data, "tocsr"):
        raise ValueError("labels names the vertices of a matrix or of a list of arcs; "
                         f"{type(data).__name__} has its own")
    if isinstance(data, _Body):
        return data
    if isinstance(data, (bytes, bytearray, memoryview)):
        return _bytes_body(data, "application/octet-stream")
    if isinstance(data, (str, os.PathLike)):
        return _file_body(data)
    if hasattr(data, "read"):
        return _stream_body(data)
    if hasattr(data, "to_csv") and hasattr(data, "columns"):
        return _frame_body(data)
    if hasattr(data, "tocsr"):
        return _sparse_body(data, labels)
    if network:
        return _network_body(data, weight)
    if isinstance(data, np.ndarray):
        return _array_body(data, labels)
    if isinstance(data, (list, tuple)):
        return _arcs_body(labels, lambda: data)
    raise TypeError(f"{type(data).__name__} is no graph: send a path, a DataFrame, a NumPy "
                    "array, a SciPy sparse matrix, a networkx graph, or a list of "
                    "(from, to, weight)")


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def _many(value):
    """One value, or many, as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) or not hasattr(value, "__iter__") else list(value)


def _joined(value):
    return ",".join(map(str, _many(value))) or None


def _match(match):
    """match= from {"type": ["KC", "MBON"]} or "type:KC"."""
    if not isinstance(match, dict):
        return _many(match)
    for name, values in match.items():
        if not _many(values):  # without this condition, vertices with any value would match
            raise ValueError(f"{name!r} has no values, so no vertex could match; expected at "
                             "least one, such as \"\" for the vertices without a value")
    return [f"{name}:{value}" for name, values in match.items() for value in _many(values)]


def _rule(rule):
    """A rule, or options with a rule, whose measures and without are lists."""
    lists = {"measures": _many, "without": _match}
    return {name: lists.get(name, lambda one: one)(value) for name, value in rule.items()}


def _set(vertices):
    """A set of vertices of a body: labels, or {"type": ["KC", "MBON"]} as in match=."""
    if isinstance(vertices, dict):
        return {"match": _match(vertices)}
    return [str(v) for v in _many(vertices)]


def _sets(sources, targets):
    """The members sources and targets of a body; None stands for all vertices."""
    return {name: _set(vertices) for name, vertices in
            (("sources", sources), ("targets", targets)) if vertices is not None}


def _in_list(place, batch):
    """A text that begins with a place in a batch of pairs, with the place in the whole list."""
    return place and re.sub(r"^(pairs\[|/pairs/)(\d+)", lambda found: found[1] + str(
        int(found[2]) + batch * _PAIRS), place)


def _part(text):
    return urllib.parse.quote(str(text), safe="")


# The connection.

class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class _Link:
    """The address of a daemon, and a connection to it for each thread."""

    def __init__(self, url, timeout_s):
        self._timeout_s = timeout_s
        self._local = threading.local()
        self.prefix = ""
        if url.startswith("unix:"):
            self.name = url
            path = url[len("unix:"):]
            self._new = lambda: _UnixConnection(path, timeout_s)
            return
        parts = urllib.parse.urlsplit(url if "://" in url else "http://" + url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        if parts.scheme not in kinds or not parts.hostname or parts.query or parts.username:
            raise ValueError("the daemon's URL is as http://localhost:8080, "
                             "https://lab.example/prefix or unix:/run/apspd.sock")
        self.prefix = parts.path.rstrip("/")
        self.name = f"{parts.scheme}://{parts.netloc}{self.prefix}"
        self._new = lambda: kinds[parts.scheme](parts.hostname, parts.port,
                                                timeout=timeout_s)

    def open(self):
        """(this thread's connection, whether it has been used)"""
        mine = getattr(self._local, "mine", None)
        if mine and mine[1] == os.getpid() and mine[0].sock:
            return mine[0], True
        connection = self._new()
        self._local.mine = connection, os.getpid()
        return connection, False

    def drop(self):
        mine = getattr(self._local, "mine", None)
        if mine and mine[1] == os.getpid():
            mine[0].close()
        self._local.mine = None

    def send(self, method, path, headers, body, sent):
        """Send a request, and return the head of the reply; the caller reads the body."""
        connection, used = self.open()
        reached = used
        try:
            if not used:
                connection.connect()
            reached = True
            connection.putrequest(method, self.prefix + path, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            if body and body.size is None:
                connection.putheader("Transfer-Encoding", "chunked")
            elif body or method in ("PUT", "POST"):
                connection.putheader("Content-Length", str(body.size if body else 0))
            connection.endheaders()
            refused = body and not self._send_body(connection, body, sent)
            reply = connection.getresponse()
        except (OSError, http.client.HTTPException) as lost:
            self.drop()
            lost.used, lost.reached = used, reached
            raise
        except BaseException:
            self.drop()
            raise
        if refused:
            reply.close_after = True
        return reply

    @staticmethod
    def _send_body(connection, body, sent):
        """Send the body. False: the daemon closed before it had read all; its reply says why."""
        done = 0
        try:
            for piece in body.pieces():
                if body.size is None and piece:
                    piece = b"%x\r\n%b\r\n" % (len(piece), piece)
                connection.send(piece)
                done += len(piece)
                sent(done)
            if body.size is None:
                connection.send(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            return False
        return True


def _header_token(token):
    token = (token if token is not None else os.environ.get("APSPD_TOKEN", "")).strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("this is no token of apspd")  # the message does not show it
    return {"Authorization": "Bearer " + token} if token else {}


class Client:
    """A client of one daemon; connect() makes one.

    It waits at most patience seconds for a daemon that is busy or restarts, and without
    limit for tables that are being computed. With patience=0 it waits for nothing.
    """

    def __init__(self, url=None, token=None, *, patience=60, timeout=120):
        url = url or os.environ.get("APSPD_URL")
        self._link = _Link(url or "http://localhost:8080", timeout)
        self._elsewhere = "" if url else "; APSPD_URL or apspd.connect(url) names another daemon"
        self._token = _header_token(token)
        self.patience = patience
        self._met = False

    def __repr__(self):
        return f"<apspd at {self._link.name}>"

    def close(self):
        """Close this thread's connection; the next question opens another."""
        self._link.drop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Requests.

    def _ask(self, method, path, query=None, body=None, headers=None, sent=None, lost=False):
        """Return the head of a good reply, after as many tries as patience allows.

        lost: the connection broke during the answer to an earlier try, which may have
        done its work. Returns None if there is then nothing left to delete.
        """
        pairs = [(name, _text(value)) for name, values in (query or {}).items()
                 for value in _many(values) if value is not None] if query else []
        target = path + ("?" + urllib.parse.urlencode(pairs) if pairs else "")
        headers = {**self._token, "Accept": "application/json", **(headers or {})}
        if body:
            headers["Content-Type"] = body.media
        end, pause, jobs = time.monotonic() + self.patience, 0.1, set()
        if method == "DELETE" or "If-Match" in headers or "If-None-Match" in headers:
            # a kept connection that has ended would look like a lost answer
            self._link.drop()
        while True:
            try:
                reply = self._link.send(method, target, headers, body, sent or (lambda n: None))
                problem = None if reply.status < 300 else self._refusal(reply)
            except (OSError, http.client.HTTPException) as broken:
                # try again at once on a new connection if a kept one has ended; later if the
                # daemon has answered before, because it may be restarting
                fresh = not getattr(broken, "used", False)
                if fresh and (not self._met or time.monotonic() + pause > end):
                    raise Unreachable(
                        f"no apspd answers at {self._link.name}: "
                        f"{broken or type(broken).__name__}{self._elsewhere}") from broken
                lost = lost or getattr(broken, "reached", False)
                time.sleep(pause if fresh else 0)
                pause = min(2 * pause, 2)
                continue
            self._met = self._met or reply.status not in (502, 504)
            if not problem:
                return reply
            if lost and method == "DELETE" and problem.type in _NOTHING_LEFT:
                return None
            if lost and reply.status == 412 and method not in ("GET", "POST"):
                problem.add("the answer to an earlier try was lost, and it may have done this")
            lost = lost or reply.status in (502, 504)  # from a proxy: the daemon broke off
            end = self._wait_after(problem, end, jobs)

    def _refusal(self, reply):
        problem = _problem(reply.status, reply.read())
        if reply.status < 400:
            problem = BadRequest(reply.status, {"detail": f"{self._link.name} redirects to "
                                                f"{reply.headers.get('Location')}"})
        after = reply.headers.get("Retry-After", "")
        problem.retry_after = int(after) if after.isdigit() else None
        if reply.status in (502, 504) and self._met:
            problem.retry_after = 1  # a proxy whose daemon may be restarting
        if getattr(reply, "close_after", False):
            self._link.drop()
        return problem

    def _wait_after(self, problem, end, jobs):
        """Wait as the problem says, or raise it. end is the time when patience ends.

        jobs: the jobs for which this question has waited.
        """
        coming = problem.type == "revision-differs"  # the asked upload is coming if a job is named
        job = problem.body.get("job") if coming or problem.type == "not-ready" else None
        if self.patience > 0 and job and job not in jobs:
            jobs.add(job)
            self.wait(job, check=coming)
            return time.monotonic() + self.patience
        if problem.retry_after is None or time.monotonic() + problem.retry_after > end:
            raise problem
        time.sleep(problem.retry_after)
        return end

    def _read(self, method, path, query=None, body=None, headers=None, sent=None):
        """The whole body of a reply, asked for again if the connection breaks."""
        for last in (False, True):
            reply = self._ask(method, path, query, body, headers, sent, lost=last)
            try:
                return reply.read() if reply else b""
            except (OSError, http.client.HTTPException) as lost:
                self._link.drop()
                if last or self.patience <= 0:
                    raise Unreachable(f"the answer of {self._link.name} broke off") from lost

    def _json(self, method, path, query=None, body=None, **more):
        if body is not None and not isinstance(body, _Body):
            body = _json_body(body)
        text = self._read(method, path, query, body, **more)
        try:
            return _answers(json.loads(text)) if text else Answer()
        except ValueError:
            raise Unreachable(f"what answers at {self._link.name} is no apspd: "
                              f"{text[:80]!r}") from None

    def _csv(self, method, path, query=None, body=None, read=_columns):
        if body is not None:
            body = _json_body(body)
        text = self._read(method, path, {**(query or {}), "format": "csv"}, body,
                          {"Accept": "text/csv"})
        return read(text)

    # Graphs.

    def put(self, data, name, *, wait=True, labels=None, weight="weight", progress=None,
            only_if=None, **options):
        """Upload a graph, wait until questions about it can be answered, and return the Graph.

        The Graph insists on this upload: if another one replaces it, questions raise
        RevisionDiffers, so that all answers are about these data. So do changes, such as
        set_attributes() and delete(). Other profiles of the graph may still be computed;
        questions about them wait.

        data: a path, a file or bytes of any format that the daemon reads; a
        pandas.DataFrame, with a row for each arc (the columns from, to, weight by
        any of the names that README lists, or two columns with other names; the named levels
        of its index are columns) or with the vertices as rows and columns; a
        square NumPy array or SciPy sparse matrix, whose vertices are numbered from 0
        unless labels names them; an array or a list of (from, to, weight), where labels
        lists all vertices in their order; a networkx graph, whose edges have their
        weight in the attribute that the argument weight names. An edge without the attribute
        "weight" has weight 1; an attribute of another name must be on all edges. A warning lists
        all other attributes, which are not stored.

        options are those of the upload: transform="inv" for strengths such as counts of
        synapses, "none" for lengths, "hops" to count arcs; duplicates, min_weight,
        normalise, min_share, normalise_by, without, invalid, precision, algorithm,
        measures, tables, from_column, ... A stored graph keeps its rule: omit these options or repeat
        them. Another rule raises RuleDiffers; default_rule="replace" changes the rule for
        everybody. weight_unit="synapses": the unit of the weights, which set_unit() changes.

        Zeros of arrays and matrices are no arcs. In a DataFrame with the vertices as rows and
        columns, missing values are no arcs, either. Uploading the same data with the same
        options again costs nothing. only_if: a revision; the graph is replaced only if it has
        this revision, or with "new" only if it does not exist. wait=False returns as soon
        as the upload is accepted. The Graph's receipt says how the data were read.
        """
        body = _body_of(data, labels, weight)
        bar = _Bar(name, progress)

        def sent(n):
            bar.show("upload", min(n / body.size, 1) if body.size else None)
        return self._put(name, {**body.query, **_rule(options)}, body, only_if, wait, bar, sent)

    def derive(self, name, of, *, by=None, match=None, wait=True, progress=None, only_if=None,
               **options):
        """Make a graph from the stored graph `of`, wait as put() does, and return the Graph.

        by="type": the vertices are the values of this attribute, and the weights of all arcs
        between the vertices of two values are added. match={"side": "L"}: the vertices that
        match, with the arcs between them and their attributes. The rule of a new graph is that
        of its origin, or its transform for sums; options are those of put(). The graph's
        record() names the origin in derived_from; the graph does not follow it.
        """
        origin = {"of": of.name, "revision": of._revision} if isinstance(of, Graph) else {"of": of}
        query = {**origin, "by": by, "match": _match(match) or None, **_rule(options)}
        return self._put(name, query, None, only_if, wait, _Bar(name, progress))

    def _put(self, name, query, body, only_if, wait, bar, sent=None):
        headers = {} if not only_if else \
            {"If-None-Match": "*"} if only_if == "new" else {"If-Match": f'"{only_if}"'}
        try:
            receipt = self._json("PUT", f"/v1/graphs/{_part(name)}", query, body,
                                 headers=headers, sent=sent)
            for warning in receipt.get("warnings") or ():
                warnings.warn(warning, UploadWarning, stacklevel=_outside())
            if wait and receipt.get("job"):
                self._wait(receipt.job, bar)
        finally:
            bar.end()
        return Graph(self, name, None, receipt.revision, receipt)

    def load(self, file, name=None, *, prove=None, **options):
        """Upload a bundle that Graph.save() has written, and return the Graph as put() does.

        Without a name, the graph gets the name that it had. Without prove, the tables in the
        file are not sent; the daemon computes them again. prove="all" and prove="seed" send
        them, which needs a token with the scope admin: the daemon proves every row, or every
        cell by its predecessor and rows that it draws. If a table is refused, JobFailed says
        why. Other profiles of the bundle may still be computed; questions about them wait.
        options: wait, progress, only_if and default_rule, as for put().
        """
        body, saved = _bundle_body(file, prove is not None)
        options["tables" if prove is None else "prove"] = prove or "recompute"
        return self.put(body, name or saved, **options)

    def graph(self, name, profile=None, revision=None):
        """A stored graph. No request is sent yet.

        With a revision, the Graph insists on this upload; else it accepts any.
        """
        return Graph(self, name, profile, revision)

    def graphs(self):
        """The record of each graph."""
        return list(self._pages("/v1/graphs", "graphs"))

    def _pages(self, path, member, **query):
        while True:
            page = self._json("GET", path, query)
            yield from page[member]
            if page.next is None:
                return
            query["cursor"] = page.next

    # Jobs, and the daemon itself.

    def jobs(self, *, state=None, graph=None):
        """The records of jobs, the newest first; only those with this state and of this graph."""
        return [job for job in self._pages("/v1/jobs", "jobs")
                if state in (None, job.state) and graph in (None, job.graph)]

    def job(self, job):
        return self._json("GET", f"/v1/jobs/{_part(job)}")

    def cancel(self, job):
        return self._json("DELETE", f"/v1/jobs/{_part(job)}")

    def wait(self, job, *, progress=None, check=True):
        """Wait for a job, and return its record; JobFailed if it did not succeed.

        If the daemon restarts meanwhile, it continues its jobs, and this continues to wait.
        """
        bar = _Bar(f"job {job}", progress)
        try:
            return self._wait(job, bar, check)
        finally:
            bar.end()

    def _wait(self, job, bar, check=True):
        query = {}
        while True:
            record = self._json("GET", f"/v1/jobs/{_part(job)}", query)
            bar.show(record.phase or record.state, record.progress, record.eta_s)
            if record.state not in ("queued", "running"):
                break
            query = {"wait": _BAR_WAIT_S, "progress": 1} if bar.seen else {"wait": _WAIT_S}
        if check and record.state != "succeeded":
            raise (JobCancelled if record.state == "cancelled" else JobFailed)(record)
        return record

    def info(self):
        """Version, algorithms, formats, limits and device of the daemon."""
        return self._json("GET", "/v1/info")

    def devices(self):
        return self._json("GET", "/v1/devices")

    def estimate(self, **what):
        """Time, memory and disk of tables: vertices=3013, arcs=111243, transform="inv"."""
        return self._json("POST", "/v1/estimate", None, _rule(what))


def _outside():
    """How many frames up the caller of this file is, for warnings."""
    depth, frame = 1, sys._getframe(1)
    while frame and frame.f_globals is globals():
        depth, frame = depth + 1, frame.f_back
    return depth


class Graph:
    """A graph of a daemon, under one profile: one rule from weights to lengths.

    A Graph from put() or at() insists on one upload; see RevisionDiffers.
    """

    def __init__(self, client, name, profile=None, revision=None, receipt=None):
        self.client = client
        self.name = name
        self.profile_name = profile
        self._revision = revision
        self.receipt = receipt
        self._path = f"/v1/graphs/{_part(name)}"

    def __repr__(self):
        profile = f", profile '{self.profile_name}'" if self.profile_name else ""
        return f"<graph '{self.name}'{profile} of {self.client!r}>"

    def _query(self, **query):
        known = {"profile": self.profile_name, "revision": self._revision, **query}
        return {name: value for name, value in known.items() if value is not None}

    def at(self, revision):
        """The same graph, insisting on a revision; g.at(g.revision) insists on the present one."""
        return Graph(self.client, self.name, self.profile_name, revision, self.receipt)

    def _of_one_upload(self, ask):
        """Call ask(graph) with one upload's graph, and again if the upload is replaced."""
        if self._revision:
            return ask(self)
        for _ in range(5):
            page = self.client._json("GET", self._path + "/vertices", {"limit": 1})
            with contextlib.suppress(RevisionDiffers):
                return ask(self.at(page.revision))
        raise Error(f"graph '{self.name}' is replaced all the time")

    def _of_one_rule(self, ask):
        """Call ask(), and again if the tables of the profile are replaced meanwhile."""
        for _ in range(5):
            table = self._profile_record().table
            found = ask()
            if self._profile_record().table == table:
                return found
        raise Error(f"the rule of graph '{self.name}' is replaced all the time")

    def _profile_record(self):
        return self.client._json(
            "GET", f"{self._path}/profiles/{_part(self.profile_name or 'default')}")

    # Paths.

    def path(self, start, end, *, ties=False, k=None, avoid=None, hops=None, **options):
        """The shortest path: its distance, hops (how many arcs it has), path (the vertices)
        and arcs. It is shortest by length: another path may have fewer arcs.

        If there is no path, reachable is False and path is None or missing. ties=True asks
        for all shortest paths, as a graph; k=10 for the ten shortest; avoid="v", ("a", "b")
        or a list of these for the shortest path without this vertex or this arc; hops=3 for
        the shortest walk of exactly three arcs, hops="..3" for a path of at most three.

        A profile with path="widest" has widest paths: width is the least weight on the path,
        and takes the place of distance. avoid and hops work, ties and k do not.
        """
        avoided = [avoid] if isinstance(avoid, tuple) else _many(avoid)
        arcs = [*(_many(options.pop("avoid_arc", None)) or ()),
                *(f"{v[0]}>{v[1]}" for v in avoided if isinstance(v, tuple))]
        return self.client._json("GET", self._path + "/path", self._query(**{
            "from": start, "to": end, "ties": "all" if ties else None, "k": k,
            "avoid": [str(v) for v in avoided if not isinstance(v, tuple)] or None,
            "avoid_arc": arcs or None, "hops": hops, **options}))

    def paths(self, pairs=None, *, sources=None, targets=None, values=None, check=True):
        """An answer for each (from, to), in their order: pandas.DataFrame() accepts them.

        pairs: a list of (from, to), or a DataFrame, whose pairs are in the columns from and to,
        or else in the first two. In place of pairs: sources and targets, as in table(), but one
        of them at least; each source with each target.

        values, some of "distance", "hops" and "path", asks for a table instead: a DataFrame
        with a row for each pair, or without pandas a dict of columns. If there is no path,
        distance and hops are inf, and path is None. Widest paths have "width" in place of
        "distance": 0 if there is no path, and inf from a vertex to itself.

        A pair with an unknown vertex raises, unless check=False, which puts the
        exception in its place, or the reason in the column problem of the table.
        """
        if pairs is None:
            return self._path_batches([_sets(sources, targets)], values, check)
        if sources is not None or targets is not None:
            raise ValueError("expected either pairs, or sources and targets")
        if hasattr(pairs, "columns"):
            names = list(pairs.columns)
            ends = ("from", "to") if {"from", "to"} <= set(names) else names[:2]
            pairs = zip(*(pairs[name] for name in ends))
        pairs = list(pairs)
        if len(pairs) > _PAIRS:
            return self._of_one_upload(lambda graph: graph._of_one_rule(
                lambda: graph._paths(pairs, values, check)))
        return self._paths(pairs, values, check)

    def _paths(self, pairs, values, check):
        batches = [{"pairs": [[str(u), str(v)] for u, v in pairs[at:at + _PAIRS]]}
                   for at in range(0, len(pairs), _PAIRS)]
        return self._path_batches(batches, values, check)

    def _path_batches(self, batches, values, check):
        if values is not None:
            return self._path_table(batches or [{"pairs": []}], values, check)
        found = []
        for number, batch in enumerate(batches):
            answer = self.client._json("POST", self._path + "/paths", self._query(), batch)
            for one in answer.paths:
                if "status" in one and "type" in one:
                    for name in {"detail", "pointer"}.intersection(one):
                        one[name] = _in_list(one[name], number)
                    one = _problem(one.status, json.dumps(one).encode())
                    if check:
                        raise one
                found.append(one)
        return found

    def _path_table(self, batches, values, check):
        parts = [self.client._csv(
            "POST", self._path + "/paths", self._query(values=_joined(values)), batch)
            for batch in batches]
        for number, part in enumerate(parts):
            part["problem"] = [_in_list(problem, number) for problem in part["problem"]]
        found = _joined_columns(parts)
        if check:
            for problem in filter(None, found.pop("problem")):
                raise UnknownVertex(422, {"type": "/problems/unknown-vertex",
                                          "title": "Unknown vertex", "detail": problem})
        return _frame(found)

    def reachable(self, start, end, *, min_width=None):
        """Whether there is a path; with min_width, whether there is one whose weights are all
        at least min_width (of a profile with path="widest")."""
        return self.client._json("GET", self._path + "/reachable", self._query(
            **{"from": start, "to": end, "min_width": min_width})).reachable

    # Many pairs.

    def distances(self, vertex=None, *, direction="out", values=None, **filters):
        """Distances from a vertex to all others, or with direction="in" from all others to it.

        A Series by vertex, or a DataFrame where values has several names (distance,
        hops, predecessor, reachable); without pandas a dict of columns. filters:
        nearest=10, max_distance=0.5, reachable=True. Without a vertex: all pairs.

        A profile with path="widest" has widths in place of distances (values: width,
        reachable; filters: min_width=5, and nearest, the widest first).
        """
        if vertex is None:
            return self.table(values=values, **filters)
        columns = self.client._csv("GET", f"{self._path}/vertices/{_part(vertex)}/distances",
                                   self._query(direction=direction, values=_joined(values),
                                               **filters))
        names = [name for name in columns if name not in ("vertex", "left_out")]
        frame = _frame(columns, "vertex")
        return frame if pd is None or len(names) > 1 else frame[names[0]]

    def table(self, sources=None, targets=None, *, values=None, match=None,
              layout=None, **filters):
        """A table of sources by targets; None stands for all vertices.

        sources and targets are labels, or conditions: {"type": ["KC", "MBON"], "side": "L"}.
        One value: a DataFrame with sources as rows and targets as columns; no path is
        inf, no predecessor None. Several values, layout="long", or filters (nearest=10,
        max_distance=0.5, reachable=False): a row for each pair; if the rule of the profile
        leaves out vertices, left_out says which ends of the pair: "from", "to", "from to" or
        None. Without pandas: an array, or a dict of columns.

        The value is the distance unless values says otherwise. A profile with path="widest"
        has the width in its place: 0 if there is no path, and inf from a vertex to itself, so
        table() >= 5 says which pairs stay connected by arcs of at least 5.
        """
        if values is None and filters.get("reachable") is False:
            # without values, pairs without a path would have none
            values = "width" if self._is_widest() else "distance"
        names = _many(values)
        body = _sets(sources, targets)
        query = {"values": _joined(names), "match": _match(match) or None, **filters}
        if len(names) > 1 or layout == "long" or filters:
            return _frame(self.client._csv("POST", self._path + "/table",
                                           self._query(**query, layout="long"), body))
        chosen = any(isinstance(one, dict) for one in body.values())
        if match is not None or chosen or names == ["predecessor"]:
            return self._labelled_table(self._query(**query), body)

        def frame(graph):
            array = graph._array("POST", "/table", graph._query(**query), body)
            if pd is None:
                return array
            labels = graph._labels() if len(body) < 2 else None
            return pd.DataFrame(array, index=body.get("sources", labels),
                                columns=body.get("targets", labels))
        return frame(self) if len(body) == 2 or pd is None else self._of_one_upload(frame)

    def _is_widest(self):
        """Whether the tables that answer have widths."""
        profile = self._profile_record()
        return (profile.served or profile).path == "widest"

    def _labelled_table(self, query, body):
        """A wide table from CSV, because an array has no labels of columns."""
        values, rows, columns = self.client._csv(
            "POST", self._path + "/table", query, body,
            read=lambda text: _wide(text, query.get("values")))
        return values if pd is None else pd.DataFrame(values, rows, columns)

    def matrix(self, name="distance"):
        """All pairs: values, a NumPy array in the order of labels, and labels.

        distance and hops are inf, predecessor is -1 where there is no path; a
        predecessor is an index of labels; closure is bool. width, of a profile with
        path="widest", is 0 where there is no path, and inf from a vertex to itself.
        """
        return self._of_one_upload(lambda graph: Matrix(
            graph._array("GET", f"/matrices/{_part(name)}", graph._query()), graph._labels()))

    def _labels(self):
        return list(self.client._pages(self._path + "/vertices", "vertices",
                                       **self._query(limit=10_000)))

    def _array(self, method, path, query, body=None):
        """A .npy answer, read into the array's own memory."""
        if body is not None:
            body = _json_body(body)
        for last in (False, True):
            reply = self.client._ask(method, self._path + path, query, body,
                                     {"Accept": "application/x-npy"})
            try:
                return _array_read(reply)
            except (OSError, http.client.HTTPException) as lost:
                self.client._link.drop()
                if last:
                    raise Unreachable("the array's answer broke off") from lost

    def download(self, what, file, *, progress=None, **query):
        """Save a matrix (.npy), "arcs" (CSV, or format="mtx") or "attributes" to a file.

        It is written piece by piece under another name and then renamed. If the
        connection breaks, a matrix continues where it stopped.
        """
        listed = what in ("arcs", "attributes")  # these do not depend on the profile
        place = what if listed else f"matrices/{_part(what)}"
        query = {"format": "csv", "revision": self._revision, **query} if listed \
            else self._query(**query)
        self._to_file(what, place, query, file, progress)

    def save(self, file, *, profile=None, tables=True, progress=None):
        """Save the graph as one file, a bundle: a tar archive of its arcs, labels, attributes,
        the rules of its profiles, and the tables from which the profiles answer.

        profile: only the tables of this profile. tables=False: no tables. The same content
        gives the same bytes. If the connection breaks, the file continues where it stopped.
        """
        query = {"revision": self._revision, "profile": profile,
                 "tables": None if tables else "none"}
        self._to_file("bundle", "bundle", query, file, progress)

    def _to_file(self, what, place, query, file, progress):
        part = f"{os.fspath(file)}.part"
        bar = _Bar(f"{self.name} {what}", progress)
        try:
            with open(part, "wb") as out:
                self._receive(f"{self._path}/{place}", query, out, bar)
            os.replace(part, file)
        finally:
            bar.end()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)

    def _receive(self, path, query, out, bar):
        headers, breaks = {"Accept": "*/*"}, 0
        while True:
            reply = self.client._ask("GET", path, query, None, headers)
            if reply.status != 206:
                out.seek(0)
                out.truncate()
            begin = out.tell()
            size = begin + reply.length if reply.length is not None else None
            try:
                for piece in iter(lambda: reply.read(_PIECE), b""):
                    out.write(piece)
                    bar.show("download", out.tell() / size if size else None)
                if size is None or out.tell() == size:
                    return
                raise http.client.IncompleteRead(b"")
            except (OSError, http.client.HTTPException) as lost:
                self.client._link.drop()
                breaks = 0 if out.tell() > begin else breaks + 1
                if breaks > 1:
                    raise Unreachable("the download broke off") from lost
                if reply.headers.get("Accept-Ranges") == "bytes":
                    headers.update({"Range": f"bytes={out.tell()}-",
                                    "If-Range": reply.headers["ETag"]})

    def reach(self, vertex, *, direction="out", max_hops=None, max_distance=None,
              min_width=None, match=None, values=None):
        """The labels of the vertices that a vertex reaches, or with direction="in" that reach it.

        max_hops limits the arcs, max_distance the distance, min_width the width (of a profile
        with path="widest"). With values ("distance", "hops"; "width") a DataFrame by vertex; with max_hops it also has steps, the least number
        of arcs; hops is the number of arcs of the path that is shortest by length, and may be
        larger.
        """
        columns = self.client._csv(
            "GET", f"{self._path}/vertices/{_part(vertex)}/reachable", self._query(
                direction=direction, max_hops=max_hops, max_distance=max_distance,
                min_width=min_width, match=_match(match) or None, values=_joined(values)))
        return _frame(columns, "vertex") if values is not None else list(columns["vertex"])

    def reached(self, sources=None, targets=None, *, direction="out", max_hops=None,
                max_distance=None, min_width=None, values=None):
        """What a set of vertices reaches: a DataFrame by vertex with steps, the fewest arcs.

        sources and targets are labels, or conditions: {"type": ["KC", "MBON"], "side": "L"};
        None stands for all vertices, but sources are required, or with direction="in" targets.
        The rows are the targets that some source reaches, or with direction="in" the sources
        that reach some target. max_hops limits the arcs,
        max_distance the distance. With values="distance" or max_distance the columns distance
        (the least of the set) and nearest (the vertex of the set that has it) are added. A
        profile with path="widest" has min_width, and width and widest (the vertex of the set
        with the greatest width).
        """
        body = {**_sets(sources, targets), "direction": direction}
        for name, value in (("max_hops", max_hops), ("max_distance", max_distance),
                            ("min_width", min_width)):
            if value is not None:
                body[name] = value
        if values is not None:
            body["values"] = _many(values)
        columns = self.client._csv("POST", self._path + "/reachable", self._query(), body)
        if "left_out" in columns:  # 0 or 1, because it is about one vertex
            columns["left_out"] = _cells("reachable", columns["left_out"])
        return _frame(columns, "vertex")

    # Vertices, their attributes, and arcs.

    @property
    def vertices(self):
        """The labels of all vertices in index order."""
        return self._of_one_upload(Graph._labels)

    def search(self, text="", *, limit=100, match=None):
        """Labels that contain text, the best matches first; only vertices that match."""
        return self.client._json("GET", self._path + "/vertices", self._query(
            q=text or None, limit=limit, match=_match(match) or None)).vertices

    def vertex(self, vertex):
        """Degrees, strengths, component and attributes of one vertex."""
        return self.client._json("GET", f"{self._path}/vertices/{_part(vertex)}",
                                 self._query())

    def inputs(self, vertex, *, sort="weight", limit=None):
        """The arcs into a vertex, the strongest first: a DataFrame of from, to, weight, length
        and the attributes of the vertices in from.

        The arcs are those of the profile: merged, without those that its rule drops. sort="length"
        has the least length first, sort="width" the greatest width (of a profile with
        path="widest"), sort=None the order of the vertices. limit=20: only the first 20 arcs.
        """
        return self._arcs_of(vertex, "in", sort, limit)

    def outputs(self, vertex, *, sort="weight", limit=None):
        """The arcs out of a vertex, as inputs(), with the attributes of the vertices in to."""
        return self._arcs_of(vertex, "out", sort, limit)

    def _arcs_of(self, vertex, direction, sort, limit):
        return self._profile_arcs(f"/vertices/{_part(vertex)}/arcs", direction=direction,
                                  sort=sort, limit=limit)

    def _profile_arcs(self, path, **options):
        text = self.client._read("GET", self._path + path, self._query(**options, format="csv"),
                                 headers={"Accept": "text/csv"})
        names, columns = _texts(text)
        columns[2:4] = [_cells(name, cells) for name, cells in zip(names[2:4], columns[2:4])]
        return _frame(dict(zip(names, columns)))

    def arcs(self, *, sort=None, limit=None):
        """The arcs as they were uploaded: from, to, weight.

        With sort="weight", "length" or "width": the arcs of the profile in this order, as
        inputs(), with the attributes of both ends, such as from_type and to_type. limit=20: only
        the first 20 arcs.
        """
        if sort:
            return self._profile_arcs("/arcs", sort=sort, limit=limit)
        if limit:
            raise ValueError("limit needs sort, such as sort=\"weight\"")
        return _frame(self.client._csv("GET", self._path + "/arcs",
                                       {"revision": self._revision}))

    def set_attributes(self, data):
        """Store attributes of the vertices: a DataFrame or a CSV with a row for each label.

        The column `label` or, if there is none, the first column names the vertex. The named
        levels of a DataFrame's index are its first columns, and so is an index of texts
        without a name; an index of numbers without a name is ignored.
        """
        if hasattr(data, "to_csv"):
            data = _levels_as_columns(data)
            index = data.index
            named = "label" not in data.columns and (
                index.name is not None or index.dtype.kind not in "iu")
            # texts have quotes, so that a label that begins with # is no comment
            text = data.to_csv(None, index=named, index_label="label" if named else None,
                               quoting=csv.QUOTE_NONNUMERIC)
            body = _bytes_body(text.encode(), "text/csv")
        else:
            body = _body_of(data, None, None)
            body.media = "text/csv"
        return self.client._json("PUT", self._path + "/attributes",
                                 {"revision": self._revision}, body)

    def attributes(self, *, match=None):
        """The attributes of the vertices by label, all as texts; only of vertices that match."""
        chosen = _match(match) or None
        text = self.client._read("GET", self._path + ("/vertices" if chosen else "/attributes"),
                                 {"format": "csv", "revision": self._revision, "match": chosen},
                                 headers={"Accept": "text/csv"})
        names, columns = _texts(text)
        if chosen:  # there, the labels have the name vertex, and an attribute vertex has a prefix
            names = [re.sub("^attribute_((attribute_)*vertex)$", r"\1", name) for name in names]
        return _frame(dict(zip(["label", *names[1:]], columns)), "label")

    def groups(self, attribute, targets=None, *, sources=None, match=None, empty=True):
        """Distances between all values of an attribute, a row for each pair of values.

            groups("type")                                      from types to types
            groups("type", "side")                              from types to sides
            groups("type", sources={"side": "L"}, targets=["29"])   from types to types; only
                        these vertices count as the first, and these as the last of a pair
            groups("type", match={"side": "L"})                 both ends are such vertices;
            groups("type", "side", match={"side": "L"})         not beside other conditions

        A set of vertices is a list of labels or conditions. Sets are combined with one attribute
        only, not with two. With empty=False, pairs of values without a pair of vertices have no row.
        """
        if isinstance(targets, str):
            if sources is not None:
                raise ValueError(
                    f"targets={targets!r} is an attribute, which is not combined with sources as a "
                    'set of vertices: expected groups("type", sources=set, targets=set) with sets '
                    'such as {"side": "L"}, or groups("type", "side")')
            body = {"sources": attribute, "targets": targets}
        else:
            body = {"attribute": attribute, **_sets(sources, targets)}
        rows = self.client._json("POST", self._path + "/groups",
                                 self._query(match=_match(match) or None,
                                             empty=None if empty else False), body).groups
        return _rows_frame(rows, rows[0] if rows else
                           ["from", "to", "pairs", "reachable", "share", "mean"])

    def compare(self, other, *, key=None, by=None, top=None, bins=None, tolerance=None):
        """What differs from other, a Graph or the name of another profile of this graph.

        Vertices with the same label are matched, or with key="type" those of the same type;
        then the means of their distances are compared. by="type" groups the pairs. The
        answer has the counts of pairs that are lost (a path in other only), gained, longer,
        shorter and equal, the sums and means of differences, and a histogram; changes and
        groups are DataFrames with the pairs, and the pairs of groups, that change most, at most
        top of each change. No path is inf. comparable says whether lengths by the two rules
        can be compared, and why_not why they cannot. Of two profiles with path="widest", the
        widths are compared: pairs are wider or narrower, and no path is 0.
        """
        body = {"with": self._names_of(other), "key": key, "by": by, "top": top, "bins": bins,
                "tolerance": tolerance}
        answer = self.client._json("POST", self._path + "/compare", self._query(), {
            name: value for name, value in body.items() if value is not None})
        answer["changes"] = _changes(answer["changes"], "wider" in answer["counts"])
        if answer["groups"] is not None:
            answer["groups"] = _rows_frame(
                answer["groups"], ["change", "from", "to", *answer["counts"], "mean_difference"])
        return answer

    def changed_pairs(self, other, *, key=None, tolerance=None):
        """All pairs that differ from other: a DataFrame of change, from, to, distance,
        with_distance and difference, in the order of the vertices.

        other, key and tolerance are as in compare(), whose counts say how many rows there are:
        lost, gained, longer and shorter together.
        """
        body = {"with": self._names_of(other), "key": key, "tolerance": tolerance}
        return _frame(self.client._csv("POST", self._path + "/compare", self._query(part="all"), {
            name: value for name, value in body.items() if value is not None}))

    def _names_of(self, other):
        """The names of the tables of other, a Graph or the name of a profile of this graph."""
        if isinstance(other, Graph):
            if other.client._link.name != self.client._link.name:
                raise ValueError(f"{other!r} is a graph of another daemon")
            names = {"graph": other.name, "profile": other.profile_name,
                     "revision": other._revision}
        else:
            names = {"profile": other}
        return {name: value for name, value in names.items() if value is not None}

    def circuit(self, sources=None, targets=None, *, slack=None, within=None, hops=None,
                tolerance=None, by=None, max_arcs=None):
        """All arcs on walks from sources to targets within a bound: a Circuit.

        sources and targets are labels, or conditions: {"type": ["KC", "MBON"]}; None stands for
        all vertices. slack=0.1: walks at most a tenth longer than the shortest path of the pair;
        within=3.5: at most so long; hops="4" or hops="..4": of exactly, of at most 4 arcs. Without
        a bound: shortest paths. by="type": the values of an attribute in place of vertices. If
        there are more than max_arcs arcs (10000 by default), TooManyArcs is raised.

            larva.circuit({"type": "tPN"}, {"type": "MBIN"}, slack=0.1).save("circuit.graphml")
        """
        bound = {"slack": slack, "within": within, "hops": hops if hops is None else str(hops),
                 "tolerance": tolerance, "by": by, "max_arcs": max_arcs}
        body = {**_sets(sources, targets),
                **{name: value for name, value in bound.items() if value is not None}}
        answer = self.client._json("POST", self._path + "/circuit", self._query(), body)
        if answer.truncated:
            raise TooManyArcs(answer.n_arcs, answer.question.max_arcs, answer.fits)
        return Circuit(self, answer)

    def stats(self, *, vertices=False, bins=None, sort=None, limit=None):
        """Path lengths, efficiency, diameter, components, histograms; or a row for each vertex.

        bins is the largest number of bins of a histogram; vertices=True excludes it. The rows
        have the attributes of the vertices. sort="betweenness" has the greatest value first,
        limit=20 only the first 20 rows; both need vertices=True.
        """
        path, query = self._path + "/stats", self._query(bins=bins, sort=sort, limit=limit)
        if not vertices:
            return self.client._json("GET", path, query)
        names, columns = _texts(self.client._read(
            "GET", path, {**query, "vertices": 1, "format": "csv"}, headers={"Accept": "text/csv"}))
        own = sum(name in _STATISTICS for name in names) + 1
        columns[:own] = [_cells(name, cells) for name, cells in zip(names, columns[:own])]
        return _frame(dict(zip(names, columns)), "vertex")

    # The graph's record, and other rules over it.

    def record(self):
        """Revision, sizes, attributes and profiles, as they are now."""
        return self.client._json("GET", self._path)

    @property
    def revision(self):
        """The revision that this Graph insists on, or else the one that answers now."""
        return self._revision or self.record().revision

    def profile(self, name):
        """The same graph under another profile. No request is sent yet."""
        return Graph(self.client, self.name, name, self._revision)

    def put_profile(self, profile, *, wait=True, progress=None, default_rule=None, **rule):
        """Make a profile, such as transform="hops", wait for its tables, and return its Graph.

        A lesion: graph.put_profile("lesion", transform="log", normalise="input",
        without={"type": "KC"}). If no vertex has such a value, BadData is raised; if the
        graph has no attributes yet, an UploadWarning says so. Another rule for "default"
        needs default_rule="replace".
        """
        receipt = self.client._json(
            "PUT", f"{self._path}/profiles/{_part(profile)}",
            {"default_rule": default_rule, "revision": self._revision}, _rule(rule))
        for warning in receipt.get("warnings") or ():
            warnings.warn(warning, UploadWarning, stacklevel=_outside())
        if wait and receipt.get("job"):
            self.client.wait(receipt.job, progress=progress)
        return Graph(self.client, self.name, profile, self._revision or receipt.revision, receipt)

    def delete_profile(self, profile):
        self.client._json("DELETE", f"{self._path}/profiles/{_part(profile)}",
                          {"revision": self._revision})

    def estimate(self, algorithm=None, **rule):
        """Time, memory, disk and algorithm of the profile's tables, or of tables by a rule."""
        query = {"profile": None if rule else self.profile_name, "revision": self._revision,
                 "algorithm": algorithm}
        return self.client._json("POST", self._path + "/estimate", query, _rule(rule) or None)

    def set_unit(self, weight_unit):
        """Set the unit of the weights, such as "synapses"; None removes it.

        record() has it as weight_unit, and the unit of lengths that follows from it as
        length_unit of each profile.
        """
        self.client._json("PATCH", self._path, {"revision": self._revision},
                          {"weight_unit": weight_unit})

    def delete(self):
        """Delete the graph with all its profiles and tables."""
        self.client._json("DELETE", self._path, {"revision": self._revision})


def _rows_frame(rows, names):
    """A frame of rows that are dicts."""
    return _frame({name: [row[name] for row in rows] for name in names})


def _changes(rows, widest):
    """A frame of pairs that changed; no path is the distance inf, or the width 0."""
    value, none = ("width", 0.0) if widest else ("distance", np.inf)
    here, there = (np.array([none if row[name] is None else row[name] for row in rows], float)
                   for name in (value, "with_" + value))
    return _frame({**{name: [row[name] for row in rows] for name in ("change", "from", "to")},
                   value: here, "with_" + value: there, "difference": here - there})


def _array_read(reply):
    magic = _exactly(reply, 10)
    if magic[:6] != b"\x93NUMPY":
        raise http.client.HTTPException("the answer is no NumPy file")
    head = io.BytesIO(magic + _exactly(reply, int.from_bytes(magic[8:10], "little")))
    np.lib.format.read_magic(head)
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(head)
    if dtype.hasobject:
        raise http.client.HTTPException("the answer is no array of numbers")
    out = np.empty(shape, dtype, order="F" if fortran else "C")
    view, at = memoryview(out.reshape(-1).view(np.uint8)) if out.size else b"", 0
    while at < len(view):
        n = reply.readinto(view[at:at + (1 << 20)])
        if not n:
            raise http.client.IncompleteRead(b"")
        at += n
    reply.read()  # the end of a chunked body
    return out


def _exactly(reply, size):
    data = b""
    while len(data) < size:
        piece = reply.read(size - len(data))
        if not piece:
            raise http.client.IncompleteRead(data)
        data += piece
    return data


# The daemon that the environment names.

def connect(url=None, token=None, **options):
    """A Client of the daemon at url; without one, that of APSPD_URL."""
    return Client(url, token, **options)


_default = {}


def _client():
    place = os.environ.get("APSPD_URL"), os.environ.get("APSPD_TOKEN")
    if place not in _default:
        _default.clear()
        _default[place] = Client()
    return _default[place]


def put(data, name, **options):
    """Upload a graph: Client.put() of the daemon that the environment names."""
    return _client().put(data, name, **options)


def load(file, name=None, **options):
    """Upload a bundle: Client.load() of the daemon that the environment names."""
    return _client().load(file, name, **options)


def graph(name, profile=None, revision=None):
    """A stored graph of the daemon that the environment names."""
    return _client().graph(name, profile, revision)


def graphs():
    """The record of each graph of the daemon that the environment names."""
    return _client().graphs()


def info():
    """Version, algorithms, formats, limits and device of the daemon that the environment names."""
    return _client().info()
