import Composable
import Dependencies

extension VerificationFeature {
  /// Ends whatever runs for it, for a parent that takes its state away.
  static func cancelEffects<ParentAction>() -> Effect<ParentAction> {
    .merge(.cancel(id: CancelID.countdown), .cancel(id: CancelID.expiry))
  }

  /// One tick for each second, those of a sleep of the machine included, until another code may be asked for.
  /// There is one timer: a new code starts it anew.
  func countdown() -> Effect<Action> {
    .run { [clock] send in
      var ticks = 0
      for await elapsed in clock.timer(interval: .seconds(1)) {
        let due = min(Int(elapsed.components.seconds), Self.resendDelaySeconds)
        while ticks < due, !Task.isCancelled {
          ticks += 1
          await send(.timerTick)
        }
        guard ticks < Self.resendDelaySeconds else { return }
      }
    }
    .cancellable(id: CancelID.countdown, cancelInFlight: true)
  }

  /// A code that is left standing is erased when the server cannot accept it any more.
  func expiry() -> Effect<Action> {
    .run { [clock] send in
      try await clock.sleep(for: Self.codeLifetime)
      await send(.codeExpired)
    }
    .cancellable(id: CancelID.expiry, cancelInFlight: true)
  }
}
