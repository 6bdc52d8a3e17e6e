"""Which server had leased which message, as the database saw it: noted by a trigger of the trial, not by the server.

Each run of a server connects under a name of its own, so that a lease is known to be of a run that was killed.
"""

from collections import defaultdict

from .context import require

# A row for each lease that begins or ends.
TABLE = """
CREATE TABLE lease_events (
  number bigserial PRIMARY KEY,
  at double precision NOT NULL DEFAULT extract(epoch FROM clock_timestamp()),
  run text NOT NULL DEFAULT current_setting('application_name'),
  message uuid NOT NULL,
  is_leased boolean NOT NULL,
  state text NOT NULL);
CREATE FUNCTION note_lease() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  earlier_attempts bigint := 0;
  was_leased boolean := false;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    earlier_attempts := old.attempts;
    was_leased := old.is_leased;
  END IF;
  IF new.is_leased AND new.attempts > earlier_attempts OR was_leased AND NOT new.is_leased THEN
    INSERT INTO lease_events (message, is_leased, state) VALUES (new.id, new.is_leased, new.state);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER lease_noted AFTER INSERT OR UPDATE ON deliveries FOR EACH ROW EXECUTE FUNCTION note_lease()"""


class Lease:
    """One lease of a message: when it began, and of which run."""

    def __init__(self, at, run):
        self.at, self.run = at, run

    def __repr__(self):
        return f"by {self.run} at {self.at:.3f}"


class Leases:
    """The leases of all messages in one database."""

    def __init__(self, cluster, database):
        self.cluster, self.database = cluster, database
        # How many leases were left by a run that was killed, and how many were given back by a living one.
        self.left, self.given_back = 0, 0

    def watch(self):
        """Begins to note them. The tables must be there."""
        self.cluster.query(TABLE, self.database)

    def check(self, arrivals, killed):
        """Checks that a message is leased again only after its holder was killed or gave it back, never after it was recorded as sent, and
        arrives at most once for each lease.

        - `arrivals`: the arrivals of each message by its id
        - `killed`: when each run was killed
        """
        events = defaultdict(list)
        for row in self.cluster.query("SELECT message, at, run, is_leased, state FROM lease_events ORDER BY number", self.database):
            message, at, run, is_leased, state = row.split("|")
            events[message].append((float(at), run, is_leased == "t", state))
        unknown = arrivals.keys() - events.keys()
        require(not unknown, f"messages arrived that were never leased: {unknown}")
        self.left, self.given_back = 0, 0
        for message, history in events.items():
            leases = self.followed(message, history, killed)
            self.check_arrivals(message, leases, arrivals.get(message, []), history)

    def followed(self, message, history, killed):
        """The leases of one message."""
        leases, holder, is_told = [], None, False
        for at, run, is_leased, state in history:
            if holder and (is_leased or run != holder):
                # An answer on the responder's page ends a lease too, whichever server takes it.
                is_explained = killed.get(holder, at) < at or state in ("acknowledged", "seen")
                require(is_explained, f"message {message} was taken from {holder}, which works: {history}")
                self.left += state == "queued"
            elif holder and state == "queued":
                self.given_back += 1
            if is_leased:
                require(not is_told, f"message {message} was leased again although it was recorded as sent: {history}")
                leases.append(Lease(at, run))
            holder = run if is_leased else None
            is_told = is_told or not is_leased and state in ("sent", "seen", "acknowledged")
        return leases

    def check_arrivals(self, message, leases, arrivals, history):
        ends = [lease.at for lease in leases[1:]] + [float("inf")]
        require(
            not arrivals or arrivals[0].at >= leases[0].at, f"message {message} arrived before it was leased: {arrivals}, {leases}")
        for lease, end in zip(leases, ends):
            during = [arrival for arrival in arrivals if lease.at <= arrival.at < end]
            require(len(during) <= 1, f"message {message} arrived {len(during)} times during one lease: {during}, {leases}")
        if any(state == "sent" for _, _, _, state in history):
            require(arrivals, f"message {message} is recorded as sent, and never arrived: {history}")
