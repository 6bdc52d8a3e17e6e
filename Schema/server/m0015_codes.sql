-- One-time codes that wait for the gateway of text messages, until they are sent or given up. Neither a code nor its text is
-- here, in clear or sealed: the code is a keyed hash of the verification's id, computed anew for each attempt. A copy of this
-- table, a free page or the log reveals no code. Whoever has the whole file has the key too (server_state), as for code_hash.

CREATE TABLE code_messages (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),   -- the gateway gets it with each attempt
  verification_id TEXT NOT NULL UNIQUE REFERENCES verifications (id) ON DELETE CASCADE,
  phone TEXT NOT NULL UNIQUE,             -- E.164; a newer code replaces the older one
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  due_at INTEGER NOT NULL,                -- when it may be taken (again); while it is leased, when the lease ends
  is_leased INTEGER NOT NULL CHECK (is_leased IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX code_messages_by_due ON code_messages (due_at);
CREATE INDEX code_messages_leased ON code_messages (due_at) WHERE is_leased = 1;
