-- Where the job's time went (daemon/job/job_stages.h), as text.
ALTER TABLE jobs ADD COLUMN stages TEXT NOT NULL DEFAULT '';

-- 0: the file answers, and a power cut may still take it. It is checked whole
-- at the next start.
ALTER TABLE tables ADD COLUMN durable INTEGER NOT NULL DEFAULT 1;
