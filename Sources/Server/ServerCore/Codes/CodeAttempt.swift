/// One request that the shell makes to the SMS gateway now, once.
package struct CodeAttempt: Sendable, Hashable {
  package var id: CodeID
  /// How often the code was claimed, including this time. Only the answer of the last attempt counts.
  package var number: Int
  /// E.164. A running attempt for the same telephone has an older code, or an older reply: the shell cancels it.
  package var phone: String
  package var isReply: Bool
  package var request: ChannelRequest
  /// From now to the end of the answer.
  package var timeoutMilliseconds: Int
}

/// How one attempt went.
package struct CodeCompletion: Sendable, Hashable {
  package var id: CodeID
  /// The attempt's number, as it was claimed.
  package var attempt: Int
  package var answer: DeliveryAnswer

  package init(id: CodeID, attempt: Int, answer: DeliveryAnswer) {
    self.id = id
    self.attempt = attempt
    self.answer = answer
  }
}

/// What became of a code or a reply, for the operator's log: without its number and without itself.
package struct CodeNote: Sendable, Hashable, CustomStringConvertible {
  package var id: CodeID
  package var isReply: Bool
  package var text: String
  /// Nil where nothing was to be sent any more.
  package var result: CodeFigures.Result?

  init(of code: StoredCode, _ text: String, _ result: CodeFigures.Result?) {
    id = code.id
    isReply = code.isReply
    self.text = text
    self.result = result
  }

  package var description: String { "\(isReply ? "reply" : "code") \(id): \(text)" }
}
