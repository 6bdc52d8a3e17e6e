-- In each alert the ordinal below which no alert of its account was active when it came. Who looks for the active ones begins where the newest
-- alert says: the entries of all that ended since stay in `alerts_active` while anyone keeps an old state of the database in sight. It is
-- written with the alert and never changed. Where it is 0 nobody knew, and `account_logs.active_from` tells, as it does in programs that know
-- fewer steps.

ALTER TABLE alerts ADD COLUMN active_from bigint NOT NULL DEFAULT 0;

-- As in other tables of an account: tokens are looked for by their account and their hash, and are not to be found by reading all of it.

ALTER TABLE sessions ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE tokens ALTER COLUMN account_id SET (n_distinct = 100);
