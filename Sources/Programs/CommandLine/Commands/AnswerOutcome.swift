import LocalStore
import Model

/// How far a saved answer got, as the store shows it after an exchange.
enum AnswerOutcome: Equatable {
  /// The server has this answer.
  case taken
  case refused(String)
  case waiting
  /// It does not wait here, and the server shows another answer or none.
  case unknown

  /// - Parameter reading: the alert after the exchange. A store that cannot be read does not show whether the answer was sent.
  init(of answer: InboxAnswer, _ reading: Result<InboxEntry?, LocalStoreError>) {
    guard case .success(let known) = reading else {
      self = .waiting
      return
    }
    guard let entry = known else {
      self = .refused(InboxTexts.notToldAnyMore)
      return
    }
    if let refusal = entry.refusal {
      self = .refused(refusal)
    } else if entry.waiting != nil {
      self = .waiting
    } else {
      // The line may read otherwise there: the server keeps that of the same answer before, and leaves out marks that cannot be seen.
      self = entry.alert.response?.answer.answer == answer.answer ? .taken : .unknown
    }
  }

  /// As the JSON of `respond` has it.
  var stage: String {
    switch self {
    case .taken: "sent"
    case .refused: "refused"
    case .waiting, .unknown: "saved"
    }
  }
}
