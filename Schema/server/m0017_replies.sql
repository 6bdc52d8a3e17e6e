-- Replies to responders' text messages wait for the gateway beside the one-time codes, where the gateway does not send what it is
-- answered. Here too there is no text: it is derived for each attempt, with the code that stands in it.

-- SQLite cannot drop a NOT NULL or a UNIQUE, so the queue is copied.
CREATE TABLE code_messages_2 (
  id TEXT PRIMARY KEY NOT NULL CHECK (length(id) = 36),   -- the gateway gets it with each attempt
  verification_id TEXT UNIQUE REFERENCES verifications (id) ON DELETE CASCADE,   -- of a code
  reply TEXT,                             -- what a reply says
  account_id TEXT,                        -- whose alert a reply is about; NULL, as the next two, where nobody knows
  alert_id TEXT,
  contact_id TEXT,                        -- whose answer it is to
  expires_at INTEGER,                     -- of a reply; of a code that of its verification
  phone TEXT NOT NULL,                    -- E.164; a newer code replaces the older one, and a newer reply
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  due_at INTEGER NOT NULL,                -- when it may be taken (again); while it is leased, when the lease ends
  is_leased INTEGER NOT NULL CHECK (is_leased IN (0, 1)),
  CHECK ((verification_id IS NULL) = (reply IS NOT NULL) AND (reply IS NULL) = (expires_at IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO code_messages_2 (id, verification_id, phone, attempts, due_at, is_leased)
SELECT id, verification_id, phone, attempts, due_at, is_leased FROM code_messages;

DROP TABLE code_messages;
ALTER TABLE code_messages_2 RENAME TO code_messages;

CREATE INDEX code_messages_by_due ON code_messages (due_at);
CREATE INDEX code_messages_leased ON code_messages (due_at) WHERE is_leased = 1;
CREATE UNIQUE INDEX code_messages_by_phone ON code_messages (phone) WHERE reply IS NULL;
CREATE UNIQUE INDEX code_messages_replies ON code_messages (phone) WHERE reply IS NOT NULL;
