-- Graphs as uploaded, their profiles, the queue, and the records of table files.
--
-- A graph is the set of its live generations, so it has no table of its own:
-- `graph` is set while a generation is pending or current, and at most one
-- generation of a graph is in each of these states.

CREATE TABLE generations (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	graph TEXT,
	state TEXT NOT NULL
		CHECK (state IN ('loading', 'pending', 'current', 'deleting')),
	revision TEXT NOT NULL,
	n_vertices INTEGER NOT NULL,
	n_arcs INTEGER NOT NULL,
	format TEXT NOT NULL,
	uploaded_at_ms INTEGER NOT NULL,
	CHECK ((graph IS NOT NULL) = (state IN ('pending', 'current')))
) STRICT;
CREATE UNIQUE INDEX generations_live ON generations (graph, state)
	WHERE graph IS NOT NULL;
CREATE INDEX generations_state ON generations (state);
CREATE INDEX generations_revision ON generations (revision);

-- 'arcs': struct apsp_arc in input order. 'labels': NUL-terminated, cut between
-- labels. Numbered from 0 without gaps.
CREATE TABLE chunks (
	id INTEGER PRIMARY KEY,
	generation INTEGER NOT NULL REFERENCES generations (id),
	kind TEXT NOT NULL CHECK (kind IN ('arcs', 'labels')),
	number INTEGER NOT NULL,
	data BLOB NOT NULL,
	UNIQUE (generation, kind, number)
) STRICT;

-- One computation. The record outlives its generation. state 'queued' is the
-- queue, in order of id.
CREATE TABLE jobs (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	generation INTEGER NOT NULL,
	graph TEXT NOT NULL,
	profile TEXT NOT NULL,
	revision TEXT NOT NULL,
	rule TEXT NOT NULL,
	hash TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('queued', 'running', 'succeeded', 'failed', 'cancelled')),
	tries INTEGER NOT NULL DEFAULT 0,
	queued_at_ms INTEGER NOT NULL,
	started_at_ms INTEGER NOT NULL DEFAULT 0,
	ended_at_ms INTEGER NOT NULL DEFAULT 0,
	phase TEXT NOT NULL DEFAULT '',
	progress REAL NOT NULL DEFAULT 0,
	algorithm TEXT NOT NULL DEFAULT '',
	device TEXT NOT NULL DEFAULT '',
	element TEXT NOT NULL DEFAULT '',
	error_code TEXT,
	error_message TEXT,
	error_line INTEGER NOT NULL DEFAULT 0,
	error_column INTEGER NOT NULL DEFAULT 0,
	error_cycle BLOB
) STRICT;
CREATE INDEX jobs_active ON jobs (state, id)
	WHERE state IN ('queued', 'running');
CREATE INDEX jobs_graph ON jobs (graph, id);

-- The newest definition and its job (NULL: its tables were there already), and
-- the definition whose tables are served (NULL: none yet). While the job of the
-- newest definition is queued or running, these tables may be missing: they were
-- lost, or another upload of the graph had them.
CREATE TABLE profiles (
	generation INTEGER NOT NULL REFERENCES generations (id),
	name TEXT NOT NULL,
	rule TEXT NOT NULL,
	hash TEXT NOT NULL,
	job INTEGER REFERENCES jobs (id),
	served_rule TEXT,
	served_hash TEXT,
	PRIMARY KEY (generation, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX profiles_job ON profiles (job);

-- The table files; id is the job that made it and the file's name.
CREATE TABLE tables (
	id INTEGER PRIMARY KEY,
	revision TEXT NOT NULL,
	hash TEXT NOT NULL,
	checksum INTEGER NOT NULL,
	made_at_ms INTEGER NOT NULL,
	UNIQUE (revision, hash)
) STRICT;
