-- Calls for help that met an active alert: `alert.update`. SQLite cannot change a CHECK, so the queue is copied.

-- The newest update that the server has told of: its id, and the JSON that `alert.update` has as its body.
ALTER TABLE alerts ADD COLUMN update_id TEXT;
ALTER TABLE alerts ADD COLUMN update_body TEXT;
-- An end that the server told of while an update waited here: it is shown when the server has judged that update.
ALTER TABLE alerts ADD COLUMN held_end_at INTEGER;
ALTER TABLE alerts ADD COLUMN held_end_accepted_at INTEGER;

CREATE TABLE pending_mutations_2 (
  sequence INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),   -- UUIDv7, the idempotency key
  account_id TEXT,
  entity_id TEXT NOT NULL CHECK (length(entity_id) = 36),
  kind TEXT NOT NULL
    CHECK (kind IN ('alert.activate', 'alert.update', 'alert.deactivate', 'contact.put', 'contact.remove')),
  lane TEXT NOT NULL CHECK (lane IN ('emergency', 'routine')),
  occurred_at INTEGER NOT NULL,
  body TEXT NOT NULL,                     -- the JSON of the mutation's `body`, byte for byte as it is sent
  created_at INTEGER NOT NULL,
  created_monotonic INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  parked_at INTEGER,
  parked_code TEXT,
  parked_message TEXT,
  CHECK ((parked_at IS NULL) = (parked_code IS NULL)),
  CHECK ((lane = 'emergency') = (kind IN ('alert.activate', 'alert.update', 'alert.deactivate'))),
  CHECK ((lane = 'emergency') = (sequence < 2305843009213693952))
) STRICT;

INSERT INTO pending_mutations_2 (sequence, id, account_id, entity_id, kind, lane, occurred_at, body, created_at,
  created_monotonic, attempts, next_attempt_at, last_error, parked_at, parked_code, parked_message)
SELECT sequence, id, account_id, entity_id, kind, lane, occurred_at, body, created_at, created_monotonic, attempts,
  next_attempt_at, last_error, parked_at, parked_code, parked_message
FROM pending_mutations;

DROP TABLE pending_mutations;
ALTER TABLE pending_mutations_2 RENAME TO pending_mutations;

CREATE INDEX pending_mutations_routine ON pending_mutations (entity_id, sequence) WHERE lane = 'routine';
CREATE INDEX pending_mutations_parked ON pending_mutations (entity_id, sequence) WHERE parked_at IS NOT NULL;
CREATE INDEX pending_mutations_entity ON pending_mutations (entity_id, sequence);
CREATE INDEX pending_mutations_updates ON pending_mutations (entity_id, sequence) WHERE kind = 'alert.update';

-- Every call for help that met an active alert here. It tells which alert carries the call now, and that a file of the spool
-- was taken in.
CREATE TABLE presses (
  number INTEGER PRIMARY KEY NOT NULL,    -- counts them
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),   -- the id of the alert that it becomes where the other one had ended
  mutation_id TEXT NOT NULL,              -- of its `alert.update`
  notification_id TEXT NOT NULL,          -- for the alert that it may become
  alert_id TEXT NOT NULL,                 -- the alert that carries it: the one that was active, or its own
  utc_offset_minutes INTEGER,
  started_monotonic INTEGER NOT NULL,
  accepted_at INTEGER                     -- the server's clock: it took the call
) STRICT;

CREATE INDEX presses_by_alert ON presses (alert_id, number);
