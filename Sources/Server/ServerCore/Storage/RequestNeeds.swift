package import Model

/// Names all that the decision about one request looks at, so that a store can fetch it in one round trip.
///
/// What belongs to the caller is named without their account: the store finds it by the credential.
package struct RequestNeeds: Sendable, Hashable {
  /// Whose token or alert key the request shows.
  package var credential: CredentialHash?
  /// The account that the credential or the refresh token names: where to look first. It may be another's, or nobody's.
  package var namedAccount: AccountID?
  /// Of the caller's account.
  package var caller: FactNeeds?
  /// The bucket of new alerts of the caller's session and kind of credential.
  package var alertBucket = false
  /// How many of the caller's sessions with a valid alert key, newest first.
  package var callerSessions = 0
  /// A list of alerts for the caller.
  package var alertList: AlertListNeed?
  /// An alert of the caller, or of somebody who named them as a responder.
  package var visibleAlert: VisibleAlertNeed?
  /// The responder's page with this key.
  package var page: PageKey?
  /// Whose answer the code with this key is.
  package var answer: AnswerKey?
  /// Of other accounts.
  package var accounts: [AccountID: FactNeeds] = [:]

  package var session: SessionID?
  /// The one-time code that was sent under this id, and the account of its telephone.
  package var verification: String?
  /// The pair of tokens with this refresh token, with its session and its successor.
  package var refreshHash: [UInt8]?
  package var resend: ResendNeed?
  /// A telephone (E.164) with which nobody may sign in, perhaps.
  package var block: String?
  package var rateCounts: Set<RateCountNeed> = []
  /// A value of the server itself, by name.
  package var serverState: String?
  /// How many rows of each kind there are.
  package var storeCounts = false
  package var overview: OverviewNeed?

  package init() {}

  package var isEmpty: Bool { self == Self() }
}

/// The keyed hash of a credential: the store does not know the credential itself.
package enum CredentialHash: Sendable, Hashable {
  case accessToken([UInt8])
  case alertKey([UInt8])
}

/// A page of a list of alerts: the newest `limit` behind a place.
package enum AlertListNeed: Sendable, Hashable {
  /// The caller's own with a smaller ordinal than `before`.
  case own(activeOnly: Bool, before: Int64?, limit: Int)
  /// The caller's own and those of everybody who named them as a responder, by when the server received them.
  case responding(activeOnly: Bool, before: ReceivedPosition?, limit: Int)
}

/// An alert that the caller may see, with facts of its account.
package struct VisibleAlertNeed: Sendable, Hashable {
  package var id: AlertID
  /// Of the account of each alert that is found.
  package var facts: FactNeeds

  package init(_ id: AlertID, with facts: FactNeeds) {
    self.id = id
    self.facts = facts
  }
}

/// The latest `resendAt` of the codes made for `phone` up to `upTo` and not used.
package struct ResendNeed: Sendable, Hashable {
  package var phone: String
  package var upTo: Timestamp

  package init(phone: String, upTo: Timestamp) {
    self.phone = phone
    self.upTo = upTo
  }
}

/// The counts under `key` that began within `range`.
package struct RateCountNeed: Sendable, Hashable {
  package var key: [UInt8]
  package var range: Range<Timestamp>

  package init(key: [UInt8], range: Range<Timestamp>) {
    self.key = key
    self.range = range
  }
}
