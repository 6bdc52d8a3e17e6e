package import Model
package import Wire

/// Alerts and contacts. All rows are keyed by their account: an id of another account is simply not there.
///
/// All functions throw `StorageError`.
package protocol AlertRecords {
  func alert(_ id: AlertID, of account: AccountID) throws(StorageError) -> StoredAlert?
  /// Up to `limit` alerts with a smaller ordinal than `before`, newest first.
  func alerts(
    of account: AccountID, activeOnly: Bool, before: Int64?, limit: Int
  ) throws(StorageError) -> [StoredAlert]
  /// Up to `limit` active alerts of any account about which responders are to be asked again: those that are due at `now`, and those that
  /// are due after `latest`, from before the clock was set back.
  func alertsToAskAbout(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert]
  /// Asks no sooner than at `time` again, without reading the row: something of it cannot be read.
  func postponeAsking(about asked: AccountAlert, to time: Timestamp) throws(StorageError)
  /// Up to `limit` active alerts of any account whose device is to be checked for silence: those that are due at `now`, and those that are
  /// due after `latest`, from before the clock was set back.
  func alertsToCheckForSilence(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert]
  /// Checks no longer, without reading the row: something of it cannot be read.
  func endSilenceChecks(of alert: AccountAlert) throws(StorageError)
  /// Up to `limit` alerts of any account that are to be written into inboxes (`WriteSet.inboxDue`).
  func alertsToPost(limit: Int) throws(StorageError) -> [AccountAlert]
  /// They are written.
  func endPosting(of alert: AccountAlert) throws(StorageError)
  /// The accounts of others whom the contacts name as responders, and those in whose inbox the alert stands.
  func responderInboxes(of alert: AccountAlert) throws(StorageError) -> [ResponderInbox]
  /// The alert stands in this inbox, or no longer.
  func notePosting(of alert: AccountAlert, to inbox: AccountID, stands: Bool) throws(StorageError)
  /// Forgets a part of alerts of any account that ended before `time` by the server's clock, those that ended first before others, and only
  /// where the part before it is forgotten. Passes over alerts with a queued message, and those that are to be written into inboxes. Removes
  /// or changes at most `limit` rows of each kind; an alert with more keeps the rest for the next call. Calls with the same `time` are a round,
  /// until one has no more: what was passed over, or ends meanwhile, may wait for the next round.
  func forget(
    _ part: ForgottenPart, ofAlertsEndedBefore time: Timestamp, limit: Int
  ) throws(StorageError) -> ForgottenCount
  func contact(_ id: ContactID, of account: AccountID) throws(StorageError) -> ContactDetails?
  /// By id.
  func contacts(of account: AccountID) throws(StorageError) -> [Contact]
}

/// An alert of an account.
package struct AccountAlert: Sendable, Hashable {
  package var account: AccountID
  package var alert: AlertID

  package init(account: AccountID, alert: AlertID) {
    self.account = account
    self.alert = alert
  }
}

/// An alert with what only the server knows.
package struct StoredAlert: Sendable, Hashable {
  package var account: AccountID
  package var record: AlertRecord
  /// Which sent it first.
  package var device: DeviceID
  package var utcOffsetMinutes: Int?
  /// When its responders were first to be told; nil: not asked for yet.
  package var notifiedAt: Timestamp?
  /// How many updates it had.
  package var updateCount = 0
  /// Its start and its end by the server's clock, where the device's was off by more than a minute.
  package var correctedStartedAt: Timestamp?
  package var correctedEndedAt: Timestamp?
  /// Nil where nobody is asked again: before anybody is told, of a drill, and after the end.
  package var asking: Asking?
  /// When to check whether the raising device is silent; nil where that is known, or no inbox shows it.
  package var silenceDueAt: Timestamp?
  /// The last contact with the raising device, as inboxes tell it; nil while they say nothing of it.
  package var silentSince: Timestamp?
  /// The part that was forgotten last; nil while everything is kept.
  package var forgotten: ForgottenPart?

  package init(
    account: AccountID, record: AlertRecord, device: DeviceID, utcOffsetMinutes: Int?, notifiedAt: Timestamp? = nil
  ) {
    self.account = account
    self.record = record
    self.device = device
    self.utcOffsetMinutes = utcOffsetMinutes
    self.notifiedAt = notifiedAt
  }

  package var id: AlertID { record.alert.id }

  /// The alert with the times that people are told.
  package var told: Alert {
    let alert = record.alert
    return Alert(
      id: alert.id, startedAt: correctedStartedAt ?? alert.startedAt,
      endedAt: alert.endedAt.map { correctedEndedAt ?? $0 }, message: alert.message, location: alert.location,
      isDrill: alert.isDrill, onlyContact: alert.onlyContact)
  }

  /// Whether nothing more is sent for it: it tests one responder, and has ended or was not answered in time.
  package func isOverTest(at now: Timestamp) -> Bool {
    guard record.alert.onlyContact != nil else { return false }
    return !record.alert.isActive || now.milliseconds(since: record.receivedAt) > Alert.testMilliseconds
  }
}

/// A call for help that came while the alert was active.
package struct StoredUpdate: Sendable, Hashable {
  package var account: AccountID
  package var alert: AlertID
  /// Counts the alert's updates, from 1.
  package var number: Int
  /// Of its mutation.
  package var id: MutationID
  /// Which sent it.
  package var device: DeviceID
  package var update: AlertUpdate
  package var receivedAt: Timestamp

  package init(
    account: AccountID, alert: AlertID, number: Int, id: MutationID, device: DeviceID, update: AlertUpdate,
    receivedAt: Timestamp
  ) {
    self.account = account
    self.alert = alert
    self.number = number
    self.id = id
    self.device = device
    self.update = update
    self.receivedAt = receivedAt
  }
}

/// A place in the list of alerts of several accounts.
package struct ReceivedPosition: Sendable, Hashable {
  package var receivedAt: Timestamp
  package var id: AlertID

  package init(receivedAt: Timestamp, id: AlertID) {
    self.receivedAt = receivedAt
    self.id = id
  }
}
