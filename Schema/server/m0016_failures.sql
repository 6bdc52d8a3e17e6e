-- The channels over which a message failed for good and none got through since, one a line: when, the URL, and why.
ALTER TABLE contacts ADD COLUMN failed TEXT NOT NULL DEFAULT '';
