public import FoundationEssentials

/// Gives the date, so that a test can say what it is.
///
/// ```swift
/// @Dependency(\.date) var date
/// state.alertStartTime = date.now
/// ```
public struct DateGenerator: Sendable {
  private var generate: @Sendable () -> Date

  /// Gives what `generate` gives.
  public init(_ generate: @escaping @Sendable () -> Date) {
    self.generate = generate
  }

  /// The date now. When set, it stays what it is set to.
  public var now: Date {
    get { generate() }
    set { generate = { newValue } }
  }

  /// The date now.
  public func callAsFunction() -> Date {
    generate()
  }

  /// Always `date`.
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
  /// The date. In a test that does not set it, reading it reports an issue and gives 1 January 1970.
  public var date: DateGenerator {
    get { self[DateGeneratorKey.self] }
    set { self[DateGeneratorKey.self] = newValue }
  }
}
