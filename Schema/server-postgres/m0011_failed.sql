-- An operator has a message sent again that failed: it is found by its id alone. The index on the ids of all messages goes in a step of its own:
-- with both locks in one step, it and a server's transaction could wait for each other.

CREATE INDEX IF NOT EXISTS deliveries_failed ON deliveries (id) WHERE state = 'failed';
