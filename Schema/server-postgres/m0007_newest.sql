-- No row of an account that each of its alerts changes: each version would stay while anyone keeps an old state of the database in sight, and
-- whoever looks for the row would walk through all of them. What changes so often ends the key here, so that the newest is the first that
-- is found from the end; or it is told by rows that are added anyway.
--
-- Programs that know six steps read and write the rows of before. While a process of them is alive, the others write those too. The newest number
-- of a transaction is always in a row that they read.

ALTER TABLE writer ADD COLUMN serves_older boolean NOT NULL DEFAULT false; -- whether a process is alive that knows fewer than seven steps
ALTER TABLE writer ADD COLUMN older_until bigint NOT NULL DEFAULT 0;     -- the number at which the last of them went
ALTER TABLE processes ADD COLUMN steps bigint NOT NULL DEFAULT 6;        -- how many its program knows

UPDATE writer SET serves_older = EXISTS (SELECT 1 FROM processes);

-- The positions in `account_logs` are upper limits now, raised by 64 where the next one would pass them. The newest are those of the newest
-- change and the newest alert. In the place of `account_logs.changed`, a change tells which transaction made it, and of which process.

ALTER TABLE changes ADD COLUMN IF NOT EXISTS changed bigint NOT NULL DEFAULT 0;
ALTER TABLE changes ADD COLUMN changed_by uuid;

-- When each device was heard from last. What `device_contacts` has is older, or of a process of an older program.
CREATE TABLE last_contacts (
  account_id uuid NOT NULL,
  device_id uuid NOT NULL,
  last_contact_at bigint NOT NULL,
  PRIMARY KEY (account_id, device_id, last_contact_at)
) /* by account */;

-- In the place of `alert_buckets`: all are full at first, and programs of before have theirs.
CREATE TABLE alert_levels (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  is_of_alert_key boolean NOT NULL,
  full_at bigint NOT NULL,
  PRIMARY KEY (account_id, session_id, is_of_alert_key, full_at)
) /* by account */;

CREATE INDEX alert_levels_by_time ON alert_levels (full_at);

ALTER TABLE last_contacts ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE alert_levels ALTER COLUMN account_id SET (n_distinct = 100);

-- A process of an older program comes, maybe back: it has been taken for dead. It is told of what was changed meanwhile, of the last 10,000
-- transactions at most, and of when the devices were heard from whose silence it may have to tell.

CREATE FUNCTION serve_older() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  newest bigint;
  known bigint;
BEGIN
  UPDATE writer SET serves_older = true, version = version + 1 WHERE id = 1 RETURNING version, older_until INTO newest, known;
  UPDATE account_logs SET changed = greatest(account_logs.changed, late.changed), changed_by = NULL
  FROM (
    SELECT account_id, max(changed) AS changed FROM changes
    WHERE changed > 0 AND changed > greatest(known, newest - 10000) GROUP BY account_id) AS late
  WHERE account_logs.account_id = late.account_id;
  -- Its user may have been given nothing yet that its program does not know.
  IF NOT has_table_privilege('last_contacts', 'SELECT') THEN RETURN NULL; END IF;
  INSERT INTO device_contacts (account_id, device_id, last_contact_at)
  SELECT heard.account_id, heard.device_id, heard.last_contact_at
  FROM (
    SELECT active.account_id, active.device_id, (
        SELECT last_contact_at FROM last_contacts
        WHERE last_contacts.account_id = active.account_id AND last_contacts.device_id = active.device_id
        ORDER BY last_contact_at DESC LIMIT 1) AS last_contact_at
    FROM (SELECT DISTINCT account_id, device_id FROM alerts WHERE ended_at IS NULL) AS active) AS heard
  WHERE heard.last_contact_at IS NOT NULL
  ON CONFLICT (account_id, device_id) DO UPDATE SET last_contact_at = greatest(device_contacts.last_contact_at, excluded.last_contact_at);
  RETURN NULL;
END $$;

CREATE TRIGGER older_came AFTER INSERT ON processes FOR EACH ROW WHEN (new.steps < 7) EXECUTE FUNCTION serve_older();

-- A process says that it goes, or is taken for dead. One that says so has not locked the row of `writer` yet, and another may be coming.

CREATE FUNCTION lock_writer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM id FROM writer WHERE id = 1 FOR UPDATE;
  RETURN NULL;
END $$;

CREATE FUNCTION serve_no_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE writer SET serves_older = false, older_until = version, version = version + 1
  WHERE id = 1 AND serves_older AND NOT EXISTS (SELECT 1 FROM processes WHERE steps < 7);
  RETURN NULL;
END $$;

CREATE TRIGGER older_goes BEFORE DELETE ON processes FOR EACH STATEMENT EXECUTE FUNCTION lock_writer();
CREATE TRIGGER older_went AFTER DELETE ON processes FOR EACH STATEMENT EXECUTE FUNCTION serve_no_older();

-- An older program that forgets messages may remove an account's newest change with them. The limit is then put further ahead than it is ever
-- raised, which tells that rows are gone: the next position lies behind it, and none is given twice.

CREATE FUNCTION keep_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account_logs SET newest_sequence = greatest(account_logs.newest_sequence, went.sequence + 65)
  FROM (SELECT account_id, max(sequence) AS sequence FROM gone GROUP BY account_id) AS went
  WHERE account_logs.account_id = went.account_id
    AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.account_id = went.account_id AND changes.sequence > went.sequence);
  RETURN NULL;
END $$;

CREATE TRIGGER position_kept AFTER DELETE ON changes
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_position();

-- An older program removes an account without the tables that it does not know.

CREATE FUNCTION remove_rest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF has_table_privilege('last_contacts', 'DELETE') THEN
    DELETE FROM last_contacts USING gone WHERE last_contacts.account_id = gone.account_id;
    DELETE FROM alert_levels USING gone WHERE alert_levels.account_id = gone.account_id;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER rest_removed AFTER DELETE ON accounts
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION remove_rest();
