-- What operators do with accounts.

-- Nobody may sign in with these telephones. A row stays when the account is removed.
CREATE TABLE blocked_phones (
  phone TEXT PRIMARY KEY NOT NULL,        -- E.164
  since INTEGER NOT NULL,
  is_for_removal INTEGER NOT NULL CHECK (is_for_removal IN (0, 1))  -- only while its account is being removed
) STRICT, WITHOUT ROWID;

-- Rows of an account that is removed no longer count.
CREATE TRIGGER delivery_removed AFTER DELETE ON deliveries WHEN old.state = 'queued' BEGIN
  UPDATE kept_counts SET count = max(count - 1, 0) WHERE name = 'queued_deliveries';
END;

CREATE TRIGGER alert_removed AFTER DELETE ON alerts WHEN old.ended_at IS NULL BEGIN
  UPDATE kept_counts SET count = max(count - 1, 0) WHERE name = 'active_alerts';
END;
