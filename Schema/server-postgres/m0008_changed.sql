-- What others changed is found by the number of the transaction. A step of its own: who reads need not wait for it.

CREATE INDEX IF NOT EXISTS changes_by_change ON changes (changed) WHERE changed > 0;
