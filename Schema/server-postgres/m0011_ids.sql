-- A message is found by its account and its id. By its id alone an operator has one sent again that failed, or that is due, of which there are
-- few; programs that know ten steps look so for a record that they cannot read, too, and then read all messages. Without an entry for each
-- version of each message they are leased and written down faster by a thirteenth.

CREATE INDEX IF NOT EXISTS deliveries_failed ON deliveries (id) WHERE state = 'failed';
DROP INDEX IF EXISTS deliveries_by_id;

-- While a process is alive that knows fewer steps, refreshed tokens are made as it makes them: it may be asked for the same ones again.

UPDATE writer SET serves_older = serves_older OR EXISTS (SELECT 1 FROM processes);

DROP TRIGGER older_came ON processes;
CREATE TRIGGER older_came AFTER INSERT ON processes FOR EACH ROW WHEN (new.steps < 11) EXECUTE FUNCTION serve_older();

CREATE OR REPLACE FUNCTION serve_no_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE writer SET serves_older = false, older_until = version, version = version + 1
  WHERE id = 1 AND serves_older AND NOT EXISTS (SELECT 1 FROM processes WHERE steps < 11);
  RETURN NULL;
END $$;
