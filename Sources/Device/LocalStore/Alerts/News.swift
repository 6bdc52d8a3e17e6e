package import Model
import SQLiteKit

/// What is new about an active alert.
package struct AlertNews: Hashable, Sendable {
  package var message: String?
  package var location: Location?
  /// The radius around `location`; nil if unknown. Without a location it is ignored.
  package var accuracyMeters: Double?
  /// 0…100; nil if unknown.
  package var batteryPercent: Int?
  /// Minutes east of UTC, here and now; nil if unknown.
  package var utcOffsetMinutes: Int?

  package init(
    message: String? = nil, location: Location? = nil, accuracyMeters: Double? = nil, batteryPercent: Int? = nil,
    utcOffsetMinutes: Int? = nil
  ) {
    self.message = message
    self.location = location
    self.accuracyMeters = location == nil ? nil : accuracyMeters
    self.batteryPercent = batteryPercent
    self.utcOffsetMinutes = utcOffsetMinutes
  }

  /// Whether a person says something: that is a call for help, and a place or a battery level alone is none.
  package var isCall: Bool { message != nil }

  package var isEmpty: Bool { message == nil && location == nil && batteryPercent == nil }
}

/// News of an alert, saved here.
package struct SavedNews: Hashable, Sendable {
  /// The active alert that they are about.
  package let alert: Alert
  /// The id under which they are queued.
  package let mutation: MutationID
  /// For `pressProgress`, if they are a call for help.
  package let press: AlertID?
  /// Where they are no call: the newest further call that waits before them. If it becomes an alert of its own, they go with it.
  package var carrier: AlertID?
}

extension LocalStore {
  /// How many places of one alert wait here at most; older ones are dropped.
  static let waitingPlaceLimit: Int64 = 100

  /// Queues news of the active alert, a real one before a drill, and returns when they are durable; nil if none is active.
  ///
  /// News with a message are a call for help: as a further press, they become an alert of their own if this one has ended on another
  /// device. A place or a battery level is dropped then, if no call is before it. Each place is sent: they are the track.
  ///
  /// - Parameter press: only of the alert that this press belongs to by now; nil: of any.
  package func updateAlert(
    _ news: AlertNews, ofPress press: AlertID? = nil, at moment: Moment
  ) throws(LocalStoreError) -> SavedNews? {
    takeInSpool(at: moment, until: options.activationDeadline)
    let ends = waitingAlerts().ends
    let draft = AlertDraft(
      message: news.message, location: news.location, utcOffsetMinutes: news.utcOffsetMinutes)
    let own = RaisedAlert(draft, at: moment, random: options.random)
    let identifiers = identifiers(at: moment)
    return try writeAndPoke { transaction in
      let alert = try press.map { try transaction.progress(of: $0)?.alertID ?? $0 }
      guard let active = try transaction.activeAlertForNews(alert, besides: ends) else { return nil }
      guard news.isCall else {
        try transaction.enqueuePlace(news, as: own.mutationID, of: active, at: moment)
        return SavedNews(
          alert: active, mutation: own.mutationID, press: nil,
          carrier: try transaction.newestWaitingPress(of: active.id))
      }
      try transaction.enqueueCall(own, news, as: own.mutationID, of: active, identifiers)
      return SavedNews(alert: active, mutation: own.mutationID, press: own.id)
    }
  }

  /// Whether the mutation waits to be sent, or was refused.
  package func isQueued(_ id: MutationID) throws(LocalStoreError) -> Bool {
    try file.read { try $0.hasRow("SELECT 1 FROM pending_mutations WHERE id = ?", SQLiteValue(id)) }
  }
}

extension StoreReading {
  /// The newest further call of the alert that waits; nil if none does.
  fileprivate func newestWaitingPress(of id: AlertID) throws -> AlertID? {
    guard try hasPendingCall(of: id) else { return nil }
    return try row(
      "SELECT id FROM presses WHERE alert_id = ? AND accepted_at IS NULL ORDER BY number DESC LIMIT 1", SQLiteValue(id)
    ) { row in try row["id", as: AlertID.self] }
  }

  fileprivate func activeAlertForNews(_ id: AlertID?, besides ends: [UnsavedEnd]) throws -> Alert? {
    try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL ORDER BY drill, list_order
      """, row: Alert.init(row:)
    ).first { ends.applied(to: $0).isActive && (id == nil || $0.id == id) }
  }
}

extension StoreTransaction {
  fileprivate func enqueuePlace(_ news: AlertNews, as id: MutationID, of alert: Alert, at moment: Moment) throws {
    let update = AlertUpdate(
      at: moment.wall, location: news.location, accuracyMeters: news.accuracyMeters,
      batteryPercent: news.batteryPercent, isCall: false)
    try enqueue(
      Mutation(id: id, entityID: EntityID(alert.id), occurredAt: moment.wall, change: .updateAlert(update)), at: moment)
    try removePendingPlaces(of: alert.id, exceptNewest: LocalStore.waitingPlaceLimit)
  }
}
