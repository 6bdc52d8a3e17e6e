/// How to reach a database, and how long to wait for it.
package struct PostgresSettings: Sendable, Hashable {
  /// As libpq takes it, <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>. It may hold a password, so it is never
  /// shown.
  package var url: String
  /// Shown to the database's operator.
  package var applicationName: String
  /// How long a connection may take to be made with each of the URL's hosts. Whole seconds, at least two. How long their names may take to
  /// be resolved is up to the system.
  package var connectSeconds = 5
  /// How long the server may work on one statement; 0 is without a limit.
  package var statementMilliseconds = 10_000
  /// How long a statement may wait for a lock.
  package var lockMilliseconds = 5_000
  /// How long a transaction may stand still between two batches. Shorter than the wait for a lock: one whose process has stopped is undone
  /// before those that wait for it give up.
  package var idleMilliseconds = 3_000
  /// How long a batch may take in all. Longer than the server's own limits: without an answer by then, the server or the way to it is gone.
  package var batchMilliseconds = 15_000

  package init(url: String, applicationName: String) {
    self.url = url
    self.applicationName = applicationName
  }

  /// For work that may take long, and that nobody waits for.
  package var patient: PostgresSettings {
    var settings = self
    settings.statementMilliseconds = 0
    settings.batchMilliseconds = 24 * 3_600_000
    return settings
  }

  /// libpq's parameters. Those of the URL come last and count.
  var parameters: [(name: String, value: String)] {
    [
      ("fallback_application_name", applicationName), ("client_encoding", "UTF8"),
      ("target_session_attrs", "read-write"), ("connect_timeout", "\(connectSeconds)"),
      // A server that disappears is noticed within 15 seconds, also while nothing is sent.
      ("keepalives_idle", "5"), ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
      ("dbname", url),
    ]
  }

  /// What is set in each session, whatever the database's defaults are: a commit that is not on the disk would be lost with its machine. And
  /// each statement finds each of its rows by an index: one that was planned while a table, or what it holds of each account, was small would
  /// read all of that later. A plan is made once for each statement and session: PostgreSQL would plan most of these anew each time, since it
  /// takes a list of unknown length for ten times as long as most are. For the same reason it would start two more processes for a statement that
  /// reads a page, which takes longer than the statement.
  var session: String {
    """
    SET statement_timeout = \(statementMilliseconds);
    SET lock_timeout = \(lockMilliseconds);
    SET idle_in_transaction_session_timeout = \(idleMilliseconds);
    SET default_transaction_isolation = 'read committed';
    SET enable_seqscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET enable_material = off;
    SET jit = off;
    SET max_parallel_workers_per_gather = 0;
    SET plan_cache_mode = force_generic_plan;
    SELECT set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false);
    """
  }
}
