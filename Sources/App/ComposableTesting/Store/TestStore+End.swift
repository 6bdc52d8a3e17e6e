import Composable
import Dependencies

extension TestStore {
  /// Waits until all effects have ended, and fails where that takes longer than `timeout` of real time, or where an action
  /// has not been received.
  public func finish(
    timeout: Duration = .seconds(1),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let deadline = ContinuousClock.now + timeout
    await scheduler.settle()
    while store.effectsInFlight > 0, !areEffectsExcused, await recording.event(before: deadline) {}
    await scheduler.settle()
    checkNothingIsLeft(at: location)
  }

  /// Forgets the actions that came from effects and were not received; the state is the one after them. Fails where
  /// there is none, unless `strict` is false.
  public func skipReceivedActions(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await scheduler.settle()
    guard let last = recording.received.last else {
      if strict { fail(FailureText.nothingToSkip("action"), at: location) }
      return
    }
    showSkipped(FailureText.skippedActions(recording.received.map(\.action)), at: location)
    recording.received = []
    state = last.state
  }

  /// Cancels the effects that still run, and asks no more of them. Fails where there is none, unless `strict` is
  /// false.
  public func skipInFlightEffects(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await scheduler.settle()
    guard store.effectsInFlight > 0 else {
      if strict { fail(FailureText.nothingToSkip("effect"), at: location) }
      return
    }
    store.cancelEffects()
    await scheduler.settle()
    // One that does not heed its cancellation may still be there.
    areEffectsExcused = true
  }
}
