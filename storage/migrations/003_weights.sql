-- What is known of the weights of an upload: daemon/base/weights.h.
ALTER TABLE generations ADD COLUMN weights INTEGER NOT NULL DEFAULT 0;
