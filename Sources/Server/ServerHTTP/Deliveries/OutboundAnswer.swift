import Model
import ServerCore

/// How an attempt went, until the store has it.
enum OutboundAnswer: Sendable {
  case delivery(DeliveryCompletion)
  case code(CodeCompletion)

  /// Records `answers` in a shared transaction.
  static func record(
    _ answers: [Self], at moment: ServerMoment, _ core: ServerCore, in transaction: any ServerTransaction
  ) throws(StorageError) -> RecordedAnswers {
    var recorded = RecordedAnswers()
    let outcome = try core.completeDeliveries(answers.deliveries, at: moment, in: transaction)
    (recorded.changedAccounts, recorded.observations) = (outcome.changedAccounts, outcome.observations)
    recorded.codeNotes = try core.completeCodes(answers.codes, at: moment, in: transaction)
    return recorded
  }
}

/// What follows the commit.
struct RecordedAnswers: Sendable {
  var changedAccounts: [AccountID] = []
  var codeNotes: [CodeNote] = []
  var observations: [Observation] = []
}

extension [OutboundAnswer] {
  fileprivate var deliveries: [DeliveryCompletion] {
    compactMap { if case .delivery(let completion) = $0 { completion } else { nil } }
  }

  fileprivate var codes: [CodeCompletion] {
    compactMap { if case .code(let completion) = $0 { completion } else { nil } }
  }
}

extension ClaimedDeliveries {
  /// The answers of attempts that are not made, because the commit of their claim may not have happened.
  var notMade: [OutboundAnswer] {
    let answer = DeliveryAnswer.notSent("the server's store failed")
    return attempts.map { .delivery(DeliveryCompletion(of: $0, answer)) }
      + codes.map { .code(CodeCompletion(id: $0.id, attempt: $0.number, answer: answer)) }
  }
}
