-- What is forgotten of an alert some time after its end. Its row stays: by its id an old request that arrives again is answered without
-- raising anything anew, and a device that was away for long learns of the end.

-- 0: nothing yet; 1: what led responders to it; 2: places too; 3: everything but its id, its times, and whether it was a drill.
ALTER TABLE alerts ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten BETWEEN 0 AND 3);

CREATE INDEX alerts_to_forget ON alerts (forgotten, end_received_at) WHERE end_received_at IS NOT NULL;
CREATE INDEX page_links_by_alert ON page_links (account_id, alert_id);
CREATE INDEX answer_codes_by_alert ON answer_codes (account_id, alert_id);

-- What accounts that were removed left.
DELETE FROM page_links WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM answer_codes WHERE account_id NOT IN (SELECT id FROM accounts);
DELETE FROM inbox_posts WHERE account_id NOT IN (SELECT id FROM accounts) OR inbox_account_id NOT IN (SELECT id FROM accounts);
