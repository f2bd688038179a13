-- Decides which rows of the job's tables were walked on the host
-- (compute/tables/README.md, Proof); 0: the job began before there were seeds.
ALTER TABLE jobs ADD COLUMN proof_seed INTEGER NOT NULL DEFAULT 0;
