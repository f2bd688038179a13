-- The set of enum apsp_weights (daemon/base/weights.h) of the uploaded arcs.
ALTER TABLE generations ADD COLUMN weights INTEGER NOT NULL DEFAULT 0;
