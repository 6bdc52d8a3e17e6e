-- The pages of responders, and what they answer there.

-- The link of each page: one for each responder and alert. The first two bytes of the key stand for the account, so that the links of
-- one account lie together; the others are a keyed hash of the token in the link.
CREATE TABLE page_links (
  key BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 34),
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL CHECK (length(alert_id) = 36),
  contact_id TEXT NOT NULL CHECK (length(contact_id) = 36)
) STRICT, WITHOUT ROWID;

-- The newest answer of each responder to each alert.
CREATE TABLE responses (
  account_id TEXT NOT NULL,
  alert_id TEXT NOT NULL CHECK (length(alert_id) = 36),
  contact_id TEXT NOT NULL CHECK (length(contact_id) = 36),
  answer TEXT NOT NULL CHECK (answer IN ('responding', 'on_my_way', 'there', 'handing_over', 'cannot')),
  text TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (account_id, alert_id, contact_id)
) STRICT, WITHOUT ROWID;
