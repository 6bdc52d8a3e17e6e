package import Model
import SQLiteKit

/// A test of how one responder is reached: a drill that nobody else is told of, and that asks them to press "I got this".
///
/// It is no alert: it is not in the history, no press repeats it, and nobody has to end it. The server ends it when they have answered
/// through each of their channels, and the device when `Alert.testMilliseconds` have passed.
package struct ContactTest: Hashable, Sendable {
  package var alertID: AlertID
  package var contactID: ContactID
  /// By this device's clock, or that of the device that started it.
  package var startedAt: Timestamp
  /// By the server's clock; nil while the server does not have it.
  package var acceptedAt: Timestamp?
  package var endedAt: Timestamp?
  /// How far the message got, by channel.
  package var receipts: [Receipt]
  /// Why the server did not take it; nil if it did, or has not answered.
  package var refusal: String?

  /// Whether they pressed in at least one channel's message.
  package var isAnswered: Bool { receipts.contains { $0.state == .acknowledged } }

  /// The same at `time`: a test that was not answered in time is over, also before this device has told the server so.
  package func isOver(at time: Timestamp) -> Bool {
    isOver || time.milliseconds(since: startedAt) >= Alert.testMilliseconds
  }

  /// Whether nothing more is expected of it.
  package var isOver: Bool {
    endedAt != nil || refusal != nil
      || !receipts.isEmpty && receipts.allSatisfy { $0.state == .acknowledged || $0.state == .failed }
  }
}

/// What starting a test gave.
package enum ContactTestStart: Hashable, Sendable {
  /// It is durable, and waits for the server. Or one was running already.
  case running(ContactTest)
  case refused(Obstacle)

  /// Why a test cannot be started.
  package enum Obstacle: String, Hashable, Sendable, CaseIterable {
    /// A message about a test must not come amid those of an alert or a drill.
    case alertActive = "alert_active"
    case notResponder = "not_responder"
    case noChannel = "no_channel"
    case unsupported = "unsupported_channels"
    /// The server has not said that it can test a single contact: an old one would tell all responders.
    case unknownServer = "unknown_server"

    /// For a person, without a full stop.
    package var reason: String {
      switch self {
      case .alertActive: "an alert or a drill is active"
      case .notResponder: "this contact is not a responder"
      case .noChannel: "this contact has no channel"
      case .unsupported: "this server cannot use their channels"
      case .unknownServer: "the server is too old, or was not reached"
      }
    }
  }
}

extension LocalStore {
  /// Starts a test of the contact, or gives the one that is running. Throws `notFound`.
  package func testContact(
    _ id: ContactID, utcOffsetMinutes: Int?, at moment: Moment
  ) throws(LocalStoreError) -> ContactTestStart {
    let isCalling = waitingAlerts().alerts.contains(where: \.isActive)
    var draft = AlertDraft(isDrill: true, utcOffsetMinutes: utcOffsetMinutes)
    draft.onlyContact = id
    let raised = RaisedAlert(draft, at: moment, random: options.random)
    let identifiers = identifiers(at: moment)
    return try writeAndPoke { transaction in
      try transaction.endExpiredTests(identifiers)
      let details = try transaction.requireContact(id).details
      if let obstacle = try transaction.obstacle(toTesting: details, isCalling: isCalling) { return .refused(obstacle) }
      if let running = try transaction.contactTests(of: id).first, !running.isOver { return .running(running) }
      try transaction.insert(raised, at: moment)
      return .running(
        ContactTest(alertID: raised.id, contactID: id, startedAt: moment.wall, receipts: []))
    }
  }

  /// How far a test got; nil if there is no such test.
  package func contactTest(_ id: AlertID) throws(LocalStoreError) -> ContactTest? {
    try file.read { reading in
      try reading.row(
        """
        SELECT id, only_contact, started_at, accepted_at, ended_at FROM alerts WHERE id = ? AND only_contact IS NOT NULL
        """, SQLiteValue(id)
      ) { row in try reading.contactTest(row) }
    }
  }

  /// The newest test of each contact that was tested, without those that cannot be read.
  package func newestContactTests() throws(LocalStoreError) -> [ContactID: ContactTest] {
    let tests = try file.read { reading in
      try reading.readableRows(
        """
        SELECT id, only_contact, started_at, accepted_at, ended_at FROM alerts
        WHERE only_contact IS NOT NULL ORDER BY list_order DESC LIMIT 1000
        """
      ) { row in try reading.contactTest(row) }
    }
    return Dictionary(tests.map { ($0.contactID, $0) }) { newest, _ in newest }
  }
}

extension StoreReading {
  fileprivate func obstacle(
    toTesting details: ContactDetails, isCalling: Bool
  ) throws -> ContactTestStart.Obstacle? {
    if try isCalling || hasActiveAlert() { return .alertActive }
    guard details.isResponder else { return .notResponder }
    guard !details.channels.isEmpty else { return .noChannel }
    let channels = try serverChannels()
    guard channels.kinds != nil else { return .unknownServer }
    return details.channels.contains(where: channels.canServe) ? nil : .unsupported
  }

  /// The newest test of the contact.
  fileprivate func contactTests(of id: ContactID) throws -> [ContactTest] {
    try rows(
      """
      SELECT id, only_contact, started_at, accepted_at, ended_at FROM alerts
      WHERE only_contact = ? AND discarded_at IS NULL ORDER BY list_order DESC LIMIT 1
      """, SQLiteValue(id)
    ) { row in try contactTest(row) }
  }

  /// The columns `id, only_contact, started_at, accepted_at, ended_at`.
  fileprivate func contactTest(_ row: borrowing Row) throws -> ContactTest {
    let id: AlertID = try row["id"]
    return ContactTest(
      alertID: id, contactID: try row["only_contact"], startedAt: try row["started_at"],
      acceptedAt: try row["accepted_at"], endedAt: try row["ended_at"],
      receipts: try receipts(of: id).filter { $0.notice == .activated },
      refusal: try value(
        "SELECT parked_message FROM pending_mutations WHERE entity_id = ? AND parked_at IS NOT NULL LIMIT 1",
        SQLiteValue(id)))
  }
}

extension StoreTransaction {
  /// Ends tests that were not answered in time, and queues their ends. Nobody is told.
  func endExpiredTests(_ identifiers: IdentifierSource) throws {
    let now = identifiers.moment.wall
    let expired = try readableRows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND drill = 1 AND only_contact IS NOT NULL AND started_at <= ?
      """, SQLiteValue(now.advanced(byMilliseconds: -Alert.testMilliseconds)), row: Alert.init(row:))
    for var test in expired {
      test.end(at: test.startedAt.advanced(byMilliseconds: Alert.testMilliseconds))
      try run("UPDATE alerts SET ended_at = ? WHERE id = ?", SQLiteValue(test.endedAt), SQLiteValue(test.id))
      try enqueueEnd(of: test, identifiers: identifiers, isNotified: false)
    }
  }

  /// Marks a test that the server does not have as one that it will never get.
  func discardTest(_ id: AlertID, at moment: Moment) throws {
    try keepSequences()
    try run("DELETE FROM pending_notifications WHERE alert_id = ?", SQLiteValue(id))
    try run("DELETE FROM pending_mutations WHERE entity_id = ?", SQLiteValue(id))
    try run(
      """
      UPDATE alerts SET ended_at = coalesce(ended_at, ?1), discarded_at = ?1, accepted_at = NULL, end_accepted_at = NULL
      WHERE id = ?2
      """, SQLiteValue(moment.wall), SQLiteValue(id))
  }
}
