-- The inbox: alerts of people who named this account's person as a responder; and the mutations `inbox.seen` and
-- `inbox.answer`. SQLite cannot change a CHECK, so the queue is copied.

CREATE TABLE inbox (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  account_id TEXT,                        -- whose inbox it is
  started_at INTEGER NOT NULL,
  ended_at INTEGER,                       -- NULL: active
  record TEXT NOT NULL,                   -- the alert as the server wrote it, as JSON
  server_epoch TEXT NOT NULL,             -- the naming in which the server last named it
  seen_at INTEGER,                        -- when the person opened it here
  refusal TEXT                            -- why the server refused the newest answer; NULL: it did not
) STRICT;

CREATE INDEX inbox_named ON inbox (server_epoch);
CREATE INDEX inbox_by_end ON inbox (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE pending_mutations_2 (
  sequence INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),   -- UUIDv7, the idempotency key
  account_id TEXT,
  entity_id TEXT NOT NULL CHECK (length(entity_id) = 36),
  kind TEXT NOT NULL CHECK (kind IN (
    'alert.activate', 'alert.update', 'alert.deactivate', 'contact.put', 'contact.remove', 'profile.put', 'inbox.seen',
    'inbox.answer')),
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
