import Composable
import Dependencies

extension TestStore {
  /// Sends `action` as a person or the system would. Fails if the state after it is not the one that
  /// `updateStateToExpectedResult` makes of the state before or, without that closure, if the state changes at all.
  ///
  /// It also fails if the test has not received an earlier action from an effect. It returns when all effects are
  /// suspended.
  ///
  /// - Returns: the effects that follow, to await or cancel.
  @discardableResult
  public func send(
    _ action: Action, assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async -> TestStoreTask {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await scheduler.settle()
    skipReceived(failingWith: { FailureText.actionsLeft($0, when: .send(action)) }, at: location)
    areEffectsExcused = false
    let task = store.send(action)
    let actual = recording.takeStateAfterSent() ?? state
    expect(actual, updateStateToExpectedResult, at: location)
    await scheduler.settle()
    return TestStoreTask(task: task, settle: scheduler.settle) { [recording] deadline in
      await recording.event(before: deadline)
    }
  }

  /// Fails if `updateStateToExpectedResult` changes the current state: every value that it sets must already hold.
  public func assert(
    _ updateStateToExpectedResult: (inout State) throws -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    guard let expected = state(afterwards: updateStateToExpectedResult, of: state, at: location) else { return }
    guard expected != state else { return }
    fail(FailureText.wrongState(expected: expected, actual: state), at: location)
  }

  /// Makes `actual` the state, and fails if the test expects another one.
  func expect(_ actual: State, _ update: ((inout State) throws -> Void)?, at location: CodeLocation) {
    let previous = state
    state = actual
    guard isExhaustive else { return expectPart(of: actual, previous, update, at: location) }
    guard let update else {
      guard actual != previous else { return }
      return fail(FailureText.unexpectedChange(before: previous, after: actual), at: location)
    }
    guard let expected = self.state(afterwards: update, of: previous, at: location) else { return }
    if expected != actual {
      fail(FailureText.wrongState(expected: expected, actual: actual), at: location)
    } else if expected == previous {
      fail(FailureText.noChange, at: location)
    }
  }

  /// Fails if `update` changes `actual`: the values that it sets must hold, and the others are not checked.
  private func expectPart(
    of actual: State, _ previous: State, _ update: ((inout State) throws -> Void)?, at location: CodeLocation
  ) {
    let update = update ?? { _ in }
    guard let expected = state(afterwards: update, of: actual, at: location) else { return }
    if expected != actual {
      return fail(FailureText.wrongState(expected: expected, actual: actual), at: location)
    }
    guard let asserted = state(afterwards: update, of: previous, at: location), asserted != actual else { return }
    showSkipped(FailureText.skippedChange(asserted: asserted, actual: actual), at: location)
  }

  private func state(
    afterwards update: (inout State) throws -> Void, of state: State, at location: CodeLocation
  ) -> State? {
    var state = state
    do {
      try update(&state)
      return state
    } catch {
      fail(FailureText.thrown(error), at: location)
      return nil
    }
  }
}
