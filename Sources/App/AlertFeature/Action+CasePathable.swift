public import AppModel
public import Composable
public import FoundationEssentials

extension AlertFeature.Action: CasePathable {
  /// The cases that carry something.
  public struct AllCasePaths: Sendable {
    /// `setActivationProgress`
    public var setActivationProgress: AnyCasePath<AlertFeature.Action, Double> {
      AnyCasePath(embed: AlertFeature.Action.setActivationProgress) {
        if case .setActivationProgress(let progress) = $0 { progress } else { nil }
      }
    }

    /// `alertDeactivationProgressChanged`
    public var alertDeactivationProgressChanged: AnyCasePath<AlertFeature.Action, Double> {
      AnyCasePath(embed: AlertFeature.Action.alertDeactivationProgressChanged) {
        if case .alertDeactivationProgressChanged(let progress) = $0 { progress } else { nil }
      }
    }

    /// `alertActivationResponse`
    public var alertActivationResponse: AnyCasePath<AlertFeature.Action, TaskResult<Date>> {
      AnyCasePath(embed: AlertFeature.Action.alertActivationResponse) {
        if case .alertActivationResponse(let result) = $0 { result } else { nil }
      }
    }

    /// `alertDeactivationResponse`
    public var alertDeactivationResponse: AnyCasePath<AlertFeature.Action, TaskResult<Date>> {
      AnyCasePath(embed: AlertFeature.Action.alertDeactivationResponse) {
        if case .alertDeactivationResponse(let result) = $0 { result } else { nil }
      }
    }

    /// `alertsStayedActive`
    public var alertsStayedActive: AnyCasePath<AlertFeature.Action, Int?> {
      AnyCasePath(embed: AlertFeature.Action.alertsStayedActive) {
        if case .alertsStayedActive(let count) = $0 { count } else { nil }
      }
    }

    /// `updateMessageChanged`
    public var updateMessageChanged: AnyCasePath<AlertFeature.Action, String> {
      AnyCasePath(embed: AlertFeature.Action.updateMessageChanged) {
        if case .updateMessageChanged(let text) = $0 { text } else { nil }
      }
    }

    /// `updatePlaceChanged`
    public var updatePlaceChanged: AnyCasePath<AlertFeature.Action, String> {
      AnyCasePath(embed: AlertFeature.Action.updatePlaceChanged) {
        if case .updatePlaceChanged(let text) = $0 { text } else { nil }
      }
    }

    /// `updateResponse`
    public var updateResponse: AnyCasePath<AlertFeature.Action, TaskResult<Void>> {
      AnyCasePath(embed: AlertFeature.Action.updateResponse) {
        if case .updateResponse(let result) = $0 { result } else { nil }
      }
    }

    /// `alertHistoryResponse`
    public var alertHistoryResponse: AnyCasePath<AlertFeature.Action, TaskResult<[AlertRecord]>> {
      AnyCasePath(embed: AlertFeature.Action.alertHistoryResponse) {
        if case .alertHistoryResponse(let result) = $0 { result } else { nil }
      }
    }

    /// `alertStatusResponse`
    public var alertStatusResponse: AnyCasePath<AlertFeature.Action, TaskResult<AlertSnapshot>> {
      AnyCasePath(embed: AlertFeature.Action.alertStatusResponse) {
        if case .alertStatusResponse(let result) = $0 { result } else { nil }
      }
    }

    /// `alertSnapshotChanged`
    public var alertSnapshotChanged: AnyCasePath<AlertFeature.Action, AlertSnapshot> {
      AnyCasePath(embed: AlertFeature.Action.alertSnapshotChanged) {
        if case .alertSnapshotChanged(let snapshot) = $0 { snapshot } else { nil }
      }
    }

    /// `confirmationAlert`
    public var confirmationAlert:
      AnyCasePath<AlertFeature.Action, PresentationAction<AlertFeature.Action.ConfirmationAlert>>
    {
      AnyCasePath(embed: AlertFeature.Action.confirmationAlert) {
        if case .confirmationAlert(let action) = $0 { action } else { nil }
      }
    }

    /// `setError`
    public var setError: AnyCasePath<AlertFeature.Action, String?> {
      AnyCasePath(embed: AlertFeature.Action.setError) {
        if case .setError(let message) = $0 { message } else { nil }
      }
    }
  }

  /// The cases that carry something.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
