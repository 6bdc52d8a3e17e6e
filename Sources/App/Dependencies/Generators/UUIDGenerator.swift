public import FoundationEssentials
import Synchronization

/// Makes identifiers, so that a test can say which.
///
/// ```swift
/// @Dependency(\.uuid) var uuid
/// let id = uuid()
/// ```
public struct UUIDGenerator: Sendable {
  private let generate: @Sendable () -> UUID

  /// Gives what `generate` gives.
  public init(_ generate: @escaping @Sendable () -> UUID) {
    self.generate = generate
  }

  /// The next identifier.
  public func callAsFunction() -> UUID {
    generate()
  }

  /// Always `uuid`.
  public static func constant(_ uuid: UUID) -> UUIDGenerator {
    UUIDGenerator { uuid }
  }

  /// A new generator that counts: `00000000-0000-0000-0000-000000000000`, `…0001`, and so on, in hexadecimal.
  public static var incrementing: UUIDGenerator {
    let counter = UUIDCounter()
    return UUIDGenerator { UUID(counting: counter.next()) }
  }
}

private final class UUIDCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  func next() -> UInt64 {
    count.wrappingAdd(1, ordering: .relaxed).oldValue
  }
}

extension UUID {
  /// The identifier whose last eight bytes are `number`, and whose others are 0.
  public init(counting number: UInt64) {
    func byte(_ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: number >> (8 * (7 - index))) }
    self.init(
      uuid: (0, 0, 0, 0, 0, 0, 0, 0, byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7)))
  }
}

private enum UUIDGeneratorKey: DependencyKey {
  static let liveValue = UUIDGenerator { UUID() }
  static let testValue = UUIDGenerator {
    unimplemented("UUIDGenerator (the dependency 'uuid')", placeholder: UUID(counting: 0))
  }
}

extension DependencyValues {
  /// Makes identifiers. In a test that does not set it, using it reports an issue and gives the one of zeros.
  public var uuid: UUIDGenerator {
    get { self[UUIDGeneratorKey.self] }
    set { self[UUIDGeneratorKey.self] = newValue }
  }
}
