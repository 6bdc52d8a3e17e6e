-- What is queued for one contact is looked up for each edit of that contact: without the contact in the index, an edit read everything
-- that is queued of the account.
DROP INDEX deliveries_open;
CREATE INDEX deliveries_open ON deliveries (account_id, contact_id) WHERE state = 'queued';

-- A device that ends an alert names the updates that it has seen, and a message tells the newest place: both would walk all updates
-- of the alert.
CREATE INDEX alert_updates_by_mutation ON alert_updates (account_id, alert_id, mutation_id);
CREATE INDEX alert_updates_with_place ON alert_updates (account_id, alert_id, number) WHERE latitude IS NOT NULL;
