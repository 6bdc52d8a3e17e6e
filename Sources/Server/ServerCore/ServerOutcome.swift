package import Model

/// What came of a call: the answer, and what the shell must do now that the transaction is committed.
package struct ServerOutcome: Sendable {
  package var response: ServerResponse
  /// Whose event streams are to be told `change`.
  package var changedAccounts: [AccountID]
  /// Whose event streams must end, as their tokens are worth nothing any more.
  package var endedSessions: [SessionID]
  /// The delivery loop must look at the queue.
  package var hasNewDeliveries: Bool
  /// One-time codes to be sent now, by the SMS gateway or to the log.
  package var codes: [CodeMessage]
  /// Why the store could not answer, for the operator's log.
  package var fault: StorageError?
  /// What else the operator's log should say.
  package var remark: String?

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

/// A one-time code on its way to a telephone. Secret and personal: never logged, except by `--sms console`.
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
