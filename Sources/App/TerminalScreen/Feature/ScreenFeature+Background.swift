import LifeSignalFeatures

/// What the process in the background would have to do; it ends by itself when there is nothing.
struct BackgroundNeed: Hashable, Sendable {
  var isAlertActive = false
  var isEndUnsent = false
  /// Whether the server takes anything from this device.
  var isHeard = false
}

extension ScreenFeature {
  /// Starts the process in the background as soon as an alert, its end or its news are saved, or the screen finds an alert that it did not
  /// raise: it stands by while the screen sends, and takes over however the screen ends.
  func followNeed(_ state: inout State, after action: Action) -> Effect<Action> {
    let need = state.backgroundNeed
    let isChanged = need != state.lastBackgroundNeed
    state.lastBackgroundNeed = need
    guard state.mustBeCarriedOn, isChanged || action.isSaved else { return .none }
    return .run { [backgroundSending] send in await send(.backgroundStarted(await backgroundSending.start())) }
      .uncancellable()
  }
}

extension ScreenFeature.State {
  fileprivate var backgroundNeed: BackgroundNeed {
    BackgroundNeed(isAlertActive: alert.isAlertActive, isEndUnsent: isEndUnsent, isHeard: isHeard)
  }

  /// Whether sending must not end with the screen: an alert is active, or its end is not sent, and the server takes it from this device.
  package var mustBeCarriedOn: Bool { (alert.isAlertActive || isEndUnsent) && isHeard }

  /// Whether the server takes alerts from this device, as far as it can be told: who is signed in may be unreadable.
  var isHeard: Bool {
    auth.isAuthenticated || alert.connection.isSessionExpired || storeProblem != nil
      || alert.snapshot.storeProblem != nil
  }

  /// Whether a process in the background goes on with the alert, or its end, when this program has ended.
  var isCarriedOn: Bool { mustBeCarriedOn && background == .standingBy }
}

extension ScreenFeature.Action {
  /// Whether an alert, its end or its news were saved.
  fileprivate var isSaved: Bool {
    switch self {
    case .alert(.alertActivationResponse(.success)), .alert(.alertDeactivationResponse(.success)),
      .alert(.updateResponse(.success)):
      true
    default: false
    }
  }
}
