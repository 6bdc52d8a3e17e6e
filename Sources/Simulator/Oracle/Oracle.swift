package import LocalStore
package import Model
package import ServerCore
package import ServerStoreSQLite
import Wire

/// The truth, kept outside of the engine: what people were told, what the server answered, what arrived at the responders.
///
/// The simulation tells it all that can be seen from outside, and it says what broke a promise. It never looks into the
/// engine but through the stores' own interfaces. Times are virtual milliseconds since the run began.
package final class Oracle {
  package private(set) var violations: [Violation] = []

  package init() {}

  // MARK: What people did on a device, and were told

  /// Raising came back with success: the person was told that the alert is saved.
  /// - Parameter account: who was signed in on the device; nil: nobody.
  package func raised(_ activation: Activation, on device: Int, account: AccountID?, now: Int64) {}

  /// The alerts whose end a person was told is saved.
  package func ended(_ alerts: [Alert], on device: Int, account: AccountID?, now: Int64) {}

  package func putContact(_ contact: Contact, on device: Int, account: AccountID?, now: Int64) {}

  package func removedContact(_ id: ContactID, on device: Int, account: AccountID?, now: Int64) {}

  /// A person gave these queued items up.
  package func discarded(_ items: [QueueItem], on device: Int, now: Int64) {}

  /// A parked item is queued again, under another id.
  package func retried(_ oldID: String, as item: QueueItem, on device: Int, now: Int64) {}

  /// The device is signed in, in the person's eyes.
  package func signedIn(_ account: AccountID, on device: Int, now: Int64) {}

  /// The person was told that the device is signed out, having agreed to this.
  package func signedOut(_ agreement: SignOutAgreement, on device: Int, now: Int64) {}

  /// A call into the store died with its process or its machine: the person was told nothing, and either outcome is right.
  package func died(on device: Int, now: Int64) {}

  // MARK: Looking at a device

  /// Looks into a device's store: after every start of a process, after a power cut, and now and then.
  package func look(at store: LocalStore, of device: Int, now: Int64) {}

  /// The device's files were asked for their sizes: the log in bytes.
  package func logSize(_ bytes: Int, of device: Int, now: Int64) {}

  /// The device sent a request.
  package func requested(by device: Int, now: Int64) {}

  /// The session shows as expired. `isExcused`: the server was restored, or its clock jumped over the session's life.
  package func sessionExpired(on device: Int, isExcused: Bool, now: Int64) {}

  // MARK: The server

  /// The server's core gave this answer, whether or not it arrives. `account`: whose token the request carried.
  package func answered(_ request: ServerRequest, _ response: FullResponse, account: AccountID?, now: Int64) {}

  /// The server died while it answered: when it is up again, `store` tells whether the request took effect.
  package func diedAnswering(_ request: ServerRequest, account: AccountID?, store: SQLiteServerStore, now: Int64) {}

  /// The present state is kept as a backup.
  package func backedUp(now: Int64) {}

  /// The server goes on from its last backup. What it knew since is gone, and devices offer it again.
  package func restored(now: Int64) {}

  // MARK: The responders

  /// A message arrived at a channel of a responder.
  package func arrived(_ message: ResponderMessage, now: Int64) {}

  // MARK: The end

  /// What is not yet as it has to be in the end, one line each: devices that differ from their account, alerts that the server
  /// has not and nothing shows why, responders who have not heard. Empty: settled.
  /// - Parameter devices: the open stores, by the device's number.
  package func unsettled(
    _ devices: [(number: Int, store: LocalStore)], _ server: SQLiteServerStore, now: Int64
  ) -> [String] {
    []
  }

  /// The time to settle is over: what is unsettled is a violation now.
  package func finish(_ devices: [(number: Int, store: LocalStore)], _ server: SQLiteServerStore, now: Int64) {}
}

/// What a responder's channel was sent.
package struct ResponderMessage: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case help
    case safe
  }

  /// The channel's URL, as in the contact.
  package let channel: String
  package let alert: AlertID
  package let kind: Kind
  package let text: String

  package init(channel: String, alert: AlertID, kind: Kind, text: String) {
    self.channel = channel
    self.alert = alert
    self.kind = kind
    self.text = text
  }
}
