-- A message that failed, and that an operator has sent again, is found by its id alone. The index on the ids of all messages goes in a step of its
-- own: one that had this lock already would wait for a transaction that waits for it.

CREATE INDEX IF NOT EXISTS deliveries_failed ON deliveries (id) WHERE state = 'failed';
