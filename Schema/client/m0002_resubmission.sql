-- Finds what is queued of one alert or contact without a scan, and remembers what a resubmission has queued.

CREATE INDEX pending_mutations_entity ON pending_mutations (entity_id, sequence);
CREATE INDEX pending_notifications_alert ON pending_notifications (alert_id, sequence);

-- The resubmission to a restored server that queued the alert again, or during which the server took it; NULL: none did.
ALTER TABLE alerts ADD COLUMN resubmission TEXT;
