import ChildPrograms
import Model
import ServerCore
import ServerStoreSQLite
import TestSupport
import Testing

/// Compares the time of the most frequent decisions for an account with 200,000 rows with that for an account without
/// rows. Larger tables have the same plans (`StatementPlanTests`), and would make the tests slower without a benefit.
@Suite(.computing) struct `In large tables` {
  private static let rows = 200_000

  private static func identifier<Subject>(_ prefix: Int, _ number: Int) throws -> Identifier<Subject> {
    let digits = String(number)
    return try #require(
      Identifier<Subject>(
        "0000000\(prefix)-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.utf8.count) + digits))
  }

  private static let fill = """
    CREATE TEMP TABLE numbers AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      SELECT i, printf('00000001-0000-7000-8000-%012d', i) AS alert, printf('00000002-0000-7000-8000-%012d', i) AS delivery,
        printf('00000004-0000-7000-8000-%012d', i) AS item FROM n;
    INSERT INTO accounts (id, phone, epoch, created_at) VALUES
      ('00000003-0000-7000-8000-000000000001', '+12025550111', 'a', 0),
      ('00000003-0000-7000-8000-000000000002', '+12025550112', 'b', 0);
    INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, ended_at, end_received_at, drill, received_at)
      SELECT '00000003-0000-7000-8000-000000000001', alert, i, item, i, i, i, 0, i FROM numbers;
    INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag)
      SELECT '00000003-0000-7000-8000-000000000001', i, 1, alert, i FROM numbers;
    INSERT INTO mutations (account_id, id, fingerprint, applied_at)
      SELECT '00000003-0000-7000-8000-000000000001', item, i, i FROM numbers;
    INSERT INTO deliveries (id, account_id, alert_id, contact_id, contact_name, notice, channel_url, host, state,
        state_at, told_end, created_at, attempts, refusals, is_leased, is_dropped)
      SELECT delivery, '00000003-0000-7000-8000-000000000001', alert, item, 'Ana', 'activated', 'https://a.example/',
        'a.example', 'sent', i, 0, i, 1, 0, 0, 0 FROM numbers;
    INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal)
      VALUES ('00000003-0000-7000-8000-000000000001', \(rows), \(rows));
    DROP TABLE numbers;
    """

  /// The shortest time of several runs, since other work on the machine only makes a run longer.
  private func shortest(_ work: () throws -> Void) rethrows -> Duration {
    var shortest = Duration.seconds(1000)
    for _ in 0..<20 { shortest = min(shortest, try ContinuousClock().measure(work)) }
    return shortest
  }

  @Test(.enabled(if: !ThreadSanitizer.isOn, "it measures time, on one thread"))
  func `the facts of an exchange and the counts cost as much as in small ones`() throws {
    let subject = try EmbeddedStore()
    try subject.file.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(Self.fill)
    }
    func exchange(_ account: Int) throws {
      var needs = FactNeeds()
      needs.alerts = [try Self.identifier(1, 777)]
      needs.results = [try Self.identifier(4, 777)]
      needs.activeAlerts = 100
      needs.newestAlerts = 10
      needs.deliveriesOfAlerts = needs.alerts
      needs.deliveryCounts = needs.alerts
      needs.openDeliveryCount = true
      needs.editedContacts = [try Self.identifier(4, 777)]
      needs.cursors = [CursorClaim(sequence: 1, tag: 1)]
      needs.page = PageNeed(after: Int64(Self.rows) - 10, count: 20)
      var request = RequestNeeds()
      request.accounts[try Self.identifier(3, account)] = needs
      request.storeCounts = true
      request.overview = OverviewNeed(limit: 200, lateBefore: Timestamp(milliseconds: 0))
      try read(request)
    }
    func read(_ needs: RequestNeeds) throws {
      var facts = RequestFacts()
      try subject.file.read { try $0.addFacts(needs, to: &facts) }
    }
    let none = try shortest { try exchange(2) }
    let many = try shortest { try exchange(1) }
    #expect(many < none * 20, "an exchange of an account with much: \(many), with nothing: \(none)")
  }
}
