-- Counts the alerts that were received, and nothing else: active alerts and queued deliveries are counted when somebody asks, by indexes
-- that hold only these. A kept count is a row that each transaction changes, and each of its versions stays while anyone keeps an old state
-- of the database in sight, as a backup does. Programs that know two steps show these two counts as they were before this step.

DROP TRIGGER alert_counted ON alerts;
DROP TRIGGER delivery_counted ON deliveries;

CREATE FUNCTION count_new_alerts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT 'alerts', get_byte(uuid_send(account_id), 15) % 16 AS slot, count(*) FROM inserted GROUP BY slot
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;

CREATE TRIGGER alerts_counted AFTER INSERT ON alerts
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_new_alerts();
