package import Model

/// What a key stands for that a responder was sent: one alert, and one contact of the account.
package struct ResponderLink<Key: Sendable & Hashable>: Sendable, Hashable {
  package var key: Key
  package var account: AccountID
  package var alert: AlertID
  package var contact: ContactID

  package init(key: Key, account: AccountID, alert: AlertID, contact: ContactID) {
    self.key = key
    self.account = account
    self.alert = alert
    self.contact = contact
  }
}

/// Whose page a link opens.
package typealias PageLink = ResponderLink<PageKey>

/// Whose answer a code is. Two may have the same key by chance.
package typealias AnswerLink = ResponderLink<AnswerKey>
