-- In each alert the ordinal below which no alert of its account was active when it came. Who looks for the active ones begins where the newest
-- alert says: the entries of all that ended since stay in `alerts_active` while anyone keeps an old state of the database in sight. It is
-- written with the alert and never changed. 0 is in alerts of programs that know fewer steps; then `account_logs.active_from` tells.

ALTER TABLE alerts ADD COLUMN active_from bigint NOT NULL DEFAULT 0;
