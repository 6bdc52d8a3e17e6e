public import AppModel
public import Composable
public import FoundationEssentials

extension AlertFeature {
  /// What can happen.
  public enum Action: Equatable, Sendable {
    // MARK: By the person

    /// The alert button was tapped: one quarter more. The fourth raises the alert; three seconds without a tap empty it.
    case alertButtonTapped
    /// The alert button is filled to this: 0 empties it, 1 raises the alert. Clamped to 0…1; NaN counts as 0.
    case setActivationProgress(Double)
    /// The person began to hold what ends the alert. Again while held, as a key that repeats, it changes nothing.
    case deactivationHoldBegan
    /// The person let go. Before three seconds are over the alert stays active.
    case deactivationHoldEnded
    /// The hold that ends the alert has this progress: 1 ends it. Clamped to 0…1; NaN counts as 0. Sent by the hold, or by a view that
    /// measures one itself.
    case alertDeactivationProgressChanged(Double)
    /// The person wants to end the alert without a hold, and is asked whether they mean it.
    case alertDeactivationButtonTapped
    /// They mean it.
    case deactivateAlertConfirmed
    /// The history is to be read.
    case loadAlertHistory
    /// The message for the responders of the active alert was edited.
    case updateMessageChanged(String)
    /// The place for them was edited: `LAT,LON` in degrees, or words.
    case updatePlaceChanged(String)
    /// Message and place are to be sent.
    case sendUpdateButtonTapped

    // MARK: By the system

    /// A view that shows the feature appeared: follow the alert.
    case task
    /// The app came to the front: follow the alert, read status and history, and tick.
    case appBecameActive
    /// The app went to the background: stop following and ticking, and cancel a hold.
    case appBecameInactive
    /// A second passed. Changes nothing; a view that observes the store redraws the duration.
    case timerTick
    /// Whether an alert is active is to be read.
    case loadAlertStatus

    // MARK: Answers

    /// When the alert was raised, or why it could not be saved.
    case alertActivationResponse(TaskResult<Date>)
    /// When the alert was ended, or why its end could not be saved.
    case alertDeactivationResponse(TaskResult<Date>)
    /// So many alerts are active after the end, of which the person was not shown that they are; nil: that cannot be read.
    case alertsStayedActive(Int?)
    /// Message and place are saved and queued, or why not.
    case updateResponse(TaskResult<Void>)
    /// The alerts so far, newest first.
    case alertHistoryResponse(TaskResult<[AlertRecord]>)
    /// How the newest alert stands, read once.
    case alertStatusResponse(TaskResult<AlertSnapshot>)
    /// How the newest alert stands, whoever changed it.
    case alertSnapshotChanged(AlertSnapshot)
    /// The snapshots ended by themselves, for example because the store cannot be opened. They restart with backoff.
    case alertSnapshotsEnded

    // MARK: Dialogs

    /// A button of the dialog was chosen, or the dialog was dismissed.
    case confirmationAlert(PresentationAction<ConfirmationAlert>)
    /// Something went wrong: a message for the person, shown in a dialog. Nil does the same as `dismissError`.
    case setError(String?)
    /// The person has read what went wrong. An open question stays open.
    case dismissError

    /// The buttons of the dialog that do something.
    public enum ConfirmationAlert: Equatable, Sendable {
      /// End the alert.
      case deactivateAlertConfirmed
    }
  }
}
