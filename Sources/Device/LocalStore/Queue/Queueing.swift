import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Makes ids that carry the time of one moment.
struct IdentifierSource {
  let moment: Moment
  let random: @Sendable () -> (UInt64, UInt64)

  func next<Subject>() -> Identifier<Subject> { Identifier(versionSevenAt: moment.wall, random: random()) }
}

// How something gets into the queue. Each function is called inside a write transaction.
extension Connection {
  /// Queues a mutation and gives its sequence.
  func queue(_ mutation: Mutation, at moment: Moment) throws -> Int64 {
    try queue(
      SyncRequestWriter.QueuedMutation(
        id: mutation.id, kind: mutation.change.kind, entityID: mutation.entityID, occurredAt: mutation.occurredAt,
        body: MutationBody.text(of: mutation.change)),
      at: moment)
  }

  /// Queues a mutation whose body is a text already, and gives its sequence as it is stored.
  func queue(_ mutation: SyncRequestWriter.QueuedMutation, at moment: Moment) throws -> Int64 {
    if mutation.kind.lane == .emergency { try noteBoot(of: moment) }
    try statement(
      """
      INSERT INTO pending_mutations (sequence, id, account_id, entity_id, kind, lane, occurred_at, body, created_at,
        created_monotonic)
      VALUES (?, ?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .integer(try newestSequence() + 1 + mutation.kind.lane.firstSequence),
      SQLiteValue(mutation.id), SQLiteValue(mutation.entityID), .text(mutation.kind.rawValue),
      .text(mutation.kind.lane.rawValue), SQLiteValue(mutation.occurredAt), .text(mutation.body),
      SQLiteValue(moment.wall), .integer(moment.monotonicMilliseconds)
    )
    return lastInsertedRowID
  }

  /// Queues the wish that responders be told, behind the alert's mutation of this sequence.
  func queue(_ notification: NotificationRequest, behind sequence: Int64, at moment: Moment) throws {
    try statement(
      """
      INSERT INTO pending_notifications (sequence, id, account_id, alert_id, kind, created_at)
      VALUES (?, ?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?)
      """
    ).run(
      .integer(sequence), SQLiteValue(notification.id), SQLiteValue(notification.alertID),
      .text(notification.notice.rawValue), SQLiteValue(moment.wall)
    )
  }

  /// Stores and queues a new alert: its mutation, its row and its notification request.
  func insert(_ raised: RaisedAlert, at moment: Moment) throws {
    if PlantedBug.mutationApart.isPlanted { try insertRow(raised, apart: true) }
    let sequence = try queue(raised.mutation, at: moment)
    if !PlantedBug.mutationApart.isPlanted { try insertRow(raised) }
    try queue(raised.notification, behind: sequence, at: moment)
  }

  /// The alert's row alone. Its place in the list is before all that are there.
  func insertRow(_ raised: RaisedAlert) throws {
    let activation = raised.activation
    try statement(
      """
      INSERT INTO alerts (id, account_id, list_order, started_at, message, latitude, longitude, drill,
        utc_offset_minutes, started_monotonic, server_offset)
      VALUES (?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, ?, ?, ?,
        (SELECT CAST(value AS INTEGER) FROM sync_state WHERE key = 'server_offset'))
      """
    ).run(
      SQLiteValue(raised.id), .integer(try nextPlace()), SQLiteValue(activation.startedAt),
      SQLiteValue(activation.message),
      SQLiteValue(activation.location?.latitude), SQLiteValue(activation.location?.longitude),
      SQLiteValue(activation.isDrill), SQLiteValue(activation.utcOffsetMinutes.map(Int64.init)),
      SQLiteValue(raised.startedMonotonicMilliseconds)
    )
  }

  /// The place in the list behind all alerts that are there, for one to which the server has given none yet.
  ///
  /// To be called in the transaction that takes the place, or another process may take it too.
  func nextPlace() throws -> Int64 {
    // Places from 9 * 10^18 on are damage: one more must still fit.
    try statement(
      """
      SELECT max(4611686018427387904, coalesce(max(list_order), 0) + 1) FROM alerts
      WHERE list_order < 9000000000000000000
      """
    ).first { $0.integer(0) } ?? 1 << 62
  }

  /// The greatest sequence that was ever given, of either lane.
  func newestSequence() throws -> Int64 {
    // Numbers that no count reaches are damage: one more must still fit into its lane.
    try statement(
      """
      SELECT max(
        coalesce((SELECT max(sequence) FROM pending_mutations WHERE sequence < ?2), 0),
        coalesce((SELECT max(sequence) - ?1 FROM pending_mutations WHERE sequence > ?1 AND sequence < ?1 + ?2), 0),
        coalesce((SELECT max(sequence) FROM pending_notifications WHERE sequence < ?2), 0),
        coalesce((SELECT CAST(value AS INTEGER) FROM sync_state
          WHERE key = 'sequence_floor' AND CAST(value AS INTEGER) < ?2), 0))
      """
    ).first(.firstRoutineSequence, .integer(Lane.implausibleCount)) { $0.integer(0) } ?? 0
  }

  /// To be called before rows are taken from the queue, so that their sequences are not given again.
  func keepSequences() throws {
    try setValue(try newestSequence(), for: .sequenceFloor)
  }

  func hasAlert(_ id: AlertID) throws -> Bool {
    try statement("SELECT 1 FROM alerts WHERE id = ?").first(SQLiteValue(id)) { _ in true } ?? false
  }
}

extension Lane {
  /// Mutations of the emergency lane have smaller sequences, those of the routine lane greater ones: so one index serves both, and
  /// everything of an emergency comes first. The tables check it.
  static let firstRoutineSequence: Int64 = 1 << 61
  /// No count of items gets there: what reads so is damage.
  static let implausibleCount: Int64 = 1 << 60

  /// What is added to the sequences of the lane's mutations in the table.
  var firstSequence: Int64 {
    switch self {
    case .emergency: 0
    case .routine: Self.firstRoutineSequence
    }
  }
}

/// An alert raised here, with the ids of all that is queued for it.
struct RaisedAlert: Hashable, Sendable {
  let id: AlertID
  let mutationID: MutationID
  let notificationID: NotificationID
  let activation: AlertActivation
  let startedMonotonicMilliseconds: Int64
  /// The boot to which that reading belongs; nil where it is not known.
  let boot: String?

  init(
    id: AlertID, mutationID: MutationID, notificationID: NotificationID, activation: AlertActivation,
    startedMonotonicMilliseconds: Int64, boot: String? = nil
  ) {
    self.id = id
    self.mutationID = mutationID
    self.notificationID = notificationID
    self.activation = activation
    self.startedMonotonicMilliseconds = startedMonotonicMilliseconds
    self.boot = boot
  }

  init(_ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) {
    let identifiers = IdentifierSource(moment: moment, random: random)
    id = identifiers.next()
    mutationID = identifiers.next()
    notificationID = identifiers.next()
    activation = AlertActivation(
      startedAt: moment.wall, message: draft.message, location: draft.location, isDrill: draft.isDrill,
      utcOffsetMinutes: draft.utcOffsetMinutes)
    startedMonotonicMilliseconds = moment.monotonicMilliseconds
    boot = moment.boot
  }

  var alert: Alert {
    Alert(
      id: id, startedAt: activation.startedAt, message: activation.message, location: activation.location,
      isDrill: activation.isDrill)
  }

  var mutation: Mutation {
    Mutation(
      id: mutationID, entityID: EntityID(id), occurredAt: activation.startedAt, change: .activateAlert(activation))
  }

  var notification: NotificationRequest {
    NotificationRequest(id: notificationID, alertID: id, notice: .activated)
  }
}

extension SQLiteValue {
  /// `Lane.firstRoutineSequence`.
  static let firstRoutineSequence = SQLiteValue.integer(Lane.firstRoutineSequence)
}
