-- The device's store, first version. Times are integer milliseconds since 1970-01-01 UTC, by the clock the column names.

-- Every alert that this device knows: the history, and by `ended_at IS NULL` the current state.
CREATE TABLE alerts (
  list_order INTEGER PRIMARY KEY NOT NULL, -- newest last: the server's ordinal, or 1 << 62 and up until it gave one
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
  account_id TEXT,                        -- NULL: raised before the first sign-in
  started_at INTEGER NOT NULL,            -- the raising device's clock; never changes
  ended_at INTEGER,                       -- the ending device's clock; once set, stands
  message TEXT,
  latitude REAL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL CHECK (longitude BETWEEN -180 AND 180),
  drill INTEGER NOT NULL CHECK (drill IN (0, 1)),
  utc_offset_minutes INTEGER,             -- of the raising device, where raised here
  started_monotonic INTEGER,              -- milliseconds since boot; NULL: raised elsewhere
  server_offset INTEGER,                  -- server time minus device time, as measured when raised
  accepted_at INTEGER,                    -- the server's clock: it stored the alert
  end_accepted_at INTEGER,                -- the server's clock: it stored the end
  discarded_at INTEGER,                   -- a person discarded its mutation: it will never reach the server
  end_discarded_at INTEGER,               -- a person discarded its end's mutation
  server_epoch TEXT,                      -- the epoch in which the server last named this row
  CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT;

CREATE INDEX alerts_active ON alerts (drill) WHERE ended_at IS NULL AND discarded_at IS NULL;
CREATE INDEX alerts_end_discarded ON alerts (list_order) WHERE end_discarded_at IS NOT NULL;

-- The person's contacts as seen here: the server's state with the pending mutations laid on top. Removed ones stay, so
-- that a restored server can be told again.
CREATE TABLE contacts (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  account_id TEXT,
  name TEXT NOT NULL,
  phone TEXT NOT NULL,                    -- E.164
  is_responder INTEGER NOT NULL CHECK (is_responder IN (0, 1)),
  is_dependent INTEGER NOT NULL CHECK (is_dependent IN (0, 1)),
  channels TEXT NOT NULL,                 -- URLs, one a line
  is_removed INTEGER NOT NULL CHECK (is_removed IN (0, 1)),
  webhook_secret TEXT,
  server_state TEXT,                      -- the body of the put that the server holds; NULL: it has none
  server_epoch TEXT
) STRICT;

-- Mutations that the server has not answered for good, oldest first. One sequence counts all lanes and is never used
-- twice; the routine lane's is stored with 1 << 61 added, so that each lane is a range.
CREATE TABLE pending_mutations (
  sequence INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),   -- UUIDv7, the idempotency key
  account_id TEXT,
  entity_id TEXT NOT NULL CHECK (length(entity_id) = 36),
  kind TEXT NOT NULL CHECK (kind IN ('alert.activate', 'alert.deactivate', 'contact.put', 'contact.remove')),
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
  CHECK ((lane = 'emergency') = (kind IN ('alert.activate', 'alert.deactivate'))),
  CHECK ((lane = 'emergency') = (sequence < 2305843009213693952))
) STRICT;

CREATE INDEX pending_mutations_routine ON pending_mutations (entity_id, sequence) WHERE lane = 'routine';
CREATE INDEX pending_mutations_parked ON pending_mutations (entity_id, sequence) WHERE parked_at IS NOT NULL;

-- Requests to tell responders, each with the sequence of the alert's mutation that it follows.
CREATE TABLE pending_notifications (
  sequence INTEGER PRIMARY KEY NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),
  account_id TEXT,
  alert_id TEXT NOT NULL REFERENCES alerts (id),
  kind TEXT NOT NULL CHECK (kind IN ('activated', 'deactivated')),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  parked_at INTEGER,
  parked_code TEXT,
  parked_message TEXT,
  CHECK ((parked_at IS NULL) = (parked_code IS NULL))
) STRICT;

CREATE INDEX pending_notifications_parked ON pending_notifications (alert_id, sequence) WHERE parked_at IS NOT NULL;

-- How far each message to each responder got, as the server told it.
CREATE TABLE receipts (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  alert_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  contact_name TEXT NOT NULL,
  notice TEXT NOT NULL CHECK (notice IN ('activated', 'deactivated')),
  channel TEXT NOT NULL,                  -- webhook, ntfy, ...
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'seen', 'acknowledged', 'failed')),
  at INTEGER NOT NULL,                    -- the server's clock: when it reached `state`
  reason TEXT
) STRICT;

CREATE INDEX receipts_by_alert ON receipts (alert_id, contact_name, id);

-- One value a key: the device, the account, the session, the cursor, the lanes, the last exchange.
CREATE TABLE sync_state (
  key TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
