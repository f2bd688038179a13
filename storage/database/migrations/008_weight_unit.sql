-- The unit of the graph's weights, such as 'synapses' (daemon/job/unit.h);
-- '' if it is not known.
ALTER TABLE generations ADD COLUMN weight_unit TEXT NOT NULL DEFAULT '';
