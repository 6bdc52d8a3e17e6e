public import Composable

extension AuthFeature.Action: CasePathable {
  /// The cases that carry what another reducer answers.
  public struct AllCasePaths: Sendable {
    /// The question before signing out.
    public var alert: AnyCasePath<AuthFeature.Action, PresentationAction<AuthFeature.Action.Alert>> {
      AnyCasePath(embed: AuthFeature.Action.alert) { if case .alert(let action) = $0 { action } else { nil } }
    }

    /// Where the number is typed.
    public var phoneEntry: AnyCasePath<AuthFeature.Action, PhoneEntryFeature.Action> {
      AnyCasePath(embed: AuthFeature.Action.phoneEntry) { if case .phoneEntry(let action) = $0 { action } else { nil } }
    }

    /// Where the code is typed.
    public var verification: AnyCasePath<AuthFeature.Action, VerificationFeature.Action> {
      AnyCasePath(embed: AuthFeature.Action.verification) {
        if case .verification(let action) = $0 { action } else { nil }
      }
    }
  }

  /// The paths to the cases.
  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}
