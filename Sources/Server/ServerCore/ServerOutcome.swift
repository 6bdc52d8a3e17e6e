package import Model

/// The result of a call: the answer, and what the shell must do after the commit.
package struct ServerOutcome: Sendable {
  package var response: ServerResponse
  /// Accounts whose event streams get a `change` event.
  package var changedAccounts: [AccountID]
  /// Sessions whose event streams must end, as their tokens are no longer valid.
  package var endedSessions: [SessionID]
  /// The delivery loop must look at the queue.
  package var hasNewDeliveries: Bool
  /// One-time codes for `--sms console`. Those for an SMS gateway are in the queue, too.
  package var codes: [CodeMessage]
  /// Why the store failed, for the operator's log.
  package var fault: StorageError?
  /// Another line for the operator's log.
  package var remark: String?
  /// For the operator's figures.
  package var observations: [Observation] = []

  package init(
    response: ServerResponse, changedAccounts: [AccountID] = [], endedSessions: [SessionID] = [],
    hasNewDeliveries: Bool = false,
    codes: [CodeMessage] = [], remark: String? = nil
  ) {
    self.response = response
    self.changedAccounts = changedAccounts
    self.endedSessions = endedSessions
    self.hasNewDeliveries = hasNewDeliveries
    self.codes = codes
    self.remark = remark
  }
}

/// A one-time code with its message. Secret and personal: never logged, except by `--sms console`.
package struct CodeMessage: Sendable, Hashable {
  /// E.164.
  package var phone: String
  /// Six digits.
  package var code: String
  /// The whole message for the person.
  package var text: String

  package init(phone: String, code: String, text: String) {
    self.phone = phone
    self.code = code
    self.text = text
  }
}
