-- Why the job's algorithm was chosen, in words.
ALTER TABLE jobs ADD COLUMN plan TEXT NOT NULL DEFAULT '';
