-- Alerts, contacts, the queue of messages, and the log from which devices learn of changes. Times are integer
-- milliseconds since 1970-01-01 UTC: by the server's clock, unless the column says whose. Every table of an account's
-- data begins with the account, so that one account's rows lie together and none is found without it.

-- The secret from which keys are derived, and what else belongs to the server itself.
CREATE TABLE server_state (
  key TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The counters of each account that has said anything.
CREATE TABLE account_logs (
  account_id TEXT PRIMARY KEY NOT NULL CHECK (length(account_id) = 36),
  newest_sequence INTEGER NOT NULL CHECK (newest_sequence >= 0),
  newest_ordinal INTEGER NOT NULL CHECK (newest_ordinal >= 0)
) STRICT, WITHOUT ROWID;

-- The newest change of each entity: what a device asks for beyond its cursor.
CREATE TABLE changes (
  account_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  entity_kind INTEGER NOT NULL CHECK (entity_kind IN (1, 2, 3)),   -- alert, contact, receipt
  entity_id TEXT NOT NULL CHECK (length(entity_id) = 36),
  tag INTEGER NOT NULL,                   -- random: tells this change from another server's at the same sequence
  PRIMARY KEY (account_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX changes_by_entity ON changes (account_id, entity_kind, entity_id);

-- The cursors that were handed out, so that one whose change was superseded is still known as ours.
CREATE TABLE cursors (
  account_id TEXT NOT NULL,
  device_id TEXT NOT NULL CHECK (length(device_id) = 36),
  sequence INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  PRIMARY KEY (account_id, device_id, sequence)
) STRICT, WITHOUT ROWID;

-- When each device was last heard of.
CREATE TABLE device_contacts (
  account_id TEXT NOT NULL,
  device_id TEXT NOT NULL CHECK (length(device_id) = 36),
  last_contact_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, device_id)
) STRICT, WITHOUT ROWID;

-- The first result of every mutation and notification request, so that a second sending changes nothing.
CREATE TABLE mutations (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),
  fingerprint INTEGER NOT NULL,           -- of kind, entity and body: the same id with another is refused
  applied_at INTEGER,                     -- NULL: it was rejected
  code TEXT,
  message TEXT,
  PRIMARY KEY (account_id, id),
  CHECK ((applied_at IS NULL) = (code IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),
  ordinal INTEGER NOT NULL CHECK (ordinal > 0),   -- counts the account's alerts as the server heard of them
  device_id TEXT NOT NULL,                -- which sent it first
  started_at INTEGER NOT NULL,            -- the raising device's clock; never changes
  ended_at INTEGER,                       -- the ending device's clock; once set, stands
  message TEXT,
  latitude REAL CHECK (latitude BETWEEN -90 AND 90),
  longitude REAL CHECK (longitude BETWEEN -180 AND 180),
  drill INTEGER NOT NULL CHECK (drill IN (0, 1)),
  utc_offset_minutes INTEGER,
  received_at INTEGER NOT NULL,
  end_received_at INTEGER,
  notified_at INTEGER,                    -- when its responders were to be told; NULL: not asked for yet
  PRIMARY KEY (account_id, id),
  CHECK ((latitude IS NULL) = (longitude IS NULL)),
  CHECK ((ended_at IS NULL) = (end_received_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX alerts_by_ordinal ON alerts (account_id, ordinal);
CREATE INDEX alerts_active ON alerts (account_id, ordinal) WHERE ended_at IS NULL;

CREATE TABLE contacts (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL CHECK (length(id) = 36),
  name TEXT NOT NULL,
  phone TEXT NOT NULL,                    -- E.164
  is_responder INTEGER NOT NULL CHECK (is_responder IN (0, 1)),
  is_dependent INTEGER NOT NULL CHECK (is_dependent IN (0, 1)),
  channels TEXT NOT NULL,                 -- URLs, one a line
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- Who named this number as a responder.
CREATE INDEX contacts_by_responder_phone ON contacts (phone, account_id) WHERE is_responder = 1;

-- Messages to responders: the durable queue, and the receipts. One row for each alert, contact, channel and notice.
CREATE TABLE deliveries (
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
  UNIQUE (account_id, alert_id, contact_id, channel_url, notice),
  CHECK (state = 'queued' OR (due_at IS NULL AND is_leased = 0)),
  CHECK (due_at IS NOT NULL OR state <> 'queued' OR notice = 'deactivated')
) STRICT;

-- First attempts stand before retries.
CREATE INDEX deliveries_due ON deliveries (host, (attempts > 0), due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_leased ON deliveries (host, due_at) WHERE is_leased = 1;
CREATE INDEX deliveries_leased_by_account ON deliveries (account_id, due_at) WHERE is_leased = 1;
CREATE INDEX deliveries_open ON deliveries (account_id) WHERE state = 'queued';
