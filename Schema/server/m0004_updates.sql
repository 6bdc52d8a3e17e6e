-- Calls for help that came while an alert was active: `alert.update`.

-- The newest update, with what earlier ones said that it leaves out.
ALTER TABLE alerts ADD COLUMN update_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alerts ADD COLUMN update_id TEXT;
ALTER TABLE alerts ADD COLUMN update_at INTEGER;             -- the pressing device's clock
ALTER TABLE alerts ADD COLUMN update_message TEXT;
ALTER TABLE alerts ADD COLUMN update_latitude REAL;
ALTER TABLE alerts ADD COLUMN update_longitude REAL;
ALTER TABLE alerts ADD COLUMN update_accuracy_m REAL;
ALTER TABLE alerts ADD COLUMN update_battery_percent INTEGER;

-- All of them, as they came. Rows are added, never changed.
CREATE TABLE alert_updates (
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),  -- counts the alert's updates in the order of their arrival
  mutation_id TEXT NOT NULL CHECK (length(mutation_id) = 36),
  device_id TEXT NOT NULL,
  at INTEGER NOT NULL,                    -- the pressing device's clock
  message TEXT,
  latitude REAL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL CHECK (longitude BETWEEN -180 AND 180),
  accuracy_m REAL CHECK (accuracy_m >= 0),
  battery_percent INTEGER CHECK (battery_percent BETWEEN 0 AND 100),
  received_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, alert_id, number),
  CHECK ((latitude IS NULL) = (longitude IS NULL))
) STRICT, WITHOUT ROWID;

-- A responder who was told is told again of an update that says something new: one row for each alert, contact, channel,
-- notice and call. SQLite cannot change a UNIQUE, so the table is copied.
CREATE TABLE deliveries_2 (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  contact_name TEXT NOT NULL,             -- as it was when the message was queued
  notice TEXT NOT NULL CHECK (notice IN ('activated', 'deactivated')),
  channel_kind TEXT NOT NULL CHECK (channel_kind IN ('none', 'webhook', 'ntfy', 'mail', 'sms')),
  channel_url TEXT NOT NULL,              -- empty where the contact has no channel
  host TEXT NOT NULL,                     -- of the channel: a slow one must not hold up the others
  state TEXT NOT NULL CHECK (state IN ('queued', 'sent', 'seen', 'acknowledged', 'failed')),
  state_at INTEGER NOT NULL,
  reason TEXT,
  told_end INTEGER NOT NULL CHECK (told_end IN (0, 1)),   -- the message, as last rendered, told of the end too
  created_at INTEGER NOT NULL,            -- when it was queued, for the last time
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  refusals INTEGER NOT NULL CHECK (refusals >= 0),
  -- When it may be taken (again); while it is leased, when the lease ends. NULL where not queued, and for "safe" while the
  -- "help" of the same target is still queued, which it must not overtake.
  due_at INTEGER,
  is_leased INTEGER NOT NULL CHECK (is_leased IN (0, 1)),
  is_dropped INTEGER NOT NULL CHECK (is_dropped IN (0, 1)),  -- its contact or channel was taken away, and may come back
  call_number INTEGER NOT NULL DEFAULT 0, -- the update for which it was queued; 0: the alert itself, or its end
  told_call INTEGER NOT NULL DEFAULT 0,   -- the newest update when the message was last rendered
  UNIQUE (account_id, alert_id, contact_id, channel_url, notice, call_number),
  CHECK (state = 'queued' OR (due_at IS NULL AND is_leased = 0)),
  CHECK (due_at IS NOT NULL OR state <> 'queued' OR notice = 'deactivated')
) STRICT;

INSERT INTO deliveries_2 (id, account_id, alert_id, contact_id, contact_name, notice, channel_kind, channel_url, host, state,
  state_at, reason, told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped)
SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_kind, channel_url, host, state, state_at, reason,
  told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped
FROM deliveries;

DROP TABLE deliveries;
ALTER TABLE deliveries_2 RENAME TO deliveries;

-- First attempts stand before retries.
CREATE INDEX deliveries_due ON deliveries (host, (attempts > 0), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (host, due_at) WHERE is_leased = 1;
CREATE INDEX deliveries_leased_by_account ON deliveries (account_id, due_at) WHERE is_leased = 1;
CREATE INDEX deliveries_open ON deliveries (account_id) WHERE state = 'queued';
