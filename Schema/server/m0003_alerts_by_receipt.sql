-- For the list of a responder, which is ordered by when the server received the alerts, over several accounts: without it each
-- page reads the whole history.
CREATE INDEX alerts_by_receipt ON alerts (account_id, received_at, id);
