import DeviceCore
import LocalStore
import Model
import SystemKit

// Sends what this device cannot save.
extension LifeSignalClient {
  /// Sends an alert that could not be saved, and gives the error, which says whether the server has it.
  func sendUnsaved(
    _ draft: AlertDraft, at moment: Moment, because error: EmergencyActivation.NotSaved
  ) -> LifeSignalError {
    let failure = LifeSignalError(error)
    guard let memory else { return failure }
    switch memory.raise(draft, at: moment).answer {
    case .accepted:
      return LifeSignalError(.sentNotSaved, ClientTexts.sentNotSaved(error.storeError.message))
    case .unconfirmed(let reason):
      return LifeSignalError(.notSaved, ClientTexts.notConfirmed(failure.message, reason))
    case .refused(let reason), .notSignedIn(let reason), .notReached(let reason):
      return LifeSignalError(.notSaved, ClientTexts.notSentEither(failure.message, reason))
    }
  }

  /// News that the store could not take, as a further call for help; nil where they are none, and where no alert is known that they are
  /// about.
  func call(_ news: AlertNews, at moment: Moment, because error: LocalStoreError) -> AlertDraft? {
    guard news.isCall, LifeSignalError(error).code == .notSaved else { return nil }
    var active = memory?.active(at: moment).filter { $0.unsavedEnd == nil }.map(\.alert) ?? []
    if active.isEmpty { active = [AlertStatus.ofSpool(home, because: error, at: moment)?.alert].compactMap(\.self) }
    guard !active.isEmpty else { return nil }
    return AlertDraft(
      message: news.message, location: news.location, isDrill: active.allSatisfy(\.isDrill),
      utcOffsetMinutes: news.utcOffsetMinutes)
  }

  /// Sends what the store cannot, on a thread of its own: a call in the spool, or one that had no room there. If no thread can be
  /// started, it is sent as soon as the store works again.
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

  /// Sends an end that could not be saved, and gives the error, which says whether the server has it.
  ///
  /// - Parameter shown: ends these alone, and sends earlier ends that wait; nil for all.
  func endUnsaved(_ shown: [AlertToEnd]?, because error: LocalStoreError) -> LifeSignalError {
    let failure = LifeSignalError(error)
    guard failure.code == .notSaved, let memory else { return failure }
    let moment = DeviceClock.now()
    let messages = memory.active(at: moment, shown: shown)
    guard !messages.isEmpty else { return failure }
    let ended = memory.end(messages, at: moment)
    switch ended.answer {
    case .accepted:
      return LifeSignalError(.sentNotSaved, ClientTexts.endSentNotSaved(error.message))
    case .refused(let reason), .notSignedIn(let reason), .notReached(let reason), .unconfirmed(let reason):
      let kept = ended.isNoted ? ClientTexts.endKept : ""
      if ended.answer.isUnconfirmed {
        return LifeSignalError(.notSaved, ClientTexts.notConfirmed(failure.message, reason) + kept)
      }
      return LifeSignalError(.notSaved, ClientTexts.notSentEither(failure.message, reason) + kept)
    }
  }

  /// Sends what is outside a store that cannot take it, or cannot be opened, for at most `milliseconds`.
  func sendUnsent(withinMilliseconds milliseconds: Int64) -> EmergencyFromMemory.FallbackOutcome {
    let count = EmergencyAccess.unsentCount(home, at: DeviceClock.now())
    guard count > 0 else { return EmergencyFromMemory.FallbackOutcome() }
    return memory?.sendUnsent(at: DeviceClock.now(), withinMilliseconds: milliseconds)
      ?? EmergencyFromMemory.FallbackOutcome(leftCount: count)
  }

  private var memory: EmergencyFromMemory? { EmergencyFromMemory(home) }
}
