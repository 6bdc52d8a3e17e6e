public import AppModel
public import Composable

extension ResponderFeature {
  /// What can happen.
  public enum Action: Equatable, Sendable {
    // MARK: By the person

    /// The person opened this alert. That is "seen", which the person in danger is told once; so it is never sent for showing a list.
    case alertSelected(ReceivedAlert.ID)
    /// The person left the open alert.
    case selectionCleared
    /// The line beside the next answer was edited.
    case answerTextChanged(String)
    /// The open alert is answered, with the line.
    case answerButtonTapped(ReceivedAlert.Answer.Kind)
    /// The person has read what went wrong.
    case dismissError

    // MARK: By the system

    /// A view that shows the feature appeared: follow the alerts.
    case task
    /// The app came to the front: follow the alerts.
    case appBecameActive
    /// The app went to the background: stop following.
    case appBecameInactive

    // MARK: Answers

    /// The received alerts: active ones first, then ended ones; the newest first in each.
    case alertsChanged([ReceivedAlert])
    /// The stream of alerts ended by itself, for example because the store cannot be opened. It restarts with backoff.
    case alertsEnded
    /// The answer is saved and queued, or why not.
    case respondResponse(TaskResult<Void>)
    /// That the person opened this alert could not be saved.
    case seenNotSaved(ReceivedAlert.ID)
  }
}
