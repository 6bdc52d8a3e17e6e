-- No row of an account that each of its alerts changes: each version would stay while anyone keeps an old state of the database in sight, and
-- whoever looks for the row would walk through all of them. What changes so often ends the key here, so that the newest is the first that
-- is found from the end; or it is told by rows that are added anyway.
--
-- Programs that know six steps read and write the rows of before. While a process of them is alive, the others write those too.

ALTER TABLE processes ADD COLUMN steps bigint NOT NULL DEFAULT 6;        -- how many its program knows
ALTER TABLE writer ADD COLUMN serves_older boolean NOT NULL DEFAULT false; -- whether any of them knows fewer than seven

UPDATE writer SET serves_older = EXISTS (SELECT 1 FROM processes);

-- The positions in `account_logs` are upper limits now, raised by 64 where the next one would pass them. The newest are those of the newest
-- change and the newest alert. In the place of `account_logs.changed`, a change tells which transaction made it, and of which process.

ALTER TABLE changes ADD COLUMN IF NOT EXISTS changed bigint NOT NULL DEFAULT 0;
ALTER TABLE changes ADD COLUMN changed_by uuid;

CREATE INDEX IF NOT EXISTS changes_by_change ON changes (changed) WHERE changed > 0;

-- When each device was heard from last: in the place of `device_contacts`, whose row goes with the first one here.
CREATE TABLE last_contacts (
  account_id uuid NOT NULL,
  device_id uuid NOT NULL,
  last_contact_at bigint NOT NULL,
  PRIMARY KEY (account_id, device_id, last_contact_at)
) /* by account */;

-- In the place of `alert_buckets`: for all full ones at first, and by themselves for programs of before.
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

CREATE OR REPLACE FUNCTION count_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.version := greatest(
    new.version, (SELECT max(changed) FROM account_logs) + 1, (SELECT max(changed) FROM deliveries) + 1,
    (SELECT max(changed) FROM changes WHERE changed > 0) + 1);
  RETURN new;
END $$;

-- A process of an older program counts on from the newest number, and finds when the devices were heard from whose silence it may have to tell.

CREATE FUNCTION serve_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE writer SET serves_older = true, version = version + 1 WHERE id = 1;
  -- Its user may have been given nothing yet that its program does not know.
  IF NOT has_table_privilege('last_contacts', 'SELECT') THEN RETURN NULL; END IF;
  INSERT INTO device_contacts (account_id, device_id, last_contact_at)
  SELECT heard.account_id, heard.device_id, max(heard.last_contact_at)
  FROM last_contacts AS heard
    JOIN (SELECT DISTINCT account_id, device_id FROM alerts WHERE ended_at IS NULL) AS active
      ON active.account_id = heard.account_id AND active.device_id = heard.device_id
  GROUP BY heard.account_id, heard.device_id
  ON CONFLICT (account_id, device_id) DO UPDATE SET last_contact_at = greatest(device_contacts.last_contact_at, excluded.last_contact_at);
  RETURN NULL;
END $$;

CREATE TRIGGER older_came AFTER INSERT ON processes FOR EACH ROW WHEN (new.steps < 7) EXECUTE FUNCTION serve_older();

CREATE FUNCTION serve_no_older() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE writer SET serves_older = EXISTS (SELECT 1 FROM processes WHERE steps < 7) WHERE id = 1 AND serves_older;
  RETURN NULL;
END $$;

CREATE TRIGGER older_went AFTER DELETE ON processes FOR EACH STATEMENT EXECUTE FUNCTION serve_no_older();
