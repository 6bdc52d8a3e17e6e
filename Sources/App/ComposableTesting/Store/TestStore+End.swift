import Composable
import Dependencies

extension TestStore {
  /// Waits until all effects have ended. Fails if that takes longer than `timeout` of real time, or if an action was
  /// not received.
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

  /// Drops the actions from effects that the test has not received, and takes over the state after them. Fails if there
  /// are none, unless `strict` is false.
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

  /// Cancels the running effects, and allows them to run at the end of the test. Fails if there are none, unless
  /// `strict` is false.
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
    // An effect that ignores its cancellation may still run.
    areEffectsExcused = true
  }
}
