-- Which messages go first, and what the times of a device with a wrong clock are by the server's.

-- 0: help for a real alert; 1: "safe" of one; 2: a drill's messages.
ALTER TABLE deliveries ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (0, 1, 2));

-- What is sent or seen is not claimed again.
UPDATE deliveries SET priority = CASE
    WHEN EXISTS (
      SELECT 1 FROM alerts
      WHERE alerts.account_id = deliveries.account_id AND alerts.id = deliveries.alert_id AND alerts.drill = 1) THEN 2
    WHEN notice = 'deactivated' THEN 1 ELSE 0 END
  WHERE state IN ('queued', 'failed');

-- Urgent ones before others, first attempts before repeats, and the accounts of one host side by side: the next in turn is found
-- by leaping from one to the next.
DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (priority, (attempts > 0), host, account_id, due_at) WHERE due_at IS NOT NULL;

-- By the server's clock, where the device's was off by more than a minute; NULL: what the device said stands.
ALTER TABLE alerts ADD COLUMN corrected_started_at INTEGER;
ALTER TABLE alerts ADD COLUMN corrected_ended_at INTEGER;
