-- Counts what a statement changes, all of it at once: a statement may change many rows.

DROP TRIGGER alert_counted ON alerts;
DROP TRIGGER delivery_counted ON deliveries;

CREATE FUNCTION count_new_alerts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT name, slot, count(*) FROM (
    SELECT 'alerts' AS name, get_byte(uuid_send(account_id), 15) % 16 AS slot FROM inserted
    UNION ALL SELECT 'active_alerts', get_byte(uuid_send(account_id), 15) % 16 FROM inserted WHERE ended_at IS NULL
  ) AS counted GROUP BY name, slot
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;

CREATE FUNCTION count_changed_alerts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT 'active_alerts', slot, sum(step)::bigint FROM (
    SELECT get_byte(uuid_send(account_id), 15) % 16 AS slot, 1 AS step FROM after_change WHERE ended_at IS NULL
    UNION ALL SELECT get_byte(uuid_send(account_id), 15) % 16, -1 FROM before_change WHERE ended_at IS NULL
  ) AS counted GROUP BY slot HAVING sum(step) <> 0
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;

CREATE FUNCTION count_new_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT 'queued_deliveries', get_byte(uuid_send(account_id), 15) % 16 AS slot, count(*)
  FROM inserted WHERE state = 'queued' GROUP BY slot
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;

CREATE FUNCTION count_changed_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT 'queued_deliveries', slot, sum(step)::bigint FROM (
    SELECT get_byte(uuid_send(account_id), 15) % 16 AS slot, 1 AS step FROM after_change WHERE state = 'queued'
    UNION ALL SELECT get_byte(uuid_send(account_id), 15) % 16, -1 FROM before_change WHERE state = 'queued'
  ) AS counted GROUP BY slot HAVING sum(step) <> 0
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;

CREATE TRIGGER alerts_counted AFTER INSERT ON alerts
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_new_alerts();
CREATE TRIGGER alerts_recounted AFTER UPDATE ON alerts
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_alerts();
CREATE TRIGGER deliveries_counted AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_new_deliveries();
CREATE TRIGGER deliveries_recounted AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_deliveries();
