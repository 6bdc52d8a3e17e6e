package import Model
import Secrets

/// An alert of somebody else in the inbox of an account: a copy, written anew whenever something of it changes, so that no read and no
/// stream of the responder looks at another account.
package struct StoredInboxAlert: Sendable, Hashable {
  /// Whose alert it is.
  package var source: AccountAlert
  package var alert: InboxAlert

  package init(source: AccountAlert, alert: InboxAlert) {
    self.source = source
    self.alert = alert
  }
}

/// A responder who has an account: the alerts of which they are told are written into its inbox.
package struct ResponderInbox: Sendable, Hashable {
  package var account: AccountID
  /// E.164; that of the account, and of the contacts that name it.
  package var phone: String

  package init(account: AccountID, phone: String) {
    self.account = account
    self.phone = phone
  }
}

extension ServerKeys {
  /// Two people's alerts may have the same id, but not in an inbox; and an alert has another id in each.
  func inboxID(of source: AccountAlert, in inbox: AccountID) -> InboxID {
    let bytes = hash(Array("\(source.account) \(source.alert) \(inbox)".utf8), for: .inbox)
    let words = stride(from: 0, to: 16, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    return InboxID(words: (words[0], words[1]))
  }
}
