-- An ordinal below which no alert of the account is active. Where anyone keeps an old state of the database in sight, `alerts_active` still leads
-- to all that have ended since: whoever looks for the active ones begins here. It is raised with the limits of positions, once in many changes,
-- and is only ever a lower bound: a program that does not know it may leave it as it is.

ALTER TABLE account_logs ADD COLUMN active_from bigint NOT NULL DEFAULT 0;
