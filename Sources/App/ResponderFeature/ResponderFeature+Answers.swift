import AppModel
import Clients
import Composable
import Dependencies
import Model

extension ResponderFeature {
  /// Opens an alert, and notes that the person has seen it. What they wrote for another one is gone.
  func select(_ state: inout State, _ id: ReceivedAlert.ID) -> Effect<Action> {
    guard let alert = state.alerts.first(where: { $0.id == id }) else { return .none }
    if state.selectedID != id { state.answerText = "" }
    state.selectedID = id
    guard alert.isActive, state.seen.insert(id).inserted else { return .none }
    return noteSeen(id)
  }

  /// A failure is reported to the programmer: the person reads the alert all the same, and opening it again tries again.
  private func noteSeen(_ id: ReceivedAlert.ID) -> Effect<Action> {
    .run { _ in
      try await responderClient.noteSeen(id)
    } catch: { error, send in
      IssueReporting.report(ResponderFeatureTexts.seenNotSaved(errorMessage(error)), severity: .warning)
      await send.unlessCancelled(.seenNotSaved(id))
    }
    .uncancellable()
  }

  func forgetSeen(_ state: inout State, _ id: ReceivedAlert.ID) -> Effect<Action> {
    state.seen.remove(id)
    return .none
  }

  func clearSelection(_ state: inout State) -> Effect<Action> {
    state.selectedID = nil
    state.answerText = ""
    return .none
  }

  /// Edits the line. While an answer with it is being saved it stays as it is.
  func editText(_ state: inout State, _ text: String) -> Effect<Action> {
    guard state.selected?.isActive == true, !state.isSending else { return .none }
    state.answerText = String(text.prefix(InboxAnswer.maximumCharacters))
    return .none
  }

  /// Saves the answer to the open alert. The same answer again, as of a key that repeats, changes nothing.
  func respond(_ state: inout State, with kind: ReceivedAlert.Answer.Kind) -> Effect<Action> {
    guard let alert = state.selected, state.canAnswer(with: kind) else { return .none }
    let answer = InboxAnswer(kind, text: state.answerText)
    guard alert.needsAnswer || answer.text != nil || alert.answer?.kind != kind else { return .none }
    state.sending = Sending(ReceivedAlert.Answer(kind, text: answer.text), to: alert)
    return .run { send in
      let result = await TaskResult {
        try await responderClient.respond(to: alert.id, with: kind, text: answer.text)
      }
      await send.unlessCancelled(.respondResponse(result))
    }
    .uncancellable()
  }

  /// Shows the answer as waiting unless the alert shows more already, or why it could not be saved. Without an awaited answer it does
  /// nothing.
  func finishAnswer(_ state: inout State, _ result: TaskResult<Void>) -> Effect<Action> {
    guard let sending = state.sending else { return .none }
    state.sending = nil
    switch result {
    case .success:
      state.error = nil
      if state.selectedID == sending.id { state.answerText = "" }
      if let index = state.alerts.firstIndex(where: sending.isAhead) {
        state.alerts[index].answer = sending.answer
        state.alerts[index].isAnswerWaiting = true
        state.alerts[index].refusal = nil
      }
    case .failure(let error): state.error = errorMessage(error)
    }
    return .none
  }

  func dismissError(_ state: inout State) -> Effect<Action> {
    state.error = nil
    return .none
  }
}

/// What the feature says, together, so that it can be read in one go.
enum ResponderFeatureTexts {
  /// For the programmer.
  static func seenNotSaved(_ reason: String) -> String {
    "that a received alert was opened could not be saved: \(reason)"
  }
}
