-- Responders of a higher tier are told later, if nobody of the lower ones comes.
ALTER TABLE contacts ADD COLUMN tier INTEGER NOT NULL DEFAULT 1;
