-- Which delivery goes next is found in memory, from what is queued. So no index needs to know whose turn it is: each cost
-- every message that is queued, claimed or answered a page of its own.

DROP INDEX deliveries_due;
DROP INDEX deliveries_leased;
DROP INDEX deliveries_leased_by_account;
