-- What a person is called, which channels their responders have answered a drill through, and tests of one responder.

ALTER TABLE accounts ADD COLUMN name TEXT;                   -- NULL: never told

-- The channels that a drill's answer came through, one a line: when, and the URL.
ALTER TABLE contacts ADD COLUMN tested TEXT NOT NULL DEFAULT '';

-- The only responder who is told of a drill; NULL: all of them.
ALTER TABLE alerts ADD COLUMN only_contact TEXT CHECK (only_contact IS NULL OR length(only_contact) = 36 AND drill = 1);

-- SQLite cannot change a CHECK, so the log is copied.
CREATE TABLE changes_2 (
  account_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  entity_kind INTEGER NOT NULL CHECK (entity_kind IN (1, 2, 3, 4)),   -- alert, contact, receipt, profile
  entity_id TEXT NOT NULL CHECK (length(entity_id) = 36),
  tag INTEGER NOT NULL,                   -- random: tells this change from another server's at the same sequence
  PRIMARY KEY (account_id, sequence)
) STRICT, WITHOUT ROWID;

INSERT INTO changes_2 (account_id, sequence, entity_kind, entity_id, tag)
SELECT account_id, sequence, entity_kind, entity_id, tag FROM changes;

DROP TABLE changes;
ALTER TABLE changes_2 RENAME TO changes;

CREATE UNIQUE INDEX changes_by_entity ON changes (account_id, entity_kind, entity_id);
