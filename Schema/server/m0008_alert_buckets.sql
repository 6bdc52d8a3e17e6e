-- How many new alerts a session may still bring, by its tokens and by its alert key. These buckets were rows of `rate_counts` under
-- a keyed hash; beginning with the account, one is found together with the account's other rows.
CREATE TABLE alert_buckets (
  account_id TEXT NOT NULL,
  session_id TEXT NOT NULL CHECK (length(session_id) = 36),
  is_of_alert_key INTEGER NOT NULL CHECK (is_of_alert_key IN (0, 1)),
  full_at INTEGER NOT NULL,               -- when it is full again; then the row may be removed
  PRIMARY KEY (account_id, session_id, is_of_alert_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX alert_buckets_by_time ON alert_buckets (full_at);
