-- What is known of a graph's vertices besides their arcs. A set outlives the
-- upload that it came to, and is removed once no generation refers to it.
CREATE TABLE attribute_sets (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	n_columns INTEGER NOT NULL,
	n_rows INTEGER NOT NULL,
	n_bytes INTEGER NOT NULL,
	made_at_ms INTEGER NOT NULL
) STRICT;

-- The stored form of storage/attributes/attributes.h, cut anywhere. Numbered
-- from 0 without gaps.
CREATE TABLE attribute_chunks (
	id INTEGER PRIMARY KEY,
	attribute_set INTEGER NOT NULL REFERENCES attribute_sets (id),
	number INTEGER NOT NULL,
	data BLOB NOT NULL,
	UNIQUE (attribute_set, number)
) STRICT;

ALTER TABLE generations
	ADD COLUMN attributes INTEGER REFERENCES attribute_sets (id);
CREATE INDEX generations_attributes ON generations (attributes)
	WHERE attributes IS NOT NULL;
