-- The server's accounts, sessions and one-time codes. Times are integer milliseconds since 1970-01-01 UTC, by the
-- server's clock. No secret stands here, only hashes made with the server's key.

-- A person, by telephone number.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  phone TEXT NOT NULL UNIQUE,             -- E.164
  epoch TEXT NOT NULL,                    -- names one unbroken history of the account
  created_at INTEGER NOT NULL
) STRICT;

-- One-time codes that were sent.
CREATE TABLE verifications (
  id TEXT PRIMARY KEY NOT NULL,
  phone TEXT NOT NULL,                    -- E.164; there may be no account yet
  code_hash BLOB NOT NULL CHECK (length(code_hash) = 32),
  created_at INTEGER NOT NULL,
  resend_at INTEGER NOT NULL,             -- the earliest time for the next code to the same number
  expires_at INTEGER NOT NULL,
  tries INTEGER NOT NULL CHECK (tries >= 0),
  used_at INTEGER
) STRICT;

CREATE INDEX verifications_by_phone ON verifications (phone, created_at);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);

-- How many codes were sent, by number, address, country and in total: one row for each stretch of time.
CREATE TABLE rate_counts (
  key BLOB NOT NULL CHECK (length(key) = 32),  -- a keyed hash of what is counted, and for how long a window
  start_at INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (key, start_at)
) STRICT, WITHOUT ROWID;

CREATE INDEX rate_counts_by_expiry ON rate_counts (expires_at);

-- One sign-in of one device.
CREATE TABLE sessions (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),
  account_id TEXT NOT NULL REFERENCES accounts (id),
  device_name TEXT NOT NULL,
  alert_key_hash BLOB NOT NULL UNIQUE CHECK (length(alert_key_hash) = 32),
  created_at INTEGER NOT NULL,
  ended_at INTEGER,                       -- its tokens were revoked
  alert_key_ended_at INTEGER,             -- its alert key was revoked
  CHECK (alert_key_ended_at IS NULL OR ended_at IS NOT NULL)
) STRICT;

CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_ended ON sessions (alert_key_ended_at) WHERE alert_key_ended_at IS NOT NULL;

-- The pairs of tokens of a session. The highest generation is the living one; the older ones are kept for a while to tell
-- a lost answer from a stolen token.
CREATE TABLE tokens (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  generation INTEGER NOT NULL CHECK (generation >= 1),
  access_hash BLOB NOT NULL UNIQUE CHECK (length(access_hash) = 32),
  refresh_hash BLOB NOT NULL UNIQUE CHECK (length(refresh_hash) = 32),
  salt BLOB NOT NULL CHECK (length(salt) = 32),
  access_expires_at INTEGER NOT NULL,
  refresh_expires_at INTEGER NOT NULL,
  first_used_at INTEGER,
  replaced_at INTEGER,
  PRIMARY KEY (session_id, generation)
) STRICT;

CREATE INDEX tokens_by_replacement ON tokens (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX tokens_by_expiry ON tokens (refresh_expires_at);
