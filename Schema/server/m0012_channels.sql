-- The codes with which responders answer by text message: a keyed hash of a code and the number to which it was sent. Two alerts of two
-- people may have the same by chance.
CREATE TABLE answer_codes (
  key BLOB NOT NULL CHECK (length(key) = 32),
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL CHECK (length(alert_id) = 36),
  contact_id TEXT NOT NULL CHECK (length(contact_id) = 36),
  PRIMARY KEY (key, account_id, alert_id, contact_id)
) STRICT, WITHOUT ROWID;
