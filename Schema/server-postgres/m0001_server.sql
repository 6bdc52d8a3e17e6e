-- The server's tables on PostgreSQL, as of the eighteenth migration of the embedded store. What a column means is written in
-- `Schema/server`; here is what differs. Ids are `uuid`, flags `boolean`, and all integers `bigint`: a parameter has one width.
--
-- Every table of an account's data begins its primary key, and every unique index, with the account, so that all of it can be
-- partitioned by a hash of the account. The mark "by account" stands where a table is: the tests partition them, and Citus distributes
-- them. Whatever is found by another key has a table of its own keyed by that, or an index that is not unique.
-- Nothing takes the database's time, a sequence, or chance: all of them are parameters.

-- The server itself

CREATE TABLE server_state (
  key text PRIMARY KEY,
  value bytea NOT NULL
);

-- One row. Whoever writes holds its lock until the commit, and counts on.
CREATE TABLE writer (
  id bigint PRIMARY KEY CHECK (id = 1),
  version bigint NOT NULL                 -- how many transactions have written
);

INSERT INTO writer (id, version) VALUES (1, 0);

-- The processes of the server. One whose count stands still is dead, and what it had leased is due.
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  beat bigint NOT NULL                    -- counts its transactions
);

-- What `/metrics` tells, kept as it changes. Several rows for each name, so that accounts that change at once meet rarely; their sum counts.
CREATE TABLE kept_counts (
  name text NOT NULL,
  slot bigint NOT NULL CHECK (slot BETWEEN 0 AND 15),
  count bigint NOT NULL,
  PRIMARY KEY (name, slot)
);

CREATE TABLE rate_counts (
  key bytea NOT NULL CHECK (length(key) = 32),
  start_at bigint NOT NULL,
  count bigint NOT NULL CHECK (count > 0),
  expires_at bigint NOT NULL,
  PRIMARY KEY (key, start_at)
);

CREATE INDEX rate_counts_by_expiry ON rate_counts (expires_at);

-- One-time codes: of a telephone, which may have no account yet.
CREATE TABLE verifications (
  id text PRIMARY KEY,
  phone text NOT NULL,
  code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
  created_at bigint NOT NULL,
  resend_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  tries bigint NOT NULL CHECK (tries >= 0),
  used_at bigint
);

CREATE INDEX verifications_by_phone ON verifications (phone, created_at);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);

CREATE TABLE code_messages (
  id uuid PRIMARY KEY,
  verification_id text UNIQUE REFERENCES verifications (id) ON DELETE CASCADE,
  reply text,
  account_id uuid,
  alert_id uuid,
  contact_id uuid,
  expires_at bigint,
  phone text NOT NULL,
  attempts bigint NOT NULL CHECK (attempts >= 0),
  due_at bigint NOT NULL,
  is_leased boolean NOT NULL,
  holder uuid,                            -- the process that leased it last
  CHECK ((verification_id IS NULL) = (reply IS NOT NULL) AND (reply IS NULL) = (expires_at IS NULL))
);

CREATE INDEX code_messages_by_due ON code_messages (due_at);
CREATE INDEX code_messages_leased ON code_messages (due_at) WHERE is_leased;
CREATE UNIQUE INDEX code_messages_by_phone ON code_messages (phone) WHERE reply IS NULL;
CREATE UNIQUE INDEX code_messages_replies ON code_messages (phone) WHERE reply IS NOT NULL;

-- Keys that lead to an account

-- The link of each responder's page.
CREATE TABLE page_links (
  key bytea PRIMARY KEY CHECK (length(key) = 34),
  account_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  contact_id uuid NOT NULL
);

CREATE TABLE answer_codes (
  key bytea NOT NULL CHECK (length(key) = 32),
  account_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  PRIMARY KEY (key, account_id, alert_id, contact_id)
);

-- Accounts. `id` is called `account_id` here too, as in every table that is divided by it.

CREATE TABLE accounts (
  account_id uuid PRIMARY KEY,
  phone text NOT NULL,
  epoch text NOT NULL,
  created_at bigint NOT NULL,
  name text
) /* by account */;

-- One account for each telephone.
CREATE TABLE account_phones (
  phone text PRIMARY KEY,
  account_id uuid NOT NULL
);

CREATE TABLE sessions (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  device_name text NOT NULL,
  alert_key_hash bytea NOT NULL CHECK (length(alert_key_hash) = 32),
  created_at bigint NOT NULL,
  ended_at bigint,
  alert_key_ended_at bigint,
  PRIMARY KEY (account_id, id),
  CHECK (alert_key_ended_at IS NULL OR ended_at IS NOT NULL)
) /* by account */;

CREATE INDEX sessions_by_id ON sessions (id);
CREATE INDEX sessions_by_alert_key ON sessions (alert_key_hash);
CREATE INDEX sessions_ended ON sessions (alert_key_ended_at) WHERE alert_key_ended_at IS NOT NULL;

CREATE TABLE tokens (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  generation bigint NOT NULL CHECK (generation >= 1),
  access_hash bytea NOT NULL CHECK (length(access_hash) = 32),
  refresh_hash bytea NOT NULL CHECK (length(refresh_hash) = 32),
  salt bytea NOT NULL CHECK (length(salt) = 32),
  access_expires_at bigint NOT NULL,
  refresh_expires_at bigint NOT NULL,
  first_used_at bigint,
  replaced_at bigint,
  PRIMARY KEY (account_id, session_id, generation)
) /* by account */;

CREATE INDEX tokens_by_access ON tokens (access_hash);
CREATE INDEX tokens_by_refresh ON tokens (refresh_hash);
CREATE INDEX tokens_by_replacement ON tokens (replaced_at) WHERE replaced_at IS NOT NULL;
CREATE INDEX tokens_by_expiry ON tokens (refresh_expires_at);

CREATE TABLE account_logs (
  account_id uuid PRIMARY KEY,
  newest_sequence bigint NOT NULL CHECK (newest_sequence >= 0),
  newest_ordinal bigint NOT NULL CHECK (newest_ordinal >= 0),
  -- The transaction that changed something of the account last, and its process: so that others learn of it.
  changed bigint NOT NULL DEFAULT 0,
  changed_by uuid
) /* by account */;

CREATE INDEX account_logs_by_change ON account_logs (changed);

CREATE TABLE changes (
  account_id uuid NOT NULL,
  sequence bigint NOT NULL,
  entity_kind bigint NOT NULL CHECK (entity_kind BETWEEN 1 AND 5),
  entity_id uuid NOT NULL,
  tag bigint NOT NULL,
  PRIMARY KEY (account_id, sequence)
) /* by account */;

CREATE UNIQUE INDEX changes_by_entity ON changes (account_id, entity_kind, entity_id);

CREATE TABLE cursors (
  account_id uuid NOT NULL,
  device_id uuid NOT NULL,
  sequence bigint NOT NULL,
  tag bigint NOT NULL,
  PRIMARY KEY (account_id, device_id, sequence)
) /* by account */;

CREATE TABLE device_contacts (
  account_id uuid NOT NULL,
  device_id uuid NOT NULL,
  last_contact_at bigint NOT NULL,
  PRIMARY KEY (account_id, device_id)
) /* by account */;

CREATE TABLE mutations (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  fingerprint bigint NOT NULL,
  applied_at bigint,
  code text,
  message text,
  PRIMARY KEY (account_id, id),
  CHECK ((applied_at IS NULL) = (code IS NOT NULL))
) /* by account */;

CREATE TABLE alert_buckets (
  account_id uuid NOT NULL,
  session_id uuid NOT NULL,
  is_of_alert_key boolean NOT NULL,
  full_at bigint NOT NULL,
  PRIMARY KEY (account_id, session_id, is_of_alert_key)
) /* by account */;

CREATE INDEX alert_buckets_by_time ON alert_buckets (full_at);

-- Alerts

CREATE TABLE alerts (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  ordinal bigint NOT NULL CHECK (ordinal > 0),
  device_id uuid NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  message text,
  latitude double precision CHECK (latitude BETWEEN -90 AND 90),
  longitude double precision CHECK (longitude BETWEEN -180 AND 180),
  drill boolean NOT NULL,
  only_contact uuid,
  utc_offset_minutes bigint,
  received_at bigint NOT NULL,
  end_received_at bigint,
  notified_at bigint,
  corrected_started_at bigint,
  corrected_ended_at bigint,
  update_count bigint NOT NULL DEFAULT 0,
  update_id uuid,
  update_at bigint,
  update_message text,
  update_latitude double precision,
  update_longitude double precision,
  update_accuracy_m double precision,
  update_battery_percent bigint,
  asking_phase text CHECK (asking_phase IN ('asking', 'answered', 'checking', 'over')),
  asking_round bigint NOT NULL DEFAULT 0,
  asking_tier bigint NOT NULL DEFAULT 1,
  asking_due_at bigint,
  silence_due_at bigint,
  silent_since bigint,
  PRIMARY KEY (account_id, id),
  CHECK ((latitude IS NULL) = (longitude IS NULL)),
  CHECK ((ended_at IS NULL) = (end_received_at IS NULL)),
  CHECK (only_contact IS NULL OR drill)
) /* by account */;

CREATE UNIQUE INDEX alerts_by_ordinal ON alerts (account_id, ordinal);
CREATE INDEX alerts_active ON alerts (account_id, ordinal) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_receipt ON alerts (account_id, received_at, id);
CREATE INDEX alerts_asking ON alerts (asking_due_at) WHERE asking_due_at IS NOT NULL;
CREATE INDEX alerts_silence ON alerts (silence_due_at) WHERE silence_due_at IS NOT NULL;
CREATE INDEX alerts_silent ON alerts (account_id, device_id) WHERE silent_since IS NOT NULL;

CREATE TABLE alert_updates (
  account_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  number bigint NOT NULL CHECK (number > 0),
  mutation_id uuid NOT NULL,
  device_id uuid NOT NULL,
  at bigint NOT NULL,
  message text,
  latitude double precision CHECK (latitude BETWEEN -90 AND 90),
  longitude double precision CHECK (longitude BETWEEN -180 AND 180),
  accuracy_m double precision CHECK (accuracy_m >= 0),
  battery_percent bigint CHECK (battery_percent BETWEEN 0 AND 100),
  received_at bigint NOT NULL,
  is_call boolean NOT NULL,
  PRIMARY KEY (account_id, alert_id, number),
  CHECK ((latitude IS NULL) = (longitude IS NULL))
) /* by account */;

CREATE INDEX alert_updates_by_mutation ON alert_updates (account_id, alert_id, mutation_id);
CREATE INDEX alert_updates_with_place ON alert_updates (account_id, alert_id, number) WHERE latitude IS NOT NULL;
CREATE INDEX alert_updates_with_call ON alert_updates (account_id, alert_id, number) WHERE is_call;

CREATE TABLE responses (
  account_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  answer text NOT NULL CHECK (answer IN ('responding', 'on_my_way', 'there', 'handing_over', 'cannot')),
  text text,
  at bigint NOT NULL,
  PRIMARY KEY (account_id, alert_id, contact_id)
) /* by account */;

-- Contacts

CREATE TABLE contacts (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  phone text NOT NULL,
  is_responder boolean NOT NULL,
  is_dependent boolean NOT NULL,
  channels text NOT NULL,
  tier bigint NOT NULL CHECK (tier BETWEEN 1 AND 9),
  tested text NOT NULL DEFAULT '',
  failed text NOT NULL DEFAULT '',
  PRIMARY KEY (account_id, id)
) /* by account */;

CREATE INDEX contacts_by_responder_phone ON contacts (phone, account_id) WHERE is_responder;

-- Messages to responders

CREATE TABLE deliveries (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  alert_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  contact_name text NOT NULL,
  notice text NOT NULL CHECK (notice IN ('activated', 'deactivated')),
  channel_url text NOT NULL,
  host text NOT NULL,
  state text NOT NULL CHECK (state IN ('queued', 'sent', 'seen', 'acknowledged', 'failed')),
  state_at bigint NOT NULL,
  reason text,
  told_end boolean NOT NULL,
  created_at bigint NOT NULL,
  attempts bigint NOT NULL CHECK (attempts >= 0),
  refusals bigint NOT NULL CHECK (refusals >= 0),
  due_at bigint,
  is_leased boolean NOT NULL,
  is_dropped boolean NOT NULL,
  call_number bigint NOT NULL,
  told_call bigint NOT NULL,
  priority bigint NOT NULL CHECK (priority BETWEEN 0 AND 3),
  role text NOT NULL CHECK (role IN ('news', 'reminder', 'check', 'relief')),
  round bigint NOT NULL,
  holder uuid,                            -- the process that leased it last
  changed bigint NOT NULL,                -- the transaction that changed it last, as `writer` counts them
  PRIMARY KEY (account_id, id),
  CHECK (state = 'queued' OR (due_at IS NULL AND NOT is_leased)),
  CHECK (due_at IS NOT NULL OR state <> 'queued' OR notice = 'deactivated')
) /* by account */;

CREATE UNIQUE INDEX deliveries_by_target
  ON deliveries (account_id, alert_id, contact_id, channel_url, notice, role, call_number);
CREATE INDEX deliveries_by_id ON deliveries (id);
CREATE INDEX deliveries_by_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_change ON deliveries (changed);
CREATE INDEX deliveries_open ON deliveries (account_id, contact_id) WHERE state = 'queued';

-- Inboxes of responders

CREATE TABLE inbox (
  account_id uuid NOT NULL,
  id uuid NOT NULL,
  source_account_id uuid NOT NULL,
  source_alert_id uuid NOT NULL,
  ended_at bigint,
  record text NOT NULL,
  PRIMARY KEY (account_id, id)
) /* by account */;

CREATE INDEX inbox_by_end ON inbox (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE inbox_due (
  account_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  position bigint NOT NULL,               -- the order in which they were marked
  PRIMARY KEY (account_id, alert_id)
) /* by account */;

CREATE INDEX inbox_due_by_position ON inbox_due (position);

CREATE TABLE inbox_posts (
  account_id uuid NOT NULL,
  alert_id uuid NOT NULL,
  inbox_account_id uuid NOT NULL,
  PRIMARY KEY (account_id, alert_id, inbox_account_id)
) /* by account */;

-- The kept counts

CREATE FUNCTION keep_count(counted text, account uuid, step bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO kept_counts (name, slot, count) VALUES (counted, get_byte(uuid_send(account), 15) % 16, step)
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + step
$$;

CREATE FUNCTION count_alert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM keep_count('alerts', new.account_id, 1);
    IF new.ended_at IS NULL THEN PERFORM keep_count('active_alerts', new.account_id, 1); END IF;
  ELSIF old.ended_at IS NULL AND new.ended_at IS NOT NULL THEN
    PERFORM keep_count('active_alerts', new.account_id, -1);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER alert_counted AFTER INSERT OR UPDATE OF ended_at ON alerts FOR EACH ROW EXECUTE FUNCTION count_alert();

CREATE FUNCTION count_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.state = 'queued' AND (TG_OP = 'INSERT' OR old.state <> 'queued') THEN
    PERFORM keep_count('queued_deliveries', new.account_id, 1);
  ELSIF TG_OP = 'UPDATE' AND old.state = 'queued' AND new.state <> 'queued' THEN
    PERFORM keep_count('queued_deliveries', new.account_id, -1);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER delivery_counted AFTER INSERT OR UPDATE OF state ON deliveries FOR EACH ROW EXECUTE FUNCTION count_delivery();
