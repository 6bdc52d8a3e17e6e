import DeviceCore
import LocalStore
import Model
import SystemKit

// Where this device cannot save: what can be sent is sent all the same.
extension LifeSignalClient {
  /// The error of an alert that could not be saved: whether the server has it all the same.
  func sendUnsaved(
    _ draft: AlertDraft, at moment: Moment, because error: EmergencyActivation.NotSaved
  ) -> LifeSignalError {
    let failure = LifeSignalError(error)
    guard let memory else { return failure }
    switch memory.raise(draft, at: moment).answer {
    case .accepted:
      return LifeSignalError(
        .sentNotSaved,
        "Help was called: the server has the alert. This device could NOT save it: \(error.storeError.message)")
    case .refused(let reason), .notSignedIn(let reason), .notReached(let reason):
      return LifeSignalError(.notSaved, "\(failure.message). Nor could it be sent: \(reason)")
    }
  }

  /// Sends what the store cannot, on a thread of its own: a call that lies in the spool, or one that had no room even there. Where no
  /// thread can be started it goes as soon as the store works again.
  func sendSpooled(_ activation: Activation, _ draft: AlertDraft, at moment: Moment) {
    let home = home
    try? SystemThread.detach {
      guard let memory = EmergencyFromMemory(home) else { return }
      if activation.isCallSaved {
        _ = memory.sendSpooled(activation.press, at: moment)
      } else {
        _ = memory.raise(draft, at: moment)
      }
    }
  }

  /// The error of an end that could not be saved.
  func endUnsaved(because error: LocalStoreError) -> LifeSignalError {
    let failure = LifeSignalError(error)
    guard failure.code == .notSaved, let memory else { return failure }
    let moment = DeviceClock.now()
    // Where none is active there is nothing to end.
    let messages = memory.active(at: moment)
    guard !messages.isEmpty else { return failure }
    let ended = memory.end(messages, at: moment)
    switch ended.answer {
    case .accepted:
      return LifeSignalError(
        .sentNotSaved,
        "The server knows that you are safe and tells your responders. This device could NOT save it: \(error.message)")
    case .refused(let reason), .notSignedIn(let reason), .notReached(let reason):
      let kept = ended.isNoted ? ". The end is kept in memory, and sent when this device can save again" : ""
      return LifeSignalError(.notSaved, "\(failure.message). Nor could it be sent: \(reason)\(kept)")
    }
  }

  /// Sends what lies outside of a store that cannot take it.
  func sendUnsent(_ store: LocalStore) -> EmergencyFromMemory.FallbackOutcome {
    let count = (try? store.status().sync.unsentOutside) ?? 0
    guard count > 0 else { return EmergencyFromMemory.FallbackOutcome() }
    return memory?.sendUnsent(at: DeviceClock.now()) ?? EmergencyFromMemory.FallbackOutcome(leftCount: count)
  }

  private var memory: EmergencyFromMemory? { EmergencyFromMemory(home) }
}
