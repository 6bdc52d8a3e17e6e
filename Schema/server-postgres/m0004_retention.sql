-- As the twentieth migration of the embedded store.

ALTER TABLE alerts ADD COLUMN forgotten bigint NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS alerts_to_forget ON alerts (forgotten, end_received_at) WHERE end_received_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS page_links_by_alert ON page_links (account_id, alert_id);
CREATE INDEX IF NOT EXISTS answer_codes_by_alert ON answer_codes (account_id, alert_id);

DELETE FROM page_links WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account_id = page_links.account_id);
DELETE FROM answer_codes WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account_id = answer_codes.account_id);
DELETE FROM inbox_posts
WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account_id = inbox_posts.account_id)
  OR NOT EXISTS (SELECT 1 FROM accounts WHERE accounts.account_id = inbox_posts.inbox_account_id);
