-- What `/metrics` tells, kept as it changes: counting rows for an answer would read whole tables.
CREATE TABLE kept_counts (
  name TEXT PRIMARY KEY NOT NULL,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO kept_counts (name, count) VALUES
  ('alerts', (SELECT count(*) FROM alerts)),
  ('active_alerts', (SELECT count(*) FROM alerts WHERE ended_at IS NULL)),
  ('queued_deliveries', (SELECT count(*) FROM deliveries WHERE state = 'queued'));

CREATE TRIGGER alert_arrived AFTER INSERT ON alerts BEGIN
  UPDATE kept_counts SET count = count + 1 WHERE name = 'alerts' OR name = 'active_alerts' AND new.ended_at IS NULL;
END;

CREATE TRIGGER alert_ended AFTER UPDATE OF ended_at ON alerts WHEN old.ended_at IS NULL AND new.ended_at IS NOT NULL BEGIN
  UPDATE kept_counts SET count = max(count - 1, 0) WHERE name = 'active_alerts';
END;

CREATE TRIGGER delivery_queued AFTER INSERT ON deliveries WHEN new.state = 'queued' BEGIN
  UPDATE kept_counts SET count = count + 1 WHERE name = 'queued_deliveries';
END;

CREATE TRIGGER delivery_queued_again AFTER UPDATE OF state ON deliveries WHEN old.state <> 'queued' AND new.state = 'queued' BEGIN
  UPDATE kept_counts SET count = count + 1 WHERE name = 'queued_deliveries';
END;

CREATE TRIGGER delivery_rests AFTER UPDATE OF state ON deliveries WHEN old.state = 'queued' AND new.state <> 'queued' BEGIN
  UPDATE kept_counts SET count = max(count - 1, 0) WHERE name = 'queued_deliveries';
END;
