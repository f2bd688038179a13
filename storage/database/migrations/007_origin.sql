-- The graph from which the generation was made, its revision then, and what was
-- asked of it, as a JSON object; '' for a generation that was uploaded
-- (storage/derivation.h).
ALTER TABLE generations ADD COLUMN origin_graph TEXT NOT NULL DEFAULT '';
ALTER TABLE generations ADD COLUMN origin_revision TEXT NOT NULL DEFAULT '';
ALTER TABLE generations ADD COLUMN origin_question TEXT NOT NULL DEFAULT '';
