package import Model
import PlantedBugs

/// The kind of thing that `DeliveryID` names. It has no values.
package enum Delivery {}
/// The id of a delivery; its receipt has the same.
package typealias DeliveryID = Identifier<Delivery>

/// One HTTP request that the shell is to make now, once, without following redirects.
package struct DeliveryAttempt: Sendable, Hashable {
  package var id: DeliveryID
  /// How often the delivery was claimed, this time included: the answer is taken of the attempt that was claimed last.
  package var number: Int
  package var target: DeliveryTarget
  /// Whether it calls for help; false where its alert is over, or a drill.
  package var saysHelp: Bool
  /// `POST`.
  package var method: String
  /// `https://…`, or `http://…` where private channels are allowed.
  package var url: String
  package var headers: [HeaderField]
  package var body: [UInt8]
  /// False: no private, loopback or link-local address may be connected to, whatever the name resolves to.
  package var allowsPrivateAddresses: Bool
  /// From now to the end of the answer.
  package var timeoutMilliseconds: Int

  /// Whether `earlier`, if it is still under way, must not arrive after this: it goes to the same channel, and says what was so
  /// before about the same alert, or that the person who calls for help is safe, or has a drill.
  package func replaces(_ earlier: DeliveryAttempt) -> Bool {
    guard target.account == earlier.target.account, target.contact == earlier.target.contact,
      target.channel == earlier.target.channel
    else { return false }
    if PlantedBug.safeBeforeHelp.isPlanted, !saysHelp { return false }
    return target.alert == earlier.target.alert || saysHelp && !earlier.saysHelp
  }
}

/// What `claimDeliveries` gives.
package struct ClaimedDeliveries: Sendable, Hashable {
  package var attempts: [DeliveryAttempt] = []
  /// Whose receipts changed, because a delivery cannot be attempted at all: their event streams are to be told `change`.
  package var changedAccounts: [AccountID] = []
  /// When to claim again; nil while nothing waits. May be in the past.
  package var nextDue: Timestamp?
}

/// How an attempt went.
package enum DeliveryAnswer: Sendable, Hashable {
  /// An HTTP answer of any status, with its `Retry-After` header.
  case status(Int, retryAfter: String?)
  /// No answer: cannot resolve, connect, TLS, timed out. The text is one line for a person, without the URL.
  case networkFailure(String)
  /// The name resolves only to addresses that channels may not reach.
  case addressRefused
}
