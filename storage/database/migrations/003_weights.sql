-- The set of enum apsp_arc_fact (daemon/job/arc_facts.h) of the uploaded arcs.
ALTER TABLE generations ADD COLUMN weights INTEGER NOT NULL DEFAULT 0;
