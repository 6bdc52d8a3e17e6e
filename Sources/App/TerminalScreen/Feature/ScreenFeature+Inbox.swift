import FoundationEssentials
import LifeSignalFeatures

extension ScreenFeature {
  /// Shows the list, with the most urgent alert chosen, also in place of an open alert.
  func showInbox(_ state: inout State) -> Effect<Action> {
    state.panel = .inbox
    state.isHelpShown = false
    state.isWritingLine = false
    state.chosenAlert = state.inbox.mostUrgent?.id
    return state.inbox.selected == nil ? .none : .send(.inbox(.selectionCleared))
  }

  /// Answers the open alert. An answer that takes help away counts only with its second key press in a row: `repeated` is the first.
  func give(
    _ answer: ReceivedAlert.Answer.Kind, after repeated: ReceivedAlert.Answer.Kind?, _ state: inout State
  ) -> Effect<Action> {
    guard answer.takesHelpAway, answer != repeated else { return .send(.inbox(.answerButtonTapped(answer))) }
    state.answerToRepeat = answer
    return .none
  }

  /// Opens the chosen alert: the person in danger sees that.
  func openAlert(_ state: inout State) -> Effect<Action> {
    let alerts = state.inbox.alerts
    guard alerts.indices.contains(state.chosenAlertIndex) else { return .none }
    state.detailsOffset = 0
    state.isWritingLine = false
    return .send(.inbox(.alertSelected(alerts[state.chosenAlertIndex].id)))
  }

  /// One step back in the inbox: from the line to the alert, from there to the list. Nil if the list is shown.
  func leaveAlert(_ state: inout State) -> Effect<Action>? {
    if state.isWritingLine {
      state.isWritingLine = false
      return .some(.none)
    }
    guard state.inbox.selected != nil else { return nil }
    return .send(.inbox(.selectionCleared))
  }
}

extension ReceivedAlert.Answer.Kind {
  /// Whether the person in danger loses a helper by it.
  fileprivate var takesHelpAway: Bool { self == .cannot || self == .handingOver }
}

extension ScreenFeature.State {
  /// How often the bell has to ring since the screen opened: for each answer of a responder, and for each call of somebody else.
  package var ringCount: Int { answerCount + inbox.callCount }

  /// The place of the chosen alert in the list; 0 if it has gone.
  var chosenAlertIndex: Int { inbox.alerts.firstIndex { $0.id == chosenAlert } ?? 0 }

  /// Chooses the alert `step` places further down, or as far as there are any.
  mutating func chooseAlert(by step: Int) {
    guard !inbox.alerts.isEmpty else { return }
    chosenAlert = inbox.alerts[min(max(0, chosenAlertIndex + step), inbox.alerts.count - 1)].id
  }

  /// Scrolls the open alert by `rows`, or as far as it goes where it is `now`.
  mutating func scrollDetails(by rows: Int, now: Date) {
    let limit = ScreenView.detailsOffsetLimit(ScreenModel(layoutOf: self, now: now), size: size)
    detailsOffset = min(max(0, detailsOffset + rows), limit)
  }
}
