-- The kind of a delivery's channel follows from its URL. As a column with a list of the kinds it was in the way of every new one.
ALTER TABLE deliveries DROP COLUMN channel_kind;
