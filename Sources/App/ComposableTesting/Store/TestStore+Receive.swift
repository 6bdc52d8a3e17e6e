public import Composable
import Dependencies

extension TestStore {
  /// Waits for the next action from an effect. Fails if it is not `expectedAction`, or if the state after it is not the
  /// one that `updateStateToExpectedResult` makes of the state before.
  ///
  /// If no action has arrived and no effect runs, it fails at once. Otherwise it waits for at most `timeout` of real
  /// time.
  public func receive(
    _ expectedAction: Action, timeout: Duration = .seconds(1),
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let expectation = ActionExpectation<Action>.value(expectedAction)
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await receive(expectation, timeout, updateStateToExpectedResult, at: location)
  }

  /// Receives an action of the case that `expectedCase` names, with any payload. Otherwise like `receive` with a value.
  public func receive<Value>(
    _ expectedCase: CaseKeyPath<Action, Value>, timeout: Duration = .seconds(1),
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async where Action: CasePathable {
    let expectation = ActionExpectation<Action>.matching(FailureText.name(of: expectedCase)) { $0.is(expectedCase) }
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await receive(expectation, timeout, updateStateToExpectedResult, at: location)
  }

  /// Receives an action for which `isExpected` returns true. Otherwise like `receive` with a value.
  public func receive(
    _ isExpected: @escaping (_ action: Action) -> Bool, timeout: Duration = .seconds(1),
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let expectation = ActionExpectation<Action>.matching("an action that matches the predicate", isExpected)
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await receive(expectation, timeout, updateStateToExpectedResult, at: location)
  }

  private func receive(
    _ expectation: ActionExpectation<Action>, _ timeout: Duration, _ update: ((inout State) throws -> Void)?,
    at location: CodeLocation
  ) async {
    let deadline = ContinuousClock.now + timeout
    await scheduler.settle()
    while !canReceive(expectation) {
      if store.effectsInFlight > 0, await recording.event(before: deadline) {
        await scheduler.settle()
        continue
      }
      return failNothingReceived(expectation, timeout, at: location)
    }
    take(expectation, update, at: location)
    await scheduler.settle()
  }

  private func canReceive(_ expectation: ActionExpectation<Action>) -> Bool {
    isExhaustive ? !recording.received.isEmpty : recording.received.contains { expectation.isMet(by: $0.action) }
  }

  /// Takes the first action or, in a test that is not exhaustive, the first one that meets the expectation.
  private func take(
    _ expectation: ActionExpectation<Action>, _ update: ((inout State) throws -> Void)?, at location: CodeLocation
  ) {
    if !isExhaustive { skip(until: expectation, at: location) }
    let received = recording.received.removeFirst()
    if expectation.isMet(by: received.action) {
      expect(received.state, update, at: location)
    } else {
      state = received.state
      fail(FailureText.otherAction(expectation, received: received.action), at: location)
    }
  }

  private func skip(until expectation: ActionExpectation<Action>, at location: CodeLocation) {
    let skipped = Array(recording.received.prefix { !expectation.isMet(by: $0.action) })
    guard let last = skipped.last else { return }
    recording.received.removeFirst(skipped.count)
    state = last.state
    showSkipped(FailureText.skippedActions(skipped.map(\.action)), at: location)
  }

  private func failNothingReceived(
    _ expectation: ActionExpectation<Action>, _ timeout: Duration, at location: CodeLocation
  ) {
    let text = FailureText.nothingReceived(
      expectation, effectCount: store.effectsInFlight, timeout: timeout, hasStoppedClock: wasStoppedClockUsed)
    fail(text, at: location)
  }

  /// Whether an effect tried to sleep on the `StoppedClock` of a test that sets no clock.
  var wasStoppedClockUsed: Bool {
    (dependencies.continuousClock as? StoppedClock).map { $0.sleepRequestCount > 0 } ?? false
  }
}

/// The action that a test waits for.
enum ActionExpectation<Action: Equatable> {
  case value(Action)
  /// An action for which the function returns true, and its description for a failure.
  case matching(String, (Action) -> Bool)

  func isMet(by action: Action) -> Bool {
    switch self {
    case .value(let expected): expected == action
    case .matching(_, let isExpected): isExpected(action)
    }
  }
}
