-- The alerts of others in the inbox of a responder who has an account.

-- Copies, written anew whenever something of the alert changes: a responder's reads and streams look at their own account alone.
CREATE TABLE inbox (
  account_id TEXT NOT NULL,               -- the responder's
  id TEXT NOT NULL CHECK (length(id) = 36),   -- a keyed hash of the others
  source_account_id TEXT NOT NULL,        -- whose alert it is
  source_alert_id TEXT NOT NULL CHECK (length(source_alert_id) = 36),
  ended_at INTEGER,                       -- removed some time after that; NULL while the alert is active
  record TEXT NOT NULL,                   -- the JSON that the responder's devices get
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX inbox_by_end ON inbox (ended_at) WHERE ended_at IS NOT NULL;

-- The alerts that are to be written into inboxes, the longest due first: mostly empty.
CREATE TABLE inbox_due (
  position INTEGER PRIMARY KEY NOT NULL,
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL CHECK (length(alert_id) = 36),
  UNIQUE (account_id, alert_id)
) STRICT;

INSERT INTO inbox_due (account_id, alert_id) SELECT account_id, id FROM alerts WHERE ended_at IS NULL AND notified_at IS NOT NULL;

-- In whose inbox an alert stands: it is taken out of it where its owner is no responder any more.
CREATE TABLE inbox_posts (
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL CHECK (length(alert_id) = 36),
  inbox_account_id TEXT NOT NULL,
  PRIMARY KEY (account_id, alert_id, inbox_account_id)
) STRICT, WITHOUT ROWID;

-- SQLite cannot change a CHECK, so the log is copied.
CREATE TABLE changes_2 (
  account_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  entity_kind INTEGER NOT NULL CHECK (entity_kind IN (1, 2, 3, 4, 5)),   -- alert, contact, receipt, profile, inbox
  entity_id TEXT NOT NULL CHECK (length(entity_id) = 36),
  tag INTEGER NOT NULL,                   -- random: tells this change from another server's at the same sequence
  PRIMARY KEY (account_id, sequence)
) STRICT, WITHOUT ROWID;

INSERT INTO changes_2 (account_id, sequence, entity_kind, entity_id, tag)
SELECT account_id, sequence, entity_kind, entity_id, tag FROM changes;

DROP TABLE changes;
ALTER TABLE changes_2 RENAME TO changes;

CREATE UNIQUE INDEX changes_by_entity ON changes (account_id, entity_kind, entity_id);
