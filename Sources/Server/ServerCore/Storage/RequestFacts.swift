package import Model

/// What a store knows that a request's decision asked for, all of one moment.
package struct RequestFacts: Sendable {
  /// Nil where no credential was shown, and for one that the store does not know.
  package var credential: CredentialFacts?
  /// The caller's account and others.
  package var accounts: [AccountID: AccountFacts] = [:]
  /// Nil where no bucket is stored: it is full.
  package var alertBucketFullAt: Timestamp?
  /// Newest first.
  package var callerSessions: [SessionSummary] = []
  /// In the order of the list.
  package var listedAlerts: [ListedAlert] = []
  /// The caller's own alert with the id that they may see.
  package var ownAlert: ListedAlert?
  /// Those with this id of everybody who named the caller as a responder, the one received first in front.
  package var alertsNaming: [ListedAlert] = []
  /// Nil where no page was asked for, and for a key that the store does not know.
  package var page: PageLink?
  /// Mostly one; empty for a key that the store does not know.
  package var answers: [AnswerLink] = []

  package var session: SessionRecord?
  package var verification: VerificationRecord?
  /// Of the telephone to which the code was sent; nil where it has none yet.
  package var verifiedAccount: AccountRecord?
  /// Whether nobody may sign in with that telephone.
  package var isVerifiedPhoneBlocked = false
  package var refresh: RefreshFacts?
  /// Whether a program is alive, beside this one, that makes successors of refresh tokens without a name. Known where one is refreshed.
  package var servesOlder = false
  package var latestResend: Timestamp?
  /// Whether nobody may sign in with the telephone that was asked about.
  package var isBlocked = false
  /// Oldest first.
  package var rateCounts: [RateCountNeed: [RateCount]] = [:]
  package var serverState: [UInt8]?
  package var storeCounts = StoreCounts()
  package var overview = OperatorOverview()

  package init() {}
}

/// To whom a token or an alert key was given.
package struct CredentialFacts: Sendable, Hashable {
  package var account: AccountRecord
  package var session: SessionRecord
  /// The pair of an access token; nil for an alert key.
  package var tokens: TokenRecord?

  package init(account: AccountRecord, session: SessionRecord, tokens: TokenRecord?) {
    self.account = account
    self.session = session
    self.tokens = tokens
  }
}

/// A refresh token that was shown.
package struct RefreshFacts: Sendable, Hashable {
  package var shown: TokenRecord
  package var session: SessionRecord
  /// The next generation of the session; nil where there is none.
  package var successor: TokenRecord?

  package init(shown: TokenRecord, session: SessionRecord, successor: TokenRecord?) {
    self.shown = shown
    self.session = session
    self.successor = successor
  }
}

/// An alert with what a reader is told of the person who raised it.
package struct ListedAlert: Sendable, Hashable {
  package var alert: StoredAlert
  /// Of the account; E.164.
  package var phone: String
  /// Nil if they never told their name.
  package var profile: Profile?
  /// When the raising device was last heard from; nil where nothing is known.
  package var lastContactAt: Timestamp?

  package init(alert: StoredAlert, phone: String, profile: Profile? = nil, lastContactAt: Timestamp?) {
    self.profile = profile
    self.alert = alert
    self.phone = phone
    self.lastContactAt = lastContactAt
  }
}
