public import AppModel

extension ResponderFeature {
  /// What a view shows.
  public struct State: Equatable, Sendable {
    /// The received alerts: active ones first, then ended ones; the newest first in each.
    public var alerts: [ReceivedAlert]
    /// The alert that the person has opened; nil while they see the list.
    public var selectedID: ReceivedAlert.ID?
    /// The line beside the next answer.
    public var answerText: String
    /// The answer that is being saved; nil while none is.
    public var sending: Sending?
    /// Why the last answer was not saved, in words for the person, until they have read it.
    public var error: String?
    /// How often an alert has called this person since the feature started: it is new, or asks again, and they have not answered. A view
    /// rings once for each.
    public var callCount: Int
    /// The alerts are followed: from `task` or `appBecameActive` until `appBecameInactive`.
    public var isFollowing: Bool
    /// The stream ended by itself and has not begun again: whatever is shown may be out of date, and a view says so.
    public var isStale: Bool

    /// What each listed alert has asked so far.
    var calls: [ReceivedAlert.ID: Call] = [:]
    /// The alerts that the person has opened.
    var seen: Set<ReceivedAlert.ID> = []

    /// A state; without arguments the one of a device that is not known yet.
    public init(
      alerts: [ReceivedAlert] = [], selectedID: ReceivedAlert.ID? = nil, answerText: String = "",
      sending: Sending? = nil, error: String? = nil, callCount: Int = 0, isFollowing: Bool = false,
      isStale: Bool = false
    ) {
      self.alerts = alerts
      self.selectedID = selectedID
      self.answerText = answerText
      self.sending = sending
      self.error = error
      self.callCount = callCount
      self.isFollowing = isFollowing
      self.isStale = isStale
    }
  }

  /// An answer that is being saved.
  public struct Sending: Hashable, Sendable {
    /// The alert that it answers, as it was when the person answered.
    public let alert: ReceivedAlert
    /// The answer.
    public let answer: ReceivedAlert.Answer

    /// An answer to this alert.
    public init(_ answer: ReceivedAlert.Answer, to alert: ReceivedAlert) {
      self.alert = alert
      self.answer = answer
    }

    /// Of the alert that it answers.
    public var id: ReceivedAlert.ID { alert.id }

    /// Whether `alert` shows nothing of the answer, and of what became of it, yet.
    func isAhead(of alert: ReceivedAlert) -> Bool {
      alert.id == id && alert.answer == self.alert.answer && alert.refusal == self.alert.refusal
        && alert.isActive == self.alert.isActive
    }
  }

  /// What an alert has asked of its responders so far.
  struct Call: Hashable, Sendable {
    var askedAgain: Int
    var isAskedToConfirm: Bool
  }
}

extension ResponderFeature.State {
  /// The alert that the person has opened, as it stands.
  public var selected: ReceivedAlert? { alerts.first { $0.id == selectedID } }

  /// An answer is being saved.
  public var isSending: Bool { sending != nil }

  /// The active alert that needs the person most: of somebody in danger before a drill, unanswered before answered, the newest first.
  public var mostUrgent: ReceivedAlert? {
    let active = alerts.filter(\.isActive)
    return active.first { !$0.isDrill && $0.needsAnswer } ?? active.first { !$0.isDrill }
      ?? active.first { $0.needsAnswer } ?? active.first
  }

  /// Whether the open alert can be answered like this now. Only who said that they come can hand over.
  public func canAnswer(with answer: ReceivedAlert.Answer.Kind) -> Bool {
    guard let selected, selected.isActive, !isSending else { return false }
    return answer != .handingOver || selected.answer?.kind.acknowledges == true
  }
}

extension ReceivedAlert {
  /// Whether it is active and waits for an answer of the person, or for its confirmation.
  public var needsAnswer: Bool {
    isActive && (answer == nil || refusal != nil || isAskedToConfirm && !isAnswerWaiting)
  }
}
