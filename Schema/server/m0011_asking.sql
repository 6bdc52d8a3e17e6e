-- Responders are asked again until one of them comes.

-- Responders of a higher tier are told later.
ALTER TABLE contacts ADD COLUMN tier INTEGER NOT NULL DEFAULT 1 CHECK (tier BETWEEN 1 AND 9);

-- Where the asking stands; NULL where it has not begun, and after the alert's end. A drill is told once.
ALTER TABLE alerts ADD COLUMN asking_phase TEXT CHECK (asking_phase IN ('asking', 'answered', 'checking', 'over'));
ALTER TABLE alerts ADD COLUMN asking_round INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alerts ADD COLUMN asking_tier INTEGER NOT NULL DEFAULT 1;  -- responders up to this tier are told
ALTER TABLE alerts ADD COLUMN asking_due_at INTEGER;                   -- when the next step is due; NULL: none follows

CREATE INDEX alerts_asking ON alerts (asking_due_at) WHERE asking_due_at IS NOT NULL;

-- Of what is active from before; not of an alert that nobody has ended for days.
UPDATE alerts SET asking_phase = 'asking', asking_due_at = notified_at + 60000
  WHERE ended_at IS NULL AND drill = 0 AND notified_at IS NOT NULL
    AND received_at >= (SELECT max(received_at) - 86400000 FROM alerts);

-- A place or a battery level alone is no call for help: an end need not have seen it.
ALTER TABLE alert_updates ADD COLUMN is_call INTEGER NOT NULL DEFAULT 1 CHECK (is_call IN (0, 1));

CREATE INDEX alert_updates_with_call ON alert_updates (account_id, alert_id, number) WHERE is_call = 1;

-- Messages that ask again, and those that tell the others who comes, have rows of their own: one for each alert, contact, channel and
-- role, which is queued again for each round. SQLite cannot change a UNIQUE, so the table is copied. The kind of a channel follows
-- from its URL: as a column with a list of the kinds it was in the way of every new one.
CREATE TABLE deliveries_3 (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL,
  contact_id TEXT NOT NULL,
  contact_name TEXT NOT NULL,             -- as it was when the message was queued
  notice TEXT NOT NULL CHECK (notice IN ('activated', 'deactivated')),
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
  -- 0: help for a real alert; 1: "safe" of one; 2: a drill's messages; 3: what asks again, or tells who comes.
  priority INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (0, 1, 2, 3)),
  role TEXT NOT NULL DEFAULT 'news' CHECK (role IN ('news', 'reminder', 'check', 'relief')),
  round INTEGER NOT NULL DEFAULT 0,       -- how often it was queued, for messages beside the news
  UNIQUE (account_id, alert_id, contact_id, channel_url, notice, role, call_number),
  CHECK (state = 'queued' OR (due_at IS NULL AND is_leased = 0)),
  CHECK (due_at IS NOT NULL OR state <> 'queued' OR notice = 'deactivated')
) STRICT;

INSERT INTO deliveries_3 (id, account_id, alert_id, contact_id, contact_name, notice, channel_url, host, state, state_at,
  reason, told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority)
SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, host, state, state_at, reason,
  told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority
FROM deliveries;

DROP TABLE deliveries;
ALTER TABLE deliveries_3 RENAME TO deliveries;

CREATE INDEX deliveries_by_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_open ON deliveries (account_id, contact_id) WHERE state = 'queued';

CREATE TRIGGER delivery_queued AFTER INSERT ON deliveries WHEN new.state = 'queued' BEGIN
  UPDATE kept_counts SET count = count + 1 WHERE name = 'queued_deliveries';
END;

CREATE TRIGGER delivery_queued_again AFTER UPDATE OF state ON deliveries WHEN old.state <> 'queued' AND new.state = 'queued' BEGIN
  UPDATE kept_counts SET count = count + 1 WHERE name = 'queued_deliveries';
END;

CREATE TRIGGER delivery_rests AFTER UPDATE OF state ON deliveries WHEN old.state = 'queued' AND new.state <> 'queued' BEGIN
  UPDATE kept_counts SET count = max(count - 1, 0) WHERE name = 'queued_deliveries';
END;
