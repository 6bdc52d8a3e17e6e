public import AppModel
import DeviceCore
import LocalStore
public import Model
import SystemKit

extension LifeSignalClient {
  /// The alerts of others that this person was told of as a responder: active ones first, then ended ones; the newest first in each, at
  /// most 100.
  nonisolated(nonsending) public func inbox() async throws(LifeSignalError) -> [ReceivedAlert] {
    try await withStore { store throws(LocalStoreError) in try store.receivedAlerts() }
  }

  /// The same: now, and again after each change. Ends as `statuses()` does.
  public func inboxes() -> AsyncStream<[ReceivedAlert]> {
    let reader = InboxReader()
    return observe { [self] () throws(LocalStoreError) in Reading(try reader.read(try store())) }
  }

  /// Answers an alert, with a line for the person in danger: saves the answer on this device, and sends it with the next sync. The newest
  /// one counts.
  ///
  /// - Parameters:
  ///   - id: the received alert.
  ///   - answer: what the person says.
  ///   - text: made one line, and cut to 200 characters.
  /// - Throws: `notFound` if the alert is unknown here, `noActiveAlert` if it has ended, `notSaved` if it could not be saved.
  public func respond(
    to id: ReceivedAlert.ID, with answer: ReceivedAlert.Answer.Kind, text: String? = nil
  ) async throws(LifeSignalError) {
    try await withStore { store throws(LocalStoreError) in
      _ = try store.answer(id, InboxAnswer(answer, text: text), at: DeviceClock.now())
    }
  }

  /// Notes that the person has opened an alert: the person in danger sees it with the next sync. Call it for an action of the person,
  /// never for showing a list. Again, and for an alert that has ended, it does nothing. Throws `notFound`.
  public func noteSeen(_ id: ReceivedAlert.ID) async throws(LifeSignalError) {
    try await withStore { store throws(LocalStoreError) in try store.noteSeen(id, at: DeviceClock.now()) }
  }
}

/// Reads the inbox for one stream, and only after a change of it.
private final class InboxReader: Sendable {
  private struct Known: Sendable {
    var revision: String?
    var alerts: [ReceivedAlert] = []
  }

  private let known = Lock(Known())

  func read(_ store: LocalStore) throws(LocalStoreError) -> [ReceivedAlert] {
    let revision = try store.revision()?.inbox
    let latest = known.withLock { $0 }
    if let revision, revision == latest.revision { return latest.alerts }
    let alerts = try store.receivedAlerts()
    known.withLock { $0 = Known(revision: revision, alerts: alerts) }
    return alerts
  }
}

extension LocalStore {
  fileprivate func receivedAlerts() throws(LocalStoreError) -> [ReceivedAlert] {
    try inbox().map(ReceivedAlert.init)
  }
}
