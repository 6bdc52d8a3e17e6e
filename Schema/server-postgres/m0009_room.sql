-- Room in each page for later versions of a count: where anyone keeps an old state of the database in sight, they then stay beside the first
-- one, and need no entries of their own in the index.

ALTER TABLE kept_counts SET (fillfactor = 10);
