-- As the nineteenth migration of the embedded store.

CREATE TABLE blocked_phones (
  phone text PRIMARY KEY,
  since bigint NOT NULL,
  is_for_removal boolean NOT NULL
);

CREATE FUNCTION uncount_alert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.ended_at IS NULL THEN PERFORM keep_count('active_alerts', old.account_id, -1); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER alert_uncounted AFTER DELETE ON alerts FOR EACH ROW EXECUTE FUNCTION uncount_alert();

CREATE FUNCTION uncount_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF old.state = 'queued' THEN PERFORM keep_count('queued_deliveries', old.account_id, -1); END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER delivery_uncounted AFTER DELETE ON deliveries FOR EACH ROW EXECUTE FUNCTION uncount_delivery();
