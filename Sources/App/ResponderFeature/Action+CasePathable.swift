public import AppModel
public import Composable

extension ResponderFeature.Action: CasePathable {
  /// The cases that carry something.
  public struct AllCasePaths: Sendable {
    /// `alertSelected`
    public var alertSelected: AnyCasePath<ResponderFeature.Action, ReceivedAlert.ID> {
      AnyCasePath(embed: ResponderFeature.Action.alertSelected) {
        if case .alertSelected(let id) = $0 { id } else { nil }
      }
    }

    /// `answerTextChanged`
    public var answerTextChanged: AnyCasePath<ResponderFeature.Action, String> {
      AnyCasePath(embed: ResponderFeature.Action.answerTextChanged) {
        if case .answerTextChanged(let text) = $0 { text } else { nil }
      }
    }

    /// `answerButtonTapped`
    public var answerButtonTapped: AnyCasePath<ResponderFeature.Action, ReceivedAlert.Answer.Kind> {
      AnyCasePath(embed: ResponderFeature.Action.answerButtonTapped) {
        if case .answerButtonTapped(let answer) = $0 { answer } else { nil }
      }
    }

    /// `alertsChanged`
    public var alertsChanged: AnyCasePath<ResponderFeature.Action, [ReceivedAlert]> {
      AnyCasePath(embed: ResponderFeature.Action.alertsChanged) {
        if case .alertsChanged(let alerts) = $0 { alerts } else { nil }
      }
    }

    /// `respondResponse`
    public var respondResponse: AnyCasePath<ResponderFeature.Action, TaskResult<Void>> {
      AnyCasePath(embed: ResponderFeature.Action.respondResponse) {
        if case .respondResponse(let result) = $0 { result } else { nil }
      }
    }

    /// `seenNotSaved`
    public var seenNotSaved: AnyCasePath<ResponderFeature.Action, ReceivedAlert.ID> {
      AnyCasePath(embed: ResponderFeature.Action.seenNotSaved) {
        if case .seenNotSaved(let id) = $0 { id } else { nil }
      }
    }
  }

  /// The cases that carry something.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
