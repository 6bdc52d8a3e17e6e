-- Nothing may become slower while alerts grow many, or while anyone keeps an old state of the database in sight, as a backup does.

-- PostgreSQL is told that accounts are few, so that it takes each to have many rows. Where most accounts have one alert, it would hold reading
-- all rows of an account for as good as finding one of them by its whole key, and would plan that for the account with thousands, too.
-- Counts from when a table is analyzed: at once where it has rows.

ALTER TABLE alerts ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE alert_updates ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE changes ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE contacts ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE cursors ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE deliveries ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE inbox ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE mutations ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE responses ALTER COLUMN account_id SET (n_distinct = 100);

DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM accounts) THEN
    ANALYZE alerts, alert_updates, changes, contacts, cursors, deliveries, inbox, mutations, responses;
  END IF;
END $$;

-- The number of a transaction is one more than the newest in any row: `writer` is locked, and changed once a second at most. Programs that know
-- four steps change it each time, and this gives them that number.

CREATE FUNCTION count_on() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.version := greatest(
    new.version, (SELECT max(changed) FROM account_logs) + 1, (SELECT max(changed) FROM deliveries) + 1);
  RETURN new;
END $$;

CREATE TRIGGER counted_on BEFORE UPDATE ON writer FOR EACH ROW EXECUTE FUNCTION count_on();

-- The alerts that were received, in 4,096 rows in the place of 16, which have thousands of versions after an hour: the sum of all whose name
-- is "alerts" or begins with it and a space. Programs that know four steps show the count as it was before this step.

CREATE OR REPLACE FUNCTION count_new_alerts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT 'alerts ' || get_byte(uuid_send(account_id), 14), get_byte(uuid_send(account_id), 15) % 16, count(*)
  FROM inserted GROUP BY 1, 2
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;
