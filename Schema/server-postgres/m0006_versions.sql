-- Fewer versions of one row, and none on the way of an alert: each stays while anyone keeps an old state of the database in sight.

-- The messages that wait for another one. The others are in the schedule that the server keeps in memory.

CREATE INDEX IF NOT EXISTS deliveries_held ON deliveries (account_id) WHERE state = 'queued' AND due_at IS NULL;

-- The alerts that were received, in up to 65,536 rows, by the end of the alert's id: an account that raises many changes no row often. Their sum
-- is read as before, so that programs that know five steps show the same count.

CREATE OR REPLACE FUNCTION count_new_alerts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO kept_counts (name, slot, count)
  SELECT 'alerts ' || (get_byte(uuid_send(id), 14) * 16 + (get_byte(uuid_send(id), 15) >> 4)), get_byte(uuid_send(id), 15) % 16, count(*)
  FROM inserted GROUP BY 1, 2
  ON CONFLICT (name, slot) DO UPDATE SET count = kept_counts.count + excluded.count;
  RETURN NULL;
END $$;
