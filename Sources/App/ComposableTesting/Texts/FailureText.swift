import Composable

/// The texts of failures. The functions are pure: each makes its text of its arguments alone.
enum FailureText {
  static func wrongState(expected: Any, actual: Any) -> String {
    "The state differs from the expected one:\n\n" + difference(expected: expected, actual: actual)
  }

  static func unexpectedChange(before: Any, after: Any) -> String {
    "The state changed, and the test expects no change:\n\n"
      + difference(expected: before, actual: after)
      + "\n\nAssert the change in a trailing closure."
  }

  static let noChange = """
    Neither the trailing closure nor the action changes the state. Omit the closure if you expect no change.
    """

  static func thrown(_ error: any Error) -> String {
    "The trailing closure threw \(ValueDump.text(error))."
  }

  static func skippedChange(asserted: Any, actual: Any) -> String {
    "Not asserted:\n\n" + difference(expected: asserted, actual: actual)
  }

  private static func difference(expected: Any, actual: Any) -> String {
    let lines = LineDifference.text(expected: ValueDump.lines(expected), actual: ValueDump.lines(actual))
    guard let lines else {
      return "  The two are not equal, but their texts are the same:\n\n" + indented(ValueDump.lines(actual))
    }
    return lines + "\n\n(− expected, + actual)"
  }

  static func indented(_ lines: [String]) -> String {
    lines.map { "  " + $0 }.joined(separator: "\n")
  }
}

// MARK: - Actions

extension FailureText {
  /// The moment at which actions were left.
  enum Moment {
    case end
    case send(Any)
  }

  static func actionsLeft(_ actions: [Any], when moment: Moment) -> String {
    let moment =
      switch moment {
      case .end: "when the test ended"
      case .send(let action): "when the test sent \(ValueDump.text(action))"
      }
    return "\(count(actions.count, "action")) from effects had not been received \(moment):\n\n" + list(actions)
  }

  static func skippedActions(_ actions: [Any]) -> String {
    "Skipped \(count(actions.count, "action")) from effects:\n\n" + list(actions)
  }

  static func otherAction<Action>(_ expectation: ActionExpectation<Action>, received: Action) -> String {
    switch expectation {
    case .value(let expected):
      "The received action is not the expected one:\n\n" + difference(expected: expected, actual: received)
    case .matching(let description, _):
      "Expected \(description), and received another action:\n\n" + indented(ValueDump.lines(received))
    }
  }

  /// Describes a case. A case path does not know the name of its case, so a case with a payload is described by the
  /// payload's type.
  static func name<Root: CasePathable, Value>(of keyPath: CaseKeyPath<Root, Value>) -> String {
    guard let nothing = () as? Value else { return "an action of the case that carries a '\(Value.self)'" }
    return "the action " + ValueDump.text(Root.allCasePaths[keyPath: keyPath].embed(nothing))
  }

  static func list(_ actions: [Any]) -> String {
    actions.map { indented(ValueDump.lines($0)) }.joined(separator: "\n")
  }

  static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}

// MARK: - Effects

extension FailureText {
  static func nothingReceived<Action>(
    _ expectation: ActionExpectation<Action>, effectCount: Int, timeout: Duration, hasStoppedClock: Bool
  ) -> String {
    let wanted =
      switch expectation {
      case .value(let action): "\n\n" + indented(ValueDump.lines(action)) + "\n\n"
      case .matching(let description, _): " \(description). "
      }
    let effects =
      effectCount == 0
      ? "No effect is running that could send it."
      : "\(count(effectCount, "effect")) still running after \(timeout)."
    return "Expected to receive" + wanted + effects + (hasStoppedClock ? stoppedClockHint : "")
  }

  static func effectsRunning(_ count: Int) -> String {
    """
    \(self.count(count, "effect")) still running when the test ended. To end them, send an action that cancels them, \
    advance their clock, or call 'skipInFlightEffects()'.
    """
  }

  static func taskRunning(after timeout: Duration) -> String {
    "The effects of the action are still running after \(timeout)."
  }

  static func nothingToSkip(_ noun: String) -> String {
    "There is no \(noun) to skip."
  }

  static let stoppedClockHint = """


    An effect tried to sleep on the dependency 'continuousClock', which this test does not set. The sleep ended at \
    once, as if cancelled. Set the clock to a 'TestClock' or an 'ImmediateClock'.
    """
}
