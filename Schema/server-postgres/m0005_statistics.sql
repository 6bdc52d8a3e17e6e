-- PostgreSQL is told that accounts are few, so that it takes each to have many rows. Where most accounts have one alert, it would hold reading
-- all rows of an account for as good as finding one of them by its whole key, and would plan that for the account with thousands, too.
-- Counts from when a table is analyzed next.

ALTER TABLE alerts ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE alert_updates ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE changes ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE contacts ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE cursors ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE deliveries ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE inbox ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE mutations ALTER COLUMN account_id SET (n_distinct = 100);
ALTER TABLE responses ALTER COLUMN account_id SET (n_distinct = 100);
