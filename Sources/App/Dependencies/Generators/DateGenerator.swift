public import FoundationEssentials

/// Returns the current date; a test can choose the date.
///
/// ```swift
/// @Dependency(\.date) var date
/// state.alertStartTime = date.now
/// ```
public struct DateGenerator: Sendable {
  private var generate: @Sendable () -> Date

  /// Makes a generator that calls `generate`.
  public init(_ generate: @escaping @Sendable () -> Date) {
    self.generate = generate
  }

  /// The current date. After it was set, it is always that date.
  public var now: Date {
    get { generate() }
    set { generate = { newValue } }
  }

  /// Returns the current date.
  public func callAsFunction() -> Date {
    generate()
  }

  /// Makes a generator that always returns `date`.
  public static func constant(_ date: Date) -> DateGenerator {
    DateGenerator { date }
  }
}

private enum DateGeneratorKey: DependencyKey {
  static let liveValue = DateGenerator { Date() }
  static let testValue = DateGenerator {
    unimplemented("DateGenerator (the dependency 'date')", placeholder: Date(timeIntervalSince1970: 0))
  }
}

extension DependencyValues {
  /// The source of the current date. In a test that does not set it, it reports an issue and returns 1 January 1970.
  public var date: DateGenerator {
    get { self[DateGeneratorKey.self] }
    set { self[DateGeneratorKey.self] = newValue }
  }
}
