import LifeSignalFeatures

extension ScreenFeature {
  /// What a responder answered about an alert: that they come, or why not. The same answer on several channels is one.
  struct Answer: Hashable, Sendable {
    let name: String
    let state: DeliveryState
    let reason: String?
  }
}

extension ScreenFeature.State {
  /// Counts the answers that are new. Those that the first snapshot of an alert has are not.
  mutating func noteAnswers(in snapshot: AlertSnapshot) {
    let answers = snapshot.isActive ? snapshot.delivery?.answers ?? [] : []
    if let id = snapshot.alertID, id == answeredAlert { answerCount += answers.subtracting(knownAnswers).count }
    answeredAlert = snapshot.alertID
    knownAnswers = answers
  }
}

extension AlertDelivery {
  fileprivate var answers: Set<ScreenFeature.Answer> {
    Set(
      responders.filter { $0.state == .acknowledged || $0.state == .seen && $0.reason != nil }
        .map { ScreenFeature.Answer(name: $0.name, state: $0.state, reason: $0.reason) })
  }
}
