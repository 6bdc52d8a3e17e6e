package import Model
import PlantedBugs

/// The phantom type of `DeliveryID`.
package enum Delivery {}
/// The id of a delivery; its receipt has the same.
package typealias DeliveryID = Identifier<Delivery>

/// One HTTP request that the shell makes now, once, without following redirects; or one mail.
package struct DeliveryAttempt: Sendable, Hashable {
  package var id: DeliveryID
  /// How often the delivery was claimed, including this time. Only the answer of the last attempt counts.
  package var number: Int
  package var target: DeliveryTarget
  /// Whether it calls for help; false if its alert has ended or is a drill.
  package var saysHelp: Bool
  /// Whether it is no news of the alert itself: it replaces nothing.
  package var isAside: Bool
  package var request: ChannelRequest
  /// From now to the end of the answer.
  package var timeoutMilliseconds: Int

  package var url: String { request.url }
  package var headers: [HeaderField] { request.headers }
  package var body: [UInt8] { request.body }

  /// Whether `earlier`, if it is still running, must not arrive after this: it goes to the same channel with older news of the same
  /// alert, or with "safe" or a drill of a person who now calls for help.
  package func replaces(_ earlier: DeliveryAttempt) -> Bool {
    guard !isAside, target.account == earlier.target.account, target.contact == earlier.target.contact,
      target.channel == earlier.target.channel
    else { return false }
    if PlantedBug.safeBeforeHelp.isPlanted, !saysHelp { return false }
    return target.alert == earlier.target.alert || saysHelp && !earlier.saysHelp
  }
}

/// The result of `claimDeliveries`.
package struct ClaimedDeliveries: Sendable, Hashable {
  package var attempts: [DeliveryAttempt] = []
  /// Accounts whose receipts changed because a delivery cannot be attempted: their event streams get a `change`.
  package var changedAccounts: [AccountID] = []
  /// Deliveries that were due and cannot be read, or not what they are about: they have failed.
  package var unreadable: [DeliveryID] = []
  /// Alerts about which responders were to be asked again, or whose device was to be checked for silence, and of which something cannot be
  /// read: they are tried later.
  package var unreadableAlerts: [AlertID] = []
  /// Alerts that could not be written into an inbox.
  package var unpostedAlerts: [AlertID] = []
  /// One-time codes, which have a lane of their own.
  package var codes: [CodeAttempt] = []
  /// One-time codes that were given up, for the operator's log.
  package var codeNotes: [CodeNote] = []
  /// When to claim again; nil if nothing waits. May be in the past.
  package var nextDue: Timestamp?

  /// This claim together with an earlier one.
  package func adding(to earlier: Self?) -> Self {
    guard var all = earlier else { return self }
    all.attempts += attempts
    all.note(changedAccounts)
    all.unreadable += unreadable
    all.unreadableAlerts += unreadableAlerts
    all.unpostedAlerts += unpostedAlerts
    all.codes += codes
    all.codeNotes += codeNotes
    all.nextDue = nextDue
    return all
  }
}

/// How an attempt went.
package enum DeliveryAnswer: Sendable, Hashable {
  /// An HTTP answer of any status, with its `Retry-After` header.
  case status(Int, retryAfter: String?)
  /// An answer with status 2xx whose body says that the message was not taken.
  case notTaken
  /// The mail server's last reply to a mail.
  case mail(MailReply)
  /// No answer: cannot resolve, connect, TLS, timed out. The text is one line for a person, without the URL.
  case networkFailure(String)
  /// The server itself failed before there was an answer. Says nothing about the host.
  case notSent(String)
  /// The shell cancelled the attempt, because a later one `replaces` it. Says nothing about the host.
  case replaced
  /// The name resolves only to addresses that channels must not reach.
  case addressRefused
  /// The URL cannot be used: the host was not asked, and no attempt can be.
  case unusableURL

  /// The channel took the message.
  package var isSuccess: Bool {
    switch self {
    case .status(let status, _): (200..<300).contains(status)
    case .mail(let reply): reply.isTaken
    case .notTaken, .networkFailure, .notSent, .replaced, .addressRefused, .unusableURL: false
    }
  }
}
