-- That the device which raised an alert has fallen silent, for the copies in responders' inboxes: those change only when they are written.
ALTER TABLE alerts ADD COLUMN silence_due_at INTEGER;   -- when to check whether it is silent; NULL: not at all
ALTER TABLE alerts ADD COLUMN silent_since INTEGER;     -- its last contact, as inboxes say it; NULL: they say nothing

CREATE INDEX alerts_silence ON alerts (silence_due_at) WHERE silence_due_at IS NOT NULL;
CREATE INDEX alerts_silent ON alerts (account_id, device_id) WHERE silent_since IS NOT NULL;

-- What stands in an inbox from before is checked at once.
UPDATE alerts SET silence_due_at = 0
  WHERE ended_at IS NULL
    AND EXISTS (SELECT 1 FROM inbox_posts WHERE inbox_posts.account_id = alerts.account_id AND inbox_posts.alert_id = alerts.id);
